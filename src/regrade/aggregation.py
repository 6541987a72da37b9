"""Cuts and aggregation: how values become levels, and many values one.

A cut of a scale with values 0..S into k levels is c1 < … < c(k-1), each in 0..S-1;
value v gets the level #{j : v > c_j} (han2019 §3.3.3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
from numba import njit

from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import AGGREGATIONS
from regrade.errors import ParameterError, check_choice
from regrade.scales import MAX_LEVELS

MEDIAN, MEDIAN_LOW, MEDIAN_HIGH, MAJORITY, MEAN = range(5)

ROUNDING = 1e-12
"""Relative difference that is taken for rounding where values are compared with thresholds."""

ORDERS = ("at", "ta")
"""Aggregate, then transform; or transform, then aggregate (han2019 §3.3.2)."""


def aggregation_code(name: str) -> int:
    """The code by which kernels know an aggregation; `ParameterError` for an unknown one."""
    check_choice("aggregation", name, AGGREGATIONS)
    return AGGREGATIONS.index(name)


def vote_of(levels: int) -> str:
    """How transformed values become one unless said otherwise (han2019 §4.1.2).

    The majority for two levels, the median for more: with an odd number of values the median
    is the same whether it is taken before or after transforming.
    """
    return "majority" if levels == 2 else "median"


def value_column(table: pa.Table) -> str:
    """The column that holds a set's values: ``grade`` of labels, ``value`` of judgments."""
    return "grade" if "grade" in table.column_names else "value"


def source_values(table: pa.Table) -> np.ndarray:
    """The values of a set of labels or of judgments, in the order of its rows."""
    return table[value_column(table)].to_numpy()


@dataclass(frozen=True)
class Aggregation:
    """How several values become one.

    Attributes
    ----------
    source
        How values of the source scale do: before a cut, in the methods ``at``.
    levels
        How levels do, after a cut, in the methods ``ta``; ``None``: by `vote_of`.

    Raises
    ------
    ParameterError
        If there is no such rule.
    """

    source: str = "median"
    levels: str | None = None

    def __post_init__(self) -> None:
        """Refuse what is no rule."""
        aggregation_code(self.source)
        if self.levels is not None:
            aggregation_code(self.levels)

    @classmethod
    def of(cls, transformation: Mapping) -> Aggregation:
        """Of a transformation: ``aggregate``, with ``source`` and ``levels``."""
        how = transformation["aggregate"]
        return cls(how["source"], how["levels"])

    def vote(self, levels: int) -> str:
        """How levels of a scale of so many become one."""
        return self.levels or vote_of(levels)

    def of_order(self, order: str, levels: int) -> str:
        """What is aggregated in an order of `ORDERS`: source values, or `levels` levels."""
        return self.source if order == "at" else self.vote(levels)


AGGREGATION = Aggregation()
"""How several values become one unless said otherwise."""


def enumerate_cuts(source_levels: int, levels: int) -> np.ndarray:
    """Every cut of a scale, in lexicographic order.

    Parameters
    ----------
    source_levels
        Values of the source scale.
    levels
        Levels of the target scale, 2 to 4.

    Returns
    -------
    ndarray of int16, shape (n_cuts, levels - 1)
        Places of the thresholds among the values, 0 … ``source_levels - 2``.

    Raises
    ------
    ParameterError
        If the scale cannot be cut into that many levels.

    Examples
    --------
    >>> enumerate_cuts(4, 2).ravel().tolist()  # left, middle, right
    [0, 1, 2]
    >>> enumerate_cuts(4, 3).tolist()
    [[0, 1], [0, 2], [1, 2]]
    >>> len(enumerate_cuts(101, 4))
    161700
    """
    if not 2 <= levels <= min(MAX_LEVELS, source_levels):
        raise ParameterError(f"{source_levels} values cannot be cut into {levels} levels")
    places = np.arange(source_levels - 1, dtype=np.int16)
    cuts = places[:, None]
    for _ in range(levels - 2):
        # a further first threshold below those of all cuts so far
        after = np.searchsorted(cuts[:, 0], places, side="right")
        first = np.repeat(places, len(cuts) - after)
        cuts = np.column_stack([first, np.concatenate([cuts[start:] for start in after])])
    return cuts


