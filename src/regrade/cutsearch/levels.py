"""How many levels judgments support: the best cuts into 2 … 7, in bounded memory.

Two criteria can be had for any number of levels.  Internal agreement: α of all workers of a topic
with each other (``tw1``).  Agreement with a reference that has levels of its own (``d2_at``):
interval α with both sets evenly on 0 … 1, level l of k standing for l / (k − 1), since two scales
of different sizes share no names and no ranks.

Up to 5 levels every cut is tried, block by block, and only the best so far are kept (S100 → 5 has
3.9 million).  Into more, each topic's best cut is exact where the criterion is a ratio of sums
(`regrade.cutsearch.optimum`): with a reference, or nominal.  Elsewhere, and for the one cut for
all topics, whose criterion is a mean of ratios, a climb from the best cut into one level less says
what is at least to be had; its rows are not `exact`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from math import comb

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import transformed_labels
from regrade.agreement import INTERVAL, NOMINAL, coincidences, metric_code
from regrade.catalogue import ALL_TOPICS, LEVEL_CUT_COLUMNS, columns_of
from regrade.compiled import njit
from regrade.cutsearch.best import TIED, best_of
from regrade.cutsearch.joint_counts import JointCounts
from regrade.cutsearch.means import mean_of_sums, mean_where_defined, topics_needed
from regrade.cutsearch.objectives import criterion_codes, of_cuts
from regrade.cutsearch.optimum import Optimum, best_cut, best_internal_cut, even_alphas, padded
from regrade.cutsearch.search import SourceTopics
from regrade.cutsearch.system_tau import scores_by_topic, tau_of_means
from regrade.cutsearch.thresholds import Thresholds
from regrade.errors import ParameterError
from regrade.measures import Measure
from regrade.run_arrays import RankedLists

log = logging.getLogger(__name__)

BLOCK = 1 << 16
"""Cuts that are held at a time."""

MOST_ENUMERATED = 20_000_000
"""Cuts that are tried one by one: 118 thresholds into 5 levels have 7.7 million."""

MOST_TIED = 1_000_000
"""Up to so many cuts that share the best value are sorted into runs; of more, the first counts."""

MAX_BOX = 50_000_000
"""Places in the box of cuts that share the best value; beyond that, the first is reported."""


@dataclass(frozen=True)
class LevelCriterion:
    """A criterion of cuts into any number of levels, topic by topic.

    Attributes
    ----------
    name
        ``tw1``, ``d2_at@So4``.
    topics
        T names.
    thresholds
        G of them.
    values : callable
        From a topic's number and places (C, k − 1) to (C,) float64, NaN where undefined.
    ever : callable
        From a topic's number and k to whether any cut defines it.
    optimum : callable or None
        From a topic's number and k to its best cut, where that is found without enumerating.
    """

    name: str
    topics: tuple[str, ...]
    thresholds: Thresholds
    values: Callable[[int, np.ndarray], np.ndarray]
    ever: Callable[[int, int], bool]
    optimum: Callable[[int, int], Optimum | None] | None = None


def with_reference(joint: JointCounts, label: str) -> LevelCriterion:
    """Interval α with a reference of any number of levels, evenly on 0 … 1."""
    below, counts = joint.below, joint.counts
    return LevelCriterion(
        name=f"d2_at@{label}",
        topics=joint.topics,
        thresholds=joint.thresholds,
        values=lambda t, places: even_alphas(places, below[t]),
        ever=lambda t, levels: _ever_two(counts[t], levels),
        optimum=lambda t, levels: best_cut(counts[t], levels, "alpha_interval"),
    )


def on_target_scale(joint: JointCounts, levels: int, metric: str) -> LevelCriterion:
    """α (``d2_at``) with a reference on the target scale, by the levels' names or order."""
    counts = [padded(of_topic, levels) for of_topic in joint.counts]
    below = [np.pad(of_topic.cumsum(axis=0), ((1, 0), (0, 0))) for of_topic in counts]
    code = criterion_codes([f"alpha_{metric}"])
    return LevelCriterion(
        name="d2_at",
        topics=joint.topics,
        thresholds=joint.thresholds,
        values=lambda t, places: of_cuts(places, below[t], code)[0],
        ever=lambda t, _: _ever_two(counts[t], levels),
    )


