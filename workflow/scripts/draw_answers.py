"""The figures beneath the answers: each is drawn in less time than Python takes to start."""

from importlib import import_module

from regrade.show.item_tables import read_item, with_measures_named
from regrade.show.style import save
from regrade.workflow.job import job

with job(snakemake) as log:
    made, read = snakemake.output, iter(snakemake.input)
    for drawn, *paths in zip(snakemake.params.figures, made.svg, made.png, strict=True):
        log.info("%s", drawn["name"])
        keys, draw = drawn["schemas"], getattr(import_module(drawn["module"]), drawn["function"])
        files = {key: [next(read)] for key in keys}
        drawing = {"function": draw, "settings": drawn["settings"]}
        tables = read_item([(key, key, None) for key in keys], files, {}, **drawing)
        tables = [with_measures_named(table, drawn["measures"]) for table in tables]
        save(draw(*tables, **drawn["settings"]), *paths, notes=drawn["notes"])
