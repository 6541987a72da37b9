"""The tables of a sweep of labels, arranged from what its stage made."""

from __future__ import annotations

import pandas as pd

from regrade.show.published import Tables, as_text, col, listing, melted, number, tidy_beside
from regrade.sweeps.items import SWEEPS
from regrade.sweeps.tables import share, table_sentences

ITEMS = SWEEPS.by_name

SHARED = {"alpha": "α with the reference", "relabelled": "documents with another level"}
"""Outcomes of a universe, as tables name them."""

PLACES = ("low", "q1", "median", "q3", "high")


def table_label_answer(answer: pd.DataFrame, facts: pd.DataFrame) -> Tables:
    """The sentences; the tidy table has the numbers that they are made of."""
    return table_sentences(ITEMS["table-label-answer"], answer, facts)


def table_label_entries(entries: pd.DataFrame) -> Tables:
    """Outcomes over the universes of each entry: least, quartiles, median, greatest."""
    rows = as_text(entries, ["axis", "entry"]).replace({"axis": {"": "all"}})
    keys = ["axis", "entry", "outcome"]
    tidy = tidy_beside(
        ITEMS["table-label-entries"],
        melted(rows.astype({"outcome": str}), keys, "quantity", ["universes", *PLACES]),
    )
    lines: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows.itertuples():
        line = lines.setdefault((row.axis, row.entry), {"universes": f"{row.universes:,}"})
        digits = [number(getattr(row, place), 3) for place in PLACES]
        low, q1, median, q3, high = digits
        line[f"{SHARED[row.outcome]}: median"] = median
        line[f"{SHARED[row.outcome]}: interquartile range"] = f"{q1} to {q3}" if median else ""
        line[f"{SHARED[row.outcome]}: range"] = f"{low} to {high}" if median else ""
    shown = [{"axis": axis, "entry": entry, **line} for (axis, entry), line in lines.items()]
    return tidy, pd.DataFrame(shown)


def table_label_documents(documents: pd.DataFrame, *, limit: int) -> Tables:
    """The documents that the most labels give another level than the baseline, by weight."""
    rows = documents[~documents["holds"].astype(bool)].astype({"topic": str, "docno": str})
    rows = rows.sort_values(["same", "topic", "docno"], kind="stable").head(limit)
    tidy = tidy_beside(
        ITEMS["table-label-documents"],
        melted(rows, ["topic", "docno"], "quantity", ["grade", "same", "low", "high"]),
    )
    return tidy, listing(
        rows, col("topic"), col("docno", title="document"),
        col("grade", "z.0f", "at the baseline"), share("same", "the same under"),
        col("low", "z.0f", "least"), col("high", "z.0f", "greatest"),
        col("otherwise_at", title="another under most of"),
    )  # fmt: skip
