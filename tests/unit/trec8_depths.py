"""Scores of TREC-8's deeply judged systems under pools of their own, for tests of real data."""

from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.pools.pooling import Pooling, make_pool
from regrade.ranked import Judged, JudgedLists, RankedLists
from regrade.readers import read_qrels, read_runs
from regrade.scoring import score

DEPTHS = (5, 10, 15, 20, 25, 30, 35, 40, 45, 50)
MEASURES = ("AP", "nDCG", "RBP(p=0.98)", "RR")


@cache
def trec8_depth_scores(real_data: Path):
    """`Scores` by pool depth."""
    runs = read_runs(sorted((real_data / "trec8" / "runs").glob("*.gz")))
    qrels = read_qrels(real_data / "trec8" / "qrels.gz")
    ranked = RankedLists.from_table(runs)
    lists = JudgedLists.match(ranked, Judged.from_table(qrels, ranked), 1.0)
    assert (lists.stops - lists.starts).min() >= 1
    first = lists.starts[:, :, None] + np.arange(50)
    inside = first < lists.stops[:, :, None]
    judged = lists.rows[np.where(inside, first, 0)] < len(lists.judged.grades)
    deep = [s for s, whole in zip(ranked.systems, (inside & judged).all((1, 2)), strict=True) if whole]  # fmt: skip # noqa: E501
    chosen = pc.is_in(runs["system"].cast(pa.string()), pa.array(deep))
    ranked = RankedLists.from_table(runs.filter(chosen))
    judged = Judged.from_table(qrels, ranked)
    return {
        depth: score(
            ranked,
            make_pool(ranked, Pooling("Depth", depth=depth)).reduce(judged),
            MEASURES,
            max_grade=1,
        )
        for depth in DEPTHS
    }
