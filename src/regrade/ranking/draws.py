"""Deviations of differences in bootstrap samples: tests of all pairs, and of the best system.

The differences of S systems on T topics are means d with variances s²/T.  In a draw of T topics
with replacement a pair deviates by (d* − d) √T / √(s*² + σ*²), where σ² is the residual variance of
systems × topics, half of the mean of all s².  That is the studentised statistic of Mogstad, Romano,
Shaikh and Wilhelm (2024), but for σ²: they divide by the pair's own standard error alone.  Of two
runs that differ on one topic of fifty a third of the draws have nothing of that topic, and no
interval of such a width holds (docs/methods/ranking.md has what was measured).  With σ² the pairs
that differ on hardly any topic get a width that the others' residuals warrant.

Draws take whole units (`regrade.ranking.sample`), those of each data set by themselves.  Of more
than `regrade.ranking.moments.MANY` units the deviations d* − d are drawn from the normal
distribution with the covariance of the systems, and the width is not drawn: what a draw of so many
units makes of it is little (docs/methods/ranking.md).  Where systems have repeats, each draw adds
an effect of each system's repeats, normal with their variance, and to the width a variance of them
that is drawn from χ².

References
----------
Romano and Wolf, Exact and approximate stepdown methods for multiple hypothesis testing, Journal of
the American Statistical Association 100(469), 2005; Hsu, Multiple comparisons: theory and methods,
1996, chapter 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from regrade.compiled import njit
from regrade.kendall import TOLERANCE
from regrade.progress import tracked
from regrade.randomness import generator, with_replacement
from regrade.ranking.sample import Sample
from regrade.resources import one_blas_thread

HELD = 2**21
"""Numbers that an array has at most, whatever the systems and draws: 16 MB."""

_COLUMNS = 4096
"""Units whose products are added together: they stay in the processor's cache."""

NOTHING = 1e-10
"""A smaller part of the residual variance is none."""

DIGITS = 10
"""Of largest deviations: BLAS may add in another order with another number of threads."""

AS_FAR = 1 - 1e-9
"""A deviation of this part of another is as far."""


@dataclass(frozen=True, eq=False)
class Deviations:
    """Inference on S systems and their P pairs from B bootstrap samples of topics.

    Attributes
    ----------
    largest : array of float64, shape (B,)
        The largest deviation over all pairs, ascending.
    p_pairs : array of float64, shape (P,)
        p of each difference, two-sided, all pairs at once: Romano and Wolf's stepdown.
    p_best : array of float64, shape (S,)
        p of each system's being the best: beside the S − 1 others at once (Hsu), by draws that put
        it too far down or, if p is then greater, too far up; or the least p of a pair in which
        another is better.
    means : array of float64, shape (B, S)
        Deviations of the means in each draw.
    """

    largest: np.ndarray
    p_pairs: np.ndarray
    p_best: np.ndarray
    means: np.ndarray


@dataclass(frozen=True, eq=False)
class RepeatNoise:
    """What repeats add in B draws, for S systems.

    Attributes
    ----------
    effect : array of float64, shape (B, S)
        To the means.
    width : array of float64, shape (B, S)
        To the squared widths of a system's pairs, in units of one item's variance.
    """

    effect: np.ndarray
    width: np.ndarray


def drawn_times(
    topics: int, draws: int, seed: int, of_sets: Sequence[int] | None = None
) -> np.ndarray:
    """How often each draw has each topic, or each unit of data sets with so many units."""
    rng = generator(seed, "draws of topics", str(topics))
    several = [topics] if of_sets is None else of_sets
    times = np.empty((draws, topics))
    for start, count in zip(np.cumsum([0, *several]), several, strict=False):
        times[:, start : start + count] = with_replacement(rng, count, draws)
    return times


