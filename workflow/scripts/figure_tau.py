"""τ_b of every cut, and of the cuts that methods chose."""

from job import job

from regrade.measures import parse
from regrade.show.style import save
from regrade.studies.han2019.figures import TauPanel, figure_tau
from regrade.tables import read_table

with job(snakemake):
    tables = zip(
        snakemake.params.panels, snakemake.input.tau, snakemake.input.rankings, strict=True
    )
    panels = [
        TauPanel(
            expert,
            str(parse(measure)),
            read_table(tau).to_pandas(),
            read_table(rankings, "rankings").to_pandas(),
            source,
        )
        for (source, expert, measure), tau, rankings in tables
    ]
    save(figure_tau(panels, snakemake.params.notes), *snakemake.output)
