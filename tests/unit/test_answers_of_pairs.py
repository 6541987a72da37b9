"""Pairs and discriminative power: numbers by hand, sentences and edges."""

import numpy as np
import pandas as pd
import pytest

import regrade
from regrade.catalogue.arrow import SCHEMAS
from regrade.tables import write_tables
from tests.unit.carried import assert_carried

TOPICS = [f"t{n}" for n in range(12)]
DOCUMENTS = list("abcdef")


def answers(noise=0.0, seed=1):
    """Everybody prefers the earlier letter, but for noise; rows of winner and loser."""
    rng = np.random.default_rng(seed)
    rows = []
    for topic in TOPICS:
        for i, better in enumerate(DOCUMENTS):
            for worse in DOCUMENTS[:i:-1]:
                pair = (better, worse) if rng.random() >= noise else (worse, better)
                rows.append((topic, *pair))
    return pd.DataFrame(rows, columns=["topic", "winner", "loser"])


def checked(found, folder, tmp_path, *names):
    tables = {name: t for name, t in found.tables.items() if f"{folder}/{name}" in SCHEMAS}
    paths = {name: str(tmp_path / f"{name}.parquet") for name in tables}
    write_tables(tables, paths, folder, {})
    assert_carried(found.answer, found.tables, *names, folder=folder)
    return found.answer


def values(found):
    return dict(zip(found.numbers["quantity"], found.numbers["value"], strict=True))


def test_an_order_without_contradictions(tmp_path):
    found = regrade.pairs(answers())
    answer = checked(found, "preferences", tmp_path)
    assert answer.verdict == (
        "The pairs join all documents of each of 12 topics, but strengths are finite in none: more "
        "answers are needed in all."
    )
    assert values(found)["cycles"] == 0
    assert values(found)["triples"] == 12 * 20
    assert any("go round in circles" in fact for fact in answer.facts)
    order = found.scores[found.scores["topic"] == "t0"].sort_values("value", ascending=False)
    assert order["docno"].tolist()[0] == "a"


def test_circles_and_contradictions_are_counted(tmp_path):
    circle = [("1", "a", "b"), ("1", "b", "c"), ("1", "c", "a"), ("1", "a", "b"), ("1", "b", "a")]
    found = regrade.pairs(pd.DataFrame(circle, columns=["topic", "winner", "loser"]))
    answer = checked(found, "preferences", tmp_path)
    assert (values(found)["cycles"], values(found)["triples"]) == (1, 1)
    assert values(found)["share contradictory"] == pytest.approx(1 / 5)
    assert "Every document both wins and loses" in " ".join(answer.facts)


def test_what_is_missing_to_join_documents_is_counted(tmp_path):
    apart = [("1", "a", "b"), ("1", "c", "d"), ("1", "e", "f"), ("2", "a", "b")]
    found = regrade.pairs(pd.DataFrame(apart, columns=["topic", "winner", "loser"]))
    answer = checked(found, "preferences", tmp_path)
    assert answer.verdict == (
        "The pairs join all documents in 1 of 2 topics; 2 more pairs at least would join the "
        "others."
    )
    assert "nothing tells of circles" in answer.facts[0]


CIRCLE = [("a", "b"), ("b", "c"), ("c", "a")]
CHAIN = [("a", "b"), ("b", "c")]


@pytest.mark.parametrize(
    ("topics", "said"),
    [
        ([CIRCLE], "the topic, and all strengths are finite."),
        ([CHAIN], "the topic, but not all strengths are finite: more answers are needed."),
        ([CIRCLE, CIRCLE], "each of 2 topics, and all strengths are finite."),
        (
            [CIRCLE, CIRCLE, CHAIN],
            "each of 3 topics, but strengths are finite in 2 only: more answers are needed in the "
            "others.",
        ),
    ],
)
def test_no_user_is_told_to_stop_where_strengths_are_not_finite(topics, said, tmp_path):
    rows = [(str(t), *pair) for t, pairs in enumerate(topics) for pair in pairs]
    found = regrade.pairs(pd.DataFrame(rows, columns=["topic", "winner", "loser"]))
    answer = checked(found, "preferences", tmp_path)
    assert answer.verdict == f"The pairs join all documents of {said}"
    assert found.graphs["finite"].tolist() == [pairs is CIRCLE for pairs in topics]


def labels(wrong=0, levels=6):
    """Grades in the order of the letters, turned round in some topics."""
    found = {}
    for t, topic in enumerate(TOPICS):
        order = DOCUMENTS[::-1] if t >= wrong else DOCUMENTS
        found[topic] = {d: min(levels - 1, i) for i, d in enumerate(order)}
    return found


def test_the_labels_that_tell_most_come_first(tmp_path):
    sets = {"fine": labels(), "two": labels(levels=2), "odd": labels(wrong=6)}
    found = regrade.pdp(sets, answers(noise=0.1))
    answer = checked(found, "power", tmp_path)
    ranked = found.ranked
    assert ranked["set"].iloc[0] == "fine"
    assert (ranked["entropy"].diff().dropna() >= 0).all()
    assert np.allclose(ranked["settled"], 1 - ranked["entropy"] / ranked["highest"])
    topics = found.topics[found.topics["topic"] != "*"]
    means = topics.groupby("set")["entropy"].mean()
    for row in ranked.itertuples():
        assert row.entropy == pytest.approx(means[row.set])
        if row.set != "fine":
            assert row.difference == pytest.approx(means[row.set] - means["fine"])
    assert answer.verdict.startswith("fine tells best apart what people prefer; ")


def test_one_set_and_the_same_sets(tmp_path):
    alone = checked(regrade.pdp({"only": labels()}, answers(0.1)), "power", tmp_path)
    assert "only settles" in alone.verdict
    both = regrade.pdp({"a1": labels(), "b1": labels()}, answers(0.1))
    assert "b1 cannot be told from it" in checked(both, "power", tmp_path).verdict


def test_one_topic(tmp_path):
    one = {"t0": labels()["t0"]}
    found = regrade.pdp({"a1": one, "b1": one}, answers(0.1))
    checked(found, "power", tmp_path)


def test_the_axis_of_what_is_settled_says_of_what_and_tells_its_ticks_apart():
    figure = regrade.pdp({"a1": labels(), "b1": labels()}, answers(0.1)).plot()
    figure.draw_without_rendering()
    axes = figure.axes[-1]
    assert axes.get_xlabel() == "share of what is open that is settled"
    axes.set_xlim(-0.001, 0.013)
    axes.set_xticks([0.0, 0.0025, 0.005])
    texts = [label.get_text() for label in axes.get_xticklabels()]
    assert texts == ["0.00%", "0.25%", "0.50%"]
