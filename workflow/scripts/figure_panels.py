"""Figures 1–9: α of cuts, one panel per method."""

from job import job

from regrade.show.style import save
from regrade.studies.han2019.figures import PUBLISHED, Panel
from regrade.tables import read_table

with job(snakemake):
    params = snakemake.params
    best = read_table(snakemake.input.best_cuts, "cuts/best_cuts").to_pandas()
    top = read_table(snakemake.input.top_cuts, "cuts/top_cuts").to_pandas()
    panels = [
        Panel(method, reference, read_table(path).to_pandas(), best, top, params.source)
        for (method, reference), path in zip(params.panels, snakemake.input.alpha, strict=True)
    ]
    save(PUBLISHED[params.figure].draw(panels, params.notes), *snakemake.output)
