"""One label per document from a crowd's judgments on the target scale."""

from job import job, parameters

from regrade.aggregation import aggregate
from regrade.tables import read_table, write_table

with job(snakemake):
    labels = aggregate(
        read_table(snakemake.input[0], "judgments"),
        snakemake.params.aggregate["reference"],
        snakemake.params.levels,
    )
    write_table(labels, snakemake.output[0], "qrels", parameters(snakemake))
