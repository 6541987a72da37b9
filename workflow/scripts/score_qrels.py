"""Score every run under one qrels."""

from job import chunk_bytes, job, parameters

from regrade.codes import read_chunks
from regrade.scoring import joined, score
from regrade.tables import write_table

with job(snakemake) as log:
    given, params = snakemake.input, snakemake.params
    for measure in params.left_out:
        log.warning("left out: %s takes shares of a highest grade, and there is none", measure)
    scores = joined(
        score(ranked, judged, params.measures, max_grade=params.max_grade)
        for ranked, judged in read_chunks(given.runs, given.qrels, max_bytes=chunk_bytes(snakemake))
    )
    write_table(scores.to_table(), snakemake.output[0], "scores", parameters(snakemake))
