"""The documents of a pool that each set has."""

from regrade.cutsearch.overlaps import overlaps
from regrade.tables import read_table, write_table
from regrade.workflow.job import job, parameters

with job(snakemake):
    params = snakemake.params
    sets = {
        name: read_table(path) for name, path in zip(params.levels, snakemake.input, strict=True)
    }
    table = overlaps(sets, params.pool, params.levels, set(params.simulated))
    write_table(table, snakemake.output[0], "overlaps/sets", parameters(snakemake))
