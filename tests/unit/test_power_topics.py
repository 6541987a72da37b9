"""Probabilities of preference from labels and tests, and PDP topic by topic, in plain Python."""

import math
from statistics import median

import numpy as np
import pandas as pd
import pytest

from regrade.catalogue import ALL_TOPICS
from regrade.choices import POWER_MODES
from regrade.errors import MethodError, ParameterError
from regrade.power.plackett_luce import fit_scores, ranking_entropy
from regrade.power.preferences import (
    Graded,
    PreferenceTests,
    average_preferences,
    grade_preferences,
)
from regrade.power.topics import (
    JUDGED,
    Lists,
    PowerOptions,
    judged_lists,
    power_table,
    powers,
    top_lists,
)


def judgments(rows):
    frame = pd.DataFrame(rows, columns=["topic", "docno", "worker", "value"])
    return frame.astype({"value": float})


def preferences(rows):
    return pd.DataFrame(rows, columns=["topic", "left", "right", "strength"])


def drawn(seed=0, topics=3, documents=6, workers=3, grades=4, missing=0.0):
    rng = np.random.default_rng(seed)
    said = [
        (f"t{t}", f"d{d}", f"w{w}", int(rng.integers(grades)))
        for t in range(topics)
        for d in range(documents)
        for w in range(workers)
        if rng.random() >= missing
    ]
    tests = [
        (f"t{t}", f"d{i}", f"d{j}", float(rng.integers(-2, 3)))
        for t in range(topics)
        for i in range(documents)
        for j in range(i)
    ]
    return said, tests


def plain_grades(said, tests, mode):
    """Eqs 10 and 11 with loops: (g, h) → p, and the grades of each document."""
    given = {}
    for topic, docno, worker, value in said:
        given.setdefault((topic, docno), {})[worker] = float(value)
    if mode == "aggregate":
        given = {document: {"": median(some.values())} for document, some in given.items()}
    wins, counts = {}, {}
    for topic, left, right, strength in tests:
        one, other = given.get((topic, left), {}), given.get((topic, right), {})
        for worker in one.keys() & other.keys():
            share = 0.5 if strength == 0 else float(strength < 0)
            for g, h, won in (
                (one[worker], other[worker], share),
                (other[worker], one[worker], 1 - share),
            ):
                wins[g, h] = wins.get((g, h), 0) + won
                counts[g, h] = counts.get((g, h), 0) + 1
    return {pair: wins[pair] / counts[pair] for pair in counts}, given


def plain_documents(p, given, topic, documents):
    n = len(documents)
    found = np.full((n, n), 0.5)
    for i in range(n):
        for j in range(n):
            one, other = given[topic, documents[i]], given[topic, documents[j]]
            both = [p.get((one[w], other[w]), 0.5) for w in one.keys() & other.keys()]
            if i != j and both:
                found[i, j] = sum(both) / len(both)
    return found


@pytest.mark.parametrize("mode", ["individual", "aggregate"])
@pytest.mark.parametrize("missing", [0.0, 0.4])
@pytest.mark.parametrize("workers", [2, 3])
def test_preferences_and_power_are_those_of_plain_loops(mode, missing, workers):
    said, tests = drawn(missing=missing, workers=workers)
    graded = Graded.from_table(judgments(said)).in_mode(mode)
    of_grades = grade_preferences(graded, PreferenceTests.from_table(preferences(tests)))
    p, given = plain_grades(said, tests, mode)
    for (g, h), value in p.items():
        place = np.searchsorted(graded.values, [g, h])
        assert of_grades.probabilities[tuple(place)] == pytest.approx(value)
    table = power_table(
        Graded.from_table(judgments(said)),
        PreferenceTests.from_table(preferences(tests)),
        [judged_lists([graded])],
        PowerOptions(modes=[mode]),
    ).set_index("topic")
    values = []
    for topic in ("t0", "t1", "t2"):
        documents = sorted(docno for at, docno in given if at == topic)
        expected = plain_documents(p, given, topic, documents)
        index = pd.MultiIndex.from_arrays([[topic] * len(documents), documents])
        codes = graded.codes[graded.places(index)]
        found, _ = average_preferences(codes, of_grades.probabilities, of_grades.known)
        assert found == pytest.approx(expected)
        values.append(ranking_entropy(fit_scores(expected).scores).value)
        assert table.at[topic, "entropy"] == pytest.approx(values[-1], abs=1e-9)
        assert table.at[topic, "highest"] == pytest.approx(math.lgamma(len(documents) + 1))
    assert table.at[ALL_TOPICS, "entropy"] == pytest.approx(np.mean(values))
    assert table["exact"].all()


