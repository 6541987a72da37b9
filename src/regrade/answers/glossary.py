"""The terms that answers use, for readers who do not have them at hand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

TERMS = {
    "α": "Krippendorff's alpha: agreement beyond chance. 1 is perfect, 0 what chance gives. Its "
    "metric says what disagreements weigh; it is of all documents, or the mean of topics' own.",
    "τ_b": "Kendall's τ_b of two rankings: (concordant − discordant) pairs, normalised for ties. 1 "
    "is the identical order, 0 no association, −1 the reversed order.",
    "Eρ²": "Generalizability coefficient: the share of what systems' means differ by that stays "
    "with other topics and judges.",
    "surely": "True of all pairs of systems at once in 95% of samples of as many topics.",
    "draws of": "As many topics as there are, drawn with replacement: what other topics might "
    "have said.",
    "significantly": "By a test that is paired by topic, with p < 0.05.",
    "pool": "The documents that were chosen to be judged: the first ones of some runs.",
    "unjudged": "Without a label. Measures count such a document as not relevant.",
    "labels": "What says how relevant a document is: qrels.",
    "threshold": "Values up to it get one level, values above it the next.",
    "cut": "Thresholds that make a few levels of a fine scale.",
    "equal widths": "Levels that share the scale evenly.",
    "expected by chance": "What labels that have nothing to do with it would give.",
    "bias": "Mean of the errors with their signs: below 0 where scores are too low.",
    "nDCG@10": "Gain of the first 10 documents, less for later ones, over that of an ideal order.",
    "AP": "Average precision: the mean of the precisions at the ranks of relevant documents.",
    "RR": "Reciprocal rank: 1 over the rank of the first relevant document.",
}
"""Term → what it means, in a sentence or two."""

PRESERVED = 0.9
"""Where the interval of τ_b does not lie below it, a ranking is largely preserved.

Nineteen of twenty pairs of systems are then in one order.
"""

SCALES = {
    "largely preserve": "A ranking is largely preserved where the 95% interval of τ_b over topics "
    f"does not lie below {PRESERVED:g}.",
}
"""What words mean that stand for a range of numbers, by how they begin."""

_ANY = re.compile(
    "|".join(rf"(?<!\w){re.escape(term)}(?!\w)" for term in sorted(TERMS, key=len, reverse=True))
)


def terms_in(sentences: Iterable[str]) -> list[str]:
    """The terms that stand in some sentences, in the order of `TERMS`."""
    found = {term for said in sentences for term in _ANY.findall(said)}
    return [term for term in TERMS if term in found]


def parts_of(sentence: str) -> Iterator[tuple[str, str]]:
    """A sentence in parts: text, and the term that it is (empty for other text)."""
    end = 0
    for term in _ANY.finditer(sentence):
        yield sentence[end : term.start()], ""
        yield term[0], term[0]
        end = term.end()
    yield sentence[end:], ""
