"""Every pair of systems: by how much they differ, and how sure that is, one by one and all at once.

References
----------
Mogstad, Romano, Shaikh and Wilhelm, Inference for ranks with applications to mobility across
neighbourhoods and academic achievement across countries, Review of Economic Studies 91(1), 2024;
Tukey's test of all pairs in a design with topics as blocks: Carterette, Multiple testing in
statistical analysis of systems-based information retrieval experiments, TOIS 30(1), 2012.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from math import comb, pi, sqrt

import numpy as np
from numpy.polynomial import Chebyshev
from scipy import special

from regrade.blocks import ranges
from regrade.intervals import INTERVALS
from regrade.kendall import TOLERANCE
from regrade.percentiles import CONFIDENCE
from regrade.ranking.draws import Deviations, deviations, drawn_times
from regrade.ranking.power import detectable
from regrade.sample_means import skewed_ends, skewness
from regrade.significance.discrimination import SIGNIFICANCE
from regrade.significance.paired import differences, paired_t, pairs_at

AT_ONCE = INTERVALS["differences_at_once"]

CHUNK = 4096
"""Pairs whose differences on all topics are looked at together."""

DEGREE = 127
"""Of the polynomial in studentised ranges that stands for p where there are many."""

_LARGEST = 20.0
"""The largest studentised range of that polynomial."""


@dataclass(frozen=True, eq=False)
class AllPairs:
    """All P pairs of S systems, in the order of `numpy.triu_indices`: what they have in common.

    Attributes
    ----------
    scores : array of float64, shape (S, T)
        Of at least one topic.
    residual
        The residual variance of systems × topics: half of the mean variance of a difference.
    deviations
        In draws of topics; ``None`` of too few topics, or of one system.
    copies : array of int64, shape (S,)
        The same number for systems whose runs are the same (`ranking.copies`).
    """

    scores: np.ndarray
    residual: float
    deviations: Deviations | None
    copies: np.ndarray

    @classmethod
    def of(
        cls,
        scores: np.ndarray,
        draws: int,
        seed: int,
        threads: int = 1,
        copies: np.ndarray | None = None,
    ) -> AllPairs:
        """Look at all pairs of systems."""
        n, pairs = scores.shape[1], comb(len(scores), 2)
        copies = np.arange(len(scores)) if copies is None else copies
        difference, variance = np.full((2, pairs), np.nan)
        for start in range(0, pairs if n > 1 else 0, CHUNK):
            first, second = pairs_at(len(scores), start, min(start + CHUNK, pairs))
            apart = differences(scores[first], scores[second])
            difference[start:][: len(first)] = apart.mean(axis=1)
            variance[start:][: len(first)] = apart.var(axis=1, ddof=1)
        residual = float(variance.mean() / 2) if pairs else np.nan
        if n < AT_ONCE.fewest or not pairs:
            return cls(scores, residual, None, copies)
        statistic = np.sqrt(n) * difference / np.maximum(np.sqrt(variance + residual), TOLERANCE)
        times = drawn_times(n, draws, seed)
        return cls(scores, residual, deviations(scores, times, statistic, threads), copies)

    def __len__(self) -> int:
        """P."""
        return comb(len(self.scores), 2)

    def blocks(self) -> Iterator[SystemPairs]:
        """All of them, some at a time."""
        for start, stop in ranges(len(self)):
            yield self.some(start, stop)

    @property
    def critical(self) -> float:
        """What 95 % of the draws' largest deviations reach at most.

        NaN of too few topics; infinite where systems differ on so few that some draws have none of
        them.
        """
        if self.deviations is None:
            return np.nan
        return float(np.quantile(self.deviations.largest, CONFIDENCE, method="higher"))

    def error_at_once(self, variance: np.ndarray) -> np.ndarray:
        """What the critical value is multiplied by, of pairs with these variances."""
        return np.sqrt((variance + self.residual) / self.scores.shape[1])

    def detectable_at_once(self, spread: np.ndarray, topics: np.ndarray | int) -> np.ndarray:
        """The difference that so many topics find with `power.POWER`, all pairs at once.

        The critical value is taken to be that of the topics there are; more topics have a somewhat
        lower one.
        """
        if not (np.isfinite(self.critical) and self.residual > 0):
            return np.full(len(spread), np.nan)
        width = self.critical * np.sqrt(spread**2 + self.residual)
        varies = spread > 0
        own = np.where(varies, spread, 1.0)
        return np.where(varies, detectable(own, topics, width / own), width / np.sqrt(topics))

    def some(self, start: int, stop: int) -> SystemPairs:
        """The pairs from one on and before another."""
        scores, n = self.scores, self.scores.shape[1]
        first, second = pairs_at(len(scores), start, stop)
        columns = np.empty((7, len(first)))
        for at in range(0, len(first), CHUNK):
            chunk = slice(at, at + CHUNK)
            d = differences(scores[first[chunk]], scores[second[chunk]])
            columns[:, chunk] = (
                d.mean(axis=1),
                d.var(axis=1, ddof=1) if n > 1 else np.full(len(d), np.nan),
                paired_t(d)[1],
                (d > 0).mean(axis=1),
                (d < 0).mean(axis=1),
                *mean_ends(d),
            )
        difference, variance, p, won, lost, *ends = columns
        at_once = np.full(len(first), np.nan)
        if self.deviations is not None:
            at_once = self.deviations.p_pairs[start:stop]
        even = np.maximum(0.0, 1 - won - lost)
        return SystemPairs(
            self, first, second, difference, np.array(ends), variance, p, won, even, at_once
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class SystemPairs:
    """Some P pairs of systems.

    Attributes
    ----------
    every
        What they have in common with all others.
    first, second
        (P,) int64: the systems of each.
    ends : array of float64, shape (2, P)
        Of the interval of each difference by itself (`mean_ends`).
    difference, variance, p, won, even : arrays of float64, shape (P,)
        Mean and variance (T − 1) of the differences on topics, Student's p; shares of the topics on
        which the first scores higher, and on which both score the same.
    p_at_once : array of float64, shape (P,)
        `regrade.ranking.draws.Deviations.p_pairs`; NaN where none is given.
    """

    every: AllPairs
    first: np.ndarray
    second: np.ndarray
    difference: np.ndarray
    ends: np.ndarray
    variance: np.ndarray
    p: np.ndarray
    won: np.ndarray
    even: np.ndarray
    p_at_once: np.ndarray

    @classmethod
    def of(cls, scores: np.ndarray, draws: int, seed: int, threads: int = 1) -> SystemPairs:
        """All pairs of systems, as `AllPairs.of` takes them."""
        every = AllPairs.of(scores, draws, seed, threads)
        return every.some(0, len(every))

    @property
    def critical(self) -> float:
        """Of all pairs."""
        return self.every.critical

    @property
    def residual(self) -> float:
        """Of all pairs."""
        return self.every.residual

    def ends_at_once(self) -> np.ndarray:
        """(2, P) ends of intervals that hold all differences at once; NaN where none are given."""
        if not np.isfinite(self.critical):
            return np.full((2, len(self.difference)), np.nan)
        width = self.critical * self.every.error_at_once(self.variance)
        width[self.every.copies[self.first] == self.every.copies[self.second]] = 0.0
        return self.difference + np.outer((-1, 1), width)

    def significant_sign(self) -> np.ndarray:
        """(P,) 1 where the first is significantly better, −1 where the second is, else 0."""
        is_sure = (self.p_at_once <= SIGNIFICANCE) & (np.abs(self.difference) > TOLERANCE)
        return np.where(is_sure, np.sign(self.difference), 0).astype(int)

    def effect(self) -> np.ndarray:
        """(P,) differences in standard deviations of theirs; NaN where these do not vary."""
        spread = np.sqrt(self.variance)
        return np.divide(
            self.difference, spread, where=spread > TOLERANCE, out=np.full(len(spread), np.nan)
        )

    def p_tukey(self) -> np.ndarray:
        """(P,) p of Tukey's honestly significant differences, topics being blocks.

        q = |d̄| / √(σ² / T) beside the studentised range of S means and (S − 1)(T − 1) degrees of
        freedom; NaN without residual variance.
        """
        if not self.residual > TOLERANCE**2:
            return np.full(len(self.difference), np.nan)
        systems, topics = self.every.scores.shape
        q = np.abs(self.difference) / np.sqrt(self.residual / topics)
        return studentised_range_p(q, systems, (systems - 1) * (topics - 1), len(self.every))


def mean_ends(values: np.ndarray) -> np.ndarray:
    """Ends of the interval of each mean over topics (`regrade.sample_means.skewed_ends`)."""
    n = values.shape[1]
    if n < INTERVALS["mean_over_topics"].fewest:
        return np.full((2, len(values)), np.nan)
    error = values.std(axis=1, ddof=1) / np.sqrt(n)
    return skewed_ends(values.mean(axis=1), error, skewness(values), n, n - 1)


def studentised_range_p(q: np.ndarray, k: int, freedom: int, of: int | None = None) -> np.ndarray:
    """The probability that k means of equal ones range as far.

    `scipy.stats.studentized_range.sf` takes minutes for thousands of pairs; this is right to 10⁻⁸:
    Gauss–Legendre over s and z; of many q, Chebyshev's polynomial.
    """
    if (len(q) if of is None else of) <= DEGREE:
        p = _range_p(q, k, freedom)
    else:
        p = _range_polynomial(k, freedom)(np.minimum(q, _LARGEST))
    return np.clip(p, 0.0, 1.0)


@lru_cache(maxsize=1)
def _range_polynomial(k: int, freedom: int) -> Chebyshev:
    return Chebyshev.interpolate(_range_p, DEGREE, (0.0, _LARGEST), (k, freedom))


def _range_p(places: np.ndarray, k: int, freedom: int) -> np.ndarray:
    s, of_s = _spreads(freedom)
    z, of_z = _legendre(128, -9.0, 9.0)
    lower, of_z = special.ndtr(z), k * np.exp(-(z**2) / 2) / sqrt(2 * pi) * of_z
    within = (lower - special.ndtr(z - at * s[:, None]) for at in places)
    return np.array([1 - of_s @ (chance ** (k - 1) @ of_z) for chance in within])


def _spreads(freedom: int) -> tuple[np.ndarray, np.ndarray]:
    """Where s is looked at, and how much each counts; they add up to 1."""
    low, high = np.sqrt(2 * special.gammaincinv(freedom / 2, [1e-15, 1 - 1e-15]) / freedom)
    s, width = _legendre(48, float(low), float(high))
    log_density = (freedom - 1) * np.log(s) - freedom * s**2 / 2
    density = np.exp(log_density - log_density.max())
    return s, density * width / (density @ width)


def _legendre(count: int, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    x, width = _nodes(count)
    return low + (x + 1) * (high - low) / 2, width * (high - low) / 2


_nodes = cache(np.polynomial.legendre.leggauss)
"""Of pairs in blocks, each block asks for them, and they are a matrix's eigenvalues."""
