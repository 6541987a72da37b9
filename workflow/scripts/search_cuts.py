"""α of every cut by each method, and the best cuts."""

from job import job, parameters

from regrade.aggregation import aggregate, vote_of
from regrade.audit.shared import check_documents_shared
from regrade.cutsearch.best import cut_tables
from regrade.cutsearch.search import search
from regrade.scales import Scale
from regrade.schemas import per_cut_schema
from regrade.tables import read_table, write_table

with job(snakemake) as log:
    given, made, params = snakemake.input, snakemake.output, snakemake.params
    made_by = parameters(snakemake)
    judgments, scale = read_table(given.judgments), Scale.of(params.scale)
    pool = read_table(given.pool) if given.pool else None
    how = params.aggregate["reference"] or vote_of(params.levels)
    labels = {
        name: aggregate(read_table(path), how, params.levels, repeats=params.repeats)
        if name in params.crowds
        else read_table(path, "qrels")
        for name, path in zip(params.references, given.references, strict=True)
    }
    for name, table in labels.items():
        check_documents_shared(table, judgments, (name, "the source"))
    for name, path in zip(params.crowds, made.references, strict=True):
        write_table(labels[name], path, "qrels", made_by)
    for number, asked in enumerate(params.searches):
        log.info("search: %s %s", asked["method"], asked["label"] or "")
        found = search(
            judgments,
            scale,
            params.levels,
            asked["method"],
            labels.get(asked["reference"]),
            metric=params.metric,
            undefined=params.undefined,
            coverage=params.coverage,
            unjudged=asked["unjudged"],
            repeats=params.repeats,
            aggregate_source=params.aggregate["source"],
            aggregate_levels=params.aggregate["levels"],
            pool=pool,
            required=params.named is not None,
            grid=params.grid,
            threads=snakemake.threads,
        )
        about = made_by | {"search": asked, "thresholds": found.grid or "all"}
        schema = per_cut_schema(params.levels, found.topics, len(found.cuts))
        write_table(found.to_frame(), made.alpha[number], schema, about)
        for name, table in cut_tables(found, asked["label"], params.top).items():
            write_table(table, made[name][number], f"cuts/{name}", about)
