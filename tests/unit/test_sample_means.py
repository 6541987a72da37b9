"""Intervals of means: against statsmodels, scipy and definitions, and at the edges."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from regrade.sample_means import (
    centred_interval,
    interval_of_shares,
    share_interval,
    studentised_interval,
)


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


def test_centred_on_the_estimate():
    drawn = np.random.default_rng(4).normal(3, 2, (500, 2))
    drawn[:100, 1] = np.nan
    low, high = centred_interval(np.array([1.0, 0.0]), drawn)
    for column, n, estimate in ((0, 500, 1.0), (1, 400, 0.0)):
        half = stats.t.ppf(0.975, n - 1) * np.nanstd(drawn[:, column], ddof=1)
        assert [low[column], high[column]] == pytest.approx([estimate - half, estimate + half])
    for some in (np.empty((0, 1)), np.full((3, 1), np.nan), [[1.0], [np.nan]]):
        assert np.isnan(centred_interval(np.array([1.0]), np.array(some))).all()
