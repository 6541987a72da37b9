"""Mixed models of the scores: system and depth fixed, topic random."""

from job import job, parameters

from regrade.choices import REPLICATES
from regrade.comparisons.mixed import mixed_models
from regrade.tables import read_table, write_table

with job(snakemake):
    params, made_by = snakemake.params, {**parameters(snakemake), "note": REPLICATES}
    scores = read_table(snakemake.input[0], "pools/scores").to_pandas()
    models = mixed_models(scores, params.random, params.depths, params.at_depth)
    for part in ("coefficients", "tests", "variances"):
        path = snakemake.output[part]
        write_table(getattr(models, part), path, f"ancova/mixed_{part}", made_by)
