"""How many systems, rankings and documents have ties."""

from job import job, parameters

from regrade.audit import audit_runs
from regrade.tables import read_table, write_table
from regrade.ties import tie_rates

with job(snakemake):
    runs = read_table(snakemake.input[0], "runs")
    # not from the audit's table, which is made again with every other set of the collection
    table = tie_rates(audit_runs(runs, score_precision=snakemake.params.score_precision))
    write_table(table, snakemake.output[0], "ties/rates", parameters(snakemake))
