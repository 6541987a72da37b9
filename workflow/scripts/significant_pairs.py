"""Tests of all pairs of systems under whole sets of labels."""

from job import job, parameters

from regrade.comparisons.discrimination import compare_under, ratios_by_pairs, significance_curve
from regrade.readers.groups import read_groups
from regrade.schemas import SCHEMAS
from regrade.scoring import Scores
from regrade.tables import read_table, write_table

with job(snakemake) as log:
    given, params = snakemake.input, snakemake.params
    scores = {
        name: Scores.from_table(read_table(path, "scores"))
        for name, path in zip(params.qrels, given.scores, strict=True)
    }
    drawn = {"permutations": params.permutations, "seed": params.seed}
    pairs = compare_under(scores, params.test, correction=params.correction, **drawn)
    groups = None
    if given.groups:
        read = read_groups(given.groups)
        groups = dict(zip(read["system"], read["group"], strict=True))
    tables = {
        "pairs": pairs,
        "ratios": ratios_by_pairs(pairs, groups, significance=params.level),
        "curve": significance_curve(pairs)[SCHEMAS["significance/curve"].names],
    }
    for name, table in tables.items():
        log.info("%s: %d rows", name, len(table))
        write_table(table, snakemake.output[name], f"significance/{name}", parameters(snakemake))
