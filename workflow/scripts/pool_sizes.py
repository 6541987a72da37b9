"""Sizes of pools, and their documents by number of votes."""

import pandas as pd

from regrade.codes import read_chunks
from regrade.pools.options import VOTE_SHARES
from regrade.pools.pooling import (
    Pooling,
    add_multiplicities,
    as_judged,
    contributors,
    join_sizes,
    make_pool,
    multiplicities,
    pool_facts,
    pool_sizes,
)
from regrade.tables import write_table
from regrade.workflow.job import chunk_bytes, job, parameters

with job(snakemake):
    given, params, made_by = snakemake.input, snakemake.params, parameters(snakemake)
    chosen = contributors(params.contributors, given.deep)
    depths = sorted(as_judged(params.depths, given.deep))
    poolings = [Pooling("Depth", depth=depth) for depth in depths]
    poolings += [Pooling.read(text) for text in params.fused]
    votes = as_judged(params.votes, given.deep, VOTE_SHARES)
    voted = [Pooling("Depth", depth=depth) for depth in votes]
    sizes, votes = [], {str(pooling): [] for pooling in voted}
    for ranked, judged in read_chunks(
        given.runs, given.qrels, scores=True, max_bytes=chunk_bytes(snakemake)
    ):
        sizes.append(
            pool_sizes(ranked, judged, poolings, contributors=chosen, scores=ranked.scores)
        )
        for pooling in voted:
            pool = make_pool(ranked, pooling, contributors=chosen)
            votes[str(pooling)].append(multiplicities(pool, judged))
        systems = len(ranked.systems if chosen is None else chosen)
    sizes = join_sizes(sizes)
    write_table(sizes, snakemake.output.sizes, "pools/sizes", made_by)
    write_table(pool_facts(sizes, systems), snakemake.output.facts, "pools/facts", made_by)
    votes = [add_multiplicities(part).assign(pooling=name) for name, part in votes.items()]
    write_table(pd.concat(votes), snakemake.output.votes, "pools/votes", made_by)
