"""Worlds in which people's labels of all documents are known, and some of them are drawn.

The documents, their labels and the model's values are drawn once; each repetition chooses documents
to be labelled anew, as `regrade.assign` does.  Systems, and pairs of them, take turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

import numpy as np

from regrade.estimation.estimates import FEWEST, LabelledSample, estimate
from regrade.estimation.functionals import functionals
from regrade.estimation.grades import features
from regrade.estimation.inclusion import (
    draw_sample,
    guessed_shares,
    importance,
    inclusion_probabilities,
)
from regrade.estimation.replays import full_values
from regrade.estimation.tables import MeasureEstimate
from regrade.randomness import generator
from tests.coverage import World
from tests.unit.estimation_worlds import made

TOPICS, DOCUMENTS, SYSTEMS = 12, 60, 6
WORLDS = (
    ("full_judging", "P(rel=2)@10", False, 72),
    ("full_judging", "P(rel=2)@10", True, 144),
    ("full_judging", "RBP(p=0.8)", False, 144),
    ("full_judging", "nDCG@10", False, 72),
    ("full_judging", "nDCG@10", True, 144),
    ("full_judging_of_pairs", "P(rel=2)@10", False, 72),
    ("full_judging_of_pairs", "nDCG@10", False, 72),
    ("full_judging_of_pairs", "nDCG@10", True, 144),
)
"""The interval, the measure, whether the model is worthless, and how many labels there are."""

NONE = np.zeros(0, np.int64)


@cache
def _made(worthless: bool) -> tuple:
    """A frame, labels, features and the model's values; worthless ones are noise."""
    frame, grades, values, _, _ = made(TOPICS, DOCUMENTS, SYSTEMS, depth=30, seed=5)
    if worthless:
        values = generator(5, "worthless").permutation(values)
    return frame, grades, features(frame, values), values


def _run(measure: str, budget: int, worthless: bool, pairs: bool, repetitions: int, seed: int):
    frame, grades, X, values = _made(worthless)
    of = functionals([measure], range(4))
    inclusion = inclusion_probabilities(
        importance(frame, guessed_shares(values, 4), of), float(budget)
    )
    truth = full_values(of[0], frame, grades)
    first, second = np.triu_indices(SYSTEMS, 1)
    truth = truth[first] - truth[second] if pairs else truth
    found = np.full((3, repetitions), np.nan)
    for r in range(repetitions):
        chosen = np.flatnonzero(
            draw_sample(inclusion, generator(seed, measure, str(budget), str(r)))
        )
        if len(chosen) < FEWEST:
            continue
        sample = LabelledSample(inclusion, chosen, grades[chosen])
        (one,) = estimate(frame, X, sample, of, seed=r)
        estimated = MeasureEstimate(of[0], one, frame, sample, NONE)
        value, reach = one.values, estimated.of_systems
        if pairs:
            value, reach = value[first] - value[second], estimated.of_pairs(first, second)
        own = r % len(truth)
        found[:, r] = truth[own], value[own] - reach[own], value[own] + reach[own]
    return found


def worlds(data: Path | None) -> Iterator[World]:
    """Of single systems and of pairs; by a model that says something, and by one that does not."""
    for interval, measure, worthless, budget in WORLDS:
        model = "a model that says nothing" if worthless else "a model"
        is_of_pairs = interval.endswith("pairs")
        yield World(
            interval,
            f"made: {measure} of {TOPICS * DOCUMENTS} documents, {model}",
            f"{budget} labels",
            partial(_run, measure, budget, worthless, is_of_pairs),
        )
