"""Topics and runs without a document, values by place, and replies of other tools."""

import json
import math

import ir_measures
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import regrade
from regrade.errors import RegradeError
from regrade.readers import read_qrels
from regrade.tables import unlabelled

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {}, "q3": {"d2": 1}}
RUN = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 1.0}, "q3": {"d2": 2.0}}


def aggregate(qrels, run, measure="AP"):
    measure = ir_measures.parse_measure(measure)
    return ir_measures.calc_aggregate([measure], qrels, run)[measure]


def as_file(folder, held, name="given.json"):
    (folder / name).write_text(json.dumps(held))
    return folder / name


@pytest.mark.parametrize("measure", ["AP", "nDCG@5", "RR", "P@2", "Bpref"])
def test_a_topic_without_labels_scores_0(tmp_path, measure):
    for labels in (QRELS, as_file(tmp_path, QRELS)):
        scores = regrade.score(labels, {"s": RUN}, measure)
        assert scores.means().iloc[0, 0] == pytest.approx(aggregate(QRELS, RUN, measure))
        by_topic = scores.to_frame().set_index("topic")["value"]
        assert by_topic["q2"] == 0
    found = regrade.rank(QRELS, {"s": RUN, "t": {"q1": {"d2": 1.0}}}, measure)
    assert found.systems.set_index("system")["mean"]["s"] == pytest.approx(
        aggregate(QRELS, RUN, measure)
    )
    assert "1 topic without labels, scored 0: q2." in str(found.summary())


def test_a_topic_that_only_the_run_has_is_not_judged():
    run = RUN | {"q9": {"d1": 1.0}}
    assert regrade.score(QRELS, {"s": run}, "AP").means().iloc[0, 0] == pytest.approx(2 / 3)


def test_a_run_that_retrieved_nothing_for_a_topic_or_at_all_scores_0(tmp_path):
    labels = {"q1": {"d1": 1, "d3": 1}, "q2": {"d4": 1}}
    run = {"q1": {"d1": 0.9, "d3": 0.4}, "q2": {}}
    none = {"q1": {}, "q2": {}}
    for source in ({"s": run}, {"s": dict(reversed(run.items()))}, as_file(tmp_path, run)):
        found = regrade.score(labels, source, "AP").means()
        assert found.iloc[0, 0] == aggregate(labels, run) == 0.5
    both = regrade.score(labels, {"s": run, "t": none}, "AP").means()["AP"]
    assert both.to_dict() == {"s": 0.5, "t": 0.0}
    ranked = regrade.rank(labels, {"s": run, "t": none}, "AP")
    assert ranked.systems["system"].tolist() == ["s", "t"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"q1": {"d1": 0.9, "d3": NaN}, "q2": {"d4": 1}}', "q1, d3: NaN is not a finite number"),
        ('{"q1": {"d1": 0.9}, "q2": {"d4": null}}', "q2, d4: null is not a finite number"),
        ('{"q1": {"d1": true, "d2": false}}', "q1, d1: true is not a finite number"),
        ('{"q1": {"d1": "x"}, "q2": {}}', 'q1, d1: "x" is not a finite number'),
        ('{"q1": {"d1": 1}, "q2": {"d1": [1]}}', r"q2, d1: \[1\] is not a finite number"),
        ('{"q1": {"d1": 1}, "q2": {"d1": {"a": 1}}}', 'q2, d1: {"a": 1} is not a finite number'),
        ('{"q1": {"d1": 1}, "q2": null}', "q2: null is not an object of documents"),
        ('{"q1": null, "q2": {"d1": 1}}', "q1: null is not an object of documents"),
        ('{"q1": {"d1": 1}, "q2": ["d1"]}', r'q2: \["d1"\] is not an object of documents'),
        ('{"q1": {"d1": 1}, "q2": 3}', "q2: 3 is not an object of documents"),
    ],
)
@pytest.mark.parametrize("read", [regrade.read_qrels, regrade.read_runs])
def test_values_of_an_object_are_refused_by_their_place(tmp_path, read, text, said):
    (tmp_path / "given.json").write_text(text)
    with pytest.raises(RegradeError, match=said) as refused:
        read(tmp_path / "given.json")
    assert "{topic: {document: number}}" in str(refused.value)
    held = json.loads(text)
    left = {t: {d: v for d, v in of.items() if type(v) in (int, float) and v == v}
            for t, of in held.items() if isinstance(of, dict)}  # fmt: skip
    if any(left.values()):  # the remedy that the message names
        read(as_file(tmp_path, left))


def test_an_object_of_objects_by_name_is_no_set(tmp_path):
    by_name = as_file(tmp_path, {"s": {"q1": {"d1": 1}}, "t": {"q1": {"d1": 2}}})
    for read in (regrade.read_qrels, regrade.read_runs):
        with pytest.raises(RegradeError, match="s, q1: an object where a number is wanted"):
            read(by_name)


