"""Score every run under one qrels."""

from job import job, parameters

from regrade.ranked import Judged, RankedLists
from regrade.scoring import score_table
from regrade.tables import read_table, write_table

with job(snakemake):
    ranked = RankedLists.from_table(read_table(snakemake.input.runs, "runs"))
    judged = Judged.from_table(read_table(snakemake.input.qrels, "qrels"), ranked)
    scores = score_table(
        ranked, judged, snakemake.params.measures, max_grade=snakemake.params.max_grade
    )
    write_table(scores, snakemake.output[0], "scores", parameters(snakemake))
