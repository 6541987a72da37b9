"""A method of han2019 over a whole collection: α of every cut, per topic and in the mean."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import MEDIAN, aggregation_code, enumerate_cuts, histogram_aggregate
from regrade.agreement import coincidences, metric_code
from regrade.choices import CUT_METHODS, UNDEFINED, CutMethod
from regrade.cutsearch import kernels, unitwise
from regrade.cutsearch.data import TopicJudgments, reference_levels, topics_of, topics_of_labels
from regrade.errors import MethodError, check_choice, did_you_mean
from regrade.scales import MAX_LEVELS
from regrade.schemas import CUT_COLUMNS

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class CutSearch:
    """α of C cuts for T topics.

    Attributes
    ----------
    method
        Its name.
    cuts : array of int16, shape (C, levels - 1)
        In lexicographic order.
    topics
        T names, sorted.
    alpha : array of float64, shape (C, T)
        NaN where undefined.
    n_defined : array of int32, shape (C, T)
        Units that the topic's α averages; for methods that are not unit-wise 1, or 0 where
        α is undefined.
    n : array of int32, shape (T,)
        Units that have something to compare (1 for methods that are not unit-wise).
    mean : array of float64, shape (C,)
        Over the topics whose α is defined; NaN where none is.
    n_topics : array of int32, shape (C,)
        How many topics the mean averages.
    single : array of float64, shape (C,)
        What the one cut for all topics maximises: the mean, where it averages the most topics
        that any cut's does, so that the means of different cuts compare the same topics.
    """

    method: str
    cuts: np.ndarray
    topics: tuple[str, ...]
    alpha: np.ndarray
    n_defined: np.ndarray
    n: np.ndarray
    mean: np.ndarray
    n_topics: np.ndarray
    single: np.ndarray

    @classmethod
    def of_topics(
        cls,
        method: str,
        cuts: np.ndarray,
        topics: Sequence[str],
        alpha: np.ndarray,
        n_defined: np.ndarray,
        n: np.ndarray,
    ) -> CutSearch:
        """Put topics together, their mean being the collection's criterion."""
        mean = mean_of_defined(alpha)
        n_topics = (~np.isnan(alpha)).sum(axis=1).astype(np.int32)
        single = np.where(n_topics == n_topics.max(), mean, np.nan)
        return cls(method, cuts, tuple(topics), alpha, n_defined, n, mean, n_topics, single)

    def to_frame(self) -> pd.DataFrame:
        """The columns of `regrade.schemas.per_cut_schema`."""
        return per_cut_frame(self.cuts, self.topics, self.alpha, self.mean)


def per_cut_frame(
    cuts: np.ndarray, topics: Sequence[str], values: np.ndarray, mean: np.ndarray
) -> pd.DataFrame:
    """A table with one row per cut: thresholds, one column per topic, ``mean``."""
    columns = dict(zip(CUT_COLUMNS, cuts.T, strict=False))
    columns |= dict(zip(topics, values.T, strict=True))
    return pd.DataFrame(columns | {"mean": mean})


def mean_of_defined(values: np.ndarray) -> np.ndarray:
    """Mean of each row's values that are not NaN; NaN where all are.

    The values are added in sorted order, so the order of the columns cannot show.
    """
    ordered = np.sort(values, axis=1)  # NaN last
    count = (~np.isnan(ordered)).sum(axis=1)
    total = np.nan_to_num(ordered).sum(axis=1)
    return np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0)


