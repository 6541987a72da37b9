"""Simulate a crowd's judgments of the pool."""

from job import job, parameters

from regrade.codes import CodedRuns
from regrade.readers.text import keep_topics
from regrade.scales import Scale
from regrade.simulation.crowds import crowd_parameters
from regrade.simulation.judgments import simulate_judgments
from regrade.simulation.pool import SimulationParameters
from regrade.tables import read_table, write_table

with job(snakemake):
    scale = Scale.of(snakemake.params.scale)
    given = dict(snakemake.params.simulation)
    del given["base"]
    base = read_table(snakemake.input.base, "qrels")
    base = keep_topics(base, given.pop("topics"), snakemake.input.base)
    table = simulate_judgments(
        CodedRuns(snakemake.input.runs).ranked(
            base["topic"].unique().to_pylist(), submitted_ranks=True
        ),
        base,
        snakemake.params.name,
        scale,
        SimulationParameters.from_dict(given),
        crowd_parameters(scale, snakemake.params.crowd),
        Scale.of(snakemake.params.base_scale),
    )
    write_table(
        table, snakemake.output[0], "judgments", {"simulated": True, **parameters(snakemake)}
    )