def repeat_noise(sample: Sample, draws: int, seed: int) -> RepeatNoise:
    """Effects and variances of repeats, drawn by their estimates."""
    rng = generator(seed, "draws of repeats", str(len(sample)))
    of_means, freedom = sample.repeats.of_means, np.maximum(1, sample.repeats.count - 1)
    shape = draws, len(of_means)
    effect = rng.standard_normal(shape) * np.sqrt(of_means)
    width = len(sample) * of_means * rng.chisquare(freedom, shape) / freedom
    return RepeatNoise(effect, width + width.mean(axis=1, keepdims=True))


def normal_deviations(
    scores: np.ndarray,
    variance: np.ndarray,
    draws: int,
    seed: int,
    statistic: np.ndarray,
    threads: int = 1,
    noise: RepeatNoise | None = None,
) -> Deviations:
    """`deviations` by normal draws of the S means, of (P,) variances that are not drawn."""
    systems, n = scores.shape
    of_means = covariance(scores) / n
    values, vectors = np.linalg.eigh(of_means)
    rng = generator(seed, "normal draws of means", str(n))
    apart = rng.standard_normal((draws, systems)) * np.sqrt(np.maximum(0.0, values))
    means = apart @ vectors.T
    residual = float(variance.mean() / 2)
    steady = np.full(draws, residual)

    def squares(pairs: np.ndarray) -> Callable[[slice], np.ndarray]:
        of_pairs = (n - 1) * variance[pairs][None, :]
        return lambda draws: of_pairs

    return _by_draws(n, means, steady, residual, statistic, squares, 0.0, threads, noise)


def covariance(scores: np.ndarray) -> np.ndarray:
    """(S, S) of (S, N) values, some units at a time."""
    systems, n = scores.shape
    means, total = scores.mean(axis=1, keepdims=True), np.zeros((systems, systems))
    with one_blas_thread():
        for start in range(0, n, _COLUMNS):
            centred = scores[:, start : start + _COLUMNS] - means
            total += centred @ centred.T
    return total / (n - 1)


