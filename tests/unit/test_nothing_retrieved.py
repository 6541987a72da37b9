"""Topics and runs without a document, values by place, and replies of other tools."""

import json
import math

import ir_measures
import pandas as pd
import pytest

import regrade
from regrade.errors import RegradeError

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
        ('{"q1": {"d1": 0.9, "d3": NaN}, "q2": {"d4": 1}}', "q1, d3: NaN is no finite number"),
        ('{"q1": {"d1": 0.9}, "q2": {"d4": null}}', "q2, d4: null is no finite number"),
        ('{"q1": {"d1": true, "d2": false}}', "q1, d1: true is no finite number"),
        ('{"q1": {"d1": "x"}, "q2": {}}', 'q1, d1: "x" is no finite number'),
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
            for t, of in held.items()}  # fmt: skip
    if any(left.values()):  # the remedy that the message names
        read(as_file(tmp_path, left))


@pytest.mark.parametrize("value", [math.nan, None, True, "x"])
def test_values_of_a_dict_are_refused_by_their_place(value):
    given = {"q1": {"d1": 1, "d3": value}}
    with pytest.raises(RegradeError, match=r"\(topic q1, document d3\) is no finite number"):
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
    assert labels.unlabelled == ("radio",)


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
        assert ("ranks run against scores" in caplog.text) is has_ranks


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
