"""A figure of a study."""

from importlib import import_module

from job import job

from regrade.show.beside import read_published
from regrade.show.shown import read_shown
from regrade.show.style import save

with job(snakemake):
    params = snakemake.params
    draw = getattr(
        import_module(f"regrade.studies.{params.study}.{params.module}"), params.function
    )
    shown = read_shown(params.tables, snakemake.input, params.rows)
    path, settings = snakemake.input.get("published"), dict(params.settings)
    if path:
        settings["published"] = read_published(path)
    save(draw(*shown, **settings, notes=params.notes), *snakemake.output)
