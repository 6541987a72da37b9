"""Tests of all pairs of systems under each pool."""

from job import job, parameters

from regrade.comparisons.discrimination import (
    compare_depths,
    p_trends,
    significance_curve,
    trend_counts,
)
from regrade.pools.scores import from_frame
from regrade.schemas import SCHEMAS
from regrade.tables import read_table, write_table

with job(snakemake):
    params = snakemake.params
    scores = from_frame(read_table(snakemake.input[0], "pools/scores").to_pandas())
    randomised = {"permutations": params.permutations, "seed": params.seed}
    table = compare_depths(
        {depth: scores[depth] for depth in sorted(params.depths)},
        params.test,
        correction=params.correction,
        **randomised,
    )
    made_by = parameters(snakemake)
    write_table(table, snakemake.output.pairs, "discrimination/pairs", made_by)
    shallow = [depth for depth in params.depths if depth != params.reference]
    trends = trend_counts(p_trends(table, shallow, alpha=params.significance))
    write_table(trends, snakemake.output.trends, "discrimination/trends", made_by)
    curve = significance_curve(table)[SCHEMAS["discrimination/curve"].names]
    write_table(curve, snakemake.output.curve, "discrimination/curve", made_by)
