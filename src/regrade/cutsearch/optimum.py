"""The best cut into any number of levels, without enumerating cuts.

A cut gives each level a run of values, so a sum over levels is least along a shortest path: with
s, e the first value of a level and the one after its last,

    V_l(s) = min_e  f_l(s, e) + V_{l+1}(e)

takes O(k G²) steps for k levels and G thresholds, where there are C(G, k − 1) cuts.  Which criteria
are such sums, J_lb being documents of level l and reference level b, n_l and m_b their marginals:

accuracy (and nominal disagreement)
    Σ_l J_ll.
κ, with any weights
    1 − N Σ w_lb J_lb / Σ_l n_l Σ_b w_lb m_b: the reference's m_b are fixed, so both are sums.
nominal α, of two coders or of all workers of a topic (``tw1``)
    1 − (n − 1) D_o / D_e with D_o of the levels' own blocks and 2 D_e = n² − Σ_l (n_l + m_l)².
interval α of two coders
    D_e = n Σ x² − (Σ x)² holds a square of a sum; the path goes through pairs of a value and Σ x so
    far, a whole number, O(k G² N k) steps.

The ratio of two sums is least by Dinkelbach's iteration: with λ the ratio of the best cut so far,
find the cut with the least numerator − λ · denominator; where that is not below 0, none is better.

Ordinal α is no such sum: the mid-rank of a level depends on its own thresholds only, but each pair
of levels that a document has contributes the product of both levels' mid-ranks.  So is interval α
of many workers, where pairs of thresholds meet in each block.  For these, cuts are enumerated
(`regrade.cutsearch.levels`).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import nan

import numpy as np

from regrade.compiled import njit
from regrade.cutsearch.objectives import criterion, criterion_codes
from regrade.errors import ParameterError

SUMS = ("accuracy", "alpha_nominal", "kappa", "kappa_linear", "kappa_quadratic", "alpha_interval")
"""Criteria whose best cut is found exactly without enumerating."""

NEAR = 1e-12
"""Two ratios this near each other are equal, as everywhere in the search."""


@dataclass(frozen=True)
class Optimum:
    """One of the cuts that no other beats.

    Attributes
    ----------
    places : array of int64, shape (k - 1,)
        Of its thresholds.
    value
        Of the criterion.
    tied
        How many cuts share the value, where all were tried.
    """

    places: np.ndarray
    value: float
    tied: int | None = None


def best_cut(counts: np.ndarray, levels: int, name: str) -> Optimum | None:
    """The best cut of one topic by a criterion that is a sum over levels, or a ratio of two."""
    counts = np.asarray(counts, dtype=np.int64)
    if name not in SUMS:
        raise ParameterError(
            f"criterion: {name} is not a ratio of sums; there are {', '.join(SUMS)}"
        )
    _check_levels(len(counts) - 1, levels)
    if name == "alpha_interval":
        return _best_interval(counts, levels)
    counts = padded(counts, levels)
    if not counts.any():
        return None
    blocks = np.concatenate([np.zeros((1, levels), dtype=np.int64), counts.cumsum(axis=0)])
    joint = (blocks[None, :, :] - blocks[:, None, :]).astype(float)  # (s, e, b)
    if name == "accuracy":
        best = _shortest(np.ascontiguousarray(-np.moveaxis(joint, 2, 0)))
    else:
        best = _least_ratio(*_RATIOS[name](joint, counts.sum(axis=0), levels))
    return None if best is None else _valued(best, counts, name)


def padded(counts: np.ndarray, levels: int) -> np.ndarray:
    """Counts (G + 1, r) with r = `levels` columns, those that the reference lacks empty."""
    lacking = levels - counts.shape[1]
    if lacking < 0:
        raise ParameterError(
            f"the reference has {counts.shape[1]} levels and the target scale {levels}: "
            "choose a criterion of rank or distance, or equally many levels"
        )
    return np.pad(counts, ((0, 0), (0, lacking)))


def best_internal_cut(
    coincidence: np.ndarray, marginals: np.ndarray, levels: int
) -> Optimum | None:
    """The cut with the highest nominal α of all workers of a topic (``tw1``)."""
    size = len(marginals)
    _check_levels(size - 1, levels)
    prefix = np.zeros((size + 1, size + 1))
    prefix[1:, 1:] = coincidence.cumsum(axis=0).cumsum(axis=1)
    below = np.concatenate([[0], np.cumsum(marginals)]).astype(float)
    diagonal = prefix.diagonal()
    within = diagonal[None, :] - prefix - prefix.T + diagonal[:, None]
    counts = below[None, :] - below[:, None]
    n = below[-1]
    numerator = np.repeat(-(n - 1) * within[None], levels, axis=0)
    denominator = np.repeat(-(counts**2)[None], levels, axis=0)
    best = _least_ratio(numerator, denominator, (n - 1) * n, n * n)
    if best is None:
        return None
    edges = np.concatenate([[0], best + 1, [size]])
    own, squares = within[edges[:-1], edges[1:]].sum(), (counts[edges[:-1], edges[1:]] ** 2).sum()
    return Optimum(best, 1 - (n - 1) * (n - own) / (n * n - squares))


@njit(cache=True, nogil=True, error_model="numpy")
def even_alphas(places, below):
    """Interval α of cuts (C, k − 1), both sets evenly on 0 … 1; (C,), from `below` (G + 2, r).

    Its sums over documents are sums over thresholds: one at e_j moves the documents above it from
    level j − 1 to j.  They are whole numbers, exact in any order.
    """
    levels = places.shape[1] + 1
    size, others = below.shape
    alphas = np.full(places.shape[0], nan)
    total = below[-1].sum()
    if total == 0:
        return alphas
    step = max(others - 1, 1)
    first, second, apart = 0, 0, 0  # of all documents in level 0
    for b in range(others):
        y = b * (levels - 1)
        first += below[-1, b] * y
        second += below[-1, b] * y * y
        apart += below[-1, b] * y * y
    changes = np.zeros((levels, size, 3), dtype=np.int64)
    for level in range(1, levels):
        x = level * step
        for e in range(size):
            for b in range(others):
                moved = below[-1, b] - below[e, b]
                y = b * (levels - 1)
                changes[level, e, 0] += moved * step
                changes[level, e, 1] += moved * (x * x - (x - step) * (x - step))
                changes[level, e, 2] += moved * (
                    (x - y) * (x - y) - (x - step - y) * (x - step - y)
                )
    n = 2.0 * total
    for i in range(places.shape[0]):
        one, two, three = first, second, apart
        for level in range(1, levels):
            e = places[i, level - 1] + 1
            one += changes[level, e, 0]
            two += changes[level, e, 1]
            three += changes[level, e, 2]
        expected = n * two - float(one) * one
        alpha = 1 - (n - 1) * three / expected
        alphas[i] = alpha if expected > 0 else nan
    return alphas


# --- sums and ratios of sums -----------------------------------------------------------------


def _alpha_nominal(joint: np.ndarray, theirs: np.ndarray, levels: int) -> tuple:
    """α = 1 − 2 (n − 1) (N − Σ J_ll) / (n² − Σ (n_l + m_l)²)."""
    n = 2.0 * theirs.sum()
    counts = joint.sum(axis=2)
    numerator = -2 * (n - 1) * np.moveaxis(joint, 2, 0)
    denominator = -((counts[None] + theirs[:, None, None]) ** 2.0)
    return numerator, denominator, (n - 1) * n, n * n


def _kappa(power: int):
    """κ = 1 − N Σ w_lb J_lb / Σ_l n_l Σ_b w_lb m_b, with w = |l − b| to a power; 0: 1 if l ≠ b."""

    def sums(joint: np.ndarray, theirs: np.ndarray, levels: int) -> tuple:
        apart = np.abs(np.subtract.outer(np.arange(levels), np.arange(levels))).astype(float)
        weights = (apart > 0).astype(float) if power == 0 else apart**power
        numerator = theirs.sum() * np.einsum("lb,seb->lse", weights, joint)
        denominator = np.einsum("l,se->lse", weights @ theirs, joint.sum(axis=2))
        return numerator, denominator, 0.0, 0.0

    return sums


_RATIOS = {
    "alpha_nominal": _alpha_nominal,
    "kappa": _kappa(0),
    "kappa_linear": _kappa(1),
    "kappa_quadratic": _kappa(2),
}


def _least_ratio(
    numerator: np.ndarray, denominator: np.ndarray, over: float, under: float
) -> np.ndarray | None:
    """Places of the cut with the least (over + Σ numerator) / (under + Σ denominator).

    Denominators are not negative; a cut where it is 0 has no ratio.  ``None`` where all have none.
    """
    places = _shortest(np.ascontiguousarray(-denominator))  # the largest denominator
    while True:
        top = over + _sum_along(numerator, places)
        bottom = under + _sum_along(denominator, places)
        if bottom <= NEAR * max(under, 1.0):
            return None
        ratio = top / bottom
        candidate = _shortest(np.ascontiguousarray(numerator - ratio * denominator))
        least = under + _sum_along(denominator, candidate)
        if least <= NEAR * max(under, 1.0):  # undefined there, so at 0: none is below it
            return places
        if (over + _sum_along(numerator, candidate)) / least >= ratio - NEAR:
            return places
        places = candidate


def _sum_along(costs: np.ndarray, places: np.ndarray) -> float:
    """Σ_l costs[l, s_l, e_l] of one cut."""
    edges = np.concatenate([[0], places + 1, [costs.shape[1] - 1]])
    return float(costs[np.arange(len(costs)), edges[:-1], edges[1:]].sum())


@njit(cache=True, nogil=True)
def _shortest(costs):
    """Places of the thresholds with the least sum of ``costs[l, s, e]``; (k, E, E) → (k − 1,).

    That is the shortest path; of several the first, from the lowest.
    """
    levels, size, _ = costs.shape
    end = size - 1
    value = np.full((levels + 1, size), np.inf)
    chosen = np.zeros((levels, size), dtype=np.int64)
    value[levels, end] = 0.0
    for level in range(levels - 1, -1, -1):
        for start in range(end):
            for stop in range(start + 1, size):
                cost = costs[level, start, stop] + value[level + 1, stop]
                if cost < value[level, start]:
                    value[level, start] = cost
                    chosen[level, start] = stop
    places = np.empty(levels - 1, dtype=np.int64)
    start = 0
    for level in range(levels - 1):
        start = chosen[level, start]
        places[level] = start - 1
    return places


# --- interval α of two coders ----------------------------------------------------------------


def _best_interval(counts: np.ndarray, levels: int) -> Optimum | None:
    """The cut into `levels` levels with the highest `even_alphas`.

    In units of 1 / ((k − 1)(r − 1)) a level is x = l (r − 1) and a reference's y = b (k − 1).  With
    S = Σ l n_l the path's second state, numerator − λ · denominator is
    (n − 1) Σ J (x − y)² − λ n Σ n_l x² + λ (Y + (r − 1) S)² and terms that no cut changes.
    """
    others = counts.shape[1]
    n = 2.0 * counts.sum()
    if n == 0:
        return None
    step = max(others - 1, 1)
    own, theirs = np.arange(levels) * float(step), np.arange(others) * float(levels - 1)
    below = np.concatenate([[0], counts.sum(axis=1).cumsum()])
    blocks = np.concatenate([np.zeros((1, others)), counts.cumsum(axis=0)])
    joint = blocks[None] - blocks[:, None]
    apart = np.einsum("lb,seb->lse", np.subtract.outer(own, theirs) ** 2, joint)
    squares = np.einsum("l,se->lse", own**2, joint.sum(axis=2))
    first = counts.sum(axis=0) @ theirs
    second = counts.sum(axis=0) @ theirs**2

    def shares(places: np.ndarray) -> tuple[float, float]:
        edges = np.concatenate([[0], places + 1, [len(counts)]])
        total = first + np.diff(below[edges]) @ own
        spread = n * (second + _sum_along(squares, places)) - total**2
        return (n - 1) * _sum_along(apart, places), spread

    places, ratio = None, np.inf
    for start in _starts(len(counts) - 1, levels):
        top, bottom = shares(start)
        if bottom > 0 and top / bottom < ratio:
            places, ratio = start, top / bottom
    while places is not None:
        costs = (n - 1) * apart - ratio * n * squares
        candidate = _shortest_with_sum(
            np.ascontiguousarray(costs), below, first, float(step), ratio
        )
        top, bottom = shares(candidate)
        if bottom <= 0 or top / bottom >= ratio - NEAR:
            break
        places, ratio = candidate, top / bottom
    return None if places is None else Optimum(places, 1 - ratio)


def _starts(thresholds: int, levels: int) -> np.ndarray:
    """Cuts to start from: one defines α where any cut does.

    Even ones, and those with the first j thresholds as low and the others as high as can be: where
    all documents share a value and a reference level, they give it every level that it can have.
    """
    count = levels - 1
    low = np.arange(count)
    shifted = [
        np.concatenate([low[:j], np.arange(thresholds - count + j, thresholds)])
        for j in range(count + 1)
    ]
    even = np.linspace(0, thresholds - 1, count + 2)[1:-1].round().astype(np.int64)
    return np.array([*shifted, np.maximum.accumulate(even - low) + low])


@njit(cache=True, nogil=True)
def _shortest_with_sum(costs, below, first, step, ratio):
    """The path with the least Σ costs + ratio · (first + step · Σ l n_l)²; its places."""
    levels, size, _ = costs.shape
    end = size - 1
    most = below[end] * (levels - 1)
    value = np.full((levels + 1, size, most + 1), np.inf)
    came = np.full((levels + 1, size, most + 1), -1, dtype=np.int32)
    value[0, 0, 0] = 0.0
    for level in range(levels):
        for start in range(level, end):
            for stop in range(start + 1, end - (levels - level - 1) + 1):
                if (level == levels - 1) != (stop == end):
                    continue
                cost = costs[level, start, stop]
                added = level * (below[stop] - below[start])
                for total in range(below[start] * max(level - 1, 0) + 1):
                    total_cost = value[level, start, total] + cost
                    if total_cost < value[level + 1, stop, total + added]:
                        value[level + 1, stop, total + added] = total_cost
                        came[level + 1, stop, total + added] = start
    best = np.inf
    total = 0
    for s in range(most + 1):
        total_cost = value[levels, end, s] + ratio * (first + step * s) ** 2
        if total_cost < best:
            best = total_cost
            total = s
    places = np.empty(levels - 1, dtype=np.int64)
    stop = end
    for level in range(levels - 1, 0, -1):
        start = came[level + 1, stop, total]
        total -= level * (below[stop] - below[start])
        places[level - 1] = start - 1
        stop = start
    return places


def _check_levels(thresholds: int, levels: int) -> None:
    if levels < 2 or thresholds < levels - 1:
        raise ParameterError(
            f"{thresholds + 1} values cannot be cut into {levels} levels: 2 to {thresholds + 1}"
        )


def _valued(places: np.ndarray, counts: np.ndarray, name: str) -> Optimum | None:
    """The cut with its value, found from its joint counts."""
    [code] = criterion_codes([name])
    edges = np.concatenate([[0], places + 1, [len(counts)]])
    joint = np.array([counts[s:e].sum(axis=0) for s, e in pairwise(edges)])
    value = criterion(joint, joint.sum(axis=1), joint.sum(axis=0), code)
    return None if np.isnan(value) else Optimum(places, float(value))
