"""The best cuts, those that tie with them, and ranges of near-best ones, of all methods."""

import pyarrow as pa
from job import job, parameters

from regrade.cutsearch.unserved import unserved_cuts
from regrade.tables import read_table, write_table

with job(snakemake) as log:
    reasons = snakemake.params.unserved
    for reason in reasons.values():
        log.info("left out: %s", reason)
    others = {"best_cuts": [unserved_cuts(reasons)], "tied_cuts": [], "top_cuts": []}
    for name, tables in others.items():
        tables = [read_table(path, f"cuts/{name}") for path in snakemake.input[name]] + tables
        merged = pa.concat_tables(tables)
        write_table(merged, snakemake.output[name], f"cuts/{name}", parameters(snakemake))
