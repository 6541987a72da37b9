"""Score every run under one qrels."""

from job import job, parameters

from regrade.codes import read_coded
from regrade.scoring import score_table
from regrade.tables import write_table

with job(snakemake):
    ranked, judged = read_coded(snakemake.input.runs, snakemake.input.qrels)
    scores = score_table(
        ranked, judged, snakemake.params.measures, max_grade=snakemake.params.max_grade
    )
    write_table(scores, snakemake.output[0], "scores", parameters(snakemake))
