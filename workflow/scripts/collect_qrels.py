"""Read expert judgments into a table."""

from job import job, parameters

from regrade.aggregation import made_binary
from regrade.readers.qrels import read_qrels
from regrade.tables import write_table

with job(snakemake) as log:
    qrels = read_qrels(
        snakemake.input[0],
        levels=snakemake.params.levels,
        topics=snakemake.params.topics,
        format=snakemake.params.format,
        column=snakemake.params.column,
    )
    if snakemake.params.relevant_from is not None:
        qrels = made_binary(qrels, snakemake.params.relevant_from)
    log.info("read %d judged documents", qrels.num_rows)
    write_table(qrels, snakemake.output[0], "qrels", parameters(snakemake))
