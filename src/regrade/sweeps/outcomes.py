"""What a universe concludes: the ranking of systems, and which pairs differ significantly.

With x_ts the scores on n topics less the mean of system s, and C = Σ_t x_ti x_tj, the paired t of
systems i and j has t² = gap² n (n − 1) / (C_ii + C_jj − 2 C_ij): one product of matrices serves
all pairs.  It loses digits where two systems are nearly the same; such pairs are tested from
their differences.  A correction for many tests asks how many t² exceed each of its critical
values, which step by step is where it ends: no p-value is computed, none sorted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np
from scipy.special import stdtrit

from regrade.catalogue import ALL_TOPICS
from regrade.compiled import njit
from regrade.correlations import competition_ranks, rbo_w, tau_ap, tie_groups
from regrade.cutsearch.cut_scores import CutScores, put_scores
from regrade.errors import ParameterError
from regrade.kendall import TOLERANCE, expert_order, tau_b_ordered
from regrade.randomness import generator
from regrade.significance.paired import centre
from regrade.sweeps.options import ALL

PERSISTENCE = 0.9
"""φ of RBO, as where two sets are compared."""

SINGLE, STEP_DOWN, STEP_UP = 0, 1, 2

STEPS = {
    "none": SINGLE,
    "bonferroni": SINGLE,
    "sidak": SINGLE,
    "holm": STEP_DOWN,
    "holm-sidak": STEP_DOWN,
    "hochberg": STEP_UP,
    "bh": STEP_UP,
    "by": STEP_UP,
}
"""How corrections go through p-values from the lowest; others are computed for each cut."""

DOUBT = 1e-4
"""What share of its terms a sum of squares must be, to be had from a product of matrices."""


def topic_rows(level: str, topics: Sequence[str], seed: int) -> np.ndarray:
    """Which of T sorted topics a level of the axis takes; ascending.

    The halves of a split depend on its number and on the topics.
    """
    count = len(topics)
    if level == ALL:
        return np.arange(count)
    if count < 2:
        raise ParameterError(
            f"sweep: topics: {count} topic of the baseline's labels has no halves: leave the axis "
            "topics out"
        )
    split, side = level.split()[1][:-1], level[-1]
    order = generator(seed, "halves of a sweep", split, ALL_TOPICS).permutation(count)
    half = count // 2
    return np.sort(order[:half] if side == "a" else order[half:])


@dataclass(frozen=True, eq=False)
class Baseline:
    """What universes are compared with.

    Attributes
    ----------
    means
        (S,) float64.
    conclusions
        (P,) int8, as `conclusions` gives them.
    """

    means: np.ndarray
    conclusions: np.ndarray


@dataclass(frozen=True, eq=False)
class RankingOutcomes:
    """How n universes rank systems, beside the baseline.

    Attributes
    ----------
    means
        (n, S) float64.
    ranks
        (n, S) int16, from 1; systems that tie share the highest.
    tau, tau_ap, rbo
        (n,) float64.
    moved, farthest
        (n,) int16: systems with another rank, and by how many places at most.
    first
        (n,) int16: the system of rank 1, the first by name.
    """

    means: np.ndarray
    ranks: np.ndarray
    tau: np.ndarray
    tau_ap: np.ndarray
    rbo: np.ndarray
    moved: np.ndarray
    farthest: np.ndarray
    first: np.ndarray


def ranked(means: np.ndarray, baseline: np.ndarray) -> RankingOutcomes:
    """The rankings by some means (n, S), beside that by the baseline's (S,)."""
    order, below = expert_order(baseline)
    own = competition_ranks(baseline)
    return RankingOutcomes(means, *_ranked(means, baseline, order, below, own, PERSISTENCE))


@njit(cache=True, nogil=True)
def _ranked(means, baseline, order, strictly_below, own, persistence):
    n, n_systems = means.shape
    ranks = np.empty((n, n_systems), dtype=np.int16)
    tau, ap, rbo = np.empty(n), np.empty(n), np.empty(n)
    moved, farthest = np.zeros(n, dtype=np.int16), np.zeros(n, dtype=np.int16)
    first = np.empty(n, dtype=np.int16)
    for i in range(n):
        row = means[i]
        tau[i] = tau_b_ordered(row[order], strictly_below, -1.0)
        ap[i] = tau_ap(baseline, row)
        rbo[i] = rbo_w(baseline, row, persistence, n_systems)
        places = tie_groups(row)[1] + 1
        first[i] = -1
        for s in range(n_systems):
            ranks[i, s] = places[s]
            off = abs(places[s] - own[s])
            moved[i] += off > 0
            farthest[i] = max(farthest[i], off)
            if first[i] < 0 and places[s] == 1:
                first[i] = s
    return ranks, tau, ap, rbo, moved, farthest, first


