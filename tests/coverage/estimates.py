"""Worlds in which people's labels of all documents are known, and some of them are drawn.

The documents, their labels and the model's values are drawn once; each repetition chooses documents
to be labelled anew, as `regrade.assign` does.  Systems, and pairs of them, take turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np

from regrade.cutsearch.means import mean_where_defined
from regrade.estimation.batches import Counting
from regrade.estimation.estimates import FEWEST, LabelledSample, estimate, learned_shares
from regrade.estimation.frame import Frame
from regrade.estimation.functionals import functionals
from regrade.estimation.grades import features
from regrade.estimation.inclusion import (
    draw_fixed_sample,
    guessed_shares,
    importance,
    inclusion_probabilities,
)
from regrade.estimation.labels import Levels, labels_table
from regrade.estimation.maxima import ERROR
from regrade.estimation.measure_estimates import MeasureEstimate
from regrade.estimation.replays import full_values
from regrade.kendall import TOLERANCE
from regrade.randomness import generator
from tests.coverage import World
from tests.unit.estimation_worlds import made

TOPICS, DOCUMENTS, SYSTEMS = 12, 60, 6
WORLDS = (
    ("full_judging", "P(rel=2)@10", False, FEWEST),
    ("full_judging", "nDCG@10", False, FEWEST),
    ("full_judging", "nDCG@10", True, FEWEST),
    ("full_judging_of_pairs", "P(rel=2)@10", False, FEWEST),
    ("full_judging_of_pairs", "nDCG@10", False, FEWEST),
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

OF_LABELS = (
    ("full_judging_share", "share", 3, FEWEST),
    ("full_judging_share", "equal", None, FEWEST),
    ("full_judging_mean", "mean", None, FEWEST),
    ("full_judging_agreement", "alpha", None, FEWEST),
    ("full_judging_agreement", "kappa", None, FEWEST),
    ("full_judging_share", "share", 3, 36),
    ("full_judging_share", "share", 3, 144),
    ("full_judging_share", "equal", None, 72),
    ("full_judging_mean", "mean", None, 36),
    ("full_judging_agreement", "alpha", None, 36),
    ("full_judging_agreement", "alpha", None, 144),
    ("full_judging_agreement", "kappa", None, 72),
)
"""The interval, the row of ``estimates/labels``, and how many labels there are."""

SAID = {"share": "the share of grade 3", "equal": "the share of equal labels",
        "mean": "the mean grade", "alpha": "α", "kappa": "κ"}  # fmt: skip

NONE = np.zeros(0, np.int64)


@cache
def _made(worthless: bool) -> tuple:
    """A frame, labels, features and the model's values; worthless ones are noise."""
    frame, grades, values, _, _ = made(TOPICS, DOCUMENTS, SYSTEMS, depth=30, seed=5)
    if worthless:
        values = generator(5, "worthless").permutation(values)
    return frame, grades, features(frame, values), values


def _estimated(measure: str, budget: int, worthless: bool, repetitions: int, seed: int) -> Iterator:
    """What full judging gives each system, then of each sample its place and what is estimated."""
    frame, grades, X, values = _made(worthless)
    of = functionals([measure], range(4))
    inclusion = inclusion_probabilities(
        importance(frame, guessed_shares(values, 4), of), float(budget)
    )
    yield full_values(of[0], frame, grades)
    for r in range(repetitions):
        chosen = np.flatnonzero(
            draw_fixed_sample(inclusion, frame.topic, generator(seed, measure, str(budget), str(r)))
        )
        sample = LabelledSample(inclusion, chosen, grades[chosen])
        (one,) = estimate(frame, X, sample, of, seed=r)
        known = Levels(np.zeros((0, 0)), sample, NONE)  # shares are of documents without labels
        yield r, MeasureEstimate(of[0], one, frame, known)


def _run(measure: str, budget: int, worthless: bool, pairs: bool, repetitions: int, seed: int):
    truth, *samples = _estimated(measure, budget, worthless, repetitions, seed)
    first, second = np.triu_indices(SYSTEMS, 1)
    truth = truth[first] - truth[second] if pairs else truth
    found = np.full((3, repetitions), np.nan)
    for r, estimated in samples:
        value, (below, above) = estimated.estimate.values, estimated.of_systems.T
        if pairs:
            value = value[first] - value[second]
            below, above = estimated.of_pairs(first, second).T
        own = r % len(truth)
        found[:, r] = truth[own], value[own] - below[own], value[own] + above[own]
    return found


