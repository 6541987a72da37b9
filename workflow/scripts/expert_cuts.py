"""α of experts' labels, cut into two levels, against other experts'."""

import pandas as pd
from job import job, parameters

from regrade.cutsearch.experts import expert_cuts
from regrade.tables import read_table, write_table

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    tables = [
        expert_cuts(
            read_table(source, "qrels"),
            read_table(reference, "qrels"),
            read_table(pool),
            *names,
        )
        for source, reference, pool, names in zip(
            given.sources, given.references, given.pools, params.cuts, strict=True
        )
    ]
    made_by = parameters(snakemake)
    write_table(pd.concat(tables), snakemake.output[0], "expert-cuts/agreement", made_by)
