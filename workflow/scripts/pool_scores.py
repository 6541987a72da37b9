"""Scores of the contributing systems under pools of every depth."""

from regrade.codes import read_chunks
from regrade.pools.depth_answer import answered
from regrade.pools.options import ANCOVA_SHARES
from regrade.pools.pooling import as_judged, contributors
from regrade.pools.scores import join_depths, scores_by_depth, to_frame
from regrade.tables import read_table, write_tables
from regrade.workflow.job import chunk_bytes, job, parameters

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    chosen = contributors(params.contributors, given.deep)
    depths = {*as_judged(params.depths, given.deep)}
    if params.ancova:
        depths |= {*as_judged(params.ancova["depths"], given.deep, ANCOVA_SHARES)}
    scores = [
        scores_by_depth(
            ranked,
            judged,
            sorted(depths),
            params.measures,
            contributors=chosen,
            max_grade=params.max_grade,
        )
        for ranked, judged in read_chunks(given.runs, given.qrels, max_bytes=chunk_bytes(snakemake))
    ]
    table = to_frame(join_depths(scores))
    facts = read_table(given.facts, "pools/facts").to_pandas()
    made = {"scores": table} | answered({"scores": table, "facts": facts})
    write_tables(made, snakemake.output, "pools", parameters(snakemake))
