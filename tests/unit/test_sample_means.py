"""Intervals of means: against statsmodels, scipy and definitions, and at the edges."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from regrade.sample_means import (
    exact_share_interval,
    independent_share_interval,
    interval_of_shares,
    mean_interval,
    share_interval,
    skewed_ends,
    skewed_p,
    skewness,
    student_interval,
    studentised_interval,
    unskewed_t,
)
from tests.reference.skewed_means import mean_ends


@pytest.mark.parametrize("right", [0, 1, 30, 59, 60])
def test_answers_of_yes_and_no_have_wilsons_interval(right):
    """With Student's quantile in place of the normal one, and s of n − 1."""
    n = 60
    level = 2 * stats.norm.sf(stats.t.ppf(0.975, n - 1))
    expected = proportion_confint(right, n, level, "wilson")
    share = right / n
    found = share_interval(share, np.sqrt(share * (1 - share) / n), n)
    assert found == pytest.approx(expected)


def test_numbers_between_vary_less_than_answers():
    values = np.random.default_rng(1).beta(20, 20, 50)
    low, high = interval_of_shares(values)
    assert low < values.mean() < high
    student = stats.ttest_1samp(values, 0).confidence_interval()
    assert (high - low) == pytest.approx(student.high - student.low, rel=0.02)


def test_all_alike_are_not_beyond_doubt():
    for value in (0.0, 0.4, 1.0):
        low, high = interval_of_shares(np.full(20, value))
        assert 0 <= low <= value <= high <= 1 and high - low > 0.1
    assert np.isnan(interval_of_shares([0.5])).all() and np.isnan(interval_of_shares([])).all()


def test_shapes_and_undefined_means():
    found = share_interval([[0.2, np.nan], [1.0, 0.5]], 0.1, [[5, 5], [1, 9]])
    assert found.shape == (2, 2, 2)
    assert np.isnan(found[0]).tolist() == [[False, True], [True, False]]


def test_studentised_draws_are_as_scipys_quantiles_of_t():
    values = np.random.default_rng(2).lognormal(0, 1, 30)
    places = np.random.default_rng(3).integers(30, size=(2000, 30))
    t = [(values[p].mean() - values.mean()) / values[p].std(ddof=1) for p in places]
    low, high = np.quantile(t, [0.025, 0.975])
    expected = values.mean() - values.std(ddof=1) * np.array([high, low])
    assert studentised_interval(values, places) == pytest.approx(expected)
    assert studentised_interval([2.0, 2.0], places[:, :2] % 2).tolist() == [2, 2]
    assert np.isnan(studentised_interval([2.0], places[:, :1] * 0)).all()


def test_studentised_draws_are_those_of_rs_boot():
    """R takes the 5th and the 195th of 199 draws; so do linear quantiles at 4 / 198."""
    r = Path(__file__).parents[1] / "reference" / "r"
    theirs = pd.read_csv(r / "intervals-expected.csv").set_index("what")["value"]
    values = pd.read_csv(r / "intervals-data.csv")["x"].to_numpy()
    draws = np.loadtxt(r / "intervals-draws.csv", delimiter=",", dtype=np.int64)
    found = studentised_interval(values, draws, 1 - 2 * 4 / 198)
    ends = theirs[["mean studentised low", "mean studentised high"]]
    assert found == pytest.approx(ends.to_numpy(), rel=1e-12)


@pytest.mark.parametrize("shape", [(9, 1), (2, 2)])
def test_means_of_shares_have_nearly_scipys_accelerated_interval(shape):
    values = np.random.default_rng(4).beta(*shape, 300)
    theirs = stats.bootstrap((values,), np.mean, n_resamples=9999, rng=1).confidence_interval
    found = interval_of_shares(values)
    assert found == pytest.approx(tuple(theirs), abs=0.06 * (theirs.high - theirs.low))


# --- skewed numbers -------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [3, 4, 25])
def test_skewness_is_scipys(n):
    values = np.random.default_rng(n).exponential(1, (6, n))
    assert skewness(values) == pytest.approx(stats.skew(values, axis=1, bias=False))


def test_what_does_not_vary_and_two_numbers_have_no_skewness():
    with np.errstate(all="raise"):
        assert skewness(np.full((2, 9), 0.1) + 1e-17).tolist() == [0, 0]
        assert skewness([[1.0, 5.0], [2.0, 2.0]]).tolist() == [0, 0]
    assert np.isnan(skewness([1.0, np.nan, 2.0, 4.0]))


def test_unskewed_is_as_hall_has_it():
    t, skew, n = 2.0, 1.5, 16
    one = 2 / 4
    expected = 4 * (one + 1.5 * one**2 / 3 + 1.5**2 * one**3 / 27 + 1.5 / 96)
    assert unskewed_t(t, skew, n) == pytest.approx(expected)
    assert unskewed_t(t, 0.0, n) == t


@pytest.mark.parametrize("seed", range(6))
def test_the_interval_of_a_mean_ends_where_students_or_halls_t_does(seed):
    """Each end is where the one of both is at the quantile, and the other at most there."""
    values = np.random.default_rng(seed).exponential(1, 20) * (1 if seed % 2 else -1)
    error, skew = stats.sem(values), stats.skew(values, bias=False)
    low, high = mean_interval(values)
    quantile = stats.t.ppf(0.975, 19)
    for end, sign in ((low, 1), (high, -1)):
        t = (values.mean() - end) / error
        both = sign * np.array([t, unskewed_t(t, skew, 20)])
        assert both.min() == pytest.approx(quantile)
    assert (low, high) == pytest.approx(mean_ends(values), rel=1e-10)
    student = stats.t.interval(0.95, 19, values.mean(), error)
    assert student_interval(values) == pytest.approx(student)
    # the long tail's end reaches further, the other is Student's
    tail, short = (1, 0) if seed % 2 else (0, 1)
    assert abs((low, high)[tail] - values.mean()) > 1.1 * abs(student[tail] - values.mean())
    assert (low, high)[short] == pytest.approx(student[short])


