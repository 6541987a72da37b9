"""The labels of a crowd that cuts are compared with: one of each document, on the target scale."""

from job import job, parameters

from regrade.aggregation import aggregate, vote_of
from regrade.tables import read_table, write_table

with job(snakemake):
    params = snakemake.params
    how = params.aggregate["reference"] or vote_of(params.levels)
    for crowd, path in zip(snakemake.input, snakemake.output, strict=True):
        labels = aggregate(read_table(crowd), how, params.levels, repeats=params.repeats)
        write_table(labels, path, "qrels", parameters(snakemake))
