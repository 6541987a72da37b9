"""Judges beside the best one: intervals by plain loops, verdicts, and who is compared."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.evaluations.judge_differences import (
    JudgedWay,
    beside_the_best,
    best_first,
    differences_table,
    monte_carlo_errors,
    simultaneous_ends,
    simultaneous_p,
    verdict,
)
from regrade.intervals import INTERVALS

RNG = np.random.default_rng(4)
VALUES = np.array([0.9, 0.89, 0.5])[:, None] + RNG.normal(0, 0.02, (3, 201))
VALUES[:, 0] = 0.9, 0.89, 0.5
TOPICS = tuple(f"t{t}" for t in range(12))


def ranked(values, names="abc", measure="nDCG@10", topics=TOPICS):
    return [
        JudgedWay({"judge": n, "cut": "uncut", "held_out": False, "measure": measure}, topics, row)
        for n, row in zip(names, values, strict=True)
    ]


def test_ends_are_those_of_all_pairs_at_once():
    drawn = VALUES[:, 1:]
    largest = np.zeros(200)
    for a, b in itertools.combinations(range(3), 2):
        d = drawn[a] - drawn[b]
        largest = np.maximum(largest, np.abs(d - d.mean()) / d.std())
    q = np.quantile(largest, 0.95) * np.sqrt(12 / 11)
    low, high = simultaneous_ends(VALUES, 12)
    for way in (1, 2):
        difference = VALUES[way, 0] - VALUES[0, 0]
        half = q * (drawn[way] - drawn[0]).std()
        assert (low[way], high[way]) == pytest.approx((difference - half, difference + half))


def p_by_brute_force(values, topics, place):
    """The share of draws in which some pair deviates by more than the difference does."""
    drawn = values[:, 1:] - values[:, 1:].mean(axis=1, keepdims=True)
    error = np.sqrt(topics / (topics - 1)) * (drawn[place] - drawn[0]).std()
    t = abs(values[place, 0] - values[0, 0]) / error
    above = 0
    for draw in range(drawn.shape[1]):
        deviations = [
            abs(drawn[a, draw] - drawn[b, draw]) / (drawn[a] - drawn[b]).std()
            for a, b in itertools.combinations(range(len(values)), 2)
        ]
        above += max(deviations) > t
    return above / drawn.shape[1]


@pytest.mark.parametrize("seed", range(8))
def test_p_is_the_share_of_draws_with_a_larger_deviation_of_some_pair(seed):
    rng = np.random.default_rng(seed)
    shift = np.array([0, 0.01, 0.03, 0.06])[:, None]
    values = 0.9 - shift + rng.normal(0, 0.02, (4, 301)) * [[1], [0.5], [2], [1]]
    values = best_first(values)[0]
    p = simultaneous_p(values, 12)
    for place in range(1, 4):
        assert p[place] == pytest.approx(p_by_brute_force(values, 12, place), abs=1.5 / 300)
    low, high = simultaneous_ends(values, 12)
    np.testing.assert_array_equal(p[1:] < 0.05, (low[1:] > 0) | (high[1:] < 0))


@given(
    seed=st.integers(0, 2**32 - 1),
    judges=st.integers(2, 5),
    draws=st.integers(20, 80),
    spread=st.sampled_from([0.0, 0.005, 0.02, 0.05]),
)
def test_p_is_below_5_percent_where_the_interval_excludes_0(seed, judges, draws, spread):
    """For few draws and copies too; p is never 0, and 1 where two judges never differ."""
    rng = np.random.default_rng(seed)
    values = 0.9 - rng.uniform(0, 0.1, (judges, 1)) + rng.normal(0, spread, (judges, draws + 1))
    values = best_first(np.vstack([values, values[:1]]))[0]  # a copy
    low, high = simultaneous_ends(values, 25)
    p = simultaneous_p(values, 25)
    excludes = (low > 1e-12) | (high < -1e-12)
    np.testing.assert_array_equal(p < 0.05, excludes)
    assert p[0] == 1 and (p >= 1 / (draws + 1)).all() and (p <= 1).all()


def test_the_best_stands_first_and_the_others_beside_it():
    table = differences_table(ranked(VALUES[[2, 0, 1]], "cab"))
    assert table["judge"].tolist() == ["a", "b", "c"]
    assert table["verdict"].tolist()[::2] == ["best", "significantly worse"]
    assert table["difference"].to_numpy() == pytest.approx(VALUES[:, 0] - VALUES[0, 0])
    assert table.loc[0, ["low", "high"]].isna().all()
    ends = simultaneous_ends(VALUES, len(TOPICS))
    np.testing.assert_array_equal(table.loc[1:, ["low", "high"]].to_numpy(), ends.T[1:])
    assert np.isnan(table.loc[0, "p_adjusted"])
    p = simultaneous_p(VALUES, len(TOPICS))
    np.testing.assert_array_equal(table.loc[1:, "p_adjusted"].to_numpy(), p[1:])


def test_the_best_is_so_on_the_topics_and_who_is_undefined_comes_last():
    values = VALUES[[1, 0, 2]]
    values[:, -1] = [0.5, 0.1, 0.9]  # on the last draw others are better
    values = np.vstack([np.full((1, 201), np.nan), values, np.full((1, 201), -1.0)])
    assert [judge for judge, _ in beside_the_best(values, 12)] == [2, 1, 3, 4, 0]


def test_what_never_differs_is_as_good():
    table = differences_table(ranked(VALUES[[0, 0, 2]]))
    assert table.loc[1, ["difference", "low", "high"]].tolist() == [0, 0, 0]
    assert table["verdict"].tolist() == ["best", "non-inferior", "significantly worse"]


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (-0.3, -0.001, "significantly worse"),
        (-0.019, 0.01, "non-inferior"),
        (-0.02, 0.01, "not significant"),
        (-0.3, 0.0, "not significant"),
        (np.nan, np.nan, "not significant"),
    ],
)
def test_verdicts(low, high, said):
    assert verdict(low, high) == said


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (-0.3, -0.0031, "significantly worse"),
        (-0.3, -0.0029, "at the threshold"),
        (-0.01, 0.0029, "at the threshold"),
        (-0.0171, 0.01, "not significant"),
        (-0.0169, 0.01, "non-inferior"),
    ],
)
def test_verdicts_are_three_monte_carlo_errors_from_the_threshold(low, high, said):
    assert verdict(low, high, 0.001) == said


def drawn_judges(mean, spread=0.02):
    """A judge and one whose difference from it is drawn about a mean, in as many draws as asked."""

    def judge(place):
        def further(start, stop):
            rng = np.random.default_rng([8, place])
            return 0.9 + rng.normal(0, spread, stop)[start:]

        return further

    values = [np.append(0.9 + place * mean, judge(place)(0, 200)) for place in (0, 1)]
    ways = ranked(values, "ab", topics=TOPICS)
    return [replace(way, further=judge(place)) for place, way in enumerate(ways)]


def test_draws_are_added_until_the_verdict_is_decided():
    """The upper end of a difference is 0 at −1.96 · 0.02 · √2 · √(12 / 11) = −0.0579."""
    table = differences_table(drawn_judges(-0.2))
    assert (table["resamples"] == 200).all()
    assert table["verdict"].iloc[1] == "significantly worse"
    table = differences_table(drawn_judges(-0.062))
    assert 200 < table["resamples"].iloc[1] <= 20_000
    assert table["verdict"].iloc[1] == "significantly worse"
    table = differences_table(drawn_judges(-0.0579))
    assert table["resamples"].iloc[1] == 20_000
    assert table["verdict"].iloc[1] == "at the threshold"


def test_the_monte_carlo_error_is_what_other_draws_scatter_by():
    ends, errors = [], []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        values = np.array([0.9, 0.8, 0.7])[:, None] + rng.normal(0, 0.02, (3, 401))
        values[:, 0] = 0.9, 0.8, 0.7
        ends.append(simultaneous_ends(values, 12)[1, 1])
        errors.append(monte_carlo_errors(values, 12)[1])
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(np.std(ends), rel=0.25)


def test_only_ways_on_the_same_topics_are_compared():
    others = ranked(VALUES[:1] + 1, "d", topics=TOPICS[:11])
    undefined = ranked(np.full((1, 201), np.nan), "e")
    other_measure = ranked(VALUES[:1], "a", "AP")
    table = differences_table([*ranked(VALUES), *others, *undefined, *other_measure])
    assert table["judge"].tolist() == ["a", "b", "c", "a"]
    assert table["verdict"].iloc[-1] == "best"
    assert differences_table([]).empty


def test_few_topics_have_no_interval():
    table = differences_table(ranked(VALUES, topics=TOPICS[:9]))
    assert table[["low", "high", "p_adjusted"]].isna().all(axis=None)
    assert table["verdict"].tolist() == ["best", "not significant", "not significant"]
    fewest = INTERVALS["best_judge"].fewest
    assert np.isnan(simultaneous_ends(VALUES, fewest - 1)).all()
    assert np.isnan(simultaneous_ends(VALUES[:, :1], fewest)).all()
    assert not np.isnan(simultaneous_ends(VALUES[:, :2], fewest)).any()
