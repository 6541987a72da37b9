"""Which orders of systems are possible where each score has a range: sentences and a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from regrade.answers.table import AnswerColumn, AnswerTable
from regrade.answers.words import NAMED, by_quantity, listed, named, of_measure, unless_certain
from regrade.wording import counted


def numbers_of(numbers: pd.DataFrame, measure: str) -> Mapping[str, float]:
    """The numbers of one measure, by quantity."""
    return by_quantity(of_measure(numbers, measure))


def first_place(ranks: pd.DataFrame, condition: str) -> str:
    """Which systems rank first whatever happens, or may."""
    possible = ranks.loc[ranks["rank_low"] == 1, "system"].astype(str).tolist()
    certain = ranks.loc[ranks["rank_high"] == 1, "system"].astype(str).tolist()
    if possible == certain:
        rank = "ranks" if len(certain) == 1 else "rank"
        return f"{named(certain, 'system')} {rank} first {condition}"
    names = listed(possible) if len(possible) <= NAMED else counted(len(possible), "system")
    return unless_certain(f"{names} may rank first", len(possible), len(ranks))


def rank_range(first: int, last: int) -> str:
    """``44–55``, or the only rank."""
    return f"{first:.0f}" if first == last else f"{first:.0f}–{last:.0f}"


def range_table(
    ranks: pd.DataFrame,
    measures: Sequence[str],
    topics: float,
    ends: tuple[str, str],
    interval: str,
    share: tuple[str, str],
    unbounded: Sequence[str] = (),
) -> AnswerTable | None:
    """All systems by the first of some measures, with the ranges of score and rank.

    Parameters
    ----------
    ranks
        Rows of measure and system.
    measures
        The first has scores, each a range of ranks but those that are `unbounded`.
    topics
        How many scores are means over.
    ends, interval
        The columns that hold the ends of a score's range, and what that range is called.
    share
        A column of a share of the system's documents, and what it is called.
    """
    own = of_measure(ranks, measures[0]).astype({"system": str})
    ranges = {
        m: {
            str(row.system): rank_range(row.rank_low, row.rank_high)
            for row in of_measure(ranks, m).itertuples()
        }
        for m in measures
        if m not in unbounded and len(own) > 1
    }
    first, others = measures[0] in ranges, [m for m in measures[1:] if m in ranges]
    columns = [
        AnswerColumn("rank", "count"), AnswerColumn("system"),
        AnswerColumn(measures[0], "estimate", interval=interval),
        *([AnswerColumn("rank range")] if first else []), AnswerColumn(share[1], "share"),
        *(AnswerColumn(f"{m} rank range") for m in others),
    ]  # fmt: skip
    rows = (
        (row["rank"], row["system"], (row["value"], row[ends[0]], row[ends[1]]),
         *([ranges[measures[0]][row["system"]]] if first else []), row[share[0]],
         *(ranges[m][row["system"]] for m in others))
        for row in own.to_dict("records")
    )  # fmt: skip
    n = f"{counted(len(own), 'system')} · {counted(topics, 'topic')}"
    return AnswerTable.of(f"{measures[0]} · {n}", columns, rows)
