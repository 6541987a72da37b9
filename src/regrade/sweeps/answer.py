"""Which choices decide the evaluation?

The light is fine where every significant pair keeps its conclusion in all combinations, a problem
where one is significantly reversed in some.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from regrade.answers.shape import FINE, LOOK, PROBLEM, Answer
from regrade.answers.table import AnswerColumn, AnswerTable
from regrade.answers.words import by_quantity, listed, named, percent
from regrade.kendall import TOLERANCE
from regrade.ranking.answer import CORRECTED, TESTS
from regrade.sweeps.counts import MEASURE, MOSTLY, choices_of, shares_within_measure
from regrade.sweeps.options import BY_DATASET, SCORE_AXES
from regrade.sweeps.stage import Sweeps
from regrade.sweeps.sweep import Sweep
from regrade.wording import counted

if TYPE_CHECKING:
    from regrade.sweeps.label_sweep import LabelSweep

NAMES = {
    "labels": "the labels",
    "unjudged": "unjudged documents",
    "pool": "the pool",
    "ties": "tie-breaking",
    "measure": "the measure",
    "topics": "the topics",
    "test": "the test",
    "reference": "the reference",
    "metric": "the metric",
    "scores": "the scores",
    "average": "the averaging",
    "items": "the items",
}
"""Axes, in a sentence."""

PLURAL = ("labels", "unjudged", "topics", "scores", "items")
"""Axes whose name is a plural."""

OUTCOMES = {"tau": "rankings", "changed_pairs": "conclusions"}
"""Outcomes whose variance is shared out, in a sentence."""

FIRST = 3
"""How many systems that rank first have a name."""

TABLES = tuple(f"sweeps/{name}" for name in ("facts", "axes", "systems", "pairs", "examples"))


def answer(sweep: Sweep, tables: Mapping[str, pd.DataFrame]) -> Answer:
    """Which choices decide, what holds whatever one chooses, and what changes."""
    facts = by_quantity(tables["facts"])
    # tests alone leave every ranking as it is
    is_ranked = any(count > 1 for name, count in choices_of(sweep).items() if name != "test")
    text = Answer.of(
        Sweeps.question,
        [
            deciding_choices(tables["axes"], facts),
            conclusions(facts),
            first_place(tables["systems"], facts) if is_ranked else "",
            changed_conclusions(tables["examples"], facts),
        ],
        key=key(facts),
        light=light(facts),
        rows=axis_table(sweep, tables["axes"], facts),
        method=method(sweep, tables["axes"], facts),
        tables=TABLES,
    )
    if sweep.design.axes != SCORE_AXES:
        return text
    return text.about_items().with_notes(sweep.runs.notes)


def deciding_choices(axes: pd.DataFrame, facts: Mapping[str, float]) -> str:
    """Which axis has most of the variance of rankings within a measure, and of conclusions."""
    axes = axes[axes["factorial"] == 1]
    varied = axes[axes["with_axis"].isna() & (axes["total"] > TOLERANCE)]
    if not varied["outcome"].isin([*OUTCOMES]).any():
        if "tau" not in {*axes["outcome"]} and facts["order holds"] < facts["pairs"]:
            return (
                "The deciding choice is undetermined: all systems tie in some combinations, where "
                "τ_b is undefined."
            )
        return (
            "No choice has an effect: rankings and conclusions are the same in every combination."
        )
    largest = {}
    for outcome in OUTCOMES:
        for axis, share in [*shares_within_measure(axes, outcome).items()][:1]:
            largest[outcome] = (axis, share)
    if not largest:
        return ""  # what alone varies has all of the variance
    (axis, share), *others = largest.values()
    first, *_ = largest
    account = "account" if axis in PLURAL else "accounts"
    name = NAMES[axis][0].upper() + NAMES[axis][1:]
    sentence = f"{name} {account} for {percent(share)} of the variance in {OUTCOMES[first]}"
    for other, part in others:
        own = "" if other == axis else f"{NAMES[other]} for "
        sentence += f" and {own}{percent(part)} in {OUTCOMES['changed_pairs']}"
    within = ", within a measure" if MEASURE in {*varied["axis"]} else ""
    return f"{sentence} (total effects{within})."


def conclusions(facts: Mapping[str, float]) -> str:
    """How many significant pairs keep their conclusion, and how many are reversed."""
    significant, holds, mostly, reversals = (
        int(facts[name])
        for name in ("significant", "significant and holds", "holds in most", "reversed")
    )
    if not significant:
        if facts["topics"] == 1:
            return "With one topic, no pair of systems can be tested."
        return "No pair of systems differs significantly at the baseline."
    if significant == 1:
        keeps = "keeps" if holds else "does not keep"
        sentence = f"The only pair significant at the baseline {keeps} its conclusion"
    else:
        number = f"{holds:,} of the" if holds else "None of the"
        number = "All" if holds == significant else number
        keeps = "keeps its" if holds <= 1 else "keep their"
        sentence = f"{number} {significant:,} pairs significant at the baseline {keeps} conclusion"
    sentence += " in all combinations"
    if mostly > holds and significant > 1:
        sentence += f" ({mostly:,} in at least {MOSTLY:.0%})"
    if holds == significant:
        return f"{sentence}."
    if not reversals:
        return f"{sentence}; {'none' if significant > 1 else 'it never'} reverses significantly."
    reverse = f"{reversals:,} {'reverses' if reversals == 1 else 'reverse'}"
    reverse = reverse if significant > 1 else "it reverses"
    return f"{sentence}; {reverse} significantly in some."


def first_place(systems: pd.DataFrame, facts: Mapping[str, float]) -> str:
    """Which systems rank first, in what share of the combinations, and how many orders hold."""
    overall = systems[systems["axis"].isna()]
    overall = overall.sort_values("share_first", ascending=False, kind="stable")
    first = overall[overall["share_first"] > 0]
    always = first.loc[first["share_first"] > 1 - TOLERANCE, "system"].tolist()
    if facts["pairs"] == 1:
        orders = "the two systems have the same order in every combination"
        orders = orders if facts["order holds"] else orders.replace("have", "do not have")
    else:
        number = f"{facts['order holds']:,.0f}" if facts["order holds"] else "none"
        have = "has" if facts["order holds"] <= 1 else "have"
        orders = f"{number} of {facts['pairs']:,.0f} pairs {have} the same order in all"
    if len(first) == len(always):
        rank = "ranks" if len(always) == 1 else "rank"
        return f"{named(always, 'system')} {rank} first in every combination; {orders}."
    most, *others = first.head(FIRST).itertuples()
    shares = [
        f"{most.system}{_at_baseline(most)} ranks first (alone or tied) in "
        f"{percent(most.share_first)} of combinations",
        *(f"{row.system}{_at_baseline(row)} in {percent(row.share_first)}" for row in others),
    ]
    if (more := len(first) - FIRST) > 0:
        shares.append(f"{more:,} further {'system' if more == 1 else 'systems'} in some")
    return f"{listed(shares)}; {orders}."


def _at_baseline(row: tuple) -> str:
    return " (first at the baseline)" if row.baseline_rank == 1 else ""


def changed_conclusions(examples: pd.DataFrame, facts: Mapping[str, float]) -> str:
    """On how many pairs few other choices change the conclusion, and other topics."""
    if facts["topics"] == 1:
        return ""
    halves = ""
    if pd.notna(facts["halves"]):
        pairs = counted(facts["halves"], "pair")
        halves = f"; two random halves of the topics disagree on {pairs} on average"
    if not len(examples):
        return f"No combination changes the conclusion on any pair{halves}."
    fewest, count = int(facts["fewest choices"]), facts["changed with the fewest"]
    pairs = counted(facts["pairs"], "pair")
    of = "the pair" if facts["pairs"] == 1 else f"{count:,.0f} of {pairs}"
    if fewest == 1:
        return f"A single different choice changes the conclusion on {of}{halves}."
    return f"{fewest} different choices change the conclusion on {of}, fewer on none{halves}."


def key(facts: Mapping[str, float]) -> str:
    """How many significant pairs keep their conclusion; without any, how many keep their order."""
    if facts["significant"]:
        holds, pairs = facts["significant and holds"], facts["significant"]
        if pairs == 1:
            return f"the only significant pair {'holds' if holds else 'does not hold'} throughout"
        hold = "holds" if holds == 1 else "hold"
        return f"{holds:,.0f} of {pairs:,.0f} significant pairs {hold} throughout"
    return f"{facts['order holds']:,.0f} of {counted(facts['pairs'], 'pair')} keep their order"


def light(facts: Mapping[str, float]) -> str:
    """Whether significant pairs keep their conclusion."""
    if not facts["significant"]:
        return ""
    if facts["reversed"]:
        return PROBLEM
    return FINE if facts["significant and holds"] == facts["significant"] else LOOK


def axis_table(sweep: Sweep, axes: pd.DataFrame, facts: Mapping[str, float]) -> AnswerTable | None:
    """The axes with several choices: their shares of the variance of both outcomes."""
    rows = axes[(axes["factorial"] == 1) & axes["with_axis"].isna()]
    total = {
        outcome: dict(zip(of["axis"].astype(str), of["total"], strict=True))
        for outcome in OUTCOMES
        for of in [rows[rows["outcome"] == outcome]]
    }
    is_within = choices_of(sweep)[MEASURE] > 1
    within = {
        outcome: shares_within_measure(axes, outcome) if is_within else {} for outcome in OUTCOMES
    }
    outcomes = [outcome for outcome in OUTCOMES if within[outcome]]
    if not any(total.values()):
        return None
    columns = [
        AnswerColumn("choice"), AnswerColumn("levels", "count"),
        *(AnswerColumn(name, "share") for name in OUTCOMES.values()),
        *(AnswerColumn(f"{OUTCOMES[name]} within a measure", "share") for name in outcomes),
    ]  # fmt: skip
    cells = (
        (NAMES[name].removeprefix("the "), count, *(total[o].get(name) for o in OUTCOMES),
         *(within[o].get(name) for o in outcomes))
        for name, count in choices_of(sweep).items() if count > 1
    )  # fmt: skip
    n = f"{counted(facts['systems'], 'system')} · {counted(facts['topics'], 'topic')}"
    title = f"Shares of variance · {combinations(sweep)} · {n}"
    return AnswerTable.of(title, columns, cells)


def combinations(sweep: Sweep | LabelSweep) -> str:
    """How many universes there are."""
    return counted(sweep.universes, "combination")


def axes_listed(sweep: Sweep | LabelSweep) -> str:
    """The axes with several choices, and how many these are."""
    several = [
        f"{NAMES[name].removeprefix('the ')} ({count:,})"
        for name, count in choices_of(sweep).items()
        if count > 1
    ]
    return f" of {listed(several)}" if several else ""


def method(sweep: Sweep, axes: pd.DataFrame, facts: Mapping[str, float]) -> str:
    """What was combined, the outcomes, and how their variance was shared out."""
    at, first = sweep.design.baseline, sweep.design.first
    test, _, correction = at["test"].partition("/")
    were = "was" if sweep.universes == 1 else "were"
    parts = [
        f"{combinations(sweep)}{axes_listed(sweep)} {were} evaluated on "
        f"{counted(facts['systems'], 'system')} and {counted(facts['topics'], 'topic')}.",
        f"The baseline was {at['measure']} with {first} {at[first]} and the two-sided "
        f"{TESTS[test]} ({CORRECTED[correction]}).",
    ]
    if "data sets" in facts:
        same = "data set" if at["average"] == BY_DATASET else "item"
        sets = counted(facts["data sets"], "data set")
        parts.append(f"The items are of {sets}, and each {same} counted the same there.")
    if "clusters" in facts:
        clusters = counted(facts["clusters"], "cluster")
        parts.append(f"The items are of {clusters}, which were sampled whole.")
    if out := int(facts["left out"]):
        parts.append(f"{counted(out, 'impossible combination')} {'was' if out == 1 else 'were'} "
                     "left out.")  # fmt: skip
    if len(axes):
        parts.append(
            "Outcomes were Kendall's τ_b with the baseline's ranking and the number of pairs whose "
            "conclusion (significantly better, significantly worse or neither, "
            f"α = {facts['significance']:g}) differed from the baseline's. Shares of their "
            "variance are total effects in the complete factorial, interactions included, with "
            "entries of an axis weighted equally."
        )
    if choices_of(sweep)[MEASURE] > 1:
        parts.append("Shares within a measure are of what the measure's main effect leaves.")
    if pd.notna(facts["halves"]):
        parts.append(
            f"Halves of topics were compared at the baseline ({facts['splits']:.0f} random splits, "
            f"seed {facts['seed']:.0f})."
        )
    return " ".join(parts)
