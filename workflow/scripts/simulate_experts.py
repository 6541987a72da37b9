"""Simulate experts who re-judge a part of the pool."""

from regrade.simulation.judgments import ExpertParameters, read_base, simulate_experts
from regrade.tables import write_table
from regrade.workflow.job import job, parameters

with job(snakemake):
    params = snakemake.params
    base = read_base(snakemake.input, params)
    table = simulate_experts(**base, experts=ExpertParameters.from_dict(params.experts))
    made_by = {"simulated": True, **parameters(snakemake)}
    write_table(table, snakemake.output[0], "qrels", made_by)
