"""Labels under chosen cuts as text, one per document or each worker's, and what made them."""

from regrade.cutsearch.labels import read_labelling, write_judgments, write_provenance
from regrade.workflow.job import job
from regrade.writers import write_qrels

with job(snakemake):
    made, params = snakemake.output, snakemake.params
    judgments, labelling = read_labelling(snakemake.input, params.how)
    if params.by_worker:
        labelled = labelling.of_workers(judgments)
        write_judgments(labelled, made.labels)
    else:
        labelled = labelling.labels(judgments)
        write_qrels(labelled, made.labels)
    write_provenance(labelling.provenance(labelled, params.about), made.about)
