"""The best cuts, those that tie with them, and ranges of near-best ones, of all methods."""

import pyarrow as pa
from job import job, parameters

from regrade.tables import read_table, write_table

with job(snakemake):
    for name in ("best_cuts", "tied_cuts", "top_cuts"):
        tables = [read_table(path, f"cuts/{name}") for path in snakemake.input[name]]
        merged = pa.concat_tables(tables)
        write_table(merged, snakemake.output[name], f"cuts/{name}", parameters(snakemake))
