"""Measures of several criteria made of scores: NWCS, CAM and WHAM, and weights of criteria.

Equations are those of lioma2017.  A *weight* (μ, ν) is of a criterion's rank errors
(`regrade.criteria.errors`) and any number from 0 on; *shares* (λ) are of its grades or values, and
add up to 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from regrade.errors import ParameterError


def set_weights(first: float, others: float | Sequence[float], criteria: int) -> list[float]:
    """The weights of rank errors: μ of the first criterion, ν of each other one."""
    if isinstance(others, int | float):
        return [first, *[others] * (criteria - 1)]
    if len(others) != criteria - 1:
        raise ParameterError(
            f"nu has {len(others)} numbers for {criteria - 1} further criteria: give one "
            "for all, or one for each"
        )
    return [first, *others]


def set_shares(share: float | Sequence[float], criteria: int) -> list[float]:
    """Shares of the criteria, adding up to 1."""
    if isinstance(share, int | float):
        share = [share, *[(1 - share) / max(criteria - 1, 1)] * (criteria - 1)]
    shares = [float(part) for part in share]
    if len(shares) != criteria or min(shares) < 0 or not math.isclose(sum(shares), 1):
        raise ParameterError(
            f"share is {shares} for {criteria} criteria: give one number from 0 to 1 for "
            "the first, or one for each that add up to 1"
        )
    return shares


def weighted_score(grades: np.ndarray, shares: Sequence[float]) -> float:
    """WCS, the discounted sum of the weighted grades (Equation 14)."""
    weighted = _weighted(grades, shares)
    return float((weighted / np.log2(1 + np.arange(1.0, len(weighted) + 1))).sum())


def normalised_weighted_score(grades: np.ndarray, shares: Sequence[float]) -> float:
    """NWCS, the weighted score over that of the best order of the same documents (Equation 15)."""
    weighted = _weighted(grades, shares)
    ideal = weighted_score([np.sort(weighted)[::-1]], [1.0])
    return weighted_score([weighted], [1.0]) / ideal if ideal > 0 else 0.0


def convex_mean(values: Sequence[np.ndarray], shares: Sequence[float]) -> np.ndarray:
    """CAM, the weighted mean of K measures' values of any one shape (Equation 16)."""
    return sum(share * np.asarray(v) for share, v in zip(shares, values, strict=True))


def harmonic_mean(values: Sequence[np.ndarray], shares: Sequence[float]) -> np.ndarray:
    """WHAM, the weighted harmonic mean, 0 where a value is 0 (Equation 17).

    A value counts as 0 also where its share is 0, as the paper defines it.
    """
    values = np.asarray(values, np.float64)
    some = (values > 0).all(0)
    safe = np.where(some, values, 1.0)
    inverse = sum(share / v for share, v in zip(shares, safe, strict=True))
    return np.where(some, 1 / inverse, 0.0)


def _weighted(grades: np.ndarray, shares: Sequence[float]) -> np.ndarray:
    return np.asarray(shares, np.float64) @ np.asarray(grades, np.float64)
