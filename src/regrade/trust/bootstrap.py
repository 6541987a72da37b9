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
from itertools import starmap

import numpy as np
import pandas as pd

from regrade.aggregation import enumerate_cuts
from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS, columns_of
from regrade.compiled import njit
from regrade.cutsearch.best import best_index
from regrade.cutsearch.data import TopicJudgments
from regrade.cutsearch.means import (
    RunningMeans,
    highest_means,
    mean_under_coverage,
    mean_where_defined,
    weighted_means,
)
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
        α at the topic's own best cut, then at the cuts compared with it.
    single
        The one cut for all topics, −1 where there is none.
    means : array of float64, shape (2 + names,)
        Mean α at the topics' own best cuts; at `single`; at the cuts compared with it.
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
    """A search of C cuts for T topics that is run again and again.

    Attributes
    ----------
    plan
        The search.
    named : mapping of str to array of int, shape (levels - 1,)
        Places of cuts by name (`regrade.trust.named_cuts.named_cuts`).
    systems
        What is ranked under the cuts, if anything.
    """

    plan: SearchPlan
    named: Mapping[str, np.ndarray]
    systems: JudgedSystems | None = None

    @cached_property
    def places(self) -> np.ndarray:
        """All cuts as places of their thresholds; int64, (C, levels - 1)."""
        count = len(self.plan.thresholds.values)
        return enumerate_cuts(count + 1, self.plan.levels).astype(np.int64)

    def index_of(self, places: Sequence[np.ndarray]) -> np.ndarray:
        """Where cuts, given by their places, are among all."""
        places = np.array(places, dtype=np.int64).reshape(-1, self.plan.levels - 1)
        return cut_index(places, len(self.plan.thresholds.values), self.plan.levels)

    @cached_property
    def named_index(self) -> np.ndarray:
        """Where the named cuts are among all."""
        return self.index_of([*self.named.values()])

    @property
    def names(self) -> list[str]:
        """The topics'."""
        return [topic.topic for topic in self.plan.topics]

    @property
    def labels(self) -> list[np.ndarray | None]:
        """The reference's levels of each topic's documents; ``None`` for methods without one."""
        return [self.plan.labels.get(topic) for topic in self.names]

    @property
    def coverage(self) -> float:
        """For which share of the topics the one cut for all is to be defined."""
        return self.plan.options.coverage

    @property
    def experts(self) -> Mapping[str, Mapping[str, np.ndarray]]:
        """By expert, then topic: the systems' scores under the expert's labels."""
        return {} if self.systems is None else self.systems.experts

    @cached_property
    def criteria(self) -> np.ndarray:
        """What each topic's best cut maximises; (C, T), NaN where a cut is not eligible."""
        criteria = np.empty((len(self.places), len(self.plan.topics)), order="F")
        for t, pair in enumerate(zip(self.plan.topics, self.labels, strict=True)):
            criteria[:, t] = self.criterion(*pair)
        return criteria

    @cached_property
    def means(self) -> np.ndarray:
        """What the one cut for all topics maximises; (C,), NaN where a cut is not eligible."""
        return mean_under_coverage(self.criteria, self.coverage)

    @cached_property
    def own(self) -> np.ndarray:
        """Each topic's best cut, −1 where there is none; int64, (T,)."""
        own = [best_index(self.places, column) for column in self.criteria.T]
        return np.array(own, dtype=np.int64)

    @cached_property
    def best(self) -> int:
        """The one cut for all topics, −1 where there is none."""
        return best_index(self.places, highest_means(list(self.criteria.T), self.coverage))

    @cached_property
    def original(self) -> Outcome:
        """What it finds in the data given."""
        return self.outcome(self.plan.topics, self.criteria.T)

    def compared_cuts(self) -> tuple[np.ndarray, np.ndarray]:
        """The best cut, and those beside it: of each topic (T, 1 + names), of all (1 + names,).

        The first is the one that is chosen on the data itself.
        """
        named = np.broadcast_to(self.named_index, (len(self.own), len(self.named_index)))
        return np.column_stack([self.own, named]), np.append(self.best, self.named_index)

    def outcome(
        self,
        topics: Sequence[TopicJudgments],
        criteria: Iterable[np.ndarray],
        *,
        ranks: bool = True,
    ) -> Outcome:
        """Choose by each topic's criterion (C,), and rank the systems."""
        of_topics, of_all = self.compared_cuts()
        means = RunningMeans(len(self.places))
        chosen = np.full(len(topics), -1, dtype=np.int64)
        alpha = np.full((1 + len(of_all), len(topics)), np.nan)
        for t, criterion in enumerate(criteria):
            chosen[t] = best_index(self.places, criterion)
            if chosen[t] >= 0:
                alpha[:, t] = values_at(criterion, np.append(chosen[t], of_topics[t]))
                means.add(criterion)
        single = means.under_coverage(self.coverage)
        index = best_index(self.places, single)
        reached = [mean_where_defined(alpha[0]), *values_at(single, np.append(index, of_all))]
        taus = {}
        if ranks:
            once = np.ones((1, len(topics)), dtype=np.int64)
            taus = _taus(self, topics, chosen, np.array([index]), once)
        tau = {expert: of_expert[0] for expert, of_expert in taus.items()}
        return Outcome(chosen, alpha, index, np.array(reached), tau)

    def criterion(self, judgments: TopicJudgments, labels: np.ndarray | None) -> np.ndarray:
        """What a topic's best cut maximises; (C,), NaN where a cut is not eligible."""
        result = self.plan.of_topic(judgments, labels)
        drop = self.plan.options.undefined == "drop"
        counts_as = 1.0 if self.plan.options.undefined == "one" else 0.0
        return _criterion(result.alpha, result.n_defined, result.n, drop, counts_as)

    def thresholds(self, cut: int) -> dict[str, float]:
        """A cut's thresholds on the source scale, by column; none of −1."""
        if cut < 0:
            return {}
        return dict(zip(CUT_COLUMNS, map(float, self.plan.cuts[cut]), strict=False))

    def scores(self, judgments: TopicJudgments, cuts: Sequence[int]) -> np.ndarray:
        """Scores of the systems on a topic under cuts, by their index; (n, S)."""
        levels = Labeller(self.plan, judgments).levels_under(self.places[np.asarray(cuts)])
        return self.systems.scores(judgments.topic, levels)


