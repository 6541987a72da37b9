"""Groups of documents that a ranking leaves tied: by equal scores, or by bands of ranks."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from regrade.compiled import njit
from regrade.errors import ParameterError
from regrade.ordering import comparable_scores, group_starts
from regrade.run_arrays import RankedLists


@dataclass(frozen=True, eq=False)
class TieGroups:
    """The groups of every ranking of some `RankedLists`, one after the other.

    A group holds the documents at consecutive ranks of one ranking whose order is arbitrary; a
    document that is tied with no other is a group of its own.

    Attributes
    ----------
    starts
        (G + 1,) int64; group g holds ``ranked.documents[starts[g]:starts[g + 1]]``.
    """

    starts: np.ndarray

    @classmethod
    def by_score(cls, ranked: RankedLists, score_precision: str = "float64") -> TieGroups:
        """Documents of equal score (yang2019 §3.1)."""
        if ranked.scores is None:
            raise ParameterError("the rankings have no scores: read these too")
        scores = comparable_scores(ranked.scores, score_precision)
        ranking = np.repeat(np.arange(len(ranked.offsets) - 1), np.diff(ranked.offsets))
        rises = (scores[1:] > scores[:-1]) & (ranking[1:] == ranking[:-1])
        if rises.any():
            system, topic = ranked.place(np.argmax(rises))
            raise ParameterError(
                f"runs: system {system}, topic {topic}: a score rises from "
                f"one rank to the next when compared as {score_precision}: "
                "order the runs by score, and group them by the score_precision of that order"
            )
        return cls(np.append(group_starts(ranking, scores), len(scores)))

    @classmethod
    def banded(cls, ranked: RankedLists, rho: Fraction | str | float) -> TieGroups:
        """Bands of ranks that grow geometrically, whatever the scores (yang2019 §3.3.1)."""
        lengths = np.diff(ranked.offsets)
        first = np.array(band_starts(rho, lengths.max(initial=0)), dtype=np.int64)
        counts = np.searchsorted(first, lengths, side="right")
        band = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        starts = np.repeat(ranked.offsets[:-1], counts) + first[band] - 1
        return cls(np.append(starts, ranked.offsets[-1]))

    @property
    def sizes(self) -> np.ndarray:
        """(G,) int64: documents in each group."""
        return np.diff(self.starts)

    def tied_documents(self, ranked: RankedLists) -> np.ndarray:
        """(S, T) int64: documents in the group of the document just above them."""
        groups = np.diff(np.searchsorted(self.starts, ranked.offsets))
        tied = np.diff(ranked.offsets) - groups
        return tied.reshape(len(ranked.topics), len(ranked.systems)).T

    def reordered(self, ranked: RankedLists, keys: np.ndarray | None = None) -> RankedLists:
        """The rankings with ties broken by an external rule (yang2019 §3.1)."""
        self.check(len(ranked.documents), ranked.offsets)
        if keys is None:
            keys = np.arange(len(ranked.names))  # a topic's codes are in the order of docnos
        documents = sorted_in_groups(
            ranked.documents, self.starts, -np.asarray(keys, dtype=np.float64)
        )
        return replace(ranked, documents=documents)

    def in_order(self, ranked: RankedLists, order: str) -> RankedLists:
        """The rankings with ties in one of the usual orders, without scores and submitted ranks."""
        if order == "rank":
            by_rank = ranked
            if ranked.submitted_ranks is not None:
                group = np.repeat(np.arange(len(self.sizes)), self.sizes)
                placed = np.lexsort((ranked.submitted_ranks, group))
                by_rank = replace(ranked, documents=ranked.documents[placed])
        else:
            codes = np.arange(len(ranked.names))  # of a topic in the order of docnos
            by_rank = self.reordered(ranked, -codes if order == "docno" else codes)
        # what goes with a document's place is not of the new order: nothing looks at it
        return replace(by_rank, scores=None, submitted_ranks=None)

    def check(self, size: int, offsets: np.ndarray) -> None:
        """Raise a `ParameterError` if these are not groups of `size` documents within `offsets`."""
        nearest = np.searchsorted(self.starts[:-1], offsets)
        is_whole = self.starts[0] == 0 and self.starts[-1] == size
        if not (is_whole and np.array_equal(self.starts[nearest], offsets)):
            raise ParameterError("the groups are those of other rankings: make them for these")


def band_starts(rho: Fraction | str | float, depth: int) -> list[int]:
    """The first ranks of the bands: b₁ = 1, b₍g₊₁₎ = ⌈ρ·b_g⌉ (yang2019 §3.3.1).

    Computed in rational numbers: 1.1 · 170 is 187, not 187.00000000000003.
    """
    rho = exact_rho(rho)
    starts = []
    b = 1
    while b <= depth:
        starts.append(b)
        b = next_start(rho, b)
    return starts


def next_start(rho: Fraction, b: int) -> int:
    """The first rank of the band after the one that starts at rank b: ⌈ρ·b⌉."""
    return max(math.ceil(rho * b), b + 1)  # the second is for ρ = 1; above 1, ρ·b exceeds b


def exact_rho(rho: Fraction | str | float) -> Fraction:
    """ρ as the rational number that it is written as."""
    try:
        exact = Fraction(str(rho))
    except (ValueError, ZeroDivisionError):
        exact = Fraction(0)
    if exact < 1:
        raise ParameterError(f"ρ is {rho!r}: bands grow by a number of at least 1, written 1.1")
    return exact


@njit(cache=True, nogil=True)
def sorted_in_groups(documents, starts, keys):
    """Documents with those of each group sorted by key, ascending, equal ones as they stand."""
    ordered = documents.copy()
    for g in range(starts.size - 1):
        group = documents[starts[g] : starts[g + 1]]
        for i in range(1, group.size):
            if keys[group[i]] != keys[group[0]]:
                order = np.argsort(keys[group], kind="mergesort")
                for place in range(group.size):  # an assigned part takes 1.6 s to compile
                    ordered[starts[g] + place] = group[order[place]]
                break
    return ordered
