"""Cuts judged on what they were not chosen on.

*Topics*: the one cut for all is chosen on all topics but one and judged on that one.
*Documents*, *units*: each topic's are split into halves at random; a cut is chosen on one half and
judged on the other, and conversely, several times over.  Here a topic has labels of its own to
choose by, so its own cut can be compared with the one for all, and with a cut between the two:
thresholds at w · own + (1 − w) · all, in places of the scale, with the weight w that does best
for the *other* topics.  *Systems*: a cut is chosen by τ_b of half of them and judged by that of the
other half.

Nothing that judges a choice has a part in it: not the topic's labels on which it is judged, not its
share in the mean of α, not its own half in the choice of the weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.special import stdtr

from regrade.aggregation import source_values
from regrade.catalogue import columns_of
from regrade.compiled import njit
from regrade.cutsearch.best import best_index
from regrade.cutsearch.cut_scores import (
    CutScores,
    put_scores,
    scores_of_every_cut,
)
from regrade.cutsearch.means import (
    highest_means,
    highest_means_without,
    mean_of_sums,
    mean_where_defined,
    weighted_means,
)
from regrade.cutsearch.system_tau import TAU, scores_by_topic
from regrade.cutsearch.thresholds import Thresholds
from regrade.drawn_intervals import spread_of
from regrade.intervals import INTERVALS
from regrade.kendall import PADDED, TOLERANCE, expert_order, tau_b, tau_b_ordered
from regrade.measures import parse
from regrade.randomness import generator
from regrade.run_arrays import Judged
from regrade.sample_means import skewed_ends, skewness
from regrade.significance.paired import is_too_alike, paired_difference
from regrade.trust.bootstrap import (
    PER_TOPIC,
    SINGLE,
    TOPICS,
    RepeatedSearch,
    topic_weights,
    values_at,
    values_under,
)
from regrade.trust.gains import search_gains
from regrade.trust.resampling import drawn_again, why_not_drawn
from regrade.trust.searches import RankedInput

POOLED = "pooled"
ALPHA = "alpha"
DOCUMENTS, UNITS, SYSTEMS = "documents", "units", "systems"
WEIGHTS = tuple(step / 10 for step in range(11))
"""Of a topic's own cut, that pooling tries."""

ONE_TOPIC = "one topic: there is no other to choose on"

DRAWS = 100
"""Of topics, which choose the one cut for all again."""

CHUNK = 2048
"""Cuts per task where systems are ranked under all of them."""


# --- one topic left out ----------------------------------------------------------------------


def chosen_without(places: np.ndarray, criterion: np.ndarray, coverage: float) -> np.ndarray:
    """The one cut for all topics but one, for each topic that is left out."""
    means = highest_means_without(np.ascontiguousarray(criterion.T), coverage)
    return np.array([best_index(places, mean) for mean in means], dtype=np.int64)


def tau_without(
    scores: CutScores, theirs: np.ndarray, threads: int = 1, among: int | None = None
) -> np.ndarray:
    """τ_b of every cut's ranking with the expert's, over all topics but one."""
    orders = [expert_order(np.delete(theirs, t, axis=0).mean(axis=0)) for t in range(len(theirs))]
    order, below = (np.stack(of) for of in zip(*orders, strict=True))
    return _of_every_cut(_tau_without, scores, (order, below), len(theirs), threads, among)


def _of_every_cut(
    kernel: Callable, scores: CutScores, expert: tuple, n: int, threads: int, among: int | None
) -> np.ndarray:
    """What a kernel gives of all cuts, (C, n), with the expert's orders in its own form.

    Where a cut is named, a τ_b below that of the named cut need not be exact.
    """

    def tau(start: int, stop: int, least: np.ndarray) -> np.ndarray:
        some = scores.lookups[start:stop], scores.parts, scores.divisors, scores.weights
        return kernel(*some, *expert, least)

    least = np.full(n, -1.0)
    if among is not None:
        least = tau(among, among + 1, least)[0]
    starts = range(0, len(scores.lookups), CHUNK)
    with ThreadPoolExecutor(threads) as pool:
        chunks = pool.map(lambda start: tau(start, start + CHUNK, least), starts)
        return np.concatenate(list(chunks))


