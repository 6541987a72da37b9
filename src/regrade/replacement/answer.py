"""Can this judge replace people?

The light is fine for a yes, a problem for a no; where the topics do not tell, look.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from regrade.answers.pair_tests import CORRECTED
from regrade.answers.shape import FINE, LOOK, PROBLEM, Answer
from regrade.answers.table import AnswerColumn, AnswerTable
from regrade.answers.words import by_quantity, listed, named, of_measure
from regrade.catalogue import ALL_TOPICS
from regrade.replacement.annotators import PASSES
from regrade.replacement.judge_replacement import APART, COPY, LEFT_OUT, PERSON, VERDICT
from regrade.replacement.margins import NO, UNKNOWN, YES
from regrade.replacement.stage import Replace
from regrade.wording import counted, number

TABLES = tuple(f"replace/{name}" for name in ("lines", "annotators", "facts", "topics"))
OF_SYSTEMS = ("replace/top", "replace/changes", "replace/systems")

FAILING = 3
"""Topics that are named."""

LIGHTS = {YES: FINE, NO: PROBLEM, UNKNOWN: LOOK}


def answer(tables: Mapping[str, pd.DataFrame]) -> Answer:
    """The answer from the tables of the stage ``replace``, by name."""
    facts = of_measure(tables["facts"], ALL_TOPICS)
    numbers = by_quantity(facts)
    notes = dict(zip(facts["quantity"].astype(str), facts["note"].astype(str), strict=True))
    lines = tables["lines"].astype({"measure": str, "quantity": str})
    word = notes[VERDICT]
    measures = [one for one in dict.fromkeys(lines["measure"]) if one != ALL_TOPICS]
    sentences = [
        verdict(lines, word, numbers, notes),
        annotator_test(tables["annotators"], numbers),
    ]
    if measures:
        sentences += [
            changed_pairs(tables["changes"], measures[0], notes),
            first_systems(tables["top"], tables["systems"], measures[0], numbers, notes),
        ]
    return Answer.of(
        Replace.question,
        sentences,
        key=key(numbers),
        light=LIGHTS[word],
        rows=line_table(lines, tables["facts"], numbers, notes),
        method=method(lines, numbers, notes),
        notes=[*fallen_out(lines, tables["facts"], numbers, notes), *lacking(numbers, notes),
               *failing(tables["topics"])],
        tables=(*TABLES, *(OF_SYSTEMS if measures else ())),
    )  # fmt: skip


def people_of(notes: Mapping[str, str]) -> list[str]:
    """The names of further people."""
    return [name for quantity, name in notes.items() if quantity.startswith(PERSON)]


def verdict(
    lines: pd.DataFrame, word: str, numbers: Mapping[str, float], notes: Mapping[str, str]
) -> str:
    """The one verdict, and on how many lines it rests."""
    judge, count = notes["judge"], numbers["lines"]
    if not count:
        return f"Whether {judge} can replace people is not known: no line has a margin."
    every = counted(count, "line")
    if word == YES:
        are = "the one line is within its margin" if count == 1 else f"all {every} are"
        margins = "" if count == 1 else " within their margins"
        return f"{judge} can replace people: {are}{margins} (95% CIs)."
    if word == NO:
        beyond = lines[lines["verdict"].astype(str) == NO]
        names = listed([plain_name(row) for row in beyond.itertuples()])
        few = f" ({names})" if len(beyond) <= 2 else ""
        are = "is" if len(beyond) == 1 else "are"
        return (
            f"{judge} cannot replace people: {len(beyond)} of {every}{few} {are} beyond the margin "
            "(simultaneous 95% CIs)."
        )
    within = numbers[YES]
    are = "is" if within == 1 else "are"
    return (
        f"Whether {judge} can replace people is not known: {within:,.0f} of {every} {are} within "
        "the margin, and none is beyond."
    )


def key(numbers: Mapping[str, float]) -> str:
    """How many lines are within their margins."""
    within, every = numbers[YES], numbers["lines"]
    return f"{within:,.0f} of {counted(every, 'line')} within the margin" if every else ""


NAMES = {
    "alpha": "α with people",
    "epsilon": "advantage over people",
    "tau": "τ_b",
    "tau_ap": "τ_ap",
    "top": "top {note} in common",
    "level": "level",
    "spread": "spread",
    "pairs": "pairs changed",
    "favour": "favour ({note})",
}
"""Of the lines."""


def plain_name(row) -> str:
    """What a line is called."""
    return NAMES[str(row.quantity)].format(note=row.note)


def margin_text(row) -> str:
    """``≥ −0.10``, ``≤ 0.10``, ``±0.05`` or ``0.80–1.25``."""
    low, high = row.margin_low, row.margin_high
    if pd.isna(low) and pd.isna(high):
        return ""
    if pd.isna(high):
        return f"≥ {_short(low)}"
    if pd.isna(low):
        return f"≤ {_short(high)}"
    return f"±{_short(high)}" if low == -high else f"{_short(low)}–{_short(high)}"


def _short(value: float) -> str:
    return f"{value:.3g}".replace("-", "−")


def line_table(
    lines: pd.DataFrame,
    facts: pd.DataFrame,
    numbers: Mapping[str, float],
    notes: Mapping[str, str],
) -> AnswerTable | None:
    """The card: a row for each line."""
    has_people = numbers["people"] > 0
    measures = [one for one in dict.fromkeys(lines["measure"]) if one != ALL_TOPICS]
    second = [AnswerColumn("2nd person", "number")] * has_people
    of = [AnswerColumn("measure")] * (len(measures) > 1)
    columns = [
        AnswerColumn("line"), *of, AnswerColumn("judge", "number"), *second,
        AnswerColumn("Δ", "estimate"), AnswerColumn("margin"), AnswerColumn("within margin"),
    ]  # fmt: skip
    cells = (
        (plain_name(row),
         *(["" if row.measure == ALL_TOPICS else row.measure] * (len(measures) > 1)),
         row.judge_value, *([row.second_value] * has_people), (row.value, row.low, row.high),
         margin_text(row), "" if pd.isna(row.verdict) else row.verdict)
        for row in lines.itertuples()
    )  # fmt: skip
    size = f"{counted(numbers['documents'], 'document')} of {counted(numbers['topics'], 'topic')}"
    parts = [f"{notes['judge']} for {notes['reference']}", *measures[:1], size]
    systems = facts[facts["quantity"].astype(str) == "systems"]["value"]
    if len(systems):
        parts.insert(-1, counted(systems.iloc[0], "system"))
    return AnswerTable.of(" · ".join(parts), columns, cells)


def annotator_test(annotators: pd.DataFrame, numbers: Mapping[str, float]) -> str:
    """The result of the alternative annotator test, as published."""
    if not len(annotators):
        return ""
    rate = numbers["winning rate"]
    epsilon = np.nan_to_num(numbers["margin epsilon"])
    passed = "passed" if rate >= PASSES else "not passed"
    return (
        f"The alternative annotator test (ε = {epsilon:g}) is {passed}: "
        f"winning rate ω = {number(rate, 2)}, advantage probability ρ = "
        f"{number(numbers['advantage probability'], 2)} ({len(annotators)} people, "
        "Benjamini–Yekutieli)."
    )


def changed_pairs(changes: pd.DataFrame, measure: str, notes: Mapping[str, str]) -> str:
    """How many pairs of systems gain or lose significance, and of how many the change is real."""
    of = of_measure(changes, measure)
    if not len(of):
        return ""
    judge, people = of.iloc[0], of.iloc[1:]
    sentence = (
        f"{judge['changed']:,.0f} of {counted(judge['pairs'], 'pair')} of systems change "
        f"significance under {notes['judge']} ({judge['gained']:,.0f} gained, "
        f"{judge['lost']:,.0f} lost)."
    )
    if pd.isna(judge["significant_changes"]) or not judge["changed"]:
        return sentence
    second, real = "", int(judge["significant_changes"])
    if len(people):
        counts = people["significant_changes"]
        low, high = (f"{end:,.0f}" for end in (counts.min(), counts.max()))
        second = f"; {low if low == high else f'{low} to {high}'} under a second person"
    changes = "change is" if real == 1 else "changes are"
    return (
        f"{sentence} {real:,} {changes} individually significant (test of the difference of "
        f"differences, Benjamini–Hochberg{second})."
    )


def first_systems(
    top: pd.DataFrame,
    systems: pd.DataFrame,
    measure: str,
    numbers: Mapping[str, float],
    notes: Mapping[str, str],
) -> str:
    """Whether the first system is the same, and how many pairs among the first reverse."""
    of, ranked = of_measure(top, measure), of_measure(systems, measure)
    of = of[of["k"] == numbers["top"]]
    if not len(of):
        return ""
    row = of.iloc[0]
    best = ranked[ranked["first_rank"] == 1]
    first = [str(one) for one in best["system"]]
    ranks = sorted({int(one) for one in best["judge_rank"]})
    are = "has rank" if len(first) == 1 else "have rank"
    place = listed(ranks) if len(ranks) <= 3 else f"{ranks[0]} to {ranks[-1]}"
    others = int((ranked["judge_rank"] == ranks[0]).sum()) - 1
    if len(first) == 1 and others:
        place += f" (tied with {counted(others, 'other system')})"
    turned = (
        f" {row['reversed']:,.0f} of {counted(row['pairs'], 'pair')} among the top "
        f"{numbers['top']:g} are reversed."
        if row["pairs"] and numbers["top"] < len(ranked)
        else ""
    )
    system = named(first, "top system")
    first_of = f"{system}, first under {notes['reference']}"
    return f"{first_of}, {are} {place} under {notes['judge']}.{turned}"


def fallen_out(
    lines: pd.DataFrame,
    facts: pd.DataFrame,
    numbers: Mapping[str, float],
    notes: Mapping[str, str],
) -> Iterator[str]:
    """Which lines are left out, and why."""
    apart = facts[facts["quantity"].astype(str) == APART]
    judge, reference = notes["judge"], notes["reference"]
    if not numbers["people"]:
        yield (
            "Without labels of a further person (`--control`), lines are compared with equal "
            "labels, and agreement has no margin."
        )
    if not numbers["one scale"]:
        yield (
            f"{judge} is on another scale than {reference}: α, the alternative annotator test and "
            "bias by grade are not computed (`regrade cut` maps values on a finer scale to grades)."
        )
    elif numbers["people"] and "epsilon" not in set(lines["quantity"]):
        yield "The alternative annotator test is not computed: no person has 30 documents."
    if "tau" in set(lines["quantity"]) and "top" not in set(lines["quantity"]):
        yield f"The top {numbers['top']:g} are not compared: there are no more systems."
    for quantity, why in notes.items():
        if quantity.startswith(LEFT_OUT):
            yield f"{why}."
    if lines["value"].notna().any() and lines["low"].isna().all():
        few = counted(numbers["topics"], "topic")
        yield f"With {few} there are no confidence intervals, so no line has a verdict."
    if names := {row.measure: row.note for row in apart.itertuples()}:
        for measure, families in names.items():
            by = f" ({measure})" if len(names) > 1 else ""
            yield (
                f"{families}: too few other systems of similar quality under {reference}, so not "
                f"part of the line of favour{by}."
            )
    copies = [name for name in people_of(notes) if f"{COPY}{name}" in notes]
    for name in ([judge] if numbers["identical labels"] else []) + copies:
        yield f"{name} and {reference} are identical labels."


def lacking(numbers: Mapping[str, float], notes: Mapping[str, str]) -> Iterator[str]:
    """How many documents are not compared."""
    whole, shared = numbers["reference"], numbers["documents"]
    if whole > shared:
        sizes = {name: numbers[f"{PERSON}{name}"] for name in people_of(notes)}
        lack = [f"{name} labelled {size:,.0f}" for name, size in sizes.items() if size < whole]
        if without := numbers["documents without a label of the judge"]:
            lack.insert(0, f"{without:,.0f} have no label of {notes['judge']}")
        yield (
            f"{shared:,.0f} of {whole:,.0f} documents of {notes['reference']} are labelled in all "
            f"sets{f' ({listed(lack)})' if lack else ''}; the others count as unjudged in all."
        )


def failing(topics: pd.DataFrame) -> Iterator[str]:
    """On which topics the judge fails most."""
    measure = topics["measure"].astype(str).iloc[0]
    of = topics[(topics["measure"].astype(str) == measure) & (topics["failure"] > 0)]
    first = of.head(FAILING)
    if not len(first):
        return
    names = [f"{row.topic}{f' ({row.reason})' if row.reason else ''}" for row in first.itertuples()]
    of_what = "grades" if measure == ALL_TOPICS else measure
    yield f"Topics with the largest differences in {of_what}: {listed(names)} (`--table topics`)."


def method(lines: pd.DataFrame, numbers: Mapping[str, float], notes: Mapping[str, str]) -> str:
    """What was compared, the margins and intervals, and the rule."""
    people, quantities = people_of(notes), set(lines["quantity"])
    sets = listed([notes["reference"], notes["judge"], *people])
    topics = counted(numbers["topics"], "topic")
    documents = f"{counted(numbers['documents'], 'document')} of {topics}"
    parts = [f"All lines use {documents} that {sets} all labelled."]
    if people:
        mean = "" if len(people) == 1 else f", the mean of {listed(people)}"
        parts.append(f"Δ is the judge's value less a second person's{mean}.")
    else:
        parts.append("Δ is the judge's value less that of equal labels.")
    own = {
        "level": "the mean difference of scores (level)",
        "spread": "the ratio of standard deviations of system means (spread)",
        "favour": "the difference in differences of the deciding family (favour)",
    }
    if special := [text for name, text in own.items() if name in quantities]:
        parts.append(f"Exceptions: Δ is {listed(special)}.")
    parts.append(
        "A line is within its margin if its 95% CI is, and beyond it if its CI corrected for "
        f"{counted(numbers['lines'], 'line')} is (Bonferroni)."
    )
    parts.append(
        "The verdict is yes if all lines are within, no if any is beyond, and else not known."
    )
    how = ["Student's t over topics"]
    if {"alpha", "epsilon", "level"} & quantities:
        how.append("Hall's correction for skewness if wider")
    favour = "; favour has simultaneous CIs (max-t)" if "favour" in quantities else ""
    parts.append(
        f"CIs are by {listed(how)} ({numbers['resamples']:,.0f} bootstrap samples, seed "
        f"{numbers['seed']:g}){favour}."
    )
    if "alpha" in quantities:
        parts.append(f"α is Krippendorff's ({notes['metric']}, all documents).")
    if "pairs" in quantities:
        parts.append(
            f"Pairs of systems: paired t-test, α = {numbers['significance']:g}, "
            f"{CORRECTED[notes['correction']]}."
        )
    return " ".join(parts)
