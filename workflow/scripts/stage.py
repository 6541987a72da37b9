"""A job of a declared stage: read tables and arrays, call its function, write tables."""

from regrade.workflow.job import job
from regrade.workflow.stage_job import run

with job(snakemake):
    run(snakemake)
