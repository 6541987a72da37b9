"""α of experts' labels, cut into two levels, against other experts'."""

import pandas as pd

from regrade.cutsearch.experts import expert_cut_topics, expert_cuts
from regrade.tables import read_table, write_table
from regrade.workflow.job import job, parameters

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    asked = [
        (read_table(source, "qrels"), read_table(reference, "qrels"), read_table(pool), *names)
        for source, reference, pool, names in zip(
            given.sources, given.references, given.pools, params.cuts, strict=True
        )
    ]
    made_by = parameters(snakemake)
    for make, name in ((expert_cuts, "agreement"), (expert_cut_topics, "topics")):
        table = pd.concat([make(*one) for one in asked])
        write_table(table, snakemake.output[name], f"expert-cuts/{name}", made_by)
