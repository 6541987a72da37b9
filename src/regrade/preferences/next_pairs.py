"""Which pair next?  Policies replayed on answers that were recorded.

A replay asks one question after the other, of pairs that were asked when the answers were recorded,
and is given one of the recorded answers to that pair; who asks a pair again gets another answer,
until there is none left.  What a question costs is the same whatever the pair, so policies are held
beside each other after equally many questions.  In the end all of them have asked everything.

Policies
--------
``random``
    any of the pairs that were asked least often;
``even``
    of those a pair whose documents were shown least often, as in a design in which all documents
    appear equally often;
``uncertainty``
    the pair whose answer is nearest to open, |x_i − x_j| / √(1 + π s² / 8) smallest (s² the
    variance of the difference: MacKay's approximation of the probability that i wins);
``information``
    the pair whose answer takes most entropy from all strengths together,
    ½ log(1 + p (1 − p) s²), see `regrade.preferences.posterior`;
``top``
    the same, weighted by how open it is for both documents whether they are among the k best,
    Σ q (1 − q) with q = Φ((x − c) / s) and c midway between the k-th and the next strength;
``tournament``
    rounds in which each document that is left meets one other that is left, as far as there are
    questions for them; who loses is out.  When no more than k are left, or none of them can meet, a
    new tournament begins with all documents.

What is equal is decided by an order of the pairs that is drawn for each replay.  ``uncertainty``,
``information`` and ``top`` follow the posterior by rank-one updates from answer to answer; every
`refit` · documents answers, and whenever it is looked at, it is computed anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import ceil, log1p, pi, sqrt

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.choices import PAIR_POLICIES
from regrade.compiled import njit
from regrade.kendall import tau_b
from regrade.preferences.gains import ALL_ANSWERS, GainRankings
from regrade.preferences.posterior import (
    SPREAD,
    Recorded,
    answer_update,
    expected_wins,
    find_mode,
    inverse_curvature,
    normal_below,
    pair_variance,
    top_overlap,
)
from regrade.randomness import generator
from regrade.sample_means import mean_interval

PER_DOCUMENT = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
TOP = 10
REFIT = 1.0


RANDOM = "random"
"""The policy that the others are held against."""

OVERLAP = "overlap"
"""The share of the best k documents that are the best k under all answers."""

_DIGITS = 10
_NONE = ""
_KEYS = ["per_document", "ranked", "measure", "coefficient", "reference"]


@dataclass(frozen=True)
class Replays:
    """Which policies are replayed, and how.

    Attributes
    ----------
    policies
        Of `regrade.choices.PAIR_POLICIES`.
    per_document
        After how many questions per document of a topic one looks; of n documents ⌈b · n⌉, or as
        many as there are answers.
    repeats
        Replays of each policy and topic, with other answers and other choices among equal pairs.
    top
        k of ``top``, ``tournament`` and of the overlap.
    spread
        Of strengths before the answers.
    refit
        As said above; 0: after every answer.
    seed
        Of the draws.
    """

    policies: Sequence[str] = PAIR_POLICIES
    per_document: Sequence[float] = PER_DOCUMENT
    repeats: int = 20
    top: int = TOP
    spread: float = SPREAD
    refit: float = REFIT
    seed: int = 1

    @property
    def budgets(self) -> np.ndarray:
        """(B,) float64, ascending."""
        return np.sort(np.asarray(self.per_document, dtype=np.float64))

    def questions(self, topic: Recorded) -> np.ndarray:
        """(B,) questions of a topic."""
        counts = [ceil(b * topic.n_documents - 1e-9) for b in self.budgets]
        return np.minimum(counts, topic.n_answers).astype(np.int64)


def replay(topic: Recorded, policy: str, replays: Replays) -> np.ndarray:
    """(R, B, D) strengths of a topic's documents after B budgets of R replays of a policy."""
    rng = generator(replays.seed, "replay", policy, topic.topic)
    stops = replays.questions(topic)
    every = max(ceil(replays.refit * topic.n_documents), 1)
    how = PAIR_POLICIES.index(policy), replays.top, replays.spread, every
    pair = np.repeat(np.arange(topic.n_pairs), np.diff(topic.offsets))
    strengths = np.empty((replays.repeats, len(stops), topic.n_documents))
    for of_replay in strengths:
        # those to each pair in the order in which they will be given
        answers = topic.answers[np.lexsort((rng.random(topic.n_answers), pair))]
        recorded = topic.first, topic.second, topic.offsets, answers
        ask(of_replay, recorded, rng.permutation(topic.n_pairs), stops, *how)
    return strengths


def strengths_of_all(topic: Recorded, spread: float) -> np.ndarray:
    """(D,) strengths under every answer."""
    x = np.zeros(topic.n_documents)
    find_mode(x, topic.counts, spread)
    return np.round(x, _DIGITS)


