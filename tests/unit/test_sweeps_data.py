"""A sweep of real runs and judges beside the same universes made plainly from the raw files."""

import numpy as np
import pytest

from regrade.api.sets import read_qrels, read_runs
from regrade.scales import Scale
from regrade.sweeps.labels import LabelledSet
from regrade.sweeps.options import read_sweep
from regrade.sweeps.outcomes import topic_rows
from regrade.sweeps.sweep import Sweep, SweepDesign
from tests.reference import sweeps as plain

AXES = {
    "labels": ["NIST", "umbrela", {"cuts": "mean", "which": ["best", "rounded", "every"]}],
    "unjudged": ["non-relevant", "condensed"],
    "pool": ["all", "depth-5"],
    "ties": ["rank", "docno", "docno-reversed"],
    "measure": ["nDCG@10", "AP(rel=2)", "P@10"],
    "topics": ["all", "halves-2"],
    "test": ["t/none", "t/holm", "t/bh"],
}
COUNT = 24
"""Universes that are made again; benchmarks/sweep.py makes 200."""


def test_random_universes_of_trec_dl_are_those_of_the_raw_files(real_data):
    folder = real_data / "dl21"
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    judges = {"umbrela": "gpt-4o-umbrela", "mean": "gpt-4o-exam-graded-mean"}
    files = {"NIST": folder / "qrels.gz"}
    files |= {n: folder / "judges" / f"{f}.qrels.gz" for n, f in judges.items()}
    scales = {"NIST": {"levels": 4}, "umbrela": {"levels": 4}, "mean": {"range": [0, 5]}}
    sets = {name: LabelledSet(read_qrels(file).table, Scale.of(scales[name]))
            for name, file in files.items()}  # fmt: skip
    runs = read_runs([str(path) for path in sorted((folder / "runs").glob("*.gz"))])
    written = read_sweep(AXES, {"labels": "NIST"}, list(sets))
    sweep = Sweep.of(SweepDesign.of(written, limit=10**8), sets, runs.ranked)
    assert sweep.universes > 5_000_000

    raw = dict(plain.read_run(path) for path in sorted((folder / "runs").glob("*.gz")))
    labels = {name: plain.read_labels(file) for name, file in files.items()}
    rng = np.random.default_rng(8)
    blocks = list(sweep.blocks())
    chosen = [*blocks[:4], *(blocks[b] for b in rng.choice(np.arange(4, len(blocks)), 4, False))]
    axes = sweep.design.conditions.axes
    for block in chosen:
        # the first of the block under a few conditions, each scored for itself
        for k in rng.choice(len(sweep.design.conditions.codes), COUNT // len(chosen), False):
            codes = sweep.design.conditions.codes[k]
            at = {axis.name: axis.levels[code] for axis, code in zip(axes, codes, strict=True)}
            own = labels[sweep.labels[block.entry].entry.set]
            (cut, *_) = sweep.labels[block.entry].cuts(block.start, block.start + 1)
            own = own if cut is None else plain.cut(own, [float(c) for c in cut.split()])
            topics = [sweep.runs.topics[t]
                      for t in topic_rows(at["topics"], sweep.runs.topics, 1)]  # fmt: skip
            values = plain.scores(
                raw, own, unjudged=at["unjudged"], pool=at["pool"], ties=at["ties"],
                measure=at["measure"], topics=topics,
            )  # fmt: skip
            key = tuple(at[name] for name in ("unjudged", "pool", "ties", "measure"))
            (found,) = (
                (outcomes, told[at["test"]])
                for _, h, outcomes, told in sweep.conclude(block, [key])
                if h == codes[4]
            )
            np.testing.assert_allclose(found[0].means[0], values.mean(axis=1), atol=1e-9)
            np.testing.assert_array_equal(found[1][0], plain.conclusions(values, at["test"]))
