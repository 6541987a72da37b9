"""The qrels restricted to a pool of a depth."""

from job import contributors, job, parameters

from regrade.pools.pooling import Pooling, make_pool, qrels_table
from regrade.ranked import Judged, RankedLists
from regrade.tables import read_table, write_table

with job(snakemake):
    params = snakemake.params
    ranked = RankedLists.from_table(read_table(snakemake.input.runs, "runs"))
    judged = Judged.from_table(read_table(snakemake.input.qrels, "qrels"), ranked)
    chosen = contributors(params.contributors, snakemake.input.deep)
    pool = make_pool(ranked, Pooling("Depth", depth=int(params.depth)), contributors=chosen)
    table = qrels_table(pool.reduce(judged), ranked)
    write_table(table, snakemake.output[0], "qrels", parameters(snakemake))
