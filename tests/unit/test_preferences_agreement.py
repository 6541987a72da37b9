"""Agreement of orders against counting pair by pair, scipy, and the krippendorff package."""

from itertools import combinations
from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from regrade.catalogue import columns_of
from regrade.errors import MethodError, ParameterError
from regrade.preferences.agreement import (
    MOST_GRADES,
    alpha_of_counts,
    answer_alpha,
    graded_agreement,
    order_agreement,
    order_counts,
    question_agreement,
    side_agreement,
    side_tests,
    signs,
)
from regrade.show.published import read_published
from tests.unit.preferences_frames import preferences

PUBLISHED = Path(__file__).parents[2] / "data" / "published"

GRADES = st.lists(st.integers(0, 3), min_size=1, max_size=6)


def values(topic, numbers, name="value"):
    """Documents a, b, … of a topic with these values."""
    docnos = [chr(ord("a") + i) for i in range(len(numbers))]
    return pd.DataFrame({"topic": topic, "docno": docnos, name: np.array(numbers, float)})


def labels(topic, numbers):
    return values(topic, numbers, "grade")


def answered(rows, **columns):
    return preferences(*rows).assign(**columns)


def of(table, **keys):
    for key, value in keys.items():
        table = table[table[key] == value]
    (row,) = table.to_dict("records")
    return row


# --- scores and labels -------------------------------------------------------------------------


@settings(max_examples=40)
@given(GRADES.flatmap(lambda x: st.tuples(st.just(x), st.lists(
    st.integers(0, 3), min_size=len(x), max_size=len(x)))))  # fmt: skip
def test_order_agreement_counts_pairs(both):
    x, y = both
    table = order_agreement({"x": values("1", x), "y": values("1", y)})
    assert list(table.columns) == columns_of("preferences/orders")
    assert table["topic"].tolist() == ["1", "*"]
    product = [(x[i] - x[j]) * (y[i] - y[j]) for i, j in combinations(range(len(x)), 2)]
    for row in table.to_dict("records"):
        assert row["documents"] == len(x)
        assert row["pairs"] == len(product)
        assert row["agree"] == sum(p > 0 for p in product)
        assert row["disagree"] == sum(p < 0 for p in product)
        assert row["tie"] == sum(p == 0 for p in product)
        expected = stats.kendalltau(x, y).statistic if len(x) > 1 else np.nan
        assert row["tau"] == pytest.approx(expected, nan_ok=True)


def test_order_agreement_takes_documents_of_both_and_topics_of_both():
    first = pd.concat([values("1", [3, 2, 1]), values("2", [1, 2])])
    second = values("1", [1, 2])
    second = pd.concat([second, values("3", [1, 2, 3])])
    table = order_agreement({"x": first, "y": second})
    assert table["topic"].tolist() == ["1", "*"]
    assert of(table, topic="1")["documents"] == 2
    assert of(table, topic="1")["disagree"] == 1


def test_order_agreement_of_nothing_in_common_is_a_row_that_says_so():
    table = order_agreement({"x": values("1", [1, 2]), "y": values("2", [1, 2])})
    (row,) = table.to_dict("records")
    assert row["topic"] == "*"
    assert row["pairs"] == 0
    assert np.isnan(row["tau"])
    assert np.isnan(row["alpha"])


def test_order_agreement_over_topics_is_sums_and_the_mean_tau_where_there_is_one():
    x = pd.concat([values("1", [1, 2, 3]), values("2", [1, 1])])
    y = pd.concat([values("1", [1, 3, 2]), values("2", [1, 2])])
    table = order_agreement({"x": x, "y": y})
    everything = of(table, topic="*")
    assert everything["pairs"] == 4
    assert everything["tie"] == 1
    assert everything["tau"] == pytest.approx(1 / 3)
    assert np.isnan(of(table, topic="2")["tau"])


