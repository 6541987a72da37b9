"""Worlds of differences between what topics teach: a cut and probabilities, held out by topics."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from regrade import read_judgments, read_qrels
from regrade.calibration.judge_calibration import CalibrationOptions, calibration_tables
from regrade.intervals import INTERVALS
from regrade.label_sets import LabelSet
from regrade.randomness import generator
from regrade.sample_means import mean_interval
from regrade.scales import Scale
from tests.coverage import World

DOCUMENTS, FOLDS = 20, 10
"""Of a topic; parts of the topics, each of which the others teach."""

Simulated = tuple[np.ndarray, np.ndarray, np.ndarray]
"""The truth, lower and upper ends, each (repetitions,)."""


def worlds(data: Path | None = None) -> list[World]:
    """The library's maps and cuts, and two rules that are quickly learned; all are made."""
    slow = "simulated: the best of three maps less the best cut, α"
    quick = "simulated: two rules for a cut"
    fewest = INTERVALS["taught_difference"].fewest
    kinds = [(slow, _maps, fewest), *((quick, _rules, n) for n in (fewest, 25, 50)),
             (slow, _maps, 25)]  # fmt: skip
    return [
        World("taught_difference", name, f"{n} topics", partial(_run, of, n))
        for name, of, n in kinds
    ]


def _run(of: Callable, topics: int, repetitions: int, seed: int) -> Simulated:
    """The truth is what samples give on average."""
    rng = generator(seed, "coverage", "taught", str(topics))
    names, found = zip(*(of(rng, topics, r) for r in range(repetitions)), strict=True)
    found = pd.DataFrame(found, columns=["difference", "low", "high"])
    truth = found.groupby(np.array(names))["difference"].transform("mean")
    return truth.to_numpy(), found["low"].to_numpy(), found["high"].to_numpy()


def _drawn(rng: np.random.Generator, topics: int) -> tuple[np.ndarray, np.ndarray]:
    """(T, D) values from 0 to 10, and grades from 0 to 2."""
    relevance = rng.normal(0, 1, (topics, DOCUMENTS))
    value = 5 + 2 * relevance + rng.normal(0, 0.7, (topics, 1))
    value = np.clip(np.rint(value + rng.normal(0, 2, value.shape)), 0, 10)
    return value, np.digitize(relevance, [0.2, 1.0])


def _maps(rng: np.random.Generator, topics: int, seed: int) -> tuple[str, np.ndarray]:
    """The map whose middle levels agree most, as the answer tells of it."""
    value, grade = _drawn(rng, topics)
    index = pd.MultiIndex.from_product(
        [[f"t{t:02d}" for t in range(topics)], [f"d{d:02d}" for d in range(DOCUMENTS)]],
        names=["topic", "docno"],
    )
    of = pd.DataFrame({"value": value.ravel(), "grade": grade.ravel(), "worker": "j"}, index=index)
    of = of.reset_index()
    judge = LabelSet("j", read_judgments(of.drop(columns="grade")).table, Scale.of({"levels": 11}))
    labels = read_qrels(of[["topic", "docno", "grade"]]).table
    how = CalibrationOptions(folds=FOLDS, resamples=2, seed=seed)
    own = calibration_tables(LabelSet.on_levels("r", labels, 3), [judge], how=how)["methods"]
    own = own[(own["left_out"] == "topics") & (own["quantity"] == "alpha")]
    best = own.set_index("method").drop(["labels", "prior"]).sort_values("value").iloc[-1]
    return best.name, best[["difference", "low", "high"]].to_numpy(float)


def _rules(rng: np.random.Generator, topics: int, seed: int) -> tuple[str, np.ndarray]:
    """By how much more often the cut with most hits is right than that halfway between means."""
    value, grade = _drawn(rng, topics)
    value, relevant = value + rng.random(value.shape), grade > 0  # no two rules give one cut
    cuts = np.linspace(3, 9, 25)
    hits = ((value > cuts[:, None, None]) == relevant).mean(axis=2)
    part, apart = rng.permutation(topics) % FOLDS, np.empty(topics)
    for number in np.unique(part):
        its = part == number
        best = hits[:, ~its].mean(axis=1).argmax()
        halfway = sum(value[~its][relevant[~its] == one].mean() for one in (True, False)) / 2
        other = ((value[its] > halfway) == relevant[its]).mean(axis=1)
        apart[its] = hits[best, its] - other
    ends = mean_interval(apart, "taught_difference", parts=min(FOLDS, topics))
    return "rules", np.append(apart.mean(), ends)
