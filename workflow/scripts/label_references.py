"""The labels of a crowd that cuts are compared with: one of each document, on the target scale."""

from regrade.cutsearch.sources import reference_labels
from regrade.tables import read_table, write_table
from regrade.workflow.job import job, parameters, request_of

with job(snakemake):
    for crowd, path in zip(snakemake.input, snakemake.output, strict=True):
        labels = reference_labels(read_table(crowd), request_of(snakemake))
        write_table(labels, path, "qrels", parameters(snakemake))
