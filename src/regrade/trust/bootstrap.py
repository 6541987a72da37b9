"""How sure a chosen cut is: the search again on topics, units, workers or documents drawn anew.

Four things can be drawn with replacement.  *Topics* are weights on the columns of α: the cut for
all topics is chosen anew, a topic's own stays.  *Units* of each topic, *workers* of the collection
and *documents* of each topic change α itself: every cut is searched again for every topic
(`regrade.trust.resampling`).  What is told are ranges, where 95 % of what comes out lies, and no
intervals of a value: a cut chosen anew is a maximum (`regrade.trust.gains` has what it is worth).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
from numba import njit

from regrade.aggregation import enumerate_cuts
from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS, columns_of
from regrade.cutsearch.best import best_index, best_of
from regrade.cutsearch.data import TopicJudgments
from regrade.cutsearch.means import RunningMeans, mean_where_defined, weighted_means
from regrade.cutsearch.search import SearchPlan
from regrade.errors import ParameterError
from regrade.kendall import tau_b
from regrade.percentiles import interval
from regrade.randomness import generator, with_replacement
from regrade.trust.named_cuts import cut_index
from regrade.trust.resampling import drawn_again, times_drawn, why_not_drawn
from regrade.trust.systems import JudgedSystems, Labeller

TOPICS = "topics"
PER_TOPIC, SINGLE, BEST = "per-topic", "single", "best"
"""A cut for each topic; one for all, chosen anew; the one that was chosen on the data given."""


@dataclass(frozen=True)
class Outcome:
    """What one search, of the data given or drawn, chooses and reaches.

    Attributes
    ----------
    chosen : array of int64, shape (T,)
        Each topic's best cut, −1 where there is none.
    alpha : array of float64, shape (1 + names, T)
        α at the topic's own best cut, then at the cuts held beside it.
    single
        The one cut for all topics, −1 where there is none.
    means : array of float64, shape (2 + names,)
        Mean α at the topics' own best cuts; at `single`; at the cuts held beside it.
    tau : mapping of str to array of float64, shape (2 + names,)
        By expert, τ_b of the systems under the same.
    """

    chosen: np.ndarray
    alpha: np.ndarray
    single: int
    means: np.ndarray
    tau: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class RepeatedSearch:
    """A search that is run again and again.

    Attributes
    ----------
    prepared
        The search.
    named : mapping of str to array of int, shape (levels - 1,)
        Places of cuts by name (`regrade.trust.named_cuts.named_cuts`).
    systems
        What is ranked under the cuts, if anything.
    """

    plan: SearchPlan
    named: Mapping[str, np.ndarray]
    systems: JudgedSystems | None = None

    def __post_init__(self) -> None:
        """Make once what every run needs."""
        plan = self.plan
        count = len(plan.thresholds.values)
        object.__setattr__(self, "places", enumerate_cuts(count + 1, plan.levels).astype(np.int64))
        named = np.array([*self.named.values()], dtype=np.int64).reshape(-1, plan.levels - 1)
        object.__setattr__(self, "named_index", cut_index(named, count, plan.levels))

    @property
    def labels(self) -> list[np.ndarray | None]:
        """The reference's levels of each topic's documents; ``None`` for methods without one."""
        return [self.plan.labels.get(topic.topic) for topic in self.plan.topics]

    @cached_property
    def criteria(self) -> np.ndarray:
        """What each topic's best cut maximises; (C, T), NaN where a cut is not eligible."""
        criteria = np.empty((len(self.places), len(self.plan.topics)), order="F")
        for t, pair in enumerate(zip(self.plan.topics, self.labels, strict=True)):
            criteria[:, t] = self.criterion(*pair)
        return criteria

    def choice(self) -> Outcome:
        """What it chooses on the data given."""
        return self._outcome(self.plan.topics, self.criteria.T, None, ranks=False)

    def on_data(self) -> Outcome:
        """What it finds in the data given, its own choice being held beside."""
        return self._outcome(self.plan.topics, self.criteria.T, self.choice(), ranks=True)

    def held_cuts(self, original: Outcome | None) -> tuple[np.ndarray, np.ndarray]:
        """Cuts held beside the best: for each topic (T, names) and for all (names,).

        The first is the one that was chosen on the data `original`, if that is known.
        """
        topics = len(self.plan.topics)
        of_topics = np.broadcast_to(self.named_index, (topics, len(self.named_index)))
        if original is None:
            return of_topics, self.named_index
        of_topics = np.column_stack([original.chosen, of_topics])
        return of_topics, np.append(original.single, self.named_index)

    def run(
        self,
        topics: Sequence[TopicJudgments],
        labels: Sequence[np.ndarray | None],
        original: Outcome | None = None,
        *,
        ranks: bool = True,
    ) -> Outcome:
        """Search every cut, choose, and rank the systems."""
        criteria = map(self.criterion, topics, labels)
        return self._outcome(topics, criteria, original, ranks=ranks)

    def _outcome(
        self,
        topics: Sequence[TopicJudgments],
        criteria: Iterable[np.ndarray],
        original: Outcome | None,
        *,
        ranks: bool,
    ) -> Outcome:
        """`run`, of each topic's criterion (C,)."""
        of_topics, of_all = self.held_cuts(original)
        means = RunningMeans(len(self.places))
        chosen = np.full(len(topics), -1, dtype=np.int64)
        alpha = np.full((1 + len(of_all), len(topics)), np.nan)
        for t, criterion in enumerate(criteria):
            best = best_of(self.places, criterion)
            if best is None:
                continue
            chosen[t] = best.index
            alpha[0, t] = criterion[best.index]
            alpha[1:, t] = _at(criterion, of_topics[t])
            means.add(criterion)
        single = means.under_coverage(self.plan.options.coverage)
        index = best_index(self.places, single)
        reached = [mean_where_defined(alpha[0]), *_at(single, np.append(index, of_all))]
        outcome = Outcome(chosen, alpha, index, np.array(reached))
        if self.systems is None or not ranks:
            return outcome
        return Outcome(chosen, alpha, index, outcome.means, self._tau(topics, outcome, of_all))

    def criterion(self, judgments: TopicJudgments, labels: np.ndarray | None) -> np.ndarray:
        """What a topic's best cut maximises; (C,), NaN where a cut is not eligible."""
        result = self.plan.of_topic(judgments, labels)
        drop = self.plan.options.undefined == "drop"
        counts_as = 1.0 if self.plan.options.undefined == "one" else 0.0
        return _criterion(result.alpha, result.n_defined, result.n, drop, counts_as)

    def scores(self, judgments: TopicJudgments, cuts: np.ndarray) -> np.ndarray:
        """Scores of the systems on a topic under cuts, by their index; (n, S)."""
        levels = Labeller(self.plan, judgments).levels_under(self.places[cuts])
        return self.systems.scores(judgments.topic, levels)

    def ranked(self, topics: Sequence[TopicJudgments], outcome: Outcome) -> list[int]:
        """Places of the topics that have a cut and runs."""
        return [
            t
            for t, topic in enumerate(topics)
            if outcome.chosen[t] >= 0 and topic.topic in self.systems.discounts
        ]

    def _tau(
        self, topics: Sequence[TopicJudgments], outcome: Outcome, of_all: np.ndarray
    ) -> dict[str, np.ndarray]:
        """τ_b over the topics that have a cut, runs and the expert's labels."""
        ranked = self.ranked(topics, outcome)
        others = np.append(outcome.single, of_all)
        scores = {}
        for t in ranked:
            cuts = np.append(outcome.chosen[t], others)
            scores[topics[t].topic] = self.scores(topics[t], np.maximum(cuts, 0))
        taus = {}
        for expert, theirs in self.systems.experts.items():
            shared = [topic for topic in scores if topic in theirs]
            taus[expert] = np.full(2 + len(of_all), np.nan)
            if not shared:
                continue
            own = np.mean([scores[topic] for topic in shared], axis=0)
            mean = np.mean([theirs[topic] for topic in shared], axis=0)
            for i, cut in enumerate([0, *others]):
                if cut >= 0:
                    taus[expert][i] = tau_b(own[i], mean)
        return taus


