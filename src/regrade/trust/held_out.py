"""Cuts judged on what they were not chosen on.

*Topics*: the one cut for all is chosen on all topics but one and judged on that one.
*Documents*, *units*: each topic's are split into halves at random; a cut is chosen on one half and
judged on the other, and the other way round, several times over.  Here a topic has labels of its
own to choose by, so its own cut can be held beside the one for all, and beside a cut between the
two: thresholds at w · own + (1 − w) · all, in places of the scale, with the weight w that does best
for the *other* topics.  *Systems*: a cut is chosen by τ_b of half of them and judged by that of the
other half.

Nothing that judges a choice has a part in it: not the topic's labels on which it is judged, not its
share in the mean of α, not its own half in the choice of the weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
from numba import njit

from regrade.aggregation import source_values
from regrade.catalogue import columns_of
from regrade.cutsearch.best import Best, best_index, best_of
from regrade.cutsearch.cut_scores import (
    CutScores,
    add_scores,
    divisor,
    put_means,
    scores_of_every_cut,
)
from regrade.cutsearch.means import (
    highest_means,
    highest_means_without,
    mean_where_defined,
)
from regrade.cutsearch.system_tau import TAU, scores_by_topic
from regrade.cutsearch.thresholds import Thresholds
from regrade.kendall import expert_order, tau_b, tau_b_ordered
from regrade.measures import parse
from regrade.randomness import generator
from regrade.run_arrays import Judged
from regrade.significance.paired import paired_difference
from regrade.trust.bootstrap import PER_TOPIC, SINGLE, TOPICS, Outcome, RepeatedSearch
from regrade.trust.gains import search_gains
from regrade.trust.named_cuts import cut_index
from regrade.trust.resampling import drawn_again, why_not_drawn
from regrade.trust.searches import RankedInput

POOLED = "pooled"
ALPHA = "alpha"
DOCUMENTS, UNITS, SYSTEMS = "documents", "units", "systems"
WEIGHTS = tuple(step / 10 for step in range(11))
"""Of a topic's own cut, that pooling tries."""

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
    n = len(theirs)
    orders = [expert_order(np.delete(theirs, t, axis=0).mean(axis=0)) for t in range(n)]
    order = np.stack([expert[0] for expert in orders])
    below = np.stack([expert[1] for expert in orders])
    least = np.full(n, -1.0)

    def tau(start: int, stop: int) -> np.ndarray:
        some = scores.lookups[start:stop]
        return _tau_without(
            some, scores.parts, scores.divisors, scores.weights, order, below, least
        )

    if among is not None:
        least = tau(among, among + 1)[0]
    return _of_chunks(tau, len(scores.lookups), threads)


def _of_chunks(tau: Callable[[int, int], np.ndarray], cuts: int, threads: int) -> np.ndarray:
    """What a function of first and last cut finds of all of them."""
    with ThreadPoolExecutor(threads) as pool:
        chunks = pool.map(lambda start: tau(start, start + CHUNK), range(0, cuts, CHUNK))
        return np.concatenate(list(chunks))


@njit(cache=True, nogil=True)
def _tau_without(lookups, parts, ideal, weights, order, below, least):
    n_topics, _, n_systems = parts.shape
    tau = np.empty((lookups.shape[0], n_topics))
    rows = np.empty((n_topics, n_systems))
    total = np.empty(n_systems)
    mean = np.empty(n_systems)
    for i in range(lookups.shape[0]):
        total[:] = 0.0
        for t in range(n_topics):
            rows[t] = 0.0
            best = divisor(lookups[i], ideal[t], weights)
            if best > 0:
                add_scores(rows[t], parts[t], lookups[i], weights, best * (n_topics - 1))
            for s in range(n_systems):
                total[s] += rows[t, s]
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
    """

    training: np.ndarray
    value: np.ndarray


def halves(search: RepeatedSearch, split: str, splits: int, seed: int, threads: int = 1) -> Halves:
    """Split each topic's documents or units into halves; choose on one, judge on the other."""

    def split_once(number: int) -> np.ndarray:
        criteria = [_criteria(search, t, split, number, seed) for t in range(len(topics))]
        return np.stack([_judged(search, criteria, side) for side in (0, 1)])

    topics = search.plan.topics
    with ThreadPoolExecutor(threads) as pool:
        alpha = np.stack(list(pool.map(split_once, range(splits))))
    there = ~np.isnan(alpha)
    n = there.sum(axis=(0, 1))
    total = np.where(there, alpha, 0.0).sum(axis=(0, 1))
    mean = np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)
    return Halves(mean[0], mean[1])


