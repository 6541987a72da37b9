"""Sets by name, in a list or alone; scales of one value; measures and options of any call."""

import numpy as np
import pandas as pd
import pytest

import regrade
from regrade.api.sets import (
    Judgments,
    Labels,
    are_sets,
    measures_for,
    name_of,
    named_sets,
    read_set,
)
from regrade.errors import RegradeError
from regrade.randomness import generator
from regrade.readers import records
from regrade.readers.values import likely_scale
from regrade.stages.library import check_kind

LABELS = {"1": {"a": 1, "b": 0}}
COLUMNS = {"topic": ["1", "1"], "docno": ["a", "b"], "grade": [1, 0]}
FRAME = pd.DataFrame(COLUMNS)


class Named:
    def __init__(self, **fields):
        self.__dict__.update(fields)


TUPLES = [
    Named(query_id="1", doc_id="a", relevance=1),
    Named(query_id="1", doc_id="b", relevance=0),
]


@pytest.mark.parametrize("one", [LABELS, COLUMNS, FRAME, TUPLES, regrade.read_qrels(LABELS)])
def test_one_set_is_told_from_several(one):
    rows = [["1", "a", 1], ["1", "b", 0]]
    assert not are_sets(one)
    assert [each.to_frame().values.tolist() for each in named_sets(one).values()] == [rows]
    for several in ({"x": one}, {"x": one, 2: LABELS}, [one], (one,)):
        assert are_sets(several)
        found = named_sets(several)
        name, first = next(iter(found.items()))
        assert first.name == name
        assert first.to_frame().values.tolist() == rows
    assert [*named_sets({"x": one, 2: LABELS})] == ["x", "2"]


def test_endings_are_no_part_of_a_name_however_written():
    names = ("a.qrels.gz", "a.QRELS.GZ", "a.csv.xz", "a.bz2", "a.zip", "qrels.a.TXT", "a.Tsv")
    assert {name_of(f"x/{name}", "set") for name in names} == {"a"}


def test_sets_keep_the_names_that_they_are_given():
    read = regrade.read_qrels(LABELS, name="nist")
    assert [*named_sets([read, regrade.read_qrels(LABELS, name="model")])] == ["nist", "model"]
    found = named_sets({"x": read, "y": read})
    assert [one.name for one in found.values()] == ["x", "y"]
    assert read.name == "nist"
    with pytest.raises(
        RegradeError, match="two sets are called 'nist': give each set its own name"
    ):
        named_sets([read, read])
    with pytest.raises(RegradeError, match="no set is given"):
        named_sets([])


def test_columns_with_workers_are_judgments():
    values = {**COLUMNS, "worker": ["v", "w"]}
    found = named_sets({"x": values, "y": COLUMNS})
    assert [type(one).__name__ for one in found.values()] == ["Judgments", "Labels"]
    assert found["x"].workers == ["v", "w"]
    # a topic may be called so
    assert type(named_sets({"worker": {"a": 1}})["qrels"]).__name__ == "Labels"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0, 0], (0, 1)),
        ([1], (0, 1)),
        ([2, 2], (0, 1, 2)),
        ([1000], tuple(range(1001))),
        ([0, 3], (0, 1, 2, 3)),
        ([0.5], (0.0, 1.0)),
        ([7.5, 7.5], (0.0, 7.5)),
        ([1001], (0.0, 1001.0)),
        ([-1], (-1.0, 1.0)),
    ],
)
def test_one_value_is_on_levels_up_to_it_or_on_a_range(values, expected):
    scale = likely_scale(np.array(values, float))
    assert (scale.values or (scale.low, scale.high)) == expected
    assert scale.contains(np.array(values, float)).all()


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("AP nDCG@10", ["AP", "nDCG@10"]),
        ("AP,RR", ["AP", "RR"]),
        (" AP , RR ", ["AP", "RR"]),
        ("P(rel=1, judged_only=True)@5 AP", ["P(rel=1, judged_only=True)@5", "AP"]),
        (("AP", "RR"), ["AP", "RR"]),
    ],
)  # fmt: skip
def test_measures_come_as_a_text_or_a_list(written, expected):
    assert measures_for(written, [regrade.read_qrels(LABELS)], ()) == expected


