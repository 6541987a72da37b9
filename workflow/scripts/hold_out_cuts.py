"""Cuts judged on what they were not chosen on, by α and by τ_b."""

import pandas as pd
from job import job, parameters

from regrade.aggregation import aggregate
from regrade.tables import write_table
from regrade.trust.asked import read_searches, searches_again, source_values
from regrade.trust.held_out import held_out_by_tau, held_out_tables, scores_under_cuts

with job(snakemake) as log:
    params = snakemake.params
    read = read_searches(snakemake.input, params)
    how = {"repeats": params.splits, "seed": params.seed, "threads": snakemake.threads}
    made = []
    of_judgments = [split for split in params.held_out if split != "systems"]
    for label, search in searches_again(**read):
        log.info("hold out: %s %s", search.prepared.method.name, label or "")
        made.append(held_out_tables(search, label, of_judgments, **how))
    if read["ranked"] is not None:
        source = params.aggregate["source"]
        labels = aggregate(read["judgments"], source, repeats=params.repeats)
        for expert, qrels in read["experts"].items():
            log.info("hold out: tau %s", expert)
            own = {key: read[key] for key in ("ranked", "scale", "levels", "measure")}
            own |= {"values": source_values(read["judgments"]), "grid": params.grid}
            found = scores_under_cuts(labels, qrels, **own, threads=snakemake.threads)
            if found is not None:
                made.append(held_out_by_tau(*found, expert, params.held_out, **how))
    for name in ("held_out", "held_out_topics"):
        whole = pd.concat([tables[name] for tables in made], ignore_index=True)
        write_table(whole, snakemake.output[name], f"cuts/{name}", parameters(snakemake))
