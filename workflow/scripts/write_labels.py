"""Labels under chosen cuts as text, one per document or each worker's, and what made them."""

from job import job

from regrade.cutsearch.labels import Labelling, write_judgments, write_qrels, write_told
from regrade.tables import read_table

with job(snakemake) as log:
    given, made, params = snakemake.input, snakemake.output, snakemake.params
    judgments = read_table(given.judgments)
    best = read_table(given.best_cuts, "cuts/best_cuts").to_pandas() if given.best_cuts else None
    topics = judgments["topic"].unique().to_pylist()
    labelling = Labelling.chosen(best, topics, **params.how)
    for topic, why in labelling.left_out.items():
        log.warning("left out: topic %s: %s", topic, why)
    if params.by_worker:
        labelled = labelling.of_workers(judgments)
        write_judgments(labelled, made.labels)
    else:
        labelled = labelling.labels(judgments)
        write_qrels(labelled, made.labels)
    write_told(labelling.told(labelled, params.about), made.about)
