"""Mixed models of the scores: system and depth fixed, topic random."""

from regrade.choices import REPLICATES
from regrade.pools.options import ANCOVA_SHARES
from regrade.pools.pooling import as_judged
from regrade.significance.mixed import mixed_models
from regrade.tables import read_table, write_table
from regrade.workflow.job import job, parameters

with job(snakemake):
    params, made_by = snakemake.params, {**parameters(snakemake), "note": REPLICATES}
    scores = read_table(snakemake.input.scores, "pools/scores").to_pandas()
    deep = read_table(snakemake.input.deep, "pools/deeply_judged")
    depths = as_judged(params.depths, deep, ANCOVA_SHARES)
    at_depth = as_judged(params.at_depth, deep, None)
    models = mixed_models(scores, depths, at_depth)
    for part in ("coefficients", "tests", "variances"):
        path = snakemake.output[part]
        write_table(getattr(models, part), path, f"ancova/mixed_{part}", made_by)
