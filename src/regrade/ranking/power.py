"""What differences the paired t-test finds, and how many topics a difference needs.

The test of T topics finds a true difference δ of two systems, whose differences on topics have the
standard deviation s, with the probability that a non-central t of T − 1 degrees of freedom and
noncentrality δ √T / s is beyond the critical value.  s is the pair's own, as observed.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from regrade.significance.discrimination import SIGNIFICANCE

POWER = 0.8
"""With which a difference is to be found."""

MOST = 10**7
"""More topics than these are not counted."""


def noncentrality(critical: np.ndarray | float, freedom: int, power: float = POWER) -> np.ndarray:
    """With which t is above a critical value with that power.

    What the other side of a two-sided test adds is left out: with ten topics less than 10⁻⁶.
    """
    return special.nctdtrinc(freedom, 1 - power, critical)


def critical_t(topics: int, significance: float = SIGNIFICANCE) -> float:
    """The critical value of the two-sided test."""
    return float(special.stdtrit(topics - 1, 1 - significance / 2))


def detectable(spread: np.ndarray, topics: int, critical: np.ndarray | float) -> np.ndarray:
    """The difference that is found with `POWER`.

    Parameters
    ----------
    spread
        (P,) float64: standard deviations of differences on topics.
    topics
        Two or more.
    critical
        Above which t tells two systems apart; of all pairs, or of each.

    Returns
    -------
    array of float64, shape (P,)
    """
    return noncentrality(critical, topics - 1) * spread / np.sqrt(topics)


def topics_to_find(spread: float, difference: float) -> float:
    """The fewest topics with which a difference is found with `POWER`.

    Returns
    -------
    float
        2 at least; NaN if more than `MOST` were needed.
    """

    def finds(topics: int) -> bool:
        return bool(detectable(np.float64(spread), topics, critical_t(topics)) <= difference)

    if finds(2):
        return 2.0
    if not finds(MOST):
        return np.nan
    few, enough = 2, MOST
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (few, middle) if finds(middle) else (middle, enough)
    return float(enough)
