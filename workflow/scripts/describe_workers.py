"""Who answered about pairs: how much, how fast, how consistently."""

from regrade.preferences.consistency import KEYS
from regrade.preferences.effects import worker_effects
from regrade.preferences.timing import time_bins, time_fits
from regrade.preferences.workers import (
    inconsistency_table,
    seen_table,
    topic_table,
    worker_relations,
    worker_table,
)
from regrade.tables import read_table, write_tables
from regrade.workflow.job import job, parameters

with job(snakemake):
    given, params = snakemake.input, snakemake.params
    answers = read_table(given.answers, "preferences")
    left_out = read_table(given.left_out, "preferences")
    by_unit = set(params.consistency_by) == set(KEYS)
    units = read_table(given.consistency, "preferences/consistency").to_pandas()
    workers = worker_table(answers, left_out, params.seconds, units if by_unit else None)
    fits = time_fits(answers)
    made = {
        "workers": workers,
        "topics": topic_table(answers, left_out, params.price),
        "seen": seen_table(answers),
        "relations": worker_relations(workers),
        "inconsistency": inconsistency_table(workers),
        "time_fits": fits,
        "times": time_bins(answers, fits),
        "effects": worker_effects(answers, workers),
    }
    write_tables(made, snakemake.output, "preferences", parameters(snakemake))
