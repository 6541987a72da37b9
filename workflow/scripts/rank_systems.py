"""τ_b between the system rankings under best cuts and under expert judgments."""

from job import job, parameters

from regrade.codes import CodedRuns
from regrade.cutsearch.rankings import rankings_of_cuts
from regrade.tables import read_table, write_table

with job(snakemake):
    params = snakemake.params
    judgments = read_table(snakemake.input.judgments)
    experts = zip(params.experts, snakemake.input.experts, strict=True)
    rankings = rankings_of_cuts(
        CodedRuns(snakemake.input.runs).ranked(judgments["topic"].unique().to_pylist()),
        judgments,
        read_table(snakemake.input.best_cuts, "cuts/best_cuts").to_pandas(),
        {name: read_table(path, "qrels") for name, path in experts},
        params.measure,
        levels=params.levels,
        aggregate_source=params.aggregate["source"],
        aggregate_levels=params.aggregate["levels"],
        repeats=params.repeats,
    )
    write_table(rankings, snakemake.output[0], "rankings", parameters(snakemake))
