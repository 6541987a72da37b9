"""Percentiles of what was drawn anew, once for all methods: where the draws lie."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

FIVE = ("low", "q1", "median", "q3", "high")
"""The ends and the quartiles."""

CONFIDENCE = 0.95
"""The share of draws within an interval, unless said otherwise."""


def ends(confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The places of an interval's ends: as many draws are below it as above."""
    # (1 − 0.95) / 2 is a little above 0.025, where a draw of 1,000 more would be below
    low = round((1 - confidence) / 2, 12)
    return low, round(1 - low, 12)


def interval(
    values: np.ndarray, confidence: float = CONFIDENCE, method: str = "linear"
) -> np.ndarray:
    """The ends within which `confidence` of the draws lie."""
    return quantiles(values, ends(confidence), method)


def quantiles(values: np.ndarray, places: Sequence[float], method: str = "linear") -> np.ndarray:
    """Quantiles of the draws that are defined."""
    values = np.asarray(values, dtype=np.float64)
    columns = values.reshape(len(values), prod(values.shape[1:]))
    values_at = np.full((len(places), columns.shape[1]), np.nan)
    is_known = ~np.isnan(columns)
    known = is_known.sum(axis=0)
    is_whole = (known == len(columns)) & (known > 0)
    if is_whole.any():
        values_at[:, is_whole] = np.quantile(columns[:, is_whole], places, axis=0, method=method)
    for column in np.flatnonzero((known > 0) & ~is_whole):
        defined = columns[is_known[:, column], column]
        values_at[:, column] = np.quantile(defined, places, method=method)
    return values_at.reshape(len(places), *values.shape[1:])


def five_numbers(values: np.ndarray) -> dict[str, float]:
    """What tables of ranges have: the `FIVE` of the (n,) values that are defined."""
    return dict(zip(FIVE, quantiles(values, (0, 0.25, 0.5, 0.75, 1)), strict=True))
