"""Rank errors and scores under several criteria, against enumeration and worked rankings."""

import math
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from regrade.criteria.errors import (
    _largest_errors,
    error_vectors,
    expected_errors,
    global_rank_error,
    ideal_ranks,
    largest_global_error,
    largest_local_error,
    local_rank_error,
    normalised_rank_error,
    rank_error_range,
    rank_errors,
)
from regrade.criteria.scores import (
    convex_mean,
    harmonic_mean,
    normalised_weighted_score,
    set_shares,
    set_weights,
    weighted_score,
)
from regrade.errors import ParameterError

GRADES = st.lists(st.integers(0, 3), min_size=1, max_size=5)
WEIGHTS = [(0.5, 0.5), (1, 1), (0, 1), (2, 0.3), (0.7, 0)]


def plain_ranks(grades):
    """Every ideal ranking: the rank of each document, for each order of tied ones."""
    n = len(grades)
    return {
        tuple(order.index(place) + 1 for place in range(n))
        for order in permutations(range(n))
        if all(grades[a] >= grades[b] for a, b in pairwise(order))
    }


def plain_errors(ranks):
    return [max(a - b, 0) for a, b in pairwise(ranks)]


def plain_lre(r, c, mu, nu):
    return sum(
        ((mu + a) * (nu + b) - mu * nu) / math.log2(1 + i)
        for i, (a, b) in enumerate(zip(plain_errors(r), plain_errors(c), strict=True), 1)
    )


def plain_gre(r, c, mu, nu):
    total = [
        sum(e / math.log2(1 + i) for i, e in enumerate(plain_errors(ranks), 1)) for ranks in (r, c)
    ]
    return (1 + mu * total[0]) * (1 + nu * total[1]) - 1


def plain_c_lre(n, mu, nu):
    return sum(
        ((n - 2 * j - 1) ** 2 + (mu + nu) * (n - 2 * j - 1)) / (1 + math.log2(1 + j))
        for j in range(math.floor(n / 2 - 1) + 1)
    )


def plain_c_gre(n, mu, nu):
    total = sum((n - 2 * j - 1) / (1 + math.log2(1 + j)) for j in range(math.floor(n / 2 - 1) + 1))
    return mu * nu * total**2 + (mu + nu) * total


# ideal ranks and their errors


@given(GRADES)
def test_ideal_ranks_are_those_of_scipy(grades):
    lowest_first = -np.array(grades)
    for rule, method in [
        ("stable", "ordinal"),
        ("competition", "min"),
        ("average", "average"),
        ("dense", "dense"),
    ]:
        assert ideal_ranks(grades, rule).tolist() == rankdata(lowest_first, method).tolist()
    reverse = rankdata(lowest_first[::-1], "ordinal")[::-1]
    assert ideal_ranks(grades, "reverse").tolist() == reverse.tolist()


def test_errors_of_the_papers_example():
    # C, A, B where the ideal ranking is A, B, C (§4)
    assert rank_errors(ideal_ranks([1, 3, 2])).tolist() == [2, 0]


def test_a_single_document_has_no_error():
    assert rank_errors(ideal_ranks([2])).shape == (0,)
    assert expected_errors([2]).shape == (0,)
    assert error_vectors([2]).shape == (1, 0)


@given(GRADES)
def test_error_vectors_are_those_of_all_orders(grades):
    plain = {tuple(plain_errors(ranks)) for ranks in plain_ranks(grades)}
    assert {tuple(row) for row in error_vectors(grades).tolist()} == plain


@given(GRADES)
def test_expected_errors_are_the_mean_over_all_orders(grades):
    plain = np.mean([plain_errors(ranks) for ranks in plain_ranks(grades)], axis=0)
    assert expected_errors(grades) == pytest.approx(plain)


def test_too_many_orders_are_refused():
    with pytest.raises(ParameterError, match=r"9 documents with ties have 362,880 .* cutoff"):
        error_vectors([1] * 9)
    with pytest.raises(ParameterError, match="unknown ties"):
        ideal_ranks([1], "random")


# LRE and GRE


def test_a_worked_ranking():
    # relevance 3 1 2, credibility 1 2 3: ideal ranks 1 3 2 and 3 2 1
    errors = [rank_errors([1, 3, 2]), rank_errors([3, 2, 1])]
    assert [e.tolist() for e in errors] == [[0, 1], [1, 1]]
    lre = (0.5 * 1.5 - 0.25) + (1.5 * 1.5 - 0.25) / math.log2(3)
    assert local_rank_error(errors, [0.5, 0.5]) == pytest.approx(lre)
    a, b = 1 / math.log2(3), 1 + 1 / math.log2(3)
    gre = (1 + 0.5 * a) * (1 + 0.5 * b) - 1
    assert global_rank_error(errors, [0.5, 0.5]) == pytest.approx(gre)
    grades = [[3, 1, 2], [1, 2, 3]]
    # n = 3: one error of 2 at rank 1, (2² + 2) and (0.25·2² + 2)
    assert normalised_rank_error(grades, [0.5, 0.5]) == pytest.approx(1 - lre / 6)
    assert normalised_rank_error(grades, [0.5, 0.5], "global") == pytest.approx(1 - gre / 3)


