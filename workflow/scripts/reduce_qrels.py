"""The qrels restricted to a pool of a depth."""

import pyarrow as pa

from regrade.codes import read_chunks
from regrade.pools.pooling import Pooling, contributors, make_pool, qrels_table
from regrade.tables import read_table, write_table
from regrade.workflow.job import chunk_bytes, job, parameters

with job(snakemake) as log:
    inputs, params = snakemake.input, snakemake.params
    chosen = contributors(params.contributors, read_table(inputs.deep, "pools/deeply_judged"))
    pooling = Pooling("Depth", depth=int(params.depth))
    tables = []
    for ranked, judged in read_chunks(inputs.runs, inputs.qrels, max_bytes=chunk_bytes(snakemake)):
        reduced = make_pool(ranked, pooling, contributors=chosen).reduce(judged)
        lost = reduced.topics_without_judgments
        if lost:
            topics = ", ".join(lost)
            log.warning("no judged document is left for topics %s: they have no row", topics)
        tables.append(qrels_table(reduced, ranked))
    table = pa.concat_tables(tables)
    write_table(table, snakemake.output[0], "qrels", parameters(snakemake))