RUNS = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"a": 1.0, "b": 2.0}}}


@pytest.mark.parametrize(
    "ask",
    [
        lambda **how: regrade.score(LABELS, RUNS, **how),
        lambda **how: regrade.rank(LABELS, RUNS, **how),
        lambda **how: regrade.ties(RUNS, LABELS, **how),
        lambda **how: regrade.unjudged(LABELS, RUNS, **how),
        lambda **how: regrade.judges(LABELS, {"x": LABELS}, RUNS, **how),
        lambda **how: regrade.calibrate(LABELS, {"x": LABELS}, RUNS, **how),
    ],
)
@pytest.mark.parametrize("measures", ["", "  ", [], ()])
def test_no_measure_is_refused(ask, measures):
    with pytest.raises(RegradeError, match="no measure is named: name one, such as AP"):
        ask(measures=measures)


def test_a_system_without_a_document_is_a_run():
    for empty in ({**RUNS, "none": {}}, {**RUNS, "none": {"1": {}}}):
        assert regrade.read_runs(empty).systems == sorted([*RUNS, "none"])


@pytest.mark.parametrize(
    ("value", "default", "said"),
    [
        (3, 1, ""),
        (np.int64(3), 1, ""),
        (3.0, 1, "a whole number"),
        ("3", 1, "a whole number"),
        (True, 1, "a whole number"),
        (None, 1, "a whole number"),
        (3, 0.5, ""),
        (np.float32(0.5), 0.5, ""),
        ("x", 0.5, "a number"),
        (False, 0.5, "a number"),
        (True, False, ""),
        (1, False, "True or False"),
        ("x", "y", ""),
        (1, "y", "a text"),
        ([1], (1, 2), ""),
        ((1,), (1, 2), ""),
        ("12", (1, 2), "a list"),
    ],
)
def test_a_value_is_of_its_default_s_kind(value, default, said):
    if not said:
        check_kind("it", value, default)
        return
    with pytest.raises(RegradeError, match=f"it is {value!r}: give {said}$"):
        check_kind("it", value, default)


def test_seeds_begin_at_0():
    assert generator(0, "x").random() != generator(1, "x").random()
    with pytest.raises(RegradeError, match="seed is -1: give a whole number from 0"):
        generator(-1, "x")


def test_the_highest_grade_is_what_is_told_or_else_the_scale_s():
    """ERR's gain of the grade g on a scale up to h is (2^g − 1) / 2^h."""
    run = {"x": {"1": {"a": 1.0}}}
    four = regrade.read_qrels({"1": {"a": 1}}, scale=4)
    for qrels, told, highest in (
        ({"1": {"a": 1}}, None, 1), (four, None, 3), (four, 5, 5), ({"1": {"a": 1}}, 2, 2),
    ):  # fmt: skip
        (value,) = regrade.ties(run, qrels, "ERR", max_grade=told).scores["expected"]
        assert value == pytest.approx(1 / 2**highest)
        scored = regrade.score(qrels, run, "ERR", max_grade=told).means()["ERR"].item()
        assert scored == pytest.approx(value)


CROWD = [("1", f"d{n}", w, (n * 7) % 5) for n in range(12) for w in ("Anna", "bo", "Çelik")]


def crowd(rows, **more):
    """Judgments of rows of topic, docno, worker and value."""
    columns = dict(zip(("topic", "docno", "worker", "value"), map(list, zip(*rows, strict=True)),
                       strict=True))  # fmt: skip
    return regrade.read_judgments(columns | more, name="crowd")


def test_judgments_that_come_again_are_said_and_count_as_one():
    again = [*CROWD, *CROWD[:4]]
    said = (
        "crowd: 4 of 40 judgments repeat a document that the worker has judged before: they count "
        "once; if they are copies, leave them out."
    )
    assert crowd(CROWD).notes == []
    assert crowd(again).notes == [said]
    one, other = (regrade.workers(crowd(rows)) for rows in (CROWD, again))
    assert said in other.answer.notes
    assert one.workers.equals(other.workers)
    # in units they may come again
    assert crowd(again, unit=[str(n) for n in range(len(again))]).notes == []


