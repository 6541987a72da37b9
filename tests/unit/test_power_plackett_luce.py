"""Plackett–Luce scores and the entropy of rankings: every order, scipy, the paper's example."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from regrade.agreement import alpha
from regrade.errors import ParameterError
from regrade.power.example import LABELS, example_table, preferences
from regrade.power.plackett_luce import (
    _derivatives,
    _loss,
    fit_scores,
    has_finite_optimum,
    ranking_entropy,
)
from regrade.preferences.fits import have_finite_optimum, strengths

P4, P7 = preferences(4), preferences(7)
FOUR, SEVEN = LABELS[4], LABELS[7]


def of_documents(grades, labels, mode):
    if mode == "aggregate":
        labels = np.median(labels, axis=1).astype(int)[:, None]
    return np.mean([grades[np.ix_(given, given)] for given in labels.T], axis=0)


def brute_entropy(scores):
    total = 0.0
    for order in itertools.permutations(scores):
        p = math.prod(
            math.exp(s) / sum(math.exp(t) for t in order[i:]) for i, s in enumerate(order)
        )
        total -= p * math.log(p)
    return total


def loss(scores, preferences):
    n = len(scores)
    return sum(
        preferences[i, j] * np.log1p(np.exp(scores[j] - scores[i]))
        for i in range(n)
        for j in range(n)
        if i != j
    )


def test_the_loss_is_that_whose_slopes_are_followed():
    """Of documents of which some stand for several; its derivatives are finite differences."""
    preferences, counts = drawn_preferences(4), np.array([1.0, 2.0, 1.0, 3.0])
    scores, step = np.array([3.0, -1.0, 0.5, 40.0]), 1e-5

    def expected(scores):
        pairs = [(i, j) for i in range(4) for j in range(4) if i != j]
        return sum(
            counts[i] * counts[j] * preferences[i, j] * np.logaddexp(0, scores[j] - scores[i])
            for i, j in pairs
        )

    assert _loss(preferences, counts, scores) == pytest.approx(expected(scores), rel=1e-12)
    gradient, hessian = np.empty(4), np.empty((4, 4))
    _derivatives(preferences, counts, scores, gradient, hessian)
    for i, moved in enumerate(step * np.eye(4)):
        slope = (expected(scores + moved) - expected(scores - moved)) / (2 * step)
        assert gradient[i] == pytest.approx(slope, abs=1e-6)


def drawn_preferences(n, seed=0):
    raw = np.random.default_rng(seed).uniform(0.1, 1, (n, n))
    return raw / (raw + raw.T)


@pytest.mark.parametrize(
    "grades, labels, mode, exact, printed",
    [
        (P4, FOUR, "individual", 4.21752, 4.2142),
        (P4, FOUR, "aggregate", 4.16448, 4.1705),
        (P7, SEVEN, "individual", 4.02394, 4.0249),
        (P7, SEVEN, "aggregate", 3.81306, 3.8180),
    ],
)
def test_the_example_of_the_paper(grades, labels, mode, exact, printed):
    """§3.5: exact values, and the printed ones within what their sampling allows."""
    fit = fit_scores(of_documents(grades, labels, mode))
    assert (fit.clipped, fit.finite) == (0, True)
    found = ranking_entropy(fit.scores)
    assert found.value == pytest.approx(exact, abs=5e-6)
    assert found.value == pytest.approx(printed, abs=0.007)


def test_the_example_as_a_table():
    table = example_table()
    # Eqs 13 and 14 print p(3 > 1) = 0.9 and p(6 > 0) = 0.99
    assert (P4[3, 1], P7[6, 0]) == (0.9, 0.99)
    exact = [4.21752, 4.16448, 0.68182, 4.02394, 3.81306, 0.57127]
    assert table["value"].to_numpy() == pytest.approx(exact, abs=6e-6)


@pytest.mark.parametrize("labels, printed", [(FOUR, 0.6818), (SEVEN, 0.5713)])
def test_alpha_of_the_example(labels, printed):
    assert alpha(labels.T) == pytest.approx(printed, abs=5e-5)


@given(st.lists(st.floats(-20, 20), min_size=1, max_size=6))
def test_entropy_is_that_of_all_orders(scores):
    # to 20: brute force multiplies probabilities down to 1e-45
    assert ranking_entropy(scores).value == pytest.approx(brute_entropy(scores), abs=1e-9)


@given(st.lists(st.tuples(st.floats(-9, 9), st.integers(1, 3)), min_size=1, max_size=5))
def test_classes_are_their_documents(classes):
    scores, counts = map(np.array, zip(*classes, strict=True))
    each = ranking_entropy(np.repeat(scores, counts))
    assert ranking_entropy(scores, counts).value == pytest.approx(each.value, abs=1e-10)


@given(st.lists(st.floats(-9, 9), min_size=2, max_size=8), st.floats(-100, 100), st.randoms())
def test_entropy_knows_neither_names_nor_a_constant(scores, constant, random):
    other = [s + constant for s in scores]
    random.shuffle(other)
    value = ranking_entropy(scores).value
    assert ranking_entropy(other).value == pytest.approx(value, abs=1e-9)
    assert value <= math.lgamma(len(scores) + 1) + 1e-9


def test_labels_that_tell_nothing_have_the_highest_entropy():
    assert ranking_entropy(np.zeros(5)).value == pytest.approx(math.log(120))
    assert round(math.log(120), 4) == 4.7875
    assert ranking_entropy(np.zeros(1), np.array([200])).value == pytest.approx(math.lgamma(201))


def test_scores_far_apart_are_a_certain_ranking_and_too_far_are_refused():
    assert ranking_entropy([0.0, 700.0, 1400.0]).value == pytest.approx(0, abs=1e-12)
    with pytest.raises(ParameterError, match="apart"):
        ranking_entropy([0.0, 1401.0])


@given(st.lists(st.tuples(st.floats(-15, 15), st.integers(1, 4)), min_size=1, max_size=6))
def test_the_integral_is_the_sum_over_all_states(classes):
    scores, counts = map(np.array, zip(*classes, strict=True))
    found = ranking_entropy(scores, counts, states=1)
    assert found.way == "integral"
    assert found.value == pytest.approx(ranking_entropy(scores, counts).value, abs=1e-9)


def test_the_integral_of_many_documents():
    """Of documents that are all alike, log n!; of hundreds in few classes, all states."""
    for n in (1, 2, 30, 250, 1000):
        found = ranking_entropy(np.zeros(1), np.array([n]), states=1)
        assert found.value == pytest.approx(math.lgamma(n + 1), rel=1e-10, abs=1e-10)
    scores, counts = np.array([-3.0, 0.2, 2.5]), np.array([60, 90, 50])
    exact = ranking_entropy(scores, counts, states=10**6)
    assert exact.way == "states"
    assert ranking_entropy(scores, counts, states=1).value == pytest.approx(exact.value, abs=1e-8)


@pytest.mark.parametrize("widest", [700.0, 1400.0])
def test_certain_rankings_have_no_entropy_as_an_integral(widest):
    found = ranking_entropy([0.0, 0.45 * widest, widest], states=1)
    assert (found.way, found.value) == ("integral", pytest.approx(0, abs=1e-8))


@pytest.mark.parametrize(
    ("n", "count", "width", "way"),
    [
        (1, 1, 0, "states"),
        (12, 1, 5, "states"),
        (17, 1, 5, "integral"),
        (17, 1, 300, "states"),  # the integral has more points the further scores are apart
        (2, 60, 5, "states"),
        (3, 60, 5, "integral"),
    ],
)
def test_what_takes_less_time_is_taken_and_is_the_other(n, count, width, way):
    scores, counts = np.linspace(0, width, n), np.full(n, count)
    found = ranking_entropy(scores, counts)
    assert found.way == way
    other = ranking_entropy(scores, counts, states=1 if way == "states" else 10**6)
    assert other.way != way
    assert other.value == pytest.approx(found.value, abs=1e-9)


@pytest.mark.parametrize("states", [None, 1])
def test_no_document_has_one_ranking(states):
    found = ranking_entropy([], states=states)
    assert (found.value, found.way) == (0, "states")


@pytest.mark.parametrize("n", [2, 3, 7])
def test_scores_are_those_of_a_general_optimiser(n):
    preferences = drawn_preferences(n)
    fit = fit_scores(preferences)
    other = minimize(loss, np.zeros(n), args=(preferences,), method="BFGS", tol=1e-9).x
    assert fit.scores == pytest.approx(other - other.mean(), abs=1e-5)
    assert loss(fit.scores, preferences) <= loss(other, preferences) + 1e-12


@given(st.integers(2, 7), st.integers(0, 2**20))
def test_scores_are_strengths_where_all_pairs_are_compared_as_often(n, seed):
    """The two fits of the library, and their two versions of Ford's condition."""
    rng = np.random.default_rng(seed)
    share = rng.choice([0.0, 0.2, 0.5, 0.9, 1.0], (n, n))
    preferences = np.triu(share, 1) + np.tril(1 - share.T, -1) + np.eye(n) / 2
    first, second = np.triu_indices(n, 1)
    pairs = (n, first, second, preferences[first, second], preferences[second, first])
    assert has_finite_optimum(preferences) == have_finite_optimum(*pairs)
    fit = fit_scores(preferences, doubt=1e-3)
    bounded = np.clip(pairs[3], 1e-3, 1 - 1e-3)
    x, is_finite = strengths(n, first, second, bounded, 1 - bounded, "bradley-terry")
    assert is_finite
    assert fit.scores == pytest.approx(x, abs=1e-8)


