"""Tables of cuts per judge, and of cuts used elsewhere, which go past han2019."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.scales import exactly
from regrade.show.published import Tables
from regrade.studies.han2019.trust_tables import (
    interval_text,
    number_text,
    p_text,
    searched,
    texts,
)

OF_MATRICES = ("workers", "topics")
"""Of whose matrices the table shows the means; the others' cells are few."""


def table_judges(
    judges: pd.DataFrame,
    *,
    searches: Sequence[str] | None = None,
    source: str = "",
    levels: int | None = None,
) -> Tables:
    """Over the judges with a cut: their own beside that of all others, in sample and held out.

    The tidy table has every judge.
    """
    rows = searched(judges, searches)
    means = rows[rows["judge"] == ALL_TOPICS]
    readable = pd.DataFrame(
        {
            "search": means["search"],
            "judges with a cut": means["n_judges"].map(_count),
            "too few": means["n_few"].map(_count),
            "α of own cut": means["alpha"].map(number_text),
            "α of the others' cut": means["others_alpha"].map(number_text),
            "own, held out": means["held_out"].map(number_text),
            "others', held out": means["held_out_others"].map(number_text),
            "own less others', held out": _intervals(means, "difference"),
            "p": means["p"].map(p_text),
            "note": texts(means["note"]),
        }
    )
    return rows.drop(columns="search").assign(source=source, levels=levels), readable


def table_transfer(
    transfer: pd.DataFrame,
    *,
    searches: Sequence[str] | None = None,
    source: str = "",
    levels: int | None = None,
) -> Tables:
    """What cuts lose where others use them.

    The tidy table has every cell; the readable one the means of matrices of workers and topics, and
    the cells of transformations and collections.
    """
    rows = searched(transfer, searches)
    few = ~rows["by"].isin(OF_MATRICES) | (rows["used_on"] == ALL_TOPICS)
    own = rows["chosen_on"].astype(str) == rows["used_on"].astype(str)
    shown = rows[few & (~own | (rows["used_on"] == ALL_TOPICS))]
    shown = shown[shown["lost"].notna() | shown["note"].notna()]
    readable = pd.DataFrame(
        {
            "search": shown["search"],
            "between": shown["by"].astype(str),
            "chosen on": shown["chosen_on"].astype(str).replace(ALL_TOPICS, "all together"),
            "used on": shown["used_on"].astype(str).replace(ALL_TOPICS, "each, mean"),
            "choice": shown["selection"].astype(str),
            "cut": [_cut(row) for row in shown.to_dict("records")],
            "by": _quantities(shown),
            "value": shown["value"].map(number_text),
            "own best cut": shown["own"].map(number_text),
            "lost": _intervals(shown, "lost"),
            "note": texts(shown["note"]),
        }
    )
    return rows.drop(columns="search").assign(source=source, levels=levels), readable


def table_aggregated(
    aggregated: pd.DataFrame, *, source: str = "", levels: int | None = None
) -> Tables:
    """Many judges' labels as one, before and after cutting."""
    readable = pd.DataFrame(
        {
            "reference": texts(aggregated["reference"]),
            "labels as one by": aggregated["vote"].astype(str).str.replace("_", " "),
            "cut": aggregated["when"].map({"before": "after it", "after": "before it"}).astype(str),
            "choice": aggregated["selection"].astype(str),
            "best cut": [_cut(row) for row in aggregated.to_dict("records")],
            "of cuts": aggregated["n_cuts"].map(_count),
            "by": _quantities(aggregated),
            "value": aggregated["value"].map(number_text),
            "held out": aggregated["held_out"].map(number_text),
            "less the first": _intervals(aggregated, "difference"),
            "note": texts(aggregated["note"]),
        }
    )
    return aggregated.assign(source=source, levels=levels), readable


def table_fewer(
    fewer: pd.DataFrame,
    *,
    searches: Sequence[str] | None = None,
    source: str = "",
    levels: int | None = None,
) -> Tables:
    """What so many judges of each document cost, and what α and τ_b are with them.

    The readable table has a column for each choice and quantity.
    """
    rows = searched(fewer, searches)
    shown = rows[rows["selection"].isin(("per-topic", "single", "best"))]
    lines = []
    keys = ["search", "drawn", "per_document"]
    for (search, drawn, k), own in shown.groupby(keys, sort=False, observed=True):
        first = own.iloc[0]
        line = {"search": search, "judges of": str(drawn)}
        line |= {"a document": "all" if first["everything"] else _count(k)}
        line |= {"judgments": _count(first["cost"]), "samples": _count(first["samples"])}
        for by, row in zip(_quantities(own), own.to_dict("records"), strict=True):
            name = by if by == "regret" else f"{by}, {row['selection']}"
            line[name] = interval_text(row["estimate"], row["low"], row["high"])
        lines.append(line | {"note": "" if pd.isna(first["note"]) else first["note"]})
    readable = pd.DataFrame(lines).fillna("")
    return rows.drop(columns="search").assign(source=source, levels=levels), readable


def _quantities(rows: pd.DataFrame) -> list[str]:
    names = {"alpha": "α", "tau": "τ_b"}
    return [
        names.get(row["quantity"], str(row["quantity"]))
        + (f" {row['expert']}" if pd.notna(row["expert"]) else "")
        for row in rows.to_dict("records")
    ]


def _cut(row: dict) -> str:
    return ", ".join(exactly(row[name]) for name in CUT_COLUMNS if pd.notna(row[name]))


def _count(value: float) -> str:
    return "" if pd.isna(value) else f"{value:,.0f}"


def _intervals(rows: pd.DataFrame, name: str) -> list[str]:
    return [interval_text(row[name], row["low"], row["high"]) for row in rows.to_dict("records")]