def deviations(
    scores: np.ndarray,
    times: np.ndarray,
    statistic: np.ndarray,
    threads: int = 1,
    noise: RepeatNoise | None = None,
    weights: np.ndarray | None = None,
    starts: np.ndarray | None = None,
) -> Deviations:
    """How often differences deviate as far in bootstrap samples as they do from 0.

    Parameters
    ----------
    scores : array of float64, shape (S, T)
        Of at least two systems and topics.
    times : array of float64, shape (B, T)
        How often each draw has each topic.
    statistic : array of float64, shape (P,)
        d √T / √(s² + σ²) of the pairs in the order of `numpy.triu_indices`.
    threads
        At once; the result does not depend on it.
    noise
        Of repeats.
    weights : array of float64, shape (T,)
        Sizes of clusters over their mean in the data set; ``None`` where all are alike.
    starts : array of int64, shape (D,)
        The first unit of each data set; ``None`` of one.
    """
    systems, n = scores.shape
    centred = scores - scores.mean(axis=1, keepdims=True)
    means = times @ centred.T / n
    undrawn = _residuals(centred, np.ones((1, n)), np.zeros((1, systems)))[0]
    first, second = np.triu_indices(systems, 1)

    def squared(pairs: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray((centred[first[pairs]] - centred[second[pairs]]).T ** 2)

    if weights is not None and (starts is None or len(starts) == 1):
        ratio = _Ratios.of(centred, times, means, weights)

        def of_ratios(pairs: np.ndarray) -> Callable[[slice], np.ndarray]:
            of, i, j = squared(pairs), first[pairs], second[pairs]
            return lambda draws: times[draws] @ of + ratio.corrections(draws, i, j)

        steady = ratio.residuals(centred, times)
        of_ratio = _by_draws(n, means, steady, undrawn, statistic, of_ratios, 0.0, threads, noise)
        return replace(of_ratio, means=ratio.off + (of_ratio.means - means))
    if starts is not None and len(starts) > 1:
        strata = _Strata(centred, times, starts, np.ones(n) if weights is None else weights)

        def of_strata(pairs: np.ndarray) -> Callable[[slice], np.ndarray]:
            of, i, j = squared(pairs), first[pairs], second[pairs]
            return lambda draws: strata.of(draws).of_pairs(of, i, j)

        means, steady = strata.means_and_residuals()
        return _by_draws(n, means, steady, undrawn, statistic, of_strata, 0.0, threads, noise)
    steady = _residuals(centred, times, means)

    def squares(pairs: np.ndarray) -> Callable[[slice], np.ndarray]:
        of = squared(pairs)
        return lambda draws: times[draws] @ of

    return _by_draws(n, means, steady, undrawn, statistic, squares, 1.0, threads, noise)


@dataclass(frozen=True, eq=False)
class _Ratios:
    """What B draws of clusters make of means over items, which are ratios of sums.

    A mean deviates by δ* = Σ u / Σ w, with deviations u of N clusters and their sizes w over the
    mean size; the deviations about it are u − w δ*.

    Attributes
    ----------
    off, cross : arrays of float64, shape (B, S)
        δ*; Σ u w.
    squares : array of float64, shape (B,)
        Σ w².
    weights : array of float64, shape (N,)
        w.
    """

    off: np.ndarray
    cross: np.ndarray
    squares: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(
        cls, centred: np.ndarray, times: np.ndarray, means: np.ndarray, weights: np.ndarray
    ) -> _Ratios:
        size = times @ weights / len(weights)
        cross = times @ (centred * weights).T
        return cls(means / size[:, None], cross, times @ weights**2, weights)

    def corrections(self, draws: slice, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """(b, P) sums of squares about δ* less those about 0."""
        off = self.off[draws][:, i] - self.off[draws][:, j]
        cross = self.cross[draws][:, i] - self.cross[draws][:, j]
        return off * (off * self.squares[draws, None] - 2 * cross)

    def residuals(self, centred: np.ndarray, times: np.ndarray) -> np.ndarray:
        """(B,) as `_residuals`."""
        systems, n = centred.shape
        of_mean = _Ratios(
            self.off.mean(axis=1, keepdims=True), self.cross.mean(axis=1, keepdims=True),
            self.squares, self.weights,
        )  # fmt: skip
        each = times @ (centred**2).T + self._about()
        mean = times @ centred.mean(axis=0) ** 2 + of_mean._about()[:, 0]
        return np.maximum(0.0, each.sum(axis=1) - systems * mean) / (n - 1) / (systems - 1)

    def _about(self) -> np.ndarray:
        return self.off * (self.off * self.squares[:, None] - 2 * self.cross)


@dataclass(frozen=True, eq=False)
class _Strata:
    """What B draws within D data sets make of means over them, which are means of ratios.

    A data set's mean deviates by δ* = Σ z / Σ w, with deviations z of its n units and their sizes w
    over the mean size; the deviations about it are z − w δ*.  Their squares are n / (n − 1) times
    as large, as much as its units are further from its mean (`layout`).

    Attributes
    ----------
    centred, times, starts, weights
        As `deviations` has them.
    """

    centred: np.ndarray
    times: np.ndarray
    starts: np.ndarray
    weights: np.ndarray

    def of(self, draws: slice) -> _StrataDraws:
        """Of some of the draws."""
        systems, n = self.centred.shape
        times = self.times[draws]
        counts = np.diff(self.starts, append=n)
        scaled, squares = np.empty(times.shape), np.empty((len(times), len(counts)))
        off, cross = np.empty((2, len(times), systems, len(counts)))
        for d, (start, count) in enumerate(zip(self.starts, counts, strict=True)):
            own = slice(start, start + count)
            z, w = self.centred[:, own], self.weights[own]
            size = times[:, own] @ w / count
            off[:, :, d] = times[:, own] @ z.T / count / size[:, None]
            scaled[:, own] = times[:, own] * (count / max(1, count - 1) / size**2)[:, None]
            cross[:, :, d] = scaled[:, own] @ (z * w).T
            squares[:, d] = scaled[:, own] @ w**2
        return _StrataDraws(scaled, off, cross, squares)

    def means_and_residuals(self) -> tuple[np.ndarray, np.ndarray]:
        """(B, S) deviations of the means; (B,) as `_residuals`."""
        systems, n = self.centred.shape
        counts, means, steady = np.diff(self.starts, append=n), [], []
        for start in range(0, len(self.times), 256):
            drawn = self.of(slice(start, start + 256))
            means.append(drawn.off @ counts / n)
            each = drawn.times @ (self.centred**2).T + drawn.about(drawn.off, drawn.cross)
            of_mean = (of.mean(axis=1, keepdims=True) for of in (drawn.off, drawn.cross))
            mean = drawn.times @ self.centred.mean(axis=0) ** 2 + drawn.about(*of_mean)[:, 0]
            left = np.maximum(0.0, each.sum(axis=1) - systems * mean)
            steady.append(left / (n - 1) / (systems - 1))
        return np.concatenate(means), np.concatenate(steady)


@dataclass(frozen=True, eq=False)
class _StrataDraws:
    """What `_Strata` has of b draws.

    Attributes
    ----------
    times : array of float64, shape (b, N)
        How often each draw has each unit, times n / (n − 1) over the squared drawn mean size.
    off, cross : arrays of float64, shape (b, S, D)
        δ*; Σ z w by these times.
    squares : array of float64, shape (b, D)
        Σ w² by these times.
    """

    times: np.ndarray
    off: np.ndarray
    cross: np.ndarray
    squares: np.ndarray

    def of_pairs(self, squared: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """(b, P) sums of squares of pairs about δ*, of (N, P) squared differences."""
        by_squares = self.off * self.squares[:, None, :] - self.cross
        products = self.off @ by_squares.transpose(0, 2, 1)
        products -= self.cross @ self.off.transpose(0, 2, 1)
        own = np.einsum("bss->bs", products)
        return self.times @ squared + own[:, i] + own[:, j] - 2 * products[:, i, j]

    def about(self, off: np.ndarray, cross: np.ndarray) -> np.ndarray:
        """(b, S) sums of squares about δ* less those about 0."""
        return (off * (off * self.squares[:, None, :] - 2 * cross)).sum(axis=2)


def _by_draws(
    n: int,
    means: np.ndarray,
    steady: np.ndarray,
    residual: float,
    statistic: np.ndarray,
    squares: Callable[[np.ndarray], Callable[[slice], np.ndarray]],
    lost: float,
    threads: int,
    noise: RepeatNoise | None,
) -> Deviations:
    """Count how often deviations of (B, S) means are as far.

    Sums of squares of a pair about its mean are those of `squares` in each draw, or in all, less
    `lost` times those of the mean.
    """
    draws, systems = means.shape
    total = means if noise is None else means + noise.effect
    spare = np.zeros((1, systems)) if noise is None else noise.width
    first, second = np.triu_indices(systems, 1)
    below = np.zeros(systems)  # how far each system lies below another
    np.maximum.at(below, second, statistic)
    np.maximum.at(below, first, -statistic)
    # the smallest statistic first: what deviates as far then is it or one with a smaller one
    order = np.argsort(np.abs(statistic), kind="stable")
    first, second, reach = first[order], second[order], (np.abs(statistic)[order] * AS_FAR) ** 2
    largest, over = np.zeros(draws), np.zeros((2, draws, systems))
    # no difference is reached in each draw, also where no draw deviates
    reached = np.where(reach > 0, 0, draws)
    varies = residual > TOLERANCE**2 or noise is not None
    # of small matrices, for which threads of a product wait more than work
    with one_blas_thread(), ThreadPoolExecutor(threads) as pool:
        for pairs in _chunks(len(order) if varies else 0, n if lost else 1):
            of_draws = squares(order[pairs])

            def counts(
                draws: slice, pairs: slice = pairs, of: Callable[[slice], np.ndarray] = of_draws
            ) -> np.ndarray:
                some = spare if noise is None else spare[draws]
                return _count_reached(
                    largest[draws], *over[:, draws], total[draws], means[draws], of(draws), lost,
                    steady[draws], some, first[pairs], second[pairs], reach[pairs],
                    NOTHING * residual, n,
                )  # fmt: skip

            blocks = [*_draw_blocks(draws, pairs.stop - pairs.start, threads)]
            each = pool.map(counts, blocks)
            reached[pairs] = sum(tracked(each, "blocks of draws", len(blocks)))
    p = np.empty(len(order))
    p[order] = np.maximum.accumulate((reached[::-1] + 1) / (draws + 1))[::-1]
    as_far = (over >= (below * AS_FAR) ** 2).sum(axis=1).max(axis=0)
    p_best = (as_far + 1) / (draws + 1)
    # whoever is significantly worse than another is not the best
    np.minimum.at(p_best, np.where(statistic > 0, *np.triu_indices(systems, 1)[::-1]), p)
    return Deviations(np.sort(_rounded(np.sqrt(largest))), p, p_best, total)


def _chunks(pairs: int, topics: int) -> Iterator[slice]:
    """Pairs whose squared differences on all topics are held together."""
    size = max(1, HELD // topics)
    return (slice(start, min(start + size, pairs)) for start in range(0, pairs, size))


def _residuals(centred: np.ndarray, times: np.ndarray, means: np.ndarray) -> np.ndarray:
    """(B,) the residual variance in each draw: half of the mean variance of a difference."""
    systems, n = centred.shape
    of_each = (times @ (centred**2).T - n * means**2).sum(axis=1)
    mean_system = centred.mean(axis=0)
    of_mean = times @ mean_system**2 - n * means.mean(axis=1) ** 2
    return np.maximum(0.0, of_each - systems * of_mean) / (n - 1) / (systems - 1)


def _draw_blocks(draws: int, pairs: int, threads: int) -> Iterator[slice]:
    size = max(1, min(256, 2 * HELD // pairs // threads))
    return (slice(start, start + size) for start in range(0, draws, size))


def _rounded(values: np.ndarray) -> np.ndarray:
    """To `DIGITS` significant digits."""
    with np.errstate(divide="ignore", invalid="ignore"):
        places = np.floor(np.log10(values))
        unit = 10.0 ** (np.where(np.isfinite(places), places, 0.0) - (DIGITS - 1))
    return np.round(values / unit) * unit


@njit(cache=True, nogil=True, error_model="numpy")
def _count_reached(
    largest, over, under, total, means, squares, lost, steady, spare, first, second, reach,
    nothing, n,
):  # fmt: skip
    """In how many draws the largest squared deviation so far reaches each pair's own."""
    reached = np.zeros(len(first), dtype=np.int64)
    square = np.empty(len(first))
    apart = np.empty(len(first))
    for b in range(means.shape[0]):
        row, more = min(b, squares.shape[0] - 1), min(b, spare.shape[0] - 1)
        # without a branch, so that several are divided at once
        for p in range(len(first)):
            i, j = first[p], second[p]
            own = means[b, i] - means[b, j]
            difference = total[b, i] - total[b, j]
            over_n = n * difference * difference
            width = max(0.0, (squares[row, p] - lost * n * own * own) / (n - 1)) + steady[b]
            width += spare[more, i] + spare[more, j]
            of_steady = np.inf if abs(difference) > TOLERANCE else 0.0
            apart[p] = difference
            square[p] = over_n / width if width > nothing else of_steady
        most = largest[b]
        for p in range(len(first)):
            most = max(most, square[p])
            reached[p] += most >= reach[p]
            # whom the draw puts too far up, and whom too far down
            up, down = (first[p], second[p]) if apart[p] > 0 else (second[p], first[p])
            over[b, down] = max(over[b, down], square[p])
            under[b, up] = max(under[b, up], square[p])
        largest[b] = most
    return reached
