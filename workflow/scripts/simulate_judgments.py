"""Simulate a crowd's judgments of the pool."""

from regrade.simulation.crowds import crowd_parameters
from regrade.simulation.judgments import read_base, simulate_judgments
from regrade.tables import write_table
from regrade.workflow.job import job, parameters

with job(snakemake):
    params = snakemake.params
    base = read_base(snakemake.input, params)
    table = simulate_judgments(**base, crowd=crowd_parameters(base["scale"], params.crowd))
    made_by = {"simulated": True, **parameters(snakemake)}
    write_table(table, snakemake.output[0], "judgments", made_by)
