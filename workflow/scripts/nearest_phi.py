"""The φ whose RBP ranks the systems most like each measure, per topic and over all."""

from job import contributors, job, parameters

from regrade.codes import read_coded
from regrade.scoring import score
from regrade.tables import write_table
from regrade.uncertainty.residuals import PHI_GRID, nearest_phi, rbp_curves, summarise_nearest

with job(snakemake):
    params = snakemake.params
    ranked, judged = read_coded(snakemake.input.runs, snakemake.input.qrels)
    chosen = contributors(params.contributors, snakemake.input.deep)
    measures, highest = params.measures, params.max_grade
    curves = rbp_curves(ranked, judged, PHI_GRID, measures, max_grade=highest, systems=chosen)
    scores = score(ranked, judged, measures, max_grade=highest)
    table = nearest_phi(curves, scores, rbo_p=params.rbo_p)
    made_by = parameters(snakemake)
    write_table(table, snakemake.output.nearest, "residuals/nearest_phi", made_by)
    write_table(
        summarise_nearest(table), snakemake.output.summary, "residuals/nearest_summary", made_by
    )
