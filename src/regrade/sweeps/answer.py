"""What a sweep says, in sentences made of its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from regrade.sweeps.options import AXES
from regrade.sweeps.sweep import Sweep

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

PART = 0.005
"""A smaller share of the variance is not worth a sentence."""

MOSTLY = 0.95
"""A conclusion of as large a share of the universes, by weight, nearly holds."""


def answer_table(sweep: Sweep, tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The table ``sweeps/answer``: what holds whatever one chooses, what does not, and why."""
    facts = tables["facts"].set_index("quantity")["value"]
    rows = [
        ("swept", swept_said(sweep, facts)),
        ("holds", holds_said(facts, tables["pairs"])),
        ("first", first_said(tables["systems"])),
        ("decides", decides_said(tables["axes"])),
        ("turns", turns_said(sweep, tables, facts)),
    ]
    return pd.DataFrame(rows, columns=["part", "said"])


def swept_said(sweep: Sweep, facts: pd.Series) -> str:
    """How many universes, over which axes, beside what."""
    baseline = sweep.design.baseline
    said = universes_said(sweep, NAMES)
    at = [CHANGED[name].format(baseline[name]) for name in ("measure", "labels", "test")]
    said += f"; the baseline ranks {counted(int(facts['systems']), 'system')} {', '.join(at)}."
    if out := int(facts["left out"]):
        said += f" {out:,} more cannot be, and {'is' if out == 1 else 'are'} left out."
    return said


def universes_said(sweep: Sweep | LabelSweep, names: Mapping[str, str]) -> str:
    """How many universes, and over which axes."""
    counts = {"labels": int(sweep.counts.sum())}
    counts |= {axis.name: len(axis) for axis in sweep.design.conditions.axes}
    several = [f"{names[name]} ({count:,})" for name, count in counts.items() if count > 1]
    of = f" of {joined(several)}" if several else ", the baseline"
    return f"{counted(sweep.universes, 'combination')} of choices{of}"


def holds_said(facts: pd.Series, of_pairs: pd.DataFrame) -> str:
    """How many conclusions hold in all universes, and how many orders."""
    told, holds = int(facts["told apart"]), int(facts["told apart and holds"])
    pairs, ordered = int(facts["pairs"]), int(facts["order holds"])
    is_told = of_pairs["conclusion"] != "not told apart"
    mostly = int((is_told & (of_pairs["told_better"] >= MOSTLY)).sum())
    ordered_said = f"{_count(ordered)} {'has' if ordered == 1 else 'have'}"
    if told:
        said = (
            f"Of the {counted(told, 'pair')} of systems that the baseline tells apart, "
            f"{_count(holds)} {'is' if holds == 1 else 'are'} told apart the same whatever one "
            "chooses"
        )
        if mostly > holds:
            said += f", and {mostly:,} in {MOSTLY:.0%} of the combinations or more"
    else:
        said = "The baseline tells no pair of systems apart"
    said += f"; of all {pairs:,} pairs, {ordered_said} the same order in every combination."
    return said


def first_said(systems: pd.DataFrame) -> str:
    """Which systems are first, in what share of the universes."""
    overall = systems[systems["axis"].isna()]
    overall = overall.sort_values("share_first", ascending=False, kind="stable")
    first = overall[overall["share_first"] > 0]
    at_baseline = overall.loc[overall["baseline_rank"] == 1, "system"].tolist()
    always = first.loc[first["share_first"] > 1 - 1e-12, "system"].tolist()
    if len(first) == len(always):
        return f"{joined(always)} {_is_first(always)} in every combination."
    shares = [f"{row.system} ({row.share_first:.0%})" for row in first.head(FIRST).itertuples()]
    most = "the most" if len(first) > FIRST else "some"
    said = f"{joined(at_baseline)} {_is_first(at_baseline)} at the baseline; first, alone or tied,"
    said += f" in {most} combinations {'is' if len(first) == 1 else 'are'} {joined(shares)}"
    if len(first) > FIRST:
        said += f", of {len(first)} systems that are first in some"
    return f"{said}; entries of an axis weigh the same."


