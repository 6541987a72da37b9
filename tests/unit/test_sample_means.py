"""Intervals of means: against statsmodels, scipy and definitions, and at the edges."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from regrade.sample_means import (
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
