"""Tests of all pairs of systems under each pool."""

from job import job, parameters

from regrade.discrimination import compare_depths
from regrade.poolscores import from_frame
from regrade.tables import read_table, write_table

with job(snakemake):
    params = snakemake.params
    scores = from_frame(read_table(snakemake.input[0], "pool_scores").to_pandas())
    randomised = {"permutations": params.permutations, "seed": params.seed}
    table = compare_depths(
        {depth: scores[depth] for depth in sorted(params.depths)},
        params.test,
        correction=params.correction,
        **randomised,
    )
    write_table(table, snakemake.output[0], "pairs", parameters(snakemake))
