"""The whole search again on data drawn anew: intervals, chosen cuts, and the plateau."""

import pandas as pd

from regrade.tables import write_table
from regrade.trust.bootstrap import bootstrap_tables
from regrade.trust.plateau import plateau_tables
from regrade.trust.searches import read_ranked
from regrade.workflow.job import job, parameters

with job(snakemake) as log:
    params, made = snakemake.params, {}
    for label, search in read_ranked(snakemake.input, params).searches(params.searches):
        drawn = {"resamples": params.resamples, "seed": params.seed}
        log.info("search again: %s %s", search.plan.method.name, label or "")
        tables = bootstrap_tables(
            search, label, params.bootstrap, **drawn, threads=snakemake.threads
        )
        for name, table in (tables | plateau_tables(search, label, **drawn)).items():
            made.setdefault(name, []).append(table)
    for name, tables in made.items():
        whole = pd.concat(tables, ignore_index=True)
        log.info("%s: %d rows", name, len(whole))
        write_table(whole, snakemake.output[name], f"cuts/{name}", parameters(snakemake))
