"""α of every cut by each method, and the best cuts, for one chunk of the topics."""

from regrade.audit.overlap import check_documents_shared
from regrade.cutsearch.parts import searched_part
from regrade.cutsearch.sources import SearchInput
from regrade.workflow.job import job, request_of

with job(snakemake) as log:
    params = request_of(snakemake)
    source = SearchInput.read(snakemake.input, params)
    for name, labels in source.references.items():
        check_documents_shared(labels, source.judgments, (name, "the source"))
    topics = source.topics((snakemake.params.chunk, params.chunks))
    for item, path in zip(params.searches, snakemake.output.parts, strict=True):
        log.info("search: %s %s", item["method"], item["label"] or "")
        plan = topics.plan(**source.arguments(item))
        part = searched_part(plan, item["label"], snakemake.threads)
        part.write(path)