def test_order_agreement_of_three_sets_is_that_of_each_two_and_of_each_topic_alone():
    rng = np.random.default_rng(2)
    sets = {
        name: pd.concat([values(topic, rng.integers(0, 4, 7).tolist()) for topic in "12"])
        for name in "xyz"
    }
    table = order_agreement(sets)
    assert len(table) == 3 * 3
    for (first, second), rows in table.groupby(["first", "second"]):
        two = {name: sets[name] for name in (first, second)}
        pd.testing.assert_frame_equal(rows.reset_index(drop=True), order_agreement(two))
        assert rows["alpha"].nunique() == 3


def test_order_agreement_leaves_out_documents_without_a_value():
    table = order_agreement({"x": values("1", [1, np.nan, 3]), "y": values("1", [1, 2, 3])})
    assert of(table, topic="1")["documents"] == 2


def test_topics_of_a_category_are_topics():
    x = values("1", [1, 2, 3]).astype({"topic": "category", "docno": "category"})
    table = order_agreement({"x": x, "y": values("1", [1, 2, 3])})
    assert of(table, topic="1")["agree"] == 3


@settings(max_examples=40)
@given(GRADES.flatmap(lambda x: st.tuples(st.just(x), st.lists(
    st.integers(0, 9), min_size=len(x), max_size=len(x)))))  # fmt: skip
def test_graded_agreement_counts_pairs(both):
    grades, scores = both
    table = graded_agreement(values("1", scores).assign(method="m"), labels("1", grades), "R")
    assert list(table.columns) == columns_of("preferences/graded")
    counted = {}
    for i, j in combinations(range(len(grades)), 2):
        low, high = sorted((i, j), key=lambda d: grades[d])
        row = counted.setdefault((grades[low], grades[high]), [0, 0, 0, 0])
        row[0] += 1
        if scores[low] == scores[high]:
            row[3] += 1
        elif grades[low] != grades[high]:
            row[1 if scores[high] > scores[low] else 2] += 1
    found = {
        (row["lower"], row["higher"]): [row[c] for c in ("pairs", "agree", "disagree", "tie")]
        for row in table[table["topic"] == "1"].to_dict("records")
    }
    for (lower, higher), row in counted.items():
        if lower == higher:
            row[1:3] = [np.nan, np.nan]
        assert found.pop((lower, higher)) == pytest.approx(row, nan_ok=True)
    assert not found


def test_graded_agreement_of_many_labels_is_of_all_pairs_that_differ():
    n = MOST_GRADES + 2
    grades = [*range(n - 1), 0]
    table = graded_agreement(values("1", range(n)).assign(method="m"), labels("1", grades))
    row = of(table, topic="1")
    assert row["pairs"] == n * (n - 1) / 2 - 1
    assert row["disagree"] == n - 2
    assert np.isnan(row["lower"])


def test_graded_agreement_keeps_methods_in_order_and_sums_topics():
    scores = pd.concat([values(t, [1, 2]).assign(method=m) for m in ("z", "a") for t in ("1", "2")])
    table = graded_agreement(scores, pd.concat([labels("1", [0, 1]), labels("2", [1, 0])]))
    assert table["method"].unique().tolist() == ["z", "a"]
    assert of(table, method="z", topic="*")["pairs"] == 2
    assert of(table, method="z", topic="*")["agree"] == 1


def test_graded_agreement_of_no_document_in_common_is_empty():
    assert graded_agreement(values("1", [1, 2]).assign(method="m"), labels("2", [0, 1])).empty


# --- answers -----------------------------------------------------------------------------------


def test_side_agreement_counts_answers_by_case():
    rows = [("a", "b", -1), ("a", "b", 1), ("b", "a", -1), ("a", "c", 1), ("a", "d", -1)]
    table = side_agreement(answered(rows), labels("1", [1, 0, 1]), "R")
    assert list(table.columns) == columns_of("preferences/sided")
    here = table[table["topic"] == "1"].set_index("case")
    assert here.loc["left", ["answers", "left", "right"]].tolist() == [2, 1, 1]
    assert here.loc["right", ["answers", "left", "right"]].tolist() == [1, 1, 0]
    assert here.loc["equal", ["answers", "left", "right"]].tolist() == [1, 0, 1]
    assert table[table["topic"] == "*"]["answers"].sum() == 4  # d has no label