def search(
    judgments: pa.Table,
    source_levels: int,
    levels: int,
    method: str,
    reference: pa.Table | None = None,
    *,
    metric: str = "ordinal",
    undefined: str = "drop",
    unjudged: str = "drop",
    aggregate_source: str = "median",
    aggregate_levels: str = "majority",
    threads: int = 1,
) -> CutSearch:
    """α of every cut by one method (han2019 §3.3).

    Parameters
    ----------
    judgments
        The source set: schema ``judgments``, or schema ``qrels`` for expert labels.
    source_levels, levels
        Sizes of the source and the target scale.
    method
        A name in `CUT_METHODS`.
    reference
        Schema ``qrels`` with grades on the target scale, for the methods that need one; a
        crowd's set is aggregated first (`regrade.aggregation.aggregate`).
    metric
        ``nominal``, ``ordinal`` or ``interval``, on the target levels.
    undefined
        What a unit's (or topic's) undefined α counts as: ``drop``, ``one`` or ``zero``.
    unjudged
        A document that the reference lacks is ``non-relevant`` or ``drop``\\ ped.
    aggregate_source, aggregate_levels
        How ``at`` methods aggregate source values, and ``ta`` methods levels.
    threads
        Threads to use; the result does not depend on it.

    Raises
    ------
    MethodError
        If the data cannot serve the method.
    ParameterError
        If a parameter has no such value.
    """
    chosen = known_method(method)
    expert = "grade" in judgments.column_names
    topics = (topics_of_labels if expert else topics_of)(judgments, source_levels)
    check_served(chosen, topics, reference is not None)
    labels = _labels_by_topic(reference)
    task = _Task(
        method=chosen,
        cuts=enumerate_cuts(source_levels, levels),
        levels=levels,
        metric=metric_code(metric),
        undefined=_undefined_code(undefined),
        source_how=aggregation_code(aggregate_source),
        level_how=aggregation_code(aggregate_levels),
    )

    takes_reference = reference is not None
    done = itertools.count(1)

    def one_topic(topic: TopicJudgments) -> _TopicResult:
        known = labels.get(topic.topic, _NO_LABELS)
        levels_of = reference_levels(topic, known, levels, unjudged) if takes_reference else None
        if takes_reference:  # the kernels count levels so that the highest is 3
            levels_of = np.where(levels_of >= 0, levels_of + MAX_LEVELS - levels, -1)
        result = _KERNELS[method](task, topic, levels_of)
        log.info("%s: topic %s, %d of %d", method, topic.topic, next(done), len(topics))
        return result

    largest_first = sorted(range(len(topics)), key=lambda i: -len(topics[i].value))
    with ThreadPoolExecutor(max_workers=threads) as pool:
        found = dict(
            zip(largest_first, pool.map(one_topic, (topics[i] for i in largest_first)), strict=True)
        )
    results = [found[i] for i in range(len(topics))]
    return CutSearch.of_topics(
        method=method,
        cuts=task.cuts,
        topics=[topic.topic for topic in topics],
        alpha=np.stack([result.alpha for result in results], axis=1),
        n_defined=np.stack([result.n_defined for result in results], axis=1),
        n=np.array([result.n for result in results], dtype=np.int32),
    )


def known_method(name: str) -> CutMethod:
    """The method of that name; `MethodError` where there is none."""
    if name not in CUT_METHODS:
        raise MethodError(f"unknown method '{name}'{did_you_mean(name, CUT_METHODS)}")
    return CUT_METHODS[name]


def check_served(method: CutMethod, topics: Sequence[TopicJudgments], has_reference: bool) -> None:
    """Refuse data that cannot serve a method, with `MethodError`."""
    if method.needs_reference and not has_reference:
        raise MethodError(f"{method.name} compares with a reference, and none is named")
    if not method.needs_reference and has_reference:
        raise MethodError(f"{method.name} uses one judgment set only: name no reference")
    if not topics:
        raise MethodError(f"{method.name}: the source set holds no judgment")
    if method.unit_wise and not topics[0].has_units:
        raise MethodError(
            f"{method.name} compares unit by unit (HIT by HIT), and these judgments name no unit: "
            "use tw1, d2_at or d2_ta, or give the judgments a unit column"
        )
    if not method.needs_reference and max(len(t.value) - len(t.docnos) for t in topics) == 0:
        raise MethodError(
            f"{method.name} compares workers with each other, and no document has two judgments"
        )


@dataclass(frozen=True)
class _Task:
    method: CutMethod
    cuts: np.ndarray
    levels: int
    metric: int
    undefined: int
    source_how: int
    level_how: int


@dataclass(frozen=True)
class _TopicResult:
    alpha: np.ndarray
    n_defined: np.ndarray
    n: int


_NO_LABELS = pd.DataFrame({"docno": pd.Series(dtype=str), "grade": pd.Series(dtype=float)})


