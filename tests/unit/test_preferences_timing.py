"""Gamma fits against the equations of the maximum likelihood."""

import statistics

import numpy as np
import pytest
from scipy.special import digamma

from regrade.catalogue import columns_of
from regrade.preferences.workers import time_bins, time_fits
from tests.unit.preferences_answers import changed, kept


def seconds_of(table, topic):
    return np.array([r["seconds"] for r in table.to_pylist() if r["topic"] == topic])


def test_fits_solve_the_likelihoods_equations():
    table = kept()
    fits = time_fits(table)
    assert list(fits.columns) == columns_of("preferences/time_fits")
    assert fits["topic"].tolist() == ["0", "1", "*"]
    for row in fits.to_dict("records")[:2]:
        seconds = seconds_of(table, row["topic"])
        shape = row["shape"]
        wanted = np.log(seconds.mean()) - np.log(seconds).mean()
        assert np.log(shape) - digamma(shape) == pytest.approx(wanted, rel=1e-6)
        assert shape * row["scale"] == pytest.approx(seconds.mean(), rel=1e-6)
        assert row["answers"] == len(seconds)
        assert row["mean"] == pytest.approx(seconds.mean())
        assert 0 < row["distance"] < 1


def test_a_gamma_distribution_is_found_again():
    table = kept(topics=1, workers=20, units=20, pairs=10)
    seconds = np.random.default_rng(3).gamma(2.5, 24.0, len(table))
    row = time_fits(changed(table, seconds=seconds)).iloc[0]
    assert row["shape"] == pytest.approx(2.5, rel=0.06)
    assert row["scale"] == pytest.approx(24, rel=0.06)
    assert row["distance"] < 0.03


def test_times_that_nothing_can_be_fitted_to_say_so():
    for seconds in (0.0, 30.0):
        fits = time_fits(changed(kept(topics=1), seconds=seconds))
        assert fits["shape"].isna().all()
        assert fits["note"].str.contains("two different times").all()
        assert time_bins(changed(kept(topics=1), seconds=seconds), fits)["fitted"].isna().all()
    assert (time_fits(changed(kept(topics=1), seconds=0.0))["unfitted"] > 0).all()
    nothing = time_fits(changed(kept(), seconds=None))
    assert nothing.empty
    assert time_bins(changed(kept(), seconds=None), nothing).empty


def test_spreads_are_of_a_sample_and_times_of_nothing_are_counted():
    table = kept(topics=1)
    seconds = np.zeros(len(table))
    seconds[:2] = 20, 30  # two different times are enough
    row = time_fits(changed(table, seconds=seconds)).iloc[0]
    assert row["unfitted"] == len(table) - 2
    assert row["deviation"] == pytest.approx(statistics.stdev(seconds))
    assert row["shape"] > 0
    two = time_fits(changed(table, seconds=[20.0, 26.0, *[None] * (len(table) - 2)])).iloc[0]
    assert two["deviation"] == pytest.approx(statistics.stdev([20, 26]))
    one = time_fits(changed(table, seconds=[20.0, *[None] * (len(table) - 1)])).iloc[0]
    assert np.isnan(one["deviation"]) and one["answers"] == 1


def test_bars_of_ten_seconds_reach_as_far_as_the_answers_of_all_topics():
    table = kept()
    slow = (
        np.where(np.array(table["topic"].to_pylist()) == "0", 95.0, 5.0) + np.arange(len(table)) % 2
    )
    table = changed(table, seconds=slow)
    bins = time_bins(table, time_fits(table))
    for topic in ("0", "1", "*"):
        assert bins.loc[bins["topic"] == topic, "low"].tolist() == [10.0 * i for i in range(11)]


def test_bars_hold_all_kept():
    table = kept()
    bins = time_bins(table, time_fits(table))
    assert list(bins.columns) == columns_of("preferences/times")
    for topic in ("0", "1"):
        here = bins[bins["topic"] == topic]
        seconds = seconds_of(table, topic)
        assert here["answers"].sum() == len(seconds)
        assert here["share"].sum() == pytest.approx(1)
        assert here["fitted"].sum() == pytest.approx(1)
        for row in here.to_dict("records"):
            high = np.inf if np.isnan(row["high"]) else row["high"]
            assert row["answers"] == ((seconds >= row["low"]) & (seconds < high)).sum()