def test_a_run_that_retrieved_nothing_is_a_run_and_such_labels_are_none(tmp_path):
    none = {"q1": {}, "q2": {}}
    for source in ([as_file(tmp_path, none), {"t": RUN}], {"given": {}, "t": RUN}):
        found = regrade.score({"q1": {"d1": 1}}, source, "AP").means()["AP"]
        assert found.to_dict() == {"given": 0, "t": 1}
    for source in (none, {"s": none}, {"s": {}, "t": none}, as_file(tmp_path, none)):
        with pytest.raises(RegradeError, match=r"no run ranks a document|holds no row"):
            regrade.read_runs(source)
    for source in (none, {}, as_file(tmp_path, none), as_file(tmp_path, {}, "none.json")):
        with pytest.raises(RegradeError, match=r"holds no row|has no column for the topic"):
            regrade.read_qrels(source)


def test_scores_without_end_are_scores_and_no_grades(tmp_path):
    held = {"q1": {"d1": math.inf, "d2": 1.0, "d3": -math.inf}}
    for source in (held, as_file(tmp_path, held)):
        assert regrade.score({"q1": {"d2": 1}}, source, "RR").means().iloc[0, 0] == 0.5
        with pytest.raises(
            RegradeError, match=r"inf \(topic q1, document d1\) is not a finite number"
        ):
            regrade.read_qrels(source)


@pytest.mark.parametrize("value", [math.nan, None, True, np.True_, "x", "1_0", "٣", 1j])
def test_values_of_a_dict_are_refused_by_their_place(value):
    given = {"q1": {"d1": 1, "d3": value}}
    with pytest.raises(RegradeError, match=r"\(topic q1, document d3\) is not a finite number"):
        regrade.read_qrels(given)


def test_columns_that_pandas_writes_are_columns(tmp_path):
    frame = pd.DataFrame({"qid": [1, 2], "docno": [3, 4], "grade": [0, 1]})
    (tmp_path / "given.json").write_text(frame.to_json())
    labels = regrade.read_qrels(tmp_path / "given.json").to_frame()
    assert labels["docno"].tolist() == ["3", "4"]


RATINGS = [{"query": "tv", "ratings": [{"docId": "B1", "rating": "1.0"}]},
           {"query": "radio", "ratings": []}]  # fmt: skip


@pytest.mark.parametrize(
    "reply",
    [
        {"judgmentRatings": RATINGS},
        {"judgmentRatings": RATINGS[::-1]},
        {"took": 3, "hits": {"hits": [{"_id": "x", "_source": {"judgmentRatings": RATINGS}}]}},
        {"hits": {"total": 2, "hits": [
            {"_source": {"judgmentRatings": RATINGS[:1]}},
            {"_source": {"judgmentRatings": RATINGS[1:]}}]}},
    ],
)  # fmt: skip
def test_a_search_engines_reply_is_opened(tmp_path, reply):
    labels = regrade.read_qrels(as_file(tmp_path, reply))
    assert labels.to_frame().to_dict("list") == {"topic": ["tv"], "docno": ["B1"], "grade": [1.0]}
    assert unlabelled(labels.table) == ("radio",)


# ranks


@pytest.mark.parametrize("has_ranks", [True, False])
def test_ranks_are_held_against_scores_where_there_are_some(tmp_path, caplog, has_ranks):
    run = {"topic": ["q1"] * 3, "docno": ["d1", "d2", "d3"], "score": [0.1, 0.4, 0.9]}
    sources = [pd.DataFrame(run | ({"rank": [1, 2, 3]} if has_ranks else {}))]
    if not has_ranks:
        sources.append({"q1": dict(zip(run["docno"], run["score"], strict=True))})
    for source in sources:
        caplog.clear()
        assert regrade.score({"q1": {"d1": 0, "d3": 1}}, source, "AP").means().iloc[0, 0] == 1
        assert ("the rank column contradicts the scores" in caplog.text) is has_ranks


# names that are numbers


@pytest.mark.parametrize("number", [2**63, 2**64 + 1, 10**30])
def test_numbers_of_more_than_64_bits_are_names(number):
    labels = {number: {number: 1, 2: 0}}
    frame = pd.DataFrame({"topic": [number] * 2, "docno": [number, 2], "grade": [1, 0]})
    for source in (labels, frame, {"topic": [number] * 2, "docno": [number, 2], "grade": [1, 0]}):
        read = regrade.read_qrels(source).to_frame()
        assert read["docno"].tolist() == sorted([str(number), "2"])
        assert set(read["topic"]) == {str(number)}
    assert regrade.score(labels, {"s": {number: {number: 2.0}}}, "AP").means().iloc[0, 0] == 1


def test_numbers_of_json_are_names_as_they_are_written(tmp_path):
    (tmp_path / "given.jsonl").write_text(
        '{"topic": 1.0, "docno": 12345678901234567890123, "grade": 1}\n'
        '{"topic": 1, "docno": 12345678901234567890124, "grade": 0}\n'
    )
    ours = regrade.read_qrels(tmp_path / "given.jsonl").table
    assert ours["topic"].unique().to_pylist() == ["1"]
    assert ours["docno"].to_pylist() == [f"1234567890123456789012{n}" for n in (3, 4)]
    of_workflow = read_qrels(tmp_path / "given.jsonl", format="jsonl")
    assert of_workflow.equals(ours)


