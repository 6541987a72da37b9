"""What other labels change among systems, in sentences: of two sets, and of a cut."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from regrade.answers.glossary import PRESERVED
from regrade.answers.words import CONFIDENCE_INTERVAL, listed, signed, with_interval
from regrade.wording import counted, to_be

MOVERS = 3
"""How many of the systems that move furthest have a name."""


def reordered_said(
    changing: str,
    systems: int,
    tau: float,
    moving: int,
    farthest: int,
    measure: str,
    ends: tuple[float, float] = (np.nan, np.nan),
    *,
    beyond_chance: bool = False,
    interval: str = CONFIDENCE_INTERVAL,
) -> str:
    """How alike two rankings are, in words where the interval of τ_b supports them.

    Largely preserved is a ranking where the interval lies above `PRESERVED`. Reordered are systems
    where it lies below, and the change is `beyond_chance`: more than what other topics change too.
    """
    if systems == 1:
        return f"{changing} reorders nothing: there is one system."
    if pd.isna(tau):
        return f"{changing} cannot be judged by {measure}: all {systems:,} systems score the same."
    all_of = counted(systems, "system")
    if not moving:
        return f"{changing} leaves the {all_of} in the same order by {measure}."
    change = "changes" if moving == 1 else "change"
    moves = f"{moving:,} {change} rank, by at most {farthest:,}"
    low, high = ends
    correlation = tau_said(tau, ends, interval)
    if is_preserved(low):
        ranking = f"largely preserves the ranking of the {all_of} by {measure}"
        return f"{changing} {ranking}, {correlation}: {moves}."
    if high < PRESERVED and beyond_chance:
        return f"{changing} reorders the {all_of} by {measure}, {correlation}: {moves}."
    rankings = f"the two rankings of the {all_of} by {measure}"
    return f"{changing} gives {correlation} between {rankings}: {moves}."


def is_preserved(low: float) -> bool:
    """Whether the lower end of the interval of τ_b, as it is written, is high enough."""
    return round(low, 2) >= PRESERVED


def tau_said(tau: float, ends: tuple[float, float], interval: str = CONFIDENCE_INTERVAL) -> str:
    """``τ_b = 0.91 (95% CI 0.84 to 0.98)``; without an interval where there is none."""
    return f"τ_b = {with_interval(tau, *ends, interval=interval)}"


UNTESTED = "Of one topic no pair of systems can be tested."
"""In place of pairs that differ significantly."""


def pairs_said(counts: Mapping[str, float], only_second: str, only_first: str) -> str:
    """For how many pairs of systems significance changes."""
    if not counts["pairs"]:
        return ""
    if pd.isna(counts["by_topics"]):
        return UNTESTED
    appears, disappears, reverses = (counts[name] for name in ("appears", "disappears", "reverses"))
    if not appears + disappears + reverses:
        if counts["pairs"] == 1:
            return "The significance of the pair does not change."
        return f"Significance changes for none of {counts['pairs']:,.0f} pairs."
    differ = "differs" if appears == 1 else "differ"
    reverse = "reverses" if reverses <= 1 else "reverse"
    return (
        f"Of {counted(counts['pairs'], 'pair')}, {appears:,.0f} {differ} significantly only "
        f"{only_second}, {disappears:,.0f} only {only_first}; "
        f"{f'{reverses:,.0f}' if reverses else 'none'} {reverse}."
    )


def topics_said(row: Mapping[str, float], before: str, changes: float) -> str:
    """How many pairs two draws of topics change, and of how many `changes` the change is tested."""
    if pd.isna(row["by_topics"]) or not (changes or round(row["by_topics"])):
        return ""
    count = counted(row["by_topics"], "pair")
    if pd.notna(row["low"]):
        count += f" (95% of draws {row['low']:,.0f} to {row['high']:,.0f})"
    alone = f"Topic sampling alone would change the significance of {count} {before}"
    if not changes:
        return f"{alone}."
    if pd.isna(row["told"]):
        return f"{alone}; the topics are too few to test the changes themselves."
    return (
        f"{alone}; {row['told']:,.0f} of the {counted(changes, 'change')} {to_be(row['told'])} "
        "significant (test of the difference of differences, Benjamini and Hochberg)."
    )


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
