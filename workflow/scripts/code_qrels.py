"""Put a qrels into the document codes of the runs."""

from job import job, parameters

from regrade.codes import CodedRuns, write_qrels
from regrade.tables import read_table

with job(snakemake):
    qrels = read_table(snakemake.input.qrels, "qrels")
    write_qrels(snakemake.output[0], qrels, CodedRuns(snakemake.input.runs), parameters(snakemake))
