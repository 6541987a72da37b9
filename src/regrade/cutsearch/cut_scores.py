"""Scores of all systems under every cut of a scale, by any measure.

Scoring anew for each of 161,700 cuts would take hours.  Most measures need no more than scores for
each of the 100 thresholds, since a cut's labels are made of theirs, g(v) = Σ_j [v > c_j]:

one
    A measure that knows relevant documents only, from the level r up (AP, P, RR, Bpref, RBP(rel=1),
    …), looks at one threshold: V(c_1, c_2, …) = V[c_r].
sum
    A measure that is a sum of gains (DCG, SDCG, RBP, INSQ) is a sum over thresholds: with w_j what
    level j gains over the one below, V = Σ_j w_j V[c_j].
ratio
    nDCG is a ratio of two such sums, because one order, by value, is ideal for every threshold:
    V = Σ_j w_j D[c_j] / Σ_j w_j I[c_j], with D[c] the sum of the discounts of a ranking's documents
    above threshold c, and I[c] that of the ideal ranking's.

All others (ERR, nERR, Q, INST with graded gains) are computed under each cut's labels, as long as
there are no more than `regrade.choices.MAX_SCORED_CUTS`.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from regrade.aggregation import enumerate_cuts
from regrade.compiled import njit
from regrade.cutsearch.thresholds import Thresholds
from regrade.formulas import dcg_discount, dcg_gains, gain_shares
from regrade.measures import Measure, check_cuts
from regrade.run_arrays import Judged, JudgedLists, RankedLists


@dataclass(frozen=True)
class CutScores:
    """The scores of S systems for T topics under each of C cuts, made of those of G parts.

    The score of system s for topic t under cut i is
    Σ_j weights[j] · parts[t, lookups[i, j], s], divided by Σ_j weights[j] · ideal[t, lookups[i, j]]
    where there is an ideal (0 where that is 0, as in trec_eval).

    Attributes
    ----------
    lookups : array of int, shape (C, m)
        The parts that each cut is made of.
    parts : array of float64, shape (T, G, S)
    ideal : array of float64, shape (T, G), or None
    weights : array of float64, shape (m,)
    same : array of int64, shape (T, G)
        Parts of a topic with the same number are the same for every document.
    cuts : array of int16, shape (C, k - 1)
        Places of the cuts' thresholds, in lexicographic order.
    """

    lookups: np.ndarray
    parts: np.ndarray
    ideal: np.ndarray | None
    weights: np.ndarray
    same: np.ndarray
    cuts: np.ndarray

    def lookups_of(self, places: np.ndarray) -> np.ndarray:
        """The parts that cuts are made of, given the places of their thresholds; (n, m)."""
        base = int(self.cuts.max()) + 1
        powers = base ** np.arange(self.cuts.shape[1])[::-1]
        return self.lookups[np.searchsorted(self.cuts @ powers, np.asarray(places) @ powers)]

    @property
    def divisors(self) -> np.ndarray:
        """The ideal, as kernels take it: of shape (T, 0) where there is none (see `divisor`)."""
        return np.empty((len(self.parts), 0)) if self.ideal is None else self.ideal

    def scores(self, i: int) -> np.ndarray:
        """Scores of all systems and topics under cut i; float64, (S, T)."""
        chosen = self.parts[:, self.lookups[i]]
        total = np.einsum("j,tjs->st", self.weights, chosen)
        if self.ideal is None:
            return total
        best = self.ideal[:, self.lookups[i]] @ self.weights
        return np.divide(total, best, out=np.zeros_like(total), where=best > 0)


def scores_of_every_cut(
    ranked: RankedLists,
    judged: Judged,
    measure: Measure,
    thresholds: Thresholds,
    levels: int,
    threads: int = 1,
) -> CutScores:
    """Score every system under every cut."""
    places = enumerate_cuts(len(thresholds.values) + 1, levels)
    check_cuts(measure, levels, len(places))
    lists = JudgedLists.match(ranked, judged, levels - 1.0)
    codes = thresholds.codes(judged.grades)
    return scores_of_cuts(lists, codes, measure, places, levels, threads)


def scores_of_cuts(
    lists: JudgedLists,
    codes: np.ndarray,
    measure: Measure,
    places: np.ndarray,
    levels: int,
    threads: int = 1,
) -> CutScores:
    """Score rankings under some cuts."""
    # beyond the last threshold in use, no cut tells values apart
    codes = np.minimum(codes, places.max() + 1)
    # all documents judged are so under every cut
    lists = replace(lists, judged=replace(lists.judged, grades=np.zeros(len(codes))))
    lists = lists.condensed() if measure.judged_only else lists
    made, count = measure.of_thresholds(levels), int(places.max()) + 1
    weights, ideal, lookups = np.ones(1), None, np.arange(len(places))
    same = gaps = _gaps(lists.judged, codes, count)
    if made in ("sum", "ratio"):  # V = Σ_j w_j V[c_j], over Σ_j w_j I[c_j] for nDCG
        grades, ranks, cutoff = np.arange(levels, dtype=float), lists.ranks, measure["cutoff"]
        if measure.name in ("DCG", "nDCG"):
            gains, rank_weights = dcg_gains(measure, grades), 1 / dcg_discount(measure, ranks)
        else:
            gains = gain_shares(measure, grades, levels - 1.0)
            rank_weights = measure.weights(ranks, None, np.nan)
        weights, lookups = np.diff(gains), places.astype(np.int64)
        parts = _sums_above(lists, codes, count, rank_weights, cutoff)
        if measure.name == "nDCG":
            ideal = _ideal_sums_above(lists, codes, count, rank_weights, cutoff)
    elif made == "one":  # V(c_1, c_2, …) = V[c_r], r the lowest relevant level
        lowest = ceil(measure["rel"])
        if 1 <= lowest < levels:
            which, lookups = np.unique(places[:, lowest - 1], return_inverse=True)
            labels = [lambda g=g: (levels - 1.0) * (codes > g) for g in which]
        else:  # all judged documents are relevant under every cut, or none is
            which, lookups = np.zeros(1, dtype=int), np.zeros(len(places), dtype=int)
            labels = [lambda: np.zeros(len(codes))]
        parts, same = _scored(lists, measure, labels, threads), gaps.take(which, axis=1)
    else:  # under the labels of each cut, the same for those of equal gaps
        labels = [lambda cut=cut: (codes[:, None] > cut).sum(axis=1) for cut in places]
        parts = _scored(lists, measure, labels, threads)
        numbers = [np.unique(gap[places], axis=0, return_inverse=True)[1] for gap in gaps]
        same = np.stack([of.reshape(-1).astype(np.int64) for of in numbers])
    lookups = lookups.reshape(len(places), -1)
    return CutScores(lookups, parts, ideal, weights, same, cuts=places)


def _scored(
    lists: JudgedLists, measure: Measure, labels: list[Callable[[], np.ndarray]], threads: int
) -> np.ndarray:
    """The measure under each of G labellings of the judged documents; (T, G, S)."""

    def values(grades: Callable[[], np.ndarray]) -> np.ndarray:
        judged = replace(lists.judged, grades=grades().astype(float))
        return measure.values(replace(lists, judged=judged)).T

    with ThreadPoolExecutor(max_workers=threads) as pool:
        scores = list(pool.map(values, labels))
    parts = np.empty((len(scores[0]), len(scores), scores[0].shape[1]))
    return np.stack(scores, axis=1, out=parts)


def _sums_above(
    lists: JudgedLists, codes: np.ndarray, count: int, weights: np.ndarray, cutoff: int | None
) -> np.ndarray:
    """Sums of the ranks' weights over each ranking's documents above each threshold; (T, G, S)."""
    code_of = np.append(codes, 0).astype(np.int64)
    if type(lists) is not JudgedLists:  # what a document of tied ones weighs is up to them
        above = [lists.weighted_sum((code_of > g) * 1.0, weights, cutoff).T for g in range(count)]
        return np.ascontiguousarray(np.stack(above, axis=1))
    starts = lists.starts
    stops = np.minimum(lists.stops, starts + len(weights[:cutoff]))
    above = np.zeros((len(lists.judged.topics), count, len(starts)))
    for *ends, of_topic in zip(starts.T.copy(), stops.T.copy(), above, strict=True):
        _add_weights(lists.rows, *ends, code_of, weights, of_topic)
    return above


def _ideal_sums_above(
    lists: JudgedLists, codes: np.ndarray, count: int, weights: np.ndarray, cutoff: int | None
) -> np.ndarray:
    """The same sums of the ideal rankings; (T, G)."""
    sum_of_first = np.append(0, np.cumsum(weights))
    n_above = [
        len(of) - np.searchsorted(np.sort(of), np.arange(count), side="right")
        for of in np.split(codes, lists.judged.offsets[1:-1])
    ]
    return sum_of_first[np.minimum(np.array(n_above), len(weights[:cutoff]))]


def _gaps(judged: Judged, codes: np.ndarray, count: int) -> np.ndarray:
    """Number of distinct codes that each threshold reaches: equal gaps, equal levels; (T, G)."""
    reached = [
        np.searchsorted(np.unique(of), np.arange(count), side="right")
        for of in np.split(codes, judged.offsets[1:-1])
    ]
    return np.array(reached, dtype=np.int64)


@njit(cache=True, nogil=True)
def _add_weights(rows, starts, stops, code_of, weights, above):
    for s in range(starts.shape[0]):
        for i in range(starts[s], stops[s]):
            code = code_of[rows[i]]
            if code > 0:
                above[code - 1, s] += weights[i - starts[s]]
        for c in range(above.shape[0] - 2, -1, -1):
            above[c, s] += above[c + 1, s]


@njit(cache=True, nogil=True, inline="always")
def divisor(lookup, ideal, weights):
    """What a cut's weighted parts of one topic are divided by: 1 where there is no ideal."""
    if ideal.shape[0] == 0:
        return 1.0
    best = 0.0
    for j in range(lookup.shape[0]):
        best += weights[j] * ideal[lookup[j]]
    return best


@njit(cache=True, nogil=True)
def put_scores(scores, total, parts, lookup, ideal, weights, divided_by):
    """Put the systems' scores on each topic under one cut into (T, S) numbers, sums into (S,).

    Scores are divided by a number.  Three thresholds are gone through in one pass; the order of
    additions is that of several.
    """
    total[:] = 0.0
    for t in range(parts.shape[0]):
        best = divisor(lookup, ideal[t], weights) * divided_by
        if best > 0 and lookup.shape[0] == 3:
            a, b, c = weights[0] / best, weights[1] / best, weights[2] / best
            first, second, third = parts[t, lookup[0]], parts[t, lookup[1]], parts[t, lookup[2]]
            for s in range(total.shape[0]):
                # by both indices: to a row of its own numba writes three times as slowly
                value = a * first[s] + b * second[s] + c * third[s]
                scores[t, s] = value
                total[s] += value
        else:
            scores[t] = 0.0
            if best > 0:
                for j in range(lookup.shape[0]):
                    share, part = weights[j] / best, parts[t, lookup[j]]
                    for s in range(total.shape[0]):
                        scores[t, s] += share * part[s]
                for s in range(total.shape[0]):
                    total[s] += scores[t, s]
