"""The paired t-test: scipy's where scores differ, undefined where they are equal."""

import numpy as np
import pytest
from scipy import stats

from regrade.errors import ParameterError
from regrade.rankings import TOLERANCE
from regrade.significance.paired import (
    ALTERNATIVES,
    differences,
    paired_difference,
    paired_t,
)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("topics", [2, 3, 50])
def test_as_scipy(alternative, topics):
    first, second = np.random.default_rng(topics).random((2, 7, topics))
    t, p = paired_t(differences(first, second), alternative)
    expected = stats.ttest_rel(first, second, axis=1, alternative=alternative)
    np.testing.assert_allclose(t, expected.statistic, rtol=1e-12)
    np.testing.assert_allclose(p, expected.pvalue, rtol=1e-11)


def test_equal_but_for_rounding():
    # 0.1 + 0.2 and 0.3 differ by one bit, everywhere the same way
    first, second = np.full(50, 0.1) + np.full(50, 0.2), np.full(50, 0.3)
    first[::2], second[::2] = first[::2] / 2, second[::2] / 2
    assert (first > second).all()
    assert stats.ttest_rel(first, second).pvalue < 1e-14
    t, p = paired_t(differences(first, second))
    assert np.isnan(t)
    assert np.isnan(p)


@pytest.mark.parametrize(
    ("alternative", "p"), [("two-sided", 0.0), ("greater", 0.0), ("less", 1.0)]
)
def test_the_same_difference_everywhere(alternative, p):
    second = np.arange(10) / 10
    t, found = paired_t(differences(second + 0.1, second), alternative)
    assert (t, found) == (np.inf, p)


@pytest.mark.parametrize("topics", [0, 1])
def test_too_few_topics(topics):
    t, p = paired_t(np.ones((3, topics)))
    assert t.shape == p.shape == (3,)
    assert np.isnan([t, p]).all()

    t, p = paired_t(np.ones((4, 3, topics)))
    assert t.shape == p.shape == (4, 3)


def test_what_is_within_the_tolerance_is_equal():
    assert differences(np.array([TOLERANCE, -TOLERANCE, 2 * TOLERANCE]), 0.0).tolist() == [
        0,
        0,
        2 * TOLERANCE,
    ]


@pytest.mark.parametrize("n", [2, 3, 50])
def test_the_interval_of_a_difference_is_scipys(n):
    difference = np.random.default_rng(n).normal(0.1, 1, n)
    found = paired_difference(difference)
    expected = stats.ttest_1samp(difference, 0)
    interval = expected.confidence_interval(0.95)
    assert found["difference"] == pytest.approx(difference.mean())
    assert (found["t"], found["p"]) == pytest.approx((expected.statistic, expected.pvalue))
    assert (found["low"], found["high"]) == pytest.approx((interval.low, interval.high))
    assert (found["better"], found["worse"]) == ((difference > 0).sum(), (difference < 0).sum())


@pytest.mark.parametrize("difference", [[], [0.5]])
def test_one_difference_has_no_interval(difference):
    with np.errstate(all="raise"):
        found = paired_difference(np.array(difference))
    assert np.isnan([found[name] for name in ("low", "high", "t", "p")]).all()
    assert found["better"] == len(difference)
    counted = paired_difference(np.array([0.0, 0.0, -1.0]))
    assert (counted["better"], counted["worse"]) == (0, 1)


def test_no_pairs():
    t, p = paired_t(np.empty((0, 5)))
    assert t.shape == p.shape == (0,)


def test_unknown_alternative():
    with pytest.raises(ParameterError, match="alternative"):
        paired_t(np.ones(3), "bigger")
