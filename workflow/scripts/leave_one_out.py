"""Scores and ranks when each run or group stays out of the pool."""

from regrade.codes import read_chunks
from regrade.pools.leave_out import leave_out_of_origins, leave_out_of_pool, rescore
from regrade.pools.left_out_answer import answered
from regrade.pools.pooling import as_deep_as_judged
from regrade.readers.groups import read_groups, read_pool_origins
from regrade.tables import write_tables
from regrade.workflow.job import chunk_bytes, job, parameters

with job(snakemake):
    given, params, made_by = snakemake.input, snakemake.params, parameters(snakemake)
    options, scored = params.options, {"max_grade": params.max_grade, "threads": snakemake.threads}
    groups = read_groups(given.groups) if given.groups else None
    by_origins = options["by"] == "origins"
    origins = read_pool_origins(given.origins) if by_origins else None
    pooling = None if by_origins else as_deep_as_judged(options["pooling"], given.deep)
    scores = None
    for ranked, judged in read_chunks(
        given.runs, given.qrels, scores=True, max_bytes=chunk_bytes(snakemake)
    ):
        if by_origins:
            left_out = leave_out_of_origins(ranked, judged, origins, groups)
        else:
            left_out = leave_out_of_pool(
                ranked, judged, pooling, options["by"], groups=groups, scores=ranked.scores
            )
        scores = rescore(ranked, judged, left_out, options["measures"], **scored, before=scores)
    level = {"significance": params.significance}
    made = {
        "systems": scores.systems_frame(**level),
        "left_out": scores.left_out_frame(),
        "summary": scores.summary_frame(**level),
    }
    write_tables(made | answered(made), snakemake.output, "leave-one-out", made_by)