def internal(source: SourceTopics, thresholds: Thresholds, metric: str) -> LevelCriterion | None:
    """α of all workers of a topic with each other (``tw1``); ``None`` where no two can be
    compared.
    """
    code = metric_code(metric)
    names, tables = [], []
    for topic in source.topics:
        counts = topic.coded(thresholds).shared_counts
        if len(counts):
            names.append(topic.topic)
            tables.append((coincidences(counts), counts.sum(axis=0)))
    if not names:
        return None
    prefixes = [np.pad(o.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0))) for o, _ in tables]
    belows = [np.pad(n.cumsum(), (1, 0)) for _, n in tables]
    return LevelCriterion(
        name="tw1",
        topics=tuple(names),
        thresholds=thresholds,
        values=lambda t, places: internal_alphas(places, prefixes[t], belows[t], code),
        ever=lambda t, _: np.count_nonzero(tables[t][1]) > 1,
        optimum=(lambda t, levels: best_internal_cut(*tables[t], levels))
        if code == NOMINAL
        else None,
    )


def _ever_two(counts: np.ndarray, levels: int) -> bool:
    """Whether some cut makes two different values, both sets evenly on 0 … 1: defines α."""
    codes, theirs = (np.flatnonzero(counts.any(axis=axis)) for axis in (1, 0))
    if len(codes) != 1 or len(theirs) != 1:
        return len(codes) > 0
    above = len(counts) - 1 - codes[0]  # thresholds that the one value does not exceed
    own = np.arange(max(0, levels - 1 - above), min(codes[0], levels - 1) + 1)
    return bool((own * max(counts.shape[1] - 1, 1) != theirs[0] * (levels - 1)).any())


@njit(cache=True, nogil=True)
def internal_alphas(places, prefix, below, metric):
    """α of all workers of a topic for cuts into any number of levels."""
    alphas = np.empty(places.shape[0])
    sums = np.empty((4, prefix.shape[0]))
    # what varies along a line is read from consecutive places
    row_sums, diagonal = prefix[:, -1].copy(), np.diag(prefix).copy()
    start = 0
    for i in range(1, places.shape[0] + 1):
        # a line ends where not only the last threshold is another, a place higher
        is_next = i < places.shape[0] and places[i, -1] == places[i - 1, -1] + 1
        for j in range(places.shape[1] - 1 if is_next else 0):
            is_next = is_next and places[i - 1, j] == places[i, j]
        if not is_next:
            line = alphas[start:i]
            _line_of_alphas(places[start], prefix, row_sums, diagonal, below, metric, sums, line)
            start = i
    return alphas


@njit(cache=False, nogil=True, error_model="numpy")
def _line_of_alphas(cut, prefix, row_sums, diagonal, below, metric, sums, alphas):
    """`internal_alphas` of cuts whose last threshold takes consecutive places from that of `cut`.

    It divides the two highest levels.  Loops over the cuts of the line are innermost and without
    branches, so that they become vector instructions; each cut's terms are added in the order of
    levels.
    """
    count, top, nominal = alphas.shape[0], cut.shape[0], metric == NOMINAL
    edges = np.zeros(top + 1, dtype=np.int64)
    edges[1:] = cut + 1
    start, divides, end = edges[top - 1], slice(edges[top], edges[top] + count), below[-1]
    # twice the mid-rank, or the level's number
    scores = np.empty(top - 1)
    first, second, squares = 0.0, 0.0, 0.0
    for a in range(top - 1):
        number = float(below[edges[a + 1]] - below[edges[a]])
        scores[a] = a if metric == INTERVAL else below[edges[a + 1]] + below[edges[a]]
        first += number * scores[a]
        second += number * scores[a] * scores[a]
        squares += number * number
    lower, higher = sums[0, :count], sums[1, :count]
    expected, observed = sums[2, :count], sums[3, :count]
    at = below[divides]
    for i in range(count):
        numbers = float(at[i] - below[start]), float(end - at[i])
        lower[i] = top - 1 if metric == INTERVAL else at[i] + below[start]
        higher[i] = top if metric == INTERVAL else end + at[i]
        if nominal:
            total = squares + numbers[0] * numbers[0] + numbers[1] * numbers[1]
            expected[i] = (float(end) * float(end) - total) / 2
        else:
            one = first + numbers[0] * lower[i] + numbers[1] * higher[i]
            two = second + numbers[0] * lower[i] * lower[i] + numbers[1] * higher[i] * higher[i]
            expected[i] = float(end) * two - one * one
        observed[i] = 0.0
    for a in range(top):
        s, e = edges[a], edges[a + 1]
        on, off = prefix[e, divides], prefix[s, divides]
        if a < top - 1:
            for b in range(a + 1, top - 1):
                left, right = edges[b], edges[b + 1]
                block = prefix[e, right] - prefix[s, right] - prefix[e, left] + prefix[s, left]
                gap = 1.0 if nominal else scores[a] - scores[b]
                for i in range(count):
                    observed[i] += block * gap * gap
            inner, outer, own = prefix[e, start], prefix[s, start], scores[a]
            for i in range(count):
                gap = 1.0 if nominal else own - lower[i]
                observed[i] += (on[i] - off[i] - inner + outer) * gap * gap
            inner, outer = row_sums[e], row_sums[s]
            for i in range(count):
                gap = 1.0 if nominal else own - higher[i]
                observed[i] += (inner - outer - on[i] + off[i]) * gap * gap
        else:
            inner, outer, on = row_sums[divides], row_sums[s], diagonal[divides]
            for i in range(count):
                gap = 1.0 if nominal else lower[i] - higher[i]
                observed[i] += (inner[i] - outer - on[i] + off[i]) * gap * gap
    n = float(end)
    for i in range(count):
        alpha = 1 - (n - 1) * observed[i] / expected[i]
        alphas[i] = alpha if expected[i] > 0 else np.nan


