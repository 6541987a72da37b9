"""What a collection holds, in a few numbers for the page's first screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

MOST_GRADES = 12
"""A bar of more grades is not drawn."""


@dataclass(frozen=True)
class Tile:
    """A number of the first screen, what it counts, and the shares of a bar beneath it."""

    value: str
    label: str
    note: str = ""
    shares: tuple[tuple[str, float], ...] = ()


def tiles(summary: pd.DataFrame, values: pd.DataFrame, sets: Sequence[str]) -> list[Tile]:
    """Systems, topics, labels with a bar of grades, and how far the top 10 is judged.

    From the tables ``audit/summary`` and ``audit/values``; labels are the first of `sets` of which
    they tell, others are counted.
    """
    facts = {(str(row.source), row.fact): (row.value, row.total) for row in summary.itertuples()}
    tiles = []
    if ("runs", "systems") in facts:
        tiles.append(Tile(f"{facts['runs', 'systems'][0]:,.0f}", "systems"))
    kinds = values.assign(set=values["set"].astype(str), kind=values["kind"].astype(str))
    named = {name: rows for name, rows in kinds.groupby("set", sort=False) if rows["count"].sum()}
    labels = next((name for name in sets if name in named), None)
    topics = next(
        (facts[source, "topics"][0] for source in (f"qrels {labels}", "runs")
         if (source, "topics") in facts), None)  # fmt: skip
    if topics is not None:
        tiles.append(Tile(f"{topics:,.0f}", "topics"))
    if labels is not None:
        rows = named[labels]
        total = rows["count"].sum()
        further = len(named) - 1
        more = f"{further} further {'set' if further == 1 else 'sets'}" if further else ""
        shares = tuple(zip(rows["written"].astype(str), rows["count"] / total, strict=True))
        shares = shares if len(shares) <= MOST_GRADES else ()
        tiles.append(Tile(f"{total:,.0f}", f"labels ({labels})", more, shares))
        judged = facts.get(
            (f"qrels {labels}", "top 10 documents that are judged, topics with qrels")
        )
        if judged and judged[1]:
            tiles.append(Tile(f"{judged[0] / judged[1]:.1%}", f"Judged@10 ({labels})"))
    return tiles
