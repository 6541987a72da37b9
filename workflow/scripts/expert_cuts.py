"""α of experts' labels, cut into two levels, against other experts'."""

from job import job, parameters

from regrade.studies.han2019.tables import expert_cuts
from regrade.tables import read_table, write_table

with job(snakemake):
    params = snakemake.params
    table = expert_cuts(
        read_table(snakemake.input.source, "qrels"),
        read_table(snakemake.input.reference, "qrels"),
        read_table(snakemake.input.pool, "judgments"),
        params.source,
        params.reference,
        params.levels,
    )
    write_table(table, snakemake.output[0], "cuts/expert_cuts", parameters(snakemake))
