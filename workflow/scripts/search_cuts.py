"""α of every cut by each method, and the best cuts."""

from regrade.audit.overlap import check_documents_shared
from regrade.cutsearch.parts import WRITTEN, searched_part, write_search
from regrade.cutsearch.sources import SearchInput
from regrade.tables import write_table
from regrade.workflow.job import job, parameters, request_of

with job(snakemake) as log:
    made, params, made_by = snakemake.output, request_of(snakemake), parameters(snakemake)
    source = SearchInput.read(snakemake.input, params, params.crowds)
    for name, labels in source.references.items():
        check_documents_shared(labels, source.judgments, (name, "the source"))
    for name, path in zip(params.crowds, made.references, strict=True):
        write_table(source.references[name], path, "qrels", made_by)
    topics = source.topics()
    for number, item in enumerate(params.searches):
        log.info("search: %s %s", item["method"], item["label"] or "")
        plan = topics.plan(**source.arguments(item))
        part = searched_part(plan, item["label"], snakemake.threads)
        paths = {table: made[table][number] for table in WRITTEN}
        about, required = made_by | {"search": item}, params.named is not None
        write_search([part], paths, item["label"], about, required=required)
