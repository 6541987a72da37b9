"""What decides the evaluation?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from regrade.answers.changed import UNTESTED
from regrade.answers.shape import Answer
from regrade.answers.words import by_quantity, listed, named, percent
from regrade.kendall import TOLERANCE
from regrade.sweeps.counts import MEASURE, MOSTLY, choices_of, deciding, reversed_in
from regrade.sweeps.options import AXES
from regrade.sweeps.stage import Sweeps
from regrade.sweeps.sweep import Sweep
from regrade.wording import counted, to_be

if TYPE_CHECKING:
    from regrade.sweeps.label_sweep import LabelSweep

NAMES = {
    "labels": "the labels",
    "unjudged": "what unjudged documents count for",
    "pool": "the pool",
    "ties": "the order of ties",
    "measure": "the measure",
    "topics": "the topics",
    "test": "the test",
}
"""Axes, in a sentence."""

CHANGED = {
    "labels": "with the labels {}",
    "unjudged": "with unjudged documents taken as {}",
    "pool": "with the pool {}",
    "ties": "with ties broken by {}",
    "measure": "by {}",
    "topics": "over the topics {}",
    "test": "by the test {}",
}
"""A choice on each axis, in a sentence."""

FIRST = 3
"""How many first systems have a name."""


TABLES = tuple(f"sweeps/{name}" for name in ("facts", "axes", "systems", "pairs", "examples"))


def answer(sweep: Sweep, tables: Mapping[str, pd.DataFrame]) -> Answer:
    """What decides, what holds whatever one chooses, and what is concluded otherwise."""
    facts = by_quantity(tables["facts"])
    # tests alone leave every ranking as it is
    ranked = any(count > 1 for name, count in choices_of(sweep).items() if name != "test")
    return Answer.of(
        Sweeps.question,
        [
            decides_said(tables["axes"], facts),
            holds_said(facts, ranked=ranked),
            reversed_said(tables["pairs"], facts),
            first_said(tables["systems"], facts) if ranked else "",
            otherwise_said(sweep, tables, facts),
            halves_said(facts),
        ],
        method=f"{swept_said(sweep, facts)} Entries of an axis weigh the same.",
        tables=TABLES,
    )


def swept_said(sweep: Sweep, facts: Mapping[str, float]) -> str:
    """How many universes, over which axes, beside what."""
    baseline = sweep.design.baseline
    said = universes_said(sweep, NAMES)
    at = [CHANGED[name].format(baseline[name]) for name in ("measure", "labels", "test")]
    said += f"; the baseline ranks {counted(facts['systems'], 'system')} {', '.join(at)}."
    if out := int(facts["left out"]):
        said += f" {out:,} more cannot be, and {to_be(out)} left out."
    return said


def universes_said(sweep: Sweep | LabelSweep, names: Mapping[str, str]) -> str:
    """How many universes, and over which axes."""
    counts = choices_of(sweep)
    several = [f"{names[name]} ({count:,})" for name, count in counts.items() if count > 1]
    of = f" of {listed(several)}" if several else ", the baseline"
    return f"{counted(sweep.universes, 'combination')} of choices{of}"


def holds_said(facts: Mapping[str, float], *, ranked: bool = True) -> str:
    """How many conclusions hold in all universes; where rankings can differ, how many orders."""
    told, holds, mostly = (
        int(facts[name]) for name in ("told apart", "told apart and holds", "mostly holds")
    )
    ordered = int(facts["order holds"])
    if told == 1:
        changes = "keeps its conclusion" if holds else "does not keep its conclusion"
        said = f"The one pair that the baseline tells apart {changes} in every combination"
    elif told:
        said = (
            f"Of the {counted(told, 'pair')} of systems that the baseline tells apart, "
            f"{_count(holds)} {to_be(holds)} told apart the same whatever one "
            "chooses"
        )
        if mostly > holds:
            said += f", and {mostly:,} in {MOSTLY:.0%} of the combinations or more"
    else:
        is_one = facts["topics"] == 1
        said = UNTESTED[:-1] if is_one else "The baseline tells no pair of systems apart"
    if not ranked:
        return f"{said}."
    have = "has" if ordered == 1 else "have"
    of = f"of all {facts['pairs']:,.0f} pairs, {_count(ordered)} {have}"
    if facts["pairs"] == 1:
        of = "the two systems have" if ordered else "the two systems do not have"
    return f"{said}; {of} the same order in every combination."


def reversed_said(pairs: pd.DataFrame, facts: Mapping[str, float]) -> str:
    """Which pairs that the baseline tells apart are told the other way round, and how often."""
    if not facts["told apart"]:
        return ""
    if not facts["reversed"]:
        return (
            "No pair that the baseline tells apart is reversed (told apart the other way round) in "
            "any combination."
        )
    rows = pairs.assign(share=reversed_in(pairs))
    rows = rows[rows["share"] > 0].sort_values("share", ascending=False, kind="stable")
    shown = []
    for row in rows.head(FIRST).itertuples():
        # the better one at the baseline, where a test may say so of the lower mean
        ends = (row.system, row.other)[:: -1 if row.conclusion == "worse" else 1]
        shown.append(f"{' over '.join(ends)} (in {percent(row.share, 1)})")
    told, are = counted(facts["told apart"], "pair"), to_be(facts["reversed"])
    most = ", most often" if len(rows) > FIRST else ":"
    return (
        f"Of the {told} told apart {facts['reversed']:,.0f} {are} reversed "
        f"(told apart the other way round) in some combinations{most} {listed(shown)}."
    )


def first_said(systems: pd.DataFrame, facts: Mapping[str, float]) -> str:
    """Which systems are first, in what share of the universes."""
    overall = systems[systems["axis"].isna()]
    overall = overall.sort_values("share_first", ascending=False, kind="stable")
    first = overall[overall["share_first"] > 0]
    at_baseline = overall.loc[overall["baseline_rank"] == 1, "system"].tolist()
    always = first.loc[first["share_first"] > 1 - TOLERANCE, "system"].tolist()
    if len(first) == len(always):
        return f"{named(always, 'system')} {_is_first(always)} in every combination."
    shares = [
        f"{row.system} ({percent(row.share_first)})" for row in first.head(FIRST).itertuples()
    ]
    most = "the most" if len(first) > FIRST else "some"
    lead = f"{named(at_baseline, 'system')} {_is_first(at_baseline)} at the baseline"
    are = to_be(len(first))
    said = f"{lead}; first, alone or tied, in {most} combinations {are} {listed(shares)}"
    if len(first) > FIRST:
        said += f", of {facts['first in some']:,.0f} systems that are first in some"
    return f"{said}."


def _is_first(systems: Sequence[str]) -> str:
    return "is first" if len(systems) == 1 else "tie for first place"


def decides_said(axes: pd.DataFrame, facts: Mapping[str, float]) -> str:
    """Which axis has a part in most of the variance of rankings, and of conclusions."""
    axes = axes[axes["factorial"] == 1]
    varied = axes[axes["with_axis"].isna() & (axes["total"] > TOLERANCE)]
    varied = varied[varied["outcome"].isin(["tau", "otherwise"])]
    if not len(varied):
        if "tau" not in {*axes["outcome"]} and facts["order holds"] < facts["pairs"]:
            return (
                "Which choice decides is not said: in some combinations all systems are tied, "
                "where rankings have no τ_b."
            )
        return "No choice decides: nothing varies."
    parts = [
        (deciding(axes, "tau"), "how systems are ranked"),
        (deciding(axes, "otherwise"), "which pairs are concluded otherwise"),
    ]
    parts = [(row, what) for row, what in parts if row is not None]
    if not parts:
        return ""
    shares = [f"{what} ({row['share']:.0%} of the variance)" for row, what in parts]
    names = [NAMES[row["axis"]] for row, _ in parts]
    if len({*names}) == 1:
        said = f"{names[0]} {_decide(parts[0][0]['axis'])} most about {listed(shares)}"
    else:
        said = "; ".join(
            f"{name} {_decide(row['axis'])} most about {share}"
            for name, share, (row, _) in zip(names, shares, parts, strict=True)
        )
    if MEASURE in {*varied["axis"]}:
        said = f"within a measure, {said}"
    return f"{said[0].upper()}{said[1:]}."


def _decide(axis: str) -> str:
    return "decide" if _is_plural(axis) else "decides"


def _is_plural(axis: str) -> bool:
    return axis in ("labels", "topics")


def most_of(axes: pd.DataFrame, outcome: str) -> pd.Series | None:
    """The row of the axis with a part in most of an outcome's variance; ``None``: no variance."""
    rows = axes[
        (axes["outcome"] == outcome) & axes["with_axis"].isna() & (axes["total"] > TOLERANCE)
    ]
    if not len(rows):
        return None
    return rows.sort_values("total", ascending=False, kind="stable").iloc[0]