def test_the_signal_of_a_pair_is_the_median_of_its_strengths_in_both_orders():
    tests = PreferenceTests.from_table(
        preferences(
            [("t", "a", "b", -2), ("t", "b", "a", 1), ("t", "a", "b", 1), ("t", "c", "a", 0)]
        )
    )
    # a is preferred to b by two of three
    assert tests.signal.tolist() == [1, 0]
    assert list(tests.second) == [("t", "b"), ("t", "c")]


def test_a_preference_for_a_document_without_label_does_not_count():
    graded = Graded.from_table(judgments([("t", "a", "w", 0), ("t", "b", "w", 1)]))
    tests = PreferenceTests.from_table(
        preferences([("t", "a", "b", 1), ("t", "a", "x", -1), ("u", "a", "b", -1)])
    )
    assert tests.served(graded).tolist() == [True, False, False]
    found = grade_preferences(graded, tests)
    assert found.tests.tolist() == [[0, 1], [1, 0]]
    assert found.probabilities[1, 0] == 1
    with pytest.raises(MethodError, match="no document of the preferences was graded"):
        grade_preferences(graded, PreferenceTests.from_table(preferences([("t", "x", "y", 1)])))


def test_experts_prefer_what_they_grade_higher():
    rows = [("t", "b", 2.0), ("t", "a", 0.0), ("t", "c", 2.0), ("u", "x", 1.0)]
    tests = PreferenceTests.from_labels(pd.DataFrame(rows, columns=["topic", "docno", "grade"]))
    assert list(tests.first) == [("t", "a"), ("t", "a")]
    assert list(tests.second) == [("t", "b"), ("t", "c")]
    assert tests.signal.tolist() == [-1, -1]


def test_experts_who_find_all_documents_alike_prefer_nothing():
    rows = [("t", "a", 1.0), ("t", "b", 1.0), ("u", "a", 2.0)]
    with pytest.raises(MethodError, match="no topic has two documents of different grades"):
        PreferenceTests.from_labels(pd.DataFrame(rows, columns=["topic", "docno", "grade"]))


def test_a_list_with_a_document_without_grade_is_refused():
    graded = Graded.from_table(judgments([("t", "a", "w", 0), ("t", "b", "w", 1)]))
    tests = PreferenceTests.from_table(preferences([("t", "a", "b", 1)]))
    with pytest.raises(MethodError, match="document x of topic t has no grade"):
        power_table(graded, tests, [Lists("some", {"t": [["a", "b"], ["a", "x"]]})], PowerOptions())


def test_one_assessor_has_the_same_power_in_both_modes():
    graded = Graded.from_table(judgments([("t", f"d{d}", "w", d % 3) for d in range(6)]))
    pairs = [("t", f"d{i}", f"d{j}", 1 if (i * j) % 4 else -1) for i in range(6) for j in range(i)]
    table = power_table(
        graded,
        PreferenceTests.from_table(preferences(pairs)),
        [judged_lists([graded])],
        PowerOptions(),
    )
    individual, aggregate = (table[table["mode"] == mode]["entropy"] for mode in POWER_MODES)
    np.testing.assert_array_equal(individual, aggregate)


def test_grades_that_no_test_compares_say_nothing_and_are_counted():
    said = [("t", "a", "w", 0), ("t", "b", "w", 1), ("t", "c", "w", 2)]
    tests = PreferenceTests.from_table(preferences([("t", "a", "b", 1)]))
    graded = Graded.from_table(judgments(said))
    table = power_table(graded, tests, [judged_lists([graded])], PowerOptions(modes=["individual"]))
    assert table["unseen"].tolist() == pytest.approx([2 / 3] * 2)
    assert table["clipped"].tolist() == pytest.approx([1 / 3] * 2)
    # one document always wins against another; between the others nobody knows
    assert table["finite"].tolist() == [1.0, 1.0]


def test_one_document_and_no_list_are_rows_without_value():
    said = [("t", "a", "w", 0), ("t", "b", "w", 1), ("u", "a", "w", 1)]
    graded = Graded.from_table(judgments(said))
    tests = PreferenceTests.from_table(preferences([("t", "a", "b", 1)]))
    lists = Lists("some", {"t": [["a", "b"]], "u": [["a"]], "v": []})
    table = power_table(graded, tests, [lists], PowerOptions(modes=["individual"]))
    assert table["topic"].tolist() == ["t", "u", "v", ALL_TOPICS]
    assert table["entropy"].isna().tolist() == [False, True, True, False]
    assert table["lists"].tolist() == [1, 0, 0, 1]
    assert table["entropy"].iloc[-1] == table["entropy"].iloc[0]


