"""Sizes of pools, and their documents by number of votes."""

import pandas as pd
from job import contributors, job, parameters

from regrade.pools.fusion import run_scores
from regrade.pools.pooling import Pooling, make_pool, multiplicities, pool_sizes
from regrade.ranked import Judged, RankedLists
from regrade.tables import read_table, write_table

with job(snakemake):
    params, made_by = snakemake.params, parameters(snakemake)
    runs = read_table(snakemake.input.runs, "runs")
    ranked = RankedLists.from_table(runs)
    judged = Judged.from_table(read_table(snakemake.input.qrels, "qrels"), ranked)
    chosen = contributors(params.contributors, snakemake.input.deep)
    poolings = [Pooling("Depth", depth=depth) for depth in sorted(params.depths)]
    poolings += [Pooling(**options) for options in params.fused]
    sizes = pool_sizes(
        ranked, judged, poolings, contributors=chosen, scores=run_scores(runs, ranked)
    )
    write_table(sizes, snakemake.output.sizes, "pools/sizes", made_by)
    votes = []
    for depth in params.votes:
        pooling = Pooling("Depth", depth=depth)
        table = multiplicities(make_pool(ranked, pooling, contributors=chosen), judged)
        votes.append(table.assign(pooling=str(pooling)))
    write_table(pd.concat(votes), snakemake.output.votes, "pools/votes", made_by)
