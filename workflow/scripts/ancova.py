"""Analysis of covariance of the scores on pool depth, topic and system."""

from job import job, parameters

from regrade.comparisons.ancova import ancova, residual_diagnostics
from regrade.tables import read_table, write_table

with job(snakemake):
    params, made_by = snakemake.params, parameters(snakemake)
    scores = read_table(snakemake.input[0], "pools/scores").to_pandas()
    scores = scores[scores["depth"].isin(params.depths)]
    model = {"ss_type": params.ss_type, "contrasts": params.contrasts}
    write_table(ancova(scores, **model), snakemake.output.effects, "ancova/effects", made_by)
    main = ancova(scores, interactions=False, **model)
    write_table(main, snakemake.output.main, "ancova/effects", made_by)
    diagnostics = residual_diagnostics(scores)
    write_table(diagnostics, snakemake.output.diagnostics, "ancova/diagnostics", made_by)
