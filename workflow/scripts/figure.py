"""A figure of a study."""

from importlib import import_module

from job import job

from regrade.show.shown import read_shown
from regrade.show.style import save

with job(snakemake):
    params = snakemake.params
    draw = getattr(
        import_module(f"regrade.studies.{params.study}.{params.module}"), params.function
    )
    shown = read_shown(params.tables, snakemake.input, params.rows)
    save(draw(*shown, **params.settings, notes=params.notes), *snakemake.output)