def test_sides_are_tested_over_topics():
    """The rows of Table 5.12: t and p are scipy's, 0.045 where the thesis prints 0.07."""
    printed = read_published(PUBLISHED / "yang2019-table-5.12.csv", "TREC-8")
    wide = printed.pivot_table(
        index=["topic", "experiment"], columns="quantity", values="published"
    ).astype(float)
    left, right = (wide[f"{side} agree"].to_numpy() for side in ("left", "right"))
    topics = [f"{topic} {experiment}" for topic, experiment in wide.index]
    table = pd.concat(
        [
            pd.DataFrame({"topic": topics, "case": case, f"{case}_share": shares})
            for case, shares in (("left", left), ("right", right))
        ]
    ).assign(reference="R", question="preference", sides=True)
    unknown = table.assign(sides=False, left_share=0.0)
    everything = table.iloc[:2].assign(topic="*", left_share=0.0)
    one_sided = table.iloc[:1].assign(topic="without the other side")
    found = of(side_tests(pd.concat([table, unknown, everything, one_sided])), reference="R")
    expected = stats.ttest_rel(right, left)
    assert found["topics"] == 8
    assert (found["t"], found["p"]) == pytest.approx((expected.statistic, expected.pvalue))
    assert round(found["p"], 3) == 0.045
    assert found["left"] - found["right"] == pytest.approx(0.022625)
    alone = of(side_tests(table[table["topic"] == topics[0]]), reference="R")
    assert np.isnan(alone["p"]) and alone["topics"] == 1


def test_swapping_all_sides_mirrors_side_agreement():
    rng = np.random.default_rng(1)
    rows = [(*rng.choice(list("abcde"), 2, replace=False), rng.choice([-1, 0, 1]))
            for _ in range(60)]  # fmt: skip
    grades = labels("1", [0, 1, 1, 2, 0])
    table = side_agreement(answered(rows), grades)
    turned = side_agreement(answered([(right, left, -s) for left, right, s in rows]), grades)
    for case, other in (("equal", "equal"), ("left", "right")):
        one, two = of(table, topic="*", case=case), of(turned, topic="*", case=other)
        assert (one["left"], one["right"], one["tie"]) == (two["right"], two["left"], two["tie"])


def test_answers_whose_sides_nobody_knows_stand_apart():
    rows = pd.concat([preferences(("a", "b", -1)), preferences(("a", "b", 1), sides=False)])
    table = side_agreement(rows, labels("1", [1, 1]))
    assert sorted(table[table["topic"] == "1"]["sides"]) == [False, True]


def three_questions():
    rows = [("a", "b", -1), ("a", "b", -1), ("b", "c", 1), ("a", "c", -1)]
    return answered(
        rows,
        left_score=[4.0, 1.0, 0.0, np.nan],
        right_score=[2.0, 1.0, 5.0, 3.0],
        left_relevant=pd.array([True, False, True, None], dtype="boolean"),
        right_relevant=pd.array([False, True, True, False], dtype="boolean"),
    )


def test_question_agreement_counts_answers_to_both():
    table = question_agreement(three_questions())
    assert list(table.columns) == columns_of("preferences/questions")
    row = of(table, first="preference", second="ratio", topic="*")
    assert [row[c] for c in ("answers", "agree", "disagree", "tie")] == [3, 2, 0, 1]
    row = of(table, first="preference", second="absolute", topic="*")
    assert [row[c] for c in ("answers", "agree", "disagree", "tie")] == [3, 1, 1, 1]
    row = of(table, first="absolute", second="ratio", topic="*")
    assert [row[c] for c in ("answers", "agree", "disagree", "tie")] == [3, 1, 0, 2]


def test_one_question_has_no_other_to_agree_with():
    assert question_agreement(preferences(("a", "b", -1))).empty


