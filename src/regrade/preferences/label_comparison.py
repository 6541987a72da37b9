"""Scores of documents, and what answers say of them, beside labels (yang2019 §5.3.2)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue import columns_of
from regrade.tables import as_frame

_NAMES = {"topic": str, "docno": str}


def by_document(table: pd.DataFrame, column: str = "grade") -> pd.Series:
    """A column of labels or scores by topic and document, whose names become strings."""
    return table.astype(_NAMES).set_index(["topic", "docno"])[column]


def of_side(rows: pd.DataFrame, side: str, known: pd.Series) -> np.ndarray:
    """(n,) float64: what is known of the document on a side of each row; NaN where nothing is."""
    wanted = pd.MultiIndex.from_arrays([rows["topic"].astype(str), rows[side].astype(str)])
    return known.reindex(wanted).to_numpy(dtype=float)


def with_labels(table: pd.DataFrame, labels: pd.DataFrame) -> pd.DataFrame:
    """Rows of documents with the documents' labels, ``grade``; NaN where a document has none."""
    table = table.astype(_NAMES)
    return table.assign(grade=of_side(table, "docno", by_document(labels)))


def label_values(
    scores: pd.DataFrame, references: Mapping[str, pd.DataFrame]
) -> dict[str, pd.DataFrame]:
    """Labels of the documents that have scores, and the scores of each method, by name."""
    scored = scores.astype(_NAMES)
    documents = scored[["topic", "docno"]].drop_duplicates()
    values = {
        name: labels.astype(_NAMES).merge(documents).rename(columns={"grade": "value"})
        for name, labels in references.items()
    }
    methods = scored.groupby("method", sort=False, observed=True)
    return values | {method: some[["topic", "docno", "value"]] for method, some in methods}


def labelled_documents(
    scores: pd.DataFrame, labels: pd.DataFrame, reference: str = "reference"
) -> pd.DataFrame:
    """Each document's scores and its label (Figures 5.5 and 5.7)."""
    table = with_labels(scores[["method", "topic", "docno", "value"]], labels)
    return table.assign(reference=reference)[columns_of("preferences/documents")]


def raw_scores(
    preferences: pd.DataFrame | pa.Table, labels: pd.DataFrame, reference: str = "reference"
) -> pd.DataFrame:
    """The numbers that people give documents to express ratios, by label (Figure 5.8)."""
    frame = as_frame(preferences)
    sides = ("left_score", "right_score")
    if not set(sides) <= set(frame.columns):
        return pd.DataFrame(columns=columns_of("preferences/raw"))
    numbers = pd.concat(
        frame[["topic", side, f"{side}_score"]].set_axis(["topic", "docno", "number"], axis=1)
        for side in ("left", "right")
    )
    numbers = with_labels(numbers.astype({"number": float}).dropna(subset=["number"]), labels)
    table = numbers.groupby(["topic", "grade"], dropna=False).agg(
        documents=("docno", "nunique"),
        answers=("number", "size"),
        # in an order of additions that rows do not decide
        mean=("number", lambda values: float(np.sort(values.to_numpy()).mean())),
    )
    return table.reset_index().assign(reference=reference)[columns_of("preferences/raw")]
