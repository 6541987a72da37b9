"""The mean difference of two systems where items are not all independent, with its standard error.

Items may belong to clusters (questions about one document), which are sampled whole, and to data
sets, of which each counts as much; systems may have repeats (seeds), which are a sample too.  A
*unit* is what is sampled: a cluster, or an item that is in none.

With w_i = 1 / (K n_k) for an item of data set k of K, the difference is d̂ = Σ w_i d_i, the mean of
the data sets' means.  Its variance is that of the clusters' sums e_u = Σ_{i ∈ u} w_i (d_i − d̄_k),
Σ_k Σ_{u ∈ k} g_u e_u², with Bell and McCaffrey's factors g_u and degrees of freedom
(`regrade.significance.clusters`): C_k / (C_k − 1) and C_k − 1 of clusters of equal size.  Several
data sets have Satterthwaite's.  Without clusters and data sets that is s² / n, and t is Student's.

Repeats of a system add the variance of their means over R, less the part of it that is due to the
items (the interaction, estimated by the residuals of items × repeats), if that leaves any.

References
----------
Cameron and Miller, A practitioner's guide to cluster-robust inference, Journal of Human Resources
50(2), 2015.  Brennan, Generalizability Theory (2001), §3 (items × repeats).  Rosner, Glynn and Lee,
The Wilcoxon signed rank test for paired comparisons of clustered data, Biometrics 62(1), 2006.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy import special

from regrade.item_scores.scores import ScoreDesign
from regrade.kendall import TOLERANCE
from regrade.significance.clusters import cluster_freedom, residual_factors
from regrade.significance.paired import differences


@dataclass(frozen=True, eq=False)
class ItemGroups:
    """Which of T items are sampled together, and what each counts.

    Attributes
    ----------
    weights : array of float64, shape (T,)
        What an item counts in the mean; they sum to 1.
    unit : array of int64, shape (T,)
        The unit of each item, from 0 to U − 1.
    stratum : array of int64, shape (U,)
        The data set of each unit.
    """

    weights: np.ndarray
    unit: np.ndarray
    stratum: np.ndarray

    @classmethod
    def of(cls, items: int, design: ScoreDesign | None = None) -> ItemGroups:
        """Those of a design; without one each item is alone."""
        if design is None:
            return cls.of_arrays(items)
        return cls.of_arrays(items, design.clusters, design.datasets)

    @classmethod
    def of_arrays(
        cls, items: int, clusters: np.ndarray | None = None, datasets: np.ndarray | None = None
    ) -> ItemGroups:
        """Those of (T,) codes of clusters and of data sets; ``None``: each alone, all of one."""
        unit = np.arange(items) if clusters is None else np.unique(clusters, return_inverse=True)[1]
        of_item = np.zeros(items, np.int64) if datasets is None else datasets
        sizes = np.bincount(of_item)
        weights = 1.0 / (sizes[of_item] * np.count_nonzero(sizes))
        stratum = np.zeros(unit.max(initial=-1) + 1, np.int64)
        stratum[unit] = of_item
        return cls(weights, unit, stratum)

    @property
    def sizes(self) -> np.ndarray:
        """(K,) units of each data set."""
        sizes = np.bincount(self.stratum)
        return sizes[sizes > 0]

    @property
    def is_plain(self) -> bool:
        """Whether all items are alone, of one data set."""
        return len(self.stratum) == len(self.unit) and len(self.sizes) == 1

    def totals(self, values: np.ndarray) -> np.ndarray:
        """(…, U) weighted sums of (…, T) values over each unit's items."""
        order = np.argsort(self.unit, kind="stable")
        starts = np.searchsorted(self.unit[order], np.arange(len(self.stratum)))
        return np.add.reduceat(values[..., order] * self.weights[order], starts, axis=-1)

    def residuals(self, totals: np.ndarray) -> np.ndarray:
        """(…, U) the same less what their data set's mean would make of them."""
        left = totals.copy()
        shares = self.totals(np.ones(len(self.unit)))
        for k in np.unique(self.stratum):
            own = self.stratum == k
            mean = totals[..., own].sum(axis=-1, keepdims=True) / shares[own].sum()
            left[..., own] -= shares[own] * mean
        return left

    def moments(self, totals: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Variance, degrees of freedom and skewness of the weighted mean, of (…, U) totals.

        The variance is NaN where a data set has one unit.
        """
        left, items = self.residuals(totals), np.bincount(self.unit)
        variance, third, spent = (np.zeros(totals.shape[:-1]) for _ in range(3))
        for k in np.unique(self.stratum):
            own, sizes = left[..., self.stratum == k], items[self.stratum == k]
            c = own.shape[-1]
            part, known = (own**2 * residual_factors(sizes)).sum(axis=-1), cluster_freedom(sizes)
            variance, spent = variance + part, spent + part**2 / max(known, 1)
            if c > 2:
                third = third + (own**3).sum(axis=-1) * (c**2 / ((c - 1) * (c - 2)))
        with np.errstate(divide="ignore", invalid="ignore"):
            freedom = np.where(variance > 0, variance**2 / spent, self.sizes.sum() - 1.0)
            skew = np.where(variance > 0, third / variance**1.5, 0.0)
        if len(self.sizes) == 1:
            freedom = np.full(freedom.shape, cluster_freedom(items))
        return variance, freedom, skew


@dataclass(frozen=True)
class MeanDifference:
    """A mean difference, and what is known of its sampling distribution.

    Attributes
    ----------
    value, error, freedom
        With its standard error (0 where all differences are the same) and degrees of freedom.
    skew
        Skewness of the mean; of n independent items that of the items over √n.
    units, apart
        How many units there are, and on how many of them the systems differ.
    repeats
        How many repeats of both systems are taken for a sample; 0: none.
    """

    value: float
    error: float
    freedom: float
    skew: float
    units: int
    apart: int
    repeats: int = 0

    @property
    def t(self) -> float:
        """Over its standard error; infinite where that is 0, NaN where both are."""
        return float(self.t_from(0.0))

    def t_from(self, value: float) -> float:
        """Student's t of how far the difference is above a value."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.divide(self.value - value, self.error))

    @property
    def p(self) -> float:
        """Two-sided, that it is 0."""
        return float(2 * special.stdtr(self.freedom, -abs(self.t)))

    def interval(self, confidence: float = 0.95) -> np.ndarray:
        """(2,) Student's interval."""
        half = special.stdtrit(self.freedom, (1 + confidence) / 2) * self.error
        return self.value + half * np.array([-1.0, 1.0])


def mean_difference(
    apart: np.ndarray, groups: ItemGroups, repeats: Sequence[np.ndarray] = ()
) -> MeanDifference:
    """The mean of (T,) differences.

    Parameters
    ----------
    apart
        Differences of the two systems, by item, means over repeats.
    groups
        Of the items.
    repeats : arrays of float64, shape (T, R)
        What each repeat of each of the two systems has; none: repeats are no sample.
    """
    totals = groups.totals(apart)
    variance, freedom, skew = (float(one) for one in groups.moments(totals))
    units = len(groups.stratum)
    changed = int(np.count_nonzero(np.bincount(groups.unit, np.abs(apart) > 0, units)))
    # on the scale of an item, as `paired_t` has it
    varies = variance > TOLERANCE**2 / len(apart)
    spent = variance**2 / freedom if freedom > 0 else 0.0
    own = [_repeated(one, groups) for one in repeats]
    for of_repeats, due_to_items, size in own:
        variance += max(of_repeats - due_to_items, 0.0)
        spent += of_repeats**2 / (size - 1) + due_to_items**2 / ((size - 1) * max(units - 1, 1))
    if own and variance > 0:
        freedom, varies = variance**2 / spent, True
    error = np.nan if np.isnan(variance) else np.sqrt(variance) if varies else 0.0
    size = sum(size for *_, size in own)
    value = float(totals.sum())
    return MeanDifference(
        value, float(error), freedom, skew if varies else 0.0, units, changed, size
    )


def _repeated(values: np.ndarray, groups: ItemGroups) -> tuple[float, float, int]:
    """The variance of the mean of (T, R) repeats; its part that is due to items; R."""
    size, c = values.shape[1], len(groups.stratum)
    totals = groups.totals(values.T)  # (R, U)
    means = totals.sum(axis=1)
    left = totals - totals.mean(axis=0)
    interaction = groups.residuals(left)
    due = (interaction**2).sum() / (size - 1) * (c / (c - 1) if c > 1 else 1.0)
    return float(means.var(ddof=1) / size), float(due / size), size


DOUBT = 1e-4
"""What share of its terms a variance must be, to be had from a product of residuals."""

# --- all pairs, for corrections -------------------------------------------------------------------


def t_of_pairs(values: np.ndarray, groups: ItemGroups) -> np.ndarray:
    """(P,) p of the cluster-robust t-test of all pairs of (S, T) scores.

    One product of residuals serves all pairs.  Where two systems are nearly the same it loses
    digits, and their variance is that of the differences.
    """
    totals = groups.totals(values)
    i, j = np.triu_indices(len(values), 1)
    variance, freedom, doubtful = _variances_of_pairs(totals, groups, i, j)
    value = totals.sum(axis=1)[i] - totals.sum(axis=1)[j]
    for some in np.array_split(doubtful, 1 + len(doubtful) // 1000):
        of = totals[i[some]] - totals[j[some]]
        value[some], (variance[some], freedom[some], _) = of.sum(axis=1), groups.moments(of)
    value[np.abs(value) <= TOLERANCE] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.where(variance > TOLERANCE**2 / values.shape[1], np.sqrt(variance), 0.0)
        t = value / np.where(np.isnan(variance), np.nan, error)
    return 2 * special.stdtr(freedom, -np.abs(t))


def _variances_of_pairs(
    totals: np.ndarray, groups: ItemGroups, i: np.ndarray, j: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Variances and degrees of freedom of pairs' differences, and the pairs that lose digits."""
    left, items = groups.residuals(totals), np.bincount(groups.unit)
    variance, spent, terms = (np.zeros(len(i)) for _ in range(3))
    for k in np.unique(groups.stratum):
        own, sizes = left[:, groups.stratum == k], items[groups.stratum == k]
        products = (own * residual_factors(sizes)) @ own.T
        squares = products.diagonal()
        part = squares[i] + squares[j] - 2 * products[i, j]
        variance, terms = variance + part, terms + squares[i] + squares[j]
        spent = spent + part**2 / max(cluster_freedom(sizes), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = np.where(variance > 0, variance**2 / spent, groups.sizes.sum() - 1.0)
    if len(groups.sizes) == 1:
        freedom = np.full(len(i), cluster_freedom(items))
    return variance, freedom, np.flatnonzero(~(variance > DOUBT * terms))


def wilcoxon_of_pairs(values: np.ndarray, groups: ItemGroups, permutations: int) -> np.ndarray:
    """(P,) p of the signed-rank test of all pairs of (S, T) scores; see `signed_rank_p`."""
    places = zip(*np.triu_indices(len(values), 1), strict=True)
    of = (differences(values[a], values[b]) for a, b in places)
    return np.array([signed_rank_p(apart, groups.unit, permutations) for apart in of])


def signed_rank_p(apart: np.ndarray, unit: np.ndarray, permutations: int) -> float:
    """Wilcoxon's signed-rank test by sign flips of whole units (Rosner, Glynn and Lee).

    Ranks are those of the items' |differences|, without items on which both score the same.  All
    flips are tried where there are no more than `permutations`; otherwise p is that of the normal
    distribution with the variance of the flips.
    """
    moved = apart != 0
    sizes = np.abs(apart[moved]).round(11)  # equal but for last bits are ties
    _, place, count = np.unique(sizes, return_inverse=True, return_counts=True)
    signed = np.sign(apart[moved]) * (np.cumsum(count) - (count - 1) / 2)[place]
    sums = np.bincount(unit[moved], signed)
    sums = sums[sums != 0]
    if not moved.any():
        return np.nan
    if not len(sums):
        return 1.0
    if 2 ** len(sums) <= permutations:
        return flips_p(sums)
    return float(2 * special.ndtr(-abs(sums.sum()) / np.sqrt((sums**2).sum())))


def flips_p(sums: np.ndarray) -> float:
    """Two-sided p of a sum under all assignments of signs to its parts."""
    signs = np.array([*product((1.0, -1.0), repeat=len(sums))])
    least = abs(sums.sum()) - TOLERANCE * np.abs(sums).sum()
    return float((np.abs(signs @ sums) >= least).mean())
