"""Scales, cuts and aggregation against plain Python."""

import statistics
from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from math import ceil, comb

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.aggregation import (
    AGGREGATIONS,
    ORDERS,
    Aggregation,
    aggregate,
    aggregates,
    aggregation_code,
    enumerate_cuts,
    histogram_aggregate,
    once_per_worker,
    transform,
    transformed_labels,
    vote_of,
)
from regrade.catalogue.arrow import SCHEMAS
from regrade.errors import ParameterError
from regrade.scales import MAX_LEVELS, check_levels
from tests.reference import han2019
from tests.unit.judgments import random_judgments, random_labels

SCALES = [
    (source, levels)
    for source in range(3, 13)
    for levels in range(2, min(MAX_LEVELS, source - 1) + 1)
]


QUICK = settings(max_examples=50)


def exact_aggregate(values, how):
    """The aggregate of integers as a fraction."""
    values = [Fraction(value) for value in values]
    if how == "majority":
        counts = Counter(values)
        return min(value for value in counts if counts[value] == max(counts.values()))
    return sum(values) / len(values) if how == "mean" else getattr(statistics, how)(values)


def nearest_level(value):
    """The nearest integer, halves to the lower one."""
    return ceil(value - Fraction(1, 2))


def plain_transform(value, cut):
    return sum(value > c for c in cut)


def judgments_of(values, topic="1", docno="A"):
    count = len(values)
    return pa.table(
        {
            "topic": pa.repeat(topic, count),
            "docno": pa.repeat(docno, count),
            "worker": pa.array(np.arange(count)).cast(pa.string()),
            "value": values,
        }
    )


def as_dict(labels):
    assert labels.schema.equals(SCHEMAS["qrels"])
    return {(row["topic"], row["docno"]): row["grade"] for row in labels.to_pylist()}


# cuts


@pytest.mark.parametrize(("source_levels", "levels"), [*SCALES, (101, 2), (101, 3)])
def test_every_cut_in_lexicographic_order(source_levels, levels):
    cuts = enumerate_cuts(source_levels, levels)
    assert [tuple(cut) for cut in cuts.tolist()] == [
        *combinations(range(source_levels - 1), levels - 1)
    ]
    assert len(cuts) == comb(source_levels - 1, levels - 1)
    assert cuts.dtype == np.int16
    assert cuts.flags.c_contiguous


def test_every_cut_of_s100_into_four_levels():
    cuts = enumerate_cuts(101, 4)
    expected = np.array([*combinations(range(100), 3)])
    assert cuts.shape == (161_700, 3)
    np.testing.assert_array_equal(cuts, expected)
    assert len(enumerate_cuts(101, 4)) == 161_700


def test_four_levels_have_three_cuts_into_two():
    assert enumerate_cuts(4, 2).ravel().tolist() == [0, 1, 2]  # left, middle, right


@pytest.mark.parametrize(
    ("source_levels", "levels", "message"),
    [
        (2, 2, "a source scale has at least 3 levels, not 2"),
        (None, MAX_LEVELS + 1, "a continuous scale can be cut into 2 to 4 levels, not 5"),
        (101, 1, "101 levels can be cut into 2 to 4 levels, not 1"),
        (101, MAX_LEVELS + 1, "not 5"),
        (4, 4, "4 levels can be cut into 2 to 3 levels, not 4"),
        (3, 3, "3 levels can be cut into 2 to 2 levels"),
    ],
)
def test_scales_that_leave_nothing_to_choose_are_refused(source_levels, levels, message):
    with pytest.raises(ParameterError, match=message):
        check_levels(source_levels, levels)


def test_values_are_cut_into_no_more_levels_than_they_are():
    assert enumerate_cuts(3, 3).tolist() == [[0, 1]]
    for levels in (1, 4):
        with pytest.raises(ParameterError, match=f"3 values cannot be cut into {levels} levels"):
            enumerate_cuts(3, levels)


@QUICK
@given(
    values=st.lists(st.integers(0, 200).map(lambda twice: twice / 2), min_size=1, max_size=20),
    cut=st.lists(st.integers(0, 99), min_size=1, max_size=3, unique=True).map(sorted),
)
def test_transform(values, cut):
    expected = [plain_transform(value, cut) for value in values]
    assert transform(np.array(values), cut).tolist() == expected
    shape = (len(values), 1)
    assert transform(np.reshape(values, shape), np.array(cut)).shape == shape


