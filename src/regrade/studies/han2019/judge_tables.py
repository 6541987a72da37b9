"""Tables of cuts per judge, and of cuts used elsewhere, which go past han2019."""

from __future__ import annotations

import pandas as pd

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.scales import exactly
from regrade.show.item_tables import Names
from regrade.show.published import Tables, col, each, estimate, listing, text, with_ends
from regrade.studies.han2019.trust_tables import of_transformation, searched

OF_MATRICES = ("workers", "topics")
"""Of whose matrices the table shows the means; the others' cells are few."""


def table_judges(
    judges: pd.DataFrame, *, searches: Names = None, source: str = "", levels: int | None = None
) -> Tables:
    """Over the judges with a cut: their own beside that of all others, in sample and held out.

    The tidy table has every judge.
    """
    rows = searched(judges, searches)
    means = rows[rows["judge"] == ALL_TOPICS]
    readable = listing(
        means, col("search"), col("n_judges", ",.0f", "judges with a cut"),
        col("n_few", ",.0f", "too few"), col("alpha", ".3f", "α of own cut"),
        col("others_alpha", ".3f", "α of the others' cut"),
        col("held_out", ".3f", "own, held out"), col("held_out_others", ".3f", "others', held out"),
        estimate("difference", "low", "high", ".3f", "own less others', held out"),
        col("p", ".4f"), col("note"),
    )  # fmt: skip
    return of_transformation(rows, source, levels), readable


def table_transfer(
    transfer: pd.DataFrame, *, searches: Names = None, source: str = "", levels: int | None = None
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
    readable = listing(
        shown, col("search"), col("by", title="between"),
        each("chosen on", lambda row: _all(row.chosen_on, "all together")),
        each("used on", lambda row: _all(row.used_on, "each, mean")),
        col("selection", title="choice"), each("cut", _cut), each("by", _quantity),
        col("value", ".3f"), col("own", ".3f", "own best cut"),
        estimate("lost", "low", "high", ".3f", "lost"), col("note"),
    )  # fmt: skip
    return of_transformation(rows, source, levels), readable


def table_aggregated(
    aggregated: pd.DataFrame, *, source: str = "", levels: int | None = None
) -> Tables:
    """Many judges' labels as one, before and after cutting."""
    when = {"before": "after it", "after": "before it"}
    readable = listing(
        aggregated, col("reference"),
        each("labels as one by", lambda row: row.vote.replace("_", " ")),
        each("cut", lambda row: when[row.when]), col("selection", title="choice"),
        each("best cut", _cut), col("n_cuts", ",.0f", "of cuts"), each("by", _quantity),
        col("value", ".3f"), col("held_out", ".3f", "held out"),
        estimate("difference", "low", "high", ".3f", "less the first"), col("note"),
    )  # fmt: skip
    return aggregated.assign(source=source, levels=levels), readable


def table_fewer(
    fewer: pd.DataFrame, *, searches: Names = None, source: str = "", levels: int | None = None
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
        line |= {"a document": "all" if first["everything"] else text(k, ",.0f")}
        line |= {name: text(first[of], ",.0f") for name, of in COUNTS.items()}
        for row in own.itertuples():
            by = _quantity(row)
            name = by if by == "regret" else f"{by}, {row.selection}"
            line[name] = with_ends(row.estimate, row.low, row.high)
        lines.append(line | {"note": text(first["note"])})
    return of_transformation(rows, source, levels), pd.DataFrame(lines).fillna("")


COUNTS = {"judgments": "cost", "samples": "samples"}


def _quantity(row: tuple) -> str:
    names = {"alpha": "α", "tau": "τ_b"}
    expert = f" {row.expert}" if pd.notna(row.expert) else ""
    return names.get(row.quantity, str(row.quantity)) + expert


def _all(name: str, every: str) -> str:
    return every if name == ALL_TOPICS else str(name)


def _cut(row: tuple) -> str:
    cut = (getattr(row, name) for name in CUT_COLUMNS)
    return ", ".join(exactly(value) for value in cut if pd.notna(value))