def policy_table(
    topics: Sequence[Recorded],
    replays: Replays = Replays(),
    rankings: GainRankings | None = None,
    threads: int = 1,
) -> pd.DataFrame:
    """What each policy knows after equally many questions."""
    by_policy: dict[str, pd.DataFrame] = {}
    questions = np.mean([replays.questions(topic) for topic in topics], axis=0)
    truths = [strengths_of_all(topic, replays.spread) for topic in topics]
    for policy in replays.policies:
        with ThreadPoolExecutor(threads) as pool:
            drawn = list(pool.map(lambda topic, p=policy: replay(topic, p, replays), topics))
        parts = [_of_documents(topics, drawn, truths, replays)]
        if rankings is not None:
            parts.append(_of_systems(topics, drawn, truths, replays, rankings, threads))
        by_policy[policy] = pd.concat(parts, ignore_index=True)
    rows = []
    for policy, some in by_policy.items():
        random = dict(iter(by_policy[RANDOM].groupby(_KEYS))) if RANDOM in by_policy else {}
        for key, of in some.groupby(_KEYS, sort=False):
            row = {"policy": policy, **dict(zip(_KEYS, key, strict=True))}
            row["questions"] = questions[np.searchsorted(replays.budgets, row["per_document"])]
            row |= {name: of[name].iloc[0] for name in ("n", "resampled")}
            values = of["value"].to_numpy(dtype=float)
            row["value"] = values.mean()
            row["low"], row["high"] = mean_interval(values, "mean_of_replays")
            if key in random:
                apart = values - random[key]["value"].to_numpy(dtype=float)
                row["difference"] = apart.mean()
                ends = mean_interval(apart, "mean_of_replays")
                row["difference_low"], row["difference_high"] = ends
            rows.append(row)
    table = pd.DataFrame(rows, columns=columns_of("pair-budgets/policies"))
    return table.assign(measure=table["measure"].replace(_NONE, None))


def _of_documents(
    topics: Sequence[Recorded],
    drawn: Sequence[np.ndarray],
    truths: Sequence[np.ndarray],
    replays: Replays,
) -> pd.DataFrame:
    """Means over replays, by topic; undefined ones are left out."""
    rows, top = [], replays.top
    for topic, strengths, truth in zip(topics, drawn, truths, strict=True):
        if np.isnan(tau_b(truth, truth)):
            continue
        coefficients = {"tau_b": lambda x, y=truth: tau_b(y, x)}
        if topic.n_documents > top:
            coefficients[OVERLAP] = lambda x, y=truth: top_overlap(y, x, top)
        for name, coefficient in coefficients.items():
            values = np.array([[coefficient(x) for x in of_replay] for of_replay in strengths])
            # a replay that has learnt nothing yet has all documents tied: it knows no order
            means = np.where(np.isnan(values), 0.0, values).mean(axis=0)
            rows += [(b, name, topic.topic, m) for b, m in zip(replays.budgets, means, strict=True)]
    frame = pd.DataFrame(rows, columns=["per_document", "coefficient", "sample", "value"])
    frame = frame.assign(ranked="documents", measure=_NONE, reference=ALL_ANSWERS)
    frame["n"] = frame.groupby(["per_document", "coefficient"])["sample"].transform("size")
    return frame.assign(resampled="topics").sort_values(
        ["coefficient", "per_document"], ascending=[False, True], kind="stable"
    )


def _of_systems(
    topics: Sequence[Recorded],
    drawn: Sequence[np.ndarray],
    truths: Sequence[np.ndarray],
    replays: Replays,
    rankings: GainRankings,
    threads: int,
) -> pd.DataFrame:
    gains, of_all = {}, {}
    for topic, strengths, truth in zip(topics, drawn, truths, strict=True):
        gains[topic.topic] = expected_wins(strengths.reshape(-1, topic.n_documents))
        of_all[topic.topic] = expected_wins(truth[None])[0]
    correlations = rankings.correlations(gains, of_all, threads)
    sample, budget = np.divmod(correlations["sample"].to_numpy(), len(replays.budgets))
    budgets = replays.budgets[budget]
    how = {"ranked": "systems", "resampled": "replays"}
    return correlations.assign(sample=sample, per_document=budgets, **how)


# --- kernels ------------------------------------------------------------------------------------

_RANDOM, _EVEN, _UNCERTAINTY, _INFORMATION, _TOP, _TOURNAMENT = range(len(PAIR_POLICIES))
_EQUAL = 1e-12


