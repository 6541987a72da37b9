"""A table of a study, beside the numbers that the study printed."""

from importlib import import_module

from regrade.show.item_tables import read_shown
from regrade.show.published import read_beside, write_markdown
from regrade.tables import write_csv
from regrade.workflow.job import job

with job(snakemake):
    params = snakemake.params
    arrange = getattr(import_module(params.module), params.function)
    of_item = params.tables, snakemake.input, params.rows
    tables = read_shown(*of_item, arrange, params.settings)
    beside = read_beside(snakemake.input.get("published"), params.published)
    tidy, readable = arrange(*tables, **params.settings, **beside)
    write_csv(tidy, snakemake.output.csv)
    write_markdown(readable, snakemake.output.md, params.title, params.notes)