def statistics(
    of: CutScores, rows: Sequence[np.ndarray], start: int = 0, stop: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Means and paired t-tests of all pairs of systems under some cuts, over some topics."""
    lookups = of.lookups[start:stop]
    offsets = np.append(0, np.cumsum([len(own) for own in rows]))
    return _statistics(lookups, of.parts, of.divisors, of.weights, np.concatenate(rows), offsets)


@njit(cache=True, nogil=True)
def _statistics(lookups, parts, ideal, weights, rows, offsets):
    n_topics, _, n_systems = parts.shape
    n_choices = offsets.shape[0] - 1
    n_pairs = n_systems * (n_systems - 1) // 2
    means = np.empty((n_choices, lookups.shape[0], n_systems))
    signed = np.empty((n_choices, lookups.shape[0], n_pairs))
    scores, total = np.empty((n_topics, n_systems)), np.empty(n_systems)
    for i in range(lookups.shape[0]):
        put_scores(scores, total, parts, lookups[i], ideal, weights, 1.0)
        for h in range(n_choices):
            own = scores[rows[offsets[h] : offsets[h + 1]]]
            _test_pairs(own, means[h, i], signed[h, i])
    return means, signed


@njit(cache=False, nogil=True, error_model="numpy", fastmath={"contract"})
def _test_pairs(scores, means, signed):
    """Put the means of (n, S) scores and the signed t² of all pairs of columns into arrays."""
    n, n_systems = scores.shape
    centred = np.zeros(((n + 3) // 4 * 4, n_systems))
    squares = centre(scores, means, centred)
    products = np.empty(n_systems)
    scale = float(n * (n - 1))
    at = 0
    for i in range(n_systems - 1):
        others = products[i + 1 :]
        others[:] = 0.0
        # four topics at a time, so that sums are read and written a quarter as often
        for t in range(0, centred.shape[0], 4):
            one, two = centred[t, i + 1 :], centred[t + 1, i + 1 :]
            three, four = centred[t + 2, i + 1 :], centred[t + 3, i + 1 :]
            a, b, c, d = centred[t, i], centred[t + 1, i], centred[t + 2, i], centred[t + 3, i]
            for j in range(others.shape[0]):
                others[j] = others[j] + a * one[j] + b * two[j] + c * three[j] + d * four[j]
        squared = signed[at : at + others.shape[0]]
        beyond, spread = means[i + 1 :], squares[i + 1 :]
        doubtful = 0
        for j in range(others.shape[0]):
            terms = squares[i] + spread[j]
            left = terms - 2 * others[j]
            gap = means[i] - beyond[j]
            squared[j] = gap * abs(gap) * scale / left
            doubtful += not (left > DOUBT * terms and abs(gap) > TOLERANCE)
        if doubtful:
            for j in range(others.shape[0]):
                terms = squares[i] + spread[j]
                gap = means[i] - beyond[j]
                if not (terms - 2 * others[j] > DOUBT * terms and abs(gap) > TOLERANCE):
                    squared[j] = _tested(scores[:, i], scores[:, i + 1 + j])
        at += others.shape[0]


@njit(cache=False, nogil=True)
def _tested(first, second):
    """Signed t² from the differences; as `regrade.significance.paired`."""
    n = first.shape[0]
    if n < 2:
        return np.nan
    differences = first - second
    mean = 0.0
    for t in range(n):
        if abs(differences[t]) <= TOLERANCE:
            differences[t] = 0.0
        mean += differences[t]
    mean /= n
    squares = 0.0
    for t in range(n):
        squares += (differences[t] - mean) ** 2
    if sqrt(squares / (n - 1)) <= TOLERANCE:
        return np.nan if mean == 0 else np.inf if mean > 0 else -np.inf
    if abs(mean) <= TOLERANCE:
        return 0.0
    return mean * abs(mean) * n * (n - 1) / squares


def conclusions(
    signed: np.ndarray, topics: int, correction: str, significance: float
) -> np.ndarray:
    """Significant pairs of each universe by the t-test, corrected."""
    concluded = np.zeros(signed.shape, dtype=np.int8)
    defined = (~np.isnan(signed)).sum(axis=1)
    for count in np.unique(defined[defined > 0]).tolist():
        rows = np.flatnonzero(defined == count)
        critical = critical_values(count, topics - 1, correction, significance)
        _decide(signed, rows, critical, STEPS[correction], concluded)
    return concluded


@lru_cache(maxsize=512)
def critical_values(count: int, freedom: int, correction: str, significance: float) -> np.ndarray:
    """Critical t² of the `count` p-values of a correction, from the lowest p on, descending."""
    place = np.arange(1, count + 1)
    left = count - place + 1.0
    levels = {
        "none": np.full(count, significance),
        "bonferroni": np.full(count, significance / count),
        "sidak": np.full(count, -np.expm1(np.log1p(-significance) / count)),
        "holm": significance / left,
        "holm-sidak": -np.expm1(np.log1p(-significance) / left),
        "hochberg": significance / left,
        "bh": significance * place / count,
        "by": significance * place / (count * np.sum(1.0 / place)),
    }[correction]
    return stdtrit(freedom, levels / 2) ** 2


@njit(cache=True, nogil=True)
def _decide(signed, rows, critical, step, conclusions):
    """Put the conclusions of some rows into `found`; critical t² descend."""
    for row in rows:
        values, own = signed[row], conclusions[row]
        least = critical[0] if step == SINGLE else np.inf
        if step == STEP_DOWN:  # those before the first that does not exceed its own
            significant = 0
            while significant < critical.shape[0]:
                above = _count_above(values, critical[significant])
                if above <= significant:
                    break
                significant, least = above, critical[significant]
        elif step == STEP_UP:  # the most, k, that exceed the k-th
            significant = critical.shape[0]
            while significant:
                least = critical[significant - 1]
                above = _count_above(values, least)
                if above == significant:
                    break
                significant, least = above, np.inf
        for p in range(values.shape[0]):
            own[p] = int(values[p] > least) - int(values[p] < -least)


@njit(cache=True, nogil=True, inline="always")
def _count_above(values, least):
    """How many exceed a value, whatever their sign."""
    count = 0
    for p in range(values.shape[0]):
        count += abs(values[p]) > least
    return count
