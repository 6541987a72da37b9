"""Scores of the contributing systems under pools of every depth."""

from job import contributors, job, parameters

from regrade.pools.scores import scores_by_depth, to_frame
from regrade.ranked import Judged, RankedLists
from regrade.tables import read_table, write_table

with job(snakemake):
    params = snakemake.params
    ranked = RankedLists.from_table(read_table(snakemake.input.runs, "runs"))
    judged = Judged.from_table(read_table(snakemake.input.qrels, "qrels"), ranked)
    scores = scores_by_depth(
        ranked,
        judged,
        params.depths,
        params.measures,
        contributors=contributors(params.contributors, snakemake.input.deep),
        max_grade=params.max_grade,
    )
    write_table(to_frame(scores), snakemake.output[0], "pools/scores", parameters(snakemake))