def values_at(values: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Values at indices; NaN at −1."""
    return np.where(index >= 0, values[np.maximum(index, 0)], np.nan)


def values_under(criterion: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """Each topic's value, of (C, T), under a cut of its own, (T,); NaN at −1."""
    topics = np.arange(criterion.shape[1])
    return np.where(cuts >= 0, criterion[np.maximum(cuts, 0), topics], np.nan)


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
    search: RepeatedSearch, resampled: str, resamples: int, seed: int, threads: int = 1
) -> list[Outcome]:
    """The search of judgments drawn anew, `resamples` times."""
    topics, labels = search.plan.topics, search.labels
    times = times_drawn(resampled, topics, resamples, seed)
    search.compared_cuts()  # before threads share them

    def outcome(r: int) -> Outcome:
        pairs = [
            drawn_again(topic, resampled, of_topic[r], own)
            for topic, of_topic, own in zip(topics, times, labels, strict=True)
        ]
        drawn, criteria = [topic for topic, _ in pairs], starmap(search.criterion, pairs)
        # a document drawn twice has no two places in a ranking
        return search.outcome(drawn, criteria, ranks=resampled != "documents")

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(outcome, range(resamples)))


def topic_weights(n_topics: int, resamples: int, seed: int) -> np.ndarray:
    """How often each topic was drawn, with replacement; int64, shape (R, T)."""
    return with_replacement(generator(seed, "cuts again", TOPICS), n_topics, resamples)


def outcomes_of_topics(search: RepeatedSearch, weights: np.ndarray) -> list[Outcome]:
    """What is chosen and reached where each topic counts as often as it was drawn."""
    original, (_, of_all) = search.original, search.compared_cuts()
    best, reached = [], []
    for means in weighted_means(search.criteria, weights, search.coverage):
        for row in means:
            best.append(best_index(search.places, row))
            reached.append(values_at(row, np.append(best[-1], of_all)))
    per_topic = np.nan_to_num(original.alpha[0])
    n = weights @ ~np.isnan(original.alpha[0])
    own = np.divide(weights @ per_topic, n, out=np.full(len(weights), np.nan), where=n > 0)
    taus = _taus(search, search.plan.topics, original.chosen, np.array(best), weights)
    outcomes = []
    for r, single in enumerate(best):
        means, tau = np.append(own[r], reached[r]), {expert: taus[expert][r] for expert in taus}
        outcomes.append(Outcome(original.chosen, original.alpha, single, means, tau))
    return outcomes


