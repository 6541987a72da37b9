"""Each system's scores under every way to deal with ties."""

from regrade.answers.ties import answered
from regrade.codes import read_chunks
from regrade.run_arrays import JudgedLists
from regrade.scoring import concat
from regrade.tables import read_table, write_tables
from regrade.tied_scores.effects import tie_scores
from regrade.tied_scores.groups import TieGroups
from regrade.workflow.job import chunk_bytes, job, parameters

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    scores = concat(
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
    rates = read_table(given.rates, "ties/rates").to_pandas()
    tables = {"rates": rates, "ranges": scores.to_frame()}
    answer = answered(tables, unjudged=params.unjudged)
    made = {"ranges": tables["ranges"]} | answer
    write_tables(made, snakemake.output, "ties", parameters(snakemake))
