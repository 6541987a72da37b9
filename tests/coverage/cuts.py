"""Worlds of cuts that topics and judges choose, for themselves and for each other.

All are made: documents with a relevance, of which a label of two levels and judges' values come.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

import numpy as np

from regrade.cutsearch.best import best_index
from regrade.intervals import INTERVALS
from regrade.randomness import generator, with_replacement
from regrade.significance.paired import paired_difference
from regrade.trust.gains import gains_over
from regrade.trust.held_out import (
    DRAWS,
    error_of_difference,
    single_difference,
    single_of_drawn,
)
from regrade.trust.rules import rule_ends
from regrade.trust.transfer import others_interval
from tests.coverage import World

DOCUMENTS, SIZES, SPREADS = 20, (10, 25, 50), {"often the same": 1.0, "seldom the same": 0.15}
"""Documents of a topic; topics; steps between the cuts that there are, from 0 to 10."""

SPLITS = 5
"""Of the documents of topics into halves."""

JUDGES, LABELLED = 25, 120
"""How many judges at most; documents of all topics, which each of them judges."""

Simulated = tuple[np.ndarray, np.ndarray, np.ndarray]
"""The truth, lower and upper ends, each (repetitions,)."""

Sample = tuple[float, float, float]
"""Of a sample: the value of which the truth is the mean (or the truth), lower and upper end."""


def worlds(data: Path | None = None) -> list[World]:
    """By interval: what is compared, under which cuts."""
    return [*_of_topics(), *_of_judges()]


def _of_topics() -> Iterator[World]:
    average = {
        ("mean_over_topics", "each judge's best cut for all"): _two_cuts,
        ("mean_over_topics", "each topic's best cut"): _own_cuts,
        ("mean_over_topics", "labels nearly alike, each under its best cut for all"): _alike,
        ("mean_over_topics", "what topics lose under the cut of all"): _cut_of_all,
        ("mean_over_topics", "how much better each topic's own cut looks than it is"): _optimism,
        ("held_out_difference", "each topic's own cut less that of all"): _own_less_single,
        ("others_cuts", "what topics lose under others' cuts"): _cuts_of_others,
    }
    printed = {
        ("chosen_cut", "what is lost under the cut of another judge of the topics"): _lost_to_judge,
        ("chosen_cut", "what is lost under another collection's cut"): _lost_to_collection,
        ("rule_difference", "the best fixed cut"): _fixed,
        ("rule_difference", "each topic's middle"): _middles,
    }
    for kinds, is_printed in ((average, False), (printed, True)):
        for (interval, name), of in kinds.items():
            for spread, step in SPREADS.items():
                for n in SIZES:
                    size = f"{n} {'users' if interval == 'others_cuts' else 'topics'}"
                    run = partial(_run, of, is_printed, step, n)
                    yield World(interval, f"simulated: {name}, cuts {spread}", size, run)


def _of_judges() -> Iterator[World]:
    kinds = {
        ("mean_over_judges", "own cut less the others', held out"): _own_less_others,
        ("mean_over_judges", "what judges lose under the cut of all"): _crowds_cut,
        ("others_cuts", "what judges lose under others' cuts"): _other_judges_cuts,
    }
    for (interval, name), of in kinds.items():
        for n in (INTERVALS[interval].fewest, JUDGES):
            size = f"{n} {'users' if interval == 'others_cuts' else 'judges'}"
            yield World(interval, f"simulated: {name}", size, partial(_run_judges, of, n))


# --- topics --------------------------------------------------------------------------------------


def _run(
    of: Callable, is_printed: bool, step: float, topics: int, repetitions: int, seed: int
) -> Simulated:
    rng = generator(seed, "coverage", "cuts", of.__name__, str(topics), str(step))
    found = np.array([of(rng, topics, step) for _ in range(repetitions)])
    truth = found[:, 0] if is_printed else np.full(repetitions, found[:, 0].mean())
    return truth, found[:, 1], found[:, 2]


def _cuts(step: float) -> np.ndarray:
    return np.arange(0, 10, step)


def _values(
    rng: np.random.Generator, topics: int, step: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two judges' (T, D) values and whether documents are relevant."""
    relevance = rng.normal(0, 1, (topics, DOCUMENTS))
    values = [
        5 + half + 2 * relevance + rng.normal(0, 0.7, (topics, 1)) + rng.normal(0, 2, (topics, 20))
        for half in (0.0, 0.5)
    ]
    first, second = (np.clip(np.rint(one) if step == 1 else one, 0, 10) for one in values)
    return first, second, relevance > 0.2