def test_two_documents_have_the_log_odds():
    scores = fit_scores(np.array([[0.5, 0.8], [0.2, 0.5]])).scores
    assert scores[0] - scores[1] == pytest.approx(math.log(4), abs=1e-12)


def test_the_fit_of_classes_is_that_of_their_documents():
    preferences, counts = drawn_preferences(4, 5), np.array([1, 3, 2, 5])
    place = np.repeat(np.arange(4), counts)
    each = preferences[np.ix_(place, place)]
    assert fit_scores(each).scores == pytest.approx(
        np.repeat(fit_scores(preferences, counts).scores, counts), abs=1e-9
    )


@given(st.integers(2, 8), st.integers(0, 2**20), st.floats(1e-6, 0.1))
def test_the_fit_converges_and_follows_its_documents(n, seed, doubt):
    """Also where most preferences are certain, and whatever order documents come in."""
    rng = np.random.default_rng(seed)
    upper = rng.choice([0.0, 1.0, 0.5, rng.random()], (n, n))
    preferences = np.triu(upper, 1) + np.tril(1 - upper.T, -1) + np.eye(n) / 2
    order = rng.permutation(n)
    fit = fit_scores(preferences, doubt=doubt)
    moved = fit_scores(preferences[np.ix_(order, order)], doubt=doubt)
    assert moved.scores == pytest.approx(fit.scores[order], abs=1e-6)
    assert (moved.clipped, moved.finite) == (fit.clipped, fit.finite)


def test_a_document_that_always_wins_is_said():
    certain = np.array([[0.5, 1, 1], [0, 0.5, 0.6], [0, 0.4, 0.5]])
    fit = fit_scores(certain)
    assert (fit.clipped, fit.finite) == (2, False)
    assert not has_finite_optimum(certain)
    # a circle: each wins always against one and loses always against one
    circle = np.array([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]])
    assert has_finite_optimum(circle)
    assert fit_scores(circle).scores == pytest.approx(np.zeros(3), abs=1e-12)


@pytest.mark.parametrize("doubt", [0, 0.5, -1])
def test_doubt_is_between_nothing_and_a_half(doubt):
    with pytest.raises(ParameterError, match="doubt"):
        fit_scores(drawn_preferences(3), doubt=doubt)


def test_probabilities_are_checked():
    with pytest.raises(ParameterError, match="0 to 1"):
        fit_scores(np.array([[0.5, 1.5], [-0.5, 0.5]]))
