"""The mean over topics, and which cuts are defined for enough topics to be the one cut for all.

What the one cut for all topics maximises is its mean over the topics where it is defined, as long
as these are a share, `coverage`, of those where any cut is.  The values of a cut are added in
sorted order, so that the order of topics cannot show.  Where topics are weighted (drawn several
times) or come one by one, because all their values would not fit into memory, they are added in
the order of topics.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil

import numpy as np

from regrade.compiled import njit
from regrade.errors import ParameterError

ROWS = 1 << 16
"""Cuts whose mean over topics is found at a time."""

NEAR = 1e-9
"""How near the highest mean others are looked at, far more than the order of additions changes."""

CELLS = 1 << 24
"""Cuts times weightings of topics that are held at a time."""


def check_coverage(coverage: float) -> None:
    """Refuse what is no share, with `ParameterError`."""
    if not 0 <= coverage <= 1:
        raise ParameterError(f"coverage: {coverage} is not a share of the topics, 0 … 1")


def topics_needed(coverage: float, n_topics: int) -> int:
    """⌈coverage · n_topics⌉, at least 1; in integers: 0.9 of 10 topics is 9."""
    check_coverage(coverage)
    return max(1, ceil(Fraction(str(coverage)) * int(n_topics)))


def mean_of_defined(values: np.ndarray) -> np.ndarray:
    """Mean of each row's values that are not NaN; NaN where all are.

    The values are added in sorted order, so the order of the columns cannot show.
    """
    mean = np.full(len(values), np.nan)
    for start in range(0, len(values), ROWS):  # a few copies of that many rows, not of all
        # NaN last; side by side in memory, since sums run in another order where they are not
        ordered = np.sort(np.ascontiguousarray(values[start : start + ROWS]), axis=1)
        count = (~np.isnan(ordered)).sum(axis=1)
        total = np.nan_to_num(ordered).sum(axis=1)
        np.divide(total, count, out=mean[start : start + ROWS], where=count > 0)
    return mean


def mean_where_defined(values: np.ndarray) -> float:
    """Mean of the values that are not NaN; NaN where none is."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else np.nan


def mean_under_coverage(criterion: np.ndarray, coverage: float) -> np.ndarray:
    """What the one cut for all topics maximises, of a criterion (C, T); (C,).

    NaN where a cut is defined for fewer topics than `topics_needed` of those for which any is.
    """
    defined = ~np.isnan(criterion)
    mean, n_topics = mean_of_defined(criterion), defined.sum(axis=1)
    return where_enough(mean, n_topics, coverage, defined.any(axis=0).sum())


def highest_means(topics: Sequence[np.ndarray], coverage: float) -> np.ndarray:
    """`mean_under_coverage` of the cuts whose mean may be the highest; (C,), NaN for all others.

    Enough to know the best cuts, and sooner found: few sums need their sorted order.
    """
    return _near_highest(topics, _sums(topics).under_coverage(coverage))


def highest_means_without(topics: Sequence[np.ndarray], coverage: float) -> Iterator[np.ndarray]:
    """`highest_means` of all topics but one, for each that is left out."""
    sums = _sums(topics)
    for t, left_out in enumerate(topics):
        sums.add(left_out, -1)
        yield _near_highest([*topics[:t], *topics[t + 1 :]], sums.under_coverage(coverage))
        sums.add(left_out)


def _sums(topics: Sequence[np.ndarray]) -> RunningMeans:
    sums = RunningMeans(len(topics[0]) if len(topics) else 0)
    for values in topics:
        sums.add(values)
    return sums


def _near_highest(topics: Sequence[np.ndarray], rough: np.ndarray) -> np.ndarray:
    """The means of the cuts whose `rough` ones are near the highest."""
    mean = np.full(len(rough), np.nan)
    near = np.flatnonzero(rough >= np.fmax.reduce(rough, initial=-np.inf) - NEAR)
    if len(near):
        mean[near] = mean_of_defined(np.stack([values[near] for values in topics], axis=1))
    return mean


def where_enough(
    mean: np.ndarray, n_topics: np.ndarray, coverage: float, served: int
) -> np.ndarray:
    """Means over `n_topics` topics; NaN where these are too few of the `served` ones."""
    return np.where(n_topics >= topics_needed(coverage, served), mean, np.nan)


def weighted_means(
    criterion: np.ndarray, weights: np.ndarray, coverage: float
) -> Iterator[np.ndarray]:
    """`mean_under_coverage` for many weightings of the topics."""
    defined = ~np.isnan(criterion)
    served = weights @ defined.any(axis=0)
    needed = np.array([topics_needed(coverage, n) for n in served])[:, None]
    values = np.nan_to_num(criterion).T.copy()
    everywhere = defined.all()
    counts = None if everywhere else defined.T.astype(float)
    rows = max(1, CELLS // max(1, len(criterion)))
    for start in range(0, len(weights), rows):
        block = weights[start : start + rows].astype(float)
        total = block @ values
        if everywhere:
            yield total / block.sum(axis=1, keepdims=True)
        else:
            yield mean_of_sums(total, block @ counts, needed[start : start + rows])


def mean_of_sums(total: np.ndarray, counted: np.ndarray, needed: np.ndarray | int) -> np.ndarray:
    """Sums divided by how many topics they are of; NaN where these are fewer than needed."""
    return np.divide(total, counted, out=np.full(total.shape, np.nan), where=counted >= needed)


class RunningMeans:
    """`mean_under_coverage` of criteria whose topics come one by one, in sums alone.

    Parameters
    ----------
    shape
        Of the values of a topic, the last axis being that of the cuts.
    """

    def __init__(self, *shape: int):
        self.total = np.zeros(shape)
        self.counted = np.zeros(shape, dtype=np.int32)
        self.served = np.zeros(shape[:-1], dtype=np.int64)

    def add(self, values: np.ndarray, times: int = 1) -> None:
        """A topic's values, NaN where undefined; −1 `times` takes them away."""
        rows = (-1, values.shape[-1])
        parts = self.total.reshape(rows), self.counted.reshape(rows), self.served.reshape(-1)
        _add_defined(*parts, np.ascontiguousarray(values).reshape(rows), times)

    def under_coverage(self, coverage: float) -> np.ndarray:
        """The means of all topics that were added, of the shape of their values."""
        needed = [topics_needed(coverage, n) for n in self.served.ravel()]
        needed = np.array(needed).reshape(*self.served.shape, 1)
        return mean_of_sums(self.total, self.counted, needed)


@njit(cache=True, nogil=True)
def _add_defined(total, counted, served, values, times):
    """Add the values that are no NaN, `times` over, count them, and the rows that have one."""
    for row in range(values.shape[0]):
        known = 0
        for c in range(values.shape[1]):
            value = values[row, c]
            defined = value == value
            total[row, c] += times * value if defined else 0.0
            counted[row, c] += times * defined
            known += defined
        served[row] += times * (known > 0)
