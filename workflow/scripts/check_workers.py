"""How each worker agrees with the others, and with labels."""

from regrade.answers.workers import answered
from regrade.audit.crowd import fact_table, worker_table
from regrade.tables import read_table, write_tables
from regrade.workflow.job import job, parameters

with job(snakemake):
    given = snakemake.input
    judgments = read_table(given.judgments, "judgments")
    labels = read_table(given.reference[0], "qrels") if given.reference else None
    workers = worker_table(judgments, labels)
    tables = {"workers": workers, "facts": fact_table(judgments, workers)}
    tables |= answered(tables, snakemake.params.reference)
    write_tables(tables, snakemake.output, "workers", parameters(snakemake))
