"""One label per document from a set's judgments."""

from regrade.magnitudes.normalising import aggregated_labels, normalise
from regrade.scales import Scale
from regrade.tables import read_table, write_table
from regrade.workflow.job import job, parameters

with job(snakemake):
    how = snakemake.params.how
    judgments = read_table(snakemake.input[0], "judgments")
    if how["normalise"] != "none":
        judgments = normalise(judgments, how["normalise"], how["shift"])
    scale = Scale.of(snakemake.params.scale)
    labels = aggregated_labels(judgments, how["aggregate"], scale=scale)
    write_table(labels, snakemake.output[0], "qrels", parameters(snakemake))
