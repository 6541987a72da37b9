"""Repeats of systems: seeds, folds, trials.  How much they vary, and what more of them give.

A score is a mean, an effect of the system s, of the item t, of both, of the repeat r of the system
(its seed is shared by all items), and what is left of the repeat on the item:

    x_str = μ + s + t + st + r:s + tr:s

All are random with variances σ².  The mean of a system over T items and R repeats has the error

    (σ²(t) + σ²(st)) / T + σ²(r:s) / R + σ²(tr:s) / (T R)

if both its items and its repeats are a sample.  Means over repeats vary over items by the first
and the last term; the second one is the variance of the repeats' means, less what items make of
them: with mean squares of repeats and of repeats × items, (MS(r) − MS(tr)) / (T R).

References
----------
Brennan, Generalizability Theory, 2001; Satterthwaite, An approximate distribution of estimates of
variance components, Biometrics Bulletin 2(6), 1946.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from regrade.ranking.layout import Layout

ITEMS = (1, 2, 4)
"""Multiples of the items with a standard error."""

REPEATS = (1, 2, 3, 5, 10, 20)
"""Numbers of repeats with a standard error, beside those of the set."""


@dataclass(frozen=True, eq=False)
class RepeatVariance:
    """What repeats add to the variance of S means.

    Attributes
    ----------
    count : array of int64, shape (S,)
        Repeats that score every item.
    between, within : arrays of float64, shape (S,)
        Variance of the repeats' means; that of what items make of such a mean; NaN of one repeat.
    units
        Independent units of the sample.
    """

    count: np.ndarray
    between: np.ndarray
    within: np.ndarray
    units: int

    @property
    def of_means(self) -> np.ndarray:
        """(S,) variance of each mean that is due to effects of repeats; 0 of one repeat."""
        return np.maximum(0.0, np.nan_to_num(self.between - self.within)) / self.count

    @property
    def square(self) -> np.ndarray:
        """(S,) sum of squared terms of `of_means` over their degrees of freedom (Satterthwaite)."""
        more = np.maximum(1, self.count - 1)
        parts = self.between**2 / more + self.within**2 / (more * max(1, self.units - 1))
        return np.nan_to_num(parts) / self.count**2


def repeat_variance(values: np.ndarray, layout: Layout | None) -> RepeatVariance:
    """Variances by the repeats of S systems.

    Parameters
    ----------
    values : array of float64, shape (S, T, R)
        NaN where a system has no such repeat of an item.  Repeats without a score on some item are
        not counted here.
    layout
        Of the items.
    """
    whole = np.isfinite(values).all(axis=1)
    count, between, within = whole.sum(axis=1), *np.full((2, len(values)), np.nan)
    units = values.shape[1] if layout is None else len(layout.item_starts)
    for s in np.flatnonzero(count > 1):
        own = np.ascontiguousarray(values[s][:, whole[s]].T)
        of_units = own if layout is None else layout.values(own)
        means, more = of_units.mean(axis=1, keepdims=True), count[s] - 1
        between[s] = means.var(ddof=1)
        left = of_units - means - (of_units - means).mean(axis=0)
        within[s] = (left**2).sum() / more / max(1, units - 1) / units
    return RepeatVariance(np.maximum(1, count), between, within, units)


@dataclass(frozen=True)
class Components:
    """Variances of items, systems × items, repeats, and repeats × items, and of systems."""

    systems: float
    items: float
    systems_items: float
    repeats: float
    repeats_items: float

    @classmethod
    def of(cls, means: dict[frozenset, float], repeats: RepeatVariance) -> Components:
        """From the variances of means over repeats (`reliability.components`)."""
        several = repeats.count > 1
        within = repeats.within * repeats.units
        of_repeats = float((repeats.between - repeats.within)[several].mean())
        left = float(within[several].mean())
        share = np.where(several, 1 / repeats.count, 0.0)
        own = np.nan_to_num(repeats.between - repeats.within)
        return cls(
            systems=means[frozenset("s")] - float((share * own).mean()),
            items=means[frozenset("t")],
            systems_items=means[frozenset("st")] - float((share * np.nan_to_num(within)).mean()),
            repeats=of_repeats,
            repeats_items=left,
        )

    def rows(self) -> Iterator[tuple[str, float]]:
        """Each by name."""
        yield "systems", self.systems
        yield "items", self.items
        yield "systems × items", self.systems_items
        yield "repeats", self.repeats
        yield "repeats × items", self.repeats_items

    def errors(self, items: int, repeats: int) -> tuple[float, float]:
        """Standard errors of a mean, and of a difference, of so many items and repeats."""
        own = max(0.0, self.systems_items) / items + max(0.0, self.repeats) / repeats
        own += max(0.0, self.repeats_items) / (items * repeats)
        return float(np.sqrt(own + max(0.0, self.items) / items)), float(np.sqrt(2 * own))

    def coefficients(self, items: int, repeats: int) -> tuple[float, float]:
        """Eρ² and Φ of so many items and repeats (`regrade.ranking.reliability`)."""
        absolute, apart = (error**2 for error in self.errors(items, repeats))
        signal = max(0.0, self.systems)
        errors = apart / 2, absolute
        return tuple(signal / (signal + e) if signal + e > 0 else np.nan for e in errors)
