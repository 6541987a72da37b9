"""Per topic, the range of τ_b over every cut, and τ_b of the chosen cuts."""

from job import job

from regrade.show.style import save
from regrade.studies.han2019.figures import TauTopicsPanel, figure_tau_topics
from regrade.tables import read_table

with job(snakemake):
    params = snakemake.params
    table = read_table(snakemake.input[0], "cuts/tau_topics").to_pandas()
    panels = [
        TauTopicsPanel(method, reference, params.expert, table, params.source, params.levels)
        for method, reference in params.panels
    ]
    save(figure_tau_topics(panels, params.notes), *snakemake.output)
