"""Rankings of systems and how alike they are: ties by one rule, and Kendall's τ_b."""

from __future__ import annotations

from math import sqrt

import numpy as np

from regrade.compiled import njit

TOLERANCE = 1e-12
"""Scores this near each other are equal.

Two systems whose mean scores are the same number may differ in the last bits by the order of
additions; the scores of different judgments differ by far more.
"""

FEW = 512
"""Systems whose pairs numpy compares as fast as numba loads."""

PADDED = 16
"""Of −∞ may follow scores for `tau_b_ordered`: what compares so many at a time needs no rest."""


def places(scores: np.ndarray) -> np.ndarray:
    """Places of scores, 0 the lowest; scores within `TOLERANCE` of the next share one."""
    order = np.argsort(scores, kind="stable")
    places = np.zeros(len(scores), dtype=np.int64)
    places[order[1:]] = np.cumsum(np.diff(scores[order]) > TOLERANCE)
    return places


@njit(cache=True, nogil=True, small=True, plain=True)
def tau_b(x, y):
    """Kendall's τ_b of two score vectors, scores within `TOLERANCE` being tied."""
    concordant, apart_x, apart_y = pair_orders(x, y)
    if apart_x == 0 or apart_y == 0:
        return np.nan
    return concordant / sqrt(float(apart_x) * float(apart_y))


def _orders_of_few(x, y):
    """As `pair_orders`, pair by pair."""
    with np.errstate(invalid="ignore"):  # of two that are infinite
        higher_x, higher_y = (np.subtract.outer(v, v) > TOLERANCE for v in (x, y))
    discordant = np.count_nonzero(higher_x & higher_y.T)
    concordant = np.count_nonzero(higher_x & higher_y) - discordant
    return concordant, np.count_nonzero(higher_x), np.count_nonzero(higher_y)


@njit(cache=True, nogil=True, small=True, plain=_orders_of_few, most=FEW)
def pair_orders(x, y):
    """How each two systems are ordered by two score vectors, in O(n log n) (Knight 1966)."""
    n = x.shape[0]
    by_x = np.argsort(x, kind="mergesort")
    by_y = np.argsort(y, kind="mergesort")
    apart_y = 0
    place = np.empty(n, dtype=np.int64)  # in the order of y
    below = np.empty(n, dtype=np.int64)  # places that are lower in y, beyond the tolerance
    above = np.empty(n, dtype=np.int64)  # the first place that is higher
    lower = 0
    higher = 0
    for i in range(n):
        system = by_y[i]
        while y[system] - y[by_y[lower]] > TOLERANCE:
            lower += 1
        while higher < n and not y[by_y[higher]] - y[system] > TOLERANCE:
            higher += 1
        place[system], below[system], above[system] = i, lower, higher
        apart_y += lower
    tree = np.zeros(n + 1, dtype=np.int64)  # Fenwick's: those lower in x, counted by place
    concordant = 0
    apart_x = 0
    counted = 0
    for i in range(n):
        system = by_x[i]
        while x[system] - x[by_x[counted]] > TOLERANCE:
            _count_in(tree, place[by_x[counted]])
            counted += 1
        apart_x += counted
        concordant += _counted_before(tree, below[system])
        concordant -= counted - _counted_before(tree, above[system])
    return concordant, apart_x, apart_y


@njit(cache=True, nogil=True, inline="always")
def _count_in(tree, place):
    at = place + 1
    while at < tree.shape[0]:
        tree[at] += 1
        at += at & -at


@njit(cache=True, nogil=True, inline="always")
def _counted_before(tree, place):
    total = 0
    at = place
    while at > 0:
        total += tree[at]
        at -= at & -at
    return total


@njit(cache=True, nogil=True, small=True)
def expert_order(expert):
    """What `tau_b_ordered` needs of a fixed second ranking."""
    n = expert.shape[0]
    order = np.argsort(-expert, kind="mergesort")
    strictly_below = np.empty(n, dtype=np.int64)
    below = 0
    for i in range(n):
        while below < n and expert[order[i]] - expert[order[below]] <= TOLERANCE:
            below += 1
        strictly_below[i] = below
    return order, strictly_below


@njit(cache=True, nogil=True)
def tau_b_ordered(x, strictly_below, least):
    """`tau_b` of scores already put in the other ranking's order (see `expert_order`).

    Where it cannot reach `least`, −1 may be found instead, sooner, the most so where `PADDED`
    numbers of −∞ follow the scores.
    """
    n = strictly_below.shape[0]
    # C − D ≤ √(apart in x · apart in y) − 2 D, so that τ_b ≤ 1 − 2 D / √(all pairs · apart in y)
    all_y = 0
    for i in range(n):
        all_y += n - strictly_below[i]
    most_discordant = (1 - least + 1e-9) / 2 * sqrt(n * (n - 1) / 2 * float(all_y))
    if least > -1 and _more_discordant(x, strictly_below, most_discordant):
        return -1.0
    concordant = 0
    apart_x = 0
    apart_y = 0
    for i in range(n):
        below = strictly_below[i]
        apart_y += n - below
        value = x[i]
        # parts whose places count from 0: only such loops become vector instructions, three times
        # as fast
        tied = x[i + 1 : below]
        tied_higher = 0
        for j in range(tied.shape[0]):
            difference = value - tied[j]
            tied_higher += (difference > TOLERANCE) + (difference < -TOLERANCE)
        rest = x[below:n]
        higher = 0
        lower = 0
        for j in range(rest.shape[0]):
            difference = value - rest[j]
            higher += difference > TOLERANCE
            lower += difference < -TOLERANCE
        concordant += higher - lower
        apart_x += higher + lower + tied_higher
    if apart_x == 0 or apart_y == 0:
        return np.nan
    return concordant / sqrt(float(apart_x) * float(apart_y))


@njit(cache=True, nogil=True, inline="always")
def _more_discordant(x, strictly_below, most):
    """Whether more than `most` pairs are in opposite orders by more than rounding.

    Of a number of systems that four does not divide, pairs among the last are left out.
    """
    n, discordant, beyond = strictly_below.shape[0], 0, 2 * TOLERANCE  # or they tie once rounded
    for i in range(0, n - 3, 4):  # four rows at a time, which read the rest once
        a, b = x[i] + beyond, x[i + 1] + beyond
        c, d = x[i + 2] + beyond, x[i + 3] + beyond
        start = strictly_below[i + 3]
        rest = x[start : start + (n - start + PADDED - 1) // PADDED * PADDED]
        lower = 0
        for j in range(rest.shape[0]):
            lower += int(rest[j] > a) + int(rest[j] > b) + int(rest[j] > c) + int(rest[j] > d)
        for row in range(i, i + 3):
            for j in range(strictly_below[row], start):
                lower += x[j] > x[row] + beyond
        discordant += lower
        if discordant > most:
            return True
    return False
