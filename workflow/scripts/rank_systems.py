"""The systems in order of their mean scores under one qrels."""

from regrade.scoring import ranked_systems
from regrade.tables import read_table, write_csv
from regrade.workflow.job import job

with job(snakemake):
    scores = read_table(snakemake.input[0], "scores")
    write_csv(ranked_systems(scores), snakemake.output[0])
