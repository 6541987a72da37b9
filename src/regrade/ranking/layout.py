"""What is independent in a sample of items: items, clusters of items, items of several data sets.

The mean of a system is a sum of N independent units.  Each unit gets a value whose mean over units
is the system's mean, and whose variance over units, divided by N, is the variance of that mean: so
that all that follows from scores on topics follows from values of units.

Clusters of unequal size: the mean over items is a ratio of sums, linearised by cluster,

    v_c = x̄ + (Σ_{t ∈ c} x_t − n_c x̄) / n̄,

which are the scores themselves where each cluster has one item.  Several data sets, each with the
weight 1/D: within a data set d with N_d units and mean x̄_d

    v_c = x̄ + N / (D N_d) √((N − 1) N_d / (N (N_d − 1))) u_c,   x̄ = Σ_d x̄_d / D

where u_c is what a unit is off the mean of its data set.  The variance of their mean is that of a
stratified sample, Σ_d s_d² / N_d / D²; its degrees of freedom are Satterthwaite's.  Of clusters of
unequal size squares have the factors and degrees of freedom of `regrade.significance.clusters`.

References
----------
Cochran, Sampling Techniques, 1977, chapters 5 and 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from regrade.significance.clusters import cluster_freedom, residual_factors


@dataclass(frozen=True, eq=False)
class Layout:
    """Which items are one unit, and which units are of one data set.

    Attributes
    ----------
    order : array of int64, shape (T,)
        Items by data set and unit.
    item_starts : array of int64, shape (N,)
        Where the items of each unit start in that order.
    starts : array of int64, shape (D,)
        The first unit of each data set.
    """

    order: np.ndarray
    item_starts: np.ndarray
    starts: np.ndarray

    @classmethod
    def of(cls, clusters: np.ndarray | None, datasets: np.ndarray | None) -> Layout | None:
        """The layout of T items; ``None`` where each item is a unit of the one data set."""
        if clusters is not None and len(np.unique(clusters)) == len(clusters):
            clusters = None
        if datasets is not None and (datasets == datasets[0]).all():
            datasets = None
        if clusters is None and datasets is None:
            return None
        known = clusters if clusters is not None else datasets
        items = np.arange(len(known))
        of_unit = items if clusters is None else clusters
        of_set = np.zeros(len(items), dtype=np.int64) if datasets is None else datasets
        order = np.lexsort((items, of_unit, of_set))
        sets, units = of_set[order], of_unit[order]
        new_set = np.append(True, sets[1:] != sets[:-1])
        item_starts = np.flatnonzero(new_set | np.append(True, units[1:] != units[:-1]))
        return cls(order, item_starts, np.flatnonzero(new_set[item_starts]))

    @property
    def items(self) -> np.ndarray:
        """(N,) items of each unit."""
        return np.diff(self.item_starts, append=len(self.order))

    @property
    def units(self) -> np.ndarray:
        """(D,) units of each data set."""
        return np.diff(self.starts, append=len(self.item_starts))

    @property
    def is_even(self) -> bool:
        """Whether the units of each data set have equally many items."""
        return all((sizes == sizes[0]).all() for sizes in self._sizes())

    def weights(self) -> np.ndarray:
        """(N,) items of each unit over their mean in its data set."""
        return np.concatenate([sizes / sizes.mean() for sizes in self._sizes()])

    def factors(self) -> np.ndarray:
        """(N,) of squares of what units are off the mean; 1 where all have equally many items."""
        return np.concatenate([
            residual_factors(sizes) * (len(sizes) - 1) / len(sizes) for sizes in self._sizes()
        ])  # fmt: skip

    def freedoms(self) -> np.ndarray:
        """(D,) degrees of freedom of the variance of each data set's mean."""
        return np.array([cluster_freedom(sizes) for sizes in self._sizes()])

    def _sizes(self) -> list[np.ndarray]:
        return np.split(self.items, self.starts[1:])

    def names(self, items: Sequence[str]) -> tuple[str, ...]:
        """Names of the N units: those of their first items."""
        return tuple(items[i] for i in self.order[self.item_starts])

    def mean(self, scores: np.ndarray) -> np.ndarray:
        """(…,) means of (…, T) scores: of all items, or of data sets' means."""
        sums = np.add.reduceat(scores[..., self.order], self.item_starts[self.starts], axis=-1)
        return (sums / np.add.reduceat(self.items, self.starts)).mean(axis=-1)

    def values(self, scores: np.ndarray) -> np.ndarray:
        """(…, N) values of units of (…, T) scores."""
        items, units, n = self.items, self.units, len(self.item_starts)
        sums = np.add.reduceat(scores[..., self.order], self.item_starts, axis=-1)
        of_set = np.add.reduceat(items, self.starts)
        means = np.add.reduceat(sums, self.starts, axis=-1) / of_set
        off = sums - items * np.repeat(means, units, axis=-1)
        with np.errstate(divide="ignore"):
            stretch = np.sqrt((n - 1) * units / (n * np.maximum(1, units - 1)))
        weight = n / len(units) / units * stretch / (of_set / units)
        return means.mean(axis=-1, keepdims=True) + off * np.repeat(weight, units)