@njit(cache=True, nogil=True)
def _tau_without(lookups, parts, ideal, weights, order, below, least):
    n_topics, _, n_systems = parts.shape
    tau = np.empty((lookups.shape[0], n_topics))
    rows, total = np.empty((n_topics, n_systems)), np.empty(n_systems)
    mean = np.full(n_systems + PADDED, -np.inf)
    for i in range(lookups.shape[0]):
        put_scores(rows, total, parts, lookups[i], ideal, weights, n_topics - 1.0)
        for t in range(n_topics):
            for place in range(n_systems):
                s = order[t, place]
                mean[place] = total[s] - rows[t, s]
            tau[i, t] = tau_b_ordered(mean, below[t], least[t])
    return tau


# --- halves ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Halves:
    """What halves of each topic choose, and how their choices do on the other halves.

    Attributes
    ----------
    training, value : arrays of float64, shape (2 + weights, T)
        α on the half where a cut was chosen and on the other, averaged over splits and directions:
        of the topic's own cut, of the one for all, and of those between the two.
    error : float
        Of the mean difference between the own cut and the one for all, which other topics would
        have chosen otherwise.
    """

    training: np.ndarray
    value: np.ndarray
    error: float = np.nan


def halves(search: RepeatedSearch, split: str, splits: int, seed: int, threads: int = 1) -> Halves:
    """Split each topic's documents or units into halves; choose on one, judge on the other."""
    topics, labels = search.plan.topics, search.labels
    weights = topic_weights(len(topics), DRAWS, seed)

    def split_once(number: int) -> tuple[np.ndarray, np.ndarray]:
        criteria = []
        for topic, own in zip(topics, labels, strict=True):
            n = topic.n_units if split == UNITS else topic.n_documents
            first = half_of(n, generator(seed, "halves", split, topic.topic, str(number)))
            parts = [drawn_again(topic, split, half.astype(int), own) for half in (first, ~first)]
            criteria.append([search.criterion(*part) for part in parts])
        alpha = np.empty((2, 2, 2 + len(WEIGHTS), len(topics)))
        drawn = np.empty((2, *weights.shape))
        for side in (0, 1):
            chosen = chosen_on(search, [both[side] for both in criteria])
            for t, both in enumerate(criteria):
                for i, judge in enumerate((side, 1 - side)):
                    alpha[side, i, :, t] = values_at(both[judge], chosen[:, t])
            halves = (np.stack([of[half] for of in criteria], 1) for half in (side, 1 - side))
            drawn[side] = single_of_drawn(search.places, *halves, weights, search.coverage)
        return alpha, drawn

    with ThreadPoolExecutor(threads) as pool:
        of_splits = zip(*pool.map(split_once, range(splits)), strict=True)
    alpha, drawn = (_mean_of_splits(np.stack(of)) for of in of_splits)
    return Halves(*alpha, error_of_difference(alpha[1, 0], drawn, weights))


def _mean_of_splits(values: np.ndarray) -> np.ndarray:
    """The mean over splits and directions where it is defined."""
    known = ~np.isnan(values)
    return mean_of_sums(np.where(known, values, 0.0).sum(axis=(0, 1)), known.sum(axis=(0, 1)), 1)


def single_of_drawn(
    places: np.ndarray,
    chooses: np.ndarray,
    judges: np.ndarray,
    weights: np.ndarray,
    coverage: float,
) -> np.ndarray:
    """(R, T) what topics have by (C, T) `judges` of the one cut that drawn topics choose."""
    means = (row for rows in weighted_means(chooses, weights, coverage) for row in rows)
    cuts = np.array([best_index(places, row) for row in means])
    return np.where(cuts[:, None] >= 0, judges[np.maximum(cuts, 0)], np.nan)


def error_of_difference(own: np.ndarray, drawn: np.ndarray, weights: np.ndarray) -> float:
    """The standard error of the mean difference of own cuts (T,) from the one of drawn topics."""
    apart = own - drawn
    known = ~np.isnan(apart)
    counted = (weights * known).sum(axis=1)
    means = mean_of_sums((weights * np.where(known, apart, 0.0)).sum(axis=1), counted, 1)
    n = int((~np.isnan(own)).sum())
    return float(spread_of(means) * np.sqrt(n / (n - 1))) if n > 1 else np.nan


