"""Scores by item as files and frames hold them."""

import pandas as pd
import pytest

import regrade
from regrade.errors import InputError

LONG = "system,topic,measure,value\na,1,EM,0.5\na,2,EM,1\nb,1,EM,0.25\nb,2,EM,0\n"
ROWS = [("a", "1", "EM", 0.5), ("a", "2", "EM", 1), ("b", "1", "EM", 0.25), ("b", "2", "EM", 0)]


def rows_of(scores, *further):
    """System, topic, measure (and further columns) and value of each row, in order."""
    frame = scores.table.to_pandas()
    return list(frame[["system", "topic", "measure", *further, "value"]].itertuples(index=False))


def written(folder, text, name="scores.csv"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_long_csv(tmp_path):
    scores = regrade.read_scores(written(tmp_path, LONG))
    assert rows_of(scores) == ROWS
    assert scores.name == "scores"
    assert scores.left_out == {}


def test_a_frame_and_a_dict_are_the_same():
    frame = pd.DataFrame(ROWS, columns=["system", "topic", "measure", "value"])
    assert rows_of(regrade.read_scores(frame)) == ROWS
    by_system = {"b": {"1": {"EM": 0.25}, "2": {"EM": 0}}, "a": {"1": {"EM": 0.5}, "2": {"EM": 1}}}
    assert rows_of(regrade.read_scores(by_system)) == ROWS


def test_a_wide_csv_of_items_down(tmp_path):
    scores = regrade.read_scores(written(tmp_path, "topic,b,a\n1,0.25,0.5\n2,0,1\n"))
    assert rows_of(scores) == [(s, t, "score", v) for s, t, _, v in ROWS]


def test_a_wide_csv_of_systems_down(tmp_path):
    scores = regrade.read_scores(written(tmp_path, "model,2,1\na,1,0.5\nb,0,0.25\n"))
    assert rows_of(scores) == [(s, t, "score", v) for s, t, _, v in ROWS]


def test_a_missing_score_is_counted_and_never_0(tmp_path):
    scores = regrade.read_scores(written(tmp_path, LONG.replace("0.25", "")))
    assert len(scores.table) == 3
    assert scores.left_out == {"no value (missing)": 1}


def test_a_score_that_stands_twice_is_refused_with_its_lines(tmp_path):
    path = written(tmp_path, LONG + "a,1,EM,1\n")
    with pytest.raises(InputError, match=r":6: system a, item 1, measure EM has a score already: "
                                         "line 2 has it"):  # fmt: skip
        regrade.read_scores(path)
