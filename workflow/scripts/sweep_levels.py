"""The choices of a sweep: its entries, the cuts that rules choose, what cannot be."""

from regrade.sweeps.jobs import read_design
from regrade.sweeps.sweep import level_tables
from regrade.tables import write_tables
from regrade.workflow.job import job, parameters

with job(snakemake):
    sweep = read_design(snakemake.input, snakemake.params)
    write_tables(level_tables(sweep), snakemake.output, "sweeps", parameters(snakemake))
