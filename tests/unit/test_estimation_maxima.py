"""All differences at once: quantiles of the largest error, and which systems may be first."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm, studentized_range

from regrade.estimation.maxima import ErrorMaxima, may_be_first

NO = np.zeros((1, 1))


def test_equal_and_independent_errors_reach_as_far_as_tukeys_range():
    """The largest difference of S independent normal numbers is their range."""
    for S in (2, 3, 10):
        maxima = ErrorMaxima(0.3 * np.eye(S))
        found = np.quantile(maxima.largest, 0.95)
        expected = studentized_range.ppf(0.95, S, np.inf) / np.sqrt(2)
        assert found == pytest.approx(expected, abs=0.03)
        # and adjusted p-values are its tail
        p = maxima.adjusted(np.array([expected, 0.0, 50.0]))
        assert p == pytest.approx([0.05, 1.0, 0.0], abs=0.005)
        assert p[2] > 0


def test_of_two_systems_all_differences_are_one():
    maxima = ErrorMaxima(np.array([[2.0, 1.0], [1.0, 3.0]]))
    assert np.quantile(maxima.largest, 0.95) == pytest.approx(norm.ppf(0.975), abs=0.03)
    assert maxima.reach_beside(0) == pytest.approx(norm.ppf(0.95), abs=0.03)


def test_a_reach_is_the_quantile_of_the_largest_of_correlated_differences():
    rng = np.random.default_rng(3)
    A = rng.normal(size=(4, 4))
    C = A @ A.T
    D = np.delete(np.eye(4), 1, axis=0) - np.eye(4)[1]
    V = D @ C @ D.T
    R = V / np.sqrt(np.outer(np.diag(V), np.diag(V)))
    reach = ErrorMaxima(C).reach_beside(1)
    held = multivariate_normal(np.zeros(3), R).cdf(np.full(3, reach))
    assert held == pytest.approx(0.95, abs=0.006)
    # it lies between that of one test and Bonferroni's
    assert norm.ppf(0.95) < reach < norm.isf(0.05 / 3)


def test_systems_whose_errors_are_the_same_are_one_test():
    one = np.array([1.0, 2.0, 0.5])
    C = np.array([[1.0, 0.2, 0.1], [0.2, 2.0, 0.3], [0.1, 0.3, 1.5]])
    twins = C[np.ix_([0, 1, 1, 2, 1], [0, 1, 1, 2, 1])]
    both, alone = ErrorMaxima(twins), ErrorMaxima(C)
    assert np.quantile(both.largest, 0.95) == pytest.approx(
        np.quantile(alone.largest, 0.95), abs=0.05
    )
    values = one[[0, 1, 1, 2, 1]]
    assert may_be_first(values, np.zeros((5, 5)), both)[[1, 2, 4]].all()
    # no error at all: what is lower is lower
    known = may_be_first(values, np.zeros((5, 5)), ErrorMaxima(np.zeros((5, 5))))
    assert known.tolist() == [False, True, True, False, True]


def test_what_labels_lack_keeps_systems_in():
    C, values = 0.01 * np.eye(2), np.array([1.0, 0.0])
    lacking = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert may_be_first(values, np.zeros((2, 2)), ErrorMaxima(C)).tolist() == [True, False]
    assert may_be_first(values, lacking, ErrorMaxima(C)).tolist() == [True, True]


def test_one_system_is_first():
    assert may_be_first(np.ones(1), NO, ErrorMaxima(NO)).tolist() == [True]


@pytest.mark.parametrize("apart", [0.0, pytest.param(1.0, marks=pytest.mark.slow)])
def test_the_first_is_ruled_out_in_5_percent_at_most(apart):
    """Of ten systems whose errors go together; with all of them equal it is just that."""
    rng = np.random.default_rng(4)
    C = 0.5 * np.eye(10) + 0.5
    truth = np.r_[apart, np.zeros(9)]
    maxima, none = ErrorMaxima(C), np.zeros((10, 10))
    noise = rng.multivariate_normal(np.zeros(10), C, size=1500)
    sets = np.array([may_be_first(truth + own, none, maxima) for own in noise])
    missed = 1 - sets[:, 0].mean()
    assert missed <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 1500)
    if not apart:
        assert missed >= 0.05 - 3 * np.sqrt(0.05 * 0.95 / 1500)
    if apart:
        ahead = noise[:, :, None] - noise[:, None, :] + truth[:, None] - truth
        bonferroni = (ahead.max(axis=1) <= norm.isf(0.05 / 9)).sum(axis=1)
        assert sets.sum(axis=1).mean() < bonferroni.mean()
