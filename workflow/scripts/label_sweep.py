"""A sweep of labels: which level each document gets, how labels agree, which choice decides."""

from regrade.sweeps.jobs import read_label_design
from regrade.sweeps.label_results import swept_labels
from regrade.tables import write_tables
from regrade.workflow.job import job, parameters

with job(snakemake):
    tables = swept_labels(read_label_design(snakemake.input, snakemake.params))
    write_tables(tables, snakemake.output, "label-sweeps", parameters(snakemake))
