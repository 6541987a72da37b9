"""Mixed models of the scores: system and depth fixed, topic random."""

from job import job, parameters

from regrade.comparisons.ancova import mixed_model
from regrade.tables import read_table, write_table

with job(snakemake):
    scores = read_table(snakemake.input[0], "pools/scores").to_pandas()
    models = mixed_model(scores[scores["depth"].isin(snakemake.params.depths)])
    for part in ("coefficients", "tests", "variances"):
        table, path = getattr(models, part), snakemake.output[part]
        write_table(table, path, f"mixed_{part}", parameters(snakemake))