def test_equation_8_multiplies_an_error_by_the_others_weight():
    only_relevance = [[2.0], [0.0]]
    assert local_rank_error(only_relevance, [5, 3]) == 2 * 3
    assert global_rank_error(only_relevance, [5, 3]) == 2 * 5


@pytest.mark.parametrize("weights", WEIGHTS)
@settings(max_examples=40)
@given(pair=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=5))
def test_every_rule_against_all_orders(weights, pair):
    grades = np.array(pair).T
    n = len(pair)
    for kind, plain, largest in [
        ("local", plain_lre, plain_c_lre),
        ("global", plain_gre, plain_c_gre),
    ]:
        both = product(*(plain_ranks(row.tolist()) for row in grades))
        values = [1 - plain(r, c, *weights) / largest(n, *weights) for r, c in both]
        worst, best = rank_error_range(grades, weights, kind)
        assert (worst, best) == pytest.approx((min(values), max(values)), abs=1e-12)
        found = {
            rule: normalised_rank_error(grades, weights, kind, rule)
            for rule in ("stable", "optimistic", "pessimistic", "expected")
        }
        assert found["expected"] == pytest.approx(np.mean(values), abs=1e-12)
        assert (found["pessimistic"], found["optimistic"]) == (worst, best)
        assert worst - 1e-12 <= found["stable"] <= best + 1e-12


def test_stable_is_not_always_the_best_order():
    # the tied documents at ranks 1 and 4 do better the other way round
    grades = np.array([[1, 0, 2, 1, 3], [1, 1, 1, 1, 1]])
    stable = normalised_rank_error(grades, [0.5, 0.5])
    assert stable < normalised_rank_error(grades, [0.5, 0.5], ties="optimistic")


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("n", range(1, 12))
def test_largest_errors_are_equations_10_and_13(n, weights):
    assert largest_local_error(n, weights) == pytest.approx(plain_c_lre(n, *weights))
    assert largest_global_error(n, weights) == pytest.approx(plain_c_gre(n, *weights))


