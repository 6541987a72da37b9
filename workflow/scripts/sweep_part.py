"""A part of a sweep: some of its labels under all other choices."""

from pathlib import Path

from regrade.sweeps.jobs import read_design, write_part
from regrade.sweeps.store import Store
from regrade.workflow.job import job, parameters, request_of

with job(snakemake):
    inputs, params = snakemake.input, snakemake.params
    sweep = read_design(inputs, request_of(snakemake))
    folder = Path(snakemake.output.universes).parents[2]
    write_part(
        sweep,
        sweep.parts(params.parts)[params.part],
        Store(folder, params.code),
        snakemake.output,
        parameters(snakemake),
    )
