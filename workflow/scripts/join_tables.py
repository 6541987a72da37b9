"""A table of several collections and items as one."""

from regrade.joined import join_tables
from regrade.workflow.job import job

with job(snakemake) as log:
    params = snakemake.params
    rows = join_tables(snakemake.input, params.labels, params.table, snakemake.output[0])
    log.info("%d tables, %d rows", len(snakemake.input), rows)
