"""The cut of each judge, and what a cut loses where another judge, topic or set uses it."""

import pandas as pd
from job import job, parameters

from regrade.schemas import SCHEMAS
from regrade.tables import read_table, write_table
from regrade.trust.asked import read_searches, read_teachers, search_together, searches_again
from regrade.trust.judges import judge_tables, why_no_judges
from regrade.trust.transfer import Lent, transfer_table

with job(snakemake) as log:
    given, params = snakemake.input, snakemake.params
    read = read_searches(given, params)
    ranking = {key: read[key] for key in ("ranked", "experts", "measure", "pool")}
    others = read_teachers(given.other_judgments, given.other_references, params.others, ranking)
    named = zip(params.collections, given.collections, strict=True)
    tables = {name: read_table(path).to_pandas() for name, path in named}
    drawn = {key: params[key] for key in ("minimum", "most", "splits", "seed")}
    made = {
        name: [pd.DataFrame(columns=SCHEMAS[f"cuts/{name}"].names)]
        for name in ("judges", "transfer")
    }
    for asked, (label, search) in zip(params.searches, searches_again(**read), strict=True):
        key = search.prepared.method.name, label
        log.info("transfer: %s %s", key[0], label or "")
        lent = Lent.of(search)
        alike = {name: Lent.of(found[key]) for name, found in others.items() if key in found}
        found = [transfer_table(lent, params.transformation, label, params.between, alike, tables)]
        if "workers" in params.between:
            together = None
            if why_no_judges(search) is None:
                how = {name: value for name, value in read.items() if name != "searches"}
                together = search_together(search, asked=asked, **how)
            of_judges = judge_tables(lent, together, label, **drawn, threads=snakemake.threads)
            made["judges"].append(of_judges["judges"])
            found.append(of_judges["transfer"])
        made["transfer"] += found
    for name, parts in made.items():
        whole = pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)
        log.info("%s: %d rows", name, len(whole))
        write_table(whole, snakemake.output[name], f"cuts/{name}", parameters(snakemake))
