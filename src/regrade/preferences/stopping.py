"""When to stop asking, with a stated confidence, and whether the promise is kept.

The rule looks now and then at the posterior (`regrade.preferences.posterior`).  It draws strengths
from it and holds their order against the one that would be reported, the posterior means'.  How
sure one can be is the share of draws in which

``tau``
    Kendall's τ is at least `target`;
``top``
    at least `target` of the k best documents are the same;
``near``
    at least `target` of the k that are reported as best are nearly as good as the k-th best one: at
    most `NEARLY` below it, where 62 of 100 prefer that one.

One stops as soon as that is at least `confidence`, and says: *with confidence c, τ with the true
order is at least the target*.

Where many documents hardly differ the model takes noise among them for order, and ``tau`` and
``top`` say what is mostly false.  ``near`` keeps its promise there, but where the k-th best one is
the last before a gap of about twice `NEARLY` (docs/methods/preferences.md).

Is it true?  That is checked where the truth is known: worlds are made with strengths of a known
distribution, answers are drawn, one stops by the rule, and the share of worlds in which the
statement holds is set beside the confidence that was promised.  Who looks again and again and stops
at the first good sign picks lucky moments; that costs little where the model is right and the
spread known, since a posterior may be looked at as often as one likes, and more where it is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import ceil, sqrt

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.choices import PAIR_WORLDS, STOPPING_RULES
from regrade.cholesky import upper_factor
from regrade.compiled import njit
from regrade.intervals import INTERVALS
from regrade.kendall import TOLERANCE, tau_b
from regrade.preferences.next_pairs import TOP, strengths_of_all
from regrade.preferences.posterior import (
    SPREAD,
    Recorded,
    answer_update,
    expected_tau,
    find_mode,
    inverse_curvature,
    logistic,
    most_likely_spread,
    pair_variance,
    top_overlap,
    top_shares,
)
from regrade.randomness import generator
from regrade.sample_means import independent_share_interval

NEARLY = 0.5
"""How far below the k-th best strength a document of the rule ``near`` may be."""

_SAME = 1e-12


@dataclass(frozen=True)
class Rule:
    """When to stop.

    Attributes
    ----------
    targets
        Rule → what the order has to reach: of `STOPPING_RULES`.
    confidences
        With which confidence, each by itself.
    tops
        k of the rules ``top`` and ``near``, each by itself.
    every
        Questions per document from one look to the next.
    draws
        Strengths drawn at each look.
    """

    targets: tuple[tuple[str, float], ...] = (("tau", 0.7), ("top", 0.8), ("near", 0.8))
    confidences: Sequence[float] = (0.5, 0.8, 0.9, 0.95)
    tops: Sequence[int] = (TOP,)
    every: float = 1.0
    draws: int = 200

    def looks(self, documents: int, most: int) -> np.ndarray:
        """(L,) int64: after how many questions one looks, at most `most`, which is the last."""
        step = max(ceil(self.every * documents - 1e-9), 1)
        return np.append(np.arange(step, most, step), most).astype(np.int64)

    @property
    def statements(self) -> list[tuple[str, float, int]]:
        """Rule, target and k of each; 0 where all documents count."""
        return [
            (rule, target, top)
            for rule, target in self.targets
            for top in ((0,) if rule == "tau" else self.tops)
        ]

    def coded(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
        """Rules, targets, tops and draws as the kernels take them."""
        rules, targets, tops = zip(*self.statements, strict=True)
        codes = np.array([STOPPING_RULES.index(rule) for rule in rules])
        return codes, np.array(targets, dtype=np.float64), np.array(tops), self.draws


OF_WORLDS = Rule(confidences=(0.5, 0.6, 0.7, 0.8, 0.9, 0.95), tops=(5, 10), every=0.5)
"""Of made worlds, which have few documents and are looked at more often."""


@dataclass(frozen=True)
class Worlds:
    """Worlds in which the truth is known.

    Attributes
    ----------
    documents
        Of each world.
    spreads
        Standard deviations of the strengths that documents have, each by itself.
    assumed
        Spread of the prior, each by itself; ``None``: estimated at every look from the answers.
    shapes
        Of `regrade.choices.PAIR_WORLDS`.
    strong
        How many documents of ``groups`` stand far above the others, each by itself.
    policies
        ``random`` or ``information``: which pair is asked next, of all pairs, which may be asked
        again.
    most
        Questions per document at which one stops in any case.
    worlds
        How many of each kind.
    seed
        Of all draws.
    """

    documents: int = 20
    spreads: Sequence[float] = (1.5,)
    assumed: Sequence[float | None] = (1.5, 3.0, None)
    shapes: Sequence[str] = PAIR_WORLDS
    strong: Sequence[int] = (2, 4, 10)
    policies: Sequence[str] = ("random", "information")
    most: float = 12.0
    worlds: int = 200
    seed: int = 1

    @property
    def kinds(self) -> list[tuple[str, str, int]]:
        """What each kind of world is called, its shape, and how many are strong."""
        return [
            (f"{shape} of {number}" if number else shape, shape, number)
            for shape in self.shapes
            for number in (self.strong if shape == "groups" else (0,))
        ]


def true_strengths(
    shape: str, documents: int, spread: float, rng: np.random.Generator, strong: int = 0
) -> np.ndarray:
    """(documents,) strengths of a made world, of the standard deviation `spread` around 0.

    ``normal``: as the model has it, and so is ``careless``; ``groups``: `strong` documents stand
    far above the others (each normal around its group's middle with a fifth of the spread: within a
    group they hardly differ); ``heavy``: Student's t with three degrees of freedom.
    """
    if shape == "groups":
        is_high = np.arange(documents) < strong
        share = strong / documents
        middle = (is_high - share) / sqrt(share * (1 - share)) * sqrt(1 - 0.04)
        return spread * (middle + rng.normal(0, 0.2, documents))
    if shape == "heavy":
        return spread * rng.standard_t(3, documents) / sqrt(3)
    return rng.normal(0, spread, documents)


def coverage_table(
    worlds: Worlds = Worlds(), rule: Rule = OF_WORLDS, threads: int = 1
) -> pd.DataFrame:
    """Whether what is promised is kept, in made worlds."""
    looks = rule.looks(worlds.documents, ceil(worlds.most * worlds.documents - 1e-9))
    rows = []
    with ThreadPoolExecutor(threads) as pool:
        for kind in product(worlds.kinds, worlds.spreads, worlds.assumed, worlds.policies):
            run = partial(_run, worlds, rule, looks, *kind)
            outcomes = pool.map(run, range(worlds.worlds))
            sure, reached = (np.stack(part) for part in zip(*outcomes, strict=True))
            (name, *_), spread, assumed, policy = kind
            of = (name, spread, np.nan if assumed is None else assumed, policy)
            stopped = _stopped_rows(looks / worlds.documents, sure, reached, rule)
            rows += [(*of, *row) for row in stopped]
    table = pd.DataFrame(rows, columns=columns_of("pair-worlds/coverage"))
    return table.assign(top=table["top"].where(table["top"] > 0).astype("Int64"))


def _run(
    worlds: Worlds, rule: Rule, looks: np.ndarray, kind, spread, assumed, policy, number: int
) -> tuple[np.ndarray, np.ndarray]:
    """(L, R): how sure one was, and what was true, at each look at one world."""
    _, shape, strong = kind
    # the same truth and the same luck, whatever is assumed and asked
    rng = generator(worlds.seed, "world", shape, str(strong), f"{spread:g}", str(number))
    truth = true_strengths(shape, worlds.documents, spread, rng, strong)
    sure, reached = np.empty((2, len(looks), len(rule.statements)))
    of_world = truth, _CARELESS if shape == "careless" else 0.0
    prior = SPREAD if assumed is None else assumed, assumed is None
    informs = policy == "information"
    simulate((sure, reached), of_world, prior, informs, looks, rule.coded(), rng)
    return sure, reached


def _stopped_rows(looks, sure, reached, rule: Rule) -> list[tuple]:
    """Of (L,) questions per document and (W, L, R) outcomes, a row per statement, confidence."""
    rows = []
    for (r, (name, target, top)), confidence in product(
        enumerate(rule.statements), rule.confidences
    ):
        place, has_stopped = first_sure(sure[:, :, r], confidence)
        at = reached[np.arange(len(place)), place, r][has_stopped]
        kept, stopped = int((at >= target - _SAME).sum()), int(has_stopped.sum())
        ends = (np.nan, np.nan)
        if stopped >= INTERVALS["share_of_answers"].fewest:
            ends = independent_share_interval(np.array([kept]), stopped)[:, 0]
        share, questions, mean = np.full(3, np.nan)
        if stopped:
            share, questions, mean = kept / stopped, looks[place][has_stopped].mean(), at.mean()
        counts = (len(place), stopped, questions, kept, share, *ends, mean)
        rows.append((name, top, target, confidence, *counts))
    return rows


def first_sure(sure: np.ndarray, confidence: float) -> tuple[np.ndarray, np.ndarray]:
    """(W,) the first of L looks at which each of W is sure enough (else the last); whether one
    is.
    """
    enough = sure >= confidence - _SAME
    has_stopped = enough.any(axis=1)
    return np.where(has_stopped, enough.argmax(axis=1), sure.shape[1] - 1), has_stopped


def stop_table(
    topics: Sequence[Recorded],
    spread: float = SPREAD,
    rule: Rule = Rule(),
    seed: int = 1,
    threads: int = 1,
) -> pd.DataFrame:
    """Where the rule stops on recorded answers, asked in an order drawn at random."""

    def stops_of(topic: Recorded) -> list[tuple]:
        rng = generator(seed, "stopping", topic.topic)
        looks = rule.looks(topic.n_documents, topic.n_answers)
        order = rng.permutation(topic.n_answers)
        pair = np.repeat(np.arange(topic.n_pairs), np.diff(topic.offsets))[order]
        sure, reached = np.empty((2, len(looks), len(rule.statements)))
        truth = strengths_of_all(topic, spread)
        answers = topic.first[pair], topic.second[pair], topic.answers[order]
        expected = follow((sure, reached), truth, answers, spread, looks, rule.coded(), rng)
        rows = []
        for r, (name, target, top) in enumerate(rule.statements):
            if name != "tau" and topic.n_documents <= top:
                continue  # all of them are the best
            for confidence in rule.confidences:
                (place,), (has_stopped,) = first_sure(sure[None, :, r], confidence)
                stop = (bool(has_stopped), int(looks[place]), topic.n_answers)
                values = (sure[place, r], reached[place, r], expected)
                rows.append((topic.topic, name, target, confidence, *stop, *values))
        return rows

    with ThreadPoolExecutor(threads) as pool:
        rows = [row for some in pool.map(stops_of, topics) for row in some]
    return pd.DataFrame(rows, columns=columns_of("pair-budgets/stops"))


def stop_summary(stops: pd.DataFrame) -> pd.DataFrame:
    """Of `stop_table`, over topics."""
    rows = []
    for key, some in stops.groupby(["rule", "target", "confidence"], sort=False):
        early = some[some["stopped"] & (some["questions"] < some["answers"])]
        reached = (early["agreement"] >= key[1] - _SAME).mean() if len(early) else np.nan
        saved = 1 - some["questions"].sum() / some["answers"].sum()
        means = [early[name].mean() for name in ("sure", "agreement")]
        rows.append(
            (*key, len(some), len(early), saved, *means, reached, some["expected_tau"].mean())
        )
    return pd.DataFrame(rows, columns=columns_of("pair-budgets/stopping"))


# --- kernels ------------------------------------------------------------------------------------

_CARELESS = 0.1
"""The share of answers that are drawn without a look at the documents, in careless worlds."""

_TAU, _TOP, _NEARLY = range(len(STOPPING_RULES))
_NEAR = 1e-3
"""How near an estimated spread is to the best one, as a share of it."""


@njit(cache=False, nogil=True)
def how_sure(sure, x, covariance, rule, rng):
    """Fill, of each statement, the share of drawn strengths whose order is as near as its target.

    `rule` is what `Rule.coded` gives.
    """
    rules, targets, tops, draws = rule
    n = x.size
    columns = upper_factor(covariance.copy())
    order, groups, apart = _tied_groups(x)
    best = np.empty((rules.size, n))
    for r in range(rules.size):
        best[r] = top_shares(x, min(tops[r], n))
    sure[:] = 0.0
    drawn, ordered, buffer = np.empty(n), np.empty(n), np.empty(n)
    for _ in range(draws):
        drawn[:] = x
        for j in range(n):
            z = rng.standard_normal()
            for i in range(j, n):
                drawn[i] += columns[j, i] * z
        for i in range(n):
            ordered[i] = drawn[order[i]]
        tau = _tau_of_draw(ordered, groups, apart, buffer)
        ordered.sort()
        for r in range(rules.size):
            value = tau
            if rules[r] != _TAU:
                k = min(tops[r], n)
                least = ordered[n - k] - (NEARLY if rules[r] == _NEARLY else 0.0)
                value = 0.0
                for i in range(n):
                    if drawn[i] >= least:
                        value += best[r, i] / k
            sure[r] += value >= targets[r] - _SAME
    for r in range(rules.size):
        sure[r] /= draws


@njit(cache=False, nogil=True)
def _tied_groups(x):
    """Places in ascending order of x, where runs of tied ones begin (and n), pairs not tied."""
    n = x.size
    order = np.argsort(x, kind="mergesort")
    groups = np.empty(n + 1, dtype=np.int64)
    count = 0
    apart = n * (n - 1) // 2
    for i in range(n):
        if i == 0 or x[order[i]] - x[order[i - 1]] > TOLERANCE:
            groups[count] = i
            count += 1
        else:
            apart -= i - groups[count - 1]
    groups[count] = n
    return order, groups[: count + 1], apart


@njit(cache=False, nogil=True)
def _tau_of_draw(ordered, groups, apart, buffer):
    """τ_b of x with a draw, which has no ties, in the order of x; 0 where all of x tie.

    `ordered` is sorted afterwards: the pairs that this turns round are the discordant ones.
    """
    n = ordered.size
    for g in range(groups.size - 1):
        if groups[g + 1] - groups[g] > 1:
            ordered[groups[g] : groups[g + 1]].sort()
    turned = 0
    width = 1
    while width < n:
        for start in range(0, n - width, 2 * width):
            middle, stop = start + width, min(start + 2 * width, n)
            i, j = start, middle
            for k in range(start, stop):
                if j == stop or (i < middle and ordered[i] <= ordered[j]):
                    buffer[k] = ordered[i]
                    i += 1
                else:
                    buffer[k] = ordered[j]
                    j += 1
                    turned += middle - i
            ordered[start:stop] = buffer[start:stop]
        width *= 2
    return (apart - 2 * turned) / sqrt(float(apart) * (n * (n - 1) / 2)) if apart else 0.0


@njit(cache=False, nogil=True)
def _agreement(rule, truth, x, top):
    """τ_b, or share of the reported best; an order that is none at all agrees with nothing."""
    k = min(top, x.size)
    if rule == _TOP:
        return top_overlap(truth, x, k)
    if rule == _NEARLY:
        least = np.sort(truth)[x.size - k] - NEARLY
        return (top_shares(x, k) * (truth >= least)).sum() / k
    value = tau_b(truth, x)
    return 0.0 if np.isnan(value) else value


@njit(cache=True, nogil=True, inline="always")
def _most_informative(x, covariance, rng):
    """Of all pairs one whose answer takes most entropy; equal ones at random."""
    best, equal = -1.0, 0
    i, j = 0, 1
    for a in range(x.size):
        for b in range(a):
            p = logistic(x[a] - x[b])
            value = p * (1 - p) * pair_variance(covariance, a, b)
            if value > best * (1 + _SAME):
                best, equal, i, j = value, 1, a, b
            elif value >= best * (1 - _SAME):
                equal += 1
                if rng.random() * equal < 1:
                    i, j = a, b
    return i, j


@njit(cache=True, nogil=True)
def simulate(outcomes, world, prior, informs, looks, rule, rng):
    """One made world: fills (L, R) how sure one is at each look, and how near the truth."""
    sure, reached = outcomes
    truth, careless = world
    spread, estimates = prior
    rules, _, tops, _ = rule
    n = truth.size
    first, second = np.empty(looks[-1], np.int64), np.empty(looks[-1], np.int64)
    wins = np.empty(looks[-1])
    x, covariance = np.zeros(n), np.eye(n) * spread * spread
    look = 0
    for question in range(looks[-1]):
        if informs:
            i, j = _most_informative(x, covariance, rng)
        else:
            i = int(rng.random() * n)
            j = int(rng.random() * (n - 1))
            j += j >= i
        p = careless / 2 + (1 - careless) * logistic(truth[i] - truth[j])
        answer = 1.0 if rng.random() < p else 0.0
        first[question], second[question], wins[question] = i, j, answer
        if informs:
            answer_update(x, covariance, i, j, answer)
        if question + 1 == looks[look]:
            here = slice(0, question + 1)
            won = wins[here]
            answers = first[here], second[here], won, 1 - won
            if estimates:
                ends = np.array([0, n]), np.array([0, question + 1])
                spread = most_likely_spread(x, ends, answers, spread, _NEAR)
            find_mode(x, answers, spread)
            covariance = inverse_curvature(x, answers, spread)
            how_sure(sure[look], x, covariance, rule, rng)
            for r in range(rules.size):
                reached[look, r] = _agreement(rules[r], truth, x, tops[r])
            look += 1


@njit(cache=True, nogil=True)
def follow(outcomes, truth, recorded, spread, looks, rule, rng):
    """Recorded answers in their order: fills the same; the τ to be expected at the last look."""
    sure, reached = outcomes
    first, second, wins = recorded
    rules, _, tops, _ = rule
    n = truth.size
    x = np.zeros(n)
    expected = np.nan
    for look in range(looks.size):
        here = slice(0, looks[look])
        answers = first[here], second[here], wins[here], 1 - wins[here]
        find_mode(x, answers, spread)
        covariance = inverse_curvature(x, answers, spread)
        how_sure(sure[look], x, covariance, rule, rng)
        for r in range(rules.size):
            reached[look, r] = _agreement(rules[r], truth, np.round(x, 10), tops[r])
        expected = expected_tau(x, covariance)
    return expected