def test_side_agreement_tells_questions_apart():
    table = side_agreement(three_questions(), labels("1", [2, 1, 0]))
    assert table["question"].unique().tolist() == ["preference", "absolute", "ratio"]
    assert table[(table["question"] == "ratio") & (table["topic"] == "*")]["answers"].sum() == 3


# --- α -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
def test_alpha_of_counts_is_krippendorffs_with_pairs_in_both_directions(metric):
    rng = np.random.default_rng(2)
    orders = rng.choice([-1.0, 0.0, 1.0, np.nan], size=(4, 30), p=[0.4, 0.1, 0.4, 0.1])
    both = np.hstack([orders, -orders])
    expected = krippendorff.alpha(both, level_of_measurement=metric)
    assert alpha_of_counts(order_counts(orders), metric) == pytest.approx(expected)


def test_alpha_of_the_thesiss_example():
    """Table 2.12 of yang2019: 0.353, and 0.500 without ties, of pairs in one direction."""
    raters = np.array([[0.5, 0.1, 0.7, 0.5], [0.4, 0.2, 0.5, 0.7], [0.9, 0.5, 0.9, 0.7]])
    first, second = np.triu_indices(4, 1)
    orders = signs(raters[:, first], raters[:, second])
    both = np.hstack([orders, -orders])
    counts = order_counts(orders)
    expected = krippendorff.alpha(both, level_of_measurement="nominal")
    assert alpha_of_counts(counts) == pytest.approx(expected) == pytest.approx(0.362, abs=5e-4)
    untied = alpha_of_counts(counts * np.array([1, 0, 1]))
    assert untied == pytest.approx(0.516, abs=5e-4)


def test_alpha_does_not_change_with_names():
    rng = np.random.default_rng(3)
    rows = [(*rng.choice(list("abcd"), 2, replace=False), rng.choice([-1, 1])) for _ in range(40)]
    other = {"a": "z", "b": "b", "c": "y", "d": "a"}
    renamed = [(other[left], other[right], s) for left, right, s in rows]
    one, two = (answer_alpha(answered(r), {})["alpha"].tolist() for r in (rows, renamed))
    assert one == pytest.approx(two)


def test_alpha_among_answers_and_with_labels():
    rows = [("a", "b", -1), ("b", "a", 1), ("a", "c", -1), ("a", "c", 1), ("b", "c", -1)]
    table = answer_alpha(answered(rows), {"R": labels("1", [2, 1, 0])})
    assert list(table.columns) == columns_of("preferences/alphas")
    among = table[table["reference"].isna() & (table["topic"] == "1")].to_dict("records")[0]
    assert (among["answers"], among["pairs"]) == (4, 2)
    orders = np.array([[-1, -1.0], [-1, 1]])
    expected = krippendorff.alpha(np.hstack([orders, -orders]), level_of_measurement="nominal")
    assert among["alpha"] == pytest.approx(expected)
    beside = of(table, reference="R", topic="1")
    assert (beside["pairs"], beside["apart"]) == (3, 2)
    apart = np.array([[-1, -1.0], [-1, -1]])
    assert beside["alpha_apart"] == pytest.approx(
        krippendorff.alpha(np.hstack([apart, -apart]), level_of_measurement="nominal")
    )
    orders = np.array([[-1, 0.0, -1], [-1, -1, -1]])
    expected = krippendorff.alpha(np.hstack([orders, -orders]), level_of_measurement="nominal")
    assert beside["alpha"] == pytest.approx(expected)


def test_alpha_of_one_answer_for_each_pair_is_undefined():
    table = answer_alpha(preferences(("a", "b", -1), ("a", "c", -1)), {})
    assert table["alpha"].isna().all()
    assert (table["pairs"] == 0).all()


def test_what_cannot_be_says_so():
    with pytest.raises(MethodError, match="no preference"):
        side_agreement(preferences(), labels("1", [0]))
    with pytest.raises(ParameterError, match="metric"):
        answer_alpha(preferences(("a", "b", -1)), {}, "ratio")