# --- all cuts, block by block ----------------------------------------------------------------


def blocks_of_cuts(thresholds: int, levels: int, size: int = BLOCK) -> Iterator[np.ndarray]:
    """All cuts into any number of levels, in lexicographic order, `size` at a time."""
    first = np.arange(levels - 1, dtype=np.int64)
    left = comb(thresholds, levels - 1)
    while left > 0:
        block = np.empty((min(size, left), levels - 1), dtype=np.int64)
        first = _fill(block, first, thresholds)
        left -= len(block)
        yield block


@njit(cache=True, nogil=True)
def _fill(block, cut, thresholds):
    """Put cuts from `cut` on into a block; the one after them."""
    cut = cut.copy()
    count = cut.shape[0]
    for i in range(block.shape[0]):
        block[i] = cut
        j = count - 1
        while j >= 0 and cut[j] == thresholds - count + j:
            j -= 1
        if j >= 0:
            cut[j] += 1
            for later in range(j + 1, count):
                cut[later] = cut[later - 1] + 1
    return cut


class Running:
    """The best of cuts that come block by block, and all that tie with it."""

    def __init__(self):
        self.value = -np.inf
        self._kept: list[tuple[np.ndarray, np.ndarray]] = []

    def add(self, values: np.ndarray, places: np.ndarray) -> None:
        """Look at a block's values (B,), NaN where a cut cannot be chosen."""
        highest = np.fmax.reduce(values)
        if not highest >= self.value - TIED:  # NaN too
            return
        if highest > self.value + TIED:
            self._kept.clear()
        self.value = max(self.value, highest)
        kept = values >= self.value - TIED
        self._kept.append((values[kept], places[kept]))

    @property
    def best(self) -> Optimum | None:
        """The best cut; ``None`` where there was none."""
        if not self._kept:
            return None
        values, places = (np.concatenate(parts) for parts in zip(*self._kept, strict=True))
        places = places[values >= self.value - TIED]
        box = np.prod(np.ptp(places, axis=0) + 1.0)
        chosen = 0
        if len(places) <= MOST_TIED and box <= MAX_BOX:
            chosen = best_of(places, np.zeros(len(places))).index
        return Optimum(places[chosen], self.value, len(places))


@dataclass(frozen=True)
class BestOfLevels:
    """The best cuts into k levels.

    Attributes
    ----------
    levels
        k.
    topics : list of Optimum or None
        Each topic's best cut.
    single : Optimum or None
        The one cut for all topics.
    others : list of Optimum or None
        The one cut for all topics but each.
    held_out : array of float64, shape (T,)
        Each topic's value at the cut that is the best for the others; NaN where there is none.
    exact, exact_single
        Whether no cut can be better.
    """

    levels: int
    topics: list
    single: Optimum | None
    others: list
    held_out: np.ndarray
    exact: bool = True
    exact_single: bool = True


