"""The axes of a sweep as arrays: combinations of levels, what each counts, and their numbers.

Entries of an axis count the same, and so do the levels of an entry, so that 18,424 cuts of one
judge do not outvote the labels of another.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class Axis:
    """One of `AXES`.

    Attributes
    ----------
    name
        Its name.
    levels
        n names, those of an entry together, entries in their order.
    entries
        The entry of each level; n names.
    """

    name: str
    levels: tuple[str, ...]
    entries: tuple[str, ...]

    @classmethod
    def of(cls, name: str, entries: Mapping[str, Sequence[str]]) -> Axis:
        """The axis of some entries, each with its levels."""
        pairs = [(level, entry) for entry, levels in entries.items() for level in levels]
        return cls(name, tuple(level for level, _ in pairs), tuple(entry for _, entry in pairs))

    def __len__(self) -> int:
        """How many levels it has."""
        return len(self.levels)

    @cached_property
    def sizes(self) -> np.ndarray:
        """(n,) int64: how many levels the entry of each has."""
        count = {entry: self.entries.count(entry) for entry in dict.fromkeys(self.entries)}
        return np.array([count[entry] for entry in self.entries], dtype=np.int64)

    @cached_property
    def weights(self) -> np.ndarray:
        """(n,) int64: how much each level counts; an entry has the same in all."""
        return math.lcm(*self.sizes.tolist()) // self.sizes


@dataclass(frozen=True)
class Conditions:
    """All combinations of the axes but labels.

    Attributes
    ----------
    axes
        The six axes, in the order of `AXES`.
    """

    axes: tuple[Axis, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Levels of each axis; K in all."""
        return tuple(len(axis) for axis in self.axes)

    @cached_property
    def codes(self) -> np.ndarray:
        """(K, 6) int64: the level on each axis of every combination, the last axis fastest."""
        return np.stack(np.unravel_index(np.arange(math.prod(self.shape)), self.shape), axis=1)

    @cached_property
    def weights(self) -> np.ndarray:
        """(K,) int64: how much each combination counts."""
        each = [axis.weights[self.codes[:, a]] for a, axis in enumerate(self.axes)]
        return np.prod(each, axis=0, dtype=np.int64)

    @cached_property
    def keys(self) -> np.ndarray:
        """(K,) uint64: of the choices alone, whatever other levels there are."""
        return self.mixed(len(self.axes))

    @cached_property
    def ranking_keys(self) -> np.ndarray:
        """(K,) uint64: the same without the test, on which no ranking depends."""
        return self.mixed(len(self.axes) - 1)

    @property
    def tests(self) -> int:
        """Levels of the last axis, the tests: so many combinations have one ranking."""
        return len(self.axes[-1])

    def entries(self, a: int) -> tuple[list[str], np.ndarray]:
        """The entries of axis a, and (K,) which of them each combination has."""
        names = list(dict.fromkeys(self.axes[a].entries))
        place = np.array([names.index(entry) for entry in self.axes[a].entries])
        return names, place[self.codes[:, a]]

    def words(self, k: int) -> list[str]:
        """The levels of a combination."""
        return [axis.levels[code] for axis, code in zip(self.axes, self.codes[k], strict=True)]

    def mixed(self, count: int) -> np.ndarray:
        """Keys of the first `count` axes' choices."""
        keys = np.zeros(len(self.codes), dtype=np.uint64)
        for a, axis in enumerate(self.axes[:count]):
            own = np.array([key_of(axis.name, level) for level in axis.levels], dtype=np.uint64)
            keys = mix(keys, own[self.codes[:, a]])
        return keys


@dataclass(frozen=True, eq=False)
class Classes:
    """Entries of the axis of labels that are added up together.

    Attributes
    ----------
    of : array of int, shape (E,)
        The class of each entry.
    sizes : array of int64, shape (G,)
        How many labels an entry of each class stands for.
    complete : array of bool, shape (G,)
        Whether its entries are in the largest complete factorial.
    """

    of: np.ndarray
    sizes: np.ndarray
    complete: np.ndarray

    @classmethod
    def make(cls, counts: Sequence[int], complete: Sequence[bool]) -> Classes:
        """The classes of entries that stand for so many labels."""
        rows = np.stack([np.asarray(counts), np.asarray(complete)], axis=1).astype(np.int64)
        kinds, of = np.unique(rows, axis=0, return_inverse=True)
        return cls(of.reshape(-1), kinds[:, 0], kinds[:, 1].astype(bool))


def key_of(*texts: str) -> int:
    """A number of 64 bits that stands for some texts."""
    text = json.dumps(texts, ensure_ascii=False)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def mix(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """One uint64 of two, in which each bit depends on all of both (Steele's splitmix64)."""
    with np.errstate(over="ignore"):
        z = first * np.uint64(0x9E3779B97F4A7C15) + second
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def universe_numbers(labels: np.ndarray, conditions: np.ndarray) -> np.ndarray:
    """Numbers of universes, int64 from 0, of keys of labels and of conditions that fit."""
    return (mix(labels, conditions) >> np.uint64(1)).astype(np.int64)


# --- combinations that cannot be ---------------------------------------------------------------


def largest_factorials(
    possible: np.ndarray, counts: Sequence[np.ndarray]
) -> list[list[np.ndarray]]:
    """The largest complete factorials within some combinations, until each level is in one.

    Notes
    -----
    Levels of an axis that go with the same of the others are kept together, so that few products
    of classes are left to look at.
    """
    classes = []
    for axis in range(possible.ndim - 1):
        rows = np.moveaxis(possible, axis, 0).reshape(possible.shape[axis], -1)
        _, of = np.unique(rows, axis=0, return_inverse=True)
        of = of.reshape(-1)
        classes.append([np.flatnonzero(of == group) for group in range(of.max() + 1)])
    factorials, covered = [], [np.zeros(len(c), dtype=bool) for c in counts]
    while True:
        best, most = None, 0
        # the last axis's levels follow from the choice on the others
        for chosen in itertools.product(*map(_unions, classes)):
            within = possible[np.ix_(*chosen)].reshape(-1, possible.shape[-1]).all(axis=0)
            levels = [*chosen, np.flatnonzero(within)]
            size = math.prod(
                int(count[own].sum()) for count, own in zip(counts, levels, strict=True)
            )
            new = any((~known[own]).any() for known, own in zip(covered, levels, strict=True))
            if new and size > most:
                best, most = levels, size
        if best is None:
            return factorials
        factorials.append(best)
        for known, own in zip(covered, best, strict=True):
            known[own] = True


def _unions(groups: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Every union of one group or more, ascending."""
    return [
        np.sort(np.concatenate(some))
        for count in range(len(groups), 0, -1)
        for some in itertools.combinations(groups, count)
    ]