@pytest.mark.parametrize("n", range(2, 9))
def test_nothing_exceeds_the_largest_errors(n):
    """Of all n! ideal rankings.

    With e(i) and f(i) the errors by two criteria and w the discount, Σ w·e·f is at most the greater
    of Σ w·e² and Σ w·f² (Cauchy and Schwarz; with more criteria Hölder), so that it is enough that
    Σ w·eᵖ is greatest for the ranks n, 1, n − 1, …, for every power p up to the number of criteria.
    """
    errors = np.unique(rank_errors(np.array(list(permutations(range(1, n + 1))))), axis=0)
    discount = 1 / np.log2(1 + np.arange(1, n))
    zigzag = [n - place // 2 if place % 2 == 0 else place // 2 + 1 for place in range(n)]
    for power in (1, 2, 3, 4):
        largest = (discount * rank_errors(zigzag) ** power).sum()
        assert (errors**power @ discount).max() == pytest.approx(largest, rel=1e-12)


@pytest.mark.parametrize("n", range(2, 6))
@pytest.mark.parametrize("weights", WEIGHTS)
def test_nothing_of_two_criteria_exceeds_them(n, weights):
    errors = np.unique(rank_errors(np.array(list(permutations(range(1, n + 1))))), axis=0)
    both = errors[:, None], errors[None, :]
    both = np.broadcast_arrays(*both)
    for error, largest in [
        (local_rank_error, largest_local_error),
        (global_rank_error, largest_global_error),
    ]:
        assert error(both, weights).max() == pytest.approx(largest(n, weights))


@pytest.mark.parametrize("ties", ["competition", "average", "dense"])
@pytest.mark.parametrize("n", range(2, 8))
def test_nothing_exceeds_the_constant_of_a_rule_for_ties(n, ties):
    """Of all grades of n documents; for several criteria as in the test of all rankings."""
    grades = product(range(n), repeat=n) if n < 7 else product(range(4), repeat=n)
    ranks = {tuple(ideal_ranks(np.array(g), ties)) for g in grades}
    errors = np.unique(rank_errors(np.array(sorted(ranks))), axis=0)
    discount = 1 / np.log2(1 + np.arange(1, n))
    for power, weights in ((1, [1.0]), (2, [0.5, 0.5]), (3, [0.2, 0.3, 0.5])):
        largest = largest_local_error(n, weights, ties)
        found = local_rank_error([errors] * power, weights)
        assert found.max() <= largest + 1e-12
        if ties == "competition":
            assert found.max() == pytest.approx(largest, rel=1e-12)
            greatest = (discount * _largest_errors(n, ties) ** power).sum()
            assert (errors**power @ discount).max() == pytest.approx(greatest, rel=1e-12)


@pytest.mark.parametrize("kind", ["local", "global"])
def test_the_worst_competition_is_0_and_nothing_is_clipped(kind):
    worst, less = np.array([[0, 2, 1, 2]] * 2), np.array([[0, 2, 1, 1]] * 2)
    assert normalised_rank_error(worst, [0.5, 0.5], kind, "competition") == 0
    assert 0 < normalised_rank_error(less, [0.5, 0.5], kind, "competition") < 1


def test_three_criteria():
    errors = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    w = 1, 1 / math.log2(3)
    lre = w[0] * (2 * 2 * 4 - 6) + w[1] * (1 * 4 * 4 - 6)
    assert local_rank_error(errors, [1, 2, 3]) == pytest.approx(lre)
    gre = (1 + w[0]) * (1 + 2 * 2 * w[1]) * (1 + 3 * (w[0] + w[1])) - 1
    assert global_rank_error(errors, [1, 2, 3]) == pytest.approx(gre)
    grades = np.array([[3, 2, 1]] * 3)
    assert normalised_rank_error(grades, [1, 2, 3]) == 1
    worst = np.array([[0, 2, 1]] * 3)
    assert normalised_rank_error(worst, [1, 2, 3]) == 0
    assert normalised_rank_error(worst, [1, 2, 3], "global") == 0


@pytest.mark.parametrize("kind", ["local", "global"])
@pytest.mark.parametrize(("n", "value"), [(0, 0), (1, 1)])
def test_no_and_one_document(kind, n, value):
    for rule in ("stable", "competition", "optimistic", "pessimistic", "expected"):
        assert normalised_rank_error(np.ones((2, n)), [0.5, 0.5], kind, rule) == value


@pytest.mark.parametrize("weights", [[0, 0], [-1, 2], [1], [math.nan, 1], [math.inf, 1]])
def test_weights_that_cannot_be(weights):
    with pytest.raises(ParameterError, match="for 2 criteria: give each"):
        normalised_rank_error([[1, 2], [2, 1]], weights)


# NWCS, CAM, WHAM


def test_weighted_score_of_a_worked_ranking():
    grades = [[3, 1, 2], [1, 4, 0]]
    combined = [2, 2.5, 1]
    wcs = 2 + 2.5 / math.log2(3) + 1 / 2
    assert weighted_score(grades, [0.5, 0.5]) == pytest.approx(wcs)
    ideal = 2.5 + 2 / math.log2(3) + 1 / 2
    assert normalised_weighted_score(grades, [0.5, 0.5]) == pytest.approx(wcs / ideal)
    best = max(weighted_score([list(order)], [1]) for order in permutations(combined))
    assert best == pytest.approx(ideal)
    assert normalised_weighted_score(np.zeros((2, 3)), [0.5, 0.5]) == 0
    assert normalised_weighted_score(np.zeros((2, 0)), [0.5, 0.5]) == 0
    assert normalised_weighted_score([[0.2], [0.2]], [0.5, 0.5]) == 1


def test_means_of_measures():
    values = np.array([[0.5, 0.0, 1.0], [0.25, 0.5, 1.0]])
    assert convex_mean(values, [0.2, 0.8]) == pytest.approx([0.3, 0.4, 1])
    assert harmonic_mean(values, [0.2, 0.8]) == pytest.approx([1 / (0.4 + 3.2), 0, 1])
    assert harmonic_mean(values, [1, 0]).tolist() == [0.5, 0, 1]


def test_weights_of_sets():
    assert set_weights(1, 2, 3) == [1, 2, 2]
    assert set_weights(1, (2, 3), 3) == [1, 2, 3]
    assert set_shares(0.5, 3) == [0.5, 0.25, 0.25]
    assert set_shares((0.5, 0.2, 0.3), 3) == [0.5, 0.2, 0.3]
    assert set_shares((1.0, 0.0), 2) == [1.0, 0.0]
    with pytest.raises(ParameterError, match="nu has 3 numbers for 2 further criteria"):
        set_weights(1, (2, 3, 4), 3)
    with pytest.raises(ParameterError, match="share is"):
        set_shares((0.5, 0.6), 2)
    with pytest.raises(ParameterError, match="share is"):
        set_shares((1.5, -0.5), 2)
    with pytest.raises(ParameterError, match="for 1 criteria"):
        set_shares(0.5, 1)
    with pytest.raises(ParameterError, match="share is"):
        set_shares((0.5, 0.5), 3)
