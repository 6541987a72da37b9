"""Pairs and discriminative power: numbers by hand, sentences and edges."""

import itertools
from collections import Counter

import hypothesis
import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

import regrade
from regrade.answers.shape import FINE, LOOK, PROBLEM
from regrade.power import answer as pdp
from regrade.power.ranked_sets import ranked_numbers, ranked_sets
from regrade.preferences import answer as pairs
from regrade.preferences.consistency import circular_triads
from regrade.preferences.pair_numbers import circles, pair_numbers
from tests.snapshots import assert_said, assert_snapshot
from tests.unit.carried import assert_carried, checked
from tests.unit.figure_checks import words

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


def values(found):
    return dict(zip(found.numbers["quantity"], found.numbers["value"], strict=True))


def answered_by_hand(share=0.8, low=0.7, high=0.9, triples=(1, 3), cycles=(1, 0)):
    """What is said of two topics, of four and five documents."""
    graphs = {
        "topic": ["1", "2"],
        "documents": [4, 5],
        "preferences": [9, 11],
        "pairs": [6, 8],
        "ties": [0, 1],
    }
    graphs |= {"never_winning": [1, 0], "components": [1, 1], "finite": [False, True]}
    graphs |= {"answers_missing": [2, 0]}
    units = {"topic": ["1", "2"], "repeated": [2, 0], "contradictory": [4, 0]}
    units |= {"preferences": [9, 11], "triples": triples, "cycles": cycles}
    units |= {"worker": [None, None], "unit": [None, None]}
    majorities = {"topic": ["1", "2"], "triples": triples, "cycles": cycles}
    sides = {"topic": ["1", "*"], "preferences": [2, 20], "share": [0.5, share]}
    sides |= {"low": [0.1, low], "high": [0.9, high]}
    named = {"graphs": graphs, "consistency": units, "sides": sides}
    named = {name: pd.DataFrame(columns) for name, columns in named.items()}
    majorities = pd.DataFrame(majorities)
    numbers = pair_numbers(named, majorities)
    tables = {"circles": circles(named["consistency"], majorities), "numbers": numbers}
    tables["graphs"] = named["graphs"]
    answered = pairs.answer(tables)
    assert_carried(answered, tables, folder="preferences")
    return {**tables, "answer": answered}


def test_circles_and_contradictions_by_hand():
    tables = answered_by_hand()
    assert tables["circles"]["share"].tolist() == [1.0, 0.0]
    found = dict(zip(tables["numbers"]["quantity"], tables["numbers"]["value"], strict=True))
    assert (found["share of cycles, majority"], found["share contradictory"]) == (0.25, 0.2)
    none = answered_by_hand(triples=(0, 0), cycles=(0, 0))
    assert none["circles"]["share"].isna().all()
    both = (str(one["answer"]) for one in (tables, none))
    assert_snapshot("pairs-circles", "\n\n".join(both))


