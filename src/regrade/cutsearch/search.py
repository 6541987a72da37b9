"""A method of han2019 over a whole collection: α of every cut, per topic and in the mean."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import MAJORITY, MEAN, aggregates, aggregation_code, source_values
from regrade.agreement import coincidences, metric_code
from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.choices import CUT_METHODS, UNDEFINED, CutMethod
from regrade.cutsearch import kernels, unitwise
from regrade.cutsearch.data import (
    TopicJudgments,
    levels_by_topic,
    over_pool,
    topics_of,
    topics_of_labels,
)
from regrade.cutsearch.means import mean_of_defined, where_enough
from regrade.cutsearch.options import DEFAULTS, AlphaOptions
from regrade.cutsearch.thresholds import Thresholds, as_scale
from regrade.errors import MethodError, ParameterError, check_choice, did_you_mean
from regrade.progress import tracked
from regrade.scales import MAX_LEVELS, Scale, check_levels
from regrade.wording import counted

log = logging.getLogger(__name__)

NOT_IN_REFERENCE = "the reference has no label for the topic"


class UnservedError(MethodError):
    """The data hold nothing that a method could compare."""


@dataclass(frozen=True)
class TopicAlpha:
    """α of C cuts for T topics, or for one: arrays of shape (C,) and a number.

    Attributes
    ----------
    alpha : array of float64, shape (C, T)
        The mean over the units whose α is defined; NaN where none is.
    n_defined : array of int32, shape (C, T)
        Their number; for methods that are not unit-wise 1, or 0 where α is undefined.
    n : array of int32, shape (T,)
        Units that have something to compare (1 for methods that are not unit-wise); where there is
        none, α is undefined under every rule.
    """

    alpha: np.ndarray
    n_defined: np.ndarray
    n: np.ndarray

    @classmethod
    def of_topics(cls, topics: Sequence[TopicAlpha], n_cuts: int) -> TopicAlpha:
        """Topics side by side, each of `n_cuts` cuts."""
        # a topic's cuts stand together, as they are looked at
        alpha = np.empty((n_cuts, len(topics)), order="F")
        n_defined = np.empty((n_cuts, len(topics)), dtype=np.int32, order="F")
        for t, topic in enumerate(topics):
            alpha[:, t], n_defined[:, t] = topic.alpha, topic.n_defined
        return cls(alpha, n_defined, np.array([topic.n for topic in topics], dtype=np.int32))

    @property
    def all_defined(self) -> bool:
        """Whether every unit has an α under every cut, so that no rule for others matters."""
        return not (self.n_defined < self.n).any()

    def settled(self, undefined: str) -> np.ndarray:
        """A topic's α after a rule for its units' undefined ones; see `AlphaOptions.undefined`."""
        check_choice("rule for undefined α", undefined, UNDEFINED)
        if undefined == "drop":
            return self.alpha
        total = np.where(np.isnan(self.alpha), 0.0, self.alpha) * self.n_defined
        if undefined == "one":
            total += self.n - self.n_defined
        return np.divide(total, self.n, out=np.full(self.alpha.shape, np.nan), where=self.n > 0)

    def eligible(self, undefined: str) -> tuple[np.ndarray, np.ndarray]:
        """`settled` values, and whether each rests on enough units; see `CutSearch.of_topics`."""
        values = self.settled(undefined)
        eligible = ~np.isnan(values)
        if undefined == "drop":
            eligible &= 2 * self.n_defined >= self.n
        return values, eligible


@dataclass(frozen=True, kw_only=True)
class SearchMeans:
    """What a search of C cuts says of all topics together, without the topics' values.

    Attributes
    ----------
    method
        Its name.
    cuts : array of float64, shape (C, levels - 1)
        In lexicographic order; each threshold is the source value up to which a level reaches.
    topics
        T names, sorted.
    mean : array of float64, shape (C,)
        Over the topics where the cut is eligible; NaN where there is none.
    n_topics : array of int32, shape (C,)
        How many topics the mean averages.
    single : array of float64, shape (C,)
        What the one cut for all topics maximises: the mean, NaN where it averages too few
        topics (see `CutSearch.of_topics`).
    others : mapping of str to function or None
        Makes the same under each other rule for undefined α; ``None`` where no α is undefined.
    left_out : mapping of str to str
        The topics that were not searched, and why.
    note
        Why nothing was searched; ``None`` where something was.
    grid
        Which thresholds were tried where these are not all (`Thresholds.note`).
    """

    method: str
    cuts: np.ndarray
    topics: tuple[str, ...]
    mean: np.ndarray
    n_topics: np.ndarray
    single: np.ndarray
    others: Mapping[str, Callable[[], SearchMeans] | None] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    note: str | None = None
    grid: str | None = None

    def criterion(self, topic: str) -> np.ndarray:
        """What the one cut for all topics (``*``) maximises."""
        return self.single


@dataclass(frozen=True, kw_only=True)
class CutSearch(SearchMeans):
    """A criterion, α or τ, of C cuts for T topics; see `SearchMeans` for the other attributes.

    Attributes
    ----------
    values : array of float64, shape (C, T)
        The criterion; NaN where undefined.
    eligible : array of bool, shape (C, T)
        Whether a topic's value rests on enough to count: on at least half of its units.
    n_defined : array of int32, shape (C, T)
        Units whose α is defined; for methods that are not unit-wise 1, or 0 where the
        criterion is undefined.
    n : array of int32, shape (T,)
        Units that have something to compare (1 for methods that are not unit-wise).
    """

    values: np.ndarray
    eligible: np.ndarray
    n_defined: np.ndarray
    n: np.ndarray

    @classmethod
    def nothing(cls, method: str, cuts: np.ndarray, reason: str) -> CutSearch:
        """A search without topics, of data that cannot serve the method."""
        search = cls.of_topics(method, cuts, (), TopicAlpha.of_topics((), len(cuts)))
        return replace(search, note=reason)

    @classmethod
    def of_topics(
        cls,
        method: str,
        cuts: np.ndarray,
        topics: Sequence[str],
        alpha: TopicAlpha,
        options: AlphaOptions = DEFAULTS,
        *,
        left_out: Mapping[str, str] | None = None,
        over: bool = True,
    ) -> CutSearch:
        """Put topics together, their mean being the collection's criterion (`over` them)."""
        values, eligible = alpha.eligible(options.undefined)
        mean, n_topics, single = np.empty(0), np.empty(0, dtype=np.int32), np.empty(0)
        if over:
            mean = mean_of_defined(np.where(eligible, values, np.nan))
            n_topics = eligible.sum(axis=1, dtype=np.int32)
            single = where_enough(mean, n_topics, options.coverage, eligible.any(axis=0).sum())
        of_rule = partial(cls.of_topics, method, cuts, topics, alpha, over=over)
        return cls(
            method=method,
            cuts=cuts,
            topics=tuple(topics),
            values=values,
            eligible=eligible,
            n_defined=alpha.n_defined,
            n=alpha.n,
            mean=mean,
            n_topics=n_topics,
            single=single,
            others={
                rule: None
                if alpha.all_defined
                else partial(of_rule, replace(options, undefined=rule))
                for rule in UNDEFINED
                if rule != options.undefined
            },
            left_out=left_out or {},
        )

    def criterion(self, topic: str) -> np.ndarray:
        """What a topic's best cut maximises; (C,), NaN where a cut is not eligible."""
        if topic == ALL_TOPICS:
            return self.single
        t = self.topics.index(topic)
        values, eligible = self.values[:, t], self.eligible[:, t]
        return values if eligible.all() else np.where(eligible, values, np.nan)

    def to_frame(self) -> pd.DataFrame:
        """The columns of `regrade.catalogue.arrow.per_cut_schema`."""
        columns = dict(zip(CUT_COLUMNS, self.cuts.T, strict=False))
        columns |= dict(zip(self.topics, self.values.T, strict=True))
        return pd.DataFrame(columns | {"mean": self.mean, "n_topics": self.n_topics})


