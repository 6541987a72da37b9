"""The synthetic collection of chu2021 §4: its model, its tables, tests that are needed."""

import math
from statistics import median

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from regrade.errors import ParameterError
from regrade.power.preferences import Graded, PreferenceTests
from regrade.power.sample_size import coverage_table
from regrade.power.sample_size import tests_needed as needed
from regrade.power.synthetic import (
    PDP,
    Batch,
    SyntheticParameters,
    _powers,
    batch_powers,
    batch_table,
    consistency_table,
    draw_batch,
    extended_grades,
    quality,
    quality_means,
    reliability_table,
)
from regrade.power.topics import PowerOptions, judged_lists, power_table

SMALL = SyntheticParameters(topics=60, batch=20, documents=4, assessors=5)


def test_batches_are_drawn_by_their_number_alone():
    one, again = (
        draw_batch(SMALL, 1),
        draw_batch(SyntheticParameters(**{**vars(SMALL), "topics": 40}), 1),
    )
    assert one.sigma == again.sigma
    assert (one.perceived == again.perceived).all()
    assert one.perceived.shape == (20, 4, 5)
    # the last batch is what is left
    assert SyntheticParameters(topics=45, batch=20).batches == 3
    assert len(draw_batch(SyntheticParameters(topics=45, batch=20), 2).truth) == 5


def test_the_model_has_its_moments():
    many = SyntheticParameters(topics=4000, batch=4000, assessors=20, sigma=(0.2, 0.2))
    batch = draw_batch(many, 0)
    # E r = E α / (α + β) = 1/2 by symmetry; Var of the errors σ² (1 + E e^{2w})
    assert batch.truth.mean() == pytest.approx(0.5, abs=0.01)
    errors = batch.perceived - batch.truth[:, :, None]
    low, high = -1.0, 1.0
    expected = 0.04 * (1 + (math.exp(high) - math.exp(low)) / (high - low))
    assert errors.var() == pytest.approx(expected, rel=0.02)
    assert errors.mean() == pytest.approx(0, abs=0.005)


def test_grades_are_equal_parts_and_what_lies_outside_gets_the_ends():
    perceived = np.array([[[-0.2, 0.0, 0.24, 0.25, 0.99, 1.0, 1.7]]])
    assert Batch(0.1, np.zeros((1, 1)), perceived).grades(4).tolist() == [[[0, 0, 0, 1, 3, 3, 3]]]


@pytest.mark.parametrize("mode", list(PDP))
@pytest.mark.parametrize("assessors", [4, 5])
def test_power_of_a_batch_is_that_of_its_tables(mode, assessors):
    """The batched kernel beside the general function, from judgments and preferences as tables."""
    parameters = SyntheticParameters(topics=12, batch=12, documents=4, assessors=assessors)
    batch = draw_batch(parameters, 0)
    codes = batch.grades(5)
    said = [
        (f"t{t:02}", f"d{d}", f"w{u}", float(codes[t, d, u]))
        for t in range(12)
        for d in range(4)
        for u in range(assessors)
    ]
    tests = [
        (f"t{t:02}", f"d{i}", f"d{j}", -1.0 if batch.truth[t, i] > batch.truth[t, j] else 1.0)
        for t in range(12)
        for i in range(4)
        for j in range(i)
    ]
    graded = Graded.from_table(pd.DataFrame(said, columns=["topic", "docno", "worker", "value"]))
    pairs = PreferenceTests.from_table(
        pd.DataFrame(tests, columns=["topic", "left", "right", "strength"])
    )
    table = power_table(graded, pairs, [judged_lists([graded])], PowerOptions(modes=[mode]))
    found = batch_powers(codes, batch.truth, 5, mode)
    assert found == pytest.approx(table["entropy"].to_numpy()[:-1], abs=1e-9)
    assert median(found) < math.log(24)


def test_tables_of_batches_are_the_same_for_any_threads():
    one = batch_table(SMALL, [2, 7])
    pd.testing.assert_frame_equal(one, batch_table(SMALL, [2, 7], threads=3))
    assert len(one) == 3 * 2 * 6
    assert one["value"].notna().all()
    with pytest.raises(ParameterError, match="grades 1"):
        batch_table(SMALL, [1])


def test_one_grade_is_as_likely_preferred_to_itself_where_no_test_was_drawn():
    """An assessor sees no difference, another one, of grades that win 9 of 10 tests: 0.7 wins."""
    codes = np.array([[[0, 1], [0, 0]]])
    wins, tests = np.array([[0, 1], [9, 0]]), np.array([[0, 10], [10, 0]])
    p = 0.7
    entropy = -p * math.log(p) - (1 - p) * math.log(1 - p)
    found = _powers(codes, wins, tests)
    assert found.tolist() == pytest.approx([entropy])


