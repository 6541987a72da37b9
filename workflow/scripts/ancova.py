"""Analysis of covariance of the scores on pool depth, topic and system."""

from regrade.choices import REPLICATES
from regrade.pools.options import ANCOVA_SHARES
from regrade.pools.pooling import as_judged
from regrade.significance.ancova import ancova_of_models, residual_diagnostics
from regrade.tables import read_table, write_table
from regrade.workflow.job import job, parameters

with job(snakemake):
    params, made_by = snakemake.params, {**parameters(snakemake), "note": REPLICATES}
    scores = read_table(snakemake.input.scores, "pools/scores").to_pandas()
    deep = read_table(snakemake.input.deep, "pools/deeply_judged")
    depths = as_judged(params.depths, deep, ANCOVA_SHARES)
    at_depth = as_judged(params.at_depth, deep, None)
    effects = ancova_of_models(scores, depths, at_depth)
    write_table(effects, snakemake.output.effects, "ancova/effects", made_by)
    diagnostics = residual_diagnostics(scores[scores["depth"].isin(depths)])
    write_table(diagnostics, snakemake.output.diagnostics, "ancova/diagnostics", made_by)
