"""Judgments of a document as one, before and after cutting: by votes and by models of judges."""

import pandas as pd

from regrade.catalogue import columns_of
from regrade.tables import write_table
from regrade.trust.crowd import aggregated_table
from regrade.trust.searches import read_ranked
from regrade.workflow.job import job, parameters

with job(snakemake) as log:
    params = snakemake.params
    source = read_ranked(snakemake.input, params)
    compared = {(s["label"], s["reference"], s["unjudged"]): None for s in params.searches}
    compared = [key for key in compared if key[1] is not None] or [(None, None, "drop")]
    made = [pd.DataFrame(columns=columns_of("cuts/aggregated"))]
    for label, reference, unjudged in compared if params.votes else ():
        log.info("aggregated: %s", label or "no reference")
        under_rule, labels = source.with_unjudged(unjudged), source.references.get(reference)
        named = under_rule.named_indices
        made.append(aggregated_table(under_rule, labels, label, params.votes, named=named))
    whole = pd.concat(made[1:] or made, ignore_index=True)
    write_table(whole, snakemake.output.aggregated, "cuts/aggregated", parameters(snakemake))