def _is_first(systems: Sequence[str]) -> str:
    return "is first" if len(systems) == 1 else "tie for first place"


def decides_said(axes: pd.DataFrame) -> str:
    """Which axis has a part in most of the variance, and which in the second most."""
    axes = axes[axes["factorial"] == 1]
    said = [
        depends_said(axes, "tau", "how like the baseline's ranking (τ_b) a ranking is", NAMES),
        depends_said(axes, "otherwise", "how many pairs are concluded otherwise", NAMES),
    ]
    text = "; ".join(filter(None, said))
    return f"{text[0].upper()}{text[1:]}." if text else "Nothing varies: no choice decides."


def depends_said(axes: pd.DataFrame, outcome: str, what: str, names: Mapping[str, str]) -> str:
    """On which axes an outcome, `what` in words, depends most; nothing where it does not vary."""
    rows = axes[(axes["outcome"] == outcome) & axes["with_axis"].isna() & (axes["total"] > 1e-12)]
    rows = rows.sort_values("total", ascending=False, kind="stable")
    if not len(rows):
        return ""
    best = rows.iloc[0]
    said = (
        f"{what} depends most on {names[best['axis']]}, with a part in {best['total']:.0%} of its "
        f"variance ({best['first_order']:.0%} by itself)"
    )
    if len(rows) > 1 and rows.iloc[1]["total"] >= PART:
        said += f", then on {names[rows.iloc[1]['axis']]} ({rows.iloc[1]['total']:.0%})"
    return said


def turns_said(sweep: Sweep, tables: Mapping[str, pd.DataFrame], facts: pd.Series) -> str:
    """With how many other choices conclusions turn, an example, and what the topics alone do."""
    text = "No conclusion about a pair turns in any combination."
    if len(tables["examples"]):
        counts = _counts_said(tables["examples"]["changed_choices"], int(facts["pairs"]))
        text = f"{counts}.{_example_said(sweep, tables)}"
    if not np.isnan(facts["halves"]):
        text += (
            " Beside that, the topics alone: at the baseline, one half of them concludes otherwise "
            f"than the other about {facts['halves']:,.0f} pairs, in the mean of splits at random."
        )
    return text


def _counts_said(changed: pd.Series, pairs: int) -> str:
    """How many conclusions turn with the fewest other choices, with more, and never."""
    counts = changed.value_counts().sort_index()
    fewest, count = int(counts.index[0]), int(counts.iloc[0])
    choices = "one other choice" if fewest == 1 else f"{fewest} other choices"
    turn = "turns" if count == 1 else "turn"
    said = [f"{count:,} of {counted(pairs, 'conclusion')} {turn} with {choices}"]
    if len(counts) > 1:
        said.append(f"{int(counts.iloc[1:].sum()):,} only with more")
    if len(changed) < pairs:
        said.append(f"{pairs - len(changed):,} in no combination")
    return joined(said)


def _example_said(sweep: Sweep, tables: Mapping[str, pd.DataFrame]) -> str:
    """A pair told apart at the baseline that turns with one choice, of the first systems."""
    examples, systems = tables["examples"], tables["systems"]
    rows = examples[(examples["changed_choices"] == 1) & (examples["conclusion"] == "better")]
    if not len(rows):
        return ""
    rank = systems[systems["axis"].isna()].set_index("system")["baseline_rank"]
    changes = rows["changes"].astype(str).str.partition(": ")
    is_many = [_is_many(sweep, *row) for row in zip(changes[0], changes[2], strict=True)]
    order = pd.DataFrame(
        {
            "many": is_many,
            "first": rows["system"].map(rank),
            "second": rows["other"].map(rank),
        },
        index=rows.index,
    )
    best = rows.loc[order.sort_values([*order], kind="stable").index[0]]
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


def joined(parts: Sequence[str]) -> str:
    """``a, b and c``: all of them."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def counted(count: int, noun: str) -> str:
    """``1,234 pairs``."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def _count(count: int) -> str:
    return f"{count:,}" if count else "none"
