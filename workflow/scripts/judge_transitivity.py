"""What judges' answers about pairs are worth, and how often they go round in circles."""

from regrade.preferences.intransitivity import judge_table, transitivity_table
from regrade.preferences.posterior import recorded
from regrade.tables import read_table, write_tables
from regrade.workflow.job import job, parameters

with job(snakemake):
    params = snakemake.params
    judges = {
        name: recorded(read_table(path, "preferences"))
        for name, path in zip(params.judges, snakemake.input, strict=True)
    }
    worth = judge_table(judges)
    made = {
        "judges": worth,
        "transitivity": transitivity_table(
            judges,
            dict(zip(worth["judge"], worth["spread"], strict=True)),
            seed=params.seed,
            threads=snakemake.threads,
        ),
    }
    write_tables(made, snakemake.output, "pair-budgets", parameters(snakemake))
