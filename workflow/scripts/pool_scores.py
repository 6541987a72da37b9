"""Scores of the contributing systems under pools of every depth."""

from job import contributors, job, parameters

from regrade.codes import read_coded
from regrade.pools.scores import scores_by_depth, to_frame
from regrade.tables import write_table

with job(snakemake):
    params = snakemake.params
    ranked, judged = read_coded(snakemake.input.runs, snakemake.input.qrels)
    scores = scores_by_depth(
        ranked,
        judged,
        params.depths,
        params.measures,
        contributors=contributors(params.contributors, snakemake.input.deep),
        max_grade=params.max_grade,
    )
    write_table(to_frame(scores), snakemake.output[0], "pools/scores", parameters(snakemake))