def held_with_missing(
    measure: str, budget: int, odds_ratio: float, ratios: Sequence[float], repetitions: int, seed=1
) -> np.ndarray:
    """(2, G, 2) shares of intervals that hold and mean widths; of systems and of pairs.

    About a quarter of the labels is missing; the odds of a missing one grow with the grade, by
    `odds_ratio` from the lowest to the highest.  `ratios`: G, of which intervals are made.
    """
    frame, grades, X, values = _made(worthless=False)
    (of,) = functionals([measure], range(4))
    shares = guessed_shares(values, 4)
    inclusion = inclusion_probabilities(importance(frame, shares, [of]), float(budget))
    truth, (first, second) = full_values(of, frame, grades), np.triu_indices(SYSTEMS, 1)
    odds = 0.25 * odds_ratio ** (grades / 3 - 0.25)
    held = np.zeros((2, len(ratios), 2, repetitions))
    for r in range(repetitions):
        rng = generator(seed, "missing", measure, str(odds_ratio), str(r))
        chosen = draw_fixed_sample(inclusion, frame.topic, rng)
        lost = chosen & (rng.random(len(frame)) < odds / (1 + odds))
        labelled = np.flatnonzero(chosen & ~lost)
        counting = Counting.once(inclusion, chosen)
        sample = LabelledSample(inclusion, labelled, grades[labelled], counting)
        (one,) = estimate(frame, X, sample, [of], seed=r)
        learned = learned_shares(frame, X, sample, 3, r)
        for g, ratio in enumerate(ratios):
            levels = Levels(learned, sample, np.flatnonzero(lost), ratio)
            estimated = MeasureEstimate(of, one, frame, levels)
            off = one.values - truth
            kinds = (off, estimated.of_systems), (
                off[first] - off[second], estimated.of_pairs(first, second),
            )  # fmt: skip
            for k, (of_kind, reach) in enumerate(kinds):
                is_held = (-reach[:, 1] <= of_kind) & (of_kind <= reach[:, 0])
                held[k, g, :, r] = (
                    np.where(np.isnan(reach[:, 0]), np.nan, is_held).mean(),
                    (reach.sum(axis=1).mean()),
                )
    return np.apply_along_axis(mean_where_defined, 3, held)


def ruled_out(measure: str, budget: int, worthless: bool, repetitions: int, seed: int) -> tuple:
    """Of each sample: is the system that is first by all labels surely not; is another so."""
    truth, *samples = _estimated(measure, budget, worthless, repetitions, seed)
    wrong, right = np.zeros((2, repetitions), dtype=bool)
    for r, estimated in samples:
        systems = estimated.systems().set_index("system")["may_be_first"]
        may_be = systems.loc[[*estimated.frame.systems]].to_numpy()
        wrong[r] = not may_be[truth.argmax()]
        right[r] = not wrong[r] and not may_be.all()
    return wrong.astype(float), right


def contradicted(measure: str, budget: int, worthless: bool, repetitions: int, seed: int) -> tuple:
    """Of each sample: is a pair significant the wrong way round; are some the right way."""
    truth, *samples = _estimated(measure, budget, worthless, repetitions, seed)
    wrong, right = np.zeros((2, repetitions), dtype=bool)
    for r, estimated in samples:
        rows, make = estimated.pairs()
        pairs = make(0, rows)
        pairs = pairs[pairs["p_adjusted"] < ERROR]
        of = dict(zip(estimated.frame.systems, truth, strict=True))
        ends = zip(pairs["system"], pairs["other"], strict=True)
        wrong[r] = any(of[first] - of[second] <= TOLERANCE for first, second in ends)
        right[r] = not wrong[r] and len(pairs) > 0
    return wrong.astype(float), right


@cache
def _labelled() -> tuple:
    """A frame without systems, levels of its documents, features and the model's values."""
    frame, grades, values, _, _ = made(TOPICS, DOCUMENTS, SYSTEMS, depth=30, seed=5)
    topics = np.array(frame.topics)[frame.topic]
    frame, places = Frame.of(topics, frame.docnos, None)
    return frame, grades[places], features(frame, values[places]), values[places]


def _run_labels(quantity: str, grade: int | None, budget: int, repetitions: int, seed: int):
    frame, levels, X, values = _labelled()
    N = len(frame)
    inclusion = inclusion_probabilities(np.ones(N), float(budget))

    def said(sample: LabelledSample, shares: np.ndarray) -> np.ndarray:
        table = labels_table(Levels(shares, sample, NONE), {"model": values}, np.arange(4.0))
        rows = table["quantity"] == quantity
        rows &= True if grade is None else table["grade"] == grade
        return table.loc[rows, ["value", "low", "high"]].to_numpy(float)[0]

    truth = said(LabelledSample(np.ones(N), np.arange(N), levels), np.full((N, 4), 0.25))[0]
    found = np.full((3, repetitions), np.nan)
    for r in range(repetitions):
        rng = generator(seed, "labels", quantity, str(budget), str(r))
        chosen = np.flatnonzero(draw_fixed_sample(inclusion, frame.topic, rng))
        sample = LabelledSample(inclusion, chosen, levels[chosen])
        found[:, r] = truth, *said(sample, learned_shares(frame, X, sample, 3, r))[1:]
    return found


def worlds(data: Path | None) -> Iterator[World]:
    """Of systems and pairs, by a model that says something and by one that does not; of labels."""
    for interval, quantity, grade, budget in OF_LABELS:
        name = f"simulated: {TOPICS * DOCUMENTS} documents, {SAID[quantity]}"
        run = partial(_run_labels, quantity, grade, budget)
        yield World(interval, name, f"{budget} labels", run)
    for interval, measure, worthless, budget in WORLDS:
        model = "a model that says nothing" if worthless else "a model"
        is_of_pairs = interval.endswith("pairs")
        yield World(
            interval,
            f"simulated: {measure} of {TOPICS * DOCUMENTS} documents, {model}",
            f"{budget} labels",
            partial(_run, measure, budget, worthless, is_of_pairs),
        )
