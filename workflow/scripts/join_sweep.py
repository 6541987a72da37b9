"""A sweep put together: what holds in all universes, and which choice decides."""

from pathlib import Path

from regrade.sweeps.jobs import join_parts, read_design
from regrade.sweeps.store import Store
from regrade.workflow.job import job, parameters, request_of

with job(snakemake):
    inputs, params, made = snakemake.input, snakemake.params, snakemake.output
    sweep = read_design(inputs, request_of(snakemake))
    store = Store(Path(made.universes).parent, params.code_of_parts)
    join_parts(sweep, inputs, store, made, parameters(snakemake))
