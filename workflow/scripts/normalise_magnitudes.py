"""Units of magnitudes checked, their values normalised, one magnitude per document."""

from regrade.magnitudes.steps import MagnitudeOptions, unit_tables
from regrade.tables import read_table, write_tables
from regrade.workflow.job import job, parameters

with job(snakemake):
    given = snakemake.input
    known, reference = (
        read_table(paths[0], "qrels") if paths else None for paths in (given.known, given.reference)
    )
    judgments = read_table(given.judgments, "judgments")
    made = unit_tables(judgments, MagnitudeOptions(**snakemake.params.how), known, reference)
    write_tables(made, snakemake.output, "magnitudes", parameters(snakemake))
