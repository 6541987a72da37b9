"""What a sweep says, in sentences made of its tables."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from regrade.evaluations.sentences import listed
from regrade.sweeps.options import AXES
from regrade.sweeps.sweep import Sweep

NAMES = {
    "labels": "labels",
    "unjudged": "what unjudged documents count for",
    "pool": "the pool",
    "ties": "the order of ties",
    "measure": "the measure",
    "topics": "the topics",
    "test": "the test",
}
"""Axes, in a sentence."""


def answer_table(sweep: Sweep, tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The table ``sweeps/answer``: what holds whatever one chooses, what does not, and why."""
    facts = tables["facts"].set_index("quantity")["value"]
    rows = [
        ("swept", swept_said(sweep, facts)),
        ("holds", holds_said(facts)),
        ("first", first_said(tables)),
        ("decides", decides_said(tables["axes"])),
        ("turns", turns_said(tables["examples"], facts)),
    ]
    return pd.DataFrame(rows, columns=["part", "said"])


def swept_said(sweep: Sweep, facts: pd.Series) -> str:
    """How many universes, over which axes."""
    conditions = sweep.design.conditions
    counts = [("labels", int(sweep.counts.sum()))]
    counts += [(axis.name, len(axis)) for axis in conditions.axes]
    axes = listed([f"{name} ({count:,})" for name, count in counts if count > 1])
    said = f"{int(facts['universes']):,} combinations of choices of {axes or 'nothing'}."
    if facts["left out"]:
        said += f" {int(facts['left out']):,} more cannot be."
    return said


def holds_said(facts: pd.Series) -> str:
    """How many conclusions hold in all universes, beside what halves of the topics change."""
    told, holds = int(facts["told apart"]), int(facts["told apart and holds"])
    said = (
        f"Of {told:,} pairs of systems that the baseline tells apart, {holds:,} are told apart the "
        f"same in every combination; {int(facts['order holds']):,} of all {int(facts['pairs']):,} "
        "pairs have the same order in all."
    )
    if not np.isnan(facts["halves"]):
        said += (
            f" At the baseline, two halves of the topics differ about {facts['halves']:.0f} pairs."
        )
    return said


def first_said(tables: Mapping[str, pd.DataFrame]) -> str:
    """Which systems are first, in what share of the universes."""
    systems = tables["systems"]
    overall = systems[systems["axis"].isna()].sort_values("share_first", ascending=False)
    first = overall[overall["share_first"] > 0]
    shares = [f"{row.system} ({row.share_first:.0%})" for row in first.head(3).itertuples()]
    more = f" and {len(first) - 3} more" if len(first) > 3 else ""
    if len(first) == 1:
        return f"{first['system'].iloc[0]} is first in every combination."
    return f"First are, weighted by choices, {listed(shares)}{more}."


def decides_said(axes: pd.DataFrame) -> str:
    """Which axis has a part in most of the variance."""
    said = []
    for outcome, what in (("tau", "how alike the baseline systems are ranked"),
                          ("otherwise", "how many conclusions are others")):  # fmt: skip
        rows = axes[(axes["outcome"] == outcome) & (axes["factorial"] == 1)]
        rows = rows[rows["with_axis"].isna() & rows["total"].notna()]
        if len(rows):
            best = rows.sort_values("total", ascending=False).iloc[0]
            said.append(
                f"of {what}, {NAMES[best['axis']]} (a part in {best['total']:.0%} of the "
                f"variance, {best['first_order']:.0%} by itself)"
            )
    return f"What decides most: {'; '.join(said)}." if said else "Nothing varies."


def turns_said(examples: pd.DataFrame, facts: pd.Series) -> str:
    """How near the nearest universe is in which conclusions turn."""
    near = examples[examples["changed_choices"] == 1]
    axis = near["changes"].astype(str).str.split(":").str[0].value_counts()
    each = [f"{NAMES[name]} ({axis[name]:,})" for name in AXES if name in axis]
    said = f"{len(near):,} of {int(facts['pairs']):,} conclusions turn with one other choice"
    return f"{said}: {', '.join(each)}." if each else f"{said}."
