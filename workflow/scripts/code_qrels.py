"""Put a qrels into the document codes of the runs."""

from regrade.audit.overlap import check_topics_shared
from regrade.codes import CodedQrels, CodedRuns, write_qrels
from regrade.tables import read_table
from regrade.workflow.job import job, parameters

with job(snakemake):
    given, path = snakemake.input, snakemake.output[0]
    qrels, runs = read_table(given.qrels, "qrels"), CodedRuns(given.runs)
    check_topics_shared(qrels, runs.topics)
    write_qrels(path, qrels, runs, parameters(snakemake))
    CodedQrels(path, runs).check_retrieved(qrels)