def alpha(is_above: np.ndarray, is_relevant: np.ndarray) -> np.ndarray:
    """Krippendorff's α of two levels over the last axis; 1 where only one of them occurs."""
    n = 2 * is_relevant.shape[-1]
    ones = is_above.sum(axis=-1) + is_relevant.sum(axis=-1)
    observed = 2 * (is_above != is_relevant).sum(axis=-1) / n
    expected = 2 * ones * (n - ones) / (n * (n - 1))
    return np.where(expected > 0, 1 - observed / np.where(expected > 0, expected, 1), 1.0)


def _criterion(values: np.ndarray, is_relevant: np.ndarray, step: float) -> np.ndarray:
    """(C, T) α of every cut."""
    return alpha(values > _cuts(step)[:, None, None], is_relevant)


def _two(rng: np.random.Generator, topics: int, step: float) -> tuple[np.ndarray, np.ndarray]:
    first, second, relevant = _values(rng, topics, step)
    return _criterion(first, relevant, step), _criterion(second, relevant, step)


@cache
def _everywhere(step: float) -> tuple[np.ndarray, float]:
    """(C,) α of each cut for the first judge, and of the middles of topics, over many topics."""
    first, _, relevant = _values(generator(1, "coverage", "cuts", "all", str(step)), 8000, step)
    of_middles = alpha(first > first.mean(axis=1, keepdims=True), relevant).mean()
    return _criterion(first, relevant, step).mean(axis=1), float(of_middles)


def _best(criterion: np.ndarray) -> int:
    return best_index(np.arange(len(criterion))[:, None], criterion.mean(axis=1))


def _paired(difference: np.ndarray, interval: str = "mean_over_topics") -> Sample:
    found = paired_difference(difference, interval)
    return found["difference"], found["low"], found["high"]


def _two_cuts(rng: np.random.Generator, topics: int, step: float) -> Sample:
    first, second = _two(rng, topics, step)
    return _paired(first[_best(first)] - second[_best(second)])


def _own_cuts(rng: np.random.Generator, topics: int, step: float) -> Sample:
    first, second = _two(rng, topics, step)
    return _paired(first.max(axis=0) - second.max(axis=0))


def _alike(rng: np.random.Generator, topics: int, step: float) -> Sample:
    """One of fifty values is another."""
    values, _, relevant = _values(rng, topics, step)
    moved = rng.choice([-1.0, 1.0, 2.0], values.shape) * (rng.random(values.shape) < 0.02)
    both = (_criterion(one, relevant, step) for one in (values, np.clip(values + moved, 0, 10)))
    first, second = both
    return _paired(first[_best(first)] - second[_best(second)])


def _cut_of_all(rng: np.random.Generator, topics: int, step: float) -> Sample:
    of, _ = _two(rng, topics, step)
    return _paired(of.max(axis=0) - of[_best(of)])


