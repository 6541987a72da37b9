"""Discriminative power of sets of labels, agreement, and what tells systems apart."""

from regrade.answers.pdp import answered
from regrade.power.differences import difference_table, topics_left_out
from regrade.power.inputs import PowerInputs
from regrade.power.intervals import interval_table
from regrade.power.label_sets import (
    agreement_table,
    discrimination_table,
    extension_table,
    grade_table,
    order_table,
    served_table,
    topic_table,
)
from regrade.tables import write_tables
from regrade.workflow.job import job, parameters

with job(snakemake):
    params = snakemake.params
    beside = PowerInputs.of_job(dict(snakemake.input.items()), params)
    sets, preferences, lists, how = beside.all
    topics, left_out = topic_table(*beside.all), topics_left_out(*beside.all)
    made = {
        "grades": grade_table(sets, preferences, how),
        "served": served_table(sets, preferences),
        "topics": topics,
        "sets": agreement_table(sets),
        "differences": difference_table(topics, left_out),
        "intervals": interval_table(topics, left_out, *beside.all, params.assessor_resamples),
    }
    if beside.systems is not None:
        made["discrimination"] = discrimination_table(sets, beside.systems)
        made["orders"] = order_table(topics, made["discrimination"])
    spread = [one for one in sets if one.name in params.extended]
    made["extended"] = extension_table(spread, preferences, lists, how, systems=beside.systems)
    write_tables(made | answered(made), snakemake.output, "power", parameters(snakemake))
