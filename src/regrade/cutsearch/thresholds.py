"""Which cuts a search tries: the thresholds of a scale, and all ways to take some of them.

A threshold is a value up to which a level reaches: a value of a finite scale, or of the data
where the scale is continuous, but the highest.  Cuts between the same two values make the same
levels, so these are all the cuts there are.  Kernels know a threshold by its place and a value by
the number of thresholds that it exceeds.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from math import comb

import numpy as np

from regrade.aggregation import enumerate_cuts, exceeds
from regrade.choices import GRID, MAX_CUTS, MAX_THRESHOLDS
from regrade.errors import ParameterError
from regrade.scales import Scale, check_grid

MAX_VALUES = 100_000_000
"""Cuts times topics that a search holds: some 40 bytes each while the best are found."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Thresholds:
    """The thresholds of a search; made by `Thresholds.of`.

    Attributes
    ----------
    values : array of float64, shape (G,)
        Ascending, on the source scale.
    possible
        How many there are; G, unless `values` are a grid of them.

    Examples
    --------
    >>> found = Thresholds.of(Scale.of({"values": [0, 0.1, 0.5, 3]}), 2)
    >>> found.values.tolist()
    [0.0, 0.1, 0.5]
    >>> found.codes(np.array([0.1, 0.3, 3])).tolist()  # 0.3 is a mean of values
    [1, 2, 3]
    """

    values: np.ndarray
    possible: int

    @classmethod
    def of(
        cls, scale: Scale, levels: int, data: np.ndarray | None = None, grid: int | None = None
    ) -> Thresholds:
        """The thresholds that cut a scale into `levels` levels.

        All of them, as long as they are at most 5,000 and make at most 3,000,000 cuts;
        otherwise a grid of them, that is quantiles of the distinct values: every 50th, say.
        """
        check_grid(grid, levels)
        values = np.array(scale.values) if scale.finite else distinct(data)
        if len(values) < levels:
            raise ParameterError(
                f"the source has {len(values)} distinct values, which cannot be cut into "
                f"{levels} levels: use a finer source or fewer levels"
            )
        possible = values[:-1]
        count = len(possible)
        if grid is None and (count > MAX_THRESHOLDS or comb(count, levels - 1) > MAX_CUTS):
            grid = GRID
        if grid is None or grid >= count:
            return cls(possible, count)
        thresholds = cls(possible[(2 * np.arange(grid) + 1) * count // (2 * grid)], count)
        log.warning("%s", thresholds.note)
        return thresholds

    @property
    def note(self) -> str | None:
        """Which thresholds they are, in words; ``None`` where they are all."""
        if len(self.values) == self.possible:
            return None
        return f"only a grid of {len(self.values)} of the {self.possible} thresholds was tried"

    def count(self, levels: int) -> int:
        """How many cuts into so many levels they make."""
        return comb(len(self.values), levels - 1)

    def check_size(self, levels: int, n_topics: int) -> None:
        """Refuse a search whose values would not fit into memory, with `ParameterError`."""
        cuts = self.count(levels)
        if cuts * n_topics > MAX_VALUES:
            raise ParameterError(
                f"{cuts:,} cuts of {n_topics} topics are more than {MAX_VALUES:,} values, which "
                "need 4 GB: set `grid` to fewer thresholds, or search fewer topics at a time "
                "(`chunks` of a transformation)"
            )

    def codes(self, values: np.ndarray) -> np.ndarray:
        """How many thresholds each value exceeds; int32, of the same shape."""
        values = np.asarray(values, dtype=float)
        codes = np.searchsorted(self.values, values, side="left")
        last = np.maximum(codes - 1, 0)
        return (codes - ((codes > 0) & ~exceeds(values, self.values[last]))).astype(np.int32)

    def cuts(self, levels: int) -> np.ndarray:
        """Every cut on the source scale; float64, (C, levels - 1), in lexicographic order."""
        return self.values[enumerate_cuts(len(self.values) + 1, levels)]


def distinct(values: np.ndarray) -> np.ndarray:
    """The distinct values, ascending; of those that rounding sets apart, the lowest."""
    values = np.unique(np.asarray(values, dtype=float))
    apart = np.ones(len(values), dtype=bool)
    apart[1:] = exceeds(values[1:], values[:-1])
    return values[apart]


def as_scale(source: Scale | int) -> Scale:
    """A scale, or that of so many levels."""
    return source if isinstance(source, Scale) else Scale.of({"levels": source})
