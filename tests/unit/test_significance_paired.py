"""The paired t-test: scipy's where scores differ, undefined where they are equal."""

import numpy as np
import pytest
from scipy import stats

from regrade.errors import ParameterError
from regrade.kendall import TOLERANCE
from regrade.sample_means import mean_interval
from regrade.significance import paired
from regrade.significance.paired import (
    ALTERNATIVES,
    centre,
    differences,
    mean_differences,
    paired_difference,
    paired_t,
    pairs_at,
    skewed_p,
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


@pytest.mark.parametrize("n", [2, 9, 10, 50])
def test_a_difference_is_scipys_and_its_interval_that_of_a_mean(n):
    difference = np.random.default_rng(n).exponential(1, n) - 0.7
    found = paired_difference(difference)
    expected = stats.ttest_1samp(difference, 0)
    assert found["difference"] == pytest.approx(difference.mean())
    assert (found["t"], found["p"]) == pytest.approx((expected.statistic, expected.pvalue))
    assert [found["low"], found["high"]] == mean_interval(difference).tolist() or n < 10
    assert np.isnan([found["low"], found["high"]]).all() == (n < 10)
    assert (found["better"], found["worse"]) == ((difference > 0).sum(), (difference < 0).sum())


def test_p_of_skewed_differences_and_their_interval_say_the_same():
    """p < 0.05 where the interval excludes 0, and never less than Student's."""
    rng = np.random.default_rng(3)
    shift = rng.normal(0, 0.6, (400, 1))
    difference = np.vstack([rng.exponential(1, (200, 20)) - 1, rng.normal(0, 1, (200, 20))]) + shift
    p, student = skewed_p(difference), paired_t(difference)[1]
    low, high = np.array([mean_interval(row) for row in difference]).T
    assert ((p < 0.05) == ((low > 0) | (high < 0))).all()
    assert (p >= student).all()
    assert 20 < (p < 0.05).sum() < (student < 0.05).sum()
    # symmetric about their mean: no skewness, nothing to correct
    pairs = rng.normal(0, 1, (5, 10))
    mirrored = np.hstack([pairs, 0.4 - pairs])
    assert skewed_p(mirrored) == pytest.approx(paired_t(mirrored)[1])


def test_far_in_its_tail_student_tells_of_skewed_differences_what_is_not_so():
    """Benjamini and Hochberg over hundreds of pairs ask for p of 0.0002."""
    difference = np.random.default_rng(1).exponential(1, (200_000, 25)) - 1
    student, both = ((p < 2e-4).mean() for p in (paired_t(difference)[1], skewed_p(difference)))
    assert student > 10 * 2e-4
    assert both < 4 * 2e-4


def test_the_edges_of_p_of_skewed_differences():
    with np.errstate(all="raise"):
        assert np.isnan(skewed_p(np.zeros((2, 5)))).all()
        assert np.isnan(skewed_p(np.ones((2, 1)))).all()
        assert skewed_p(np.full((1, 5), 0.25)).tolist() == [0.0]
        assert skewed_p(np.empty((0, 5))).shape == (0,)


def test_fewer_than_four_that_differ_have_no_interval():
    apart = np.zeros(12)
    apart[:3] = 0.1, -0.3, 0.2
    assert np.isnan([paired_difference(apart)[end] for end in ("low", "high")]).all()
    apart[3:5] = TOLERANCE, 0.4  # equal, and not
    found = paired_difference(apart)
    assert [found["low"], found["high"]] == mean_interval(apart).tolist()


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


# --- all pairs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("systems", [1, 2, 3, 7])
def test_any_pairs_are_those_of_numpys_triangle(systems):
    first, second = np.triu_indices(systems, 1)
    for start in range(len(first) + 1):
        for stop in range(start, len(first) + 1):
            found = pairs_at(systems, start, stop)
            assert found[0].tolist() == first[start:stop].tolist()
            assert found[1].tolist() == second[start:stop].tolist()


@pytest.mark.parametrize("held", [3, 1024])
def test_mean_differences_are_those_of_each_pair(held, monkeypatch):
    monkeypatch.setattr(paired, "CHUNK", held)
    scores = np.random.default_rng(3).random((6, 9))
    expected = [scores[i].mean() - scores[j].mean() for i in range(6) for j in range(i + 1, 6)]
    assert mean_differences(scores, 0, 15) == pytest.approx(expected)
    assert mean_differences(scores, 4, 13) == pytest.approx(expected[4:13])


def test_scores_are_centred_into_what_is_given():
    scores = np.random.default_rng(4).random((9, 4))
    means, centred = np.full(4, 7.0), np.full((9, 4), 7.0)
    squares = centre(scores, means, centred)
    assert means == pytest.approx(scores.mean(axis=0))
    assert centred == pytest.approx(scores - scores.mean(axis=0))
    assert squares == pytest.approx(scores.var(axis=0) * 9)
