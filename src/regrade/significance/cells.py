"""Scores by topic and system: the cells that analyses of covariance and mixed models work on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from regrade.errors import MethodError, ParameterError
from regrade.kendall import TOLERANCE

COLUMNS = ("depth", "system", "topic", "measure", "value")
"""What is read of a table of scores."""


@dataclass(frozen=True, eq=False)
class Cells:
    """N rows in T × S cells.

    ``cell`` is topic · S + system of each row.  The (T, S) arrays are each cell's number of rows,
    mean depth, sum of squares of depth, mean value, slope, and residual sum of squares of its line;
    0 where there is nothing to take it from.
    """

    topics: list[str]
    systems: list[str]
    cell: np.ndarray
    depth: np.ndarray
    value: np.ndarray
    n: np.ndarray
    depth_mean: np.ndarray
    depth_ss: np.ndarray
    value_mean: np.ndarray
    slope: np.ndarray
    residual_ss: np.ndarray

    @classmethod
    def of(cls, rows: pd.DataFrame) -> Cells:
        """Gather rows with columns `COLUMNS` but ``measure``."""
        topics, topic = _codes(rows, "topic")
        systems, system = _codes(rows, "system")
        depth = rows["depth"].to_numpy(dtype=np.float64)
        value = rows["value"].to_numpy(dtype=np.float64)
        if not (np.isfinite(depth).all() and np.isfinite(value).all()):
            raise ParameterError("scores: a depth or value is not finite; leave such rows out")
        shape = len(topics), len(systems)
        cell = topic * shape[1] + system

        def per_cell(weights: np.ndarray) -> np.ndarray:
            return np.bincount(cell, weights, minlength=shape[0] * shape[1])

        n = per_cell(np.ones(len(cell)))
        depth_mean = _ratio(per_cell(depth), n)
        value_mean = _ratio(per_cell(value), n)
        x, y = depth - depth_mean[cell], value - value_mean[cell]
        depth_ss = per_cell(x**2)
        depth_ss[depth_ss <= n * (TOLERANCE * np.abs(depth).max()) ** 2] = 0.0
        slope = _ratio(per_cell(x * y), depth_ss)
        residual_ss = per_cell((y - slope[cell] * x) ** 2)
        return cls(
            topics,
            systems,
            cell,
            depth,
            value,
            *(a.reshape(shape) for a in (n, depth_mean, depth_ss, value_mean, slope, residual_ss)),
        )

    @property
    def shape(self) -> tuple[int, int]:
        """T and S."""
        return len(self.topics), len(self.systems)

    @property
    def total_ss(self) -> float:
        """The corrected total sum of squares."""
        return float(((self.value - self.value.mean()) ** 2).sum())


def by_measure(scores: pd.DataFrame) -> Iterator[tuple[str, Cells]]:
    """The scores of each measure as cells, in the order of the measures."""
    missing = sorted(set(COLUMNS) - set(scores.columns))
    if missing:
        raise ParameterError(f"scores: columns missing: {missing}")
    if scores.empty:
        raise MethodError("there are no scores to analyse")
    for measure, rows in scores.groupby("measure", sort=False, observed=True):
        yield str(measure), Cells.of(rows)


def check_varied(measure: str, cells: Cells) -> None:
    """Refuse scores in which topics and systems cannot have effects."""
    for number, names, what in zip(
        cells.shape, (cells.topics, cells.systems), ("topic", "system"), strict=True
    ):
        if number < 2:
            raise MethodError(
                f"{measure}: there are scores of one {what} only, {names[0]}: the effects of "
                "topics and systems need at least two of each"
            )
    if np.ptp(cells.value) <= TOLERANCE:
        raise MethodError(
            f"{measure}: all scores are {cells.value[0]:g}: nothing varies that could be "
            "explained; leave the measure out"
        )


def _codes(rows: pd.DataFrame, column: str) -> tuple[list[str], np.ndarray]:
    """Names, sorted, and each row's code."""
    column_codes, labels = pd.factorize(rows[column])
    names = sorted(map(str, labels))
    place = {name: code for code, name in enumerate(names)}
    return names, np.array([place[str(name)] for name in labels])[column_codes]


def _ratio(total: np.ndarray, weight: np.ndarray) -> np.ndarray:
    return np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)
