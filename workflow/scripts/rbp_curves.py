"""RBP and its residual over φ, and how alike RBP and other measures rank the systems."""

from job import job, parameters

from regrade.codes import read_coded
from regrade.scoring import score
from regrade.tables import write_table
from regrade.uncertainty.residuals import phi_of_depth, rbp_curves, tau_by_phi

with job(snakemake):
    params, made_by = snakemake.params, parameters(snakemake)
    ranked, judged = read_coded(snakemake.input.runs, snakemake.input.qrels)
    phis = [phi_of_depth(depth) for depth in params.depths]
    measures = ["RBP", *params.measures]
    curves = rbp_curves(ranked, judged, phis, measures, max_grade=params.max_grade)
    write_table(curves[0].to_frame(), snakemake.output.curves, "residuals/rbp", made_by)
    scores = score(ranked, judged, params.measures, max_grade=params.max_grade)
    write_table(tau_by_phi(curves, scores), snakemake.output.tau, "residuals/tau_by_phi", made_by)
