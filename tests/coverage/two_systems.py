"""Worlds of two systems: differences over clusters, data sets and repeats; margins; and gates.

Differences are drawn with a known mean.  Of claims the truth is at the margin, where they are wrong
most often, or both systems are of one process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from regrade.choices import GATE_FAILURES
from regrade.intervals import INTERVALS
from regrade.item_scores.scores import ScoreDesign
from regrade.scoring import Scores
from regrade.significance.discrimination import SIGNIFICANCE
from regrade.significance.paired import differences
from regrade.system_pairs.gate import BETTER, WORSE, outcome
from regrade.system_pairs.item_groups import ItemGroups, mean_difference
from regrade.system_pairs.margins import (
    RareDifferences,
    detectable_loss,
    margin_test,
    p_above,
    p_below,
)
from regrade.system_pairs.paired_tests import t_interval
from tests.coverage import World

MARGIN = 0.05
SIZES = (25, 50, 100)

Drawn = tuple[np.ndarray, ItemGroups, list[np.ndarray]]
"""Differences of two systems on items, their groups, and repeats of both."""


def worlds(data: Path | None = None) -> list[World]:
    """Intervals of `mean_difference` that rest on clusters, data sets and repeats."""
    fewest = INTERVALS["mean_difference"].fewest
    made = [
        (f"simulated: clusters of 1 to 10 items, {kind}", f"{size} clusters", partial(draw, size))
        for kind, draw in (("real scores", _clusters), ("0/1 scores", _binary_clusters))
        for size in (fewest, *SIZES)
    ]
    made += [
        (f"simulated: {sets} data sets of 5 to 40 items, {kind}", f"{sets} data sets", draw)
        for sets in (3, 8, 20)
        for kind, draw in (
            ("real scores", partial(_datasets, sets, binary=False)),
            ("0/1 scores", partial(_datasets, sets, binary=True)),
        )
    ]
    effects = {"without effects": 0.0, "effects as large as the items'": 0.02}
    made += [
        (
            f"simulated: {repeats} repeats, {kind}",
            f"{size} items",
            partial(_repeats, size, repeats, effect),
        )
        for repeats in (3, 5)
        for kind, effect in effects.items()
        for size in SIZES
    ]
    return [World("mean_difference", name, size, partial(_held, draw)) for name, size, draw in made]


def _held(draw: Callable[[np.random.Generator], Drawn], repetitions: int, seed: int) -> tuple:
    rng = np.random.default_rng(seed)
    ends = [t_interval(mean_difference(*draw(rng))) for _ in range(repetitions)]
    return np.full(repetitions, MARGIN), *np.transpose(ends)


def grouped(items: int, **facets: np.ndarray) -> ItemGroups:
    """Groups of items by what a design says of them."""
    none = Scores((), (), (), np.empty((0, 0, 0)), np.empty((0, 0, 0)))
    return ItemGroups.of(items, ScoreDesign(none, **facets))


def _sizes(rng: np.random.Generator, units: int, low: int, high: int) -> np.ndarray:
    """(T,) which of some units of different sizes each item is of."""
    return np.repeat(np.arange(units), rng.integers(low, high + 1, units))


def _clusters(size: int, rng: np.random.Generator, mean: float = MARGIN) -> Drawn:
    of = _sizes(rng, size, 1, 10)
    apart = mean + rng.normal(0, 0.1, size)[of] + rng.normal(0, 0.1, len(of))
    return apart, grouped(len(of), clusters=of), []


def _binary_clusters(size: int, rng: np.random.Generator) -> Drawn:
    """Both systems answer rightly with probabilities that a cluster shares."""
    of = _sizes(rng, size, 1, 10)
    p = rng.beta(2, 2, size)[of]
    first, second = (rng.random(len(of)) < p * (1 - 2 * loss) for loss in (0.0, MARGIN))
    return first * 1.0 - second, grouped(len(of), clusters=of), []


def _datasets(sets: int, rng: np.random.Generator, *, binary: bool) -> Drawn:
    """Each data set has its own difference; their mean is the truth."""
    own = np.random.default_rng(sets).normal(0, 0.05, sets)
    own += MARGIN - own.mean()
    of = _sizes(np.random.default_rng(sets), sets, 5, 40)
    spread = np.random.default_rng(sets + 1).uniform(0.05, 0.2, sets)[of]
    if binary:
        u = rng.random(len(of))
        apart = np.where(u < 0.2, -1.0, np.where(u < 0.4 + own[of], 1.0, 0.0))
    else:
        apart = own[of] + rng.normal(0, 1, len(of)) * spread
    names = tuple(map("{:02}".format, range(sets)))
    return apart, grouped(len(of), datasets=of, dataset_names=names), []


def _repeats(items: int, repeats: int, effect: float, rng: np.random.Generator) -> Drawn:
    """The error of a mean of 50 items is 0.02."""
    base = rng.normal(0, 0.1, (2, items, 1))
    values = base + rng.normal(0, effect, (2, 1, repeats)) + rng.normal(0, 0.1, (2, items, repeats))
    values[0] += MARGIN
    apart = values[0].mean(axis=1) - values[1].mean(axis=1)
    return apart, ItemGroups.of(items), [*values]


# --- claims ---------------------------------------------------------------------------------------


def claims(data: Path | None = None) -> Iterator[tuple[str, str, str, Callable]]:
    """Claim, name, size and run of each world; a run gives what is wrong and what is right."""
    shapes = {
        "simulated: normal differences": lambda rng, n, m: rng.normal(m, 0.1, n),
        "simulated: skewed losses, many of them 0": lambda rng, n, m: (
            (m + MARGIN) - rng.exponential(0.1, n) * (rng.random(n) < MARGIN / 0.1)
        ),
        "simulated: 0/1 scores, one in ten is lost and some are won": _binary,
        "simulated: 0/1 scores, few are lost and none is won": _seldom,
    }
    for size in SIZES:
        for claim in ("equivalent", "non-inferior"):
            for name, draw in shapes.items():
                run = partial(_wrong, claim, partial(_alone, draw, size, -MARGIN))
                yield claim, f"{name}, at the margin", f"{size} items", run
            run = partial(_wrong, claim, lambda rng, size=size: _clusters(size, rng, -MARGIN))
            yield (
                claim,
                "simulated: clusters of 1 to 10 items, at the margin",
                f"{size} clusters",
                run,
            )
            run = partial(
                _right, claim, partial(_alone, shapes["simulated: normal differences"], size, 0.0)
            )
            yield claim, "simulated: normal differences, both systems alike", f"{size} items", run
        same = {
            "simulated: normal differences, one process": lambda rng, n, m: rng.normal(0, 0.1, n),
            "simulated: 0/1 scores, one process": lambda rng, n, m: (
                (rng.random(n) < 0.3) * 1.0 - (rng.random(n) < 0.3)
            ),
        }
        if data is not None:
            same["TREC 2021 DL: nDCG@10 of two systems, swapped on random topics"] = partial(
                _swapped, data
            )
        for name, draw in same.items():
            yield (
                "loss",
                name,
                f"{size} items",
                partial(_wrong, "loss", partial(_alone, draw, size, 0.0)),
            )
        lost = partial(_alone, lambda rng, n, m: rng.normal(m, 0.1, n), size, -MARGIN)
        yield (
            "loss",
            "simulated: normal differences, a loss of 0.05",
            f"{size} items",
            partial(_right, "loss", lost),
        )


def gates(data: Path | None = None) -> Iterator[tuple[str, str, str, Callable]]:
    """The same of what a gate fails at, passes, or calls better, with a margin of `MARGIN`."""
    same = {
        "simulated: normal differences, one process": lambda rng, n: rng.normal(0, 0.1, n),
        "simulated: 0/1 scores, one process": lambda rng, n: (
            (rng.random(n) < 0.3) * 1.0 - (rng.random(n) < 0.3)
        ),
    }
    same |= {
        "simulated: small losses and seldom a gain, equal means": lambda rng, n: (
            rng.exponential(0.1, n) - 0.1
        ),
        "simulated: small gains and seldom a loss, equal means": lambda rng, n: (
            0.1 - rng.exponential(0.1, n)
        ),
    }
    if data is not None:
        swapped = partial(_swapped, data)
        name = "TREC 2021 DL: nDCG@10 of two systems, swapped on random topics"
        same[name] = lambda rng, n: swapped(rng, n, 0.0)
    lost = {
        "simulated: normal differences, a loss of 0.05": lambda rng, n: rng.normal(-0.05, 0.1, n),
        "simulated: 0/1 scores, one item in ten is lost": lambda rng, n: (
            -1.0 * (rng.random(n) < 0.1)
        ),
        "simulated: a loss of 1 on one item in twenty": _rare,
    }
    gained = {
        "simulated: normal differences, a gain of 0.05": lambda rng, n: rng.normal(0.05, 0.1, n),
    }
    at_margin = {
        "simulated: normal differences, at the margin": lost[
            "simulated: normal differences, a loss of 0.05"
        ],
        "simulated: 0/1 scores, few are lost and none is won, at the margin": lambda rng, n: (
            _seldom(rng, n, -MARGIN)
        ),
        "simulated: a loss of 1 on one item in twenty, at the margin": _rare,
    }
    for size in SIZES:
        for claim, worlds, is_wrong in (
            (FAILS, same, True), (FAILS, lost, False), (PASSES, at_margin, True),
            (PASSES, {"simulated: normal differences, one process": next(iter(same.values()))},
             False), (GAINS, same, True), (GAINS, gained, False),
        ):  # fmt: skip
            for name, draw in worlds.items():
                run = partial(_by_gate, claim, partial(draw, n=size), is_wrong)
                yield claim, name, f"{size} items", run


FAILS, PASSES, GAINS = "gate fails", "gate passes", "gate says better"


def _rare(rng: np.random.Generator, n: int) -> np.ndarray:
    """Losses of 1 that are seldom; on the other items the systems hardly differ."""
    return np.where(rng.random(n) < 0.05, -1.0, rng.normal(0, 0.02, n))


def _outcome(apart: np.ndarray) -> str:
    """Of differences by one measure, for which nothing is corrected."""
    apart, groups = differences(apart, 0.0), ItemGroups.of(len(apart))
    sample = mean_difference(apart, groups)
    rare = RareDifferences.of(apart, groups, apart, np.zeros(len(apart)))
    row = vars(margin_test(sample, MARGIN, SIGNIFICANCE, rare)) | {
        "margin": MARGIN,
        "p_loss_corrected": p_below(sample, 0.0),
        "p_gain_corrected": p_above(sample, 0.0),
        "detectable_loss": detectable_loss(sample, SIGNIFICANCE),
    }
    facts = {"identical rankings": False, "significance": SIGNIFICANCE}
    return outcome(SimpleNamespace(**row), facts)


def _by_gate(claim: str, draw: Callable, is_wrong: bool, repetitions: int, seed: int) -> tuple:
    rng = np.random.default_rng(seed)
    results = np.array([_outcome(draw(rng)) for _ in range(repetitions)])
    is_said = {
        FAILS: results == WORSE, GAINS: results == BETTER, PASSES: ~np.isin(results, GATE_FAILURES)
    }  # fmt: skip
    said = is_said[claim]
    nothing = np.zeros(repetitions)
    return (said.astype(float), nothing.astype(bool)) if is_wrong else (nothing, said)


def _alone(draw: Callable, size: int, mean: float, rng: np.random.Generator) -> Drawn:
    return differences(draw(rng, size, mean), 0.0), ItemGroups.of(size), []


def _binary(rng: np.random.Generator, n: int, mean: float) -> np.ndarray:
    u = rng.random(n)
    return np.where(u < 0.1, -1.0, np.where(u < 0.2 + mean, 1.0, 0.0))


def _seldom(rng: np.random.Generator, n: int, mean: float) -> np.ndarray:
    return -1.0 * (rng.random(n) < -mean)


def _swapped(data: Path, rng: np.random.Generator, n: int, _: float) -> np.ndarray:
    from tests.coverage.topics import JUDGES, dl21_scores

    scores = dl21_scores(data, next(iter(JUDGES.values())))[0]
    a, b = rng.choice(len(scores), 2, replace=False)
    topics = rng.integers(0, scores.shape[1], n)
    return (scores[a] - scores[b])[topics] * rng.choice([-1.0, 1.0], n)


def _said(claim: str, drawn: Drawn) -> bool:
    apart, groups, repeats = drawn
    sample = mean_difference(apart, groups, repeats)
    if claim == "loss":
        return p_below(sample, 0.0) < SIGNIFICANCE
    is_bounded = set(np.unique(apart)) <= {-1.0, 0.0, 1.0}
    rare = RareDifferences.of(apart, groups, np.zeros(1), np.ones(1)) if is_bounded else None
    tested = margin_test(sample, MARGIN, SIGNIFICANCE, rare)
    return (tested.p_equivalent if claim == "equivalent" else tested.p_noninferior) < SIGNIFICANCE


def _wrong(claim: str, draw: Callable, repetitions: int, seed: int) -> tuple:
    rng = np.random.default_rng(seed)
    said = np.array([_said(claim, draw(rng)) for _ in range(repetitions)])
    return said.astype(float), np.zeros(repetitions, dtype=bool)


def _right(claim: str, draw: Callable, repetitions: int, seed: int) -> tuple:
    said, _ = _wrong(claim, draw, repetitions, seed)
    return np.zeros(repetitions), said.astype(bool)
