"""Each system's scores under every way to deal with ties."""

from job import chunk_bytes, job, parameters

from regrade.codes import read_chunks
from regrade.run_arrays import JudgedLists
from regrade.scoring import joined
from regrade.tables import write_table
from regrade.tied_scores.effects import tie_scores
from regrade.tied_scores.groups import TieGroups

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    scores = joined(
        tie_scores(
            ranked,
            JudgedLists.match(ranked, judged, params.max_grade),
            TieGroups.by_score(ranked, params.score_precision),
            params.measures,
            unjudged=params.unjudged,
        )
        for ranked, judged in read_chunks(
            given.runs, given.qrels, scores=True, max_bytes=chunk_bytes(snakemake)
        )
    )
    write_table(scores.to_frame(), snakemake.output[0], "ties/ranges", parameters(snakemake))
