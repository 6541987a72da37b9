"""τ_b of every cut's system ranking with an expert's."""

from job import job, parameters

from regrade.aggregation import aggregate
from regrade.codes import CodedRuns
from regrade.cutsearch.best import best_cuts, tied_cuts, top_cuts
from regrade.cutsearch.rankings import tau_of_every_cut
from regrade.cutsearch.thresholds import Thresholds
from regrade.scales import Scale
from regrade.schemas import per_cut_schema
from regrade.tables import read_table, write_table

with job(snakemake):
    params = snakemake.params
    judgments = read_table(snakemake.input.judgments)
    scale = Scale.of(params.scale)
    values = judgments["grade" if "grade" in judgments.column_names else "value"].to_numpy()
    found = tau_of_every_cut(
        CodedRuns(snakemake.input.runs).ranked(judgments["topic"].unique().to_pylist()),
        aggregate(judgments, params.aggregate["source"], repeats=params.repeats),
        read_table(snakemake.input.expert, "qrels"),
        scale,
        params.levels,
        params.measure,
        required=params.named is not None,
        thresholds=Thresholds.of(scale, params.levels, values, params.grid),
        threads=snakemake.threads,
    )
    made_by = parameters(snakemake) | {"thresholds": found.grid or "all"}
    schema = per_cut_schema(params.levels, found.topics, len(found.cuts))
    write_table(found.to_frame(), snakemake.output.tau, schema, made_by)
    best = best_cuts(found, params.expert)
    write_table(best, snakemake.output.best_cuts, "cuts/best_cuts", made_by)
    tied = tied_cuts(found, params.expert)
    write_table(tied, snakemake.output.tied_cuts, "cuts/tied_cuts", made_by)
    top = top_cuts(found, params.expert, params.top)
    write_table(top, snakemake.output.top_cuts, "cuts/top_cuts", made_by)
