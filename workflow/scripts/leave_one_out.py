"""Scores and ranks when each run or group stays out of the pool."""

from job import job, parameters

from regrade.codes import read_coded
from regrade.pools.leave_out import leave_out_of_origins, leave_out_of_pool, rescore
from regrade.pools.pooling import Pooling
from regrade.readers.groups import read_groups, read_pool_origins
from regrade.tables import write_table

with job(snakemake):
    options, made_by = snakemake.params.options, parameters(snakemake)
    ranked, judged = read_coded(snakemake.input.runs, snakemake.input.qrels, scores=True)
    groups = read_groups(snakemake.input.groups) if snakemake.input.groups else None
    if options["by"] == "origins":
        origins = read_pool_origins(snakemake.input.origins)
        left_out = leave_out_of_origins(ranked, judged, origins, groups)
    else:
        left_out = leave_out_of_pool(
            ranked,
            judged,
            Pooling(**options["pooling"]),
            options["by"],
            groups=groups,
            scores=ranked.scores,
        )
    scores = rescore(
        ranked,
        judged,
        left_out,
        options["measures"],
        max_grade=snakemake.params.max_grade,
        threads=snakemake.threads,
    )
    level = {"significance": options["significance"]}
    systems = scores.systems_frame(**level)
    write_table(systems, snakemake.output.systems, "leave-one-out/systems", made_by)
    by_left_out = scores.left_out_frame()
    write_table(by_left_out, snakemake.output.left_out, "leave-one-out/left_out", made_by)
    summary = scores.summary_frame(**level)
    write_table(summary, snakemake.output.summary, "leave-one-out/summary", made_by)
