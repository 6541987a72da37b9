"""Discriminative power and agreement of synthetic judgments whose quality is known."""

from job import job, parameters

from regrade.power.example import example_table
from regrade.power.needed import coverage_table
from regrade.power.synthetic import (
    Parameters,
    batch_table,
    consistency_table,
    quality_means,
    reliability_table,
)
from regrade.tables import write_table

with job(snakemake):
    params = snakemake.params
    drawn = Parameters(
        **{key: tuple(v) if isinstance(v, list) else v for key, v in params.drawn.items()}
    )
    how = {"doubt": params.doubt, "threads": snakemake.threads}
    batches = batch_table(drawn, params.grades, **how)
    made = {
        "batches": batches,
        "qualities": quality_means(batches),
        "consistency": consistency_table(batches),
        "reliability": reliability_table(
            drawn, params.sampled_grades, params.tests, repeats=params.repeats, **how
        ),
        "needed": coverage_table(seed=drawn.seed),
        "example": example_table(),
    }
    for name, table in made.items():
        write_table(table, snakemake.output[name], f"synthetic-power/{name}", parameters(snakemake))
