"""Another set's judgments, normalised unit by unit."""

from regrade.magnitudes.normalising import normalise
from regrade.tables import read_table, write_table
from regrade.workflow.job import job, parameters

with job(snakemake):
    how = snakemake.params.how
    judgments = read_table(snakemake.input[0], "judgments")
    made = normalise(judgments, how["normalise"], how["shift"])
    write_table(made, snakemake.output[0], "judgments", parameters(snakemake))
