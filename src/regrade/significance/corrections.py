"""p-values corrected for their number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from regrade.choices import CORRECTIONS
from regrade.errors import check_choice


def adjust(p: np.ndarray, correction: str) -> np.ndarray:
    """p-values corrected for their number, as `statsmodels.stats.multitest.multipletests` does.

    Parameters
    ----------
    p : (P,) array
        p-values; NaN is none, and counts for nothing.
    correction : str
        One of `regrade.choices.CORRECTIONS`.

    Returns
    -------
    (P,) array
        The least levels at which each is significant.

    Raises
    ------
    ParameterError
        There is no such correction.
    """
    check_choice("correction", correction, CORRECTIONS)
    adjusted = np.array(p, dtype=np.float64)
    defined = np.flatnonzero(~np.isnan(adjusted))
    if correction == "none" or not len(defined):
        return adjusted
    ascending = defined[np.argsort(adjusted[defined], kind="stable")]
    adjusted[ascending] = np.minimum(_ADJUSTED[correction](adjusted[ascending]), 1.0)
    return adjusted


def _step_down(p: np.ndarray) -> np.ndarray:
    return np.maximum.accumulate(p)


def _step_up(p: np.ndarray) -> np.ndarray:
    return np.minimum.accumulate(p[::-1])[::-1]


def _left(p: np.ndarray) -> np.ndarray:
    """How many are left from each on: n, …, 1."""
    return np.arange(len(p), 0, -1)


def _sidak(p: np.ndarray, tests: np.ndarray | int) -> np.ndarray:
    """1 − (1 − p)ⁿ, to the last digit of small p."""
    with np.errstate(divide="ignore"):
        return -np.expm1(tests * np.log1p(-p))


def _benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    return _step_up(p * (len(p) / np.arange(1, len(p) + 1)))


def _hommel(p: np.ndarray) -> np.ndarray:
    """Closed Simes tests (Hommel 1988), by the largest of each number of hypotheses."""
    n = len(p)
    adjusted = np.full(n, (n * p / np.arange(1, n + 1)).min())
    for m in range(n - 1, 1, -1):
        least = (m * p[n - m + 1 :] / np.arange(2, m + 1)).min()
        first = np.minimum(m * p[: n - m + 1], least)
        adjusted = np.maximum(adjusted, np.append(first, np.minimum(least, m * p[n - m + 1 :])))
    return np.maximum(adjusted, p)


_ADJUSTED: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "bonferroni": lambda p: p * len(p),
    "sidak": lambda p: _sidak(p, len(p)),
    "holm": lambda p: _step_down(p * _left(p)),
    "holm-sidak": lambda p: _step_down(_sidak(p, _left(p))),
    "hochberg": lambda p: _step_up(p * _left(p)),
    "hommel": _hommel,
    "bh": _benjamini_hochberg,
    "by": lambda p: _benjamini_hochberg(p) * (1 / np.arange(1, len(p) + 1)).sum(),
}
"""Of ascending p-values."""
