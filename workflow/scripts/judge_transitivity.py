"""What judges' answers about pairs are worth, and how often they go round in circles."""

from job import job, parameters

from regrade.preferences.intransitivity import judge_table, transitivity_table
from regrade.preferences.posterior import recorded
from regrade.tables import read_table, write_table

with job(snakemake):
    params = snakemake.params
    judges = {
        name: recorded(read_table(path, "preferences"))
        for name, path in zip(params.judges, snakemake.input, strict=True)
    }
    worth = judge_table(judges, params.spread)
    made = {
        "judges": worth,
        "transitivity": transitivity_table(
            judges,
            dict(zip(worth["judge"], worth["spread"], strict=True)),
            draws=params.baselines,
            worlds=params.corrections,
            resamples=params.resamples,
            seed=params.seed,
            threads=snakemake.threads,
        ),
    }
    for name, table in made.items():
        write_table(table, snakemake.output[name], f"pair-budgets/{name}", parameters(snakemake))
