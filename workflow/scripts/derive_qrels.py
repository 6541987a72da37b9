"""One label per document from a set's judgments."""

from job import job, parameters

from regrade.magnitudes.documents import aggregated_labels
from regrade.magnitudes.normalising import normalise
from regrade.scales import Scale
from regrade.tables import read_table, write_table

with job(snakemake):
    how = snakemake.params.how
    judgments = read_table(snakemake.input[0], "judgments")
    if how["normalise"] != "none":
        judgments = normalise(judgments, how["normalise"], how["shift"])
    labels = aggregated_labels(judgments, how["aggregate"], repeats=how["repeats"])
    Scale.of(snakemake.params.scale).check(labels)
    write_table(labels, snakemake.output[0], "qrels", parameters(snakemake))
