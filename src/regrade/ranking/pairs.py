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
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import comb, pi, sqrt

import numpy as np
from numpy.polynomial import Chebyshev
from scipy import special

from regrade.blocks import ranges
from regrade.kendall import TOLERANCE
from regrade.percentiles import CONFIDENCE
from regrade.ranking.draws import (
    HELD,
    Deviations,
    deviations,
    drawn_times,
    normal_deviations,
    repeat_noise,
)
from regrade.ranking.moments import MANY, Moments, moments
from regrade.ranking.power import detectable, detectable_alone, noncentrality
from regrade.ranking.sample import Sample
from regrade.sample_means import (
    difference_of_shares,
    exact_share_interval,
    p_of_shares,
    skewed_ends,
    skewed_p,
    skewness,
)
from regrade.significance.discrimination import SIGNIFICANCE
from regrade.significance.paired import pairs_at

DEGREE = 127
"""Of the polynomial in studentised ranges that stands for p where there are many."""

_LARGEST = 20.0
"""The largest studentised range of that polynomial."""

FEW_REPEATS = 3
"""Satterthwaite's interval of a mean covers 92 % with three repeats that cause most variance."""


@dataclass(frozen=True, eq=False)
class AllPairs:
    """All P pairs of S systems, in the order of `numpy.triu_indices`: what they have in common.

    Attributes
    ----------
    sample
        Values of the systems on N units (topics, where nothing else is known of items).
    residual
        The residual variance of systems × units: half of the mean variance of a difference.
    deviations
        In draws of units; ``None`` of too few units, or of one system.
    copies : array of int64, shape (S,)
        The same number for systems whose runs are the same (`ranking.copies`).
    moments
        Of all pairs, where these are one block (`regrade.blocks`).
    threads
        Of what goes through all pairs.
    """

    sample: Sample
    residual: float
    deviations: Deviations | None
    copies: np.ndarray
    moments: Moments | None = None
    threads: int = 1

    @classmethod
    def of(
        cls,
        scores: np.ndarray | Sample,
        draws: int,
        seed: int,
        threads: int = 1,
        copies: np.ndarray | None = None,
    ) -> AllPairs:
        """Look at all pairs of systems, by their (S, T) scores of topics or a sample of units."""
        sample = scores if isinstance(scores, Sample) else Sample.of(scores)
        systems, n = sample.values.shape
        pairs, own = comb(systems, 2), None
        copies = np.arange(systems) if copies is None else copies
        difference, variance = np.full((2, pairs), np.nan)
        for start, stop in ranges(pairs):
            some = moments(sample, *pairs_at(systems, start, stop), threads)
            own = some if stop - start == pairs else None
            if n > 1:
                difference[start:stop], variance[start:stop] = some.mean, some.variance
        residual = float(variance.mean() / 2) if pairs else np.nan
        every = cls(sample, residual, None, copies, own, threads)
        if n < sample.fewest or not pairs or not sample.has_variance:
            return every
        width = np.sqrt(every.width(variance, *np.triu_indices(systems, 1)))
        statistic = np.sqrt(n) * difference / np.maximum(width, TOLERANCE)
        noise = None if sample.repeats is None else repeat_noise(sample, draws, seed)
        if n > MANY:
            of = normal_deviations(sample.values, variance, draws, seed, statistic, threads, noise)
        else:
            times = drawn_times(n, draws, seed, sample.units)
            layout = sample.weights, sample.starts
            of = deviations(sample.values, times, statistic, threads, noise, *layout)
        return replace(every, deviations=of)

    @property
    def scores(self) -> np.ndarray:
        """(S, N) values of units."""
        return self.sample.values

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

    def width(self, variance: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Squares of what statistics are divided by, of pairs with these variances over units."""
        width = variance + self.residual
        if self.sample.repeats is not None:
            of_means = len(self.sample) * self.sample.repeats.of_means
            width = width + of_means[first] + of_means[second] + 2 * of_means.mean()
        return width

    def error_at_once(
        self, variance: np.ndarray, first: np.ndarray, second: np.ndarray
    ) -> np.ndarray:
        """What the critical value is multiplied by, of pairs with these variances over units."""
        return np.sqrt(self.width(variance, first, second) / len(self.sample))

    def detectable_at_once(self, spread: np.ndarray, topics: np.ndarray | int) -> np.ndarray:
        """The difference that so many topics find with `power.POWER`, all pairs at once.

        The critical value is taken to be that of the topics there are; more topics have a somewhat
        lower one.  NaN where repeats vary too: more topics then find no more than repeats let them.
        """
        is_known = np.isfinite(self.critical) and self.residual > 0
        if not is_known or self.sample.repeats is not None:
            return np.full(len(spread), np.nan)
        width = self.critical * np.sqrt(spread**2 + self.residual)
        varies = spread > 0
        own = np.where(varies, spread, 1.0)
        return np.where(varies, detectable(own, topics, width / own), width / np.sqrt(topics))

    def some(self, start: int, stop: int) -> SystemPairs:
        """The pairs from one on and before another."""
        first, second = pairs_at(len(self.scores), start, stop)
        if self.moments is None:
            of = moments(self.sample, first, second, self.threads)
        else:
            of = self.moments.some(start, stop)
        at_once = np.full(len(first), np.nan)
        if self.deviations is not None:
            at_once = self.deviations.p_pairs[start:stop]
        error, freedom = pair_error(self.sample, of, first, second)
        return SystemPairs(
            self, first, second, of.mean, pair_ends(self.sample, of, error, freedom), of.variance,
            student_p(of.mean, error, freedom), of.won, np.maximum(0.0, 1 - of.won - of.lost),
            at_once, error, freedom, pair_p(self.sample, of, error, freedom),
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
    error, freedom : arrays of float64, shape (P,)
        Standard error of each difference, and its degrees of freedom.
    p_interval : array of float64, shape (P,)
        p of the test that `ends` invert (`pair_p`).
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
    error: np.ndarray
    freedom: np.ndarray
    p_interval: np.ndarray

    @classmethod
    def of(
        cls, scores: np.ndarray | Sample, draws: int, seed: int, threads: int = 1
    ) -> SystemPairs:
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
        error = self.every.error_at_once(self.variance, self.first, self.second)
        width = self.critical * error
        width[self.every.copies[self.first] == self.every.copies[self.second]] = 0.0
        return self.difference + np.outer((-1, 1), width)

    def significant_sign(self) -> np.ndarray:
        """(P,) 1 where the first is significantly better, −1 where the second is, else 0."""
        is_sure = (self.p_at_once <= SIGNIFICANCE) & (np.abs(self.difference) > TOLERANCE)
        return np.where(is_sure, np.sign(self.difference), 0).astype(int)

    def detectable(self) -> np.ndarray:
        """(P,) minimum detectable differences of Student's test of each pair alone."""
        if self.every.sample.is_plain:
            return detectable_alone(np.sqrt(self.variance), len(self.every.sample))
        critical = special.stdtrit(self.freedom, 1 - SIGNIFICANCE / 2)
        return noncentrality(critical, self.freedom) * self.error

    def effect(self) -> np.ndarray:
        """(P,) differences in standard deviations of theirs; NaN where these do not vary."""
        spread = np.sqrt(self.variance)
        return np.divide(
            self.difference, spread, where=spread > TOLERANCE, out=np.full(len(spread), np.nan)
        )

    def p_tukey(self) -> np.ndarray:
        """(P,) p of Tukey's honestly significant differences, topics being blocks.

        q = |d̄| / √(σ² / T) beside the studentised range of S means and (S − 1)(T − 1) degrees of
        freedom; NaN without residual variance, and where repeats vary too.
        """
        if not self.residual > TOLERANCE**2 or self.every.sample.repeats is not None:
            return np.full(len(self.difference), np.nan)
        systems, topics = self.every.scores.shape
        q = np.abs(self.difference) / np.sqrt(self.residual / topics)
        return studentised_range_p(q, systems, (systems - 1) * (topics - 1), len(self.every))


def pair_error(
    sample: Sample, of: Moments, first: np.ndarray, second: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(P,) standard errors of differences, and their degrees of freedom."""
    spread = np.sqrt(of.robust)
    error = np.where(spread <= TOLERANCE, 0.0, spread) / np.sqrt(len(sample))
    if not sample.has_variance:
        error = np.full(len(error), np.nan)
    if sample.repeats is None:
        return error, of.freedom
    extra, square = sample.repeats.of_means, sample.repeats.square
    return with_repeats(
        error, of.freedom, extra[first] + extra[second], square[first] + square[second]
    )


def with_repeats(
    error: np.ndarray,
    freedom: np.ndarray,
    extra: np.ndarray,
    square: np.ndarray,
    repeats: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Errors and degrees of freedom, with the variance of repeats added (Satterthwaite).

    Of means over `FEW_REPEATS` repeats or fewer, which that holds too seldom, the freedom is that
    of a quantile t between those of both variances, weighted by these (Cochran and Cox 1957,
    §4.14).
    """
    total = error**2 + extra
    fourth = error**4 / np.maximum(1, freedom) + square
    both = np.divide(total**2, fourth, out=np.array(freedom, dtype=float), where=fourth > 0)
    few = (
        np.zeros(len(total), bool) if repeats is None else (repeats > 1) & (repeats <= FEW_REPEATS)
    )
    if few.any():
        place = (1 + CONFIDENCE) / 2
        of_repeats = special.stdtrit(np.maximum(1, repeats - 1), place)
        squares = special.stdtrit(freedom, place) ** 2, of_repeats**2
        parts = squares[0] * error**2 + squares[1] * extra
        t = np.sqrt(np.divide(parts, total, out=squares[0] * np.ones(len(total)), where=total > 0))
        both = np.where(few, special.stdtridf(place, t), both)
    return np.sqrt(total), np.maximum(1.0, both)


def student_p(difference: np.ndarray, error: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """Two-sided p of t, as `significance.paired.paired_t` has it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = difference / error
    return np.where(freedom > 0, 2.0 * special.stdtr(np.maximum(1, freedom), -np.abs(t)), np.nan)


def pair_ends(sample: Sample, of: Moments, error: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """(2, P) ends of the interval of each difference by itself."""
    n = len(sample)
    if n < sample.fewest or not sample.has_variance:
        return np.full((2, len(of.mean)), np.nan)
    if sample.is_binary and len(sample.starts) == 1:
        return difference_of_shares(of.mean, of.won + of.lost, error, n, freedom)
    return skewed_ends(of.mean, error, _skew(sample, of.robust, of.skew, error), n, freedom)


def pair_p(sample: Sample, of: Moments, error: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """(P,) two-sided p of the test that `pair_ends` inverts: below 0.05 where these exclude 0.

    NaN where there is no such interval; Student's of differences that do not vary.
    """
    n, students = len(sample), student_p(of.mean, error, freedom)
    if n < sample.fewest or not sample.has_variance:
        return np.full(len(students), np.nan)
    if sample.is_binary and len(sample.starts) == 1:
        p = p_of_shares(of.mean, of.won + of.lost, error, n, freedom)
        return np.where((error == 0) & (of.mean == 0), students, p)
    skew = _skew(sample, of.robust, of.skew, error)
    return np.where(error > 0, skewed_p(of.mean, error, skew, n, freedom), students)


def _skew(sample: Sample, variance: np.ndarray, skew: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Skewness of what a mean is a sum of: what repeats add to it is taken for symmetric."""
    if sample.repeats is None:
        return skew
    own = np.sqrt(variance / len(sample))
    part = np.divide(own, error, out=np.ones(len(own)), where=error > 0)
    return skew * part**3


def mean_ends(
    values: np.ndarray, sample: Sample | None = None, place: slice | None = None
) -> np.ndarray:
    """(2, K) ends of the interval of each mean over units (`regrade.sample_means.skewed_ends`).

    Parameters
    ----------
    values : array of float64, shape (K, N)
        Of topics, or of the units of a sample.
    sample
        What the units are like; of scores that are 0 or 1 the interval is Clopper and Pearson's.
    place
        Which systems of the sample the K are; absent, all.
    """
    sample = Sample.of(values) if sample is None else sample
    n, blocks = values.shape[1], range(0, len(values), max(1, HELD // values.shape[1]))
    if n < sample.fewest or not sample.has_variance:
        return np.full((2, len(values)), np.nan)
    rows = (values[at : at + blocks.step] for at in blocks)
    columns = [
        (own.mean(axis=1), *sample.variance(own), skewness(own)) for own in rows
    ]  # fmt: skip
    mean, variance, freedom, skew = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    error = np.sqrt(variance) / np.sqrt(n)
    if sample.repeats is not None:
        place = slice(None) if place is None else place
        of_means, square = sample.repeats.of_means[place], sample.repeats.square[place]
        count = sample.repeats.count[place]
        error, freedom = with_repeats(error, freedom, of_means, square, count)
    if sample.is_binary:
        items, units = sample.items.shape[1], sample.equal_units
        ends = exact_share_interval(abs(mean), error, items, freedom, units)
        return np.where(mean < 0, -ends[::-1], ends)
    return skewed_ends(mean, error, _skew(sample, variance, skew, error), n, freedom)


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
