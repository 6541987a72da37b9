"""One search over all judgments together, by each method."""

import pandas as pd

from regrade.catalogue import columns_of, summary_columns
from regrade.cutsearch.pooled import pooled_cut, pooled_search
from regrade.cutsearch.sources import SearchInput
from regrade.tables import read_table, write_table
from regrade.workflow.job import asked, job, parameters

with job(snakemake) as log:
    given, params, rows = snakemake.input, asked(snakemake), []
    source, columns = SearchInput.read(given, params), summary_columns(params.levels)
    for item, best_cuts, alpha in zip(params.searches, given.best_cuts, given.alpha, strict=True):
        log.info("search of all judgments: %s %s", item["method"], item["label"] or "")
        how = source.arguments(item) | {"pool": source.pool, "threads": snakemake.threads}
        search = pooled_search(source.judgments, source.scale, **how)
        tables = (
            read_table(alpha, "cuts/alpha", columns=columns).to_pandas(),
            read_table(best_cuts, "cuts/best_cuts").to_pandas(),
        )
        rows.append(pooled_cut(search, *tables, item["label"]))
    table = pd.DataFrame(rows, columns=columns_of("cuts/pooled"))
    write_table(table, snakemake.output[0], "cuts/pooled", parameters(snakemake))
