"""Made worlds in which it is known whether a rule that stops asking keeps what it promises."""

from regrade.preferences.stopping import Worlds, coverage_table
from regrade.tables import write_table
from regrade.workflow.job import job, parameters

with job(snakemake):
    params = snakemake.params
    table = coverage_table(Worlds(**params.worlds), threads=snakemake.threads)
    write_table(table, snakemake.output[0], "pair-worlds/coverage", parameters(snakemake))
