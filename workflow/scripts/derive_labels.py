"""Labels under chosen cuts as a set of the collection."""

from job import job, parameters

from regrade.cutsearch.labels import Labelling
from regrade.tables import read_table, write_table

with job(snakemake) as log:
    given, params = snakemake.input, snakemake.params
    judgments = read_table(given.judgments)
    best = read_table(given.best_cuts, "cuts/best_cuts").to_pandas() if given.best_cuts else None
    topics = judgments["topic"].unique().to_pylist()
    labelling = Labelling.chosen(best, topics, **params.how)
    for topic, why in labelling.left_out.items():
        log.warning("left out: topic %s: %s", topic, why)
    made_by = parameters(snakemake)
    write_table(labelling.labels(judgments), snakemake.output[0], "qrels", made_by)
