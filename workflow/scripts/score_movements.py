"""How scores under shallow pools differ from those under the reference pool."""

from job import job, parameters

from regrade.poolscores import from_frame
from regrade.residuals import movement_correlations, score_movements
from regrade.tables import read_table, write_table

with job(snakemake):
    params = snakemake.params
    scores = from_frame(read_table(snakemake.input[0], "pool_scores").to_pandas())
    table = score_movements(
        {depth: scores[depth].to_table() for depth in params.depths},
        scores[params.reference].to_table(),
        residual=params.residual,
    )
    made_by = parameters(snakemake)
    write_table(table, snakemake.output.movements, "score_movements", made_by)
    correlations = movement_correlations(table)
    write_table(correlations, snakemake.output.correlations, "movement_correlations", made_by)
