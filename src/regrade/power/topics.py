"""Discriminative power (PDP) of labels, topic by topic (chu2021 Eqs 2, 3 and 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import lgamma

import numpy as np
import pandas as pd

from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.choices import POWER_MODES
from regrade.compiled import njit
from regrade.errors import MethodError
from regrade.power.plackett_luce import (
    DOUBT,
    WIDEST,
    exact_entropy,
    has_finite_optimum,
    newton,
    ranking_entropy,
)
from regrade.power.preferences import (
    Graded,
    GradePreferences,
    PreferenceTests,
    average_preferences,
    grade_preferences,
)

JUDGED = "judged"
"""The list of all of a topic's documents that every compared set has graded."""

COLUMNS = columns_of("power/topics")[2:]
"""Of ``power/topics``, those that say nothing of sets and preferences."""


@dataclass(frozen=True)
class Lists:
    """The documents whose rankings are in question, for each topic.

    Attributes
    ----------
    name
        ``judged``, or of what depth (``top 5``).
    documents
        Topic → its lists, each (n,) docnos; n may differ between topics but not within one.
    """

    name: str
    documents: Mapping[str, Sequence[Sequence[str]]]

    @cached_property
    def index(self) -> pd.MultiIndex:
        """Topic and docno of every document of every list, one list after the other."""
        sizes = [sum(map(len, some)) for some in self.documents.values()]
        docnos = [docno for some in self.documents.values() for of in some for docno in of]
        topics = np.repeat(np.array(list(self.documents), dtype=object), sizes)
        return pd.MultiIndex.from_arrays([topics, docnos], names=["topic", "docno"])

    def without(self, topics: Collection[str]) -> Lists:
        """The lists of all other topics."""
        kept = {name: of for name, of in self.documents.items() if name not in topics}
        return Lists(self.name, kept)


def judged_lists(sets: Sequence[Graded]) -> Lists:
    """One list a topic: the documents that every one of the sets has graded."""
    common = sets[0].documents
    for other in sets[1:]:
        common = common.intersection(other.documents)
    if not len(common):
        raise MethodError("no document was graded in every set: leave out one that shares none")
    frame = common.to_frame(index=False).astype(str)
    frame.columns = ["topic", "docno"]
    grouped = frame.sort_values(["topic", "docno"]).groupby("topic")["docno"]
    return Lists(JUDGED, {topic: [docnos.to_numpy()] for topic, docnos in grouped})


def top_lists(
    rankings: Mapping[str, Sequence[Sequence[str]]], sets: Sequence[Graded], depth: int
) -> Lists:
    """Each run's first documents that every set has graded; runs with fewer have no list."""
    graded = judged_lists(sets).documents
    lists = {}
    for topic, (docnos,) in graded.items():
        known = set(docnos)
        kept = ([d for d in ranking if d in known][:depth] for ranking in rankings.get(topic, ()))
        lists[topic] = [np.sort(np.array(some)) for some in kept if len(some) == depth]
    return Lists(f"top {depth}", lists)


@dataclass(frozen=True)
class PowerOptions:
    """How power is computed.

    Attributes
    ----------
    modes
        ``individual`` and ``aggregate``, or one of them.
    seed
        Of what is drawn: topics and assessors for intervals, labels that are extended.
    """

    modes: Sequence[str] = POWER_MODES
    seed: int = 1


def power_table(
    graded: Graded,
    tests: PreferenceTests,
    lists: Sequence[Lists],
    options: PowerOptions,
) -> pd.DataFrame:
    """PDP of every topic, mean over its lists, and of all topics, mean over topics (Eq. 2)."""
    return pd.DataFrame(power_rows(graded, tests, lists, options), columns=COLUMNS)


def power_rows(
    graded: Graded,
    tests: PreferenceTests,
    lists: Sequence[Lists],
    options: PowerOptions,
) -> list[dict]:
    """The rows of `power_table`; without an ``entropy`` where there is none."""
    rows = []
    for mode in options.modes:
        in_mode = graded.in_mode(mode)
        powers = _ListPowers(grade_preferences(in_mode, tests))
        for of in lists:
            topics = []
            for topic, codes in list_codes(in_mode, of).items():
                power = _topic_power(codes, powers)
                topics.append({"mode": mode, "list": of.name, "topic": topic, **power})
            rows += [*topics, _over_topics(topics)]
    return rows


def with_power(rows: Iterable[Mapping]) -> Iterator[Mapping]:
    """The rows of topics that have an entropy."""
    for row in rows:
        if row["topic"] != ALL_TOPICS and np.isfinite(row.get("entropy", np.nan)):
            yield row


def list_codes(graded: Graded, lists: Lists) -> dict[str, list[np.ndarray]]:
    """Topic → the (n, A) codes of each of its lists; all documents are looked up at once."""
    sizes = [len(documents) for some in lists.documents.values() for documents in some]
    places = graded.places(lists.index) if sum(sizes) else np.empty(0, dtype=np.int64)
    if (places < 0).any():
        topic, docno = lists.index[places < 0][0]
        raise MethodError(
            f"document {docno} of topic {topic} has no grade: lists hold graded documents only, "
            "as judged_lists and top_lists make them"
        )
    codes = graded.codes[places]
    ends = np.cumsum(sizes).tolist()
    parts = (codes[end - size : end] for size, end in zip(sizes, ends, strict=True))
    return {topic: [next(parts) for _ in some] for topic, some in lists.documents.items()}


