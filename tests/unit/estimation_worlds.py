"""Small made collections for tests of estimates from some labels."""

import numpy as np
import pyarrow as pa

from regrade.api.sets import read_qrels, read_runs
from regrade.estimation.frame import Frame
from regrade.run_arrays import Judged


def made(topics=3, documents=12, systems=4, depth=8, seed=0):
    """A frame, grades 0 … 3, a model's values, the rankings and the labels as a table."""
    rng = np.random.default_rng(seed)
    names = [(f"t{t}", f"d{i:02}") for t in range(topics) for i in range(documents)]
    effect = np.repeat(rng.normal(0, 0.7, topics), documents)
    merit = rng.normal(size=len(names)) + effect
    grades = np.digitize(merit, (0.0, 0.8, 1.6))
    values = np.clip(np.rint(merit + rng.normal(0, 0.7, len(names)) + 1), 0, 3)
    runs = {}
    for s in range(systems):
        scores = merit + rng.normal(0, 0.5 + 0.4 * s, len(names))
        for (topic, docno), value in zip(names, scores, strict=True):
            runs.setdefault(f"s{s}", {}).setdefault(topic, {})[docno] = float(value)
    for run in runs.values():
        for topic, scores in run.items():
            best = sorted(scores, key=scores.get, reverse=True)[:depth]
            run[topic] = {docno: scores[docno] for docno in best} | {f"{topic}-x": -99.0}
    ranked = read_runs(runs).ranked
    frame, places = Frame.of(*zip(*names, strict=True), ranked)
    labels = pa.table(
        {
            "topic": [topic for topic, _ in names],
            "docno": [docno for _, docno in names],
            "grade": grades.astype(float),
        }
    )
    return frame, grades[places], values[places], ranked, labels


def judged(ranked, labels):
    """The labels in the codes of the rankings."""
    return Judged.from_table(read_qrels(labels).table, ranked)
