"""α of every cut by each method, and the best cuts, for one chunk of the topics."""

from job import job

from regrade.audit.shared import check_documents_shared
from regrade.cutsearch.parts import searched_part
from regrade.cutsearch.search import how_to_search, prepare
from regrade.scales import Scale
from regrade.tables import read_table

with job(snakemake) as log:
    given, params = snakemake.input, snakemake.params
    judgments, scale = read_table(given.judgments), Scale.of(params.scale)
    pool = read_table(given.pool) if given.pool else None
    labels = {
        name: read_table(path, "qrels")
        for name, path in zip(params.references, given.references, strict=True)
    }
    for name, table in labels.items():
        check_documents_shared(table, judgments, (name, "the source"))
    for asked, path in zip(params.searches, snakemake.output.parts, strict=True):
        log.info("search: %s %s", asked["method"], asked["label"] or "")
        prepared = prepare(
            judgments,
            scale,
            params.levels,
            asked["method"],
            labels.get(asked["reference"]),
            unjudged=asked["unjudged"],
            pool=pool,
            part=(params.chunk, params.chunks),
            **how_to_search(params),
        )
        part = searched_part(prepared, asked["label"], params.top, snakemake.threads)
        part.write(path)
