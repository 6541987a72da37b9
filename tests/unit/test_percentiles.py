"""Percentile intervals: numpy's quantiles of what is defined."""

import numpy as np
import pytest

from regrade.percentiles import FIVE, ends, five_numbers, interval, quantiles


@pytest.mark.parametrize(("confidence", "places"), [(0.95, (0.025, 0.975)), (0.9, (0.05, 0.95))])
def test_ends_are_as_one_writes_them(confidence, places):
    assert ends(confidence) == places


def test_a_jump_is_where_the_share_of_draws_is():
    draws = np.arange(1, 1001, dtype=float)
    assert interval(draws, method="inverted_cdf").tolist() == [25, 975]


@pytest.mark.parametrize("shape", [(200,), (200, 4), (200, 2, 3)])
@pytest.mark.parametrize("method", ["linear", "inverted_cdf"])
def test_undefined_draws_do_not_count(shape, method):
    rng = np.random.default_rng(1)
    values = rng.normal(size=shape)
    expected = np.quantile(values, [0.025, 0.975], axis=0, method=method)
    np.testing.assert_array_equal(interval(values, method=method), expected)
    missing = rng.random(shape) < 0.3
    holes = np.where(missing, np.nan, values)
    found = quantiles(holes, [0.1, 0.5, 0.8], method)
    assert found.shape == (3, *shape[1:])
    for place in np.ndindex(shape[1:]):
        column = holes[(slice(None), *place)]
        defined = column[~np.isnan(column)]
        expected = np.quantile(defined, [0.1, 0.5, 0.8], method=method)
        np.testing.assert_array_equal(found[(slice(None), *place)], expected)


def test_without_a_defined_draw_there_is_no_interval():
    assert np.isnan(interval(np.empty(0))).all()
    assert interval(np.empty((0, 2))).shape == (2, 2)
    assert np.isnan(interval(np.full((5, 2), np.nan))).all()
    one_column = np.array([[1.0, np.nan], [3.0, np.nan]])
    np.testing.assert_array_equal(quantiles(one_column, [0.5]), [[2, np.nan]])


def test_one_draw_is_both_ends():
    assert interval(np.array([np.nan, 4.0])).tolist() == [4, 4]


def test_five_numbers_are_the_ends_and_quartiles_of_what_is_defined():
    drawn = np.random.default_rng(2).random(30)
    found = five_numbers(np.append(drawn, [np.nan, np.nan]))
    assert tuple(found) == FIVE
    expected = [drawn.min(), *np.percentile(drawn, [25, 50, 75]), drawn.max()]
    assert list(found.values()) == pytest.approx(expected)
    assert np.isnan([*five_numbers(np.full(3, np.nan)).values()]).all()
