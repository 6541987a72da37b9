"""Which system is best, and how sure that is."""

from regrade.answers.ranking import answer
from regrade.codes import read_chunks
from regrade.ranking.tables import RankingOptions, rank_systems
from regrade.scoring import joined, score
from regrade.tables import write_tables
from regrade.workflow.job import chunk_bytes, job, parameters

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    judged = [
        joined(
            score(ranked, labels, params.measures, max_grade=highest)
            for ranked, labels in read_chunks(given.runs, path, max_bytes=chunk_bytes(snakemake))
        )
        for path, highest in zip(given.qrels, params.max_grades, strict=True)
    ]
    tables = rank_systems(judged[0], RankingOptions(seed=params.seed), judged[1:])
    tables["answer"] = answer(tables).to_frame()
    write_tables(tables, snakemake.output, "ranking", parameters(snakemake))