def test_answers_as_inconsistent_as_random_ones_are_a_problem():
    few, many = (answered_by_hand(triples=(n, n), cycles=(n // 2, 0)) for n in (8, 10))
    assert (few["answer"].light, many["answer"].light) == (LOOK, PROBLEM)


def test_documents_that_only_tie_are_not_said_to_be_uncompared_nor_to_win():
    """Every pair of four documents was asked about, and every answer was a tie."""
    asked = [("t", f"d{i}", f"d{j}", "tie") for i in range(4) for j in range(i)]
    rows = pd.DataFrame(asked, columns=["topic", "left", "right", "winner"])
    assert_snapshot("pairs-ties", str(regrade.pairs(rows).answer))


def test_a_side_that_decides_is_warned_of():
    """Of all topics, not of the first."""

    def say(low, high):
        return answered_by_hand(0.8, low, high)["answer"].notes

    assert_said("pairs-sides", say, [(0.7, 0.9), (0.1, 0.3), (0.4, 0.9), (np.nan, np.nan)])


def test_an_order_without_contradictions(tmp_path):
    found = regrade.pairs(answers())
    answer = checked(found, "preferences", tmp_path)
    assert answer.light == LOOK
    assert_snapshot("pairs-in-order", str(answer))
    assert values(found)["cycles, majority"] == 0
    assert values(found)["triples, majority"] == 12 * 20
    order = found.scores[found.scores["topic"] == "t0"].sort_values("value", ascending=False)
    assert order["docno"].tolist()[0] == "a"


def test_circles_and_contradictions_are_counted(tmp_path):
    circle = [("1", "a", "b"), ("1", "b", "c"), ("1", "c", "a"), ("1", "a", "b"), ("1", "b", "a")]
    found = regrade.pairs(pd.DataFrame(circle, columns=["topic", "winner", "loser"]))
    answer = checked(found, "preferences", tmp_path)
    assert (values(found)["cycles, majority"], values(found)["triples, majority"]) == (1, 1)
    assert values(found)["share contradictory"] == pytest.approx(1 / 5)
    assert answer.verdict.endswith(" connected and Bradley–Terry estimates are finite.")
    assert answer.light == FINE  # its only triple is a cycle, which may be luck


def test_circles_within_workers_are_told_from_those_of_the_majority(tmp_path):
    """Two of three workers have an order, the third goes round: the majority does not."""
    order, circle = [("a", "b"), ("b", "c"), ("a", "c")], [("a", "b"), ("b", "c"), ("c", "a")]
    answers = {"u": order, "v": order, "w": circle}
    rows = [("1", *pair, worker) for worker, pairs in answers.items() for pair in pairs]
    columns = ["topic", "winner", "loser", "worker"]
    found = regrade.pairs(pd.DataFrame(rows, columns=columns))
    answer = checked(found, "preferences", tmp_path)
    circles = found.circles.set_index("by")[["triples", "cycles"]]
    assert circles.loc["worker"].tolist() == [3, 1]
    assert circles.loc["majority"].tolist() == [1, 0]
    assert_snapshot("pairs-circles-within", str(answer))
    assert words(found.plot()) == ["Not drawn: 1 topic only."]
    alone = regrade.pairs(pd.DataFrame(rows[:3], columns=columns))
    assert alone.circles["by"].tolist() == ["majority"]


@hypothesis.settings(max_examples=40, deadline=None)
@hypothesis.given(st.lists(st.tuples(*3 * [st.integers(0, 4)]), min_size=1))
def test_triads_of_the_majority_are_those_of_every_triple(answers):
    """Rows of two documents, and which is preferred; equal ones count for a tie of two others."""
    rows = [("t", f"d{a}", f"d{b}", "left" if c < 2 else "right" if c < 4 else "tie")
            for a, b, c in answers if a != b]  # fmt: skip
    rows = rows or [("t", "d0", "d1", "left")]
    frame = pd.DataFrame(rows, columns=["topic", "left", "right", "preferred"])
    wins = Counter()
    for _, left, right, preferred in rows:
        wins[left, right] += preferred == "left"
        wins[right, left] += preferred == "right"

    def over(x, y):
        return wins[x, y] > wins[y, x]

    every = [
        over(a, b) + over(b, c) + over(c, a)
        for a, b, c in itertools.combinations([f"d{i}" for i in range(5)], 3)
        if all(over(x, y) or over(y, x) for x, y in ((a, b), (b, c), (a, c)))
    ]
    found = circular_triads(regrade.read_preferences(frame))
    assert found["triples"].tolist() == [len(every)]
    assert found["cycles"].tolist() == [sum(n in (0, 3) for n in every)]


def test_what_is_missing_to_join_documents_is_counted(tmp_path):
    apart = [("1", "a", "b"), ("1", "c", "d"), ("1", "e", "f"), ("2", "a", "b")]
    found = regrade.pairs(pd.DataFrame(apart, columns=["topic", "winner", "loser"]))
    answer = checked(found, "preferences", tmp_path)
    assert_snapshot("pairs-apart", str(answer))


CIRCLE = [("a", "b"), ("b", "c"), ("c", "a")]
CHAIN = [("a", "b"), ("b", "c")]
APART = [("a", "b"), ("c", "d")]


def test_no_user_is_told_to_stop_where_strengths_are_not_finite(tmp_path):
    """And where no topic is joined nothing is said of others."""

    def say(*topics):
        rows = [(f"q{t}", *pair) for t, pairs in enumerate(topics) for pair in pairs]
        found = regrade.pairs(pd.DataFrame(rows, columns=["topic", "winner", "loser"]))
        assert found.graphs["finite"].tolist() == [pairs is CIRCLE for pairs in topics]
        answer = checked(found, "preferences", tmp_path)
        return [answer.key, answer.light, answer.verdict]

    star = [*CHAIN, ("a", "d"), ("a", "e")]
    cases = [[CIRCLE], [CHAIN], [star, CHAIN, CIRCLE], [CIRCLE, CIRCLE], [CIRCLE, CIRCLE, CHAIN]]
    assert_said("pairs-finite", say, [*cases, [APART], [APART, APART]])


def labels(wrong=0, levels=6):
    """Grades in the order of the letters, turned round in some topics."""
    found = {}
    for t, topic in enumerate(TOPICS):
        order = DOCUMENTS[::-1] if t >= wrong else DOCUMENTS
        found[topic] = {d: min(levels - 1, i) for i, d in enumerate(order)}
    return found


def power_by_hand(p_of_b, unseen=0.0):
    """Sets a, b and c by what people prefer, a best; by what judges prefer c alone."""
    key = {"mode": "individual", "list": "judged"}
    rows = [("people", "c", 4.0), ("people", "a", 2.0), ("people", "b", 3.0), ("judges", "c", 1.0)]
    topics = [
        key
        | {
            "preferences": preferences,
            "set": name,
            "topic": topic,
            "lists": 1,
            "documents": 5.0,
            "entropy": entropy if topic != "2" else np.nan,
            "highest": 4.8,
            "unseen": unseen if name == "b" else 0.0,
        }
        for preferences, name, entropy in rows
        for topic in ("*", "1", "2", "3")
    ]
    intervals = [
        key
        | {
            "preferences": preferences,
            "set": name,
            "over": over,
            "resamples": 1000,
            "low": entropy - width,
            "high": entropy + width,
        }
        for preferences, name, entropy in rows
        for over, width in (("assessors", 9), ("topics", 1))
    ]
    people = {"preferences": "people"}
    differences = [
        key | people | {"first": "a", "second": "b", "difference": -1.0, "p_adjusted": p_of_b},
        key | people | {"first": "c", "second": "a", "difference": 2.0, "p_adjusted": 0.2},
        key | people | {"first": "b", "second": "c", "difference": -1.0, "p_adjusted": 0.0},
    ]
    ranked = ranked_sets(*map(pd.DataFrame, (topics, intervals, differences)))
    numbers = ranked_numbers(ranked, pd.DataFrame(intervals), 1)
    answer = pdp.answer(ranked, numbers)
    assert_carried(answer, {"ranked": ranked, "numbers": numbers}, folder="power")
    return {"ranked": ranked, "numbers": numbers, "answer": answer}


@pytest.mark.parametrize(("p_of_b", "counts"), [(0.04, [3, 1, 1]), (0.05, [3, 0, 2])])
def test_sets_are_compared_with_the_one_of_most_power(p_of_b, counts):
    found = power_by_hand(p_of_b)
    ranked = found["ranked"][found["ranked"]["preferences"] == "people"]
    assert ranked["set"].tolist() == ["a", "b", "c"]
    assert ranked["n_topics"].tolist() == [2, 2, 2]  # one has no entropy
    assert ranked[["low", "high"]].to_numpy().tolist() == [[1, 3], [2, 4], [3, 5]]
    assert ranked["difference"].tolist()[1:] == [1.0, 2.0]
    assert ranked["p"].tolist()[1:] == [p_of_b, 0.2]
    of = found["numbers"][found["numbers"]["preferences"] == "people"]
    assert of["value"].tolist() == [*counts, 1000, 1]
    worse = {1: "1 of 2 others is significantly worse", 0: "no other set differs significantly"}
    assert f"; {worse[counts[1]]} (" in found["answer"].verdict
    assert [row[-1] for row in found["answer"].rows.rows] == [None, p_of_b, 0.2, None]


def test_power_in_sentences():
    """From a twentieth on, pairs of grades that no preference compares have a note."""

    def say(*case):
        return power_by_hand(*case)["answer"]

    assert_said("pdp", say, [(0.04,), (0.05,), (0.04, 0.05), (0.04, 0.049)])


def test_sets_of_equal_power_are_named_together(tmp_path):
    sets = {"a": labels(), "same": labels(), "odd": labels(wrong=6)}
    found = regrade.pdp(sets, answers(noise=0.1))
    verdict = checked(found, "power", tmp_path).verdict
    start = "a and same reduce the entropy of the preference ranking (people) most, by "
    assert verdict.startswith(start) and "; odd " in verdict
    assert not np.signbit(found.ranked["difference"].dropna()).any()


def test_labels_of_one_grade_have_no_power(tmp_path):
    one = {topic: dict.fromkeys(of, 1) for topic, of in labels().items()}
    found = regrade.pdp({"one": one}, answers(noise=0.1))
    assert found.ranked["settled"].tolist() == [0]
    answer = checked(found, "power", tmp_path)
    assert " by 0.0% (" in answer.verdict and answer.light == PROBLEM


def test_the_labels_of_most_power_come_first(tmp_path):
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
    assert answer.verdict.startswith("fine reduces the entropy of the preference ranking (")
    assert [row[0] for row in answer.rows.rows] == ranked["set"].tolist()


def test_one_set_and_the_same_sets(tmp_path):
    alone = checked(regrade.pdp({"only": labels()}, answers(0.1)), "power", tmp_path)
    assert alone.verdict.startswith("only labels reduce the entropy of the preference ranking (")
    both = regrade.pdp({"a1": labels(), "b1": labels()}, answers(0.1))
    verdict = checked(both, "power", tmp_path).verdict
    assert verdict.startswith("Both sets reduce the entropy of the preference ranking (")
    assert " equally, by " in verdict


def test_of_judgments_people_alone_are_told_of_too():
    crowd = [
        {"topic": t, "docno": d, "worker": w, "value": g}
        for t, of in labels().items() for d, g in of.items() for w in "vw"
    ]  # fmt: skip
    modes = [
        set(regrade.pdp({"x": one}, answers(0.1)).topics["mode"])
        for one in (labels(), pd.DataFrame(crowd))
    ]
    assert modes == [{"aggregate"}, {"aggregate", "individual"}]


def test_one_topic(tmp_path):
    one = {"t0": labels()["t0"]}
    found = regrade.pdp({"a1": one, "b1": one}, answers(0.1))
    checked(found, "power", tmp_path)


def test_the_axis_of_power_is_named_and_has_distinct_ticks():
    figure = regrade.pdp(dict.fromkeys(("a1", "b1", "c1"), labels()), answers(0.1)).plot()
    figure.draw_without_rendering()
    axes = figure.axes[-1]
    assert axes.get_xlabel() == "reduction of entropy"
    axes.set_xlim(-0.001, 0.013)
    axes.set_xticks([0.0, 0.0025, 0.005])
    texts = [label.get_text() for label in axes.get_xticklabels()]
    assert texts == ["0.00%", "0.25%", "0.50%"]


def test_copies_are_told_of():
    answers = {"topic": ["1"] * 3, "winner": list("aab"), "loser": list("bbc")}
    assert not any("copies" in said for said in regrade.pairs(answers).answer.notes)
    found = regrade.pairs(answers | {"worker": ["v"] * 3}).answer
    said = "1 of 3 preferences repeat an earlier answer of the same worker in all columns"
    assert any(said in note for note in found.notes)
