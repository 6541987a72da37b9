"""Intervals by what draws scatter: every draw of four topics, Student's, scipy's and R's boot."""

import itertools
from math import sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from regrade.drawn_intervals import around, by_leaving_out, spread_of
from regrade.evaluations.label_agreement import agreement_of_many, drawn_topics
from regrade.evaluations.pair_outcomes import flips_by_topics
from regrade.kendall import tau_b
from regrade.sample_means import mean_interval
from tests.coverage.topics import _joints as joints

VALUES = np.array([0.1, 0.5, 0.2, 0.9])
EVERY_DRAW = np.array(list(itertools.product(range(4), repeat=4)))


def test_every_draw_of_a_mean_gives_students_interval():
    drawn = VALUES[EVERY_DRAW].mean(axis=1)
    found = around(VALUES.mean(), drawn, 4, "share_over_units")
    expected = stats.t.interval(0.95, 3, VALUES.mean(), stats.sem(VALUES))
    assert found == pytest.approx(expected, abs=1e-12)


def test_new_units_scatter_as_much_again():
    drawn = VALUES[EVERY_DRAW].mean(axis=1)
    known, new = (
        np.ptp(around(0.4, drawn, 4, "share_over_units", new=new)) for new in (False, True)
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
    low, high = around(np.array([2.0, 2, 5]), drawn, 4, "share_over_units")
    assert np.isnan([low[2], high[2]]).all()  # one draw of three
    assert (low[:2] < 2).all() and (high[:2] > 2).all()


@pytest.mark.parametrize(("units", "draws"), [(9, 20), (1, 20), (0, 20), (12, 1), (12, 0)])
def test_few_units_and_few_draws_have_no_interval(units, draws):
    found = around(0.5, np.linspace(0, 1, draws), units, "rankings_alike")
    assert np.isnan(found).all()


def test_draws_that_never_differ_have_no_width():
    assert around(0.5, np.full(20, 0.5), 12, "rankings_alike").tolist() == [0.5, 0.5]


# --- others' draws ------------------------------------------------------------------------------


def test_scatter_and_ends_are_those_of_rs_boot():
    """R's normal interval is about the value less the draws' bias, by the normal quantile."""
    r = Path(__file__).parents[1] / "reference" / "r"
    theirs = pd.read_csv(r / "intervals-expected.csv").set_index("what")["value"]
    x, y = pd.read_csv(r / "intervals-data.csv").to_numpy().T
    draws = np.loadtxt(r / "intervals-draws.csv", delimiter=",", dtype=np.int64)
    drawn = np.array([np.corrcoef(x[one], y[one])[0, 1] for one in draws])
    value = np.corrcoef(x, y)[0, 1]
    assert value == pytest.approx(theirs["correlation"], rel=1e-12)
    # R divides by one draw less
    assert spread_of(drawn) * sqrt(199 / 198) == pytest.approx(theirs["correlation spread"])
    low, high = around(value, drawn, 25, "agreement")
    wider = stats.t.ppf(0.975, 24) / stats.norm.ppf(0.975) * sqrt(25 / 24 * 198 / 199)
    middle = value - theirs["correlation bias"]
    for end, its in ((low, "low"), (high, "high")):
        half = theirs[f"correlation normal {its}"] - middle
        assert end - value == pytest.approx(half * wider, rel=1e-10)


def test_an_agreement_has_nearly_scipys_accelerated_interval():
    topics = joints(400)

    def alpha(places, axis=-1):
        counts = topics[places].sum(axis=-3).reshape(-1, 3, 3)
        return agreement_of_many(counts, np.arange(3.0))[:, 0].reshape(np.shape(places)[:-1])

    every = np.arange(400)
    theirs = stats.bootstrap((every,), alpha, n_resamples=1999, batch=100, rng=1)
    times = drawn_topics(every.astype(str), 1999, 1) * 1.0
    drawn = agreement_of_many(np.tensordot(times, topics, axes=1), np.arange(3.0))[:, 0]
    found = around(float(alpha(every)), drawn, 400, "agreement")
    low, high = theirs.confidence_interval
    assert found == pytest.approx((low, high), abs=0.06 * (high - low))


# --- every draw of four topics --------------------------------------------------------------------

EVERY_TIMES = np.stack([np.bincount(draw, minlength=4) for draw in EVERY_DRAW])


def test_rankings_of_drawn_topics_scatter_as_those_of_every_draw():
    rng = np.random.default_rng(2)
    first = rng.normal(0, 1, (6, 4))
    second = first + rng.normal(0, 1, (6, 4))
    exact, sampled = (
        np.array(list(map(tau_b, times * 1.0 @ first.T / 4, times * 1.0 @ second.T / 4)))
        for times in (EVERY_TIMES, drawn_topics(np.array(list("abcd")), 20_000, 1))
    )
    # Monte Carlo errors of a mean and of a standard deviation
    assert sampled.mean() == pytest.approx(exact.mean(), abs=4 * exact.std() / 20_000**0.5)
    assert spread_of(sampled) == pytest.approx(exact.std(), rel=0.03)


def test_flips_of_drawn_topics_are_as_many_as_those_of_every_two_draws():
    scores = np.random.default_rng(6).normal(0, 1, (5, 4)) + np.linspace(0, 2, 5)[:, None]
    one, other = np.triu_indices(5, 1)
    found = []
    for draw in EVERY_DRAW:
        difference = scores[one][:, draw] - scores[other][:, draw]
        mean, error = difference.mean(axis=1), difference.std(axis=1, ddof=1) / 2
        error = np.where(np.ptp(difference, axis=1) == 0, 0.0, error)
        with np.errstate(divide="ignore"):
            significant = 2 * stats.t.sf(np.abs(mean / error), 3) < 0.2
        found.append(np.where(significant, np.sign(mean), 0))
    found = np.array(found)
    turned = (found[:, None] != found[None]).sum(axis=2)
    drawn = flips_by_topics(scores, 0.2, "none", 1, draws=20_000)
    assert turned.mean() > 1
    assert drawn.mean() == pytest.approx(turned.mean(), abs=4 * turned.std() / 20_000**0.5)


def test_fewer_draws_than_units_have_their_own_degrees_of_freedom():
    drawn = np.random.default_rng(8).normal(0, 1, 12)
    low, high = around(0.0, drawn, 40, "share_over_units")
    half = stats.t.ppf(0.975, 11) * drawn.std() * sqrt(40 / 39)
    assert (low, high) == pytest.approx((-half, half))


def test_an_interval_is_given_from_its_fewest_units_and_two_draws_on():
    drawn = np.random.default_rng(5).random((9, 3))
    for interval, fewest in (("rankings_alike", 10), ("agreement", 20)):
        assert np.isfinite(around(np.zeros(3), drawn, fewest, interval)).all()
        few = around(np.zeros(3), drawn, fewest - 1, interval)
        assert few.shape == (2, 3)
        assert np.isnan(few).all()
    assert np.isfinite(around(np.zeros(3), drawn[:2], 20, "agreement")).all()
    assert np.isnan(around(np.zeros(3), drawn[:1], 20, "agreement")).all()
    # of which one unit alone is told has no scatter all the same
    assert np.isnan(around(0.5, drawn[:, 0], 1, "share_of_answers")).all()


def test_draws_of_which_half_are_undefined_have_no_scatter():
    drawn = np.array([[1.0, 1, 1, 4], [3, 3, np.nan, np.nan], [5, np.nan, np.nan, np.nan]])
    drawn = np.concatenate([drawn, [[7, np.nan, np.nan, np.nan]]])
    with np.errstate(all="raise"):
        found = spread_of(np.column_stack([drawn, np.full(4, np.nan)]))
    assert found[0] == pytest.approx(np.std([1, 3, 5, 7]))
    assert np.isnan(found[1:]).all(), "two of four, one, none"
    assert spread_of([1.0, 2.0, np.nan]) == pytest.approx(0.5), "two of three"
    assert spread_of([2.0]) == 0


# --- leaving out ----------------------------------------------------------------------------------


def test_of_a_mean_what_is_left_out_gives_the_interval_of_a_mean():
    values = np.random.default_rng(2).exponential(1, (20, 3))
    without = (values.sum(axis=0) - values) / 19
    found = by_leaving_out(values.mean(axis=0), without, "standardised_gain")
    student = stats.t.interval(0.95, 19, values.mean(axis=0), stats.sem(values))
    assert found == pytest.approx(np.array(student))
    # as many draws as there are: their scatter times √(n / (n − 1)) is the standard error
    drawn = np.vstack([values.mean(axis=0) + sign * values.std(axis=0) / sqrt(20)
                       for sign in (-1, 1)] * 10)  # fmt: skip
    found = around(values.mean(axis=0), drawn, 20, "agreement", left_out=without)
    assert found == pytest.approx(np.array([mean_interval(column) for column in values.T]).T)


def test_without_enough_units_and_where_one_decides_there_is_no_interval():
    few = by_leaving_out(np.zeros(2), np.ones((9, 2)), "standardised_gain")
    assert few.shape == (2, 2) and np.isnan(few).all()
    assert np.isnan(by_leaving_out(np.zeros(2), np.ones((0, 2)), "standardised_gain")).all()
    without = np.array([[0.1, np.nan], *[[0.2, 0.3]] * 11])
    assert np.isnan(by_leaving_out(np.zeros(2), without, "standardised_gain")).tolist() == [
        [False, True], [False, True],
    ]  # fmt: skip
    drawn = np.random.default_rng(1).random((30, 2))
    without = np.vstack([without, without])
    found = around(np.zeros(2), drawn, 24, "agreement", left_out=without)
    assert np.isnan(found).tolist() == [[False, True], [False, True]]
    assert by_leaving_out(1.0, np.ones(12), "standardised_gain").tolist() == [1, 1]
