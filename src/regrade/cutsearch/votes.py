"""Votes: the level that the transformed values of a document agree on, along a line of cuts.

For given first and second thresholds, values only move from level 3 to level 2 as the third
threshold rises.  So a vote of `total` values depends on one number, how many of them do not
exceed the third threshold, and changes at most twice; it changes where that number is reached,
which is at an order statistic of the values.
"""

from __future__ import annotations

import numpy as np

from regrade.aggregation import MAJORITY, MEAN, MEDIAN_HIGH, MEDIAN_LOW
from regrade.compiled import njit


@njit(cache=True, nogil=True)
def ordered_values(histograms):
    """Each row's values in order, then V (of the (rows, V) counts), which no threshold reaches."""
    offsets = np.zeros(histograms.shape[0] + 1, dtype=np.int64)
    for row in range(histograms.shape[0]):
        offsets[row + 1] = offsets[row] + histograms[row].sum() + 1
    ordered = np.empty(offsets[-1], dtype=np.int32)
    for row in range(histograms.shape[0]):
        at = offsets[row]
        for value in range(histograms.shape[1]):
            for _ in range(histograms[row, value]):
                ordered[at] = value
                at += 1
        ordered[at] = histograms.shape[1]
    return ordered, offsets


@njit(cache=False, nogil=True)
def cumulative(histograms):
    """How many of each row's values do not exceed each value; int64, shape (rows, V)."""
    upto = histograms.copy()
    for row in range(upto.shape[0]):
        for value in range(1, upto.shape[1]):
            upto[row, value] += upto[row, value - 1]
    return upto


@njit(cache=True, nogil=True, inline="always")
def vote_changes(n0, n1, total, how):
    """How the vote of `total` ≥ 1 levels changes as U, the number that are at most 2, rises."""
    if how == MAJORITY:
        return _majority_changes(n0, n1, total)
    if how == MEAN:
        return _mean_changes(n0, n1, total)
    low = (total - 1) // 2 if how != MEDIAN_HIGH else total // 2
    high = total // 2 if how != MEDIAN_LOW else (total - 1) // 2
    return _median_changes(n0, n1, low, high)


@njit(cache=True, nogil=True, inline="always")
def _majority_changes(n0, n1, total):
    """The vote is 3 while more are of level 3 than of any other, 2 once more are of level 2
    than of level 0 or 1, and in between the larger of those.
    """
    most = max(n0, n1)
    k1 = min(total - most, (total + n0 + n1 + 1) // 2)
    k2 = max(k1, n0 + n1 + most + 1)
    return 3, 1 if n1 > n0 else 0, 2, k1, min(k2, total + 1)


@njit(cache=True, nogil=True, inline="always")
def _mean_changes(n0, n1, total):
    """The sum of the levels is n1 + 2 (U − n0 − n1) + 3 (total − U).  The vote, ⌈sum / total −
    1/2⌉, falls by at most one: to below `first` where 2 · sum ≤ total · (2 first − 1).
    """
    at_none = n1 - 2 * (n0 + n1) + 3 * total  # the sum for U = 0, were it possible
    first = -((total - 2 * (at_none - n0 - n1)) // (2 * total))
    last = -((total - 2 * (at_none - total)) // (2 * total))
    k = at_none - total * (2 * first - 1) // 2 if last < first else total + 1
    return first, last, last, k, k


@njit(cache=True, nogil=True, inline="always")
def _median_changes(n0, n1, low, high):
    """Half the sum of the levels of the `low`-th and the `high`-th value, from 0, rounded down."""
    lower = 0 if low < n0 else 1 if low < n0 + n1 else 3
    higher = 0 if high < n0 else 1 if high < n0 + n1 else 3
    fallen = min(lower, 2)
    middle, last = (fallen + higher) // 2, (fallen + min(higher, 2)) // 2
    return (lower + higher) // 2, middle, last, low + 1, high + 1
