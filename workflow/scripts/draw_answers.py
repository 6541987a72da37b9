"""The figures beneath the answers: each is drawn in less time than Python takes to start."""

from job import job

from regrade.show import answer_figures
from regrade.show.style import save
from regrade.tables import read_table

with job(snakemake) as log:
    made, read = snakemake.output, iter(snakemake.input)
    for drawn, *paths in zip(snakemake.params.figures, made.svg, made.png, strict=True):
        log.info("%s", drawn["name"])
        tables = [read_table(next(read), key).to_pandas() for key in drawn["schemas"]]
        draw = getattr(answer_figures, drawn["function"])
        save(draw(*tables, **drawn["settings"]), *paths, notes=drawn["notes"])
