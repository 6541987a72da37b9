"""Judgments of a document as one, before and after cutting: by votes and by models of judges."""

import pandas as pd
from job import job, parameters

from regrade.schemas import SCHEMAS
from regrade.tables import write_table
from regrade.trust.asked import named_indices, read_searches
from regrade.trust.crowd import Asked, aggregated_table

with job(snakemake) as log:
    params = snakemake.params
    read = read_searches(snakemake.input, params)
    keys = ("judgments", "scale", "levels", "options", "ranked", "experts", "measure")
    shared = {key: read[key] for key in keys}
    named = named_indices(read["judgments"], read["scale"])
    compared = {(s["label"], s["reference"], s["unjudged"]): None for s in read["searches"]}
    compared = [one for one in compared if one[1] is not None] or [(None, None, "drop")]
    made = [pd.DataFrame(columns=SCHEMAS["cuts/aggregated"].names)]
    for label, reference, unjudged in compared if params.votes else ():
        log.info("aggregated: %s", label or "no reference")
        asked = Asked(**shared, unjudged=unjudged)
        how = {"named": named, "tried": params.tried, "values": params["values"]}
        labels = read["references"].get(reference)
        made.append(aggregated_table(asked, labels, label, params.votes, **how))
    whole = pd.concat(made[1:] or made, ignore_index=True)
    write_table(whole, snakemake.output.aggregated, "cuts/aggregated", parameters(snakemake))
