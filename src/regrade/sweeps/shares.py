"""How much of the variance of what a sweep concludes each axis has a part in; ``sweeps/axes``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue import columns_of
from regrade.sweeps.sweep import Block, Sweep
from regrade.variance_shares import variance_shares

if TYPE_CHECKING:
    from regrade.sweeps.label_sweep import LabelSweep

OUTCOMES = ("tau", "significant_pairs", "changed_pairs")
"""Outcomes of a universe whose variance is shared out."""

UNDEFINED = 1e-20
"""A variance below this is none."""


def outcome_arrays(
    sweep: Sweep, universes: Iterable[tuple[Block, pa.Table]]
) -> dict[str, np.ndarray]:
    """Outcomes (N, K) of labels and conditions, NaN where these cannot be.

    Of each block the table is as `regrade.sweeps.parts.universe_table` gives it.
    """
    first = np.append(0, np.cumsum(sweep.counts))
    shape = int(first[-1]), sweep.possible.shape[1]
    outcomes = {name: np.full(shape, np.nan) for name in OUTCOMES}
    for block, table in universes:
        ks = np.flatnonzero(sweep.possible[block.entry])
        start = first[block.entry] + block.start
        for name, values in outcomes.items():
            own = table[name].to_numpy().astype(float).reshape(len(block), len(ks))
            values[start : start + len(block), ks] = own
    return outcomes


def outcome_shares(sweep: Sweep | LabelSweep, outcomes: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Shares of each outcome's variance, of each complete factorial; ``sweeps/axes``."""
    conditions, columns = sweep.design.conditions, columns_of("sweeps/axes")
    of_label = np.repeat(np.arange(len(sweep.counts)), sweep.counts)
    tables = [pd.DataFrame(columns=columns)]
    for number, (labels, *levels) in enumerate(sweep.factorials, 1):
        rows = np.flatnonzero(np.isin(of_label, labels))
        own = {sweep.design.first: 1.0 / sweep.counts[of_label[rows]]}
        for axis, kept in zip(conditions.axes, levels, strict=True):
            own[axis.name] = axis.weights[kept].astype(float)
        several = {name: weights for name, weights in own.items() if len(weights) > 1}
        for name, values in outcomes.items():
            inside = values[rows].reshape(len(rows), *conditions.shape)
            inside = inside[np.ix_(np.arange(len(rows)), *levels)]
            if several and np.isfinite(inside).all():
                inside = inside.reshape([len(weights) for weights in several.values()])
                table = variance_shares(inside, [*several], several)
                table = table.rename(columns={"other": "with_axis"})
                table = table.assign(factorial=number, outcome=name, system=None, other=None)
                tables.append(table[columns])
    return pd.concat(tables[len(tables) > 1 :], ignore_index=True)


def difference_shares(sweep: Sweep, means: Iterable[tuple[Block, np.ndarray]]) -> pd.DataFrame:
    """Shares of the variance of each pair's difference of means, of the largest factorial.

    A difference is in standard deviations of all systems' means at the baseline with the universe's
    measure.  With G_u the mean product, over the levels of some axes u, of the systems' means
    over all others, the closed variance of the difference of i and j is G_ii + G_jj − 2 G_ij less
    the square of its mean.
    """
    conditions = sweep.design.conditions
    scoring = len(conditions.axes) - 1  # all but the test say what systems score
    inside = sweep.factorials[0]
    axes = [1 + a for a in range(scoring) if len(inside[1 + a]) > 1]
    n_labels = int(sweep.counts[inside[0]].sum())
    own = [a.weights[i].astype(float) for a, i in zip(conditions.axes, inside[1:], strict=True)]
    own = [w / w.sum() for w in own[:scoring]]
    shape, levels = conditions.shape[:scoring], inside[1 : 1 + scoring]
    unit, centre = _units(sweep)
    S = len(sweep.systems)
    per_label = 1.0 / (len(inside[0]) * sweep.counts)
    over_labels = np.zeros((*(len(i) for i in levels), S))
    # subsets of the other axes, of which a mean by label is wanted
    subsets = {(), tuple(axes)}
    subsets |= {(a,) for a in axes}
    subsets |= {tuple(b for b in axes if b != a) for a in axes}
    subsets |= {tuple(c for c in axes if c not in ab) for ab in combinations(axes, 2)}
    grams = {u: np.zeros((S, S)) for u in subsets}
    for block, values in means:
        if block.entry not in inside[0]:
            continue
        x = values.reshape(len(block), *shape, S)[
            np.ix_(np.arange(len(block)), *levels, np.arange(S))
        ]
        x = x / unit - centre
        weight = per_label[block.entry]
        over_labels += weight * x.sum(axis=0)
        for u in subsets:
            grams[u] += weight * _gram(_closed(x, own, u), own, u)
    grams = {(0, *u): gram for u, gram in grams.items()}
    over = [some for count in range(3) for some in combinations(axes, count)]
    over += [tuple(axes), *(tuple(b for b in axes if b != a) for a in axes)]
    for u in over:
        grams[u] = _gram(_closed(over_labels[None], own, u), own, u)
    every = ([0] if n_labels > 1 else []) + axes
    i, j = sweep.pairs
    squares = {}
    for u, gram in grams.items():
        diagonal = gram.diagonal()
        squares[u] = diagonal[i] + diagonal[j] - 2 * gram[i, j]
    closed = {u: value - squares[()] for u, value in squares.items()}
    if n_labels == 1:
        closed = {tuple(a for a in u if a): value for u, value in closed.items() if 0 in u}
    return _share_table(sweep, closed, every)


