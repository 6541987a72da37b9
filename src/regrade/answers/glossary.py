"""The terms that answers use, for readers who do not have them at hand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

TERMS = {
    "α": "Krippendorff's alpha: agreement corrected for chance. 1 is perfect, 0 as expected by "
    "chance. The metric (nominal, ordinal, interval) weights disagreements.",
    "κ": "Cohen's κ, exact agreement of two raters corrected for chance. Weighted κ weights "
    "disagreements by the distance of grades (linear) or its square (quadratic).",
    "τ_b": "Kendall's τ_b of two rankings: (concordant − discordant) pairs, normalised for ties. 1 "
    "is the identical order, 0 no association, −1 the reversed order.",
    "Eρ²": "Generalizability coefficient: the share of the variance of observed mean scores that "
    "is due to the systems.",
    "MCB": "Multiple comparisons with the best (Hsu): tests every system against the best of the "
    "others, with simultaneous confidence.",
    "stepdown": "Romano and Wolf's stepdown: a correction for all pairs that controls the "
    "family-wise error by resampling, and accounts for the dependence of tests.",
    "minimum detectable difference": "The true difference that a test detects with 80% power at "
    "α = 0.05, given the number of topics and the variance observed.",
    "held-out": "Evaluated on topics or documents that were not used for the choice.",
    "significant": "With p below the stated α, by the test and correction that are named.",
    "significantly": "With p below the stated α, by the test and correction that are named.",
    "pool": "The documents chosen for judging: the first ones of some runs.",
    "unjudged": "Without a judgment. Measures count such a document as not relevant.",
    "labels": "Relevance grades of documents (qrels), whoever assigned them.",
    "threshold": "Values up to it get one grade, values above it the next.",
    "cut": "Thresholds that map a fine scale to a few grades.",
    "equal widths": "Grades that divide the scale evenly.",
    "expected by chance": "What independent labels would give.",
    "bias": "The mean of signed errors: below 0 where values are too low.",
    "nDCG@10": "Normalised discounted cumulative gain of the first 10 documents: discounted gain "
    "over that of an ideal ranking.",
    "AP": "Average precision: the mean of the precisions at the ranks of relevant documents.",
    "RR": "Reciprocal rank: 1 over the rank of the first relevant document.",
}
"""Term → what it means, in a sentence or two."""

PRESERVED = 0.9
"""A ranking is largely preserved where the interval of τ_b does not lie below it.

Nineteen of twenty pairs of systems are then in one order; Voorhees (2000) calls such rankings
equivalent.
"""

NOT_PRESERVED = 0.8
"""A ranking is not preserved where the interval of τ_b lies below it: changes are noticeable."""

LARGELY, PARTLY, NOT = "largely preserved", "partly preserved", "not preserved"

SCALES = {
    "largely preserve": "A ranking is largely preserved where the 95% CI of τ_b has its lower end "
    f"at {PRESERVED:g} or above.",
    "partly preserve": "A ranking is partly preserved where the 95% CI of τ_b begins below "
    f"{PRESERVED:g} and does not end below {NOT_PRESERVED:g}.",
    "not preserve": "A ranking is not preserved where the 95% CI of τ_b ends below "
    f"{NOT_PRESERVED:g}.",
}
"""What words mean that stand for a range of numbers, by how they begin."""

_ANY = re.compile(
    "|".join(rf"(?<!\w){re.escape(term)}(?!\w)" for term in sorted(TERMS, key=len, reverse=True))
)


def terms_in(sentences: Iterable[str]) -> list[str]:
    """The terms that stand in some sentences, in the order of `TERMS`."""
    used = {term for sentence in sentences for term in _ANY.findall(sentence)}
    return [term for term in TERMS if term in used]


def parts_of(sentence: str) -> Iterator[tuple[str, str]]:
    """A sentence in parts: text, and the term that it is (empty for other text)."""
    end = 0
    for term in _ANY.finditer(sentence):
        yield sentence[end : term.start()], ""
        yield term[0], term[0]
        end = term.end()
    yield sentence[end:], ""
