"""What would full judging have said?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from regrade.answers.shape import Answer
from regrade.answers.words import counted, named, with_ends
from regrade.catalogue import ALL_TOPICS
from regrade.measures import parse, rests_on_all_relevant
from regrade.rankings import TOLERANCE

QUESTION = "What would full judging have said?"

TABLES = ("estimates/systems", "estimates/facts")


def answer(tables: Mapping[str, pd.DataFrame]) -> Answer:
    """The first measure has a verdict and facts, each further one a verdict of its own.

    Parameters
    ----------
    tables
        ``systems`` and ``facts``, as `regrade.estimation.tables` makes them.
    """
    facts = tables["facts"].set_index(["measure", "quantity"])["value"]
    of_all = facts[ALL_TOPICS]
    systems = dict([*tables["systems"].groupby("measure", sort=False, observed=True)])
    first, *others = systems
    return Answer.of(
        QUESTION,
        [
            verdict_said(first, systems[first]),
            *facts_said(facts[first], of_all),
            *(verdict_said(measure, systems[measure]) for measure in others),
        ],
        warnings=warnings_said(tables["facts"], systems),
        how=how_said(of_all),
        tables=TABLES,
    )


def verdict_said(measure: str, systems: pd.DataFrame) -> str:
    """Which system would be best, and which ones may be."""
    best = systems[systems["rank"] == 1]
    if len(systems) == 1:
        row = systems.iloc[0]
        is_known = row["high"] - row["low"] <= TOLERANCE
        ends = (np.nan, np.nan) if is_known else (row["low"], row["high"])
        value = with_ends(row["value"], *ends)
        return f"There is only one system, {row['system']}: its {measure} would be {value}."
    if len(best) == len(systems):
        return f"By {measure} full judging would have told no system from another."
    said = (
        f"By {measure} full judging would have put {named(best['system'], 'system')} first of "
        f"{len(systems):,} systems, as far as these labels tell"
    )
    near = systems.loc[systems["may_be_first"] & (systems["rank"] > 1), "system"]
    rest = len(systems) - len(best) - len(near)
    if not len(near):
        return f"{said}; surely no other is."
    if not rest:
        return f"{said}; any other may be."
    others = "the last one is" if rest == 1 else f"the other {rest:,} are"
    return f"{said}; {named(near, 'other')} may be, {others} surely not."


def facts_said(facts: Mapping[str, float], of_all: Mapping[str, float]) -> Iterator[str]:
    """What the verdict rests on."""
    told, pairs = facts["told apart"], facts["pairs"]
    if pairs > 1 and pd.notna(told):
        yield f"Of {counted(pairs, 'pair')} of systems {told:,.0f} are told apart."
    if pairs > 1 and facts["median width of pairs"] > TOLERANCE:
        wide = f"{facts['median width of pairs']:.3f} wide (the middle of all)"
        own = facts["median width"]
        of_systems = "" if pd.isna(own) else f", those of single systems {own:.3f}"
        yield f"Intervals of differences are {wide}{of_systems}."
    yield labels_said(of_all)


def labels_said(facts: Mapping[str, float]) -> str:
    """How many documents have labels by people."""
    topics = counted(facts["topics"], "topic")
    if facts["labelled"] == facts["documents"]:
        return f"People labelled all {facts['documents']:,.0f} documents of {topics}."
    said = f"People labelled {facts['labelled']:,.0f} of {facts['documents']:,.0f} documents"
    more = ""
    if facts["labels"] > facts["labelled"]:
        more = f", with {facts['labels']:,.0f} labels"
    return f"{said} of {topics}{more}."


def warnings_said(table: pd.DataFrame, systems: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    """What a user would not expect."""
    of_all = table[table["measure"] == ALL_TOPICS].set_index("quantity")
    facts_of = table.set_index(["measure", "quantity"])["value"]
    facts = of_all["value"]
    if facts["assumed uniform"]:
        yield (
            "Nobody said how the labelled documents were chosen: all are taken to have been as "
            "likely; if they were not, neither values nor intervals hold."
        )
    if lost := facts["not labelled"]:
        yield (
            f"{counted(lost, 'chosen document has', 'chosen documents have')} no label: where a "
            "measure is a sum of gains, intervals reach as far as any label of theirs could take "
            "them; of other measures none is given."
        )
    some = facts["labelled"] < facts["documents"]
    unproven = [name for name in systems if some and rests_on_all_relevant(parse(name))]
    modelled = [
        name for name in systems if facts_of[name, "left to the model"] and name not in unproven
    ]
    for name, of in systems.items():
        if not lost and name not in (*unproven, *modelled):
            yield withheld_said(name, of, facts_of[name])
    if modelled:
        yield (
            f"By {named(modelled, 'measure')} there are no intervals: nearly all that labels "
            "decide of them is labelled, and what is left is the model's word alone."
        )
    if unproven:
        yield (
            f"By {named(unproven, 'measure')} there are no intervals: where the truth is known "
            "they hold too seldom."
        )
    if facts["topics without values"]:
        noun = counted(facts["topics without values"], "topic")
        yield f"Of {noun} ({of_all.at['topics without values', 'note']}) no model has a value."


def withheld_said(measure: str, systems: pd.DataFrame, facts: Mapping[str, float]) -> str:
    """Which intervals are not given, for they would not hold."""
    kinds = {}
    if systems["low"].isna().all():
        kinds["single systems"] = "held of systems"
    if facts["pairs"] and pd.isna(facts["told apart"]):
        kinds["differences"] = "held of pairs"
    if not kinds:
        return ""
    if any(pd.isna(facts[name]) for name in kinds.values()):
        return f"Intervals by {measure} are not given: so few labels do not tell whether they hold."
    said = " and ".join(f"of {kind} in {facts[name]:.0%}" for kind, name in kinds.items())
    return (
        f"Intervals by {measure} are not given where too few labels make them: replayed with what "
        f"these labels teach, those {said} of cases would hold."
    )


def how_said(facts: Mapping[str, float]) -> str:
    """How it was found."""
    if facts["labelled"] == facts["documents"]:
        return "All documents are labelled: these are the scores under people's labels."
    return (
        "What people would say of each document is learned from their labels, the model's values "
        "and the runs; labels then correct that, each weighed by one over its probability to be "
        "chosen. Intervals are of what another choice of documents would have given; the topics "
        "are taken as they are. Which systems may be first holds for all of them at once."
    )