def transform(values: np.ndarray, cut: Sequence[float]) -> np.ndarray:
    """Level #{j : v > c_j} of each value; values need not be on the scale (see `exceeds`).

    Examples
    --------
    >>> transform(np.array([0, 2.5, 100]), (2, 50, 99)).tolist()
    [0, 1, 3]
    """
    return exceeds(np.asarray(values)[..., None], np.asarray(cut)).sum(axis=-1)


def exceeds(values: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """Whether a value is above a threshold by more than rounding, 1e-12 of the larger one.

    A mean of decimal numbers is a decimal number that a double only comes near: (0.1 + 0.2) / 2
    does not exceed 0.15.
    """
    values, thresholds = np.asarray(values, dtype=float), np.asarray(thresholds, dtype=float)
    return values - thresholds > ROUNDING * np.maximum(np.abs(values), np.abs(thresholds))


def aggregate(judgments: pa.Table, how: str, levels: int | None = None) -> pa.Table:
    """One value per topic and document from all its judgments, each worker's once.

    Parameters
    ----------
    judgments
        Schema ``judgments``, or ``qrels``: labels, which aggregate to themselves.
    how
        ``median`` (the mean of the two middle values of an even count), ``median_low`` or
        ``median_high`` (the lower or the higher of the two), ``majority`` (the most frequent
        value, ties to the lowest) or ``mean``.
    levels
        If given, the result is put back on the scale 0 … ``levels - 1``: the nearest level,
        halves to the lower one, as ties go in a majority vote.

    Returns
    -------
    Table in schema ``qrels``, sorted by topic and docno.
    """
    return _labels(_aggregated(_values(judgments), how, levels))


def once_per_worker(
    judgments: pd.DataFrame, keys: Sequence[str] = ("topic", "docno", "worker")
) -> pd.DataFrame:
    """One row per topic, document and worker: a worker counts once per document.

    Documents of known relevance are in every unit (HIT) of a topic, so a worker with several
    units judges them several times.  No column of a judgments table says in which order a
    worker did the units, so there is no first or last judgment to choose: the middle value counts,
    of an even count the lower of the two middle ones, so that it is a value of the scale.

    Parameters
    ----------
    judgments
        With the columns of `keys` and ``value``.
    keys
        The columns that identify what counts once.

    Returns
    -------
    DataFrame
        The columns of `keys` and ``value``; in the order of `judgments` where nothing repeats.
    """
    columns = [*keys, "value"]
    repeated = judgments.duplicated([*keys], keep=False).to_numpy()
    if not repeated.any():
        return judgments[columns]
    once = judgments.loc[~repeated, columns]
    groups = judgments[repeated].groupby([*keys], as_index=False, observed=True)["value"]
    return pd.concat([once, _median(groups, "median_low")], ignore_index=True)


@njit(cache=True, nogil=True)
def histogram_aggregate(counts, total, values, how):
    """The aggregate of `total` ≥ 1 values given as counts per value; on the values' scale.

    Parameters
    ----------
    counts : array of int64, shape (V,)
    total
        Their sum.
    values : array of float64, shape (V,)
        Ascending.
    how
        The aggregation's code.
    """
    if how == MAJORITY:
        return values[np.argmax(counts)]
    if how == MEAN:
        weighted = np.sum(values * counts)
        largest = max(abs(values[0]), abs(values[-1]))
        return weighted / total if abs(weighted) > ROUNDING * largest else 0.0
    low = (total - 1) // 2 if how != MEDIAN_HIGH else total // 2
    high = total // 2 if how != MEDIAN_LOW else (total - 1) // 2
    return (values[_order_statistic(counts, low)] + values[_order_statistic(counts, high)]) / 2


@njit(cache=True, nogil=True)
def aggregates(histograms, values, how):
    """The aggregate of each row of (D, V) counts of V ascending values; NaN where none, (D,)."""
    found = np.full(histograms.shape[0], np.nan)
    for d in range(histograms.shape[0]):
        total = histograms[d].sum()
        if total > 0:
            found[d] = histogram_aggregate(histograms[d], total, values, how)
    return found


@njit(cache=True, nogil=True)
def _order_statistic(counts, position):
    seen = 0
    for value in range(counts.shape[0]):
        seen += counts[value]
        if seen > position:
            return value
    return counts.shape[0] - 1


def transformed_labels(
    judgments: pa.Table,
    cuts: Mapping[str, Sequence[float]],
    order: str,
    how: str,
    levels: int,
) -> pa.Table:
    """Labels of all documents under each topic's cut.

    Parameters
    ----------
    judgments
        Schema ``judgments``, or ``qrels``: expert labels, one per document, which aggregate to
        themselves.
    cuts
        The cut of each topic; other topics are left out.
    order
        ``at``: aggregate, then transform; ``ta``: transform, then aggregate (han2019 §3.3.2).
    how
        The aggregation; after ``ta`` its result is put on the target scale (see `aggregate`).
    levels
        Levels of the target scale.

    Returns
    -------
    Table in schema ``qrels`` with grades on the target scale.
    """
    check_choice("order", order, ORDERS)
    values = _values(judgments)
    if order == "at":
        return _labels(_transformed(_aggregated(values, how), cuts))
    return _labels(_aggregated(_transformed(values, cuts), how, levels))


def _values(judgments: pa.Table) -> pd.DataFrame:
    """Topic, docno and value of labels, or of judgments with each worker once per document."""
    if "grade" in judgments.column_names:
        frame = judgments.select(["topic", "docno", "grade"]).to_pandas()
        frame.columns = ["topic", "docno", "value"]
    else:
        frame = judgments.select(["topic", "docno", "worker", "value"]).to_pandas()
        frame = once_per_worker(frame)[["topic", "docno", "value"]]
    return frame.astype({"topic": str, "docno": str})


def _aggregated(frame: pd.DataFrame, how: str, levels: int | None = None) -> pd.DataFrame:
    """One row per topic and document, sorted; see `aggregate`."""
    aggregation_code(how)
    document = ["topic", "docno"]
    if how == "majority":
        counts = frame.groupby([*document, "value"]).size().reset_index(name="n")
        counts = counts.sort_values([*document, "n", "value"], ascending=[True, True, False, True])
        result = counts.drop_duplicates(document).drop(columns="n")
    else:
        # sorted first, so that a mean does not depend on the order of the rows
        ordered = frame.sort_values([*document, "value"])
        groups = ordered.groupby(document, as_index=False)["value"]
        result = _median(groups, how) if how.startswith("median_") else groups.agg(how)
    if levels is not None:
        nearest = np.ceil(result["value"] - 0.5)
        # zero added, since the ceiling of −1/2 is −0
        result = result.assign(value=np.clip(nearest, 0, levels - 1) + 0.0)
    return result


def _median(groups, how: str) -> pd.DataFrame:
    """The lower or the higher of the two middle values of each group."""
    return groups.quantile(0.5, interpolation="lower" if how == "median_low" else "higher")


def _transformed(frame: pd.DataFrame, cuts: Mapping[str, Sequence[float]]) -> pd.DataFrame:
    """The rows of the cuts' topics, their values transformed."""
    frame = frame[frame["topic"].isin(list(cuts))].reset_index(drop=True)
    level = np.zeros(len(frame))
    for topic, rows in frame.groupby("topic").indices.items():
        level[rows] = transform(frame["value"].to_numpy()[rows], cuts[topic])
    return frame.assign(value=level)


def _labels(frame: pd.DataFrame) -> pa.Table:
    columns = [frame["topic"].to_numpy(), frame["docno"].to_numpy(), frame["value"].to_numpy()]
    return pa.table(columns, schema=SCHEMAS["qrels"])
