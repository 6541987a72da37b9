"""Expected scores of banded rankings, and tests of them."""

from job import job, parameters

from regrade.codes import read_coded
from regrade.ranked import JudgedLists
from regrade.tables import write_table
from regrade.ties.effects import (
    banded_p_values,
    banded_scores,
    count_non_inferior,
    non_inferiority,
    quadrants,
    top_systems,
)

with job(snakemake):
    params, made_by = snakemake.params, parameters(snakemake)
    ranked, judged = read_coded(snakemake.input.runs, snakemake.input.qrels)
    lists = JudgedLists.match(ranked, judged, params.max_grade)
    banded = banded_scores(ranked, lists, params.rho, params.measures, threads=snakemake.threads)
    chosen = top_systems(ranked, lists, params.systems or len(ranked.systems))
    banded = banded[banded["system"].isin(chosen)]
    write_table(banded, snakemake.output.scores, "ties/banded", made_by)
    tests = non_inferiority(banded, params.fractions)
    write_table(tests, snakemake.output.non_inferiority, "ties/non_inferiority", made_by)
    counts = count_non_inferior(tests, params.significance)
    write_table(counts, snakemake.output.non_inferior, "ties/non_inferior", made_by)
    p_values = banded_p_values(banded)
    write_table(p_values, snakemake.output.p_values, "ties/p_values", made_by)
    shares = quadrants(p_values, params.significance)
    write_table(shares, snakemake.output.quadrants, "ties/quadrants", made_by)
