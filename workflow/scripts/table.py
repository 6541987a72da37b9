"""A table of a study, beside the numbers that the study printed."""

from importlib import import_module

from job import job

from regrade.show.beside import read_published, write_csv, write_markdown
from regrade.show.shown import read_shown

with job(snakemake):
    params = snakemake.params
    arrange = getattr(
        import_module(f"regrade.studies.{params.study}.{params.module}"), params.function
    )
    beside = {}
    if snakemake.input.get("published"):
        beside["published"] = read_published(snakemake.input.published, params.published)
    shown = read_shown(params.tables, snakemake.input, params.rows)
    tidy, readable = arrange(*shown, **params.settings, **beside)
    write_csv(tidy, snakemake.output.csv)
    write_markdown(readable, snakemake.output.md, params.title, params.notes)
