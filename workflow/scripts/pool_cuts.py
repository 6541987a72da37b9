"""One search over all judgments together, by each method."""

import pandas as pd
from job import job, parameters

from regrade.cutsearch.pooled import pooled_cut, pooled_search
from regrade.scales import Scale
from regrade.schemas import SCHEMAS, summary_columns
from regrade.tables import read_table, write_table

with job(snakemake) as log:
    given, params = snakemake.input, snakemake.params
    judgments, scale = read_table(given.judgments), Scale.of(params.scale)
    labels = {
        name: read_table(path, "qrels")
        for name, path in zip(params.references, given.references, strict=True)
    }
    pool = read_table(given.pool) if given.pool else None
    rows = []
    for asked, best_cuts, alpha in zip(params.searches, given.best_cuts, given.alpha, strict=True):
        log.info("search of all judgments: %s %s", asked["method"], asked["label"] or "")
        found = pooled_search(
            judgments,
            scale,
            params.levels,
            asked["method"],
            labels.get(asked["reference"]),
            unjudged=asked["unjudged"],
            pool=pool,
            required=False,
            threads=snakemake.threads,
            **params.how,
        )
        tables = (
            read_table(alpha, "cuts/alpha", columns=summary_columns(params.levels)).to_pandas(),
            read_table(best_cuts, "cuts/best_cuts").to_pandas(),
        )
        rows.append(pooled_cut(found, *tables, asked["label"]))
    table = pd.DataFrame(rows, columns=SCHEMAS["cuts/pooled"].names)
    write_table(table, snakemake.output[0], "cuts/pooled", parameters(snakemake))
