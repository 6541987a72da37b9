"""Arguments of another kind than a function takes are refused before anything is compared."""

import numpy as np
import pandas as pd
import pytest

import regrade
from regrade.errors import RegradeError

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 1}}
RUNS = {"s": {"1": {"a": 2.0, "b": 1.0}}, "t": {"2": {"b": 1.0}}}
PAIRS = {"topic": ["1", "1"], "winner": ["a", "b"], "loser": ["b", "c"]}

WRONG = {
    "depth is 'AP': give a whole number": lambda: regrade.leave_one_out(QRELS, RUNS, "AP"),
    "depth is '10': give a whole number": lambda: regrade.pool(RUNS, "10"),
    "depth is True: give a whole number": lambda: regrade.pool(RUNS, True),
    "size is 1.5: give a whole number": lambda: regrade.pool(RUNS, None, method="RRF", size=1.5),
    "levels is '3': give a whole number": lambda: regrade.find_cuts(QRELS, "3"),
    "grid is 'x': give a whole number": lambda: regrade.find_cuts(QRELS, 2, grid="x"),
    "coverage is 'all': give a number": lambda: regrade.find_cuts(QRELS, 2, coverage="all"),
    "measures is 3: give a list or a text": lambda: regrade.score(QRELS, RUNS, 3),
    "max_grade is '2': give a number": lambda: regrade.score(QRELS, RUNS, max_grade="2"),
    "baseline is '5': give a whole number": lambda: regrade.pool_depths(QRELS, RUNS, "5"),
    "count is '5': give a whole number": lambda: regrade.next_pairs(PAIRS, "5"),
    "budget is '5': give a number": lambda: regrade.assign(RUNS, QRELS, "5"),
    "method is 3: give a text": lambda: regrade.fit_scores(PAIRS, 3),
    "one_topic is 1: give True or False": lambda: regrade.pairs(PAIRS, one_topic=1),
    "top is '5': give a whole number": lambda: regrade.sweep({}, {}, sets={}, top="5"),
    "name is 5: give a text": lambda: regrade.read_qrels(QRELS, name=5),
    "tie_break is 1: give a text": lambda: regrade.read_runs(RUNS, tie_break=1),
}


@pytest.mark.parametrize("said", WRONG)
def test_a_value_of_another_type_is_refused_by_name(said):
    with pytest.raises(RegradeError) as refused:
        WRONG[said]()
    assert str(refused.value) == said


def test_numbers_of_numpy_are_numbers():
    assert len(regrade.pool(RUNS, np.int64(1)).documents) == 2
    assert regrade.find_cuts({"1": {"a": 1, "b": 2, "c": 0}, "2": {"a": 2, "b": 0, "c": 1}},
                             np.int32(2), QRELS).best.levels == 2  # fmt: skip


@pytest.mark.parametrize("grades", [[True, False], ["true", "false"]])
def test_truths_are_no_grades(grades):
    frame = pd.DataFrame({"topic": ["1", "1"], "docno": ["a", "b"], "grade": grades})
    nested = {"1": dict(zip("ab", grades, strict=True))}
    for source in (frame, nested):
        with pytest.raises(RegradeError, match="Write 1 in place of true, and 0 in place of false"):
            regrade.read_qrels(source)
    assert len(regrade.read_qrels(frame.assign(grade=[1, 0]))) == 2


def test_the_index_of_a_frame_may_name_topics_and_documents():
    frame = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "grade": [1, 0]})
    expected = regrade.read_qrels(frame).to_frame()
    for keys in (["qid", "docno"], ["qid"]):
        assert regrade.read_qrels(frame.set_index(keys)).to_frame().equals(expected)
    assert regrade.read_qrels(frame.set_index(["qid", "docno"])["grade"].to_frame()).topics == ["1"]
    both = frame.set_index("qid", drop=False)
    assert regrade.read_qrels(both).to_frame().equals(expected)
