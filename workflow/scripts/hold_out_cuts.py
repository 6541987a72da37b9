"""Cuts judged on what they were not chosen on, by α and by τ_b."""

import pandas as pd

from regrade.aggregation import aggregate
from regrade.catalogue import columns_of
from regrade.tables import write_table
from regrade.trust.held_out import held_out_by_tau, held_out_tables, scores_under_cuts
from regrade.trust.searches import read_ranked
from regrade.workflow.job import job, parameters

with job(snakemake) as log:
    params = snakemake.params
    source = read_ranked(snakemake.input, params)
    how = {"repeats": params.splits, "seed": params.seed, "threads": snakemake.threads}
    made = []
    of_judgments = [split for split in params.held_out if split != "systems"]
    for label, search in source.searches(params.searches):
        log.info("hold out: %s %s", search.plan.method.name, label or "")
        made.append(held_out_tables(search, label, of_judgments, **how))
    if source.ranked is not None:
        labels = aggregate(source.judgments, params.aggregate["source"])
        for expert, qrels in source.experts.items():
            log.info("hold out: tau %s", expert)
            scores = scores_under_cuts(source, labels, qrels, snakemake.threads)
            if scores is not None:
                made.append(held_out_by_tau(*scores, expert, params.held_out, **how))
    for name in ("held_out", "held_out_topics", "gains"):
        parts = [tables[name] for tables in made if name in tables]
        whole = pd.concat(parts, ignore_index=True)[columns_of(f"cuts/{name}")]
        write_table(whole, snakemake.output[name], f"cuts/{name}", parameters(snakemake))
