"""Scores of documents from pairs as a set of labels."""

from regrade.preferences.document_scores import scores_as_labels
from regrade.scales import Scale
from regrade.tables import read_table, write_table
from regrade.workflow.job import job, parameters

with job(snakemake) as log:
    params = snakemake.params
    scores = read_table(snakemake.input[0], "preferences/scores").to_pandas()
    labels = scores_as_labels(scores, **params.how, scale=Scale.of(params.scale))
    without = (scores["method"] == params.how["method"]).sum() - len(labels)
    if without:
        log.warning("left out: %d documents without a value, or one to compare", without)
    write_table(labels, snakemake.output[0], "qrels", parameters(snakemake))
