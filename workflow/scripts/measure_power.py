"""Discriminative power of sets of labels, agreement, and what tells systems apart."""

from job import job, parameters

from regrade.power.compared import (
    agreement_table,
    discrimination_table,
    extension_table,
    grade_table,
    order_table,
    served_table,
    topic_table,
)
from regrade.power.comparison import Comparison
from regrade.power.intervals import interval_table
from regrade.tables import write_table

with job(snakemake) as log:
    params = snakemake.params
    beside = Comparison.of_job(dict(snakemake.input.items()), params)
    sets, preferences, lists, how = beside.all
    resamples = params.resamples, params.assessor_resamples
    topics = topic_table(sets, preferences, lists, how)
    made = {
        "grades": grade_table(sets, preferences, how),
        "served": served_table(sets, preferences),
        "topics": topics,
        "sets": agreement_table(sets),
        "intervals": interval_table(topics, *beside.all, *resamples),
    }
    if beside.systems is not None:
        made["discrimination"] = discrimination_table(sets, beside.systems)
        made["orders"] = order_table(topics, made["discrimination"])
    spread = [one for one in sets if one.name in params.extended]
    drawn = {"slices": params.slices, "systems": beside.systems}
    made["extended"] = extension_table(spread, preferences, lists, params.certainties, how, **drawn)
    for name, table in made.items():
        log.info("%s: %d rows", name, len(table))
        write_table(table, snakemake.output[name], f"power/{name}", parameters(snakemake))
