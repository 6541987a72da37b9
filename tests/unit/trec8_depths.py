"""Scores of TREC-8's deeply judged systems under pools of their own, for tests of real data."""

from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from regrade.pools.pooling import Pooling, make_pool
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import score
from tests.unit.trec import trec8, trec8_deep

DEPTHS = (5, 10, 15, 20, 25, 30, 35, 40, 45, 50)
MEASURES = ("AP", "nDCG", "RBP(p=0.98)", "RR")


@cache
def trec8_depth_scores(real_data: Path):
    """`Scores` by pool depth."""
    collection = trec8(real_data)
    assert (collection.ranked.stops - collection.ranked.starts).min() >= 1
    chosen = pc.is_in(collection.runs["system"].cast(pa.string()), pa.array(trec8_deep(real_data)))
    ranked = RankedLists.from_table(collection.runs.filter(chosen))
    judged = Judged.from_table(collection.qrels, ranked)
    return {
        depth: score(
            ranked,
            make_pool(ranked, Pooling("Depth", depth=depth)).reduce(judged),
            MEASURES,
            max_grade=1,
        )
        for depth in DEPTHS
    }
