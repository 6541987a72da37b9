"""The best cuts, and the ranges of near-best ones, of all methods of a transformation."""

import pyarrow as pa
from job import job, parameters

from regrade.tables import read_table, write_table

with job(snakemake):
    for name in ("best_cuts", "top_cuts"):
        tables = [read_table(path, name) for path in snakemake.input[name]]
        write_table(pa.concat_tables(tables), snakemake.output[name], name, parameters(snakemake))
