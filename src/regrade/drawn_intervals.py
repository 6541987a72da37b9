"""Intervals from units drawn anew: the value, give or take what draws scatter by.

Percentiles of draws are no interval of a correlation of two rankings: a draw holds some topics
twice and a third of them not at all, so that its rankings are noisier, and all correlations of
draws lie below the value.  What draws do show is by how much a sample scatters.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from scipy.special import stdtrit

from regrade.intervals import INTERVALS
from regrade.percentiles import CONFIDENCE, ends
from regrade.sample_means import skewed_ends, skewness


def around(
    value: np.ndarray | float,
    drawn: np.ndarray,
    units: int,
    interval: str,
    *,
    new: bool = False,
    left_out: np.ndarray | None = None,
    effective: int | None = None,
) -> np.ndarray:
    """Student's t times the standard deviation of the draws, around the value.

    Its degrees of freedom are those of the units, or of the draws where these are fewer; of units
    of unequal size those of the `effective` number.
    """
    value, drawn = np.asarray(value, dtype=float), np.asarray(drawn, dtype=float)
    n = units if effective is None else effective
    if n < max(INTERVALS[interval].fewest, 2) or len(drawn) < 2:
        return np.full((2, *value.shape), np.nan)
    freedom = min(n, len(drawn)) - 1  # few draws do not know their own scatter
    scale = stdtrit(freedom, ends(CONFIDENCE)[1]) * sqrt(n / (n - 1) * (2 if new else 1))
    half = scale * spread_of(drawn)
    if left_out is None:
        return np.stack([value - half, value + half])
    skew = -skewness(np.moveaxis(np.asarray(left_out, dtype=float), 0, -1))
    error = half / stdtrit(freedom, ends(CONFIDENCE)[1])
    return skewed_ends(value, error, skew, units, freedom)


def by_leaving_out(value: np.ndarray | float, left_out: np.ndarray, interval: str) -> np.ndarray:
    """Student's t times the jackknife's standard error, around the value."""
    value, left_out = np.asarray(value, dtype=float), np.asarray(left_out, dtype=float)
    units = len(left_out)
    if units < max(INTERVALS[interval].fewest, 2):
        return np.full((2, *value.shape), np.nan)
    half = stdtrit(units - 1, ends(CONFIDENCE)[1]) * jackknife_error(left_out)
    return np.stack([value - half, value + half])


def jackknife_error(left_out: np.ndarray) -> np.ndarray:
    """The standard error of a value, of (units, …) values without each unit in turn."""
    return left_out.std(axis=0) * sqrt(len(left_out) - 1)


def spread_of(drawn: np.ndarray) -> np.ndarray:
    """The standard deviation of (R, …) draws; NaN where half of them are undefined."""
    drawn = np.asarray(drawn, dtype=float)
    known = ~np.isnan(drawn)
    n = known.sum(axis=0)
    mean = np.divide(np.where(known, drawn, 0.0).sum(axis=0), n, where=n > 0, out=np.zeros(n.shape))
    squares = np.where(known, (drawn - mean) ** 2, 0.0).sum(axis=0)
    enough = 2 * n > len(drawn)
    return np.sqrt(np.divide(squares, n, where=enough, out=np.full(n.shape, np.nan)))
