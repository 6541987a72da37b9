"""Minimum detectable differences of the paired t-test, and topics that a difference needs.

This is topic set size design (Sakai 2016), for a true difference that one names.  It says nothing
of whether an observed difference is the true one.

The test of T topics detects a true difference δ of two systems, whose differences on topics have
the standard deviation s, with the probability that a non-central t of T − 1 degrees of freedom and
noncentrality δ √T / s is beyond the critical value.  s is the pair's own, as observed.

References
----------
Sakai, Topic set size design, Information Retrieval Journal 19(3), 2016.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import special

from regrade.kendall import TOLERANCE
from regrade.significance.discrimination import SIGNIFICANCE

POWER = 0.8
"""The power with which a difference is to be detected."""

MOST = 10**7
"""More topics than these are not counted."""


def noncentrality(critical: np.ndarray | float, freedom: np.ndarray | int) -> np.ndarray:
    """With which t is above a critical value with `POWER`.

    What the other side of a two-sided test adds is left out: with ten topics less than 10⁻⁶.
    """
    return special.nctdtrinc(freedom, 1 - POWER, critical)


def critical_t(topics: np.ndarray | int) -> np.ndarray:
    """The critical value of the two-sided test."""
    return special.stdtrit(topics - 1, 1 - SIGNIFICANCE / 2)


def detectable(
    spread: np.ndarray, topics: np.ndarray | int, critical: np.ndarray | float
) -> np.ndarray:
    """The minimum detectable difference with `POWER`."""
    return noncentrality(critical, topics - 1) * spread / np.sqrt(topics)


def detectable_alone(spread: np.ndarray, topics: np.ndarray | int) -> np.ndarray:
    """`detectable` by Student's test of each pair alone; NaN of fewer than two topics."""
    return detectable(spread, topics, critical_t(np.where(np.less(topics, 2), np.nan, topics)))


def topics_to_detect(
    spread: np.ndarray,
    difference: np.ndarray | float,
    detectable: Callable[[np.ndarray, np.ndarray], np.ndarray] = detectable_alone,
) -> np.ndarray:
    """The fewest topics that detect a difference with `POWER`."""
    spread, difference = np.broadcast_arrays(np.float64(spread), np.float64(difference))
    is_any = difference > TOLERANCE

    def needed(topics: np.ndarray) -> np.ndarray:
        """Topics needed, were √topics times the detectable difference that of so many `topics`."""
        times = detectable(spread, topics) / np.where(is_any, difference, np.nan)
        return np.ceil(topics * times**2 * (1 - 1e-12))

    least = needed(np.full(spread.shape, MOST))
    is_known = least <= MOST
    few = np.where(is_known, np.maximum(least, 2), 2) - 1
    enough = np.maximum(needed(np.maximum(few, 2)), few + 1)
    while (apart := is_known & (enough - few > 1)).any():
        middle = np.where(apart, (few + enough) // 2, enough)
        is_enough = detectable(spread, middle) <= difference
        few = np.where(apart & ~is_enough, middle, few)
        enough = np.where(apart & is_enough, middle, enough)
    return np.where(is_known, enough, np.nan)
