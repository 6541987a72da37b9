"""Strengths with a normal prior: against numerical integration, scipy, and each other."""

import itertools

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import optimize, special, stats
from scipy.integrate import dblquad

from regrade.choices import PAIR_POLICIES
from regrade.errors import MethodError
from regrade.preferences.next_pairs import values_by_strengths
from regrade.preferences.posterior import (
    LEAST_SPREAD,
    MOST_SPREAD,
    Posterior,
    answer_update,
    estimate_spread,
    expected_tau,
    expected_wins,
    find_mode,
    pair_variance,
    posterior,
    recorded,
    top_overlap,
    top_shares,
)

from .preferences_frames import preferences, wins


def answers(seed, n=7, pairs=15, most=3):
    rng = np.random.default_rng(seed)
    possible = np.array(list(itertools.combinations(range(n), 2)))
    first, second = possible[rng.permutation(len(possible))[:pairs]].T.copy()
    total = rng.integers(1, most + 1, pairs)
    won = rng.integers(0, 2 * total + 1) / 2
    return n, first, second, won, total - won


def loss(x, first, second, won, lost, spread):
    d = x[first] - x[second]
    return (x @ x) / (2 * spread**2) - won @ special.log_expit(d) - lost @ special.log_expit(-d)


# --- what was recorded ----------------------------------------------------------------------------


def test_answers_are_counted_by_pair_and_from_the_first_document():
    frame = preferences(("B", "A", -1), ("A", "B", -2), ("A", "B", 0), ("C", "A", 1))
    (topic,) = recorded(frame)
    assert topic.docnos == ("A", "B", "C")
    assert topic.first.tolist() == [0, 0]
    assert topic.second.tolist() == [1, 2]
    assert topic.answers.tolist() == [0, 0.5, 1, 1]
    assert topic.wins.tolist() == [1.5, 1]
    assert topic.losses.tolist() == [1.5, 0]
    assert (topic.n_documents, topic.n_pairs, topic.n_answers) == (3, 2, 4)


