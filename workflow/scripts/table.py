"""A table of a study, beside the numbers that the study printed."""

from importlib import import_module

from regrade.show.item_tables import is_of_items, items_named, read_item
from regrade.show.published import read_beside, write_markdown
from regrade.tables import write_csv
from regrade.wording import about_items
from regrade.workflow.job import job

with job(snakemake):
    params = snakemake.params
    arrange = getattr(import_module(params.module), params.function)
    of_item = params.tables, snakemake.input, params.rows
    tables = read_item(*of_item, arrange, params.settings)
    beside = read_beside(snakemake.input.get("published"), params.published)
    tidy, readable = arrange(*tables, **params.settings, **beside)
    title = params.title
    if is_of_items(tables):
        readable, title = items_named(readable), about_items(title)
    write_csv(tidy, snakemake.output.csv)
    write_markdown(readable, snakemake.output.md, title, params.notes)
