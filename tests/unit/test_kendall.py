"""τ_b against scipy, where scores tie, and properties that it must have."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from regrade.kendall import (
    PADDED,
    TOLERANCE,
    expert_order,
    pair_orders,
    tau_b,
    tau_b_ordered,
)

# scores some of which tie, exactly or only just (3 steps of this differ beyond the tolerance)
STEP = 0.4 * TOLERANCE
near_ties = st.integers(2, 12).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 6), min_size=n, max_size=n)] * 2)
).map(lambda pair: [STEP * np.array(scores, dtype=float) for scores in pair])  # fmt: skip
score_pairs = st.integers(2, 30).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(-5, 5), min_size=n, max_size=n)] * 2)
).map(lambda pair: [np.array(scores, dtype=float) for scores in pair])  # fmt: skip


def ordered(x, expert):
    order, strictly_below = expert_order(expert)
    return tau_b_ordered(np.ascontiguousarray(x[order]), strictly_below, -1.0)


@pytest.mark.parametrize("distinct", [2, 3, 6, 50])
@pytest.mark.parametrize("tau", [tau_b, ordered])
def test_scipy_agrees_however_many_tie(tau, distinct):
    rng = np.random.default_rng(distinct)
    undefined = 0
    for n in rng.integers(2, 60, 150):
        x, y = rng.integers(0, distinct, (2, n)).astype(float)
        expected = kendalltau(x, y, variant="b").statistic
        undefined += np.isnan(expected)
        assert tau(x, y) == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert undefined < 50


@pytest.mark.parametrize("tau", [tau_b, ordered])
def test_scipy_agrees_without_ties(tau):
    rng = np.random.default_rng(7)
    for _ in range(50):
        x, y = rng.random((2, 129))
        assert tau(x, y) == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)


@pytest.mark.parametrize("tau", [tau_b, ordered])
def test_undefined_where_all_of_one_ranking_tie(tau):
    different, equal = np.array([1.0, 2.0, 3.0]), np.full(3, 0.1)
    assert np.isnan(tau(different, equal))
    assert np.isnan(tau(equal, different))
    assert np.isnan(tau(equal, equal))
    assert np.isnan(tau(different[:1], different[:1]))


def test_by_hand():
    # of the 6 pairs 3 agree, 1 disagrees; x ties in one of the others, y in one
    x = np.array([4.0, 3.0, 3.0, 1.0])
    y = np.array([4.0, 1.0, 3.0, 3.0])
    assert tau_b(x, y) == pytest.approx((3 - 1) / np.sqrt(5 * 5))


@pytest.mark.parametrize("tau", [tau_b, ordered])
def test_scores_that_differ_by_rounding_only_tie(tau):
    rng = np.random.default_rng(1)
    for _ in range(50):
        x, y = rng.integers(0, 5, (2, 30)) / 7
        expected = kendalltau(x, y).statistic
        noise = rng.choice([-1e-15, 0, 1e-15], (2, 30))
        assert tau(x + noise[0], y + noise[1]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("tau", [tau_b, ordered])
def test_scores_that_differ_beyond_rounding_do_not_tie(tau):
    x = np.array([0.5, 0.5 + 1e-11, 0.5 + 2e-11])
    assert tau(x, np.array([1.0, 2.0, 3.0])) == 1
    assert tau(np.array([3.0, 2.0, 1.0]), x) == -1


@given(near_ties | score_pairs, st.integers(0, 2))
def test_few_systems_are_compared_as_many_are(pair, infinite):
    x, y = pair
    x[:infinite] = -np.inf
    assert pair_orders.plain(x, y) == pair_orders.dispatcher(x, y)


@given(score_pairs)
@settings(max_examples=300)
def test_symmetric_antisymmetric_and_within_bounds(pair):
    x, y = pair
    value = tau_b(x, y)
    np.testing.assert_equal(tau_b(y, x), value)
    np.testing.assert_equal(tau_b(-x, y), 0 - value)
    np.testing.assert_equal(tau_b(-x, -y), value)
    assert np.isnan(value) or -1 <= value <= 1
    assert np.isnan(tau_b(x, x)) or tau_b(x, x) == 1


@given(score_pairs, st.randoms(use_true_random=False))
@settings(max_examples=300)
def test_the_order_of_systems_and_the_unit_of_scores_change_nothing(pair, random):
    x, y = pair
    shuffled = random.sample(range(len(x)), len(x))
    np.testing.assert_equal(tau_b(x[shuffled], y[shuffled]), tau_b(x, y))
    np.testing.assert_equal(ordered(x[shuffled], y[shuffled]), ordered(x, y))
    np.testing.assert_equal(tau_b(3 * x**3 + 1, y), tau_b(x, y))


def plain(x, y):
    """τ_b pair by pair."""
    first, second = np.triu_indices(len(x), 1)
    signs = []
    for scores in (x, y):
        gap = scores[first] - scores[second]
        signs.append(np.where(np.abs(gap) > TOLERANCE, np.sign(gap), 0).astype(int))
    apart = [float(np.abs(of).sum()) for of in signs]
    return (signs[0] @ signs[1]) / np.sqrt(apart[0] * apart[1]) if all(apart) else np.nan


@pytest.mark.parametrize("tau", [tau_b, ordered])
@given(pair=st.one_of(score_pairs, near_ties))
@settings(max_examples=500)
def test_the_fast_ways_are_the_plain_way(tau, pair):
    np.testing.assert_equal(tau(*pair), plain(*pair))


@pytest.mark.parametrize("tau", [tau_b, ordered])
def test_many_scores_some_of_which_nearly_tie(tau):
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 400, (2, 1500)) * STEP
    assert tau(x, y) == plain(x, y)


@given(st.one_of(score_pairs, near_ties), st.floats(-1, 1))
@settings(max_examples=500)
def test_what_reaches_the_least_is_found(pair, least):
    x, expert = pair
    order, strictly_below = expert_order(expert)
    found = tau_b_ordered(np.ascontiguousarray(x[order]), strictly_below, least)
    padded = tau_b_ordered(np.append(x[order], [-np.inf] * PADDED), strictly_below, least)
    np.testing.assert_equal(found, padded)
    whole = plain(x, expert)
    if found == -1:
        assert np.isnan(whole) or whole < least or whole == -1
    else:
        np.testing.assert_equal(found, whole)


@pytest.mark.parametrize("seed", range(30))
def test_what_cannot_reach_the_least_is_left_where_discordant_pairs_tell(seed):
    """τ_b ≤ 1 − 2 D / √(all pairs · those that the expert orders); all D are seen by fours."""
    rng = np.random.default_rng(seed)
    n = 4 * rng.integers(1, 5)
    x, expert = rng.permutation(n).astype(float), rng.integers(0, 5, n).astype(float)
    order, strictly_below = expert_order(expert)
    first, second = np.triu_indices(n, 1)
    signs = np.sign(x[first] - x[second]) * np.sign(expert[first] - expert[second])
    pairs = len(first) * np.count_nonzero(signs)
    most = 1 - 2 * np.count_nonzero(signs < 0) / np.sqrt(pairs) if pairs else -1
    if most > -1 + 1e-6:
        near, far = (tau_b_ordered(x[order], strictly_below, most + d) for d in (-1e-6, 1e-6))
        assert near == pytest.approx(plain(x, expert), abs=1e-15)
        assert far == -1


@pytest.mark.parametrize("tau", [tau_b, ordered])
def test_a_difference_of_the_tolerance_ties(tau):
    different = np.array([0.0, 1.0])
    for equal in (np.array([0.0, TOLERANCE]), np.array([TOLERANCE, 0.0])):
        assert np.isnan(tau(equal, different))
        assert np.isnan(tau(different, equal))
    near = np.array([0.0, TOLERANCE, 1.0])
    for other in (np.array([1.0, 0.0, 2.0]), np.array([0.0, 1.0, 2.0])):
        assert tau(other, near) == tau(near, other) == pytest.approx(2 / np.sqrt(6), abs=1e-15)


@given(st.one_of(score_pairs, near_ties))
@settings(max_examples=300)
def test_expert_order(pair):
    expert = pair[0]
    order, strictly_below = expert_order(expert)
    assert sorted(order) == list(range(len(expert)))
    descending = expert[order]
    assert (np.diff(descending) <= 0).all()
    for i, below in enumerate(strictly_below):
        assert i < below <= len(expert)
        assert (descending[i] - descending[i:below] <= TOLERANCE).all()
        assert (descending[i] - descending[below:] > TOLERANCE).all()
