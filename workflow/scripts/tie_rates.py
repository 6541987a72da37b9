"""How many systems, rankings and documents have ties."""

from job import job, parameters

from regrade.tables import read_table, write_table
from regrade.ties import tie_rates

with job(snakemake):
    table = tie_rates(read_table(snakemake.input[0], "audit_runs"))
    write_table(table, snakemake.output[0], "tie_rates", parameters(snakemake))