def test_a_value_on_the_cut_is_below_it():
    assert transform([2, 2.5, 3], (2,)).tolist() == [0, 1, 1]
    assert transform([0, 49, 50, 51, 100], (0, 50, 99)).tolist() == [0, 1, 1, 2, 3]


# aggregation


sets_of_values = st.lists(st.integers(0, 100), min_size=1, max_size=12)


@pytest.mark.parametrize("how", AGGREGATIONS)
@QUICK
@given(values=sets_of_values)
def test_aggregate_against_fractions(how, values):
    grade = as_dict(aggregate(judgments_of(values), how))[("1", "A")]
    assert grade == float(exact_aggregate(values, how))


@pytest.mark.parametrize("how", AGGREGATIONS)
@pytest.mark.parametrize("levels", [2, 3, 4])
def test_aggregate_on_the_scale_against_fractions(how, levels):
    """All ways in which up to six judges can judge, so every tie and every half."""
    counts = [c for c in product(range(7), repeat=levels) if 1 <= sum(c) <= 6]
    tables, expected = [], {}
    for number, count in enumerate(counts):
        values = [level for level, n in enumerate(count) for _ in range(n)]
        tables.append(judgments_of(values, docno=f"{number:04d}"))
        expected["1", f"{number:04d}"] = nearest_level(exact_aggregate(values, how))
    found = aggregate(pa.concat_tables(tables), how, levels)
    assert as_dict(found) == expected
    assert not np.signbit(found["grade"].to_numpy()).any()  # no −0, which has other bytes


@pytest.mark.parametrize(
    ("values", "how", "grade", "level"),
    [
        ([0, 1], "median", 0.5, 0),
        ([1, 2], "median", 1.5, 1),
        ([0, 1, 1, 3], "median", 1, 1),
        ([0, 3], "median", 1.5, 1),
        ([3, 0, 0, 3], "majority", 0, 0),
        ([2, 1, 2, 1, 0], "majority", 1, 1),
        ([0, 1], "mean", 0.5, 0),
        ([0, 1, 1], "mean", 2 / 3, 1),
        ([0, 0, 1], "mean", 1 / 3, 0),
        ([3, 3, 0, 0], "mean", 1.5, 1),
        ([0] * 499_999 + [1] * 500_001, "mean", 0.500001, 1),
        ([0] * 500_000 + [1] * 500_000, "mean", 0.5, 0),
    ],
)
def test_even_counts_ties_and_halves(values, how, grade, level):
    judgments = judgments_of(values)
    assert as_dict(aggregate(judgments, how)) == {("1", "A"): grade}
    assert as_dict(aggregate(judgments, how, 4)) == {("1", "A"): level}


def test_a_level_lies_on_the_scale():
    assert as_dict(aggregate(judgments_of([7.0, 9.0]), "median", 4)) == {("1", "A"): 3}
    assert as_dict(aggregate(judgments_of([-7.0]), "median", 4)) == {("1", "A"): 0}