def enumerated(
    criterion: LevelCriterion, levels: int, *, coverage: float = 0.9, threads: int = 1
) -> BestOfLevels:
    """The best cuts of all into k levels, for each topic, for all, and for all but each."""
    count, n_topics = len(criterion.thresholds.values), len(criterion.topics)
    n_cuts = criterion.thresholds.count(levels)
    if n_cuts > MOST_ENUMERATED:
        raise ParameterError(
            f"{n_cuts:,} cuts into {levels} levels are more than "
            f"{MOST_ENUMERATED:,}: set `grid` to fewer thresholds, or ask for fewer levels"
        )
    ever = np.array([criterion.ever(t, levels) for t in range(n_topics)], dtype=bool)
    topics = [Running() for _ in range(n_topics)]
    others = [Running() for _ in range(n_topics)]
    single = Running()
    with ThreadPoolExecutor(max_workers=threads) as pool:
        for places in blocks_of_cuts(count, levels):
            of = partial(criterion.values, places=places)
            values = np.array(list(pool.map(of, range(n_topics)))).reshape(n_topics, len(places))
            defined = ~np.isnan(values)
            total = np.where(defined, values, 0).sum(axis=0)
            known = defined.sum(axis=0)
            single.add(_mean(total, known, coverage, ever.sum()), places)
            for t in range(n_topics):
                topics[t].add(values[t], places)
                needed = topics_needed(coverage, ever.sum() - ever[t])
                others[t].add(_means_without(values[t], total, known, needed), places)
    log.info("%s: tried %d cuts into %d levels", criterion.name, n_cuts, levels)
    best, best_of_others = ([running.best for running in some] for some in (topics, others))
    held_out = _held_out(criterion, best_of_others)
    return BestOfLevels(levels, best, single.best, best_of_others, held_out)


@njit(cache=True, nogil=True, error_model="numpy")
def _means_without(values, total, known, needed):
    """Means over all topics but the one with these values, NaN where fewer than needed have one."""
    means = np.empty(values.shape[0])
    for c in range(values.shape[0]):
        defined = values[c] == values[c]
        rest, n = total[c] - (values[c] if defined else 0.0), known[c] - defined
        means[c] = rest / n if n >= needed else np.nan
    return means


def _mean(total: np.ndarray, known: np.ndarray, coverage: float, n_topics: int) -> np.ndarray:
    """Means over topics, NaN where fewer than the coverage asks for define a cut."""
    return mean_of_sums(total, known, topics_needed(coverage, n_topics))


def _held_out(criterion: LevelCriterion, others: Sequence[Optimum | None]) -> np.ndarray:
    """(T,) each topic's value at the cut that is the best for the others."""
    return np.array([
        np.nan if best is None else float(criterion.values(t, best.places[None])[0])
        for t, best in enumerate(others)
    ])  # fmt: skip


# --- more levels than can be enumerated ------------------------------------------------------


def climbed(
    criterion: LevelCriterion, levels: int, fewer: BestOfLevels, *, coverage: float = 0.9
) -> BestOfLevels:
    """Good cuts into k levels from the best into k − 1: one threshold more, then moved about.

    A topic's is its best of all where the criterion has an `optimum`; all else is a lower bound,
    at which no move of one threshold is an improvement.
    """
    n_topics, count = len(criterion.topics), len(criterion.thresholds.values)
    ever = np.array([criterion.ever(t, levels) for t in range(n_topics)], dtype=bool)

    def mean_of_topics(kept: Sequence[int]) -> Callable[[np.ndarray], np.ndarray]:
        def mean(places: np.ndarray) -> np.ndarray:
            values = np.array([criterion.values(t, places) for t in kept])
            defined = ~np.isnan(values)
            total = np.where(defined, values, 0).sum(axis=0)
            return _mean(total, defined.sum(axis=0), coverage, ever[[*kept]].sum())

        return mean

    exact, topics, others = criterion.optimum is not None, [], []
    for t in range(n_topics):
        if exact:  # one of those that none beats
            best = criterion.optimum(t, levels)
            topics.append(best and replace(best, tied=1))
        else:
            topics.append(_climb(partial(criterion.values, t), fewer.topics[t], count))
        # from a cut that has not seen the topic either
        rest = [u for u in range(n_topics) if u != t]
        others.append(_climb(mean_of_topics(rest), fewer.others[t], count))
    single = _climb(mean_of_topics(range(n_topics)), fewer.single, count)
    log.info("%s: climbed to %d levels", criterion.name, levels)
    held_out = _held_out(criterion, others)
    return BestOfLevels(levels, topics, single, others, held_out, exact, exact_single=False)


