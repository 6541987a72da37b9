"""Discriminative power of sets of labels, agreement, and what tells systems apart."""

from job import job, parameters

from regrade.codes import CodedRuns
from regrade.power.compared import (
    How,
    Labelled,
    Systems,
    agreement_table,
    all_lists,
    discrimination_table,
    extension_table,
    grade_table,
    level_table,
    order_table,
    served_table,
    topic_table,
)
from regrade.power.preferences import PreferenceTests
from regrade.tables import read_table, write_table

with job(snakemake) as log:
    given, params = snakemake.input, snakemake.params
    sets = []
    for (name, ends), path in zip(params.ends.items(), given.sets, strict=True):
        schema = "judgments" if "/judgments/" in path else "qrels"
        sets.append(Labelled(name, read_table(path, schema), *ends))
    preferences = {
        name: PreferenceTests.from_table(read_table(path, "preferences"))
        for name, path in zip(params.preferences, given.preferences, strict=True)
    }
    preferences |= {
        name: PreferenceTests.from_labels(read_table(path, "qrels"))
        for name, path in zip(params.experts, given.experts, strict=True)
    }
    keys = ("modes", "ties", "doubt", "states", "samples", "seed")
    how = How(**{key: params[key] for key in keys})
    ranked = CodedRuns(given.runs).ranked() if given.runs else None
    lists = all_lists(sets, ranked, params.depths)
    made = {
        "grades": grade_table(sets, preferences, how),
        "served": served_table(sets, preferences),
        "topics": topic_table(sets, preferences, lists, how),
        "sets": agreement_table(sets),
        "levels": level_table(sets, preferences, lists, params.levels, how),
    }
    systems = None
    if ranked is not None:
        tested = {key: params[key] for key in ("measures", "significance", "test", "correction")}
        systems = Systems(ranked, **tested)
        made["discrimination"] = discrimination_table(sets, systems)
        made["orders"] = order_table(made["topics"], made["discrimination"])
    spread = [one for one in sets if one.name in params.extended]
    drawn = {"slices": params.slices, "systems": systems}
    made["extended"] = extension_table(spread, preferences, lists, params.certainties, how, **drawn)
    for name, table in made.items():
        log.info("%s: %d rows", name, len(table))
        write_table(table, snakemake.output[name], f"power/{name}", parameters(snakemake))
