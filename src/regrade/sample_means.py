"""Intervals of means: of shares over topics, and of skewed values."""

from __future__ import annotations

import numpy as np
from scipy.special import stdtrit

from regrade.percentiles import CONFIDENCE, ends, quantiles
from regrade.rankings import TOLERANCE


def share_interval(
    share: np.ndarray, error: np.ndarray, n: np.ndarray, confidence: float = CONFIDENCE
) -> np.ndarray:
    """The interval of a mean of numbers from 0 to 1, by Wilson's score with Student's quantile.

    Wilson's interval holds the shares that n answers of yes and no speak for.  Numbers between 0
    and 1 vary less than such answers; they count as so many answers as would have their standard
    error, p (1 − p) / error².  Where all are the same, they count as n.

    Parameters
    ----------
    share, error
        The mean, and its standard error (s / √n for one of n independent numbers); of one shape.
    n
        How many numbers.
    confidence
        Between 0 and 1.

    Returns
    -------
    array of float64, shape (2, …)
        Lower and upper ends, from 0 to 1; NaN where there are fewer than two numbers.

    References
    ----------
    E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22
    (1927); effective sizes as in E. L. Korn and B. I. Graubard, Survey Methodology 24 (1998).
    """
    share, error, n = np.broadcast_arrays(*(np.asarray(x, float) for x in (share, error, n)))
    known = n >= 2
    freedom = np.where(known, n - 1, 1.0)
    place = (1 + confidence) / 2
    z2 = stdtrit(freedom, place) ** 2
    spread = share * (1 - share)
    with np.errstate(divide="ignore", invalid="ignore"):
        # the reciprocal of as many answers as the numbers are worth
        one_of = np.where(error > TOLERANCE, error**2 / spread, 1 / n)
        middle = (share + z2 * one_of / 2) / (1 + z2 * one_of)
        half = np.sqrt(z2 * one_of * (spread + z2 * one_of / 4)) / (1 + z2 * one_of)
    found = np.clip(np.stack([middle - half, middle + half]), 0.0, 1.0)
    return np.where(known, found, np.nan)


def interval_of_shares(values: np.ndarray, confidence: float = CONFIDENCE) -> np.ndarray:
    """`share_interval` of n independent numbers from 0 to 1.

    Parameters
    ----------
    values
        (n,) float64.

    Returns
    -------
    array of float64, shape (2,)
        NaN for fewer than two numbers.
    """
    values = np.asarray(values, dtype=float)
    n = len(values)
    if n < 2:
        return np.full(2, np.nan)
    return share_interval(values.mean(), values.std(ddof=1) / np.sqrt(n), n, confidence)


def studentised_interval(
    values: np.ndarray, places: np.ndarray, confidence: float = CONFIDENCE
) -> np.ndarray:
    """The interval of a mean of skewed numbers, by percentiles of studentised draws (bootstrap-t).

    Parameters
    ----------
    values
        (n,) float64, a sample.
    places
        (R, n) which of these each draw has, with replacement.
    confidence
        Between 0 and 1.

    Returns
    -------
    array of float64, shape (2,)
        mean − t · s / √n at the upper and the lower percentile of the draws' own t; NaN for fewer
        than two numbers; the mean itself where all are equal.

    References
    ----------
    Efron and Tibshirani, An Introduction to the Bootstrap (1993), §12.5.
    """
    values = np.asarray(values, dtype=float)
    if len(values) < 2:
        return np.full(2, np.nan)
    mean, spread = values.mean(), values.std(ddof=1)
    if not spread > TOLERANCE * max(1.0, abs(mean)):
        return np.full(2, mean)
    drawn = values[places]
    own = drawn.std(axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(own > 0, (drawn.mean(axis=1) - mean) / own, np.nan)
    low, high = quantiles(t, ends(confidence))
    return np.array([mean - high * spread, mean - low * spread])
