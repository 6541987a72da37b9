"""How many systems, rankings and documents have ties."""

from job import job, parameters

from regrade.audit import audit_runs
from regrade.codes import CodedRuns
from regrade.tables import write_table
from regrade.ties.effects import tie_rates

with job(snakemake):
    ranked = CodedRuns(snakemake.input[0]).ranked(scores=True, submitted_ranks=True)
    # not from the audit's table, which is made again with every other set of the collection
    table = tie_rates(audit_runs(ranked, score_precision=snakemake.params.score_precision))
    write_table(table, snakemake.output[0], "ties/rates", parameters(snakemake))
