"""One label per document from a crowd's judgments on the target scale."""

from job import job, parameters

from regrade.aggregation import aggregate, vote_of
from regrade.tables import read_table, write_table

with job(snakemake):
    params = snakemake.params
    labels = aggregate(
        read_table(snakemake.input[0], "judgments"),
        params.aggregate["reference"] or vote_of(params.levels),
        params.levels,
        repeats=params.repeats,
    )
    write_table(labels, snakemake.output[0], "qrels", parameters(snakemake))
