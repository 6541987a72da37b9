"""The φ whose RBP ranks the systems most like each measure, per topic and over all."""

from regrade.codes import read_chunks
from regrade.pools.pooling import contributors
from regrade.scoring import score
from regrade.tables import write_table
from regrade.uncertainty.residuals import (
    PHI_GRID,
    nearest_phi_of_parts,
    rbp_curves,
    summarise_nearest,
)
from regrade.workflow.job import chunk_bytes, job, parameters

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    chosen = contributors(params.contributors, given.deep)
    measures, highest = params.measures, params.max_grade
    parts = (
        (
            rbp_curves(ranked, judged, PHI_GRID, measures, max_grade=highest, systems=chosen),
            score(ranked, judged, measures, max_grade=highest),
        )
        for ranked, judged in read_chunks(given.runs, given.qrels, max_bytes=chunk_bytes(snakemake))
    )
    table = nearest_phi_of_parts(parts)
    made_by = parameters(snakemake)
    write_table(table, snakemake.output.nearest, "residuals/nearest_phi", made_by)
    write_table(
        summarise_nearest(table), snakemake.output.summary, "residuals/nearest_summary", made_by
    )