def _units(sweep: Sweep) -> tuple[np.ndarray, np.ndarray]:
    """By measure, a standard deviation of the systems' means at the baseline; and these means.

    The former of a shape that fits (B, axes to score, S), the latter (S,) with the baseline's
    measure and in its standard deviations: taken from all, they change no variance and keep its
    digits.
    """
    axes, means = sweep.design.conditions.axes, sweep.baseline_means
    unit = {measure: float(own.std()) or 1.0 for measure, own in means.items()}
    (place,) = (a for a, axis in enumerate(axes) if axis.name == "measure")
    own = [axes[place].levels[level] for level in sweep.factorials[0][1 + place]]
    units = np.array([unit.get(measure, 1.0) for measure in own])
    at = sweep.design.baseline["measure"]
    return units.reshape(-1, *[1] * (len(axes) - 1 - place)), means[at] / unit[at]


def _closed(x: np.ndarray, own: Sequence[np.ndarray], kept: Sequence[int]) -> np.ndarray:
    """Means over the axes that are not kept, (B, …, S) of (B, axes to score, S); `kept` from 1."""
    for axis in reversed(range(1, len(own) + 1)):
        if axis not in kept:
            weights = own[axis - 1].reshape(-1, *[1] * (x.ndim - axis - 1))
            x = (x * weights).sum(axis=axis)
    return x


def _gram(x: np.ndarray, own: Sequence[np.ndarray], kept: Sequence[int]) -> np.ndarray:
    """Σ w x xᵀ over the first axis and those kept, (S, S)."""
    weights = np.ones(1)
    for axis in kept:
        weights = np.multiply.outer(weights, own[axis - 1]).reshape(-1)
    rows = x.reshape(x.shape[0], -1, x.shape[-1])
    weighted = (rows * np.sqrt(weights)[None, :, None]).reshape(-1, x.shape[-1])
    return weighted.T @ weighted


def _share_table(sweep: Sweep, closed: dict, every: Sequence[int]) -> pd.DataFrame:
    """Rows of ``sweeps/axes`` of closed variances of pairs' differences."""
    variance = closed[tuple(every)]
    known = variance > UNDEFINED

    def share(value: np.ndarray) -> np.ndarray:
        quotient = np.full(len(value), np.nan)
        np.divide(value, variance, out=quotient, where=known)
        return quotient.clip(0, 1)

    def rest(*axes: int) -> np.ndarray:
        return closed[tuple(a for a in every if a not in axes)]

    parts = []
    for some in [*combinations(every, 1), *combinations(every, 2)]:
        first, total, with_axis = closed[some], variance - rest(some[0]), None
        if len(some) == 2:
            a, b = some
            first = first - closed[a,] - closed[b,]
            total = total - rest(b) + rest(a, b)
            with_axis = sweep.design.axes[b]
        columns = {"factorial": 1, "outcome": "difference", **sweep.named_pairs}
        columns |= {"axis": sweep.design.axes[some[0]], "with_axis": with_axis}
        columns |= {"first_order": share(first), "total": share(total)}
        parts.append(pd.DataFrame(columns))
    if not parts:
        return pd.DataFrame(columns=columns_of("sweeps/axes"))
    return pd.concat(parts, ignore_index=True)
