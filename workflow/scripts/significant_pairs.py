"""Tests of all pairs of systems under whole sets of labels."""

from regrade.readers.groups import read_groups
from regrade.scoring import Scores
from regrade.significance.discrimination import compare_under, ratios_by_pairs, significance_curve
from regrade.tables import read_table, write_tables
from regrade.workflow.job import job, parameters

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    scores = {
        name: Scores.from_table(read_table(path, "scores"))
        for name, path in zip(params.qrels, given.scores, strict=True)
    }
    pairs = compare_under(scores, params.test, correction=params.correction, seed=params.seed)
    groups = None
    if given.groups:
        read = read_groups(given.groups)
        groups = dict(zip(read["system"], read["group"], strict=True))
    tables = {
        "pairs": pairs,
        "ratios": ratios_by_pairs(pairs, groups, significance=params.significance),
        "curve": significance_curve(pairs),
    }
    write_tables(tables, snakemake.output, "significance", parameters(snakemake))
