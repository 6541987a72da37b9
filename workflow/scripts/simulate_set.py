"""Simulate experts who judge a part of the pool again, or a crowd's judgments of it."""

from regrade.simulation.crowds import crowd_parameters
from regrade.simulation.judgments import (
    ExpertParameters,
    read_base,
    simulate_experts,
    simulate_judgments,
)
from regrade.tables import write_table
from regrade.workflow.job import job, parameters

with job(snakemake):
    params = snakemake.params
    base = read_base(snakemake.input, params)
    if params.kind == "qrels":
        table = simulate_experts(**base, experts=ExpertParameters.from_dict(params.judges))
    else:
        table = simulate_judgments(**base, crowd=crowd_parameters(base["scale"], params.judges))
    made_by = {"simulated": True, **parameters(snakemake)}
    write_table(table, snakemake.output[0], params.kind, made_by)
