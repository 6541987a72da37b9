"""α of every cut by each method, and the best cuts."""

from job import job, parameters

from regrade.aggregation import aggregate, vote_of
from regrade.audit.shared import check_documents_shared
from regrade.cutsearch.parts import WRITTEN, Together, searched_part
from regrade.cutsearch.search import how_to_search, prepare
from regrade.scales import Scale
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
        prepared = prepare(
            judgments,
            scale,
            params.levels,
            asked["method"],
            labels.get(asked["reference"]),
            unjudged=asked["unjudged"],
            pool=pool,
            **how_to_search(params),
        )
        part = searched_part(prepared, asked["label"], params.top, snakemake.threads)
        together = Together.of([part], required=params.named is not None)
        about = made_by | {"search": asked, "thresholds": together.grid or "all"}
        paths = {table: made[table][number] for table in WRITTEN}
        together.write(paths, asked["label"], params.top, about)
