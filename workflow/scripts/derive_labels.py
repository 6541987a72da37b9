"""Labels under chosen cuts as a set of the collection."""

from regrade.cutsearch.labels import read_labelling
from regrade.tables import write_table
from regrade.workflow.job import job, parameters

with job(snakemake):
    judgments, labelling = read_labelling(snakemake.input, snakemake.params.how)
    labels = labelling.labels(judgments)
    write_table(labels, snakemake.output[0], "qrels", parameters(snakemake))
