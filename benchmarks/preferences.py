"""Pairs of documents: a task designed, scores, feedback of units."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa

from benchmarks.inputs import SEED
from benchmarks.measuring import Measured, Settings, timed
from regrade.preferences.consistency import consistency
from regrade.preferences.design import Task, design_tasks
from regrade.preferences.scores import score_documents
from regrade.randomness import generator
from regrade.readers.preferences import read_preferences

DOCUMENTS = 300
PARTITIONS = 14
UNITS = 2_628 * 3
"""Lists of the thesis's task, each answered three times."""

TOPICS, PER_TOPIC, ANSWERS = 53, 122, 43_939
"""Of the preferences that are simulated where there are no real ones: as many as GPT-4o's."""


def design(settings: Settings) -> Measured:
    """Groups of eight, lists of twelve pairs, sides."""
    roles = np.repeat(["relevant", "not relevant", "other", "padding"], [40, 60, 200, 8])
    docnos = [f"D{number:03d}" for number in range(len(roles))]
    documents = pd.DataFrame({"topic": "401", "docno": docnos, "role": roles})
    task = Task(partitions=PARTITIONS)
    design_tasks(documents, Task(partitions=1))
    spans, _ = timed(lambda: design_tasks(documents, task, SEED), settings.repeats)
    return Measured(spans)


def scores(settings: Settings) -> Measured:
    """All six methods."""
    given = _preferences(settings)
    score_documents(given.slice(0, 200))
    spans, _ = timed(lambda: score_documents(given), settings.repeats)
    return Measured(spans)


def feedback(settings: Settings) -> Measured:
    """The fewest answers of each unit that an order disagrees with, answered at random."""
    rng = generator(SEED, "benchmark", "units")
    pairs = [(a, b) for a in range(8) for b in range(a)][:12]
    left, right = (np.tile([f"D{pair[side]}" for pair in pairs], UNITS) for side in (0, 1))
    units = {
        "topic": "401",
        "left": left,
        "right": right,
        "sides": True,
        "worker": "w",
        "unit": np.repeat([f"u{number:04}" for number in range(UNITS)], len(pairs)),
        "strength": rng.choice([-1.0, 1.0], UNITS * len(pairs)),
    }
    answers = pd.DataFrame(units)
    consistency(answers.head(len(pairs)))
    spans, found = timed(lambda: consistency(answers), settings.repeats)
    return Measured(spans, note=f"{len(found):,} units")


def _preferences(settings: Settings) -> pa.Table:
    """GPT-4o's real ones, or simulated ones, each answer in order of winner and loser."""
    if settings.data is not None and (settings.data / "dl21").exists():
        path = settings.data / "dl21" / "preferences-gpt4o.gz"
        return read_preferences(path, format="winner-loser")
    rng = generator(SEED, "benchmark", "answers")
    topic = np.sort(rng.integers(TOPICS, size=ANSWERS))
    pair = np.array([rng.choice(PER_TOPIC, 2, replace=False) for _ in range(ANSWERS)])
    ability = rng.normal(scale=2, size=(TOPICS, PER_TOPIC))
    first, second = (ability[topic, pair[:, side]] for side in (0, 1))
    won = rng.random(ANSWERS) < 1 / (1 + np.exp(second - first))
    ordered = np.where(won[:, None], pair, pair[:, ::-1])
    left, right = (np.char.add("D", ordered[:, side].astype(str)) for side in (0, 1))
    frame = {"topic": topic.astype(str), "left": left, "right": right}
    return pa.table({**frame, "sides": np.zeros(ANSWERS, bool), "strength": -np.ones(ANSWERS)})
