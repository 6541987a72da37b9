"""Scores beside labels, and raw numbers by label."""

import numpy as np
import pandas as pd
import pytest

from regrade.catalogue import columns_of
from regrade.preferences.label_comparison import label_values, labelled_documents, raw_scores
from tests.unit.preferences_frames import preferences

LABELS = pd.DataFrame({"topic": "1", "docno": ["a", "b"], "grade": [1.0, 0.0]})


def test_documents_without_a_label_stay():
    scores = pd.DataFrame(
        {"topic": "1", "docno": ["c", "a", "b"], "method": "m", "value": [0.5, 1.0, 0.0]}
    ).astype({"topic": "category", "docno": "category"})
    table = labelled_documents(scores, LABELS, "R")
    assert list(table.columns) == columns_of("preferences/documents")
    assert table["docno"].tolist() == ["c", "a", "b"]
    assert table["grade"].tolist() == pytest.approx([np.nan, 1, 0], nan_ok=True)
    assert set(table["reference"]) == {"R"}


def test_raw_scores_are_means_by_label():
    answers = preferences(("a", "b", -1), ("c", "a", 1), ("b", "a", 1)).assign(
        left_score=[4.0, 1.0, np.nan], right_score=[2.0, 7.0, np.nan]
    )
    table = raw_scores(answers, LABELS, "R")
    assert list(table.columns) == columns_of("preferences/raw")
    assert table["grade"].tolist() == pytest.approx([0, 1, np.nan], nan_ok=True)
    assert table["mean"].tolist() == [2.0, 5.5, 1.0]
    assert table["answers"].tolist() == [1, 2, 1]
    assert table["documents"].tolist() == [1, 1, 1]


def test_raw_scores_of_answers_without_numbers_are_none():
    assert raw_scores(preferences(("a", "b", -1)), LABELS).empty


@pytest.mark.parametrize("kind", ["str", "category"])
def test_labels_of_scored_documents_come_first_then_methods_in_their_order(kind):
    scores = pd.DataFrame(
        {"topic": "1", "docno": ["c", "a", "a"], "method": ["z", "z", "m"], "value": [0.5, 1.0, 2]}
    )
    scores = pd.concat([scores, scores.assign(method="no")]).astype({"method": kind}).iloc[:3]
    found = label_values(scores, {"R": LABELS})
    assert list(found) == ["R", "z", "m"]
    values = {name: table[["docno", "value"]].to_numpy().tolist() for name, table in found.items()}
    assert values == {"R": [["a", 1.0]], "z": [["c", 0.5], ["a", 1.0]], "m": [["a", 2.0]]}
