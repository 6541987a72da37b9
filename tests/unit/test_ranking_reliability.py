"""Variances, coefficients, halves and power: oracles are Brennan's tables, R, statsmodels.

Brennan, Generalizability Theory, 2001: synthetic data 4 (Table 3.2) as ten persons by twelve items
(Tables 6.2 and 6.5), which gt4ireval tests itself with; R's `nlme` and `power.t.test` are in
tests/reference/r.
"""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.power import TTestPower

from regrade.intervals import INTERVALS
from regrade.kendall import tau_b
from regrade.ranking import halves, power
from regrade.ranking.reliability import Reliability, coefficients, components
from regrade.sample_means import mean_interval

R = Path(__file__).parents[1] / "reference" / "r"
S, T, ST = (frozenset(some) for some in ("s", "t", "st"))

SYNTHETIC4 = np.array(
    [
        [5, 6, 5, 5, 5, 3, 4, 5, 6, 7, 3, 3],
        [9, 3, 7, 7, 7, 5, 5, 5, 7, 7, 5, 2],
        [3, 4, 3, 3, 5, 3, 3, 5, 6, 5, 1, 6],
        [7, 5, 5, 3, 3, 1, 4, 3, 5, 3, 3, 5],
        [9, 2, 9, 7, 7, 7, 3, 7, 2, 7, 5, 3],
        [3, 4, 3, 5, 3, 3, 6, 3, 4, 5, 1, 2],
        [7, 3, 7, 7, 7, 5, 5, 7, 5, 5, 5, 4],
        [5, 8, 5, 7, 7, 5, 5, 4, 3, 2, 1, 1],
        [9, 9, 8, 8, 6, 6, 6, 5, 5, 8, 1, 1],
        [4, 4, 4, 3, 3, 5, 6, 5, 5, 7, 1, 1],
    ],
    dtype=float,
)


def frozen(what):
    table = pd.read_csv(R / "ranking-expected.csv", dtype={"name": str})
    rows = table[table["what"] == what]
    return dict(zip(rows["name"], rows["value"], strict=True))


def test_variances_and_coefficients_are_brennans():
    known = components(SYNTHETIC4)
    assert [known[some] for some in (S, T, ST)] == pytest.approx([0.6258, 0.8840, 2.7872], abs=5e-5)
    assert coefficients(known, {"t": 12}) == pytest.approx([0.729, 0.672], abs=5e-4)


def test_variances_are_those_of_restricted_maximum_likelihood():
    data = pd.read_csv(R / "ranking-data.csv").pivot(
        index="system", columns="topic", values="value"
    )
    want = frozen("variance")
    known = components(data.to_numpy())
    assert [known[S], known[T], known[ST]] == pytest.approx(
        [want["systems"], want["topics"], want["residual"]], rel=1e-6
    )


def test_three_facets_have_their_mean_squares():
    """Effects that were put in come out exactly, whatever else there is."""
    rng = np.random.default_rng(1)
    shape = {"s": 7, "t": 9, "j": 4}
    every = [frozenset(some) for some in ("s", "t", "j", "st", "sj", "tj", "stj")]
    true = dict(zip(every, (4.0, 3.0, 0.5, 2.0, 0.3, 0.2, 1.0), strict=True))
    total = dict.fromkeys(every, 0.0)
    for _ in range(400):
        x = np.zeros(tuple(shape.values()))
        for some, variance in true.items():
            size = [n if facet in some else 1 for facet, n in shape.items()]
            x = x + rng.normal(0, np.sqrt(variance), size)
        for some, value in components(x, "stj").items():
            total[some] += value / 400
    assert [total[some] for some in every] == pytest.approx([*true.values()], rel=0.15)


def test_one_judge_more_makes_what_is_his_smaller():
    known = dict.fromkeys((frozenset(x) for x in ("s", "t", "j", "st", "sj", "tj", "stj")), 1.0)
    e_rho2, phi = coefficients(known, {"t": 10, "j": 2})
    assert e_rho2 == pytest.approx(1 / (1 + 1 / 10 + 1 / 2 + 1 / 20))
    assert phi == pytest.approx(1 / (1 + 2 / 10 + 2 / 2 + 2 / 20))


def test_a_variance_below_nothing_counts_as_nothing():
    known = {S: -0.1, T: 0.2, ST: 0.3}
    assert coefficients(known, {"t": 5}).tolist() == [0, 0]
    never_apart = np.array([[0.0, 1.0] * 15, [1.0, 0.0] * 15])
    assert np.isnan(Reliability(never_apart).topics_for(0.9)).all()
    assert np.isnan(coefficients(dict.fromkeys(known, 0.0), {"t": 5})).all()


def test_topics_for_a_target_are_the_fewest():
    found = Reliability(SYNTHETIC4)
    for target in (0.8, 0.9, 0.95):
        for place, (number, *ends) in enumerate(found.topics_for(target)):
            assert coefficients(found.variances, {"t": number})[place] >= target
            assert coefficients(found.variances, {"t": number - 1})[place] < target
            assert np.isnan(ends).all()  # of twelve


