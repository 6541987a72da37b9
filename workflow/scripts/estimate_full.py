"""What labels by people of all documents would have said, from some of them and models'."""

from collections import Counter

from regrade.answers.estimate import answer
from regrade.answers.words import read_said
from regrade.codes import CodedRuns
from regrade.estimation.assignment import drawn_sample
from regrade.estimation.samples import Documents
from regrade.estimation.tables import estimate_tables
from regrade.readers.samples import read_sample
from regrade.scales import Scale
from regrade.tables import read_table, write_tables
from regrade.workflow.job import job, parameters

with job(snakemake) as log:
    given, params = snakemake.input, snakemake.params
    scale, measures, seed = Scale.of(params.scale), params.measures, params.seed
    tables = [read_table(path, "qrels") for path in given.models]
    models = dict(zip(params.models, tables, strict=True))
    ranked = CodedRuns(given.runs).ranked() if given.runs else None
    left_out = Counter()
    if params.budget is None:
        sample = read_sample(given.labels, scale=scale, left_out=left_out)
    else:
        labels = read_table(given.labels, "qrels")
        sample = drawn_sample(labels, models, ranked, params.budget, measures, scale, seed)
    documents = Documents.of(sample, models)
    log.info("people labelled %d of %d documents", documents.labelled.sum(), len(documents.topics))
    if ranked is not None:
        ranked = ranked.with_topics({*documents.topics})
    tables = estimate_tables(documents, ranked, measures, scale, seed)
    said = answer(tables).minding(read_said("labels", {"left_out": left_out}))
    tables["answer"] = said.to_frame()
    write_tables(tables, snakemake.output, "estimates", parameters(snakemake))
