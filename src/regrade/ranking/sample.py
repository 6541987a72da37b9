"""Values of systems on the independent units of a sample, and the variances of their means.

The variance of a mean is that of its units (`regrade.ranking.layout`), and of repeats of the system
where there are any (`regrade.ranking.repeats`); its degrees of freedom are Satterthwaite's.

References
----------
Satterthwaite, An approximate distribution of estimates of variance components, Biometrics Bulletin
2(6), 1946.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from regrade.intervals import INTERVALS
from regrade.item_scores.scores import ScoreDesign
from regrade.ranking.layout import Layout
from regrade.ranking.repeats import RepeatVariance, repeat_variance


@dataclass(frozen=True, eq=False)
class Sample:
    """Values of S systems on the N independent units of a sample, by one measure.

    Attributes
    ----------
    values : array of float64, shape (S, N)
        Their means over units are the systems' means.
    items : array of float64, shape (S, T)
        Scores of items; the values where each item is a unit.
    starts : array of int64, shape (D,)
        The first unit of each data set.
    is_binary
        Whether each score is 0 or 1, or 0 or −1.
    repeats
        The variance of means that is due to repeats; ``None`` where systems have one.
    weights : array of float64, shape (N,)
        Sizes of clusters over their mean in the data set; ``None`` where all are alike.
    fewest
        Units from which on anything is said of the population.
    factors : array of float64, shape (N,)
        Of squares of what units are off the mean, in the variance of the mean
        (`regrade.significance.clusters`); ``None`` where all are 1.
    freedoms : array of float64, shape (D,)
        Degrees of freedom of the variance of each data set's mean.
    """

    values: np.ndarray
    items: np.ndarray
    starts: np.ndarray
    is_binary: bool
    repeats: RepeatVariance | None = None
    weights: np.ndarray | None = None
    fewest: int = INTERVALS["mean_over_topics"].fewest
    factors: np.ndarray | None = None
    freedoms: np.ndarray | None = None

    @classmethod
    def of(cls, scores: np.ndarray, layout: Layout | None = None) -> Sample:
        """Scores (S, T) of items."""
        is_binary = _is_binary(scores)
        if layout is None:
            freedoms = np.array([scores.shape[1] - 1.0])
            starts = np.zeros(1, np.int64)
            return cls(np.ascontiguousarray(scores), scores, starts, is_binary, freedoms=freedoms)
        kind = "mean_over_clusters" if len(layout.starts) == 1 else "mean_of_datasets"
        values, weights, factors = np.ascontiguousarray(layout.values(scores)), None, None
        if not layout.is_even:
            weights, factors = layout.weights(), layout.factors()
        return cls(
            values, scores, layout.starts, is_binary, None, weights, INTERVALS[kind].fewest,
            factors, layout.freedoms(),
        )  # fmt: skip

    @classmethod
    def of_design(
        cls,
        scores: np.ndarray,
        layout: Layout | None,
        design: ScoreDesign | None,
        m: int,
        order: np.ndarray,
    ) -> Sample:
        """The scores (S, T) by measure m of systems in this order."""
        sample = cls.of(scores, layout)
        if design is None or design.repeats is None:
            return sample
        values = design.repeats[order, :, m]
        known = values[np.isfinite(values)]
        variance = repeat_variance(values, layout)
        return replace(sample, is_binary=_is_binary(known), repeats=variance)

    def __len__(self) -> int:
        """N."""
        return self.values.shape[1]

    @cached_property
    def units(self) -> np.ndarray:
        """(D,) units of each data set."""
        return np.diff(self.starts, append=len(self))

    @property
    def is_plain(self) -> bool:
        """Whether each item is a unit, all are of one data set, and systems have one repeat."""
        return len(self) == self.items.shape[1] and len(self.starts) == 1 and self.repeats is None

    @property
    def has_variance(self) -> bool:
        """Whether each data set has the two units that a variance needs."""
        return bool(self.units.min() > 1)

    @property
    def equal_units(self) -> float:
        """As many units of one data set have the variance of the mean that these have."""
        return len(self.starts) ** 2 / float((1 / self.units).sum())

    def variance(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """N times the variance of each mean of (K, N) values, and its degrees of freedom; (K,)."""
        if len(self) < 2:
            return np.full(len(values), np.nan), np.zeros(len(values))
        if self.factors is None and len(self.starts) == 1:
            return values.var(axis=1, ddof=1), np.full(len(values), self.freedoms[0])
        squares = (values - values.mean(axis=1, keepdims=True)) ** 2
        if self.factors is not None:
            squares *= self.factors
        variance = squares.sum(axis=1) / (len(self) - 1)
        if len(self.starts) == 1:
            return variance, np.full(len(values), self.freedoms[0])
        parts = np.add.reduceat(squares, self.starts, axis=1).T
        return variance, satterthwaite(parts, self.freedoms)


def satterthwaite(parts: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """(K,) degrees of freedom of sums of (D, K) independent mean squares, each with its own."""
    fourth = (parts**2 / np.maximum(freedom, 1)[:, None]).sum(axis=0)
    total = parts.sum(axis=0) ** 2
    return np.divide(total, fourth, out=np.full(len(total), float(freedom.sum())), where=fourth > 0)


def _is_binary(scores: np.ndarray) -> bool:
    """Whether each score is 0 or 1; or 0 or −1, where lower ones are better."""
    return any(((scores == 0) | (scores == one)).all() for one in (1, -1))
