"""Discordant documents by hand and by plain Python, and what was said of them."""

from math import log

import numpy as np
import pandas as pd
import pytest

from regrade.magnitudes.discordant import discordant_documents, statements_of
from regrade.magnitudes.label_comparison import MAGNITUDES
from regrade.magnitudes.normalising import document_table
from tests.reference.magnitudes import discordant
from tests.unit.magnitudes_frames import (
    LEVELS,
    documents_from,
    fits,
    judged,
    labelled_documents,
    labels_of,
    levelled,
)


def judgments_of(documents):
    """One judgment per document: its magnitude."""
    frame = documents[["topic", "docno"]].assign(worker="w", unit="u", value=1.0)
    return frame.assign(normalised=documents["normalised_median"])


def test_by_hand(tmp_path):
    magnitudes = {"n1": 1, "n2": 1, "n3": 1, "n4": 90, "h1": 100, "h2": 100, "h3": 100, "h4": 2}
    documents = documents_from([("401", docno, value) for docno, value in magnitudes.items()])
    labels = {"TR2": labels_of([("401", docno, docno[0] == "h") for docno in magnitudes])}
    normalised = judgments_of(documents)
    found = discordant_documents(documents, normalised, levelled(labels, "TR2"))
    assert fits(found, "magnitudes/discordant", tmp_path)
    assert found[["place", "docno", "label", "nearest"]].to_numpy().tolist() == [
        [1, "n4", 0, 1],
        [2, "h4", 1, 0],
    ]
    assert found["distance"].tolist() == pytest.approx([log(90), log(2 / 100)])
    assert found["median"].tolist() == found["low"].tolist() == found["high"].tolist() == [90, 2]
    first = discordant_documents(documents, normalised, levelled(labels, "TR2"), count=1)
    pd.testing.assert_frame_equal(first, found.head(1))
    # a median of five documents is not there with four
    assert discordant_documents(documents, normalised, levelled(labels, "TR2"), least=5).empty


@pytest.mark.parametrize("least", [1, 3])
def test_as_in_plain_python(least, tmp_path):
    normalised = judged(topics=4, documents=20, units=40)
    documents = document_table(normalised)
    labels = {"So4": labelled_documents(documents, LEVELS["So4"])}
    found = discordant_documents(
        documents, normalised, levelled(labels, "So4"), count=1000, least=least
    )
    assert fits(found, "magnitudes/discordant", tmp_path)
    label = {(row["topic"], row["docno"]): row["grade"] for row in labels["So4"].to_pylist()}
    magnitude = documents.set_index(["topic", "docno"])["normalised_median"].to_dict()
    expected = discordant(magnitude, label, LEVELS["So4"], least)
    names = ["topic", "docno", "nearest"]
    assert found[names].to_numpy().tolist() == [list(row[:3]) for row in expected]
    assert found["distance"].tolist() == pytest.approx([row[3] for row in expected])
    assert 5 < len(found) < len(label)
    spans = normalised.groupby(["topic", "docno"])["normalised"]
    for row in found.to_dict("records"):
        own = spans.get_group((row["topic"], row["docno"]))
        assert (row["low"], row["high"]) == (own.min(), own.max())
        assert row["n"] <= len(own) and row["median"] <= row["high"]


def test_levels_with_few_documents_are_left_out():
    """Neither is their document examined, nor another found to be nearest to them."""
    magnitudes = {"n1": 1, "n2": 1, "n3": 9, "h1": 100, "h2": 110, "h3": 120, "m": 9}
    documents = documents_from([("401", docno, value) for docno, value in magnitudes.items()])
    grades = {"n": 0, "m": 1, "h": 3}
    labels = {"So4": labels_of([("401", docno, grades[docno[0]]) for docno in magnitudes])}
    normalised = judgments_of(documents)
    assert discordant_documents(documents, normalised, levelled(labels, "So4")).empty
    (row,) = discordant_documents(
        documents, normalised, levelled(labels, "So4"), least=1
    ).to_dict("records")  # fmt: skip
    assert (row["docno"], row["nearest"]) == ("n3", 1)