def _at(values: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Values at indices; NaN at −1."""
    return np.where(index >= 0, values[np.maximum(index, 0)], np.nan)


@njit(cache=True, nogil=True)
def _criterion(alpha, n_defined, n, drop, counts_as):
    """`regrade.cutsearch.search.TopicAlpha.eligible` of one topic; NaN where not eligible."""
    criterion = np.full(alpha.shape[0], np.nan)
    for c in range(alpha.shape[0]):
        if drop:
            if 2 * n_defined[c] >= n:
                criterion[c] = alpha[c]
        elif n > 0:
            total = alpha[c] * n_defined[c] if n_defined[c] > 0 else 0.0
            criterion[c] = (total + counts_as * (n - n_defined[c])) / n
    return criterion


# --- drawing ---------------------------------------------------------------------------------


def drawn_outcomes(
    search: RepeatedSearch,
    original: Outcome,
    resampled: str,
    resamples: int,
    seed: int,
    threads: int = 1,
) -> list[Outcome]:
    """The search of judgments drawn anew, `resamples` times."""
    topics = search.plan.topics
    times = times_drawn(resampled, topics, resamples, seed)

    def outcome(r: int) -> Outcome:
        pairs = [
            drawn_again(topic, resampled, of_topic[r], own)
            for topic, of_topic, own in zip(topics, times, search.labels, strict=True)
        ]
        # a document drawn twice has no two places in a ranking
        ranks = resampled != "documents"
        return search.run(*zip(*pairs, strict=True), original, ranks=ranks)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(outcome, range(resamples)))


def topic_weights(n_topics: int, resamples: int, seed: int) -> np.ndarray:
    """How often each topic was drawn, with replacement; int64, shape (R, T)."""
    return with_replacement(generator(seed, "cuts again", TOPICS), n_topics, resamples)


def outcomes_of_topics(
    search: RepeatedSearch, original: Outcome, criterion: np.ndarray, weights: np.ndarray
) -> list[Outcome]:
    """What is chosen and reached where each topic counts as often as it was drawn."""
    _, of_all = search.held_cuts(original)
    best, reached = [], []
    for means in weighted_means(criterion, weights, search.plan.options.coverage):
        for row in means:
            best.append(best_index(search.places, row))
            reached.append(_at(row, np.append(best[-1], of_all)))
    per_topic = np.nan_to_num(original.alpha[0])
    there = ~np.isnan(original.alpha[0])
    n = weights @ there
    own = np.divide(weights @ per_topic, n, out=np.full(len(weights), np.nan), where=n > 0)
    outcomes = [
        Outcome(original.chosen, original.alpha, index, np.append(mean, others))
        for index, mean, others in zip(best, own, reached, strict=True)
    ]
    if search.systems is None:
        return outcomes
    taus = _tau_of_topics(search, original, np.array(best), of_all, weights)
    return [
        Outcome(o.chosen, o.alpha, o.single, o.means, {e: tau[r] for e, tau in taus.items()})
        for r, o in enumerate(outcomes)
    ]


def _tau_of_topics(
    search: RepeatedSearch,
    original: Outcome,
    single: np.ndarray,
    of_all: np.ndarray,
    weights: np.ndarray,
) -> dict[str, np.ndarray]:
    """τ_b by expert, (R, 2 + names), of the systems' means over the topics drawn."""
    distinct, of_draw = np.unique(np.maximum(single, 0), return_inverse=True)
    fixed = np.maximum(of_all, 0)
    topics = search.plan.topics
    ranked = search.ranked(topics, original)
    scores = {
        t: search.scores(topics[t], np.concatenate([[original.chosen[t]], fixed, distinct]))
        for t in ranked
    }
    missing = np.concatenate([[False], [False], of_all < 0])
    taus = {}
    for expert, theirs in search.systems.experts.items():
        shared = [t for t in ranked if topics[t].topic in theirs]
        tau = np.full((len(weights), 2 + len(fixed)), np.nan)
        if shared:
            own = np.stack([scores[t] for t in shared])
            mean = np.stack([theirs[topics[t].topic] for t in shared])
            _weighted_tau(own, mean, weights[:, shared], of_draw, len(fixed), tau)
            tau[:, missing] = np.nan
            tau[single < 0, 1] = np.nan
        taus[expert] = tau
    return taus


@njit(cache=True, nogil=True)
def _weighted_tau(own, theirs, weights, of_draw, n_fixed, tau):
    """τ_b under weights of topics; rows of `own` (T, rows, S): own cut, fixed ones, distinct."""
    for r in range(weights.shape[0]):
        n = weights[r].sum()
        if n == 0:
            continue
        expert = np.zeros(theirs.shape[1])
        for t in range(weights.shape[1]):
            expert += weights[r, t] * theirs[t]
        expert /= n
        for i in range(2 + n_fixed):
            row = 0 if i == 0 else (1 + n_fixed + of_draw[r] if i == 1 else i - 1)
            mean = np.zeros(own.shape[2])
            for t in range(weights.shape[1]):
                mean += weights[r, t] * own[t, row]
            tau[r, i] = tau_b(mean / n, expert)


# --- tables ----------------------------------------------------------------------------------


def bootstrap_tables(
    search: RepeatedSearch,
    reference: str | None,
    resampled: Sequence[str],
    resamples: int = 1000,
    seed: int = 1,
    threads: int = 1,
) -> dict[str, pd.DataFrame]:
    """Ranges of the cut, of α, of τ_b and of their differences; and how often each was chosen."""
    if resamples < 1:
        raise ParameterError(f"resamples is {resamples}: there must be at least 1")
    plan = search.plan
    key = {"method": plan.method.name, "reference": reference}
    rows, chosen = [], []
    if plan.reason:
        rows = [_note(key, name, plan.reason, resamples) for name in resampled]
        return _tables(rows, chosen)
    topics = plan.topics
    original, criterion = search.on_data(), search.criteria
    for name in resampled:
        reason = None if name == TOPICS else why_not_drawn(name, topics)
        if reason:
            rows.append(_note(key, name, reason, resamples))
            continue
        if name == TOPICS:
            weights = topic_weights(len(topics), resamples, seed)
            draws = outcomes_of_topics(search, original, criterion, weights)
        else:
            draws = drawn_outcomes(search, original, name, resamples, seed, threads)
        own = key | {"resampled": name}
        rows += [own | row for row in _rows(search, original, draws, name)]
        chosen += [own | row for row in _chosen(search, draws, name)]
    return _tables(rows, chosen)


def _note(key: dict, resampled: str, reason: str, resamples: int) -> dict:
    nothing = {
        "topic": ALL_TOPICS,
        "selection": SINGLE,
        "quantity": "alpha",
        "undefined": resamples,
    }
    return key | {"resampled": resampled, "resamples": resamples, "note": reason} | nothing


def _tables(rows: list[dict], chosen: list[dict]) -> dict[str, pd.DataFrame]:
    names = {name: columns_of(f"cuts/{name}") for name in ("bootstrap", "chosen")}
    return {
        "bootstrap": pd.DataFrame(rows, columns=names["bootstrap"]),
        "chosen": pd.DataFrame(chosen, columns=names["chosen"]),
    }


def _rows(
    search: RepeatedSearch, original: Outcome, draws: Sequence[Outcome], resampled: str
) -> Iterator[dict]:
    """A row for each estimate and its interval."""
    cuts = search.plan.cuts
    names = [BEST, *search.named]
    if resampled != TOPICS:
        for t, topic in enumerate(search.plan.topics):
            index = np.array([draw.chosen[t] for draw in draws])
            alpha = np.array([draw.alpha[:, t] for draw in draws])
            key = {"topic": topic.topic}
            yield from _of_cut(key | {"selection": PER_TOPIC}, cuts, original.chosen[t], index)
            yield from _of_values(key, [PER_TOPIC, *names], "alpha", original.alpha[:, t], alpha)
    key = {"topic": ALL_TOPICS}
    index = np.array([draw.single for draw in draws])
    yield from _of_cut(key | {"selection": SINGLE}, cuts, original.single, index)
    selections = [PER_TOPIC, SINGLE, *names]
    means = np.array([draw.means for draw in draws])
    yield from _of_values(key, selections, "alpha", original.means, means)
    for expert, tau in original.tau.items():
        drawn = [draw.tau.get(expert) for draw in draws]
        if all(taus is not None for taus in drawn):
            own = key | {"expert": expert}
            yield from _of_values(own, selections, "tau", tau, np.array(drawn))


def _of_cut(key: dict, cuts: np.ndarray, original: int, index: np.ndarray) -> Iterator[dict]:
    """The thresholds of the chosen cut."""
    for j, name in enumerate(CUT_COLUMNS[: cuts.shape[1]]):
        estimate = cuts[original, j] if original >= 0 else np.nan
        drawn = _at(cuts[:, j], index)
        # a quantile of thresholds is a threshold, not a number between two
        yield key | {"quantity": name} | with_range(estimate, drawn, method="inverted_cdf")


def _of_values(
    key: dict, selections: Sequence[str], quantity: str, original: np.ndarray, drawn: np.ndarray
) -> Iterator[dict]:
    """Values under each selection, and by how much those that were chosen exceed the others."""
    for i, selection in enumerate(selections):
        own = key | {"selection": selection, "quantity": quantity}
        yield own | with_range(original[i], drawn[:, i])
    chosen = [i for i, name in enumerate(selections) if name in (PER_TOPIC, SINGLE)]
    for i in chosen:
        for j in range(i + 1, len(selections)):
            own = key | {"selection": selections[i], "quantity": quantity}
            own |= {"against": selections[j]}
            yield own | with_range(original[i] - original[j], drawn[:, i] - drawn[:, j])


def with_range(estimate: float, drawn: np.ndarray, method: str = "linear") -> dict:
    """An estimate and the range of 95 % of the draws where it is defined."""
    defined = drawn[~np.isnan(drawn)]
    low, high = interval(drawn, method=method)
    counts = {"resamples": len(drawn), "undefined": int(np.isnan(drawn).sum())}
    bias = defined.mean() - estimate if defined.size else np.nan
    return {"estimate": estimate, "low": low, "high": high, "bias": bias} | counts


def _chosen(search: RepeatedSearch, draws: Sequence[Outcome], resampled: str) -> Iterator[dict]:
    """How often each cut was chosen, of the draws that chose any."""
    cuts = search.plan.cuts
    names = [topic.topic for topic in search.plan.topics] if resampled != TOPICS else []
    for t, topic in enumerate([*names, ALL_TOPICS]):
        single = topic == ALL_TOPICS
        index = np.array([draw.single if single else draw.chosen[t] for draw in draws])
        cut_indices, counts = np.unique(index[index >= 0], return_counts=True)
        for cut, count in zip(cut_indices, counts, strict=True):
            row = {"topic": topic, "times": int(count), "share": count / len(draws)}
            yield row | dict(zip(CUT_COLUMNS, map(float, cuts[cut]), strict=False))