def _climb(
    values: Callable[[np.ndarray], np.ndarray], start: Optimum | None, count: int
) -> Optimum | None:
    """A cut that no move of one threshold improves, from the best of those with one less."""
    if start is None:
        return None
    places = start.places
    free = np.setdiff1d(np.arange(count), places)
    more = np.sort(np.column_stack([np.tile(places, (len(free), 1)), free]), axis=1)
    best = _best_row(values, more)
    while best is not None:
        moves = []  # each threshold anywhere else between its neighbours
        edges = np.concatenate([[-1], best.places, [count]])
        for j, (low, high) in enumerate(zip(edges[:-2] + 1, edges[2:], strict=True)):
            moved = np.tile(best.places, (high - low, 1))
            moved[:, j] = np.arange(low, high)
            moves.append(moved)
        better = _best_row(values, np.concatenate(moves))
        if better is None or better.value <= best.value + TIED:
            break
        best = better
    return best


def _best_row(values: Callable[[np.ndarray], np.ndarray], places: np.ndarray) -> Optimum | None:
    criterion = values(places)
    if np.isnan(criterion).all():
        return None
    best = int(np.nanargmax(criterion))
    return Optimum(places[best], float(criterion[best]))


# --- tables ----------------------------------------------------------------------------------


def best_by_levels(
    criterion: LevelCriterion,
    levels: Sequence[int],
    *,
    enumerate_to: int = 5,
    coverage: float = 0.9,
    threads: int = 1,
) -> list[BestOfLevels]:
    """The best cuts into each number of levels."""
    searched: list[BestOfLevels] = []
    for k in levels:
        n_cuts = criterion.thresholds.count(k)
        if not n_cuts:
            break
        if k <= enumerate_to and n_cuts <= MOST_ENUMERATED:
            searched.append(enumerated(criterion, k, coverage=coverage, threads=threads))
        else:
            searched.append(climbed(criterion, k, searched[-1], coverage=coverage))
    return searched


def levels_table(criterion: LevelCriterion, searched: Sequence[BestOfLevels]) -> pd.DataFrame:
    """Schema ``cuts/levels``: for each k the topics' best cuts, their mean, the one cut for all."""
    rows = []
    for result in searched:
        key = {"search": criterion.name, "levels": result.levels}
        key |= {"n_cuts": criterion.thresholds.count(result.levels)}

        def add(selection: str, topic: str, exact: bool, best: Optimum | None, key=key, **rest):
            row = key | {"selection": selection, "topic": topic, "exact": exact}
            if best is not None:
                cut = map(float, criterion.thresholds.values[best.places])
                row |= dict(zip(LEVEL_CUT_COLUMNS, cut, strict=False))
                row |= {"value": best.value, "tied": best.tied}
            rows.append(row | rest)

        for topic, best in zip(criterion.topics, result.topics, strict=True):
            add("per-topic", topic, result.exact, best)
        values = np.array([best.value for best in result.topics if best])
        mean = {"value": mean_where_defined(values), "n_topics": len(values)}
        add("per-topic", ALL_TOPICS, result.exact, None, **mean)
        held_out = {"held_out": mean_where_defined(result.held_out)}
        held_out["n_topics"] = np.count_nonzero(~np.isnan(result.held_out))
        add("single", ALL_TOPICS, result.exact_single, result.single, **held_out)
    return pd.DataFrame(rows, columns=columns_of("cuts/levels"))


def tau_by_levels(
    table: pd.DataFrame,
    ranked: RankedLists,
    labels: pa.Table,
    experts: Mapping[str, Mapping[str, np.ndarray]],
    measure: Measure,
) -> pd.DataFrame:
    """τ_b of systems under the best cuts into each number of levels; schema ``cuts/levels_tau``."""
    rows = []
    for (search, levels), of in table.groupby(["search", "levels"], sort=False, observed=True):
        own = of[(of["topic"] != ALL_TOPICS) & of["c1"].notna()]
        columns = list(LEVEL_CUT_COLUMNS[: levels - 1])
        cuts = {str(row["topic"]): [row[c] for c in columns] for row in own.to_dict("records")}
        selections = {"per-topic": cuts}
        single = of[(of["selection"] == "single") & of["c1"].notna()]
        if len(single):
            selections["single"] = dict.fromkeys(cuts, single.iloc[0][columns].tolist())
        for selection, chosen in selections.items():
            cut_labels = transformed_labels(labels, chosen, "at", "median", levels)
            scores = scores_by_topic(ranked, cut_labels, measure, levels - 1.0)
            for expert, theirs in experts.items():
                tau, n_topics = tau_of_means(scores, theirs)
                row = {"search": search, "levels": levels, "selection": selection}
                row |= {"expert": expert, "measure": str(measure)}
                rows.append(row | {"n_topics": n_topics, "tau": tau})
    return pd.DataFrame(rows, columns=columns_of("cuts/levels_tau"))
