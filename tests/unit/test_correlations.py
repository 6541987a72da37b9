"""Correlations of system rankings: the examples of yang2019 §2.4.3, other code, enumeration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, rankdata, spearmanr

from regrade.correlations import (
    competition_ranks,
    fractional_ranks,
    kendall_tau,
    rbo_ext,
    rbo_ext_a,
    rbo_ext_b,
    rbo_ext_many,
    spearman_rho,
    spearman_rho_a,
    tau_ap,
    tau_ap_b,
    tau_b,
    tau_b_many,
)
from regrade.kendall import TOLERANCE
from tests.reference import correlations as reference

EXACT = 1e-12

# few enough systems to enumerate all orders of those that tie
SMALL = st.integers(2, 6).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 3), min_size=n, max_size=n)] * 2)
)
SCORES = st.integers(2, 25).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(-4, 4), min_size=n, max_size=n)] * 2)
)
PERSISTENCE = st.sampled_from([0.1, 0.5, 0.8, 0.95, 0.999])


def floats(pair):
    return [np.array(scores, dtype=float) for scores in pair]


# --- the examples of yang2019 §2.4.3 -----------------------------------------------------------

M0 = np.array([9.0, 8.0, 7.0, 6.0, 5.0])
M1 = np.array([8.5, 9.3, 8.0, 7.5, 7.0])
M2 = np.array([9.7, 8.1, 5.5, 6.0, 6.9])
M3 = np.array([8.3, 7.8, 6.5, 6.5, 5.0])
M4 = np.array([9.1, 8.2, 7.4, 6.5, 6.5])


def test_table_2_4():
    assert competition_ranks(M0).tolist() == [1, 2, 3, 4, 5]
    assert competition_ranks(M1).tolist() == [2, 1, 3, 4, 5]
    assert competition_ranks(M2).tolist() == [1, 2, 5, 4, 3]
    assert (competition_ranks(M0) - competition_ranks(M1)).tolist() == [-1, 1, 0, 0, 0]
    assert (competition_ranks(M0) - competition_ranks(M2)).tolist() == [0, 0, -2, 0, 2]
    assert kendall_tau(M0, M1) == pytest.approx(0.8, abs=EXACT)
    for rho in [spearman_rho, spearman_rho_a]:
        assert rho(M0, M1) == pytest.approx(0.9, abs=EXACT)
        assert rho(M0, M2) == pytest.approx(0.6, abs=EXACT)


def test_table_2_4_has_three_discordant_pairs_where_the_text_counts_one():
    # s3, s4 and s5 are in reverse order in M2: three of the ten pairs.  The text prints 0.8
    assert kendall_tau(M0, M2) == pytest.approx((7 - 3) / 10, abs=EXACT)
    assert kendall_tau(M0, M2) == pytest.approx(kendalltau(M0, M2).statistic, abs=EXACT)


def test_table_2_5():
    assert competition_ranks(M3).tolist() == [1, 2, 3, 3, 5]
    assert competition_ranks(M4).tolist() == [1, 2, 3, 4, 4]
    assert fractional_ranks(M1).tolist() == [2, 1, 3, 4, 5]
    assert fractional_ranks(M3).tolist() == [1, 2, 3.5, 3.5, 5]
    assert fractional_ranks(M4).tolist() == [1, 2, 3, 4.5, 4.5]
    assert round(tau_b(M1, M4), 3) == 0.738
    assert round(tau_b(M3, M4), 3) == 0.889
    assert spearman_rho_a(M3, M4) == pytest.approx(0.925, abs=EXACT)  # as printed: by distances
    assert round(spearman_rho(M3, M4), 3) == 0.921  # by the correlation of these ranks


BINARY = [1, 1, 1, 1, 1, 1, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("binary", "six_level", "tau", "rho"),
    [
        # Table 2.7; ranks are best first, so their order is the reverse
        (BINARY, [5, 5, 4, 3, 3, 3, 2, 2, 1, 0], 0.775, 0.869),
        ([1] * 6 + [7] * 4, [1, 1, 3, 4, 4, 4, 7, 7, 9, 10], 0.775, 0.869),
        (BINARY, [32, 32, 16, 8, 8, 8, 4, 4, 2, 1], 0.775, 0.869),
        # Table 2.8
        (BINARY, [5, 5, 5, 3, 3, 3, 2, 2, 1, 0], 0.795, 0.877),
        (BINARY, [5, 5, 4, 3, 3, 3, 3, 3, 1, 0], 0.630, 0.685),
        (BINARY, [5, 5, 5, 3, 3, 3, 3, 3, 1, 1], 0.660, 0.694),
        (BINARY, [4, 4, 4, 4, 4, 4, 1, 1, 1, 1], 1.000, 1.000),
        (BINARY, [1, 1, 1, 1, 1, 1, 1, 1, 1, 0], 0.408, 0.408),
    ],
)
def test_tables_2_7_and_2_8(binary, six_level, tau, rho):
    x, y = floats((binary, six_level))
    assert round(tau_b(x, y), 3) == tau
    assert round(spearman_rho(x, y), 3) == rho


def test_table_2_9():
    weights = [0.2 * 0.8**i for i in range(5)]
    assert [round(w, 3) for w in weights] == [0.200, 0.160, 0.128, 0.102, 0.082]
    assert rbo_ext(M0, M1, 0.8) == pytest.approx(0.800, abs=EXACT)
    terms = [w * a for w, a in zip(weights, [1, 1, 2 / 3, 3 / 4, 1], strict=True)]
    assert rbo_ext(M0, M2, 0.8) == pytest.approx(sum(terms) + 0.8**5, abs=EXACT)
    # the text adds these six terms up to 0.846, which is their sum without that of depth 3
    assert round(rbo_ext(M0, M2, 0.8), 3) == 0.932
    assert round(rbo_ext(M0, M2, 0.8) - terms[2], 3) == 0.846


# --- other code --------------------------------------------------------------------------------

# data and four-digit values of the tests of the R package ircor, by an author of τ_ap,a and τ_ap,b
IRCOR = [
    (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        [0.8519, 0.7454, 0.8333, 0.7321],
    ),
    (
        [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
        [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
        [0.2504, 0.2692, 0.2880, 0.2970],
    ),
    (
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
        [-0.6971, -0.5558, -0.6680, -0.7047],
    ),
]


@pytest.mark.parametrize(("x", "y", "expected"), IRCOR)
def test_tau_ap_is_that_of_ircor(x, y, expected):
    x, y = floats((x, y))
    tied_x, tied_y = x.round(1), y.round(1)
    found = [tau_ap(x, y), tau_ap(x, tied_y), tau_ap_b(x, y), tau_ap_b(tied_x, tied_y)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=5.1e-5)


@given(SCORES)
@settings(max_examples=200)
def test_scipy_agrees(pair):
    x, y = floats(pair)
    np.testing.assert_array_equal(fractional_ranks(x), rankdata(-x))
    np.testing.assert_array_equal(competition_ranks(x), rankdata(-x, method="min"))
    if len(set(x)) > 1 and len(set(y)) > 1:
        assert spearman_rho(x, y) == pytest.approx(spearmanr(x, y).statistic, abs=EXACT)
    else:
        assert np.isnan(spearman_rho(x, y))
    # kendalltau corrects for ties: take its correction back
    n = len(x)
    apart = [sum(s[i] != s[j] for i in range(n) for j in range(i)) for s in (x, y)]
    if min(apart) > 0:
        corrected = kendalltau(x, y).statistic * np.sqrt(apart[0] * apart[1]) / (n * (n - 1) / 2)
        assert kendall_tau(x, y) == pytest.approx(corrected, abs=EXACT)
    else:
        assert kendall_tau(x, y) == 0


# --- enumeration -------------------------------------------------------------------------------


@given(SMALL)
@settings(max_examples=50)
def test_tau_ap_is_the_mean_over_all_orders(pair):
    expected = reference.mean_over_orders(reference.tau_ap, *pair)
    assert tau_ap(*floats(pair)) == pytest.approx(expected, abs=EXACT)


@given(SMALL, PERSISTENCE, st.none() | st.integers(1, 7))
@settings(max_examples=50)
def test_rbo_is_what_enumeration_gives(pair, p, depth):
    x, y = floats(pair)
    expected = reference.rbo_ext_w(*pair, p, depth)
    assert rbo_ext(x, y, p, depth) == pytest.approx(expected, abs=EXACT)
    expected = reference.mean_over_orders(lambda a, b: reference.rbo_ext(a, b, p, depth), *pair)
    assert rbo_ext_a(x, y, p, depth) == pytest.approx(expected, abs=EXACT)
    expected = reference.rbo_ext_b(*pair, p, depth)
    assert rbo_ext_b(x, y, p, depth) == pytest.approx(expected, abs=EXACT)


def test_tau_ap_b_by_hand():
    # y: {a, b}, c.  Of the pairs below the first group a–c is concordant, b–c is tied in x
    x, y = np.array([3.0, 1, 1]), np.array([2.0, 2, 1])
    # the other way, x: a, {b, c}: a–b is tied in y, a–c concordant
    assert tau_ap_b(x, y) == pytest.approx(((2 * (1 / 2) - 1) + (2 * (0 + 1) / 2 - 1)) / 2)
    assert tau_ap_b(np.array([3.0, 2, 1]), y) == pytest.approx(((2 * 1 - 1) + (2 * 1 / 2 - 1)) / 2)


# --- properties --------------------------------------------------------------------------------

SYMMETRIC = [kendall_tau, tau_ap_b, spearman_rho, spearman_rho_a]
RBO = [rbo_ext, rbo_ext_a, rbo_ext_b]


@given(SCORES, PERSISTENCE, st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_order_of_systems_unit_of_scores_and_direction_change_nothing(pair, p, random):
    x, y = floats(pair)
    shuffled = random.sample(range(len(x)), len(x))
    functions = [*SYMMETRIC, *(lambda a, b, f=f: f(a, b, p) for f in RBO)]
    for function in functions:
        value = function(x, y)
        for again in [function(y, x), function(x[shuffled], y[shuffled]), function(x**3 + 9, y)]:
            np.testing.assert_allclose(again, value, rtol=0, atol=EXACT)
    np.testing.assert_allclose(
        tau_ap(x[shuffled], y[shuffled]), tau_ap(x, y), rtol=0, atol=EXACT
    )  # fmt: skip


@given(st.permutations(range(8)), st.permutations(range(8)), PERSISTENCE)
@settings(max_examples=50)
def test_without_ties_variants_are_one(x, y, p):
    x, y = floats((x, y))
    assert kendall_tau(x, y) == pytest.approx(tau_b(x, y), abs=EXACT)
    assert spearman_rho_a(x, y) == pytest.approx(spearman_rho(x, y), abs=EXACT)
    assert tau_ap_b(x, y) == pytest.approx((tau_ap(x, y) + tau_ap(y, x)) / 2, abs=EXACT)
    assert rbo_ext_a(x, y, p) == pytest.approx(rbo_ext(x, y, p), abs=EXACT)
    assert rbo_ext_b(x, y, p) == pytest.approx(rbo_ext(x, y, p), abs=EXACT)
    for function in [kendall_tau, tau_ap, tau_ap_b, spearman_rho]:
        assert function(x, x) == pytest.approx(1, abs=EXACT)
        assert function(x, -x) == pytest.approx(-1, abs=EXACT)


@given(SCORES, PERSISTENCE)
@settings(max_examples=50)
def test_a_ranking_overlaps_itself_wholly(pair, p):
    x, _ = floats(pair)
    assert rbo_ext(x, x, p) == pytest.approx(1, abs=EXACT)
    assert rbo_ext_b(x, x, p) == pytest.approx(1, abs=EXACT)
    assert rbo_ext_a(x, x, p) <= 1 + EXACT  # its ties may be broken in different ways


@given(SCORES, PERSISTENCE, st.none() | st.integers(1, 10))
@settings(max_examples=50)
def test_many_are_one_by_one(pair, p, depth):
    x, y = floats(pair)
    many = np.array([y, x, -y, y + x])
    np.testing.assert_array_equal(tau_b_many(x, many), [tau_b(x, z) for z in many])
    np.testing.assert_array_equal(
        rbo_ext_many(x, many, p, depth), [rbo_ext(x, z, p, depth) for z in many]
    )


def test_scores_that_differ_by_rounding_only_tie():
    noise = np.array([0, 3e-15, -2e-15, 0, 1e-15])
    for function in [*SYMMETRIC, tau_ap, *(lambda a, b, f=f: f(a, b, 0.9) for f in RBO)]:
        for a, b in [(M3, M4), (M4, M3), (M3, M3)]:
            assert function(a + noise, b - noise) == pytest.approx(function(a, b), abs=EXACT)
    apart = np.array([0, 2, 4]) * TOLERANCE
    assert fractional_ranks(apart).tolist() == [3, 2, 1]
    # a group goes on as long as neighbours tie
    assert fractional_ranks(apart * 0.4).tolist() == [2, 2, 2]


def test_undefined_is_nan():
    one, equal, different = np.ones(1), np.ones(3), np.array([1.0, 2, 3])
    for function in [kendall_tau, tau_ap, tau_ap_b, spearman_rho, spearman_rho_a]:
        assert np.isnan(function(one, one))
    for function in [tau_ap_b, spearman_rho]:
        assert np.isnan(function(equal, different))
        assert np.isnan(function(different, equal))
    for function in RBO:
        assert np.isnan(function(np.empty(0), np.empty(0), 0.9))
    assert np.isnan(rbo_ext_many(np.empty(0), np.empty((2, 0)), 0.9)).all()
    assert tau_b_many(different, np.array([equal, different]))[1] == 1
    assert np.isnan(tau_b_many(different, np.array([equal, different]))[0])
