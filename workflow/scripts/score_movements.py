"""How scores under shallow pools differ from those under the baseline pool."""

from regrade.pools.pooling import as_judged
from regrade.pools.scores import from_frame
from regrade.tables import read_table, write_table
from regrade.uncertainty.movements import movement_correlations, movement_shares, score_movements
from regrade.workflow.job import job, parameters

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    scores = from_frame(read_table(given.scores, "pools/scores").to_pandas())
    baseline = as_judged(params.baseline, given.deep, None)
    shallow = [depth for depth in as_judged(params.depths, given.deep) if depth != baseline]
    table = score_movements(
        {depth: scores[depth].to_table() for depth in shallow},
        scores[baseline].to_table(),
        residual=params.residual,
    )
    made_by = parameters(snakemake)
    write_table(table, snakemake.output.movements, "pools/movements", made_by)
    shares = movement_shares(table)
    write_table(shares, snakemake.output.shares, "pools/movement_shares", made_by)
    correlations = movement_correlations(table)
    write_table(correlations, snakemake.output.correlations, "pools/movement_correlations", made_by)
