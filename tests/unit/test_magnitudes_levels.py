"""Magnitudes by level: matplotlib's boxes, scipy's t-tests, exceptions counted by hand."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.cbook import boxplot_stats
from scipy import stats

from regrade.errors import ParameterError
from regrade.magnitudes.label_comparison import AGGREGATES, box
from regrade.magnitudes.levels import exceptions, level_boxes, level_tests
from regrade.magnitudes.normalising import document_table
from tests.unit.magnitudes_frames import (
    LEVELS,
    documents_from,
    fits,
    judged,
    labelled_documents,
    labels_of,
)

EXACT = 1e-12


@pytest.fixture(scope="module")
def sets():
    documents = document_table(judged(topics=4, documents=40, units=80))
    labels = {
        "So4": labelled_documents(documents, LEVELS["So4"], seed=3),
        "TR2": labelled_documents(documents, LEVELS["TR2"], seed=4),
    }
    return documents, labels


def values_at(documents, table, topic, aggregate, level):
    """The magnitudes of a topic's documents at a level, one document at a time."""
    label = {(r["topic"], r["docno"]): r["grade"] for r in table.to_pylist()}
    return [
        row[AGGREGATES[aggregate]]
        for row in documents.to_dict("records")
        if topic in ("*", row["topic"]) and label.get((row["topic"], row["docno"])) == level
    ]


def test_boxes_are_those_of_the_documents_of_each_level(sets, tmp_path):
    documents, labels = sets
    found = level_boxes(documents, labels, LEVELS)
    assert fits(found, "magnitudes/levels", tmp_path)
    assert len(found) == (4 + 1) * 2 * (5 + 3)
    for row in found.to_dict("records"):
        level = None if np.isnan(row["level"]) else row["level"]
        values = values_at(
            documents, labels[row["reference"]], row["topic"], row["aggregate"], level
        )
        assert row["n"] == len(values)
        if not values:
            assert np.isnan(row["median"])
            continue
        (expected,) = boxplot_stats(values)
        names = {"mean": "mean", "low": "whislo", "q1": "q1", "median": "med"}
        names |= {"q3": "q3", "high": "whishi"}
        for name, theirs in names.items():
            assert row[name] == pytest.approx(expected[theirs], abs=EXACT)
        assert row["outliers"] == len(expected["fliers"])


@pytest.mark.parametrize(
    "values", [[], [2.0], [1.0, 1.0, 1.0], [0, 0, 0, 0, 9], [1, 2, 3, 100, -100], [1, 1, 8, 8, 9]]
)
def test_box(values):
    found = box(np.array(values))
    assert found["n"] == len(values)
    if values:
        (expected,) = boxplot_stats(values)
        assert (found["low"], found["high"]) == (expected["whislo"], expected["whishi"])
        assert found["outliers"] == len(expected["fliers"])
    else:
        assert np.isnan(found["low"]) and found["outliers"] == 0


def test_tests_are_welchs_on_logs(sets, tmp_path):
    documents, labels = sets
    found = level_tests(documents, labels, LEVELS)
    assert fits(found, "magnitudes/level_tests", tmp_path)
    assert len(found) == (4 + 1) * 2 * (6 + 1)
    assert found["t"].notna().any()
    for row in found.to_dict("records"):
        lower, upper = (
            values_at(documents, labels[row["reference"]], row["topic"], row["aggregate"], level)
            for level in (row["lower"], row["upper"])
        )
        assert (row["n_lower"], row["n_upper"]) == (len(lower), len(upper))
        assert row["adjacent"] == (row["upper"] - row["lower"] == 1)
        if lower and upper:
            assert row["exception"] == (np.median(upper) <= np.median(lower))
        else:
            assert row["exception"] is None
        if len(lower) > 1 and len(upper) > 1:
            expected = stats.ttest_ind(np.log(upper), np.log(lower), equal_var=False)
            assert row["t"] == pytest.approx(expected.statistic, rel=1e-9)
            assert row["p"] == pytest.approx(expected.pvalue, rel=1e-9)
        else:
            assert np.isnan(row["t"]) and np.isnan(row["p"])


