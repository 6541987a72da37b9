"""What is added up over universes of pairs and of systems, in whole numbers.

Whole numbers do not depend on the order of additions, so that parts may come from any job.  A
combination of the axes but labels (a *condition*) counts as much as
`regrade.sweeps.axes.Conditions.weights` say; labels of entries that stand for as many count the
same, and are added up together (a *class*).

Of a conclusion y (1, 0 or −1) of a pair, the functional ANOVA over all axes needs Σ y and Σ y² of
each condition over labels and, for each axis, the squares of what y is in the mean over its levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from regrade.compiled import njit
from regrade.kendall import TOLERANCE
from regrade.sweeps.axes import Conditions
from regrade.sweeps.sweep import Block, Sweep

FAR = 127
"""More choices than there are: of a conclusion that is the same in every universe."""


@dataclass(eq=False)
class Sums:
    """Sums over the universes of some labels; G classes, K conditions, P pairs, S systems.

    Attributes
    ----------
    better_first, better_second : arrays of int32, shape (G, K, P)
        Labels under which the first, or the second, of a pair is significantly better.
    higher, lower : arrays of int32, shape (G, K', P)
        Labels under which the mean of the first is higher, or lower; K' conditions without tests.
    ranks : array of int32, shape (G, K', S, S)
        Labels under which a system has each rank.
    squares : array of int64, shape (G, 7, P)
        Of the complete factorial, over labels and over combinations of the other axes, the weighted
        squares of Σ w y over each axis's levels; last, over labels, those of Σ w y over all.
    of_entry : array of int64, shape (E, P)
        Weight of the universes whose conclusion is not the baseline's.
    ranks_of_entry : array of int64, shape (E, S, S)
        As `ranks`, weighted and added up over conditions.
    nearest : array of int64, shape (P, 4)
        Of the nearest universe whose conclusion is another: choices that differ from the
        baseline's (`FAR` if there is none), entry, label within it, condition.
    """

    better_first: np.ndarray
    better_second: np.ndarray
    higher: np.ndarray
    lower: np.ndarray
    ranks: np.ndarray
    squares: np.ndarray
    of_entry: np.ndarray
    ranks_of_entry: np.ndarray
    nearest: np.ndarray

    @classmethod
    def nothing(cls, sweep: Sweep) -> Sums:
        """Of no universe of a sweep."""
        conditions, systems, entries = (
            sweep.design.conditions,
            len(sweep.systems),
            len(sweep.labels),
        )
        G, K = len(sweep.classes.sizes), len(conditions.codes)
        rankings, P = K // conditions.tests, systems * (systems - 1) // 2
        zeros = {
            "better_first": (G, K, P),
            "better_second": (G, K, P),
            "higher": (G, rankings, P),
            "lower": (G, rankings, P),
            "ranks": (G, rankings, systems, systems),
            "squares": (G, len(conditions.axes) + 1, P),
            "of_entry": (entries, P),
            "ranks_of_entry": (entries, systems, systems),
        }
        nearest = np.full((P, 4), FAR, dtype=np.int64)
        counts = ("better_first", "better_second", "higher", "lower", "ranks")
        kind = {name: np.int32 if name in counts else np.int64 for name in zeros}
        arrays = {name: np.zeros(shape, dtype=kind[name]) for name, shape in zeros.items()}
        return cls(**arrays, nearest=nearest)

    def add(self, other: Sums) -> None:
        """Add those of other universes."""
        for field in fields(self):
            if field.name != "nearest":
                getattr(self, field.name)[...] += getattr(other, field.name)
        self.take_nearer(other.nearest)

    def take_nearer(self, nearest: np.ndarray) -> None:
        """Take those of other universes, (P, 4), that are nearer; the first of as near ones."""
        rows = np.stack([self.nearest, nearest], axis=1)
        keys = [rows[:, :, c] for c in (3, 2, 1, 0)]
        first = np.lexsort(keys, axis=-1)[:, 0] if len(rows) else np.empty(0, np.int64)
        self.nearest[...] = rows[np.arange(len(rows)), first]


def add_labels(
    sums: Sums,
    sweep: Sweep,
    block: Block,
    concluded: np.ndarray,
    means: np.ndarray,
    ranks: np.ndarray,
) -> None:
    """Add some labels: their conclusions (B, K, P), means and ranks (B, K', S)."""
    design, conditions, entry = sweep.design, sweep.design.conditions, block.entry
    g, possible, baseline = sweep.classes.of[entry], sweep.possible[entry], sweep.baseline
    weights = np.where(possible, conditions.weights, 0)
    of_rankings = weights.reshape(-1, conditions.tests).sum(axis=1)
    _add_concluded(concluded, sums.better_first[g], sums.better_second[g])
    _add_order(means, of_rankings > 0, sums.higher[g], sums.lower[g])
    _add_ranks(ranks, of_rankings, sums.ranks[g], sums.ranks_of_entry[entry])
    _add_differing(concluded, weights, baseline.conclusions, sums.of_entry[entry])
    differing = design.differing + int(entry != design.baseline_entry)
    distance = np.where(possible, differing, FAR)
    _add_nearest(concluded, distance, baseline.conclusions, entry, block.start, sums.nearest)
    if sweep.classes.complete[g]:
        _add_squares(concluded, conditions, sweep.factorials[0][1:], sums.squares[g])


def _add_squares(
    concluded: np.ndarray,
    conditions: Conditions,
    complete: Sequence[np.ndarray],
    squares: np.ndarray,
) -> None:
    """Add the squares over the levels of each axis that are in the largest complete factorial."""
    within = concluded.reshape(len(concluded), *conditions.shape, concluded.shape[-1])
    for axis, levels in enumerate(complete):
        if len(levels) < within.shape[axis + 1]:  # a copy is as large as what is added up
            within = np.take(within, levels, axis=axis + 1)
    within = np.ascontiguousarray(within)
    own = [axis.weights[kept] for axis, kept in zip(conditions.axes, complete, strict=True)]
    parts = [(_products(own[:a]), one, _products(own[a + 1 :])) for a, one in enumerate(own)]
    parts.append((np.ones(1, dtype=np.int64), _products(own), np.ones(1, dtype=np.int64)))
    for (before, weights, after), of in zip(parts, squares, strict=True):
        shape = len(concluded), len(before), len(weights), len(after), concluded.shape[-1]
        _add_squares_of(within.reshape(shape), before, weights, after, of)


def _products(weights: Sequence[np.ndarray]) -> np.ndarray:
    """The products of one weight of each, the last fastest; (n,) int64."""
    products = np.ones(1, dtype=np.int64)
    for own in weights:
        products = np.multiply.outer(products, own).reshape(-1)
    return products


@njit(cache=True, nogil=True)
def _add_concluded(concluded, first, second):
    for b in range(concluded.shape[0]):
        for k in range(concluded.shape[1]):
            own, up, down = concluded[b, k], first[k], second[k]
            for p in range(own.shape[0]):
                up[p] += own[p] > 0
                down[p] += own[p] < 0


@njit(cache=True, nogil=True)
def _add_order(means, possible, higher, lower):
    n_systems = means.shape[2]
    for b in range(means.shape[0]):
        for k in range(means.shape[1]):
            if not possible[k]:
                continue
            own, at = means[b, k], 0
            for i in range(n_systems - 1):
                rest = own[i + 1 :]
                up, down = higher[k, at : at + rest.shape[0]], lower[k, at : at + rest.shape[0]]
                for j in range(rest.shape[0]):
                    gap = own[i] - rest[j]
                    up[j] += gap > TOLERANCE
                    down[j] += gap < -TOLERANCE
                at += rest.shape[0]


@njit(cache=True, nogil=True)
def _add_ranks(ranks, weights, counts, of_entry):
    for b in range(ranks.shape[0]):
        for k in range(ranks.shape[1]):
            if weights[k]:
                for s in range(ranks.shape[2]):
                    rank = ranks[b, k, s] - 1
                    counts[k, s, rank] += 1
                    of_entry[s, rank] += weights[k]


@njit(cache=True, nogil=True)
def _add_differing(concluded, weights, baseline, differing):
    for b in range(concluded.shape[0]):
        for k in range(concluded.shape[1]):
            if weights[k]:
                own = concluded[b, k]
                for p in range(own.shape[0]):
                    differing[p] += weights[k] * (own[p] != baseline[p])


@njit(cache=True, nogil=True)
def _add_nearest(concluded, distance, baseline, entry, start, nearest):
    farthest = nearest[:, 0].max() if nearest.shape[0] else 0
    for b in range(concluded.shape[0]):
        for k in range(concluded.shape[1]):
            if distance[k] >= farthest:
                continue
            own = concluded[b, k]
            for p in range(own.shape[0]):
                if distance[k] < nearest[p, 0] and own[p] != baseline[p]:
                    nearest[p, 0], nearest[p, 1] = distance[k], entry
                    nearest[p, 2], nearest[p, 3] = start + b, k


@njit(cache=True, nogil=True)
def _add_squares_of(parts, before, weights, after, squares):
    total = np.empty(parts.shape[4], dtype=np.int64)
    for b in range(parts.shape[0]):
        for i in range(parts.shape[1]):
            for j in range(parts.shape[3]):
                total[:] = 0
                for level in range(parts.shape[2]):
                    own, weight = parts[b, i, level, j], weights[level]
                    for p in range(own.shape[0]):
                        total[p] += weight * own[p]
                weight = before[i] * after[j]
                for p in range(total.shape[0]):
                    squares[p] += weight * total[p] * total[p]