def search(
    judgments: pa.Table,
    source: Scale | int,
    levels: int,
    method: str,
    reference: pa.Table | None = None,
    options: AlphaOptions = DEFAULTS,
    *,
    pool: pa.Table | None = None,
    threads: int = 1,
) -> CutSearch:
    """α of every cut by one method (han2019 §3.3)."""
    plan = prepare(judgments, source, levels, method, reference, options, pool=pool)
    if plan.reason:
        raise UnservedError(plan.reason)
    return plan.search(threads)


@dataclass(frozen=True)
class SearchPlan:
    """A search before any α is found: what it compares, topic by topic.

    Attributes
    ----------
    method, thresholds, levels
        The method, and the cuts that it tries.
    topics : tuple of TopicJudgments
        T topics, sorted by name.
    labels : mapping of str to ndarray
        The reference's level of each document, by topic; empty for methods without one.
    left_out : mapping of str to str
        The topics that are not searched, and why.
    options
        How α is computed.
    """

    method: CutMethod
    thresholds: Thresholds
    levels: int
    topics: tuple[TopicJudgments, ...]
    labels: Mapping[str, np.ndarray]
    left_out: Mapping[str, str]
    options: AlphaOptions

    @property
    def metric(self) -> int:
        """The code of α's metric."""
        return metric_code(self.options.metric)

    @property
    def source_how(self) -> int:
        """The code of how source values are aggregated."""
        return aggregation_code(self.options.aggregation.source)

    @property
    def level_how(self) -> int:
        """The code of how levels are aggregated."""
        return aggregation_code(self.options.aggregation.vote(self.levels))

    @property
    def reason(self) -> str | None:
        """Why the data cannot serve the method; ``None`` where they can."""
        return why_unserved(self.method, *what_they_hold(self.topics))

    @cached_property
    def cuts(self) -> np.ndarray:
        """Every cut on the source scale; float64, (C, levels - 1)."""
        return self.thresholds.cuts(self.levels)

    def of_topic(self, judgments: TopicJudgments, labels: np.ndarray | None = None) -> TopicAlpha:
        """α of every cut of one topic's judgments: those of `topics`, or drawn anew."""
        return _KERNELS[self.method.name](self, judgments, labels)

    def search(self, threads: int = 1) -> CutSearch:
        """α of every cut for every topic; nothing, with a note, where the data cannot serve."""
        if self.reason:
            log.warning("left out: %s", self.reason)
            return CutSearch.nothing(self.method.name, self.cuts, self.reason)
        return self.cut_search(self.results(threads))

    def results(self, threads: int = 1) -> TopicAlpha:
        """Of every cut for every topic α, and how many units have one; largest topics first."""
        topics, done = self.topics, itertools.count(1)
        self.thresholds.check_size(self.levels, len(topics))

        def one_topic(i: int) -> TopicAlpha:
            name = topics[i].topic
            result = self.of_topic(topics[i], self.labels.get(name))
            log.info("%s: topic %s, %d of %d", self.method.name, name, next(done), len(topics))
            return result

        largest_first = sorted(range(len(topics)), key=lambda i: -len(topics[i].value))
        with ThreadPoolExecutor(max_workers=threads) as pool:
            each = tracked(pool.map(one_topic, largest_first), "topics", len(topics))
            results = dict(zip(largest_first, each, strict=True))
        return TopicAlpha.of_topics([results[i] for i in range(len(topics))], len(self.cuts))

    def cut_search(self, alpha: TopicAlpha, over: bool = True) -> CutSearch:
        """The criterion of the topics' `results`; `over` is as in `CutSearch.of_topics`."""
        search = CutSearch.of_topics(
            method=self.method.name,
            cuts=self.cuts,
            topics=[topic.topic for topic in self.topics],
            alpha=alpha,
            options=self.options,
            left_out=self.left_out,
            over=over,
        )
        return replace(search, grid=self.thresholds.note)