def _undefined_code(name: str) -> int:
    check_choice("rule for undefined α", name, UNDEFINED)
    return UNDEFINED.index(name)


def _labels_by_topic(reference: pa.Table | None) -> dict[str, pd.DataFrame]:
    if reference is None:
        return {}
    frame = reference.to_pandas()
    return {str(topic): rows for topic, rows in frame.groupby(frame["topic"].astype(str))}


def _tw1(task: _Task, topic: TopicJudgments, _: None) -> _TopicResult:
    counts = topic.histograms()
    counts = counts[counts.sum(axis=1) >= 2]
    alpha = kernels.topic_wide(
        coincidences(counts), counts.sum(axis=0), task.levels, task.metric, task.undefined
    )
    return _of_topic(alpha)


def _d2_at(task: _Task, topic: TopicJudgments, reference: np.ndarray) -> _TopicResult:
    codes = np.array(
        [histogram_aggregate(row, row.sum(), task.source_how) for row in topic.histograms()]
    )
    alpha = kernels.document_aggregate_first(
        codes, reference, topic.levels, task.levels, task.metric, task.undefined
    )
    return _of_topic(alpha)


def _d2_ta(task: _Task, topic: TopicJudgments, reference: np.ndarray) -> _TopicResult:
    alpha = kernels.document_transform_first(
        topic.histograms(), reference, task.levels, task.level_how, task.metric, task.undefined
    )
    return _of_topic(alpha)


def _h2(task: _Task, topic: TopicJudgments, reference: np.ndarray) -> _TopicResult:
    levels = reference[topic.document]
    return _classes(task, topic, levels, levels, moves=False)


def _h1_at(task: _Task, topic: TopicJudgments, _: None) -> _TopicResult:
    others = kernels.others_aggregated(
        topic.document, topic.value, topic.worker, topic.histograms(), task.source_how
    )
    return _classes(task, topic, others, others, moves=True)


def _classes(
    task: _Task, topic: TopicJudgments, low: np.ndarray, high: np.ndarray, moves: bool
) -> _TopicResult:
    unitwise.check_lengths(topic.unit_offsets)
    bits = unitwise.fixed_point_bits(topic.n_units)
    total, defined, n_units = unitwise.unit_classes(
        topic.value,
        low,
        high,
        moves,
        topic.unit_offsets,
        topic.levels,
        task.levels,
        bits,
        task.metric,
        task.undefined,
    )
    return _of_units(total, defined, n_units, bits)


def _h1_ta(task: _Task, topic: TopicJudgments, _: None) -> _TopicResult:
    rows, table = kernels.voters(topic.document, topic.value, topic.worker, topic.histograms())
    if task.level_how == MEDIAN:  # the median of levels is the level of the median
        low, high = unitwise.others_middle(topic.value, rows, table)
        return _classes(task, topic, low, high, moves=True)
    unitwise.check_lengths(topic.unit_offsets)
    bits = unitwise.fixed_point_bits(topic.n_units)
    total, defined, n_units = unitwise.unit_votes(
        topic.value,
        rows,
        table,
        topic.unit_offsets,
        task.levels,
        bits,
        task.level_how,
        task.metric,
        task.undefined,
    )
    return _of_units(total, defined, n_units, bits)


_KERNELS: dict[str, Callable[[_Task, TopicJudgments, np.ndarray | None], _TopicResult]] = {
    "h1_ta": _h1_ta,
    "h1_at": _h1_at,
    "tw1": _tw1,
    "h2": _h2,
    "d2_at": _d2_at,
    "d2_ta": _d2_ta,
}


def _of_topic(alpha: np.ndarray) -> _TopicResult:
    return _TopicResult(alpha, (~np.isnan(alpha)).astype(np.int32), 1)


def _of_units(total: np.ndarray, defined: np.ndarray, n_units: int, bits: int) -> _TopicResult:
    summed = np.ldexp(total.astype(float), -bits)
    alpha = np.divide(summed, defined, out=np.full(len(summed), np.nan), where=defined > 0)
    return _TopicResult(alpha, defined, n_units)
