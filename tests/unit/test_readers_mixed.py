"""Rows of one file that are of several sets: by which column they are told apart, if by any."""

import pandas as pd
import pytest

from regrade.readers.mixed import RowsOfSets, mixed_in

HEAD = ["topic", "docno", "worker", "value"]


def judged(*tasks):
    """Six judgments of each task: its name, the lowest value and the highest."""
    rows = [
        ("1", f"d{n}", "w", str(low if n % 2 else high), name)
        for name, low, high in tasks
        for n in range(6)
    ]
    return pd.DataFrame(rows, columns=[*HEAD, "task"])


def rows_of(frame):
    return RowsOfSets(names={name: name for name in HEAD}, value="value", frame=frame)


@pytest.mark.parametrize(
    ("tasks", "suffixes"),
    [
        ((("a", 0, 1), ("b", 0, 100)), ["-S2", "-S101"]),
        ((("a", 0, 3), ("b", 0, 12)), ["-S4", "-S13"]),  # four times as high
        ((("a", 0, 3), ("b", 0, 11)), [""]),
        ((("a", 0, 1), ("b", 0, 11)), ["-S2", "-S12"]),
        ((("a", 0, 1), ("b", 0, 10)), [""]),  # eleven levels are grades, too
        ((("a", 0, 0), ("b", 0, 100)), [""]),
        ((("a", 0, 1), ("b", 0, 99.5)), [""]),  # no levels
        ((("a", 0, 3), ("b", 0, 4), ("c", 0, 100)), ["-S5", "-S101"]),
    ],
)
def test_scales_are_told_apart_where_one_goes_four_times_as_high(tasks, suffixes):
    parts = rows_of(judged(*tasks)).by_scale()
    assert [part.suffix for part in parts] == suffixes
    if len(parts) == 1:
        assert not parts[0].where and len(parts[0].frame) == 6 * len(tasks)
        return
    *lower, highest = (name for name, _, _ in tasks)
    assert [part.where for part in parts] == [{"task": lower}, {"task": [highest]}]
    assert [set(part.frame["task"]) for part in parts] == [{*lower}, {highest}]


def test_the_column_that_tells_scales_apart_need_not_be_the_first():
    frame = judged(("a", 0, 1), ("b", 0, 1), ("c", 0, 100))
    frame["half"] = ["x", "y"] * 9  # fewer values, and both of them on both scales
    parts = rows_of(frame).by_scale()
    assert [part.where for part in parts] == [{"task": ["a", "b"]}, {"task": ["c"]}]
    # more values than columns of tasks have
    assert rows_of(frame.assign(task=[str(n % 9) for n in range(18)])).by_scale()[0].suffix == ""


def test_refused_rows_are_left_out_and_counted():
    frame = judged(("Accepted", 0, 3), ("rejected", 0, 3), ("not accepted", 0, 3))
    (left,) = rows_of(frame).choices()
    assert left == {"task": ["Accepted"]}
    kept = rows_of(frame).accepted()
    assert kept.notes == {"where": "task not accepted, rejected: 12 of 18 rows are left out"}
    assert rows_of(frame[frame["task"] == "rejected"]).choices() == []


def test_rows_without_a_document_are_left_out_where_a_column_tells_them_apart():
    frame = judged(("checked", 0, 3), ("given", 0, 3))
    frame.loc[frame["task"] == "checked", "docno"] = ""
    kept = rows_of(frame).identified()
    assert kept.where == {"task": ["given"]}
    assert kept.notes == {"where": "6 of 12 rows have no docno"}
    frame.loc[frame.index[-1], "docno"] = ""  # in both parts: nothing tells them apart
    assert rows_of(frame).identified().where == {}
    by_topic = judged(("a", 0, 3)).drop(columns="task")
    by_topic.loc[:2, ["topic", "docno"]] = ["gold", ""]
    assert rows_of(by_topic).identified().where == {"topic": ["1"]}
    assert rows_of(judged(("a", 0, 3))).identified().where == {}


@pytest.mark.parametrize(
    ("kind", "format", "where", "told"),
    [
        ("judgments", "tsv", {}, "`where: {task: [a, b]}` or `where: {task: c}`"),
        ("judgments", "tsv", {"topic": 1}, "`where: {topic: 1, task: [a, b]}` or "),
        ("judgments", "tsv", {"task": "c"}, None),
        ("judgments", "tsv", {"task": ["a", "b"]}, None),
        ("preferences", "tsv", {}, None),
        ("judgments", "trec", {}, None),
    ],
)
def test_what_a_configuration_reads_together_is_said_with_how_to_choose(
    kind, format, where, told, tmp_path
):
    file = tmp_path / "crowd.tsv"
    judged(("a", 0, 1), ("b", 0, 1), ("c", 0, 100)).to_csv(file, sep="\t", index=False)
    said = mixed_in(file, kind, {"format": format, "where": where})
    if told is None:
        assert said == ""
    else:
        assert said.startswith("rows differ by task (refused ones, or other scales), and all ")
        assert told in said