NAMES = {
    "numbers and texts": (pd.Series([1, "b", 2.0], dtype=object), ["1", "b", "2"]),
    "bytes": (pd.Series([b"a", b"b", b"c"]), ["a", "b", "c"]),
    "numbers with a gap": (pd.Series([1.0, 2.0, 3.0]), ["1", "2", "3"]),
    "categories": (pd.Series(pd.Categorical([2**70, 3, 3])), [str(2**70), "3", "3"]),
    "of Arrow": (pd.Series([1, 2, 3], dtype=pd.ArrowDtype(pa.int64())), ["1", "2", "3"]),
    "lists": (pd.Series([["a"], ["b"], ["c"]]), r"topic \['a'\] is not a name"),
    "spans": (
        pd.Series(pd.interval_range(0, 3)),
        "is not a name: names are texts or whole numbers",
    ),
    "months": (pd.Series(pd.period_range("2026", periods=3)), "is not a name"),
    "lost digits": (pd.Series([2.0**53 + 2, 2.0, 3.0]), "has lost digits"),
    "of 32 bits": (pd.Series([2.0**24 + 2, 2.0, 3.0], dtype="float32"), "has lost digits"),
    "half a character": (pd.Series(["a", "\ud800", "c"], dtype=object), "holds half a character"),
}


@pytest.mark.parametrize("kind", NAMES)
def test_names_of_frames_are_texts_and_whole_numbers(kind):
    names, expected = NAMES[kind]
    frame = pd.DataFrame({"topic": names, "docno": ["x", "y", "z"], "grade": [1, 0, 2]})
    runs = frame.rename(columns={"grade": "score"})
    for read, source in ((regrade.read_qrels, frame), (regrade.read_runs, runs)):
        if isinstance(expected, str):
            with pytest.raises(RegradeError, match=expected):
                read(source)
        else:
            held = read(source).to_frame().sort_values("docno")
            assert held["topic"].tolist() == expected


JUDGED = {"topic": ["q"] * 3, "docno": ["a", "b", "c"], "worker": ["x", "x", "y"],
          "value": [1, 2, 3]}  # fmt: skip


@pytest.mark.parametrize("seconds", [["a", 1, 2], [-1, 0, 1], [True, 1, 2], [math.inf, 1, 2]])
def test_times_are_numbers_from_0_on(seconds):
    with pytest.raises(RegradeError, match=r":1: seconds .* is not a number from 0"):
        regrade.read_judgments(JUDGED | {"seconds": seconds})


def test_times_may_be_missing():
    held = regrade.read_judgments(JUDGED | {"seconds": [1.5, None, math.nan]})
    assert held.table["seconds"].to_pylist() == [1.5, None, None]
    held = regrade.read_judgments(JUDGED | {"seconds": ["1.5", "NA", ""]})
    assert held.table["seconds"].to_pylist() == [1.5, None, None]


def test_a_rank_that_there_may_not_be_is_refused():
    frame = pd.DataFrame({"topic": ["q"] * 2, "docno": ["a", "b"], "rank": [1, 2**31]})
    with pytest.raises(RegradeError, match=":2: rank 2147483648 is too large"):
        regrade.read_runs(frame)


def test_names_that_are_one_as_text_are_said():
    for read, held in ((regrade.read_qrels, {1: {"a": 1}, "1": {"b": 0}}),
                       (regrade.read_runs, {"s": {1: {"a": 1}, "1": {"b": 0}}})):  # fmt: skip
        with pytest.raises(RegradeError, match="two topics are called '1'"):
            read(held)


def test_systems_within_a_system_are_refused():
    with pytest.raises(RegradeError, match="'s' contains several systems"):
        regrade.read_runs({"s": {"q": {"a": {"x": 1}}}})


def test_objects_of_polars_are_read_as_they_are():
    pl = pytest.importorskip("polars")
    column = pl.Series([10**30, "b"], dtype=pl.Object)
    frame = pl.DataFrame({"topic": column, "docno": ["x", "y"], "grade": [1, 0]})
    assert regrade.read_qrels(frame).topics == [str(10**30), "b"]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["topic", "docno", "docno", "grade"], "columns need a name each"),
        ([0, 1, 2, 3], r"no column for the topic \(its columns: 0, 1, 2, 3\)"),
        ([("a", n) for n in ("topic", "docno", "x", "grade")], "no column for the topic"),
    ],
)
def test_columns_of_odd_names_are_said(names, said):
    frame = pd.DataFrame([["1", "a", "b", 1]])
    is_deep = isinstance(names[0], tuple)
    frame.columns = pd.MultiIndex.from_tuples(names) if is_deep else names
    with pytest.raises(RegradeError, match=said):
        regrade.read_qrels(frame)