@dataclass(frozen=True)
class SourceTopics:
    """The topics of a source set, read once for any number of searches.

    Attributes
    ----------
    scale
        That of the set.
    values
        All values of the set, also of topics that do not count.
    topics : tuple of TopicJudgments
        Those that count; of a part of them, its own.
    names
        Of all that count, sorted.
    left_out : mapping of str to str
        Those that do not, and why.
    """

    scale: Scale
    values: np.ndarray
    topics: tuple[TopicJudgments, ...]
    names: Sequence[str]
    left_out: Mapping[str, str]

    @classmethod
    def of(
        cls,
        judgments: pa.Table,
        scale: Scale,
        pool: pa.Table | None = None,
        part: tuple[int, int] = (1, 1),
    ) -> SourceTopics:
        """Read them."""
        is_labels, rows, left_out = "grade" in judgments.column_names, judgments, {}
        if pool is not None:
            if not is_labels:
                raise ParameterError(
                    "pool: completes expert labels, and the source holds judgments"
                )
            rows, left_out = over_pool(judgments, pool, scale.low)
        names = topics_in(rows)
        only = part_of(names, *part) if part != (1, 1) else None
        topics = (topics_of_labels if is_labels else topics_of)(rows, scale, only)
        return cls(scale, source_values(judgments), tuple(topics), names, left_out)

    def thresholds(self, levels: int, grid: int | None = None) -> Thresholds:
        """Those of which cuts into so many levels are made, at most `grid` of them."""
        return Thresholds.of(self.scale, levels, self.values, grid)

    def plan(
        self,
        levels: int,
        method: str,
        reference: pa.Table | None = None,
        options: AlphaOptions = DEFAULTS,
    ) -> SearchPlan:
        """What a search of these topics compares; see `prepare`."""
        if method not in CUT_METHODS:
            raise MethodError(f"unknown method '{method}'{did_you_mean(method, CUT_METHODS)}")
        chosen = CUT_METHODS[method]
        if chosen.needs_reference and reference is None:
            raise MethodError(f"{method} compares with a reference, but no reference is named")
        if not chosen.needs_reference and reference is not None:
            raise MethodError(f"{method} uses one judgment set only: name no reference")
        check_levels(self.scale.levels, levels)
        thresholds = self.thresholds(levels, options.grid)
        topics, labels, left_out = self.topics, {}, dict(self.left_out)
        if reference is not None:
            if self.names and not set(self.names) & set(topics_in(reference)):
                raise MethodError(
                    "the reference has none of the source's topics: name another "
                    "reference, or check that both use the same topic names; the source "
                    f"has {self.names[0]}, …"
                )
            labels = levels_by_topic(topics, reference, levels, options.unjudged)
            # the kernels count levels so that the highest is 3
            shift = MAX_LEVELS - levels
            labels = {topic: np.where(of >= 0, of + shift, -1) for topic, of in labels.items()}
            left_out |= {t.topic: NOT_IN_REFERENCE for t in topics if t.topic not in labels}
            topics = tuple(topic for topic in topics if topic.topic in labels)
        for reason in dict.fromkeys(left_out.values()):
            names = [topic for topic, why in left_out.items() if why == reason]
            counts = f"{counted(len(names), 'topic')} ({', '.join(names)})"
            log.warning("%s: left out %s: %s", method, counts, reason)
        return SearchPlan(chosen, thresholds, levels, topics, labels, left_out, options)