def test_ends_of_the_topics_that_are_needed_are_where_those_of_the_coefficient_reach_it():
    rng = np.random.default_rng(8)
    scores = rng.normal(0, 0.1, (8, 1)) + rng.normal(0, 0.2, 30) + rng.normal(0, 0.2, (8, 30))
    found = Reliability(scores)
    for place, (_, low, high) in enumerate(found.topics_for(0.9)):
        # with as many as the upper end, the lower end of the coefficient is there, and the reverse
        for number, end in ((high, 1), (low, 2)):
            assert found.coefficients(int(number))[place, end] >= 0.9
            assert found.coefficients(int(number) - 1)[place, end] < 0.9


def test_intervals_are_the_jackknifes():
    """Of pseudo-values on logarithms: the interval of their mean, about the value itself."""
    rng = np.random.default_rng(2)
    scores = rng.normal(0, 1, (8, 1)) + rng.normal(0, 1, 30) + rng.normal(0, 1, (8, 30))
    known = Reliability(scores)
    without = [np.delete(scores, t, axis=1) for t in range(30)]

    def ends(value, others):
        pseudo = np.array([30 * value - 29 * one for one in others])
        return mean_interval(pseudo) - pseudo.mean() + value

    noise = [np.log(1 / coefficients(components(x), {"t": 30}) - 1) for x in (scores, *without)]
    found = known.coefficients(30)
    for place in (0, 1):
        low, high = ends(noise[0][place], [one[place] for one in noise[1:]])
        assert found[place] == pytest.approx(
            [1 / (1 + np.exp(at)) for at in (noise[0][place], high, low)]
        )
    low, high = ends(np.log(components(scores)[ST]), [np.log(components(x)[ST]) for x in without])
    assert known.variance(ST) == pytest.approx([components(scores)[ST], np.exp(low), np.exp(high)])


def test_systems_that_differ_by_no_more_than_chance_have_no_intervals():
    scores = np.random.default_rng(3).normal(size=(6, 30))
    known = Reliability(scores)
    assert known.variances[S] < 0
    assert np.isnan(known.variance(S)[1:]).all()
    assert np.isnan(known.coefficients(30)[:, 1:]).all()
    assert np.isfinite(known.variance(ST)).all()


def test_few_topics_have_no_intervals():
    known = Reliability(SYNTHETIC4)
    assert np.isnan(known.coefficients(12)[:, 1:]).all()
    assert np.isnan(known.variance(S)[1:]).all()
    assert np.isfinite(known.coefficients(12)[:, 0]).all()


def test_intervals_are_given_from_the_fewest_topics_on():
    rng = np.random.default_rng(4)
    scores = rng.normal(0, 1, (8, 1)) + rng.normal(0, 1, 60) + rng.normal(0, 1, (8, 60))
    of_variance, of_others = (
        INTERVALS[kind].fewest for kind in ("variance_component", "reliability")
    )
    for fewest, ends in (
        (of_variance, lambda known: known.variance(S)[1:]),
        (of_others, lambda known: known.coefficients(30)[:, 1:]),
    ):
        assert np.isfinite(ends(Reliability(scores[:, :fewest]))).all()
        assert np.isnan(ends(Reliability(scores[:, : fewest - 1]))).all()


def test_topics_that_do_not_differ_count_as_nothing_for_those_needed():
    scores = np.array([[2.0, 3.0, 2.0], [3.0, 2.0, 2.5], [0.0, 0.5, 0.2]])
    known = Reliability(scores)
    assert known.variances[T] < 0 < known.variances[S]
    relative, absolute = known.topics_for(0.95)[:, 0]
    assert relative == absolute > 1
    assert known.topics_for(0.1)[:, 0].tolist() == [1, 1]


# --- halves ------------------------------------------------------------------------------------


def test_samples_of_few_topics_leave_the_others_out():
    """One and one of four topics, of which the last decides whatever it is with."""
    scores = np.array([[1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 10.0]])
    found = halves.tau_of_halves(scores, 1, 400, 1)
    assert set(found) == {-1.0, 1.0}
    # the same order where neither is the last: 3/4 times 2/3
    assert (found == 1).mean() == pytest.approx(1 / 2, abs=0.1)


def test_halves_share_no_topic():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(8, 1)) + rng.normal(size=(8, 12))
    found = halves.tau_of_halves(scores, 6, 400, 1)
    mean = scores.sum(axis=1)
    possible = set()
    for some in combinations(range(12), 6):
        one = scores[:, list(some)].sum(axis=1)
        possible.add(round(tau_b(one, mean - one), 9))
    assert {round(tau, 9) for tau in found} <= possible
    assert len(set(np.round(found, 9))) > 10


SIZES = (2, 3, 5, 10, 15, 20, 25)


