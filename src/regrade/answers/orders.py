"""Which orders of systems are possible where each score has a range, in sentences."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from regrade.answers.words import NAMED, by_quantity, listed, named, of_measure, unless_certain
from regrade.kendall import TOLERANCE
from regrade.wording import counted, to_be


def first_said(ranks: pd.DataFrame, whatever: str) -> str:
    """Which systems are first, or may be."""
    first = ranks.loc[ranks["rank_low"] == 1, "system"].astype(str).tolist()
    sure = ranks.loc[ranks["rank_high"] == 1, "system"].astype(str).tolist()
    if first == sure:
        is_first = to_be(len(first))
        return f"{named(first, 'system')} {is_first} first {whatever}."
    may_be = listed(first) if len(first) <= NAMED else counted(len(first), "system")
    return unless_certain(f"{may_be} may be first.", len(first), len(ranks))


def widest_said(ranks: pd.DataFrame, measure: str, low: str, high: str) -> str:
    """The system whose score has the widest range, and the ranks that it may have."""
    width = (ranks[high] - ranks[low]).to_numpy(float)
    if not width.max() > TOLERANCE:
        return ""
    row = ranks.iloc[int(width.argmax())]
    ends = f"{row[low]:.3f} to {row[high]:.3f}"
    said = f"The {measure} of {row['system']} has the widest range, {ends}"
    if row["rank_low"] == row["rank_high"]:
        return f"{said}: its rank stays {row['rank_low']}."
    spread = row["rank_high"] - row["rank_low"]
    rank = f": its rank may be {row['rank_low']} to {row['rank_high']}"
    return f"{said}{unless_certain(rank, spread, len(ranks) - 1)}."


def numbers_of(numbers: pd.DataFrame, measure: str) -> Mapping[str, float]:
    """The numbers of one measure, by quantity."""
    return by_quantity(of_measure(numbers, measure))
