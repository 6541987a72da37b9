"""Worlds of documents that carry a favour: their parts of it, and their labels.

A family of systems likes some documents alike; the reference errs, and the judge errs and gives
more to what the family likes.  The population is so many topics that its values are the truth; of
TREC 2021 DL all topics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

import numpy as np

import regrade
from regrade.favours.documents import (
    OTHERS,
    SHARED,
    UNIQUE,
    Comparison,
    DocumentLabels,
    Estimates,
    FirstDocuments,
    label_differences,
    parts_of,
    rank_weights,
)
from regrade.favours.families import families_of
from regrade.measures import parse
from tests.coverage import World

SIZES = (15, 25, 50, 100)
TOPICS = 4000
"""Of a made population."""

SYSTEMS, FAMILY, DOCUMENTS = 14, 5, 60
MEASURE = parse("nDCG@10")
CARRIERS = (UNIQUE, SHARED, OTHERS)
_NAMES = {UNIQUE: "unique documents", SHARED: "shared documents", OTHERS: "documents of others"}

Estimator = Callable[[FirstDocuments, np.ndarray], Estimates]


def worlds(data: Path | None = None) -> list[World]:
    """Parts of the favour, and differences of labels, in made worlds and a real one."""
    sources = {
        "simulated: a family liked by the judge": partial(made, 0.6, 1.0),
        "simulated: no favour, a compressed judge": partial(made, 0.0, 0.6),
    }
    if data is not None:
        sources["TREC 2021 DL: GPT-4o and T5 systems"] = partial(dl21, data)
    return [
        World(interval, f"{name}, {what}", f"{size} topics", partial(_held, source, of, size))
        for name, source in sources.items()
        for interval, what, of in _estimators(is_made=source.func is made)
        for size in SIZES
    ]


def _estimators(*, is_made: bool) -> Iterator[tuple[str, str, Estimator]]:
    for place, carriers in enumerate(CARRIERS):
        yield "favour_part", _NAMES[carriers], partial(_part, place, equal=False)
    if is_made:  # topics that come again are no different topics, of which the slope is
        yield "favour_part", "shared documents at equal quality", partial(_part, 1, equal=True)
    for what, equal in (("all other documents", False), ("documents of equal grades", True)):
        yield "label_difference", what, partial(_labels, equal=equal)


def _part(place: int, documents: FirstDocuments, members: np.ndarray, *, equal: bool) -> Estimates:
    reference, judges = (_scores(documents, of) for of in (documents.reference, documents.judges))
    than = Comparison.of_all(reference[0], members)
    if equal:
        than = Comparison.at_equal_quality(judges - reference, reference[0], members)
    of = parts_of(documents, members, than, beside_control=False).carried
    return Estimates(*(one[0, 0, place] for one in (of.value, of.low, of.high, of.p)))


def _labels(documents: FirstDocuments, members: np.ndarray, *, equal: bool) -> Estimates:
    of = label_differences(documents, members, beside_control=False, equal_grades=equal)
    return Estimates(*(one[0, 0] for one in (of.value, of.low, of.high, of.p)))


def _scores(documents: FirstDocuments, labels: DocumentLabels) -> np.ndarray:
    """(L, T, S) scores: sums of weights by gains over the documents of each topic."""
    starts = np.searchsorted(documents.topic, np.arange(len(documents.topics)))
    each = documents.weights * labels.gains[:, None]
    return np.add.reduceat(each, starts, axis=-1).transpose(0, 2, 1)


def _held(
    source: Callable[[], tuple[FirstDocuments, np.ndarray]],
    of: Estimator,
    size: int,
    repetitions: int,
    seed: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    population, members = source()
    truth = float(_value(source, of))
    rng = np.random.default_rng(seed)
    ends = np.full((2, repetitions), np.nan)
    for repetition in range(repetitions):
        places = rng.integers(0, len(population.topics), size)
        drawn = of(of_topics(population, places), members)
        ends[:, repetition] = drawn.low, drawn.high
    return np.full(repetitions, truth), *ends


@cache
def _value(source: Callable, of: Estimator) -> float:
    return of(*source()).value


def of_topics(documents: FirstDocuments, places: np.ndarray) -> FirstDocuments:
    """The documents of some topics, which may come again."""
    bounds = np.searchsorted(documents.topic, np.arange(len(documents.topics) + 1))
    own = [np.arange(bounds[place], bounds[place + 1]) for place in places]
    columns = np.concatenate(own)

    def labels(of: DocumentLabels) -> DocumentLabels:
        by_document = (one[:, columns] for one in (of.grades, of.shares, of.gains))
        return DocumentLabels(*by_document, of.ideals[:, places])

    return FirstDocuments(
        documents.measure,
        tuple(map(str, range(len(places)))),
        documents.codes[columns],
        np.repeat(np.arange(len(places)), [len(one) for one in own]),
        documents.weights[:, columns],
        documents.is_first[:, columns],
        labels(documents.reference),
        labels(documents.judges),
        labels(documents.controls),
    )


@cache
def made(favour: float, scale: float) -> tuple[FirstDocuments, np.ndarray]:
    """A population of topics, and the family.

    `favour` is what the judge gives to what the family likes, `scale` compresses its scale.
    """
    rng = np.random.default_rng([17, int(10 * favour), int(10 * scale)])
    relevance = rng.normal(0, 1, (TOPICS, DOCUMENTS)) + rng.normal(0, 0.5, (TOPICS, 1))
    liked = rng.normal(0, 1, (TOPICS, DOCUMENTS))
    members = np.arange(SYSTEMS) < FAMILY
    quality = rng.uniform(0.5, 1.5, SYSTEMS)
    first, weights = [], []
    for system in range(SYSTEMS):
        score = quality[system] * relevance + rng.normal(0, 1, relevance.shape)
        score += 1.2 * liked * members[system]
        rank = np.argsort(np.argsort(-score, axis=1), axis=1)
        first.append((rank < 10).ravel())
        weights.append(rank_weights(MEASURE, DOCUMENTS)[rank].ravel())

    def labels(values: np.ndarray) -> DocumentLabels:
        grades = np.digitize(values, (0.5, 1.2, 2.0)).astype(float)
        best = -np.sort(-grades, axis=1)
        ideals = best @ rank_weights(MEASURE, DOCUMENTS)
        gains = np.divide(grades, ideals[:, None], where=ideals[:, None] > 0, out=0 * grades)
        flat = [one.reshape(1, -1) for one in (grades, grades / 3, gains)]
        return DocumentLabels(*flat, ideals[None] / 3)

    judge = scale * (relevance + favour * liked + rng.normal(0, 0.6, relevance.shape))
    reference = relevance + rng.normal(0, 0.6, relevance.shape)
    topic = np.repeat(np.arange(TOPICS), DOCUMENTS)
    nothing = DocumentLabels(*(np.empty((0, TOPICS * DOCUMENTS)) for _ in range(3)),
                             np.empty((0, TOPICS)))  # fmt: skip
    documents = FirstDocuments(
        MEASURE,
        tuple(map(str, range(TOPICS))),
        np.arange(len(topic)),
        topic,
        np.array(weights),
        np.array(first),
        labels(reference),
        labels(judge),
        nothing,
    )
    return documents, members[None]


@cache
def dl21(data: Path) -> tuple[FirstDocuments, np.ndarray]:
    """GPT-4o by UMBRELA beside NIST, and the systems with T5 in their name."""
    ranked = regrade.read_runs(str(data / "dl21" / "runs")).ranked
    files = ("qrels.gz", "judges/gpt-4o-umbrela.qrels.gz")
    reference, judge = (regrade.read_qrels(data / "dl21" / file).table for file in files)
    documents = FirstDocuments.of(
        MEASURE, ranked, sorted(set(ranked.topics) & set(reference["topic"].to_pylist())),
        (reference, 3.0), [(judge, 3.0)], [],
    )  # fmt: skip
    families = families_of(data / "dl21" / "families.txt", ranked.systems)
    return documents, families.members(ranked.systems)[[[*families].index("t5")]]