@pytest.mark.parametrize("parts", [2, 5, 10])
def test_values_of_parts_that_others_teach_have_the_corrected_variance(parts):
    """Nadeau and Bengio (2003): (1 / J + tested / taught) σ², σ² being that of parts' means."""
    some = np.random.default_rng(parts).normal(size=10)
    values = np.append(some, -some) + 1  # not skewed: Hall's t is Student's
    of_parts = values.var(ddof=1) / (20 / parts)
    variance = (1 / parts + (20 / parts) / (20 - 20 / parts)) * of_parts
    half = stats.t.ppf(0.975, 19) * np.sqrt(variance)
    found = mean_interval(values, "taught_difference", parts)
    assert found == pytest.approx([1 - half, 1 + half])
    alone = mean_interval(values)
    assert np.ptp(found) == pytest.approx(np.ptp(alone) * np.sqrt(1 + parts / (parts - 1)))


def test_ends_of_many_are_those_of_each():
    rng = np.random.default_rng(4)
    value, error, skew = rng.normal(size=5), rng.random(5), rng.normal(0, 2, 5)
    found = skewed_ends(value, error, skew, 12, 11)
    for place in range(5):
        alone = skewed_ends(value[place], error[place], skew[place], 12, 11)
        assert found[:, place] == pytest.approx(alone)


def test_few_numbers_have_no_interval_and_equal_ones_no_width():
    with np.errstate(all="raise"):
        assert np.isnan(mean_interval(np.arange(9.0))).all()
        assert np.isnan(mean_interval([])).all()
        assert np.isfinite(mean_interval(np.arange(10.0))).all()
        assert mean_interval(np.full(10, 0.5)).tolist() == [0.5, 0.5]
        assert np.isnan(student_interval([1.0])).all()


def test_studentised_draws_of_one_number_are_none_and_equal_ones_are_the_mean():
    places = np.random.default_rng(1).integers(0, 3, (50, 3))
    assert np.isnan(studentised_interval([0.5], places[:, :1] * 0)).tolist() == [True, True]
    # what sums of large numbers round to is no spread, and a small spread of small ones is
    large = 1e9 + np.array([0.0, 1e-7, 2e-7])
    assert studentised_interval(large, places).tolist() == [large.mean()] * 2
    low, high = studentised_interval([0.0, 1e-9, 4e-9], places)
    assert low < high
    assert studentised_interval([0.0, 1e-14, 2e-14], places).tolist() == [1e-14] * 2


@pytest.mark.parametrize("right", [0, 1, 20, 39, 40])
def test_independent_answers_have_clopper_and_pearsons_interval(right):
    share = np.array([right / 40])
    error = np.sqrt(share * (1 - share) / 39)
    low, high = exact_share_interval(share, error, 40, np.array([39.0]), 40)
    want = stats.binomtest(right, 40).proportion_ci(method="exact")
    assert (low[0], high[0]) == pytest.approx((want.low, want.high))


def test_answers_that_are_not_independent_count_as_fewer():
    share, items, freedom = np.array([0.3]), 200, np.array([19.0])
    error = 2 * np.sqrt(share * (1 - share) / (items - 1))  # four times the variance
    found = exact_share_interval(share, error, items, freedom, 20)
    n = items / 4 * (stats.t.ppf(0.975, 199) / stats.t.ppf(0.975, 19)) ** 2
    want = stats.beta.ppf(0.025, 0.3 * n, 0.7 * n + 1), stats.beta.ppf(0.975, 0.3 * n + 1, 0.7 * n)
    assert found[:, 0] == pytest.approx(want)
    same = exact_share_interval(np.ones(1), np.zeros(1), items, freedom, 20)
    assert same[:, 0] == pytest.approx((0.025 ** (1 / 20), 1))


def test_numbers_of_independent_answers_have_statsmodels_exact_interval():
    yes = np.arange(31)
    theirs = proportion_confint(yes, 30, 0.05, "beta")
    assert independent_share_interval(yes, 30) == pytest.approx(np.stack(theirs), abs=1e-12)


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("n", [10, 30, 100])
def test_the_interval_of_independent_answers_holds_any_share(share, n):
    """The exact probability, over all numbers of yes."""
    low, high = independent_share_interval(np.arange(n + 1), n)
    chance = stats.binom.pmf(np.arange(n + 1), n, share)
    assert chance[(low <= share) & (share <= high)].sum() >= 0.95


@pytest.mark.parametrize("skew", [-2.0, 0.0, 1.5])
def test_p_is_at_the_level_at_which_an_end_is_0(skew):
    n, error = 25, np.array([0.1])
    for confidence in (0.8, 0.95, 0.999):
        low, high = skewed_ends(np.zeros(1), error, np.array([skew]), n, n - 1, confidence)
        for end in (low, high):  # a value that far away has an end at 0
            p = skewed_p(-end, error, np.array([skew]), n, n - 1)
            assert p[0] == pytest.approx(1 - confidence)