def test_equally_near_is_not_nearer():
    rows = [(f"n{i}", 1.0) for i in range(3)] + [(f"r{i}", 16.0) for i in range(3)]
    rows += [("n3", 1.0), ("n4", 1.0), ("n5", 4.0)]
    documents = documents_from([("401", docno, value) for docno, value in rows])
    labels = {"TR2": labels_of([("401", docno, docno[0] == "r") for docno, _ in rows])}
    assert discordant_documents(documents, judgments_of(documents), levelled(labels, "TR2")).empty


def found_of(rows):
    """The discordant documents of one topic, of (docno, magnitude, level)."""
    documents = documents_from([("401", docno, value) for docno, value, _ in rows])
    labels = {"So4": labels_of([("401", docno, level) for docno, _, level in rows])}
    return discordant_documents(documents, judgments_of(documents), levelled(labels, "So4"))


@pytest.mark.parametrize(("label", "nearest"), [(0, 1), (3, 2), (1, None)])
def test_of_equally_near_levels_it_is_that_next_to_the_label(label, nearest):
    levels = {0: 1.0, 1: 4.0, 2: 16.0, 3: 64.0}
    rows = [(f"{level}-{i}", value, level) for level, value in levels.items() for i in range(5)]
    rows.append(("x", 8.0, label))  # between levels 1 and 2
    found = found_of(rows)
    assert found[["docno", "nearest"]].to_numpy().tolist() == (
        [] if nearest is None else [["x", nearest]]
    )


def test_three_documents_make_a_level_and_34_are_shown():
    of_level = {0: [45.0] * 2, 1: [50.0] * 3, 2: [900.0] * 41}
    rows = [(f"{level}-{i:02}", value, level)
            for level, own in of_level.items() for i, value in enumerate(own)]  # fmt: skip
    rows += [(f"x-{i:02}", 45.0, 2) for i in range(40)]
    found = found_of(rows)
    assert set(found["nearest"]) == {1}, "of level 0 there are two"
    assert found["docno"].tolist() == [f"x-{i:02}" for i in range(34)]


def test_what_was_said(tmp_path):
    normalised = judged(topics=2, documents=20, units=40)
    documents = document_table(normalised)
    labels = {name: labelled_documents(documents, LEVELS[name], seed=len(name)) for name in LEVELS}
    labels["TR2"] = labels["TR2"].slice(5)
    found = discordant_documents(documents, normalised, levelled(labels, "So4"), count=5)
    said = statements_of(found, normalised.sample(frac=1, random_state=1), labels)
    assert fits(said, "magnitudes/said", tmp_path)
    assert said["place"].is_monotonic_increasing and set(said["place"]) == set(range(1, 6))
    for row in found.to_dict("records"):
        own = said[said["place"] == row["place"]]
        assert set(own["docno"]) == {row["docno"]} and set(own["topic"]) == {row["topic"]}
        by_label = own[own["by"] != MAGNITUDES]
        assert by_label["by"].tolist()[0] == "So4" and by_label["value"].tolist()[0] == row["label"]
        assert by_label[["worker", "unit", "normalised"]].isna().all(axis=None)
        judgments = own[own["by"] == MAGNITUDES]
        known = normalised[
            (normalised["topic"] == row["topic"]) & (normalised["docno"] == row["docno"])
        ]
        columns = ["worker", "unit", "value", "normalised"]
        assert sorted(judgments[columns].to_numpy().tolist()) == sorted(
            known[columns].to_numpy().tolist()
        )
        assert judgments["normalised"].is_monotonic_increasing


def test_edges(tmp_path):
    documents = documents_from([("401", "a", 1.0)])
    labels = {"TR2": labels_of([("402", "a", 1)])}
    normalised = judgments_of(documents)
    none = discordant_documents(documents, normalised, levelled(labels, "TR2"))
    assert none.empty and fits(none, "magnitudes/discordant", tmp_path)
    said = statements_of(none, normalised, labels)
    assert said.empty and fits(said, "magnitudes/said", tmp_path)
    one = {"TR2": labels_of([("401", "a", 1)])}
    assert discordant_documents(documents, normalised, levelled(one, "TR2"), least=1).empty


def test_plain_python_by_hand():
    magnitude = {("1", "a"): 1.0, ("1", "b"): np.e, ("1", "c"): np.e}
    label = {("1", "a"): 0, ("1", "b"): 0, ("1", "c"): 1}
    ((topic, docno, nearest, distance),) = discordant(magnitude, label, [0, 1], 1)
    assert (topic, docno, nearest, distance) == ("1", "b", 1, 0.5)
