"""Cuts chosen without a topic's labels, and how many labels find one."""

import pandas as pd

from regrade.catalogue import columns_of
from regrade.tables import write_table
from regrade.trust.budget import budget_table
from regrade.trust.rules import unlabelled_table
from regrade.trust.searches import read_ranked, read_teachers
from regrade.workflow.job import job, parameters

with job(snakemake) as log:
    params = snakemake.params
    given = snakemake.input
    source = read_ranked(given, params)
    taught_by = given.other_judgments, given.other_references, params.others
    teachers = read_teachers(*taught_by, source)
    made = {
        name: [pd.DataFrame(columns=columns_of(f"cuts/{name}"))]
        for name in ("unlabelled", "budget")
    }
    drawn = {"samples": params.samples, "seed": params.seed, "threads": snakemake.threads}
    for label, search in source.searches(params.searches):
        method = search.plan.method
        log.info("without labels, and with few: %s %s", method.name, label or "")
        others = {
            name: found[method.name, label]
            for name, found in teachers.items()
            if (method.name, label) in found
        }
        if method.needs_reference and params.unlabelled:
            made["unlabelled"].append(unlabelled_table(search, label, others, params.seed))
        if params.budget:
            budget = budget_table(search, label, params.budget, **drawn)
            made["budget"].append(budget)
    for name, tables in made.items():
        whole = pd.concat(tables, ignore_index=True)
        write_table(whole, snakemake.output[name], f"cuts/{name}", parameters(snakemake))
