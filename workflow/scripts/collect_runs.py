"""Read TREC runs in canonical order into a table and codes."""

from pathlib import Path

from regrade.run_import import collect_runs, unread_files
from regrade.workflow.job import job, listed, parameters

with job(snakemake) as log:
    paths = [
        path
        for source in map(Path, snakemake.input)
        for path in (sorted(source.glob("*.gz")) if source.is_dir() else [source])
    ]
    log.info("reading %d runs%s", len(paths), unread_files(paths))
    size, left_out = collect_runs(
        paths,
        [*zip(listed(snakemake.output.runs), listed(snakemake.output.codes), strict=True)],
        tie_break=snakemake.params.tie_break,
        score_precision=snakemake.params.score_precision,
        topics=snakemake.params.topics,
        not_self=snakemake.params.not_self,
        threads=snakemake.threads,
        parameters=parameters(snakemake),
    )
    log.info("read %d documents", size)
    if left_out:
        log.warning("%s", left_out)