def otherwise_said(
    sweep: Sweep, tables: Mapping[str, pd.DataFrame], facts: Mapping[str, float]
) -> str:
    """With how many other choices pairs are concluded otherwise, and an example."""
    if facts["topics"] == 1:
        return ""
    if not len(tables["examples"]):
        return "No pair is concluded otherwise in any combination."
    fewest, count = int(facts["fewest choices"]), int(facts["otherwise with the fewest"])
    choices = "one other choice" if fewest == 1 else f"{fewest} other choices"
    of = counted(facts["pairs"], "pair")
    said = [f"{count:,} of {of} {to_be(count)} concluded otherwise with {choices}"]
    if facts["otherwise with more"]:
        said.append(f"{facts['otherwise with more']:,.0f} only with more")
    if facts["never otherwise"]:
        said.append(f"{facts['never otherwise']:,.0f} in no combination")
    return f"{listed(said)}.{_example_said(sweep, tables)}"


def halves_said(facts: Mapping[str, float]) -> str:
    """What the topics alone change."""
    if np.isnan(facts["halves"]):
        return ""
    return (
        "For comparison, two random halves of the topics disagree about "
        f"{counted(facts['halves'], 'pair')} at the baseline, on average."
    )


def _example_said(sweep: Sweep, tables: Mapping[str, pd.DataFrame]) -> str:
    """A pair told apart at the baseline, of the first systems, that one choice tells otherwise."""
    examples = tables["examples"]
    rows = examples[(examples["changed_choices"] == 1) & (examples["conclusion"] == "better")]
    if not len(rows):
        return ""
    changes = rows["changes"].astype(str).str.partition(": ")
    is_many = [_is_many(sweep, *row) for row in zip(changes[0], changes[2], strict=True)]
    best = rows.iloc[int(np.argmin(is_many))]
    axis, _, choice = best["changes"].partition(": ")
    becomes = {
        "worse": f"but {best['other']} is better",
        "not told apart": "but the two are not told apart",
    }[best["becomes"]]
    return (
        f" For example, {best['system']} is better than {best['other']}, {becomes} "
        f"{CHANGED[axis].format(choice)}."
    )


def _is_many(sweep: Sweep, axis: str, choice: str) -> bool:
    """Whether a choice is one of many that its entry stands for."""
    if axis == "labels":
        return not any(one.entry.text == choice or choice.startswith(f"{one.entry.text} (")
                       for one in sweep.labels if len(one) == 1)  # fmt: skip
    own = sweep.design.conditions.axes[AXES.index(axis) - 1]
    return bool(own.sizes[own.levels.index(choice)] > 1)


def _count(count: int) -> str:
    return f"{count:,}" if count else "none"
