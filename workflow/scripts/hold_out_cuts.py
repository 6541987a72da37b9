"""Cuts judged on what they were not chosen on, by α and by τ_b."""

import pandas as pd

from regrade.aggregation import aggregate
from regrade.catalogue import columns_of
from regrade.tables import write_table
from regrade.trust.held_out import held_out_by_tau, held_out_tables, scores_under_cuts
from regrade.trust.searches import read_searches
from regrade.workflow.job import job, parameters

with job(snakemake) as log:
    params = snakemake.params
    searches = read_searches(snakemake.input, params)
    how = {"repeats": params.splits, "seed": params.seed, "threads": snakemake.threads}
    made = []
    of_judgments = [split for split in params.held_out if split != "systems"]
    for label, search in searches.repeated():
        log.info("hold out: %s %s", search.prepared.method.name, label or "")
        made.append(held_out_tables(search, label, of_judgments, **how))
    transformation = searches.transformation
    if transformation.ranked is not None:
        source = params.aggregate["source"]
        labels = aggregate(transformation.judgments, source)
        for expert, qrels in transformation.experts.items():
            log.info("hold out: tau %s", expert)
            found = scores_under_cuts(transformation, labels, qrels, snakemake.threads)
            if found is not None:
                made.append(held_out_by_tau(*found, expert, params.held_out, **how))
    for name in ("held_out", "held_out_topics", "gains"):
        parts = [tables[name] for tables in made if name in tables]
        whole = pd.concat(parts, ignore_index=True)[columns_of(f"cuts/{name}")]
        write_table(whole, snakemake.output[name], f"cuts/{name}", parameters(snakemake))