def test_normal_systems_have_the_tau_that_is_extrapolated():
    """2,000 normal systems: τ between halves, and with the truth, are what the formulas say."""
    rng = np.random.default_rng(1)
    ability = rng.normal(0, 1, 2000)

    def measured(topics):
        return ability + rng.normal(0, np.sqrt(8 / topics), 2000)

    between = {m: np.mean([tau_b(measured(m), measured(m)) for _ in range(20)]) for m in (2, 4, 8)}
    weights = halves.weights_of(between)
    assert weights.sum() == pytest.approx(1)
    for topics, tau in between.items():
        assert halves.tau_between(weights, topics) == pytest.approx(tau, abs=0.005)
    for topics in (8, 16):
        with_truth = np.mean([tau_b(measured(topics), ability) for _ in range(20)])
        assert halves.tau_with_truth(weights, topics) == pytest.approx(with_truth, abs=0.01)


def test_a_few_systems_far_off_do_not_make_the_others_order_sure():
    """Of 2,000 systems a tenth are far off: a τ of one normal population would be far too high."""
    rng = np.random.default_rng(1)
    ability = rng.normal(0, 0.02, 2000)
    ability[:200] += rng.normal(-3, 1, 200)

    def measured(topics):
        return ability + rng.normal(0, np.sqrt(1 / topics), 2000)

    between = {m: np.mean([tau_b(measured(m), measured(m)) for _ in range(20)]) for m in SIZES}
    with_truth = np.mean([tau_b(measured(50), ability) for _ in range(20)])
    found = halves.tau_with_truth(halves.weights_of(between), 50)
    # two points of the share of pairs, which is (1 + τ) / 2
    assert found == pytest.approx(with_truth, abs=0.04)
    # Spearman and Brown, Greiner: of 25 topics, of 50, with the truth
    r = np.sin(np.pi * between[25] / 2)
    assert 2 / np.pi * np.arcsin(np.sqrt(2 * r / (1 + r))) > with_truth + 0.15


def test_topics_for_a_tau_are_the_fewest():
    for spread in (8, 20):
        weights = np.eye(30)[spread]
        for target in (0.3, 0.8, 0.9):
            number = halves.topics_for_tau(weights, 10**6, target)
            reached = [halves.tau_with_truth(weights, n) for n in (number - 1, number)]
            assert reached[0] < target <= reached[1] + 1e-12
            assert halves.topics_for_tau(weights, number, target) == number
            if number > 1:
                assert np.isnan(halves.topics_for_tau(weights, number - 1, target))


def test_halves_that_agree_or_not_at_all_have_a_tau_of_1_or_0():
    assert halves.tau_with_truth(halves.weights_of(dict.fromkeys(SIZES, 1.0)), 50) > 0.98
    assert halves.tau_with_truth(halves.weights_of(dict.fromkeys(SIZES, -0.1)), 50) < 0.05


def test_twice_as_many_out_of_order_are_more_than_half_of_all_at_some_point():
    assert halves.in_order(0.9) == (0.95, 0.9)
    share, least = halves.in_order(0.5)
    assert share == 0.75
    assert np.isnan(least)
    assert np.isnan(halves.in_order(np.nan)).all()


# --- power -------------------------------------------------------------------------------------


def test_what_is_found_is_rs_and_statsmodels():
    for topics, want in frozen("detectable").items():
        n = int(topics)
        found = power.detectable(np.array([1.0, 0.2]), n, power.critical_t(n))
        assert found == pytest.approx([want, 0.2 * want], rel=1e-5)
        one = TTestPower().solve_power(nobs=n, power=0.8, alpha=0.05)
        assert found[0] == pytest.approx(one, rel=1e-5)


def test_topics_to_find_a_difference_are_the_fewest():
    for delta, want in frozen("topics").items():
        assert power.topics_to_detect(1.0, float(delta)) == np.ceil(want)
    number = power.topics_to_detect(0.2, 0.05)
    for n, enough in ((number - 1, False), (number, True)):
        assert (TTestPower().power(0.25, n, 0.05) >= 0.8) == enough
    for delta, few in ((4.0, 3), (2.0, 5)):
        assert power.topics_to_detect(1.0, delta) == few
        assert (
            TTestPower().power(delta, few - 1, 0.05) < 0.8 <= TTestPower().power(delta, few, 0.05)
        )
    assert power.topics_to_detect(0.0, 0.01) == 2
    assert np.isnan(power.topics_to_detect(1e6, 0.01))
    assert np.isnan(power.topics_to_detect([0.2, 0.0], 0.0)).all()  # no difference is ever found


def test_a_higher_critical_value_is_found_as_often_too():
    """Simulated: of a difference that is told to be found, t is above it in 80 % of samples."""
    rng = np.random.default_rng(4)
    delta = power.detectable(np.array([0.3]), 20, 3.5)[0]
    x = rng.normal(delta, 0.3, (20_000, 20))
    # the true spread is known: t with the sample's own
    t = x.mean(axis=1) / (x.std(axis=1, ddof=1) / np.sqrt(20))
    assert (t > 3.5).mean() == pytest.approx(0.8, abs=0.012)