def half_of(n: int, rng: np.random.Generator) -> np.ndarray:
    """Which of n things are in the first half; of an odd number it has one less; (n,) bool."""
    chosen = np.zeros(n, dtype=bool)
    chosen[rng.permutation(n)[: n // 2]] = True
    return chosen


def _criteria(
    search: RepeatedSearch, t: int, split: str, number: int, seed: int
) -> list[np.ndarray]:
    """The criterion on both halves of a topic, (C,) each."""
    topic = search.plan.topics[t]
    labels = search.plan.labels.get(topic.topic)
    n = topic.n_units if split == UNITS else topic.n_documents
    first = half_of(n, generator(seed, "halves", split, topic.topic, str(number)))
    parts = (drawn_again(topic, split, half.astype(np.int64), labels) for half in (first, ~first))
    return [search.criterion(*part) for part in parts]


def _judged(search: RepeatedSearch, criteria: Sequence[list[np.ndarray]], side: int) -> np.ndarray:
    """α on the side that chooses and on the other: (2, 2 + weights, T)."""
    chosen = chosen_on(search, [both[side] for both in criteria])
    alpha = np.full((2, *chosen.shape), np.nan)
    for t, both in enumerate(criteria):
        known = chosen[:, t] >= 0
        alpha[0, known, t] = both[side][chosen[known, t]]
        alpha[1, known, t] = both[1 - side][chosen[known, t]]
    return alpha


def chosen_on(search: RepeatedSearch, criteria: Sequence[np.ndarray]) -> np.ndarray:
    """The cuts that T topics' criteria choose; int64, (2 + weights, T), −1 where there is none.

    The topic's own, the one for all, and those between them.
    """
    places, plan = search.places, search.plan
    chosen = np.full((2 + len(WEIGHTS), len(criteria)), -1, dtype=np.int64)
    coverage = search.plan.options.coverage
    best = best_of(places, highest_means(criteria, coverage))
    if best is not None:
        chosen[1] = best.index
    for t, criterion in enumerate(criteria):
        own = best_of(places, criterion)
        if own is None:
            continue
        chosen[0, t] = own.index
        if best is not None:
            between = pooled_places(places[own.index], places[best.index])
            chosen[2:, t] = cut_index(between, len(plan.thresholds.values), plan.levels)
    return chosen


def pooled_places(own: np.ndarray, single: np.ndarray) -> np.ndarray:
    """Cuts between a topic's own and the one for all, by weight; places (weights, levels - 1).

    Thresholds that ascend by a place at least do so in between, and still do when they are rounded.
    """
    weight = np.array(WEIGHTS)[:, None]
    return np.floor(weight * own + (1 - weight) * single + 0.5).astype(np.int64)


def pooled(alpha: Halves) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values of the pooled cut, its weight being what does best for the other topics."""
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
    return result[0], result[1], result[2]


# --- tables ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Split:
    """One choice, judged: arrays over topics."""

    selection: str
    in_sample: np.ndarray
    training: np.ndarray
    value: np.ndarray
    weight: np.ndarray | None = None
    by_training: bool = True

    @property
    def before(self) -> np.ndarray:
        """What optimism is held against: where the cut was chosen, or chosen on everything."""
        return self.training if self.by_training else self.in_sample


def held_out_tables(
    search: RepeatedSearch,
    reference: str | None,
    splits: Sequence[str],
    repeats: int = 10,
    seed: int = 1,
    threads: int = 1,
) -> dict[str, pd.DataFrame]:
    """Choices by α, judged by α (and, where there are systems, by τ_b) on what is held out."""
    plan = search.plan
    key = {"method": plan.method.name, "reference": reference}
    rows, notes = [], []
    if plan.reason:
        notes = [_note(key, split, plan.reason) for split in splits]
        return _tables(plan.topics, rows, notes) | {"gains": search_gains(search).assign(**key)}
    topics = plan.topics
    original, criterion = search.choice(), search.criteria
    for split in splits:
        own = key | {"split": split}
        reason = None if split in (TOPICS, DOCUMENTS) else why_not_drawn(split, topics)
        if split == TOPICS and len(topics) < 2:
            reason = "one topic: there is no other to choose on"
        if reason:
            notes.append(_note(key, split, reason))
        elif split == TOPICS:
            rows += _left_out(search, own, original, criterion)
        else:
            of_halves = halves(search, split, repeats, seed, threads)
            rows += [(own | {"criterion": ALPHA}, _of_halves(original, criterion, of_halves))]
    gains = search_gains(search, repeats, seed).assign(**key)
    return _tables(topics, rows, notes) | {"gains": gains}


def _left_out(
    search: RepeatedSearch, key: dict, original: Outcome, criterion: np.ndarray
) -> Iterator[tuple[dict, list[_Split]]]:
    """Each topic under the cut that the others chose, by α and by τ_b of the topic's ranking."""
    chosen = chosen_without(search.places, criterion, search.plan.options.coverage)
    training = np.array(
        [
            np.nan if cut < 0 else mean_where_defined(np.delete(criterion[cut], t))
            for t, cut in enumerate(chosen)
        ]
    )
    single = np.full(len(chosen), original.single)
    values = _rows(criterion, single), training, _rows(criterion, chosen)
    split = _Split(SINGLE, *values, by_training=False)
    yield key | {"criterion": ALPHA}, [split]
    if search.systems is None:
        return
    for expert in search.systems.experts:
        own = [_tau_of_topic(search, t, expert, cut) for t, cut in enumerate(chosen)]
        under_single = [
            _tau_of_topic(search, t, expert, original.single) for t in range(len(chosen))
        ]
        nothing = np.full(len(chosen), np.nan)
        split = _Split(SINGLE, np.array(under_single), nothing, np.array(own), by_training=False)
        yield key | {"criterion": TAU, "expert": expert}, [split]


def _rows(criterion: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """Each topic's value at its cut; NaN at −1."""
    topics = np.arange(criterion.shape[1])
    return np.where(cuts >= 0, criterion[np.maximum(cuts, 0), topics], np.nan)


def _tau_of_topic(search: RepeatedSearch, t: int, expert: str, cut: int) -> float:
    """τ_b of one topic's ranking under a cut; NaN without runs, labels or a cut."""
    topic = search.plan.topics[t]
    theirs = search.systems.experts[expert].get(topic.topic)
    if cut < 0 or theirs is None or topic.topic not in search.systems.discounts:
        return np.nan
    return tau_b(search.scores(topic, np.array([cut]))[0], theirs)


def _of_halves(original: Outcome, criterion: np.ndarray, alpha: Halves) -> list[_Split]:
    single = np.full(criterion.shape[1], original.single)
    training, value, weight = pooled(alpha)
    nothing = np.full(len(value), np.nan)
    return [
        _Split(SINGLE, _rows(criterion, single), alpha.training[1], alpha.value[1]),
        _Split(PER_TOPIC, original.alpha[0], alpha.training[0], alpha.value[0]),
        _Split(POOLED, nothing, training, value, weight),
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
    places = scores.cuts.astype(np.int64)
    rows, notes = [], []
    best_of_all = best_of(
        places, tau_of_some(scores, theirs, [np.arange(theirs.shape[1])], threads)[0]
    )
    if TOPICS in splits and len(topics) > 1:
        every = tau_without(scores, theirs, threads, best_of_all and best_of_all.index)
        chosen = [best_of(places, column) for column in every.T]
        taus = np.full((3, len(topics)), np.nan)
        for t, best in enumerate(chosen):
            if best_of_all is not None:
                taus[0, t] = tau_b(scores.scores(best_of_all.index)[:, t], theirs[t])
            if best is not None:
                taus[1, t] = every[best.index, t]
                taus[2, t] = tau_b(scores.scores(best.index)[:, t], theirs[t])
        rows.append((key | {"split": TOPICS}, [_Split(SINGLE, *taus, by_training=False)]))
    elif TOPICS in splits:
        notes.append(_note(key, TOPICS, "one topic: there is no other to choose on"))
    if SYSTEMS in splits and theirs.shape[1] < 4:
        notes.append(_note(key, SYSTEMS, "fewer than four systems make no two halves"))
    elif SYSTEMS in splits:
        taus = _halves_of_systems(scores, theirs, best_of_all, expert, repeats, seed, threads)
        rows.append((key | {"split": SYSTEMS}, [_Split(SINGLE, *taus)]))
    names = {TOPICS: topics, SYSTEMS: [f"half {n + 1}" for n in range(2 * repeats)]}
    tables = [_tables(names[own["split"]], [(own, splits_)], []) for own, splits_ in rows]
    tables.append(_tables(topics, [], notes))
    return {
        name: pd.concat([table[name] for table in tables], ignore_index=True)
        for name in ("held_out", "held_out_topics")
    }


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


def _halves_of_systems(
    scores: CutScores,
    theirs: np.ndarray,
    best_of_all: Best | None,
    expert: str,
    repeats: int,
    seed: int,
    threads: int,
) -> np.ndarray:
    """τ_b in sample, on the half that chose, and on the other; (3, 2 · repeats).

    `best_of_all` is the best cut over all systems.
    """
    n = theirs.shape[1]
    places = scores.cuts.astype(np.int64)
    in_sample = np.nan
    if best_of_all is not None:
        own = scores.scores(best_of_all.index).mean(axis=1)
        in_sample = tau_b(own, theirs.mean(axis=0))
    halves = []
    for number in range(repeats):
        first = half_of(n, generator(seed, "halves", SYSTEMS, expert, str(number)))
        halves += [first, ~first]
    chosen_on = [np.flatnonzero(half) for half in halves]
    taus = []
    every = tau_of_some(scores, theirs, chosen_on, threads, best_of_all and best_of_all.index)
    for half, tau in zip(halves, every, strict=True):
        best = best_of(places, tau)
        if best is None:
            taus.append((in_sample, np.nan, np.nan))
            continue
        own = scores.scores(best.index).mean(axis=1)[~half]
        taus.append((in_sample, tau[best.index], tau_b(own, theirs.mean(axis=0)[~half])))
    return np.array(taus).T


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
    least = np.full(len(systems), -1.0)

    def tau(start: int, stop: int) -> np.ndarray:
        some = scores.lookups[start:stop]
        return _tau_of_some(
            some, scores.parts, scores.divisors, scores.weights, order, below, ends, least
        )

    if among is not None:
        least = tau(among, among + 1)[0]
    return np.ascontiguousarray(_of_chunks(tau, len(scores.lookups), threads).T)


@njit(cache=True, nogil=True)
def _tau_of_some(lookups, parts, ideal, weights, order, below, ends, least):
    tau = np.empty((lookups.shape[0], least.shape[0]))
    total = np.empty(parts.shape[2])
    for i in range(lookups.shape[0]):
        put_means(total, parts, lookups[i], ideal, weights)
        for h in range(least.shape[0]):
            some = slice(ends[h], ends[h + 1])
            tau[i, h] = tau_b_ordered(total[order[some]], below[some], least[h])
    return tau


def _note(key: dict, split: str, reason: str) -> dict:
    row = {"split": split, "selection": SINGLE, "n_topics": 0, "note": reason}
    return {"criterion": ALPHA} | key | row


def _tables(
    topics: Sequence, rows: Sequence[tuple[Mapping, Sequence[_Split]]], notes: Sequence[Mapping]
) -> dict[str, pd.DataFrame]:
    names = [topic if isinstance(topic, str) else topic.topic for topic in topics]
    summary, every = [], []
    for key, choices in rows:
        single = next(choice for choice in choices if choice.selection == SINGLE)
        for choice in choices:
            own = {**key, "selection": choice.selection}
            summary.append(own | _summary(choice, single))
            weight = np.full(len(names), np.nan) if choice.weight is None else choice.weight
            columns = zip(names, choice.training, choice.value, weight, strict=True)
            every += [
                own | dict(zip(("topic", "training", "value", "weight"), values, strict=True))
                for values in columns
            ]
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
    both = known & ~np.isnan(choice.before)
    optimism = paired_difference(choice.before[both] - choice.value[both])
    row["optimism"] = optimism["difference"]
    if choice.selection == PER_TOPIC:
        row |= {f"optimism_{name}": optimism[name] for name in ("low", "high", "p")}
    if choice.weight is not None:
        row["weight"] = mean_where_defined(choice.weight)
    if choice is not single:
        both = known & ~np.isnan(single.value)
        apart = choice.value[both] - single.value[both]
        difference = paired_difference(apart, "held_out_difference")
        if choice.selection != PER_TOPIC:
            difference |= dict.fromkeys(("low", "high", "t", "p"), np.nan)
        row |= difference
    return row
