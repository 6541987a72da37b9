"""Another set's judgments, normalised unit by unit; of labels one per document."""

from regrade.magnitudes.normalising import aggregated_labels, normalise
from regrade.scales import Scale
from regrade.tables import read_table, write_table
from regrade.workflow.job import job, parameters

with job(snakemake):
    how, params = snakemake.params.how, snakemake.params
    made = read_table(snakemake.input[0], "judgments")
    if params.kind == "judgments" or how["normalise"] != "none":
        made = normalise(made, how["normalise"], how["shift"])
    if params.kind == "qrels":
        made = aggregated_labels(made, how["aggregate"], scale=Scale.of(params.scale))
    write_table(made, snakemake.output[0], params.kind, parameters(snakemake))
