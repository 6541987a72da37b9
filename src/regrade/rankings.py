"""Rankings of systems and how alike they are: ties by one rule, and Kendall's τ_b."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numba import njit

TOLERANCE = 1e-12
"""Scores this near each other are equal.

Two systems whose mean scores are the same number may differ in the last bits by the order of
additions; the scores of different judgments differ by far more.
"""


def places(scores: np.ndarray) -> np.ndarray:
    """Places of scores, 0 the lowest; scores within `TOLERANCE` of the next share one.

    Parameters
    ----------
    scores
        (n,) float64 without NaN.

    Returns
    -------
    numpy.ndarray
        (n,) int64.
    """
    order = np.argsort(scores, kind="stable")
    found = np.zeros(len(scores), dtype=np.int64)
    found[order[1:]] = np.cumsum(np.diff(scores[order]) > TOLERANCE)
    return found


@njit(cache=True, nogil=True)
def tau_b(x, y):
    """Kendall's τ_b of two score vectors, scores within `TOLERANCE` being tied.

    Parameters
    ----------
    x, y : arrays of float64, shape (n,)
        No NaN.

    Returns
    -------
    float
        −1 … 1; NaN where all of `x` or all of `y` are tied.
    """
    n = x.shape[0]
    concordant = 0
    apart_x = 0
    apart_y = 0
    for i in range(n):
        for j in range(i + 1, n):
            sign_x = (x[i] - x[j] > TOLERANCE) - (x[j] - x[i] > TOLERANCE)
            sign_y = (y[i] - y[j] > TOLERANCE) - (y[j] - y[i] > TOLERANCE)
            concordant += sign_x * sign_y
            apart_x += sign_x != 0
            apart_y += sign_y != 0
    if apart_x == 0 or apart_y == 0:
        return np.nan
    return concordant / sqrt(float(apart_x) * float(apart_y))


@njit(cache=True, nogil=True)
def expert_order(expert):
    """What `tau_b_ordered` needs of a fixed second ranking.

    Parameters
    ----------
    expert : array of float64, shape (n,)

    Returns
    -------
    order : array of int64, shape (n,)
        Systems from the highest score down.
    strictly_below : array of int64, shape (n,)
        The first place whose score is lower than that of place i, beyond the tolerance.
    """
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
def tau_b_ordered(x, strictly_below):
    """`tau_b` of scores already put in the other ranking's order (see `expert_order`)."""
    n = x.shape[0]
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
        rest = x[below:]
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