def _topic_power(codes: list[np.ndarray], powers: _ListPowers) -> dict:
    """PDP of a topic's lists, averaged."""
    usable = [c for c in codes if len(c) > 1]
    documents = len(codes[0]) if codes else 0
    row = {"lists": len(usable), "documents": float(documents), "exact": True}
    if not usable:
        return row | {"way": ""}
    # (L, n, A) codes, the documents of each list in the order of their codes
    ordered = np.array(usable)
    if ordered.shape[2] == 1:
        ordered = np.sort(ordered, axis=1)
    else:
        ordered = np.array([some[np.lexsort(some.T[::-1])] for some in ordered])
    times = Counter(some.tobytes() for some in ordered)
    of_lists = [powers.of(some, ordered.shape[1:]) for some in times]
    ways, *quantities = zip(*of_lists, strict=True)
    weight = np.array(list(times.values())) / len(usable)
    names = ("entropy", "clipped", "finite", "unseen")
    row |= {n: float(weight @ np.array(of)) for n, of in zip(names, quantities, strict=True)}
    row |= {"highest": lgamma(documents + 1), "standard_error": 0.0}
    return row | {"way": _distinct_ways(ways)}


def _distinct_ways(ways: Iterable[str]) -> str:
    """The ways by which entropies were found, each once."""
    return ", ".join(sorted({each for way in ways for each in way.split(", ") if each}))


@dataclass(frozen=True)
class _ListPowers:
    """PDP of lists, which depends on nothing but their codes: each is computed once."""

    grades: GradePreferences
    known: dict = field(default_factory=dict)

    def of(self, codes: bytes, shape: tuple[int, ...]) -> tuple:
        """The way, entropy, shares of pairs clipped and unseen of a list."""
        if (codes, shape) not in self.known:
            grades = np.frombuffer(codes, np.int64).reshape(shape).copy()
            seen = self.grades.probabilities, self.grades.known
            scores, counts, *shares = fitted(grades, *seen)
            if scores.max() - scores.min() > WIDEST:
                raise MethodError("scores are too far apart to rank documents: raise `doubt`")
            entropy = ranking_entropy(scores, counts)
            self.known[codes, shape] = (entropy.way, entropy.value, *shares)
        return self.known[codes, shape]


def _over_topics(topics: list[dict]) -> dict:
    """The mean over the topics that have a value."""
    served = [row for row in topics if "entropy" in row]
    row = {key: topics[0][key] for key in ("mode", "list")} if topics else {}
    row |= {"topic": ALL_TOPICS, "lists": sum(row["lists"] for row in topics), "exact": True}
    if not served:
        return row | {"documents": 0.0, "way": ""}
    means = ("documents", "entropy", "highest", "clipped", "finite", "unseen")
    row |= {key: float(np.mean([row[key] for row in served])) for key in means}
    return row | {"way": _distinct_ways(row["way"] for row in served), "standard_error": 0.0}


# --- kernels ------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def fitted(codes, probabilities, known):
    """Scores of the classes of a list's documents, their counts, and what had to be assumed.

    Documents with the same grades by all assessors are one class.
    """
    first, counts = _classes(codes)
    preferences, missing = average_preferences(codes[first], probabilities, known)
    n = len(first)
    finite = has_finite_optimum(preferences)
    clipped, unseen = 0.0, 0.0
    for i in range(n):
        # of documents of one class only those whom nobody graded both are unseen
        within = counts[i] * (counts[i] - 1) / 2
        if np.all(codes[first[i]] < 0):
            unseen += within
        for j in range(i):
            pairs = counts[i] * counts[j]
            unseen += pairs * missing[i, j]
            p = preferences[i, j]
            preferences[i, j] = min(max(p, DOUBT), 1.0 - DOUBT)
            preferences[j, i] = 1.0 - preferences[i, j]
            if preferences[i, j] != p:
                clipped += pairs
    scores = np.empty(n)
    if not newton(preferences, counts.astype(np.float64), scores):
        scores[:] = np.nan
    documents = len(codes)
    total = documents * (documents - 1) / 2
    return scores, counts, clipped / total, finite, unseen / total


@njit(cache=True, nogil=True, inline="always")
def _classes(codes):
    """The first document of each class of equal rows, and how many documents it has."""
    n = len(codes)
    first, counts = np.empty(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    n_classes = 0
    for i in range(n):
        c = 0
        while c < n_classes and np.any(codes[first[c]] != codes[i]):
            c += 1
        if c == n_classes:
            first[c] = i
            n_classes += 1
        counts[c] += 1
    return first[:n_classes].copy(), counts[:n_classes].copy()


@njit(cache=True, nogil=True)
def powers(codes, probabilities, known, entropies):
    """Exact PDP of many lists of equal size at once; (L, n, A) codes into (L,) `entropies`."""
    for list_number in range(len(codes)):
        scores, counts, _, _, _ = fitted(codes[list_number], probabilities, known)
        entropies[list_number] = exact_entropy(scores, counts)