def prepare(
    judgments: pa.Table,
    source: Scale | int,
    levels: int,
    method: str,
    reference: pa.Table | None = None,
    options: AlphaOptions = DEFAULTS,
    *,
    pool: pa.Table | None = None,
) -> SearchPlan:
    """What a search compares, so that it can also be run on parts of it, or on it drawn anew.

    Parameters and errors are those of `search`; data that cannot serve the method are no error.
    """
    topics = SourceTopics.of(judgments, as_scale(source), pool)
    return topics.plan(levels, method, reference, options)


def topics_in(table: pa.Table) -> list[str]:
    """The names of a table's topics, sorted."""
    return sorted(map(str, table["topic"].unique().to_pylist()))


def part_of(names: Sequence[str], number: int, of: int) -> Sequence[str]:
    """The names in part `number` of `of`, from 1: consecutive ones, as many in each up to one."""
    if not 1 <= number <= of:
        raise ParameterError(f"part {number} of {of}: there is no such part")
    return names[(number - 1) * len(names) // of : number * len(names) // of]


def what_they_hold(topics: Sequence[TopicJudgments]) -> tuple[int, bool, bool]:
    """How many topics; whether judgments say which HIT they belong to; whether a document has the
    votes of two workers or more.
    """
    has_units = any(topic.has_units for topic in topics)
    return len(topics), has_units, any(len(t.shared_counts) for t in topics)


def why_unserved(method: CutMethod, topics: int, units: bool, shared: bool) -> str | None:
    """Why data cannot serve a method, and what to do; ``None`` where they can."""
    if not topics:
        return f"{method.name}: the source set holds no judgment of a topic that counts"
    if method.unit_wise and not units:
        return (
            f"{method.name} compares unit by unit (HIT by HIT), and these judgments name no unit: "
            "use tw1, d2_at or d2_ta, or give the judgments a unit column"
        )
    if not method.needs_reference and not shared:
        return (
            f"{method.name} compares workers with each other, and no document has the judgments "
            "of two: use a method with a reference (h2, d2_at, d2_ta)"
        )
    return None


def _tw1(plan: SearchPlan, topic: TopicJudgments, _: None) -> TopicAlpha:
    counts = topic.coded(plan.thresholds).shared_counts
    alpha = kernels.topic_wide(coincidences(counts), counts.sum(axis=0), plan.levels, plan.metric)
    return _of_topic(alpha, len(counts))


def _d2_at(plan: SearchPlan, topic: TopicJudgments, reference: np.ndarray) -> TopicAlpha:
    voted, reference = _voted(topic, reference)
    codes = plan.thresholds.codes(aggregates(voted, topic.values, plan.source_how))
    size = len(plan.thresholds.values) + 1
    alpha = kernels.document_aggregate_first(codes, reference, size, plan.levels, plan.metric)
    return _of_topic(alpha, (reference >= 0).sum())


def _d2_ta(plan: SearchPlan, topic: TopicJudgments, reference: np.ndarray) -> TopicAlpha:
    voted, reference = _voted(topic.coded(plan.thresholds), reference)
    how = plan.levels, plan.level_how, plan.metric
    alpha = kernels.document_transform_first(voted, reference, *how)
    return _of_topic(alpha, (reference >= 0).sum())


def _voted(topic: TopicJudgments, reference: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Histograms and reference of the documents that somebody counts for."""
    voted = topic.histograms.any(axis=1)
    return topic.histograms[voted], reference[voted]


def _h2(plan: SearchPlan, topic: TopicJudgments, reference: np.ndarray) -> TopicAlpha:
    levels = reference[topic.document]
    return _classes(plan, topic.coded(plan.thresholds), (levels, levels, False))


def _h1_at(plan: SearchPlan, topic: TopicJudgments, _: None) -> TopicAlpha:
    rows, table = topic.with_own_value()
    others = kernels.others_aggregated(topic.value, rows, table, topic.values, plan.source_how)
    codes = plan.thresholds.codes(np.nan_to_num(others)).astype(np.int64)
    codes[np.isnan(others)] = -1
    return _classes(plan, topic.coded(plan.thresholds), (codes, codes, True))


def _classes(
    plan: SearchPlan, topic: TopicJudgments, others: tuple[np.ndarray, np.ndarray, bool]
) -> TopicAlpha:
    unitwise.check_lengths(topic.unit_offsets)
    bits = unitwise.fixed_point_bits(topic.n_units)
    size, how = topic.histograms.shape[1], (plan.levels, bits, plan.metric)
    sums = unitwise.unit_classes(topic.value, others, topic.unit_offsets, size, *how)
    return _of_units(*sums, bits)


def _h1_ta(plan: SearchPlan, topic: TopicJudgments, _: None) -> TopicAlpha:
    topic = topic.coded(plan.thresholds)
    rows, table = topic.with_own_value()
    if plan.level_how not in (MAJORITY, MEAN):  # the median of levels is the level of the median
        low, high = unitwise.others_middle(topic.value, rows, table)
        low, high = unitwise.middle_of_vote(low, high, plan.level_how)
        return _classes(plan, topic, (low, high, True))
    unitwise.check_lengths(topic.unit_offsets)
    bits = unitwise.fixed_point_bits(topic.n_units)
    how = plan.levels, bits, plan.level_how, plan.metric
    sums = unitwise.unit_votes(topic.value, rows, table, topic.unit_offsets, *how)
    return _of_units(*sums, bits)


_KERNELS: dict[str, Callable[[SearchPlan, TopicJudgments, np.ndarray | None], TopicAlpha]] = {
    "h1_ta": _h1_ta,
    "h1_at": _h1_at,
    "tw1": _tw1,
    "h2": _h2,
    "d2_at": _d2_at,
    "d2_ta": _d2_ta,
}


def _of_topic(alpha: np.ndarray, n_documents: int) -> TopicAlpha:
    return TopicAlpha(alpha, (~np.isnan(alpha)).astype(np.int32), int(n_documents > 0))


def _of_units(total: np.ndarray, defined: np.ndarray, n_units: int, bits: int) -> TopicAlpha:
    summed = np.ldexp(total.astype(float), -bits)
    alpha = np.divide(summed, defined, out=np.full(len(summed), np.nan), where=defined > 0)
    return TopicAlpha(alpha, defined, n_units)
