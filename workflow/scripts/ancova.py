"""Analysis of covariance of the scores on pool depth, topic and system."""

from job import job, parameters

from regrade.choices import ANCOVA_MODELS, REPLICATES
from regrade.comparisons.ancova import ancova_of_models, residual_diagnostics
from regrade.tables import read_table, write_table

with job(snakemake):
    params, made_by = snakemake.params, {**parameters(snakemake), "note": REPLICATES}
    scores = read_table(snakemake.input[0], "pools/scores").to_pandas()
    effects = ancova_of_models(
        scores,
        params.models,
        params.depths,
        params.at_depth,
        ss_type=params.ss_type,
        contrasts=params.contrasts,
    )
    write_table(effects, snakemake.output.effects, "ancova/effects", made_by)
    largest = [model for model in ANCOVA_MODELS if model in params.models][-1]
    diagnostics = residual_diagnostics(scores[scores["depth"].isin(params.depths)], largest)
    write_table(diagnostics, snakemake.output.diagnostics, "ancova/diagnostics", made_by)