@pytest.mark.parametrize("how", AGGREGATIONS)
def test_the_order_of_the_rows_changes_no_bit(how):
    rng = np.random.default_rng(0)
    documents, judges = 300, 12
    judgments = pa.table(
        {
            "topic": np.repeat(["1", "2", "3"], documents * judges // 3),
            "docno": np.repeat(np.arange(documents), judges).astype(str),
            "worker": np.tile(np.arange(judges), documents).astype(str),
            # magnitudes, whose sums depend on the order of the additions
            "value": np.exp(rng.normal(0, 8, documents * judges)),
        }
    )
    labels = aggregate(judgments, how)
    for _ in range(5):
        shuffled = judgments.take(pa.array(rng.permutation(len(judgments))))
        assert aggregate(shuffled, how).equals(labels)


def test_labels_are_sorted_and_keep_their_documents_apart():
    judgments = pa.table(
        {
            "topic": ["2", "10", "2", "10", "10"],
            "docno": ["B", "A", "A", "B", "A"],
            "worker": ["v", "v", "v", "v", "w"],
            "value": [1.0, 2.0, 3.0, 4.0, 4.0],
        }
    )
    assert aggregate(judgments, "mean").to_pylist() == [
        {"topic": "10", "docno": "A", "grade": 3.0},
        {"topic": "10", "docno": "B", "grade": 4.0},
        {"topic": "2", "docno": "A", "grade": 3.0},
        {"topic": "2", "docno": "B", "grade": 1.0},
    ]


def test_the_vote_follows_the_target_scale():
    votes = ["majority", "median", "median"]
    assert [vote_of(levels) for levels in (2, 3, 4)] == votes
    assert [Aggregation("mean").vote(levels) for levels in (2, 3, 4)] == votes
    assert Aggregation(levels="mean").vote(2) == "mean"


REPEATED = pa.table(
    {
        "topic": ["1"] * 6,
        "docno": ["A", "A", "A", "A", "A", "B"],
        "worker": ["v", "v", "v", "w", "x", "v"],
        "value": [9.0, 3.0, 5.0, 8.0, 7.0, 3.0],
    }
)


def test_a_worker_counts_once_per_document():
    once = once_per_worker(REPEATED.to_pandas())
    values = once.groupby(["docno", "worker"])["value"].apply(list).to_dict()
    assert values == {("A", "v"): [5], ("A", "w"): [8], ("A", "x"): [7], ("B", "v"): [3]}
    assert as_dict(aggregate(REPEATED, "median"))["1", "A"] == 7


def test_two_values_of_a_worker_make_one_of_the_scale():
    both = REPEATED.slice(0, 2)
    assert as_dict(aggregate(both, "mean")) == {("1", "A"): 3}
    assert as_dict(transformed_labels(both, {"1": (4,)}, "ta", "majority", 2)) == {("1", "A"): 0}


@QUICK
@given(
    values=sets_of_values,
    cut=st.lists(st.integers(0, 99), min_size=1, max_size=3, unique=True).map(sorted),
    how=st.sampled_from(["median_low", "median_high"]),
)
def test_either_order_gives_the_same_label(values, cut, how):
    judgments = judgments_of(values)
    labels = {
        order: transformed_labels(judgments, {"1": cut}, order, how, len(cut) + 1)
        for order in ORDERS
    }
    assert labels["at"].equals(labels["ta"])


def test_unknown_aggregations_are_refused():
    for refuses in (
        lambda: aggregation_code("modian"),
        lambda: aggregate(judgments_of([1]), "modian"),
        lambda: transformed_labels(judgments_of([1]), {"1": (0,)}, "ta", "modian", 2),
    ):
        with pytest.raises(ParameterError, match=r"unknown aggregation 'modian'; did you .*median"):
            refuses()
    assert [aggregation_code(name) for name in AGGREGATIONS] == [*range(len(AGGREGATIONS))]


# aggregation in kernels


@pytest.mark.parametrize("how", AGGREGATIONS)
def test_histogram_aggregate_of_all_small_counts(how):
    code = aggregation_code(how)
    for counts in product(range(4), repeat=5):
        values = [value for value, n in enumerate(counts) for _ in range(n)]
        if values:
            for step in (1.0, 0.25, 0.1):
                scale = np.arange(5) * step
                found = histogram_aggregate(np.array(counts), len(values), scale, code)
                assert found == pytest.approx(step * exact_aggregate(values, how)), counts


@pytest.mark.parametrize("how", AGGREGATIONS)
@QUICK
@given(values=sets_of_values)
def test_kernels_and_tables_agree(how, values):
    grade = as_dict(aggregate(judgments_of(values), how))[("1", "A")]
    counts = np.bincount(values, minlength=101)
    scale = np.arange(101.0)
    found = histogram_aggregate(counts, len(values), scale, aggregation_code(how))
    assert found == pytest.approx(grade)


def test_a_mean_that_rounding_alone_keeps_from_zero_is_zero():
    """Beside the largest value, on either side."""
    code, counts = aggregation_code("mean"), np.array([1, 1, 1000])
    scale = np.array([-1000.0, 1e-10, 1.0])
    assert histogram_aggregate(counts, 1002, scale, code) == 0
    assert histogram_aggregate(counts[::-1].copy(), 1002, -scale[::-1], code) == 0
    scale[1] = 1e-8
    assert histogram_aggregate(counts, 1002, scale, code) == pytest.approx(1e-11, 0.1)


@pytest.mark.parametrize("how", AGGREGATIONS)
def test_each_row_of_histograms_is_aggregated(how):
    values, code = np.array([0.0, 1.0, 2.5]), aggregation_code(how)
    rows = np.array([[1, 0, 3], [0, 0, 0], [0, 1, 0], [2, 2, 0]])
    expected = [histogram_aggregate(row, row.sum(), values, code) for row in rows if row.any()]
    found = aggregates(rows, values, code)
    np.testing.assert_array_equal(found, np.insert(expected, 1, np.nan))
    np.testing.assert_array_equal(aggregates(rows[:2], values, code), found[:2])


# transformed labels


@pytest.mark.parametrize("how", AGGREGATIONS)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("source_levels", "levels"), [(101, 4), (101, 2), (6, 3)])
def test_transformed_labels_against_plain_python(source_levels, levels, order, how):
    rng = np.random.default_rng([source_levels, levels])
    judgments = random_judgments(5, levels=source_levels, topics=4, documents=9, units=14)
    cuts = enumerate_cuts(source_levels, levels)
    votes = han2019.once(judgments.to_pandas(), ["topic", "docno", "worker"])
    documents = [
        (topic, docno, rows["value"].astype(int))
        for (topic, docno), rows in votes.groupby(["topic", "docno"])
    ]
    for _ in range(5):
        cut_of = {topic: cuts[rng.integers(len(cuts))] for topic in ("1", "2", "4")}
        expected = {}
        for topic, docno, values in documents:
            if topic in cut_of:
                cut = cut_of[topic]
                if order == "at":
                    label = plain_transform(exact_aggregate(values, how), cut)
                else:
                    levels_of = [plain_transform(value, cut) for value in values]
                    label = nearest_level(exact_aggregate(levels_of, how))
                expected[topic, docno] = label
        assert as_dict(transformed_labels(judgments, cut_of, order, how, levels)) == expected


