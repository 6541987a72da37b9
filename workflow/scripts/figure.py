"""A figure of a study."""

from importlib import import_module

from regrade.show.item_tables import read_item
from regrade.show.published import read_beside
from regrade.show.style import save
from regrade.workflow.job import job

with job(snakemake):
    params = snakemake.params
    draw = getattr(import_module(params.module), params.function)
    of_item = params.tables, snakemake.input, params.rows
    tables = read_item(*of_item, draw, params.settings)
    beside = read_beside(snakemake.input.get("published"))
    save(draw(*tables, **params.settings, **beside), *snakemake.output, notes=params.notes)
