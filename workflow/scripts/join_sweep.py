"""A sweep put together: what holds in all universes, and which choice decides."""

from job import job, parameters

from regrade.sweeps.jobs import join_parts, read_design

with job(snakemake):
    sweep = read_design(snakemake.input, snakemake.params)
    join_parts(sweep, snakemake.input, snakemake.output, parameters(snakemake))
