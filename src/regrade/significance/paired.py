"""The paired t-test, with the tolerance by which scores are equal.

Every paired t-test of the library is this one.  Systems whose scores are the same but for the last
bits of an addition have differences that all have one sign and one size; a t-test without a
tolerance finds them different beyond doubt.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from regrade.compiled import njit
from regrade.errors import check_choice
from regrade.kendall import TOLERANCE
from regrade.sample_means import mean_interval, skewness, unskewed_t

CHUNK = 1024
"""Pairs looked at together, whose differences on all topics stay in the processor's cache."""

ALTERNATIVES = ("two-sided", "greater", "less")
"""What the mean difference may be if it is not zero."""

FEWEST_APART = 4
"""Of differences that are not 0, from which on their mean has an interval.

With fewer, what is rare is not in the sample: where one of fifteen topics tells two labellings
apart, the interval held the mean in 53 % of samples of 10.
"""


def differences(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """What scores differ by, 0 where they are within `regrade.kendall.TOLERANCE`."""
    difference = np.subtract(first, second, dtype=np.float64)
    return np.where(np.abs(difference) <= TOLERANCE, 0.0, difference)


def pairs_at(systems: int, start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of `numpy.triu_indices` from one on and before another."""
    after = np.cumsum(np.arange(systems - 1, 0, -1))  # pairs up to the last of each first system
    place = np.arange(start, stop)
    first = np.searchsorted(after, place, side="right")
    return first, place + systems - after[first]


def mean_differences(scores: np.ndarray, start: int, stop: int) -> np.ndarray:
    """(stop − start,) mean differences of the pairs of `pairs_at`, some of them at a time."""
    means = np.empty(stop - start)
    for at in range(start, stop, CHUNK):
        first, second = pairs_at(len(scores), at, min(at + CHUNK, stop))
        means[at - start :][: len(first)] = differences(scores[first], scores[second]).mean(axis=1)
    return means


def paired_t(
    difference: np.ndarray, alternative: str = "two-sided"
) -> tuple[np.ndarray, np.ndarray]:
    """Student's paired t-test: t = d̄ / (s_d / √T), T − 1 degrees of freedom."""
    check_choice("alternative", alternative, ALTERNATIVES)
    difference = differences(difference, 0.0)
    n = difference.shape[-1]
    if n < 2:
        undefined = np.full(difference.shape[:-1], np.nan)
        return undefined, undefined.copy()
    spread = difference.std(axis=-1, ddof=1)
    error = np.where(spread <= TOLERANCE, 0.0, spread) / np.sqrt(n)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = difference.mean(axis=-1) / error
    below = {"two-sided": -np.abs(t), "greater": -t, "less": t}[alternative]
    return t, (2.0 if alternative == "two-sided" else 1.0) * special.stdtr(n - 1, below)


def skewed_p(difference: np.ndarray) -> np.ndarray:
    """Two-sided p of the paired t-test or of Hall's correction of it, whichever is greater.

    Far in its tails Student's t of skewed differences is not t, and a correction for many pairs
    asks for just these (`regrade.sample_means`).
    """
    difference = differences(difference, 0.0)
    t, p = paired_t(difference)
    n = difference.shape[-1]
    if n < 2:
        return p
    known = np.where(np.isfinite(t), t, 0.0)
    corrected = 2 * special.stdtr(n - 1, -np.abs(unskewed_t(known, skewness(difference), n)))
    return np.where(np.isfinite(t), np.maximum(p, corrected), p)


def is_too_alike(difference: np.ndarray) -> bool:
    """Whether fewer than `FEWEST_APART` of some differences are other than 0."""
    return np.count_nonzero(np.abs(difference) > TOLERANCE) < FEWEST_APART


def paired_difference(difference: np.ndarray, interval: str = "mean_over_topics") -> dict:
    """The mean of paired differences, its 95 % interval, and Student's test that it is zero."""
    n = len(difference)
    t, p = paired_t(difference)
    low, high = mean_interval(difference, interval)
    if is_too_alike(difference):
        low = high = np.nan
    return {
        "difference": difference.mean() if n else np.nan,
        "low": low,
        "high": high,
        "t": float(t),
        "p": float(p),
        "better": int((difference > 0).sum()),
        "worse": int((difference < 0).sum()),
    }


# --- all pairs by one product of matrices ---------------------------------------------------------


@njit(cache=False, nogil=True, fastmath={"contract"})
def centre(scores, means, centred):
    """Put the means of (n, S) scores and what each is off into arrays; (S,) sums of squares."""
    n, n_systems = scores.shape
    means[:] = 0.0
    for t in range(n):
        for s in range(n_systems):
            means[s] += scores[t, s]
    for s in range(n_systems):
        means[s] /= n
    squares = np.zeros(n_systems)
    for t in range(n):
        for s in range(n_systems):
            off = scores[t, s] - means[s]
            centred[t, s] = off
            squares[s] += off * off
    return squares
