"""Read TREC runs into one table in canonical order."""

from pathlib import Path

from job import job, parameters

from regrade.readers.runs import read_runs
from regrade.tables import write_table

with job(snakemake) as log:
    paths = [
        path
        for given in map(Path, snakemake.input)
        for path in (sorted(given.glob("*.gz")) if given.is_dir() else [given])
    ]
    log.info("reading %d runs", len(paths))
    runs = read_runs(
        paths,
        tie_break=snakemake.params.tie_break,
        score_precision=snakemake.params.score_precision,
        topics=snakemake.params.topics,
        threads=snakemake.threads,
    )
    log.info("read %d documents", runs.num_rows)
    write_table(runs, snakemake.output[0], "runs", parameters(snakemake))