def test_all_documents_alike_tell_nothing():
    said = [("t", f"d{d}", "w", 2) for d in range(30)]
    graded = Graded.from_table(judgments(said))
    tests = PreferenceTests.from_table(preferences([("t", "d1", "d2", 1)]))
    table = power_table(graded, tests, [judged_lists([graded])], PowerOptions())
    # thirty documents are one class: exact although there are 2^30 sets of them
    assert table["exact"].all()
    assert table["entropy"].to_numpy() == pytest.approx(math.lgamma(31))
    assert (table["standard_error"] == 0).all()


def test_documents_whom_nobody_graded_are_unseen_and_those_of_the_lowest_grade_are_not():
    given = np.array([0, 0, np.nan, np.nan, np.nan])[:, None]
    documents = pd.MultiIndex.from_product([["t"], list("abcde")], names=["topic", "docno"])
    graded = Graded.from_values(documents, given)
    tests = PreferenceTests.from_table(preferences([("t", "a", "b", 1)]))
    table = power_table(graded, tests, [judged_lists([graded])], PowerOptions(modes=["individual"]))
    # of ten pairs one is of graded documents
    assert table["unseen"].tolist() == pytest.approx([0.9, 0.9])
    assert table["entropy"].to_numpy() == pytest.approx(math.lgamma(6))


def test_a_median_between_two_grades_is_a_grade_of_its_own():
    graded = Graded.from_table(judgments([("t", "a", "w", 0), ("t", "a", "x", 1)]))
    assert graded.in_mode("aggregate").values.tolist() == [0.5]
    with pytest.raises(ParameterError, match="mode"):
        graded.in_mode("mean")


def test_lists_of_runs_are_their_first_documents_that_all_sets_graded():
    one = Graded.from_table(judgments([("t", d, "w", 1) for d in "abcd"]))
    other = Graded.from_table(judgments([("t", d, "w", 1) for d in "bcde"]))
    lists = top_lists({"t": [list("abxdc"), list("ab")]}, [one, other], 2)
    assert [some.tolist() for some in lists.documents["t"]] == [["b", "d"]]
    assert lists.name == "top 2"
    assert judged_lists([one, other]).documents["t"][0].tolist() == ["b", "c", "d"]
    assert judged_lists([one]).name == JUDGED
    far = Graded.from_table(judgments([("u", "a", "w", 1)]))
    with pytest.raises(MethodError, match="every set"):
        judged_lists([one, far])


def test_a_list_that_several_runs_have_counts_as_often():
    said, tests = drawn(workers=1)
    graded = Graded.from_table(judgments(said))
    pairs = PreferenceTests.from_table(preferences(tests))
    three = [["d0", "d1"], ["d2", "d3"], ["d1", "d0"]]
    found = power_table(
        graded, pairs, [Lists("x", {"t0": three})], PowerOptions(modes=["individual"])
    )
    single = [
        power_table(graded, pairs, [Lists("x", {"t0": [some]})], PowerOptions(modes=["individual"]))
        for some in three
    ]
    assert found["entropy"].iloc[0] == pytest.approx(
        np.mean([s["entropy"].iloc[0] for s in single])
    )


def test_many_lists_at_once_are_each_alone():
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 4, (20, 5, 3))
    p = np.full((4, 4), 0.5) + np.subtract.outer(np.arange(4), np.arange(4)) * 0.15
    known = np.ones((4, 4), dtype=bool)
    found = np.empty(20)
    powers(codes, p, known, found)
    for one, value in zip(codes, found, strict=True):
        each = np.mean([p[np.ix_(given, given)] for given in one.T], axis=0)
        assert value == pytest.approx(ranking_entropy(fit_scores(each).scores).value, abs=1e-9)


def test_levels_are_cut_as_everywhere():
    graded = Graded.from_table(
        judgments([("t", "a", "w", 1), ("t", "b", "w", 2), ("t", "b", "x", 3)])
    )
    cut = graded.cut([1, 2.5])
    assert cut.grades()[0, 0] == 0
    assert cut.grades()[1].tolist() == [1, 2]
