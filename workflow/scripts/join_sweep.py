"""A sweep put together: what holds in all universes, and which choice decides."""

from regrade.sweeps.jobs import join_parts, read_design
from regrade.workflow.job import job, parameters

with job(snakemake):
    sweep = read_design(snakemake.input, snakemake.params)
    join_parts(sweep, snakemake.input, snakemake.output, parameters(snakemake))
