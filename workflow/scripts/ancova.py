"""Analysis of covariance of the scores on pool depth, topic and system."""

import pandas as pd
from job import job, parameters

from regrade.comparisons.ancova import ancova, residual_diagnostics
from regrade.tables import read_table, write_table

with job(snakemake):
    params, made_by = snakemake.params, parameters(snakemake)
    scores = read_table(snakemake.input[0], "pools/scores").to_pandas()
    scores = scores[scores["depth"].isin(params.depths)]
    effects = [
        ancova(
            scores, interactions=interactions, ss_type=params.ss_type, contrasts=params.contrasts
        ).assign(model=model)
        for model, interactions in (("main effects", False), ("interactions", True))
    ]
    write_table(pd.concat(effects), snakemake.output.effects, "ancova/effects", made_by)
    diagnostics = residual_diagnostics(scores)
    write_table(diagnostics, snakemake.output.diagnostics, "ancova/diagnostics", made_by)
