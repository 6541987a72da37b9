"""The tables of which documents carry a judge's favour, arranged from those of ``favour``."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from regrade.favours.items import FAVOUR
from regrade.show.published import (
    Tables,
    as_text,
    col,
    crossed,
    estimate,
    listing,
    melted,
    tidy_beside,
)

ITEMS = FAVOUR.by_name
PAIR = ("measure", "judge", "family")
PEERS = {"all": "all systems", "equal": "equal quality"}
LABELS = {"all": "all", "equal": "of equal grade"}


def table_documents(documents: pd.DataFrame) -> Tables:
    """A line for each judge, family, comparison and group of documents."""
    keys = [*PAIR, "beside", "peers", "carriers"]
    rows = as_text(documents, keys).rename(columns={"carried_share": "carried share"})
    tidy = _tidied("table-documents", rows, keys, ["carried", "low", "high", "carried share"])
    rows = rows.assign(peers=rows["peers"].map(PEERS))
    return tidy, listing(
        rows,
        *map(col, keys),
        estimate("carried", "low", "high", ".3f", "part (95% CI)"),
        col("carried share", ".0%", "share of the favour"),
        col("of_ideal", ".3f", "of the ideal"),
    )


def table_document_labels(document_labels: pd.DataFrame) -> Tables:
    """A line for each judge, family and group of documents."""
    keys = [*PAIR, "carriers"]
    counts = ["documents", "unlabelled", "topics"]
    labels = {"reference": "reference", "judge_label": "judge", "control": "control"}
    rows = as_text(document_labels, keys)
    tidy = _tidied("table-document-labels", rows, keys, [*counts, *labels])
    named = [col(name, ".2f", f"mean label, {title}") for name, title in labels.items()]
    return tidy, listing(rows, *map(col, keys), *(col(name, ",.0f") for name in counts), *named)


def table_unique_labels(unique_labels: pd.DataFrame) -> Tables:
    """A line for each judge, family and comparison."""
    keys = [*PAIR, "beside", "peers"]
    rows = as_text(unique_labels, keys)
    tidy = _tidied("table-unique-labels", rows, keys, ["difference", "low", "high", "p_adjusted"])
    rows = rows.assign(peers=rows["peers"].map(LABELS))
    return tidy, listing(
        rows,
        *map(col, keys[:-1]),
        col("peers", title="other documents"),
        estimate("difference", "low", "high", ".3f", "difference (95% CI)"),
        col("p_adjusted", ".3f", "p (Holm)"),
    )


def table_document_grades(document_grades: pd.DataFrame) -> Tables:
    """A line for each judge, family, group of documents and grade of the reference."""
    item = ITEMS["table-document-grades"]
    names = [*PAIR, "carriers", "reference", "grade"]
    grades = document_grades.assign(
        **{name: document_grades[name].map("{:g}".format) for name in ("reference", "grade")}
    )
    return crossed(item, as_text(grades, names), value="documents")


def table_top_documents(top_documents: pd.DataFrame, *, limit: int) -> Tables:
    """A line for each document, those with the largest parts of a favour first."""
    keys = [*PAIR, "topic", "docno"]
    rows = as_text(top_documents, keys).groupby([*PAIR], sort=False).head(limit)
    counts, grades = ["systems", "others"], ["reference", "grade", "control"]
    tidy = _tidied("table-top-documents", rows, keys, ["carried", *counts, *grades])
    titles = {"systems": "systems of the family", "others": "other systems"}
    titles |= {"reference": "grade, reference", "grade": "grade, judge", "control": "control"}
    return tidy, listing(
        rows,
        *map(col, keys),
        col("carried", ".4f", "part"),
        *(col(name, ".0f", titles[name]) for name in counts),
        *(col(name, "g", titles[name]) for name in grades),
    )


def _tidied(
    item: str, rows: pd.DataFrame, keys: Sequence[str], quantities: Sequence[str]
) -> pd.DataFrame:
    return tidy_beside(ITEMS[item], melted(rows, [*keys], "quantity", [*quantities]))
