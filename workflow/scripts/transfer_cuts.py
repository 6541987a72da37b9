"""The cut of each judge, and what a cut loses where another judge, topic or set uses it."""

import pandas as pd

from regrade.catalogue import columns_of
from regrade.tables import read_table, write_table
from regrade.trust.judges import judge_tables, why_no_judges
from regrade.trust.searches import read_ranked, read_teachers
from regrade.trust.transfer import CutChoices, transfer_table
from regrade.workflow.job import job, parameters

with job(snakemake) as log:
    given, params = snakemake.input, snakemake.params
    source = read_ranked(given, params)
    taught_by = given.other_judgments, given.other_references, params.others
    others = read_teachers(*taught_by, source)
    named = zip(params.collections, given.collections, strict=True)
    tables = {name: read_table(path).to_pandas() for name, path in named}
    drawn = {key: params[key] for key in ("minimum", "seed")}
    made = {
        name: [pd.DataFrame(columns=columns_of(f"cuts/{name}"))] for name in ("judges", "transfer")
    }
    searches = source.searches(params.searches)
    for item, (label, search) in zip(params.searches, searches, strict=True):
        key = search.plan.method.name, label
        log.info("transfer: %s %s", key[0], label or "")
        choices = CutChoices.of(search)
        alike = {name: CutChoices.of(found[key]) for name, found in others.items() if key in found}
        found = [
            transfer_table(choices, params.transformation, label, params.between, alike, tables)
        ]
        if "workers" in params.between:
            pooled = source.pooled(search, item) if why_no_judges(search) is None else None
            of_judges = judge_tables(choices, pooled, label, **drawn, threads=snakemake.threads)
            made["judges"].append(of_judges["judges"])
            found.append(of_judges["transfer"])
        made["transfer"] += found
    for name, parts in made.items():
        whole = pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)
        log.info("%s: %d rows", name, len(whole))
        write_table(whole, snakemake.output[name], f"cuts/{name}", parameters(snakemake))
