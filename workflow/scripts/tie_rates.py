"""How many systems, rankings and documents have ties."""

from regrade.audit.rankings import audit_runs, join_audits
from regrade.codes import CodedRuns
from regrade.tables import write_table
from regrade.tied_scores.effects import tie_rates
from regrade.workflow.job import chunk_bytes, job, parameters

with job(snakemake):
    runs, precision = CodedRuns(snakemake.input[0]), snakemake.params.score_precision
    # not from the audit's table, which is made again with every other set of the collection
    audit = join_audits(
        [
            audit_runs(
                runs.ranked(chunk, scores=True, submitted_ranks=True),
                score_precision=precision,
                longest=runs.longest,
            )
            for chunk in runs.chunks(max_bytes=chunk_bytes(snakemake))
        ]
    )
    write_table(tie_rates(audit), snakemake.output[0], "ties/rates", parameters(snakemake))