def _halves(
    rng: np.random.Generator, topics: int, step: float, draws: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(3, T): own cut where it was chosen, on the other half of documents, and the cut of all.

    And the latter of (R, T) drawn topics, (R, T).
    """
    values, _, relevant = _values(rng, topics, step)
    found, each = np.zeros((3, topics)), np.arange(topics)
    weights = with_replacement(rng, topics, draws)
    drawn = np.zeros(weights.shape)
    for _ in range(SPLITS):
        first = rng.permuted(np.tile(np.arange(DOCUMENTS) < DOCUMENTS // 2, (topics, 1)), axis=1)
        halves = [
            _criterion(values[its].reshape(topics, -1), relevant[its].reshape(topics, -1), step)
            for its in (first, ~first)
        ]
        for chooses, judges in (halves, halves[::-1]):
            own = chooses.argmax(axis=0)
            found += chooses[own, each], judges[own, each], judges[_best(chooses)]
            if draws:
                places = np.arange(len(chooses))[:, None]
                drawn += single_of_drawn(places, chooses, judges, weights, 0.9)
    return found / (2 * SPLITS), weights, drawn / (2 * SPLITS)


def _optimism(rng: np.random.Generator, topics: int, step: float) -> Sample:
    looks, has, _ = _halves(rng, topics, step)[0]
    return _paired(looks - has)


def _own_less_single(rng: np.random.Generator, topics: int, step: float) -> Sample:
    (_, own, single), weights, drawn = _halves(rng, topics, step, DRAWS)
    found = single_difference(own - single, error_of_difference(own, drawn, weights))
    return (own - single).mean(), found["low"], found["high"]


def _cuts_of_others(rng: np.random.Generator, topics: int, step: float) -> Sample:
    of, _ = _two(rng, topics, step)
    return _lost_to_others(of)


def _lost_to_others(of: np.ndarray) -> Sample:
    """Each column's best cut, used on the other columns of (C, n) values."""
    lost = of.max(axis=0) - of[of.argmax(axis=0)]
    np.fill_diagonal(lost, np.nan)
    return np.nanmean(lost), *others_interval(lost)


def _lost(of: np.ndarray, cut: int, step: float) -> Sample:
    """What the best cut has beyond another."""
    everywhere, _ = _everywhere(step)
    row = gains_over(np.arange(len(of))[:, None], of, 0.9, {cut: of[cut]})[cut]
    return everywhere[_best(of)] - everywhere[cut], row["low"], row["high"]


def _lost_to_judge(rng: np.random.Generator, topics: int, step: float) -> Sample:
    of, theirs = _two(rng, topics, step)
    return _lost(of, _best(theirs), step)


def _lost_to_collection(rng: np.random.Generator, topics: int, step: float) -> Sample:
    of, _ = _two(rng, topics, step)
    return _lost(of, _best(_two(rng, topics, step)[1]), step)


def _rule(of: np.ndarray, under: np.ndarray, everywhere: float, step: float) -> Sample:
    (ends,) = rule_ends(np.arange(len(of))[:, None], of, 0.9, {"rule": under}).values()
    return everywhere - _everywhere(step)[0][_best(of)], *ends


def _fixed(rng: np.random.Generator, topics: int, step: float) -> Sample:
    """Often that which the topics choose."""
    (of, _), (everywhere, _) = _two(rng, topics, step), _everywhere(step)
    best = int(everywhere.argmax())
    return _rule(of, of[best], everywhere[best], step)


def _middles(rng: np.random.Generator, topics: int, step: float) -> Sample:
    values, _, relevant = _values(rng, topics, step)
    under = alpha(values > values.mean(axis=1, keepdims=True), relevant)
    return _rule(_criterion(values, relevant, step), under, _everywhere(step)[1], step)


# --- judges --------------------------------------------------------------------------------------


def _run_judges(of: Callable, judges: int, repetitions: int, seed: int) -> Simulated:
    """Of the same documents: judges are the sample, who are strict or not."""
    rng = generator(seed, "coverage", "cuts", of.__name__, str(judges))
    relevance, found = rng.normal(0, 1, LABELLED), np.empty((repetitions, 3))
    for r in range(repetitions):
        noise = rng.normal(0, 1, (judges, 1)) + rng.normal(0, 1.5, (judges, LABELLED))
        found[r] = of(rng, np.clip(5 + 2 * relevance + noise, 0, 10), relevance > 0.2)
    return np.full(repetitions, found[:, 0].mean()), found[:, 1], found[:, 2]


def _of_each(values: np.ndarray, is_relevant: np.ndarray) -> np.ndarray:
    """(C, J) α of each judge under every cut."""
    return alpha(values > _cuts(0.15)[:, None, None], is_relevant[None])


def _of_crowd(values: np.ndarray, is_relevant: np.ndarray) -> int:
    """The best cut of the judges' median."""
    return int(_of_each(np.median(values, axis=0)[None], is_relevant)[:, 0].argmax())


def _own_less_others(rng: np.random.Generator, values: np.ndarray, relevant: np.ndarray) -> Sample:
    """On halves of the documents that did not choose; the others' cut is of all documents."""
    others = [_of_crowd(np.delete(values, j, axis=0), relevant) for j in range(len(values))]
    apart, each = np.zeros(len(values)), np.arange(len(values))
    firsts = [rng.permutation(LABELLED) < LABELLED // 2 for _ in range(3)]
    for half in [part for first in firsts for part in (first, ~first)]:
        chooses, judges = (_of_each(values[:, its], relevant[its]) for its in (half, ~half))
        apart += judges[chooses.argmax(axis=0), each] - judges[others, each]
    return _paired(apart / 6, "mean_over_judges")


def _crowds_cut(rng: np.random.Generator, values: np.ndarray, relevant: np.ndarray) -> Sample:
    of = _of_each(values, relevant)
    return _paired(of.max(axis=0) - of[_of_crowd(values, relevant)], "mean_over_judges")


def _other_judges_cuts(
    rng: np.random.Generator, values: np.ndarray, relevant: np.ndarray
) -> Sample:
    return _lost_to_others(_of_each(values, relevant))
