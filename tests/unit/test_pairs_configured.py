"""What `pair_tasks`, `pairs`, simulated answers and labels of scores refuse, and how."""

import pytest

from tests.unit.test_collection import built, own, refusal

TASK = {"name": "crowd", "pool": "S100", "known": "TR2", "relevant": [1], "not_relevant": [0]}
ANSWERS = {"simulate": {"task": "crowd"}, "values": [-1, 1]}
PAIRS = {"name": "scores", "set": "A", "task": "crowd", "references": ["TR2"]}


def with_pairs(task=None, answers=None, pairs=None, qrels=None, **others):
    labels = {"TR2": {"levels": 2}, "So4": {"simulate": {}, "levels": 4}} | (qrels or {})
    parts = {"pair_tasks": [TASK | (task or {})], "preferences": {"A": answers or ANSWERS}}
    return own(**parts, qrels=labels, pairs=[PAIRS | (pairs or {})], **others)


def test_what_is_asked_is_there_by_name():
    collection = built(
        with_pairs(qrels={"P": {"from": "scores", "method": "ratio", "range": [0, 1]}})
    )
    assert collection.items["pairs"]["scores"]["set"] == "A"
    assert collection.items["pairs"]["scores"]["refuse"] == ["outside"]
    assert collection.items["pair_tasks"]["crowd"]["size"] == 8
    assert list(collection.scored) == ["P"]
    # whatever comes of simulated answers is simulated
    assert {"A", "P"} <= set(collection.simulated)
    assert "A" in collection.notes


@pytest.mark.parametrize("values", [[-1, 0, 1], ["left", "tie", "right"], ["left", "right"]])
def test_simulated_answers_may_be_ties_and_have_names(values):
    answers = {"simulate": {"task": "crowd"}, "values": values}
    assert "A" in built(with_pairs(answers=answers)).simulated


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"task": {"pseudo": 1}}, "pair_tasks.crowd.pseudo: test questions need two documents"),
        (
            {"pairs": {"methods": ["ratio"], "combined": [["ratio", "borda"]]}},
            "pairs.scores.combined.0: there is no method under `methods` 'borda'; there is ratio",
        ),
        (
            {"answers": {"simulate": {"task": "crowd"}, "values": [-2, -1, 0, 1, 2]}},
            "preferences.A.simulate: simulated answers are -1, 0 or 1, not of",
        ),
        (
            {"qrels": {"P": {"from": "scores", "method": "ratios", "range": [0, 1]}}},
            "qrels.P.method: there is no method of scores 'ratios'",
        ),
        (
            {"qrels": {"P": {"from": "scores", "method": "ratio", "levels": 4}}},
            "qrels.P: scores are real numbers: give a range",
        ),
        (
            {"qrels": {"P": {"from": "scores", "method": "ratio", "range": [0, 1]}
                       | {"rescale": "probability"}}},
            "qrels.P.rescale: ratio gives no probabilities",
        ),
        (
            {"qrels": {"P": {"file": "f", "method": "ratio", "range": [0, 1]}}},
            "qrels.P.method: needs `from`: name the pairs there",
        ),
        (
            {"qrels": {"P": {"file": "f", "rescale": "topic", "range": [0, 1]}}},
            "qrels.P.rescale: goes with `method` or `consensus` only",
        ),
        (
            {"qrels": {"P": {"from": "scores", "method": "ratio", "labels": "x", "range": [0, 1]}}},
            "qrels.P: labels are of cuts, or scores of pairs",
        ),
        (
            {"task": {"known": "P"},
             "qrels": {"P": {"from": "scores", "method": "ratio", "range": [0, 1]}}},
            "pair_tasks.crowd.known: P is made from answers: "
            "name a set that exists before the answers",
        ),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(changes, said):
    assert said in refusal(with_pairs(**changes))