def test_topics_are_apart_and_the_order_of_rows_changes_nothing():
    frame = pd.concat([wins("AB", "BC", "CA", topic="2"), wins("AB", "BA", "XA", topic="10")])
    frame = frame.reset_index(drop=True)
    found = recorded(frame)
    again = recorded(frame.sample(frac=1, random_state=3).reset_index(drop=True))
    assert [topic.topic for topic in found] == ["10", "2"]
    assert found[0].docnos == ("A", "B", "X")
    for one, other in zip(found, again, strict=True):
        assert one.docnos == other.docnos
        for name in ("first", "second", "offsets", "answers"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_a_table_in_several_chunks_is_one_table():
    frame = wins("AB", "BC", "CA")
    chunks = [pa.Table.from_pandas(frame.iloc[i : i + 1], preserve_index=False) for i in range(3)]
    schema = chunks[0].schema
    found = recorded(pa.concat_tables([chunk.cast(schema) for chunk in chunks]))
    assert found[0].n_answers == 3


def test_answers_below_one_are_wins_in_part():
    (topic,) = recorded(preferences(*(("A", "B", strength) for strength in (-0.4, -1, -3, 0, 0.2))))
    assert topic.answers.tolist() == pytest.approx([0.4, 0.5, 0.7, 1, 1])


@pytest.mark.parametrize("strength", [np.nan, np.inf])
def test_a_strength_is_finite(strength):
    with pytest.raises(MethodError, match="topic 1: A and B with a strength of"):
        recorded(preferences(("A", "B", strength)))


def test_documents_are_two():
    with pytest.raises(MethodError, match="topic 1: A and A"):
        recorded(preferences(("A", "A", 1)))
    with pytest.raises(MethodError, match="no preference"):
        recorded(preferences())


# --- the distribution -----------------------------------------------------------------------------


@pytest.mark.parametrize("spread", [0.1, 1.0, 2.0, 15.0])
@pytest.mark.parametrize("seed", range(6))
def test_the_mode_is_the_optimisers(seed, spread):
    n, *rest = answers(seed)
    best = optimize.minimize(
        loss, np.zeros(n), args=(*rest, spread), method="BFGS", options={"gtol": 1e-10}
    )
    found = posterior(n, *rest, spread)
    np.testing.assert_allclose(found.mean, best.x, atol=1e-6 * spread)
    assert loss(found.mean, *rest, spread) <= best.fun + 1e-12


def test_where_one_begins_changes_nothing():
    n, *rest = answers(5)
    found = posterior(n, *rest, 2.0).mean
    x = np.random.default_rng(1).normal(0, 8, n)
    find_mode(x, tuple(rest), 2.0)
    np.testing.assert_allclose(x, found, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_covariance_is_the_inverse_of_the_curvature(seed):
    n, *rest = answers(seed)
    found = posterior(n, *rest, 1.5)
    step = 1e-4
    curvature = np.empty((n, n))
    for i, j in np.ndindex(n, n):
        a, b = step * np.eye(n)[i], step * np.eye(n)[j]
        signs = ((1, 1), (1, -1), (-1, 1), (-1, -1))
        values = [s * t * loss(found.mean + s * a + t * b, *rest, 1.5) for s, t in signs]
        curvature[i, j] = sum(values) / (4 * step**2)
    np.testing.assert_allclose(found.covariance @ curvature, np.eye(n), atol=1e-4)


def test_without_answers_nothing_is_known():
    found = posterior(3, *[np.array([], dtype=int)] * 2, *[np.array([])] * 2, 1.5)
    assert found.mean.tolist() == [0, 0, 0]
    np.testing.assert_allclose(found.covariance, 2.25 * np.eye(3))
    assert found.tau_expected() == 0


def test_one_document_has_no_order():
    empty = [np.array([], dtype=int)] * 2 + [np.array([])] * 2
    assert np.isnan(posterior(1, *empty).tau_expected())


def answered(before, i, j, answer):
    """The distribution after one answer more."""
    mean, covariance = before.mean.copy(), before.covariance.copy()
    answer_update(mean, covariance, i, j, answer)
    return Posterior(mean, covariance, before.spread)


@pytest.mark.parametrize("answer", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_an_answer_more_is_a_rank_one_update(seed, answer):
    n, *rest = answers(seed)
    before = posterior(n, *rest, 2.0)
    i, j = 2, 5
    after = answered(before, i, j, answer)
    a = np.zeros(n)
    a[i], a[j] = 1, -1
    p = special.expit(a @ before.mean)
    curvature = np.linalg.inv(before.covariance) + p * (1 - p) * np.outer(a, a)
    np.testing.assert_allclose(after.covariance, np.linalg.inv(curvature), atol=1e-12)
    # one Newton step from a mode, where only the new answer pulls
    step = np.linalg.solve(curvature, (answer - p) * a)
    np.testing.assert_allclose(after.mean, before.mean + step, atol=1e-12)


def test_newton_steps_by_answer_stay_near_the_mode():
    n, first, second, won, lost = answers(2, pairs=12, most=1)
    step = posterior(n, *[np.array([], dtype=int)] * 2, *[np.array([])] * 2, 0.3)
    for i, j, answer in zip(first, second, won, strict=True):
        step = answered(step, i, j, answer)
    exact = posterior(n, first, second, won, lost, 0.3)
    np.testing.assert_allclose(step.mean, exact.mean, atol=2e-3)
    np.testing.assert_allclose(step.covariance, exact.covariance, atol=2e-3)


def test_information_is_the_entropy_that_an_answer_takes():
    n, *rest = answers(4)
    before = posterior(n, *rest, 2.0)
    pairs = np.array(list(itertools.combinations(range(n), 2)))
    variances = np.array([pair_variance(before.covariance, *pair) for pair in pairs])
    shrunk = np.empty(len(pairs))
    policy = PAIR_POLICIES.index("information")
    values_by_strengths(shrunk, *pairs.T, before.mean, variances, np.ones(n), policy)
    found = np.log1p(shrunk) / 2
    for gain, (i, j) in zip(found, pairs, strict=True):
        after = answered(before, i, j, 1.0)
        entropies = [np.linalg.slogdet(one.covariance)[1] / 2 for one in (before, after)]
        assert gain == pytest.approx(entropies[0] - entropies[1], abs=1e-12)


def test_laplace_is_near_the_posterior_by_quadrature():
    # two documents: only x_0 − x_1 counts, with the prior N(0, 2 spread²)
    won, lost, spread = 7.0, 4.0, 1.0

    def density(x, y):
        return np.exp(-loss(np.array([x, y]), *arrays, spread))

    arrays = np.array([0]), np.array([1]), np.array([won]), np.array([lost])
    whole = dblquad(density, -6, 6, -6, 6)[0]
    above = dblquad(density, -6, 6, lambda y: y, lambda _: 6)[0] / whole
    found = posterior(2, *arrays, spread)
    # 2 P(right order) − 1
    assert found.tau_expected() == pytest.approx(2 * above - 1, abs=0.02)


def test_expected_tau_is_the_mean_over_drawn_strengths():
    n, *rest = answers(8)
    found = posterior(n, *rest, 1.0)
    rng = np.random.default_rng(1)
    drawn = rng.multivariate_normal(found.mean, found.covariance, 4000)
    taus = [stats.kendalltau(found.mean, x).statistic for x in drawn]
    assert found.tau_expected() == pytest.approx(np.mean(taus), abs=4 * np.std(taus) / 4000**0.5)


def test_names_of_documents_change_nothing():
    n, first, second, won, lost = answers(9)
    other = np.random.default_rng(2).permutation(n)
    one = posterior(n, first, second, won, lost, 2.0)
    two = posterior(n, other[first], other[second], won, lost, 2.0)
    np.testing.assert_allclose(two.mean[other], one.mean, atol=1e-10)
    np.testing.assert_allclose(two.covariance[np.ix_(other, other)], one.covariance, atol=1e-10)


# --- the spread -----------------------------------------------------------------------------------


def test_the_spread_is_found_again():
    rng = np.random.default_rng(6)
    n, topics = 30, []
    pairs = np.array(list(itertools.combinations(range(n), 2)))
    first, second = pairs.T
    for _ in range(12):
        x = rng.normal(0, 1.4, n)
        won = rng.binomial(4, special.expit(x[first] - x[second])).astype(float)
        topics.append((n, first, second, won, 4 - won))
    assert estimate_spread(topics) == pytest.approx(1.4, abs=0.15)
    assert estimate_spread(topics, start=0.2) == pytest.approx(estimate_spread(topics), rel=1e-3)


def plain_evidence(spread, topics):
    """Laplace's approximation of the log probability of answers, by scipy and dense matrices."""
    total = 0.0
    for n, first, second, won, lost in topics:

        def loss(x, first=first, second=second, won=won, lost=lost):
            d = x[first] - x[second]
            logs = won @ special.log_expit(d) + lost @ special.log_expit(-d)
            return x @ x / (2 * spread**2) - logs

        known = posterior(n, first, second, won, lost, spread)
        found = optimize.minimize(loss, known.mean, tol=1e-12)
        np.testing.assert_allclose(found.x, known.mean, atol=1e-4)
        d = known.mean[first] - known.mean[second]
        weight = (won + lost) * special.expit(d) * special.expit(-d)
        sides = np.zeros((len(first), n))
        sides[np.arange(len(first)), first] = 1
        sides[np.arange(len(first)), second] = -1
        curvature = sides.T @ (weight[:, None] * sides) + np.eye(n) / spread**2
        total -= found.fun + n * np.log(spread) + np.linalg.slogdet(curvature)[1] / 2
    return total


def test_the_spread_makes_the_answers_most_probable():
    rng = np.random.default_rng(3)
    pairs = np.array(list(itertools.combinations(range(6), 2)))
    topics = []
    for _ in range(4):
        x = rng.normal(0, 1.5, 6)
        won = rng.binomial(2, special.expit(x[pairs[:, 0]] - x[pairs[:, 1]])).astype(float)
        topics.append((6, *pairs.T, won, 2 - won))
    best = optimize.minimize_scalar(
        lambda log: -plain_evidence(np.exp(log), topics), bounds=(-2, 3), method="bounded"
    )
    assert estimate_spread(topics) == pytest.approx(np.exp(best.x), rel=1e-3)
    # topics that add nothing are no trouble
    nothing = np.empty(0, dtype=int), np.empty(0, dtype=int), np.empty(0), np.empty(0)
    assert estimate_spread([*topics, (1, *nothing)]) == pytest.approx(
        estimate_spread(topics), rel=1e-4
    )


def by_rounds(topics, spread=1.0):
    """spread² ← mean of E x² under the normal posteriors, again and again."""
    for _ in range(60):
        known = [posterior(*topic, spread) for topic in topics]
        squares = [one.mean**2 + np.diag(one.covariance) for one in known]
        spread = np.sqrt(np.concatenate(squares).mean())
    return spread


def test_few_answers_draw_the_spread_together_less_than_rounds_of_means_do():
    """With seven answers to each document."""
    rng = np.random.default_rng(8)
    pairs = np.array(list(itertools.combinations(range(30), 2)))
    topics = []
    for _ in range(120):
        first, second = pairs[rng.choice(len(pairs), 105, replace=False)].T
        x = rng.normal(0, 0.8, 30)
        won = (rng.random(105) < special.expit(x[first] - x[second])).astype(float)
        topics.append((30, first, second, won, 1 - won))
    assert estimate_spread(topics) == pytest.approx(0.8, rel=0.1)
    assert by_rounds(topics) < estimate_spread(topics) - 0.04


def test_a_spread_has_ends():
    first, second = np.array(list(itertools.combinations(range(6), 2))).T
    ones, none = np.full(len(first), 50.0), np.zeros(len(first))
    assert LEAST_SPREAD < estimate_spread([(6, first, second, ones, none)]) <= MOST_SPREAD
    assert estimate_spread([(6, first, second, ones, ones)]) < 0.1
    assert posterior(6, first, second, ones, ones, None).spread < 0.1


# --- what strengths say ---------------------------------------------------------------------------


def test_expected_wins_are_means_over_the_others():
    x = np.array([[0.3, -2.0, 1.0, 1.0], [900.0, -900.0, 0.0, 0.0]])
    found = expected_wins(x)
    for b, i in np.ndindex(x.shape):
        others = [special.expit(x[b, i] - x[b, j]) for j in range(4) if j != i]
        assert found[b, i] == pytest.approx(np.mean(others), abs=1e-12)
    assert expected_wins(np.array([[3.0]])).tolist() == [[0.5]]


def test_places_at_the_edge_are_shared():
    x = np.array([3.0, 1.0, 1.0, 1.0, 0.0])
    np.testing.assert_allclose(top_shares(x, 2), [1, 1 / 3, 1 / 3, 1 / 3, 0])
    assert top_shares(x, 5).tolist() == [1] * 5
    assert top_overlap(x, x, 1) == 1
    # over all orders of the three that tie
    orders = [{0, place} for place in (1, 2, 3)]
    other = np.array([0.0, 5, 4, 3, 2])
    mean = np.mean([len(order & {1, 2}) / 2 for order in orders])
    assert top_overlap(x, other, 2) == pytest.approx(mean)


def test_equal_strengths_have_no_expected_order():
    assert expected_tau(np.zeros(4), np.eye(4)) == 0
    assert expected_tau(np.array([1.0, 0.0]), np.zeros((2, 2))) == 1
