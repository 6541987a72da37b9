"""How much effects differ among collections, beyond what the sampling of topics explains.

Each of K collections has an estimate y_c with the standard error s_c, of ν_c degrees of freedom.
With w_c = 1 / s_c² and the mean ȳ by these weights, Q = Σ w_c (y_c − ȳ)².  As standard errors are
estimates too, the test of equal effects is Welch's, which takes Q with the degrees of freedom of
the s_c; of two collections it is Welch's t-test of their difference.

The variance of the effect among collections, τ², is what makes Σ (y_c − ȳ)² / (s_c² + τ²) equal
K − 1 (Paule and Mandel).  Its interval holds each τ² for which p of that sum lies between 0.025 and
0.975: the Q profile, with Welch's F in place of χ², where s_c² + τ² has ν_c ((s_c² + τ²) / s_c²)²
degrees of freedom.  So it excludes 0 where p of Welch's test is below 0.025.  I² = τ² / (τ² + s²)
with s² = (K − 1) Σ w / ((Σ w)² − Σ w²).

References
----------
Welch, On the comparison of several mean values, Biometrika 38, 1951; Paule and Mandel, Consensus
values and weighting factors, Journal of Research of the NBS 87(5), 1982; Viechtbauer, Confidence
intervals for the amount of heterogeneity in meta-analysis, Statistics in Medicine 26, 2007; Higgins
and Thompson, Quantifying heterogeneity in a meta-analysis, Statistics in Medicine 21, 2002.
"""

from __future__ import annotations

from collections.abc import Callable
from math import nan, sqrt
from typing import NamedTuple

import numpy as np
from scipy import special
from scipy.optimize import brentq

from regrade.kendall import TOLERANCE
from regrade.percentiles import CONFIDENCE, ends
from regrade.ranking.sample import satterthwaite


class Heterogeneity(NamedTuple):
    """Of the effects of K collections; NaN of one, or where an effect has no standard error.

    Attributes
    ----------
    q, p
        Cochran's Q, and p of Welch's test of equal effects.
    tau_squared, tau_squared_ends
        The variance among collections, and the ends of its interval.
    i_squared, i_squared_ends
        Its share of the variance of estimates, likewise.
    """

    q: float = nan
    p: float = nan
    tau_squared: float = nan
    tau_squared_ends: tuple[float, float] = (nan, nan)
    i_squared: float = nan
    i_squared_ends: tuple[float, float] = (nan, nan)


def heterogeneity(value: np.ndarray, error: np.ndarray, freedom: np.ndarray) -> Heterogeneity:
    """How much (K,) effects with these standard errors, of so many degrees of freedom, differ."""
    if len(value) < 2 or not (error > TOLERANCE).all():
        return Heterogeneity()
    squared = tau_squared(value, error)
    low, high = tau_squared_ends(value, error, freedom)
    typical = typical_variance(error)
    i_squared, i_low, i_high = (one / (one + typical) for one in (squared, low, high))
    q, p = welch(value, error, freedom)
    return Heterogeneity(q, p, squared, (low, high), i_squared, (i_low, i_high))


def generalised_q(value: np.ndarray, error: np.ndarray, tau_squared: float = 0.0) -> float:
    """Σ (y_c − ȳ)² / (s_c² + τ²), with ȳ by the same weights."""
    weight = 1 / (error**2 + tau_squared)
    mean = (weight * value).sum() / weight.sum()
    return float((weight * (value - mean) ** 2).sum())


def welch(value: np.ndarray, error: np.ndarray, freedom: np.ndarray) -> tuple[float, float]:
    """Q, and p of Welch's test of equal effects."""
    k, q, weight = len(value), generalised_q(value, error), 1 / error**2
    unequal = float(((1 - weight / weight.sum()) ** 2 / freedom).sum())
    statistic = q / (k - 1) / (1 + 2 * (k - 2) / (k**2 - 1) * unequal)
    return q, float(special.fdtrc(k - 1, (k**2 - 1) / (3 * unequal), statistic))


def tau_squared(value: np.ndarray, error: np.ndarray) -> float:
    """Paule and Mandel's estimate of the variance among collections."""
    return _root(lambda squared: len(value) - 1 - generalised_q(value, error, squared), value)


def tau_squared_ends(
    value: np.ndarray, error: np.ndarray, freedom: np.ndarray
) -> tuple[float, float]:
    """The interval of the variance among collections, by the Q profile."""

    def p(squared: float) -> float:
        variance = error**2 + squared
        return welch(value, np.sqrt(variance), freedom * (variance / error**2) ** 2)[1]

    below, above = ends(CONFIDENCE)
    return _root(lambda one: p(one) - below, value), _root(lambda one: p(one) - above, value)


def typical_variance(error: np.ndarray) -> float:
    """The variance of an estimate, of one size for all collections."""
    weight = 1 / error**2
    return float((len(error) - 1) * weight.sum() / (weight.sum() ** 2 - (weight**2).sum()))


def _root(rising: Callable[[float], float], value: np.ndarray) -> float:
    """Where a rising function of τ² is 0; 0 where it is above 0 everywhere."""
    if rising(0.0) >= 0:
        return 0.0
    most = float(value.var())
    while rising(most) < 0:
        most *= 2
    return float(brentq(rising, 0.0, most, xtol=1e-15, rtol=1e-12))


def difference(
    value: np.ndarray, error: np.ndarray, freedom: np.ndarray
) -> tuple[float, float, float]:
    """Of two collections, the second effect less the first, with its interval (Welch's t)."""
    apart, total = float(value[1] - value[0]), sqrt((error**2).sum())
    of_both = satterthwaite((error**2)[:, None], freedom)[0] if total > 0 else freedom.sum()
    half = special.stdtrit(of_both, ends(CONFIDENCE)[1]) * total
    return apart, apart - half, apart + half
