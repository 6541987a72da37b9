"""Expected scores of banded rankings, and tests of them."""

from regrade.codes import read_chunks
from regrade.run_arrays import JudgedLists
from regrade.scoring import concat, score
from regrade.tables import write_table
from regrade.tied_scores.effects import (
    banded_p_values,
    count_non_inferior,
    highest_means,
    non_inferiority,
    quadrants,
    score_bands,
)
from regrade.workflow.job import chunk_bytes, job, parameters

with job(snakemake):
    given, params, made_by = snakemake.input, snakemake.params, parameters(snakemake)
    bands, ap = [], []
    for ranked, judged in read_chunks(given.runs, given.qrels, max_bytes=chunk_bytes(snakemake)):
        lists = JudgedLists.match(ranked, judged, params.max_grade)
        options = {"threads": snakemake.threads}
        bands.append(score_bands(ranked, lists, params.rho, params.measures, **options))
        ap.append(score(ranked, judged, ["AP"], max_grade=params.max_grade))
    banded, ap = concat(bands).to_frame(), concat(ap)
    chosen = highest_means(ap.systems, ap.values, params.systems or len(ap.systems))
    banded = banded[banded["system"].isin(chosen)]
    write_table(banded, snakemake.output.scores, "ties/banded", made_by)
    tests = non_inferiority(banded)
    write_table(tests, snakemake.output.non_inferiority, "ties/non_inferiority", made_by)
    counts = count_non_inferior(tests, params.significance)
    write_table(counts, snakemake.output.non_inferior, "ties/non_inferior", made_by)
    p_values = banded_p_values(banded)
    write_table(p_values, snakemake.output.p_values, "ties/p_values", made_by)
    shares = quadrants(p_values, params.significance)
    write_table(shares, snakemake.output.quadrants, "ties/quadrants", made_by)
