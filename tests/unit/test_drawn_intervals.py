"""Intervals by what draws scatter: every draw of four topics, Student's interval, scipy's draws."""

import itertools

import numpy as np
import pytest
from scipy import stats

from regrade.drawn_intervals import around, spread_of

VALUES = np.array([0.1, 0.5, 0.2, 0.9])
EVERY_DRAW = np.array(list(itertools.product(range(4), repeat=4)))


def test_every_draw_of_a_mean_gives_students_interval():
    drawn = VALUES[EVERY_DRAW].mean(axis=1)
    found = around(VALUES.mean(), drawn, 4, "mean_over_topics")
    expected = stats.t.interval(0.95, 3, VALUES.mean(), stats.sem(VALUES))
    assert found == pytest.approx(expected, abs=1e-12)


def test_new_units_scatter_as_much_again():
    drawn = VALUES[EVERY_DRAW].mean(axis=1)
    known, new = (
        np.ptp(around(0.4, drawn, 4, "mean_over_topics", new=new)) for new in (False, True)
    )
    assert new == pytest.approx(np.sqrt(2) * known)


def test_draws_scatter_as_scipys_do():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 40))

    def slope(x, y, axis=-1):
        centred = x - x.mean(axis=axis, keepdims=True)
        return (centred * y).sum(axis=axis) / (centred**2).sum(axis=axis)

    theirs = stats.bootstrap((x, y), slope, paired=True, n_resamples=9999, rng=rng)
    which = rng.integers(0, 40, (9999, 40))
    ours = spread_of(slope(x[which], y[which]))
    assert ours == pytest.approx(theirs.standard_error, rel=0.03)


def test_columns_are_apart_and_undefined_draws_do_not_count():
    drawn = np.array([[1.0, 1, np.nan], [3.0, np.nan, np.nan], [2.0, 3, 5]])
    assert spread_of(drawn) == pytest.approx([np.std([1, 3, 2]), 1.0, np.nan], nan_ok=True)
    low, high = around(np.array([2.0, 2, 5]), drawn, 4, "mean_over_topics")
    assert np.isnan([low[2], high[2]]).all()  # one draw of three
    assert (low[:2] < 2).all() and (high[:2] > 2).all()


@pytest.mark.parametrize(("units", "draws"), [(9, 20), (1, 20), (0, 20), (12, 1), (12, 0)])
def test_few_units_and_few_draws_have_no_interval(units, draws):
    found = around(0.5, np.linspace(0, 1, draws), units, "rankings_alike")
    assert np.isnan(found).all()


def test_draws_that_never_differ_have_no_width():
    assert around(0.5, np.full(20, 0.5), 12, "rankings_alike").tolist() == [0.5, 0.5]
