"""Differences of systems all at once: how far the largest of their errors reaches (max-t).

Errors are normal with the covariance that was estimated, so that systems whose errors go together
count as fewer tests than Bonferroni takes them for.  Quantiles of maxima are those of draws.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from scipy.special import ndtri

from regrade.estimation.estimates import difference_errors
from regrade.kendall import TOLERANCE
from regrade.randomness import generator

ERROR = 0.05
"""How often one of all that is said at once is wrong."""

MOST_DRAWS, FEWEST_DRAWS = 20_000, 2_000

_HELD = 2 * 10**9
"""Numbers that are drawn and compared in all, as far as `FEWEST_DRAWS` allow."""

_BLOCK = 2**24
"""Numbers that are held together."""


class ErrorMaxima:
    """Of S systems whose errors have a covariance.

    Parameters
    ----------
    covariance
        (S, S) of the errors.
    """

    def __init__(self, covariance: np.ndarray):
        self.covariance, S = covariance, len(covariance)
        self.draws = int(np.clip(_HELD // max(S * S, 1), FEWEST_DRAWS, MOST_DRAWS))

    @cached_property
    def _drawn(self) -> np.ndarray:
        """(B, S) float32 errors."""
        values, vectors = np.linalg.eigh(self.covariance)
        factor = vectors * np.sqrt(np.maximum(values, 0.0))
        normal = generator(1, "estimate", "maxima").standard_normal((self.draws, len(values)))
        return (normal @ factor.T).astype(np.float32)

    def _standardised(self, own: int, others: np.ndarray) -> Iterator[np.ndarray]:
        """(b, n) errors of the differences of others from a system, in standard errors."""
        errors = difference_errors(self.covariance, others, np.full(len(others), own))
        others, errors = others[errors > 0], errors[errors > 0].astype(np.float32)
        size = max(1, _BLOCK // max(len(others), 1))
        for start in range(0, self.draws, size):
            some = self._drawn[start : start + size]
            yield (some[:, others] - some[:, [own]]) / errors

    @cached_property
    def largest(self) -> np.ndarray:
        """(B,) ascending: the largest error of any difference, in its standard errors."""
        S, largest = len(self.covariance), np.zeros(self.draws, np.float32)
        for own in range(S - 1):
            parts = [
                np.abs(some).max(axis=1, initial=0.0)
                for some in self._standardised(own, np.arange(own + 1, S))
            ]
            np.maximum(largest, np.concatenate(parts), out=largest)
        return np.sort(largest)

    def adjusted(self, statistic: np.ndarray) -> np.ndarray:
        """The share of draws whose largest error reaches statistics; the observed one counts."""
        reached = self.draws - np.searchsorted(self.largest, statistic.astype(np.float32), "left")
        return (1 + reached) / (1 + self.draws)

    def reach_beside(self, own: int) -> float:
        """By how many standard errors all others must be off, for one of them to be higher.

        One-sided, of the largest difference of another system from this one.
        """
        others = np.delete(np.arange(len(self.covariance)), own)
        parts = [some.max(axis=1, initial=0.0) for some in self._standardised(own, others)]
        return float(np.quantile(np.concatenate(parts), 1 - ERROR, method="higher"))


def may_be_first(values: np.ndarray, lacking: np.ndarray, maxima: ErrorMaxima) -> np.ndarray:
    """(S,) whether no other system is higher for certain, all others being compared with each.

    The system that is first by all labels is wrongly ruled out in 5 % of samples at most: only it
    could be, and its reach holds for all others at once (multiple comparisons with the best; Hsu,
    Multiple Comparisons, 1996, ch. 4).

    Parameters
    ----------
    values
        (S,) estimated.
    lacking
        (S, S) by how much labels that lack might move each difference.
    maxima
        Of their errors.
    """
    S = len(values)
    every, may_be = np.arange(S), np.ones(S, bool)
    single, bonferroni = (-ndtri(ERROR / tests) for tests in (1, max(S - 1, 1)))
    for own in range(S):
        ahead = values - values[own] - lacking[:, own]
        errors = difference_errors(maxima.covariance, every, np.full(S, own))
        is_known = errors == 0
        if (ahead[is_known] > TOLERANCE).any():
            may_be[own] = False
            continue
        most = (ahead[~is_known] / errors[~is_known]).max(initial=-np.inf)
        # the reach lies between that of a single test and Bonferroni's
        if most > single:
            may_be[own] = most <= bonferroni and most <= maxima.reach_beside(own)
    return may_be