def test_the_orders_differ():
    judgments = judgments_of([0, 0, 10])  # cut at 3, their mean passes, and one of them does
    one = {"1": (3,)}
    assert as_dict(transformed_labels(judgments, one, "at", "mean", 2)) == {("1", "A"): 1}
    assert as_dict(transformed_labels(judgments, one, "ta", "mean", 2)) == {("1", "A"): 0}


@pytest.mark.parametrize("how", AGGREGATIONS)
@pytest.mark.parametrize("order", ORDERS)
def test_expert_labels_aggregate_to_themselves(order, how):
    labels = random_labels(3, random_judgments(3, levels=4), 4)
    cut_of = {"1": [1], "2": [2]}
    expected = {
        (row["topic"], row["docno"]): plain_transform(row["grade"], cut_of[row["topic"]])
        for row in labels.to_pylist()
    }
    assert as_dict(transformed_labels(labels, cut_of, order, how, 2)) == expected
    grades = {(row["topic"], row["docno"]): row["grade"] for row in labels.to_pylist()}
    assert as_dict(aggregate(labels, how)) == grades


@pytest.mark.parametrize("order", ORDERS)
def test_topics_without_a_cut_or_without_judgments_are_left_out(order):
    judgments = random_judgments(2, levels=11, topics=2)
    both = as_dict(transformed_labels(judgments, {"1": (4,), "2": (6,)}, order, "median", 2))
    one = as_dict(transformed_labels(judgments, {"2": (6,), "3": (1,)}, order, "median", 2))
    assert one == {(topic, docno): label for (topic, docno), label in both.items() if topic == "2"}
    assert len(both) > len(one) > 0
    for nothing in (
        transformed_labels(judgments, {}, order, "median", 2),
        transformed_labels(judgments.slice(0, 0), {"1": (4,)}, order, "median", 2),
    ):
        assert as_dict(nothing) == {}


@pytest.mark.parametrize("order", ORDERS)
def test_encoded_names_give_the_same_labels(order):
    judgments = random_judgments(4, levels=11)
    types = SCHEMAS["judgments"]
    encoded = judgments.cast(types)
    # names that the dictionaries hold beside those of the rows make no labels
    part = encoded.filter(pc.not_equal(judgments["docno"], "D000"))
    plain = judgments.filter(pc.not_equal(judgments["docno"], "D000"))
    cut_of = {"1": (5,), "2": (5,)}
    found = transformed_labels(part, cut_of, order, "median", 2)
    assert found.equals(transformed_labels(plain, cut_of, order, "median", 2))


def test_unknown_orders_are_refused():
    with pytest.raises(ParameterError, match="unknown order 'aat'; did you mean 'at'"):
        transformed_labels(judgments_of([1]), {"1": (0,)}, "aat", "mean", 2)