def _taus(
    search: RepeatedSearch,
    topics: Sequence[TopicJudgments],
    chosen: np.ndarray,
    single: np.ndarray,
    weights: np.ndarray,
) -> dict[str, np.ndarray]:
    """τ_b by expert, (R, 2 + held cuts), of the systems' means over R weightings of topics.

    Topics are `chosen` a cut each, or have a `single` one in each weighting; of these, the ones
    count that have a cut, runs, and the expert's labels.
    """
    if search.systems is None:
        return {}
    _, of_all = search.compared_cuts()
    distinct, of_draw = np.unique(np.maximum(single, 0), return_inverse=True)
    scores = {
        t: search.scores(topic, [chosen[t], *np.maximum(of_all, 0), *distinct])
        for t, topic in enumerate(topics)
        if chosen[t] >= 0 and topic.topic in search.systems.discounts
    }
    taus = {}
    for expert, theirs in search.experts.items():
        shared = [t for t in scores if topics[t].topic in theirs]
        taus[expert] = tau = np.full((len(weights), 2 + len(of_all)), np.nan)
        if shared:
            own = np.stack([scores[t] for t in shared])
            mean = np.stack([theirs[topics[t].topic] for t in shared])
            times = np.ascontiguousarray(weights[:, shared])
            _weighted_tau(own, mean, times, of_draw, len(of_all), tau)
            tau[:, 2:][:, of_all < 0] = np.nan
            tau[single < 0, 1] = np.nan
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
        raise ParameterError(f"resamples is {resamples}: give at least 1")
    rows, chosen = [], []
    for name in resampled:
        own = {"method": search.plan.method.name, "reference": reference, "resampled": name}
        reason = search.plan.reason
        if name != TOPICS:
            reason = reason or why_not_drawn(name, search.plan.topics)
        if reason:
            nothing = {"topic": ALL_TOPICS, "selection": SINGLE, "quantity": "alpha"}
            nothing |= {"resamples": resamples, "undefined": resamples, "note": reason}
            rows.append(own | nothing)
            continue
        if name == TOPICS:
            weights = topic_weights(len(search.names), resamples, seed)
            draws = outcomes_of_topics(search, weights)
        else:
            draws = drawn_outcomes(search, name, resamples, seed, threads)
        topics = [] if name == TOPICS else search.names  # drawn topics leave a topic's cut as it is
        rows += [own | row for row in _rows(search, draws, topics)]
        chosen += [own | row for row in _chosen(search, draws, topics)]
    return {
        "bootstrap": pd.DataFrame(rows, columns=columns_of("cuts/bootstrap")),
        "chosen": pd.DataFrame(chosen, columns=columns_of("cuts/chosen")),
    }


def _rows(
    search: RepeatedSearch, draws: Sequence[Outcome], topics: Sequence[str]
) -> Iterator[dict]:
    """A row for each estimate and its interval, of topics and of all together."""
    cuts, original = search.plan.cuts, search.original
    names = [BEST, *search.named]
    for t, topic in enumerate(topics):
        index = np.array([draw.chosen[t] for draw in draws])
        alpha = np.array([draw.alpha[:, t] for draw in draws])
        key = {"topic": topic}
        yield from _of_cut(key | {"selection": PER_TOPIC}, cuts, original.chosen[t], index)
        yield from _of_values(key, [PER_TOPIC, *names], "alpha", original.alpha[:, t], alpha)
    key = {"topic": ALL_TOPICS}
    index = np.array([draw.single for draw in draws])
    yield from _of_cut(key | {"selection": SINGLE}, cuts, original.single, index)
    selections = [PER_TOPIC, SINGLE, *names]
    means = np.array([draw.means for draw in draws])
    yield from _of_values(key, selections, "alpha", original.means, means)
    for expert in draws[0].tau:
        drawn = np.array([draw.tau[expert] for draw in draws])
        own = key | {"expert": expert}
        yield from _of_values(own, selections, "tau", original.tau[expert], drawn)


def _of_cut(key: dict, cuts: np.ndarray, original: int, index: np.ndarray) -> Iterator[dict]:
    """The thresholds of the chosen cut."""
    for j, name in enumerate(CUT_COLUMNS[: cuts.shape[1]]):
        estimate = cuts[original, j] if original >= 0 else np.nan
        drawn = values_at(cuts[:, j], index)
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


def _chosen(
    search: RepeatedSearch, draws: Sequence[Outcome], topics: Sequence[str]
) -> Iterator[dict]:
    """How often each cut was chosen, of the draws that chose any."""
    of_topics = np.array([draw.chosen for draw in draws])
    indices = {topic: of_topics[:, t] for t, topic in enumerate(topics)}
    indices[ALL_TOPICS] = np.array([draw.single for draw in draws])
    for topic, index in indices.items():
        for cut, count in zip(*np.unique(index[index >= 0], return_counts=True), strict=True):
            row = {"topic": topic, "times": int(count), "share": count / len(draws)}
            yield row | search.thresholds(cut)
