"""Mean, variance, skewness and wins of the differences of pairs of systems.

Up to `MANY` items numpy has all differences of some thousand pairs at once; of more a kernel goes
through one pair at a time and holds none.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from regrade.compiled import njit
from regrade.kendall import TOLERANCE
from regrade.ranking.sample import Sample
from regrade.sample_means import skewness
from regrade.significance.paired import differences

MANY = 2000
"""Units above which draws are of the normal distribution (`regrade.ranking.draws`)."""

CHUNK = 4096
"""Pairs whose differences on all topics are looked at together."""


@dataclass(frozen=True, eq=False)
class Moments:
    """Of the differences of P pairs; each of shape (P,).

    Attributes
    ----------
    mean, variance, skew
        Over units; variance with N − 1.
    robust
        N times the variance of the mean (`Sample.variance`): `variance`, but for clusters of
        unequal size.
    won, lost
        Shares of items on which the first, and the second, scores higher.
    freedom
        Degrees of freedom of `robust`.
    """

    mean: np.ndarray
    variance: np.ndarray
    skew: np.ndarray
    robust: np.ndarray
    won: np.ndarray
    lost: np.ndarray
    freedom: np.ndarray

    def some(self, start: int, stop: int) -> Moments:
        """Those from one on and before another."""
        return Moments(*(getattr(self, name)[start:stop] for name in self.__dataclass_fields__))


def moments(sample: Sample, first: np.ndarray, second: np.ndarray, threads: int = 1) -> Moments:
    """The moments of pairs of systems."""
    columns = np.empty((7, len(first)))
    if max(sample.items.shape[1], len(sample)) > MANY:
        _by_kernel(sample, first, second, columns, threads)
        return Moments(*columns)
    same = sample.items is sample.values
    for at in range(0, len(first), CHUNK):
        chunk = slice(at, at + CHUNK)
        i, j = first[chunk], second[chunk]
        d = differences(sample.values[i], sample.values[j])
        of_items = d if same else differences(sample.items[i], sample.items[j])
        robust, freedom = sample.variance(d)
        variance = robust if sample.factors is None else d.var(axis=1, ddof=1)
        won, lost = (of_items > 0).mean(axis=1), (of_items < 0).mean(axis=1)
        columns[:, chunk] = d.mean(axis=1), variance, skewness(d), robust, won, lost, freedom
    return Moments(*columns)


def _by_kernel(
    sample: Sample, first: np.ndarray, second: np.ndarray, columns: np.ndarray, threads: int
) -> None:
    sums, ends = np.empty((len(first), 7)), np.append(sample.starts, len(sample))
    values, items = (np.ascontiguousarray(of) for of in (sample.values, sample.items))
    factors = np.ones(len(sample)) if sample.factors is None else sample.factors
    freedoms = np.maximum(1.0, sample.freedoms)

    def some(chunk: slice) -> None:
        _sums_of_pairs(
            values, items, factors, freedoms, ends, first[chunk], second[chunk], sums[chunk],
            TOLERANCE,
        )  # fmt: skip

    size = max(1, -(-len(first) // (8 * threads)))
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(some, (slice(at, at + size) for at in range(0, len(first), size))))
    n = len(sample)
    mean, squares, cubes, own, won, lost, fourth = sums.T
    variance, robust = squares / (n - 1), own / (n - 1)
    spread = np.sqrt(variance)
    varies = spread > TOLERANCE
    cubed = np.divide(cubes, spread**3, out=np.zeros(len(first)), where=varies)
    total = float(sample.freedoms.sum())
    freedom = np.divide(own**2, fourth, out=np.full(len(first), total), where=fourth > 0)
    skew = n / ((n - 1) * (n - 2)) * cubed
    columns[:] = mean, variance, skew, robust, won / items.shape[1], lost / items.shape[1], freedom


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"})
def _sums_of_pairs(
    values, items, factors, freedoms, ends, first, second, sums, tolerance
):  # fmt: skip
    """Of each pair: the mean, and sums of squares and cubes about it, of squares by their factors.

    Then wins, losses, and Satterthwaite's sum.
    """
    n, n_items = values.shape[1], items.shape[1]
    for p in range(len(first)):
        x, y = values[first[p]], values[second[p]]
        total = 0.0
        for c in range(n):
            total += x[c] - y[c]
        mean = total / n
        if abs(mean) <= tolerance * 1e-3:  # of equal systems the sum of what is next to nothing
            mean = 0.0
        squares = cubes = robust = fourth = 0.0
        for d in range(len(ends) - 1):
            own = 0.0
            for c in range(ends[d], ends[d + 1]):
                off = x[c] - y[c] - mean
                squares += off * off
                own += off * off * factors[c]
                cubes += off * off * off
            robust += own
            fourth += own * own / freedoms[d]
        won = lost = 0
        x, y = items[first[p]], items[second[p]]
        for t in range(n_items):
            apart = x[t] - y[t]
            won += apart > tolerance
            lost += -apart > tolerance
        sums[p, 0], sums[p, 1], sums[p, 2] = mean, squares, cubes
        sums[p, 3], sums[p, 4], sums[p, 5], sums[p, 6] = robust, won, lost, fourth
