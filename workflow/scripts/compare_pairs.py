"""Tests of all pairs of systems under each pool."""

from regrade.pools.pooling import as_judged
from regrade.pools.scores import from_frame
from regrade.readers.groups import read_groups
from regrade.significance.discrimination import (
    agreement_with_baseline,
    compare_depths,
    p_trends,
    ratios_by_pairs,
    significance_curve,
    trend_counts,
)
from regrade.tables import read_table, write_table
from regrade.workflow.job import job, parameters

with job(snakemake):
    params = snakemake.params
    scores = from_frame(read_table(snakemake.input.scores, "pools/scores").to_pandas())
    depths = as_judged(params.depths, snakemake.input.deep)
    baseline = as_judged(params.baseline, snakemake.input.deep, None)
    table = compare_depths(
        {depth: scores[depth] for depth in sorted(depths)},
        params.test,
        correction=params.correction,
        seed=params.seed,
    )
    made_by, level = parameters(snakemake), {"significance": params.significance}
    write_table(table, snakemake.output.pairs, "discrimination/pairs", made_by)
    groups = None
    if snakemake.input.groups:
        read = read_groups(snakemake.input.groups)
        groups = dict(zip(read["system"], read["group"], strict=True))
    ratios = ratios_by_pairs(table, groups, **level)
    write_table(ratios, snakemake.output.ratios, "discrimination/ratios", made_by)
    agreement = agreement_with_baseline(table, baseline, **level)
    write_table(agreement, snakemake.output.agreement, "discrimination/agreement", made_by)
    trends = trend_counts(p_trends(table[table["depth"] != baseline], **level))
    write_table(trends, snakemake.output.trends, "discrimination/trends", made_by)
    curve = significance_curve(table)
    write_table(curve, snakemake.output.curve, "discrimination/curve", made_by)
