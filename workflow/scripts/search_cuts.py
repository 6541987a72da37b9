"""α of every cut by one method."""

from job import job, parameters

from regrade.cutsearch.best import best_cuts, tied_cuts, top_cuts
from regrade.cutsearch.search import search
from regrade.scales import Scale
from regrade.schemas import per_cut_schema
from regrade.tables import read_table, write_table

with job(snakemake):
    params = snakemake.params
    found = search(
        read_table(snakemake.input.judgments),
        Scale.of(params.scale),
        params.levels,
        params.method,
        read_table(snakemake.input.reference, "qrels") if params.reference else None,
        metric=params.metric,
        undefined=params.undefined,
        coverage=params.coverage,
        unjudged=params.unjudged or "drop",
        repeats=params.repeats,
        aggregate_source=params.aggregate["source"],
        aggregate_levels=params.aggregate["levels"],
        pool=read_table(snakemake.input.pool) if snakemake.input.pool else None,
        required=params.named is not None,
        grid=params.grid,
        threads=snakemake.threads,
    )
    made_by = parameters(snakemake) | {"thresholds": found.grid or "all"}
    schema = per_cut_schema(params.levels, found.topics, len(found.cuts))
    write_table(found.to_frame(), snakemake.output.alpha, schema, made_by)
    best = best_cuts(found, params.reference)
    write_table(best, snakemake.output.best_cuts, "cuts/best_cuts", made_by)
    tied = tied_cuts(found, params.reference)
    write_table(tied, snakemake.output.tied_cuts, "cuts/tied_cuts", made_by)
    top = top_cuts(found, params.reference, params.top)
    write_table(top, snakemake.output.top_cuts, "cuts/top_cuts", made_by)
