"""Each system's scores under every way to deal with ties."""

from job import job, parameters

from regrade.ranked import Judged, JudgedLists, RankedLists
from regrade.tables import read_table, write_table
from regrade.ties import TieGroups, score_ranges

with job(snakemake):
    params = snakemake.params
    runs = read_table(snakemake.input.runs, "runs")
    ranked = RankedLists.from_table(runs)
    judged = Judged.from_table(read_table(snakemake.input.qrels, "qrels"), ranked)
    table = score_ranges(
        ranked,
        JudgedLists.match(ranked, judged, params.max_grade),
        TieGroups.by_score(runs, ranked, params.score_precision),
        params.measures,
    )
    write_table(table, snakemake.output[0], "ties/ranges", parameters(snakemake))