@njit(cache=True, nogil=True)
def ask(strengths, recorded, order, stops, policy, top, spread, every):
    """One replay: fills the (B, n) strengths found after `stops` questions, ascending."""
    first, second, offsets, answers = recorded
    n, pairs = strengths.shape[1], first.size
    times = np.zeros(pairs, dtype=np.int64)
    wins, losses = np.zeros(pairs), np.zeros(pairs)
    results = first, second, wins, losses
    appearances = np.zeros(n, dtype=np.int64)
    x = np.zeros(n)
    follows = policy in (_UNCERTAINTY, _INFORMATION, _TOP)
    covariance = np.eye(n) * spread * spread if follows else np.zeros((1, 1))
    is_left, is_busy = np.ones(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
    values, open_for = np.empty(pairs), np.ones(n)
    variances = np.full(pairs, 2 * spread * spread)
    places = _first_places(first, second, order, n)
    stop, since = 0, 0
    for question in range(stops[-1] + 1):
        looks = stop < stops.size and stops[stop] == question
        if looks or (follows and since >= every):
            find_mode(x, results, spread)
            if follows:
                covariance = inverse_curvature(x, results, spread)
                for k in range(pairs):
                    variances[k] = pair_variance(covariance, first[k], second[k])
            since = 0
        while stop < stops.size and stops[stop] == question:
            strengths[stop] = np.round(x, _DIGITS)
            stop += 1
        if question == stops[-1]:
            return
        if policy == _TOP:
            how_open(x, covariance, top, open_for)
        if policy == _TOURNAMENT:
            p = _next_match(first, second, offsets, order, times, is_left, is_busy, top)
        else:
            if follows:
                values_by_strengths(values, first, second, x, variances, open_for, policy)
            else:
                values_by_counts(values, first, second, times, appearances, policy)
            p = best_pair(offsets, order, times, values)
        answer = answers[offsets[p] + times[p]]
        i, j = first[p], second[p]
        times[p] += 1
        wins[p] += answer
        losses[p] += 1 - answer
        appearances[i] += 1
        appearances[j] += 1
        since += 1
        if follows:
            along, less = answer_update(x, covariance, i, j, answer)
            for k in range(pairs):
                variances[k] -= less * (along[first[k]] - along[second[k]]) ** 2
        if policy == _TOURNAMENT:
            is_busy[i], is_busy[j] = True, True
            goes_on = answer > 0.5 or (answer == 0.5 and places[i] < places[j])
            is_left[j if goes_on else i] = False


@njit(cache=True, nogil=True, inline="always")
def _first_places(first, second, order, n):
    """(n,) the place of a document's first pair in the order, different for all documents."""
    places = np.full(n, 2 * order.size)
    for place in range(order.size):
        i, j = first[order[place]], second[order[place]]
        places[i] = min(places[i], 2 * place)
        places[j] = min(places[j], 2 * place + 1)
    return places


@njit(cache=True, nogil=True)
def best_pair(offsets, order, times, values):
    """The pair of the highest value among those with an answer left; the first of equal ones."""
    best, p = -np.inf, -1
    for k in order:
        if offsets[k] + times[k] == offsets[k + 1]:
            continue
        if p == -1 or values[k] > best + _EQUAL * (1 + abs(best)):
            best, p = values[k], k
    return p


@njit(cache=True, nogil=True)
def values_by_counts(values, first, second, times, appearances, policy):
    """Values of pairs by how often they, and their documents, were asked."""
    for k in range(first.size):
        values[k] = -float(times[k])
        if policy == _EVEN:
            # pairs asked before come after all others
            values[k] = 1e6 * values[k] - appearances[first[k]] - appearances[second[k]]


@njit(cache=True, nogil=True, error_model="numpy")
def values_by_strengths(values, first, second, x, variances, open_for, policy):
    """Values of pairs by what is known of their documents."""
    if policy == _UNCERTAINTY:
        for k in range(first.size):
            distance = abs(x[first[k]] - x[second[k]])
            values[k] = -distance / sqrt(1 + pi * variances[k] / 8)
        return
    e = np.exp(x)
    for k in range(first.size):
        i, j = first[k], second[k]
        p = e[i] / (e[i] + e[j])
        # rises with ½ log(1 + …)
        values[k] = p * (1 - p) * variances[k]
    if policy == _TOP:
        for k in range(first.size):
            values[k] = log1p(values[k]) * (open_for[first[k]] + open_for[second[k]])


@njit(cache=True, nogil=True)
def how_open(x, covariance, top, open_for):
    """q (1 − q) of each document, where q is about the probability to be among the best `top`."""
    n = x.size
    if n <= top:
        open_for[:] = 1.0
        return
    ordered = np.sort(x)
    edge = (ordered[n - top] + ordered[n - top - 1]) / 2
    for i in range(n):
        q = normal_below((x[i] - edge) / sqrt(covariance[i, i]))
        open_for[i] = q * (1 - q)


@njit(cache=True, nogil=True, inline="always")
def _next_match(first, second, offsets, order, times, is_left, is_busy, top):
    """A pair of documents that are left and have not met anyone in this round.

    Where there is none, the next round begins; where that has none either, or has too few
    documents, the next tournament.
    """
    for attempt in range(3):
        p = -1
        for k in order:
            if offsets[k] + times[k] == offsets[k + 1]:
                continue
            i, j = first[k], second[k]
            if not (is_left[i] and is_left[j]) or is_busy[i] or is_busy[j]:
                continue
            if p == -1 or times[k] < times[p]:
                p = k
        if p >= 0:
            return p
        is_busy[:] = False
        if attempt == 1 or is_left.sum() <= top:
            is_left[:] = True
    return -1
