"""What other labels change among systems, in sentences: of two sets, and of a cut."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from regrade.answers.words import listed, signed, with_ends
from regrade.wording import counted

REORDERED = ((0.99, "hardly"), (0.9, "little"), (0.7, "somewhat"))
"""Least τ_b of the two rankings → how much systems are said to be reordered; below, much."""

MOVERS = 3
"""How many of the systems that move furthest have a name."""


def reordered_said(
    changing: str, systems: int, tau: float, moving: int, farthest: int, measure: str
) -> str:
    """How much systems change places."""
    if systems == 1:
        return f"{changing} reorders nothing: there is one system."
    if pd.isna(tau):
        return f"{changing} cannot be judged by {measure}: all {systems:,} systems score the same."
    all_of = counted(systems, "system")
    if not moving:
        return f"{changing} leaves the {all_of} in the same order by {measure}."
    much = next((word for least, word in REORDERED if tau >= least), "much")
    change = "changes" if moving == 1 else "change"
    return (
        f"{changing} reorders the {all_of} {much} by {measure} (τ_b {signed(tau)}): {moving:,} "
        f"{change} rank, by at most {farthest:,}."
    )


UNTESTED = "Of one topic no pair of systems can be tested."
"""In place of pairs that differ significantly."""


def pairs_said(counts: Mapping[str, float], only_second: str, only_first: str) -> str:
    """For how many pairs of systems significance changes."""
    if not counts["pairs"]:
        return ""
    if pd.isna(counts["by_topics"]):
        return UNTESTED
    appears, disappears, reverses = (counts[name] for name in ("appears", "disappears", "reverses"))
    differ = "differs" if appears == 1 else "differ"
    reverse = "reverses" if reverses <= 1 else "reverse"
    return (
        f"Of {counted(counts['pairs'], 'pair')}, {appears:,.0f} {differ} significantly only "
        f"{only_second}, {disappears:,.0f} only {only_first}; "
        f"{f'{reverses:,.0f}' if reverses else 'none'} {reverse}."
    )


def topics_said(row: Mapping[str, float], before: str) -> str:
    """How many pairs two draws of topics change, and of how many the change itself is told."""
    if pd.isna(row["by_topics"]):
        return ""
    alone = with_ends(row["by_topics"], row["low"], row["high"], 0)
    said = f"Two draws of topics {before} alone change {alone}"
    if pd.isna(row["told"]):
        return f"{said}; the topics are too few to test the change itself."
    told = f"{row['told']:,.0f}" if row["told"] else "none"
    return f"{said}; {told} of the changes can be told from chance."


def ties_said(beside: str, tau: float, low: float, high: float) -> str:
    """What the order of documents of one score makes of τ_b, where it shows."""
    if pd.isna(low) or f"{low:.2f}" == f"{high:.2f}" == f"{tau:.2f}":
        return ""
    return (
        f"How runs order documents of one score decides how like the ranking {beside} is: τ_b lies "
        f"between {signed(low)} and {signed(high)}."
    )


def movers(systems: pd.DataFrame, count: int) -> pd.DataFrame:
    """The systems that move furthest, by measure; those that stay are left out."""
    found = systems.sort_values("move", key=abs, ascending=False, kind="stable")
    found = found[found["move"] != 0].groupby("measure", sort=False, observed=True).head(count)
    order = list(dict.fromkeys(systems["measure"]))
    return found.sort_values("measure", key=lambda m: m.map(order.index), kind="stable")


def movers_said(systems: pd.DataFrame) -> str:
    """Which systems of one measure move furthest, from where to where."""
    found = [
        f"{row.system} from {row.first_rank} to {row.second_rank}"
        for row in movers(systems, MOVERS).itertuples()
    ]
    return f"Furthest: {listed(found)}." if found else ""