def test_workers_whose_names_differ_in_capitals_are_said_to_be_several():
    rows = [(t, d, w.upper() if d > "d5" and w != "bo" else w, v) for t, d, w, v in CROWD]
    assert crowd(rows).notes == [
        "crowd: ANNA, Anna, ÇELIK, Çelik differ only in capitals, and count as different workers: "
        "if they are the same, use one spelling."
    ]


TIED = {"1": {"a": 1.0, "b": 1.0}, "2": {"a": 2.0, "b": 2.0, "c": 2.0}, "3": {"a": 5.0}}
ORDERED = {"1": {"a": 1.0, "b": 1.0}, "2": {"a": 2.0, "b": 1.0}}
ALONE = {"1": {"a": 1.0}, "2": {"b": 1.0}}


@pytest.mark.parametrize(
    ("runs", "named"),
    [
        ({"x": TIED, "y": ORDERED, "z": TIED}, "x, z"),
        ({"x": ORDERED, "y": ALONE}, ""),
        ({"x": TIED}, "x"),
    ],
)
def test_runs_whose_scores_tell_no_document_from_another_are_said(runs, named, caplog):
    regrade.read_runs(runs)
    said = f"{named}: scores are equal within each topic; documents are ranked by "
    assert (f"{said}submitted rank" in caplog.text) == bool(named)
    assert bool(caplog.text) == bool(named)
    caplog.clear()
    regrade.read_runs(runs, tie_break="trec_eval")
    assert (f"{said}docno, descending" in caplog.text) == bool(named)


def run_file(folder, name, rows):
    """A run of rows of topic, document, rank and score."""
    lines = (f"{t} Q0 {d} {rank} {score} {name}\n" for t, d, rank, score in rows)
    (folder / name).write_text("".join(lines))
    return str(folder / name)


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ((1, 2, 3), True), ((3, 2, 1), False), ((1, 1, 1), False), ((2, 3, 1), False),
        ((2, 1, 3), False), ((1, 3, 2), False), ((1, 2, 4, 3), True),
    ],
)  # fmt: skip
def test_ranks_that_run_against_scores_are_said(scores, said, tmp_path, caplog):
    """Of documents one below the other by scores, more than half have a lower rank first."""
    rows = [("1", f"d{rank}", rank, score) for rank, score in enumerate(scores, 1)]
    other = [(t, "d1", 1, 2) for t in "12"]
    regrade.read_runs([run_file(tmp_path, "x", rows), run_file(tmp_path, "y", other)])
    assert ("x: the rank column contradicts the scores" in caplog.text) == said
    assert "y: ranks" not in caplog.text


def test_topics_of_one_run_that_lack_zeros_are_said(tmp_path, caplog):
    """Also where another run has them as the labels do."""
    rows = [(t, d, n, 3 - n) for t in ("01", "02") for n, d in enumerate("ab", 1)]
    fine = run_file(tmp_path, "fine", rows)
    odd = run_file(tmp_path, "odd", [(t.lstrip("0"), *row) for t, *row in rows])
    labels = {t: {"a": 1, "b": 0} for t in ("01", "02")}
    said = "opics '01' and '1', '02' and '2' differ by leading zeros only"
    assert said in " ".join(regrade.rank(labels, [fine, odd], "P@1").answer.notes)
    assert said not in " ".join(regrade.rank(labels, [fine], "P@1").answer.notes)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("topic,docno,grade\n1,a,0\n1,b,1\n", Labels),
        ("topic,docno,worker,value\n1,a,w,0\n1,b,w,1\n", Judgments),
    ],
)
def test_a_file_that_may_hold_labels_or_judgments_is_read_once(text, kind, tmp_path, monkeypatch):
    path, reads = tmp_path / "set.csv", []
    path.write_text(text)
    read_text = records.read_text
    monkeypatch.setattr(records, "read_text", lambda one: reads.append(one) or read_text(one))
    one = read_set(path)
    assert type(one) is kind and len(one) == 2
    assert reads == [str(path)]