def test_exceptions_by_hand(tmp_path):
    magnitudes = documents_from(
        [
            ("401", "a", 1.0), ("401", "b", 2.0), ("401", "c", 3.0),  # in order
            ("402", "a", 1.0), ("402", "b", 0.1 + 0.2), ("402", "c", 0.3),  # N > M = R
            ("403", "a", 5.0), ("403", "b", 1.0),  # no R
            ("404", "a", 1.0),
        ]
    )  # fmt: skip
    grades = {"a": 0, "b": 1, "c": 2}
    ordinal = [(t, d, grades[d]) for t, d in zip(magnitudes.topic, magnitudes.docno, strict=True)]
    binary = [(topic, docno, min(grade, 1)) for topic, docno, grade in ordinal]
    labels = {"So3": labels_of(ordinal), "TR2": labels_of(binary)}
    found = exceptions(level_tests(magnitudes, labels, {"So3": [0, 1, 2], "TR2": [0, 1]}))
    assert fits(found, "magnitudes/exceptions", tmp_path)
    median = found[found["aggregate"] == "median"].drop(columns="aggregate")
    assert median.to_numpy().tolist() == [
        ["So3", "adjacent", 8, 3, 3, "402, 403"],  # 402: NM, MR; 403: NM
        ["So3", "all", 12, 5, 4, "402, 403"],  # 402: NR too
        ["TR2", "adjacent", 4, 1, 2, "402, 403"],
        ["TR2", "all", 4, 1, 2, "402, 403"],
        ["*", "adjacent", 12, 4, 5, "402, 403"],
        ["*", "all", 16, 6, 6, "402, 403"],
    ]


def test_cases_of_the_paper():
    """3 · 18 + 18 = 72 adjacent cases and 6 · 18 + 18 = 126 in all (turpin2015 §4.1)."""
    rows = [(str(topic), f"d{i}", float(i)) for topic in range(401, 419) for i in range(1, 5)]
    labels = {
        "So4": labels_of([(topic, docno, value - 1) for topic, docno, value in rows]),
        "TR2": labels_of([(topic, docno, value > 2) for topic, docno, value in rows]),
    }
    found = exceptions(level_tests(documents_from(rows), labels, LEVELS))
    together = found[(found["reference"] == "*") & (found["aggregate"] == "median")]
    assert together["cases"].tolist() == [72, 126]
    assert together["exceptions"].tolist() == [0, 0]
    assert together["topics"].isna().all()


def test_degenerate_cells():
    magnitudes = documents_from(
        [("401", f"d{i}", 2.0) for i in range(4)] + [("402", f"d{i}", 1.0 + i) for i in range(4)]
    )
    rows = [(topic, f"d{i}", i // 2) for topic in ("401", "402") for i in range(4)]
    tests = level_tests(magnitudes, {"TR2": labels_of(rows)}, LEVELS)
    median = tests[tests["aggregate"] == "median"].set_index("topic")
    assert np.isnan(median.loc["401", "t"]) and np.isnan(median.loc["401", "p"])
    assert median.loc["401", "exception"] is True
    assert median.loc["402", "t"] > 0 and median.loc["402", "exception"] is False
    apart = documents_from([("401", f"d{i}", 1.0 + i // 2) for i in range(4)])
    (first, *_) = level_tests(apart, {"TR2": labels_of(rows)}, LEVELS).to_dict("records")
    assert (first["t"], first["p"]) == (np.inf, 0)


def test_a_reference_that_has_judged_nothing():
    documents = documents_from([("401", "a", 1.0)])
    labels = {"TR2": labels_of([("402", "a", 1)])}
    boxes = level_boxes(documents, labels, LEVELS)
    assert boxes["n"].tolist() == [0, 0, 1] * 4
    assert level_tests(documents, labels, LEVELS)["exception"].isna().all()
    none = level_tests(documents, {}, {})
    assert none.empty and exceptions(none).empty


@pytest.mark.parametrize(
    ("labels", "levels", "said"),
    [
        ({"TR2": [("401", "a", 2)]}, LEVELS, "document a on topic 401 is not one of its levels"),
        ({"TR2": [("401", "a", 1), ("401", "a", 1)]}, LEVELS, "more than one label"),
        ({"TR2": [("401", "a", 1)]}, {"So4": [0, 1]}, "reference with levels 'TR2'"),
        ({"TR2": [("401", "a", 1)]}, {"TR2": [1]}, "at least two"),
    ],
)
def test_labels_that_do_not_fit(labels, levels, said):
    labels = {name: labels_of(rows) for name, rows in labels.items()}
    with pytest.raises(ParameterError, match=said):
        level_boxes(documents_from([("401", "a", 1.0)]), labels, levels)


@pytest.mark.parametrize("value", [0.0, -1.0, np.inf, np.nan])
def test_no_magnitude(value):
    documents = documents_from([("401", "a", value)])
    with pytest.raises(ParameterError, match="document a on topic 401: its normalised median"):
        level_boxes(documents, {"TR2": labels_of([("401", "a", 1)])}, LEVELS)


def test_order_of_rows_changes_nothing(sets):
    documents, labels = sets
    shuffled = documents.sample(frac=1, random_state=1)
    for function in (level_boxes, level_tests):
        pd.testing.assert_frame_equal(
            function(documents, labels, LEVELS), function(shuffled, labels, LEVELS)
        )
