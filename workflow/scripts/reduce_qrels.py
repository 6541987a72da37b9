"""The qrels restricted to a pool of a depth."""

from job import contributors, job, parameters

from regrade.codes import read_coded
from regrade.pools.pooling import Pooling, make_pool, qrels_table
from regrade.tables import write_table

with job(snakemake) as log:
    params = snakemake.params
    ranked, judged = read_coded(snakemake.input.runs, snakemake.input.qrels)
    chosen = contributors(params.contributors, snakemake.input.deep)
    pool = make_pool(ranked, Pooling("Depth", depth=int(params.depth)), contributors=chosen)
    reduced = pool.reduce(judged)
    lost = reduced.topics_without_judgments
    if lost:
        log.warning("no judged document is left for topics %s: they have no row", ", ".join(lost))
    table = qrels_table(reduced, ranked)
    write_table(table, snakemake.output[0], "qrels", parameters(snakemake))
