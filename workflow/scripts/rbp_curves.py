"""RBP and its residual over φ, and how alike RBP and other measures rank the systems."""

from regrade.codes import read_chunks
from regrade.scoring import concat, score
from regrade.tables import write_table
from regrade.uncertainty.residuals import EXPECTED_DEPTHS, phi_of_depth, rbp_curves, tau_by_phi
from regrade.workflow.job import chunk_bytes, job, parameters

with job(snakemake):
    given, params, made_by = snakemake.input, snakemake.params, parameters(snakemake)
    phis = [phi_of_depth(depth) for depth in EXPECTED_DEPTHS]
    measures, highest = ["RBP", *params.measures], params.max_grade
    curves, scores = [], []
    for ranked, judged in read_chunks(given.runs, given.qrels, max_bytes=chunk_bytes(snakemake)):
        curves.append(rbp_curves(ranked, judged, phis, measures, max_grade=highest))
        scores.append(score(ranked, judged, params.measures, max_grade=highest))
    curves = [concat(parts) for parts in zip(*curves, strict=True)]
    write_table(curves[0].to_frame(), snakemake.output.curves, "residuals/rbp", made_by)
    tau = tau_by_phi(curves, concat(scores))
    write_table(tau, snakemake.output.tau, "residuals/tau_by_phi", made_by)
