"""Put a qrels into the document codes of the runs."""

from regrade.audit.overlap import Overlap
from regrade.codes import CodedRuns, read_chunks, write_qrels
from regrade.tables import read_table
from regrade.workflow.job import job, parameters

with job(snakemake):
    inputs, path = snakemake.input, snakemake.output[0]
    qrels, runs = read_table(inputs.qrels, "qrels"), CodedRuns(inputs.runs)
    write_qrels(path, qrels, runs, parameters(snakemake))
    chunks = read_chunks(inputs.runs, path)
    labels = snakemake.params.labels
    Overlap.of_chunks(labels, qrels["docno"], chunks, runs.topics).check()
