"""Magnitudes beside labels: levels, order of pairs, discordant documents, gains."""

from regrade.answers.magnitudes import answered
from regrade.magnitudes.steps import MagnitudeOptions, label_tables
from regrade.tables import read_table, write_tables
from regrade.workflow.job import job, parameters

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    names = ("units", "topics", "normalised", "documents")
    made = {name: read_table(given[name], f"magnitudes/{name}") for name in names}
    levels = dict(params.levels)
    tables = [read_table(path, "qrels") for path in given.references]
    compared = label_tables(
        made, dict(zip(levels, tables, strict=True)), levels, MagnitudeOptions(**params.how)
    )
    if snakemake.output.get("answer"):  # no systems: nothing follows
        compared |= answered({**compared, "units": made["units"].to_pandas()}, params.how["shift"])
    write_tables(compared, snakemake.output, "magnitudes", parameters(snakemake))
