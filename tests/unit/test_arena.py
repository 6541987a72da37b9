"""Which of two systems answered better: sides by letters, and the order over all questions."""

import json

import choix
import numpy as np
import pytest
from click.testing import CliRunner

import regrade
from regrade.command.app import app
from regrade.errors import RegradeError

ANSWERS = [("a", "b"), ("b", "c"), ("c", "a"), ("a", "c"), ("b", "a"), ("c", "b"), ("a", "b")]


def arena(answers=ANSWERS, sides=("model_a", "model_b")):
    """A question for each answer, the winner of which stands on either side."""
    rows = []
    for n, (winner, loser) in enumerate(answers):
        left, right = (winner, loser) if n % 2 else (loser, winner)
        row = {"question_id": f"q{n}", "model_a": left, "model_b": right}
        rows.append(row | {"winner": sides[0] if left == winner else sides[1]})
    return {name: [row[name] for row in rows] for name in rows[0]}


@pytest.mark.parametrize("names", [("left", "right"), ("doc_a", "doc_b"), ("model_a", "model_b")])
@pytest.mark.parametrize("sides", [("A", "B"), ("a", "b"), ("left", "right"), ("Left", "RIGHT")])
def test_each_side_that_the_message_names_is_taken(names, sides):
    given = {"topic": ["1", "1"], names[0]: ["x", "y"], names[1]: ["y", "z"], "winner": [*sides]}
    table = regrade.read_preferences(given)
    assert table["strength"].to_pylist() == [-1, 1]


def test_a_letter_that_is_a_document_is_that_document():
    given = {"topic": ["1"] * 2, "left": ["B", "x"], "right": ["A", "A"], "winner": ["A", "A"]}
    assert regrade.read_preferences(given)["strength"].to_pylist() == [1, 1]
    for left, right in (("b", "a"), ("x", "a")):
        given = {"topic": ["1"], "left": [left], "right": [right], "winner": ["A"]}
        with pytest.raises(RegradeError, match="is not one of the two documents"):
            regrade.read_preferences(given)


def test_the_order_over_all_topics_is_that_of_bradley_and_terry():
    found = regrade.pairs(arena(), one_topic=True)
    names = ["a", "b", "c"]
    strengths = choix.ilsr_pairwise(3, [tuple(map(names.index, pair)) for pair in ANSWERS])
    values = found.scores.set_index("docno")["value"].reindex(names).to_numpy()
    assert values - values.mean() == pytest.approx(strengths - np.mean(strengths), abs=1e-6)
    assert "7 topics are taken as one." in str(found.summary())
    apart = regrade.pairs(arena())
    assert len(apart.scores) == 2 * len(ANSWERS)
    assert len(found.scores) == 3


def test_the_command_takes_all_topics_as_one(tmp_path):
    held = arena()
    lines = [json.dumps(dict(zip(held, row, strict=True))) for row in zip(*held.values())]  # noqa: B905
    (tmp_path / "arena.jsonl").write_text("\n".join(lines))
    asked = ["pairs", str(tmp_path / "arena.jsonl"), "--one-topic", "--json"]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    assert {row["docno"] for row in json.loads(done.stdout)["scores"]} == {"a", "b", "c"}


def test_labels_by_topic_are_of_other_topics():
    with pytest.raises(RegradeError, match="one_topic leaves no topics"):
        regrade.pairs(arena(), references={"q1": {"a": 1, "b": 0}}, one_topic=True)
