"""Each system's scores under every way to deal with ties."""

from job import job, parameters

from regrade.codes import read_coded
from regrade.ranked import JudgedLists
from regrade.tables import write_table
from regrade.ties.effects import score_ranges
from regrade.ties.groups import TieGroups

with job(snakemake):
    params = snakemake.params
    ranked, judged = read_coded(snakemake.input.runs, snakemake.input.qrels, scores=True)
    table = score_ranges(
        ranked,
        JudgedLists.match(ranked, judged, params.max_grade),
        TieGroups.by_score(ranked, params.score_precision),
        params.measures,
        unjudged=params.unjudged,
    )
    write_table(table, snakemake.output[0], "ties/ranges", parameters(snakemake))
