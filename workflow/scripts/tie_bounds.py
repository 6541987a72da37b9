"""Worst-case bounds of banded rankings, for the measures that have them."""

from regrade.measures import parse
from regrade.tables import write_table
from regrade.tied_scores.bounds import worst_case_bounds
from regrade.workflow.job import job, parameters

with job(snakemake):
    bounded = [m for m in map(parse, snakemake.params.measures) if m.name in ("RR", "RBP")]
    table = worst_case_bounds(snakemake.params.rho, bounded)
    write_table(table, snakemake.output[0], "ties/bounds", parameters(snakemake))
