"""Whether one source, cut, agrees better with the references than another."""

import pandas as pd

from regrade.cutsearch.source_comparisons import compared_searches
from regrade.tables import read_table, write_table
from regrade.workflow.job import job, parameters

with job(snakemake):
    given = snakemake.input
    sides = [
        zip(given[f"{side}_best_cuts"], given[f"{side}_alpha"], strict=True)
        for side in ("first", "second")
    ]
    tables = []
    for *names, searches in snakemake.params.compared:
        read = [
            {
                search: tuple(read_table(path).to_pandas() for path in next(side))
                for search in searches
            }
            for side in sides
        ]
        tables.append(compared_searches(*read, tuple(names)))
    made = pd.concat(tables, ignore_index=True)
    write_table(made, snakemake.output[0], "cut-comparisons/agreement", parameters(snakemake))
