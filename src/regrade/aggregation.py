"""Cuts and aggregation: how values become levels, and many values one.

A cut of a scale with values 0..S into k levels is c1 < … < c(k-1), each in 0..S-1;
value v gets the level #{j : v > c_j} (han2019 §3.3.3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import AGGREGATIONS
from regrade.compiled import njit
from regrade.errors import ParameterError, check_choice
from regrade.ordering import group_starts
from regrade.scales import MAX_LEVELS
from regrade.tables import encode, unlabelled, with_unlabelled

if TYPE_CHECKING:  # labels need no pandas
    import pandas as pd

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
    """One value per topic and document from all its judgments, each worker's once."""
    labels = _labels(_aggregated(_values(judgments), how, levels))
    return with_unlabelled(labels, unlabelled(judgments))


def once_per_worker(judgments: pd.DataFrame) -> pd.DataFrame:
    """One row per topic, document and worker: a worker counts once per document.

    Documents of known relevance are in every unit (HIT) of a topic, so a worker with several
    units judges them several times.  No column of a judgments table says in which order a
    worker did the units, so there is no first or last judgment to choose: the middle value counts,
    of an even count the lower of the two middle ones, so that it is a value of the scale.
    """
    keys = ["topic", "docno", "worker"]
    judgments = judgments[[*keys, "value"]]
    repeated = judgments.duplicated(keys, keep=False).to_numpy()
    if not repeated.any():
        return judgments
    import pandas as pd

    once, several = judgments[~repeated], judgments[repeated]
    codes = [pd.factorize(several[key], sort=True)[0] for key in keys]
    order = np.lexsort((several["value"], *reversed(codes)))
    middle = lower_middle(*equal_rows(*(code[order] for code in codes)))
    return pd.concat([once, several.iloc[order[middle]]], ignore_index=True)


@njit(cache=True, nogil=True)
def histogram_aggregate(counts, total, values, how):
    """The aggregate of `total` ≥ 1 values given as counts per value; on the values' scale."""
    if how == MAJORITY:
        most = 0
        for value in range(counts.shape[0]):
            if counts[value] > counts[most]:
                most = value
        return values[most]
    if how == MEAN:
        weighted = 0.0
        for value in range(counts.shape[0]):
            weighted += values[value] * counts[value]
        largest = max(abs(values[0]), abs(values[-1]))
        return weighted / total if abs(weighted) > ROUNDING * largest else 0.0
    low = (total - 1) // 2 if how != MEDIAN_HIGH else total // 2
    high = total // 2 if how != MEDIAN_LOW else (total - 1) // 2
    return (values[_order_statistic(counts, low)] + values[_order_statistic(counts, high)]) / 2


@njit(cache=True, nogil=True)
def aggregates(histograms, values, how):
    """The aggregate of each row of (D, V) counts of V ascending values; NaN where none, (D,)."""
    aggregate = np.empty(histograms.shape[0])
    for d in range(histograms.shape[0]):
        total = np.int64(0)  # of one type from the first on
        for value in range(histograms.shape[1]):
            total += histograms[d, value]
        aggregate[d] = np.nan
        if total > 0:
            aggregate[d] = histogram_aggregate(histograms[d], total, values, how)
    return aggregate


@njit(cache=True, nogil=True, inline="always")
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

    ``at`` aggregates, then transforms; ``ta`` transforms, then aggregates (han2019 §3.3.2).
    """
    check_choice("order", order, ORDERS)
    values = _values(judgments)
    if order == "at":
        return _labels(_transformed(_aggregated(values, how), cuts))
    return _labels(_aggregated(_transformed(values, cuts), how, levels))


@dataclass(frozen=True)
class _Values:
    """Values of documents: a row for each of N.

    Attributes
    ----------
    topics, docnos : StringArray
        Names, sorted.
    topic, docno : arrays of int32, shape (N,)
        Places among the names.
    value : array of float64, shape (N,)
    """

    topics: pa.StringArray
    docnos: pa.StringArray
    topic: np.ndarray
    docno: np.ndarray
    value: np.ndarray

    def at(self, rows: np.ndarray, value: np.ndarray) -> _Values:
        """Some of the rows, with other values."""
        return replace(self, topic=self.topic[rows], docno=self.docno[rows], value=value)


def _values(judgments: pa.Table) -> _Values:
    """Those of labels, or of judgments with each worker once per document."""
    (topics, topic), (docnos, docno) = map(encode, judgments.select(["topic", "docno"]).columns)
    values = _Values(topics, docnos, topic, docno, source_values(judgments).astype(float))
    if "grade" in judgments.column_names:
        return values
    keys = (topic, docno, encode(judgments["worker"])[1])
    order = np.lexsort((values.value, *reversed(keys)))
    starts, sizes = equal_rows(*(key[order] for key in keys))
    return values.at(order[starts], values.value[order[lower_middle(starts, sizes)]])


def equal_rows(*columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where groups of rows start, all of whose columns are the same, and how many rows each has."""
    starts = group_starts(*columns)
    return starts, np.diff(starts, append=len(columns[0]))


def lower_middle(starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The middle row of each group, of an even number the first of the two."""
    return starts + (sizes - 1) // 2


def _aggregated(values: _Values, how: str, levels: int | None = None) -> _Values:
    """One row per topic and document, sorted; see `aggregate`."""
    aggregation_code(how)
    # by value too, so that a mean does not depend on the order of the rows
    order = np.lexsort((values.value, values.docno, values.topic))
    starts, sizes = equal_rows(values.topic[order], values.docno[order])
    aggregate = _of_groups(values.value[order], starts, sizes, how)
    if levels is not None:
        # zero added, since the ceiling of −1/2 is −0
        aggregate = np.clip(np.ceil(aggregate - 0.5), 0, levels - 1) + 0.0
    return values.at(order[starts], aggregate)


def _of_groups(value: np.ndarray, starts: np.ndarray, sizes: np.ndarray, how: str) -> np.ndarray:
    """The aggregate of each group, its values ascending."""
    group = np.repeat(np.arange(len(starts)), sizes)
    if how == "mean":  # which pandas sums without the rounding of a plain sum
        import pandas as pd

        return pd.Series(value).groupby(group).mean().to_numpy()
    if how == "majority":
        first, counts = equal_rows(group, value)
        most = first[np.lexsort((-counts, group[first]))]
        return value[most[equal_rows(group[most])[0]]]
    low, high = lower_middle(starts, sizes), starts + sizes // 2
    if how == "median":
        return (value[low] + value[high]) / 2
    return value[low if how == "median_low" else high]


def _transformed(values: _Values, cuts: Mapping[str, Sequence[float]]) -> _Values:
    """The rows of the cuts' topics, their values transformed."""
    order = np.argsort(values.topic, kind="stable")
    starts, sizes = equal_rows(values.topic[order])
    levels = np.full(len(order), np.nan)
    names = values.topics.take(pa.array(values.topic[order[starts]])).to_pylist()
    for topic, start, size in zip(names, starts, sizes, strict=True):
        if topic in cuts:
            rows = order[start : start + size]
            levels[rows] = transform(values.value[rows], cuts[topic])
    rows = np.flatnonzero(~np.isnan(levels))
    return values.at(rows, levels[rows])


def _labels(values: _Values) -> pa.Table:
    names = (values.topics, values.topic), (values.docnos, values.docno)
    columns = [of.take(pa.array(codes)) for of, codes in names]
    return pa.table([*columns, values.value], schema=SCHEMAS["qrels"])
