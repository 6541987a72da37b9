"""Sizes of pools, and their documents by number of votes."""

import pandas as pd
from job import contributors, job, parameters

from regrade.codes import read_coded
from regrade.pools.pooling import Pooling, make_pool, multiplicities, pool_facts, pool_sizes
from regrade.tables import write_table

with job(snakemake):
    params, made_by = snakemake.params, parameters(snakemake)
    ranked, judged = read_coded(snakemake.input.runs, snakemake.input.qrels, scores=True)
    chosen = contributors(params.contributors, snakemake.input.deep)
    poolings = [Pooling("Depth", depth=depth) for depth in sorted(params.depths)]
    poolings += [Pooling(**options) for options in params.fused]
    sizes = pool_sizes(ranked, judged, poolings, contributors=chosen, scores=ranked.scores)
    write_table(sizes, snakemake.output.sizes, "pools/sizes", made_by)
    systems = len(ranked.systems if chosen is None else chosen)
    write_table(pool_facts(sizes, systems), snakemake.output.facts, "pools/facts", made_by)
    votes = []
    for depth in params.votes:
        pooling = Pooling("Depth", depth=depth)
        table = multiplicities(make_pool(ranked, pooling, contributors=chosen), judged)
        votes.append(table.assign(pooling=str(pooling)))
    write_table(pd.concat(votes), snakemake.output.votes, "pools/votes", made_by)
