"""Simulate a crowd's judgments of the pool."""

from job import job, parameters

from regrade.simulation import SimulationParameters, crowd_parameters, simulate_judgments
from regrade.tables import read_table, write_table

with job(snakemake):
    given = {k: v for k, v in snakemake.params.simulation.items() if k != "base"}
    table = simulate_judgments(
        read_table(snakemake.input.runs, "runs"),
        read_table(snakemake.input.base, "qrels"),
        snakemake.params.name,
        snakemake.params.levels,
        SimulationParameters.from_dict({**given, "base_levels": snakemake.params.base_levels}),
        crowd_parameters(snakemake.params.levels, snakemake.params.crowd),
    )
    write_table(
        table, snakemake.output[0], "judgments", {"simulated": True, **parameters(snakemake)}
    )
