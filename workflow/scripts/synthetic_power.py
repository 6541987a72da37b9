"""Discriminative power and agreement of synthetic judgments whose quality is known."""

from regrade.power.example import example_table
from regrade.power.sample_size import coverage_table
from regrade.power.synthetic import (
    SyntheticParameters,
    batch_table,
    consistency_table,
    quality_means,
    reliability_table,
)
from regrade.tables import write_tables
from regrade.workflow.job import job, parameters

with job(snakemake):
    params = snakemake.params
    drawn, threads = SyntheticParameters(**params.drawn), snakemake.threads
    batches = batch_table(drawn, params.grades, threads=threads)
    made = {
        "batches": batches,
        "qualities": quality_means(batches),
        "consistency": consistency_table(batches),
        "reliability": reliability_table(
            drawn, tests=params.tests, repeats=params.repeats, threads=threads
        ),
        "needed": coverage_table(seed=drawn.seed),
        "example": example_table(),
    }
    write_tables(made, snakemake.output, "synthetic-power", parameters(snakemake))