def half_of(n: int, rng: np.random.Generator) -> np.ndarray:
    """Which of n things are in the first half; of an odd number it has one less; (n,) bool."""
    chosen = np.zeros(n, dtype=bool)
    chosen[rng.permutation(n)[: n // 2]] = True
    return chosen


def chosen_on(search: RepeatedSearch, criteria: Sequence[np.ndarray]) -> np.ndarray:
    """The cuts that T topics' criteria choose; int64, (2 + weights, T), −1 where there is none.

    The topic's own, the one for all, and those between them.
    """
    places = search.places
    chosen = np.full((2 + len(WEIGHTS), len(criteria)), -1, dtype=np.int64)
    chosen[1] = best = best_index(places, highest_means(criteria, search.coverage))
    for t, criterion in enumerate(criteria):
        chosen[0, t] = own = best_index(places, criterion)
        if min(own, best) >= 0:
            chosen[2:, t] = search.index_of(pooled_places(places[own], places[best]))
    return chosen


def pooled_places(own: np.ndarray, single: np.ndarray) -> np.ndarray:
    """Cuts between a topic's own and the one for all, by weight; places (weights, levels - 1).

    Thresholds that ascend by a place at least do so in between, and still do when they are rounded.
    """
    weight = np.array(WEIGHTS)[:, None]
    return np.floor(weight * own + (1 - weight) * single + 0.5).astype(np.int64)


def pooled(alpha: Halves) -> np.ndarray:
    """The pooled cut's training, value and weight, (3, T): the weight that others do best with."""
    tried = alpha.value[2:]
    n = tried.shape[1]
    result = np.full((3, n), np.nan)
    for t in range(n):
        others = np.delete(tried, t, axis=1)
        others = others[:, ~np.isnan(others).any(axis=0)]
        if others.shape[1]:
            means = others.mean(axis=1)
            w = int(np.flatnonzero(means >= means.max() - 1e-12)[0])
            result[:, t] = alpha.training[2 + w, t], tried[w, t], WEIGHTS[w]
    return result


# --- tables ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Split:
    """One choice, judged: arrays over topics; `error` of the mean difference from the one cut."""

    selection: str
    in_sample: np.ndarray
    training: np.ndarray
    value: np.ndarray
    weight: np.ndarray | None = None
    by_training: bool = True
    error: float = np.nan


def held_out_tables(
    search: RepeatedSearch,
    reference: str | None,
    splits: Sequence[str],
    repeats: int = 10,
    seed: int = 1,
    threads: int = 1,
) -> dict[str, pd.DataFrame]:
    """Choices by α, judged by α (and, where there are systems, by τ_b) on what is held out."""
    rows, notes = [], []
    for split in splits:
        key = {"method": search.plan.method.name, "reference": reference}
        key |= {"split": split, "criterion": ALPHA}
        reason = search.plan.reason
        if split == TOPICS and len(search.names) < 2:
            reason = reason or ONE_TOPIC
        if split not in (TOPICS, DOCUMENTS):
            reason = reason or why_not_drawn(split, search.plan.topics)
        if reason:
            notes.append(_note(key, reason))
        elif split == TOPICS:
            rows += [(key | own, search.names, choices) for own, choices in _left_out(search)]
        else:
            of_halves = halves(search, split, repeats, seed, threads)
            rows.append((key, search.names, _of_halves(search, of_halves)))
    gains = search_gains(search, repeats, seed)
    gains = gains.assign(method=search.plan.method.name, reference=reference)
    return _tables(rows, notes) | {"gains": gains}


def _left_out(search: RepeatedSearch) -> Iterator[tuple[dict, list[_Split]]]:
    """Each topic under the cut that the others chose, by α and by τ_b of the topic's ranking."""
    criterion = search.criteria
    chosen = chosen_without(search.places, criterion, search.coverage)
    single = np.full(len(chosen), search.best)
    training = np.full(len(chosen), np.nan)
    for t in np.flatnonzero(chosen >= 0):
        training[t] = mean_where_defined(np.delete(criterion[chosen[t]], t))
    values = values_under(criterion, single), training, values_under(criterion, chosen)
    yield {}, [_Split(SINGLE, *values, by_training=False)]
    for expert, theirs in search.experts.items():
        taus = np.full((3, len(chosen)), np.nan)
        for t, topic in enumerate(search.plan.topics):
            if topic.topic in theirs and topic.topic in search.systems.discounts:
                for i, cut in ((0, search.best), (2, chosen[t])):
                    if cut >= 0:
                        taus[i, t] = tau_b(search.scores(topic, [cut])[0], theirs[topic.topic])
        yield {"criterion": TAU, "expert": expert}, [_Split(SINGLE, *taus, by_training=False)]


def _of_halves(search: RepeatedSearch, alpha: Halves) -> list[_Split]:
    single = np.full(len(search.names), search.best)
    nothing = np.full(len(single), np.nan)
    in_sample = [values_under(search.criteria, chosen) for chosen in (single, search.own)]
    return [
        _Split(SINGLE, in_sample[0], alpha.training[1], alpha.value[1]),
        _Split(PER_TOPIC, in_sample[1], alpha.training[0], alpha.value[0], error=alpha.error),
        _Split(POOLED, nothing, *pooled(alpha)),
    ]


def held_out_by_tau(
    scores: CutScores,
    theirs: np.ndarray,
    topics: Sequence[str],
    expert: str,
    splits: Sequence[str],
    repeats: int = 10,
    seed: int = 1,
    threads: int = 1,
) -> dict[str, pd.DataFrame]:
    """The cut whose ranking of systems is most like the expert's, judged on what is held out."""
    key = {"method": TAU, "reference": expert, "criterion": TAU, "expert": expert}
    places, (n_topics, n) = scores.cuts.astype(np.int64), theirs.shape
    rows, notes = [], []
    (of_all,) = tau_of_some(scores, theirs, [np.arange(n)], threads)
    best = best_index(places, of_all)
    among = best if best >= 0 else None
    if TOPICS in splits and n_topics < 2:
        notes.append(_note(key | {"split": TOPICS}, ONE_TOPIC))
    elif TOPICS in splits:
        every = tau_without(scores, theirs, threads, among)
        taus = np.full((3, n_topics), np.nan)
        for t in range(n_topics):
            cut = best_index(places, every[:, t])
            if best >= 0:
                taus[0, t] = tau_b(scores.scores(best)[:, t], theirs[t])
            if cut >= 0:
                taus[1:, t] = every[cut, t], tau_b(scores.scores(cut)[:, t], theirs[t])
        choice = _Split(SINGLE, *taus, by_training=False)
        rows.append((key | {"split": TOPICS}, topics, [choice]))
    if SYSTEMS in splits and n < 4:
        problem = "fewer than four systems cannot be split into halves"
        notes.append(_note(key | {"split": SYSTEMS}, problem))
    elif SYSTEMS in splits:
        halves, mean = [], theirs.mean(axis=0)
        for number in range(repeats):
            first = half_of(n, generator(seed, "halves", SYSTEMS, expert, str(number)))
            halves += [first, ~first]
        taus = np.full((3, len(halves)), np.nan)
        if best >= 0:
            taus[0] = tau_b(scores.scores(best).mean(axis=1), mean)
        chosen_by = [np.flatnonzero(half) for half in halves]
        every = tau_of_some(scores, theirs, chosen_by, threads, among)
        for h, half in enumerate(halves):
            cut = best_index(places, every[h])
            if cut >= 0:
                own = scores.scores(cut).mean(axis=1)
                taus[1:, h] = every[h, cut], tau_b(own[~half], mean[~half])
        names = [f"half {h + 1}" for h in range(len(halves))]
        rows.append((key | {"split": SYSTEMS}, names, [_Split(SINGLE, *taus)]))
    return _tables(rows, notes)


def scores_under_cuts(
    source: RankedInput, labels: pa.Table, expert: pa.Table, threads: int = 1
) -> tuple[CutScores, np.ndarray, tuple[str, ...]] | None:
    """The systems' scores under every cut, and the expert's, over the topics that both have."""
    ranked, levels = source.ranked, source.levels
    measure, grid = parse(source.measure), source.options.grid
    theirs = scores_by_topic(ranked, expert, measure)
    judged = Judged.from_table(labels, ranked)
    topics = [topic for topic in judged.topics if topic in theirs]
    if not topics:
        return None
    values = source_values(source.judgments)
    thresholds = Thresholds.of(source.scale, levels, values, grid)
    thresholds.check_size(levels, len(topics))
    judged = judged.select(topics)
    scores = scores_of_every_cut(ranked, judged, measure, thresholds, levels, threads)
    return scores, np.stack([theirs[topic] for topic in topics]), tuple(topics)


def tau_of_some(
    scores: CutScores,
    theirs: np.ndarray,
    systems: Sequence[np.ndarray],
    threads: int,
    among: int | None = None,
) -> np.ndarray:
    """τ_b of every cut over each of H selections of systems, on the mean over all topics; (H, C).

    `among` is as in `tau_without`.
    """
    mean = theirs.mean(axis=0)
    orders = [expert_order(mean[some]) for some in systems]
    order = np.concatenate([some[of[0]] for some, of in zip(systems, orders, strict=True)])
    below = np.concatenate([of[1] for of in orders])
    ends = np.cumsum([0, *map(len, systems)])
    n = len(systems)
    return _of_every_cut(_tau_of_some, scores, (order, below, ends), n, threads, among).T.copy()


@njit(cache=True, nogil=True)
def _tau_of_some(lookups, parts, ideal, weights, order, below, ends, least):
    tau = np.empty((lookups.shape[0], least.shape[0]))
    n_topics, _, n_systems = parts.shape
    rows, total = np.empty((n_topics, n_systems)), np.empty(n_systems)
    for i in range(lookups.shape[0]):
        put_scores(rows, total, parts, lookups[i], ideal, weights, float(n_topics))
        for h in range(least.shape[0]):
            some = slice(ends[h], ends[h + 1])
            tau[i, h] = tau_b_ordered(total[order[some]], below[some], least[h])
    return tau


def _note(key: dict, reason: str) -> dict:
    return key | {"selection": SINGLE, "n_topics": 0, "note": reason}


def _tables(
    rows: Sequence[tuple[dict, Sequence[str], Sequence[_Split]]], notes: Sequence[dict]
) -> dict[str, pd.DataFrame]:
    """The tables of choices, by key and names of what they were judged on; the single cut first."""
    summary, every = [], []
    for key, names, choices in rows:
        for choice in choices:
            own = key | {"selection": choice.selection}
            summary.append(own | _summary(choice, choices[0]))
            weight = [np.nan] * len(names) if choice.weight is None else choice.weight
            for values in zip(names, choice.training, choice.value, weight, strict=True):
                columns = zip(("topic", "training", "value", "weight"), values, strict=True)
                every.append(own | dict(columns))
    return {
        "held_out": pd.DataFrame([*summary, *notes], columns=columns_of("cuts/held_out")),
        "held_out_topics": pd.DataFrame(every, columns=columns_of("cuts/held_out_topics")),
    }


def _summary(choice: _Split, single: _Split) -> dict:
    """Means over topics, the optimism, and the difference to the single cut, paired.

    What other topics taught, the single cut and the weight, is nearly the same on all topics, so
    that these are not independent: only a topic's own cut has intervals and tests.
    """
    known = ~np.isnan(choice.value)
    row = {"n_topics": int(known.sum()), "held_out": mean_where_defined(choice.value)}
    row["in_sample"] = mean_where_defined(choice.in_sample)
    row["training"] = mean_where_defined(choice.training)
    # what it is held against: where the cut was chosen, or chosen on everything
    before = choice.training if choice.by_training else choice.in_sample
    both = known & ~np.isnan(before)
    optimism = paired_difference(before[both] - choice.value[both])
    row["optimism"] = optimism["difference"]
    if choice.selection == PER_TOPIC:
        row |= {f"optimism_{name}": optimism[name] for name in ("low", "high", "p")}
    if choice.weight is not None:
        row["weight"] = mean_where_defined(choice.weight)
    if choice is not single:
        both = known & ~np.isnan(single.value)
        apart = choice.value[both] - single.value[both]
        row |= paired_difference(apart) | single_difference(apart, choice.error)
    return row


def single_difference(apart: np.ndarray, error: float) -> dict[str, float]:
    """Interval and test of a mean of differences with a standard error; NaN without one."""
    n, none = len(apart), dict.fromkeys(("low", "high", "t", "p"), np.nan)
    if n < 2 or not error > TOLERANCE:
        return none
    value = apart.mean()
    t = value / error
    tested = {"t": float(t), "p": float(2 * stdtr(n - 1, -abs(t)))}
    if n < INTERVALS["held_out_difference"].fewest or is_too_alike(apart):
        return none | tested
    low, high = skewed_ends(value, error, skewness(apart), n, n - 1)
    return tested | {"low": low, "high": high}