def test_random_grades_tell_nothing():
    """§4.2.1: log 120 = 4.7875."""
    rng = np.random.default_rng(0)
    truth, codes = rng.random((400, 5)), rng.integers(0, 4, (400, 5, 15))
    found = batch_powers(codes, truth, 4, "individual").mean()
    assert found == pytest.approx(math.log(120), abs=0.002)


def test_better_judgments_and_finer_scales_have_less_entropy():
    """The findings of §4.2.1, on fewer topics."""
    table = batch_table(SyntheticParameters(topics=1000), [2, 7, 20], metrics=list(PDP.values()))
    means = quality_means(table).set_index(["mode", "quality", "grades"])["mean"]
    for mode in PDP:
        for grades in (2, 7, 20):
            assert means[mode, "high", grades] < means[mode, "medium", grades]
            assert means[mode, "medium", grades] < means[mode, "low", grades]
        for name in ("high", "medium", "low"):
            assert means[mode, name, 2] > means[mode, name, 7] > means[mode, name, 20]
    for name in ("high", "medium", "low"):
        assert means["aggregate", name, 7] < means["individual", name, 7]


def test_qualities_are_the_papers():
    assert quality(0.0) == "high"
    assert [quality(s) for s in (0.001, 0.1, 0.11, 0.2, 0.3, 0.31)] == [
        "high",
        "high",
        "medium",
        "medium",
        "low",
        None,
    ]


def test_consistency_is_spearmans_and_signed_by_what_is_better():
    table = batch_table(SMALL, [3])
    found = consistency_table(table).set_index("metric")["rho"]
    for metric, sign in (("PDP individual", 1), ("alpha", -1)):
        some = table[table["metric"] == metric]
        assert found[metric] == pytest.approx(sign * spearmanr(some["sigma"], some["value"])[0])
    single = consistency_table(batch_table(SyntheticParameters(topics=2, batch=2), [3]))
    assert single["rho"].isna().all()


def test_more_tests_come_nearer_to_all_of_them():
    table = reliability_table(
        SyntheticParameters(topics=300), [4], [10, 320], repeats=20, threads=2
    ).set_index(["mode", "quality", "tests"])
    assert len(table) == 2 * 3 * 2
    for mode in PDP:
        for name in ("high", "medium", "low"):
            few, many = table.loc[mode, name, 10], table.loc[mode, name, 320]
            assert many["high"] - many["low"] < few["high"] - few["low"]
    one = reliability_table(SyntheticParameters(topics=300), [4], [10, 320], repeats=20)
    pd.testing.assert_frame_equal(one.set_index(["mode", "quality", "tests"]), table)


@pytest.mark.parametrize("w", [0.5, 2.0])
def test_grades_are_extended_by_equation_16(w):
    rng = np.random.default_rng(1)
    drawn = extended_grades(np.repeat(np.arange(4), 50_000), 4, w, rng).reshape(4, -1)
    for g in range(4):
        shares = np.array([math.exp(-w * abs(2 * g - h)) for h in range(7)])
        shares /= shares.sum()
        assert np.bincount(drawn[g], minlength=7) / 50_000 == pytest.approx(shares, abs=0.01)


def test_grades_that_are_extended_for_sure_double():
    rng = np.random.default_rng(1)
    assert extended_grades([0, 1, 3], 4, math.inf, rng).tolist() == [0, 2, 6]
    assert extended_grades([0, 1, 3], 4, 800.0, rng).tolist() == [0, 2, 6]
    with pytest.raises(ParameterError, match="below 0"):
        extended_grades([0], 4, -1, rng)


def test_the_square_is_what_keeps_the_promise():
    """Eq. 12 as printed lacks the square: 95 % promised, 84 % kept."""
    assert needed(0.5, 0.1, 0.95) == 97
    assert needed(0.5, 0.1, 0.95, "printed") == 49
    table = coverage_table(repeats=20_000)
    assert np.abs(table["simulated"] - table["exact"]).max() < 0.015
    kept = table.assign(short=table["exact"] - table["confidence"])
    kept = kept[kept["tests"] > 50].groupby(["formula", "confidence"])["short"].mean()
    assert abs(kept["squared"]).max() < 0.03
    assert kept["printed", 0.95] < -0.05
    assert kept["printed", 0.99] < -0.05


def test_one_test_is_needed_at_least_and_enough_for_the_widest_bounds():
    assert needed(0.5, 0.9, 0.1) == 1
    assert needed(0.5, 0.9, 1e-17) == 1


@pytest.mark.parametrize("wrong", [(0, 0.1, 0.9), (0.5, 1, 0.9), (0.5, 0.1, 1)])
def test_tests_needed_refuses_what_is_no_probability(wrong):
    with pytest.raises(ParameterError, match="between 0 and 1"):
        needed(*wrong)


def test_parameters_are_checked():
    with pytest.raises(ParameterError, match="documents 1"):
        SyntheticParameters(documents=1)
