"""Read TREC runs into one table in canonical order."""

from pathlib import Path

from job import job, parameters

from regrade.codes import topic_rankings, write_runs
from regrade.ranked import RankedLists
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
    made_by = parameters(snakemake)
    write_table(runs, snakemake.output.runs, "runs", made_by)
    ranked = RankedLists.from_table(runs)
    write_runs(snakemake.output.codes, ranked.systems, topic_rankings(ranked), made_by)
