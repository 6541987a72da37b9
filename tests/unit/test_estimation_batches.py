"""Labels of several batches: every course that small designs can take."""

import numpy as np
import pytest
from scipy import optimize

from regrade.errors import ParameterError
from regrade.estimation.batches import Counting
from regrade.estimation.inclusion import (
    draw_fixed_sample,
    in_each_topic,
    inclusion_probabilities,
    of_pairs,
)
from tests.reference import estimation as plain

PI = np.array([0.15, 0.4, 0.7, 1.0])
GRADES = np.array([0, 3, 1, 2])
W = np.array([1.0, 0.6, 0.5, 0.4])
AWAITED = np.array([0.5, 1.2, 0.3, 1.9])


def learned(chosen, size):
    """Probabilities of documents not chosen yet, by what the labels of the others are."""
    rest = [i for i in range(len(PI)) if i not in chosen]
    of_labels = 1 + sum(GRADES[i] * (i + 1) for i in chosen) % 4
    weights = {i: 1 + (of_labels * (i + 2)) % 3 for i in rest}
    total = sum(weights.values())
    return {i: min(1.0, size * weights[i] / total) for i in rest}


def courses(sizes, pi=None, chosen=(), depth=1):
    """Every course of batches: probabilities and choices of each, and how likely it is."""
    pi = dict(enumerate(PI)) if pi is None else pi
    for taken, probability in plain.samples(pi):
        if not sizes:
            yield [(pi, taken)], probability
            continue
        every = [*chosen, *taken]
        later = learned(every, sizes[0])
        for rest, more in courses(sizes[1:], later, every, depth + 1):
            yield [(pi, taken), *rest], probability * more


def arrays(course):
    inclusion, batch = np.full((len(course), len(PI)), np.nan), np.zeros(len(PI), int)
    for k, (pi, taken) in enumerate(course):
        inclusion[k, list(pi)] = list(pi.values())
        batch[list(taken)] = k + 1
    return inclusion, batch


def estimated(counting):
    """Of a sum, and its variance as its labels and as its probabilities tell."""
    off = W * (GRADES - AWAITED)
    value = W @ AWAITED + off @ (1 + counting.more)
    return value, counting.seen @ off**2, counting.spread @ off**2


@pytest.mark.parametrize("sizes", [(), (1.2,), (0.9, 0.8)])
def test_over_every_course_of_batches_sums_have_no_bias_and_the_stated_variance(sizes):
    mean = variance = seen = spread = total = 0.0
    for course, probability in courses(sizes):
        inclusion, batch = arrays(course)
        # how large later batches are has to be known, not how large they came out
        sized = np.array([PI.sum(), *sizes])
        value, own, awaited = estimated(Counting.of(inclusion, batch, sized))
        total += probability
        mean += probability * value
        variance += probability * (value - W @ GRADES) ** 2
        seen += probability * own
        spread += probability * awaited
    assert total == pytest.approx(1, abs=1e-12)
    assert mean == pytest.approx(W @ GRADES, abs=1e-12)
    assert seen == pytest.approx(variance, abs=1e-12)
    assert spread == pytest.approx(variance, abs=1e-12)


def test_labels_count_alike_where_batches_are_as_the_first():
    rng = np.random.default_rng(6)
    first, size = np.append(rng.uniform(0.05, 0.6, 40), 1.0), 9.0
    batch = np.where(rng.random(41) < first, 1, 0)
    factor = optimize.brentq(
        lambda x: (1 - first) @ np.minimum(x * first, 1) - size, 0, 1 / first.min(), xtol=1e-14
    )
    second = np.minimum(factor * first, 1)
    asked = np.flatnonzero(batch == 0)
    batch[asked[::2]] = 2
    inclusion = np.array([first, np.where(batch == 1, np.nan, second)])
    found = Counting.of(inclusion, batch, np.array([first.sum(), size]))
    pi = 1 - (1 - first) * (1 - second)
    np.testing.assert_allclose(found.inclusion, pi, atol=1e-12)
    np.testing.assert_allclose(1 + found.more, np.where(batch > 0, 1 / pi, 0), atol=1e-12)
    # the variance of both ways of the first batch, weighed, is that of one choice
    sizes, unknown = np.array([first.sum(), size]), np.full(41, np.nan)
    not_yet = Counting.of(np.array([first, second]), np.zeros(41, int), sizes)
    at_once = Counting.of(np.array([first, unknown]), np.ones(41, int), sizes)
    mean = (1 - first) * not_yet.spread + first * at_once.spread
    np.testing.assert_allclose(mean, (1 - pi) / pi, atol=1e-12)


def test_what_was_sure_to_be_chosen_counts_once():
    first = np.array([1.0, 0.5, 0.5, 0.1])
    # the second batch takes all that is left, if it is as the first
    inclusion = np.array([first, [np.nan, np.nan, 1.0, 1.0]])
    found = Counting.of(inclusion, np.array([1, 1, 2, 2]), np.array([2.1, 1.9]))
    np.testing.assert_allclose(found.inclusion, 1)
    for what in (found.more, found.spread, found.seen):
        np.testing.assert_allclose(what, 0, atol=1e-12)


def test_one_batch_counts_as_ever():
    pi = np.array([0.2, 0.5, 1.0, 0.4])
    found = Counting.once(pi, np.array([True, False, True, True]))
    np.testing.assert_allclose(found.inclusion, pi)
    np.testing.assert_allclose(1 + found.more, [5, 0, 1, 2.5])
    np.testing.assert_allclose(found.spread, (1 - pi) / pi)
    np.testing.assert_allclose(found.seen, [20, 0, 0, 0.6 / 0.16])


# --- as many as asked -----------------------------------------------------------------------------

UNEQUAL = np.array([0.3, 0.9, 0.25, 0.55, 0.6, 0.4])
TOPIC = np.array([0, 0, 0, 1, 1, 1])


def test_every_document_is_chosen_as_likely_as_said_and_numbers_are_fixed():
    exact = plain.pivotal(UNEQUAL, TOPIC)
    assert sum(exact.values()) == pytest.approx(1, abs=1e-12)
    singles = [sum(p for taken, p in exact.items() if i in taken) for i in range(6)]
    np.testing.assert_allclose(singles, UNEQUAL, atol=1e-12)
    rng, counts, draws = np.random.default_rng(1), {}, 20_000
    for _ in range(draws):
        taken = tuple(np.flatnonzero(draw_fixed_sample(UNEQUAL, TOPIC, rng)).tolist())
        counts[taken] = counts.get(taken, 0) + 1
    assert set(counts) <= set(exact)
    for taken, p in exact.items():
        of_topics = np.bincount(TOPIC[list(taken)], minlength=2)
        assert len(taken) == 3 and set(of_topics) <= {1, 2}
        assert abs(counts.get(taken, 0) / draws - p) < 4.5 * np.sqrt(p / draws)


def test_the_expected_variance_is_that_of_independent_choices():
    # labels that are off by independent amounts of mean 0 and standard deviations s
    exact = plain.pivotal(UNEQUAL, TOPIC)
    s = np.array([1.0, 0.3, 0.7, 0.2, 0.9, 0.5])
    variance = sum(
        p * sum(s[i] ** 2 * ((i in taken) / UNEQUAL[i] - 1) ** 2 for i in range(6))
        for taken, p in exact.items()
    )
    assert variance == pytest.approx(((1 - UNEQUAL) / UNEQUAL) @ s**2, abs=1e-12)


@pytest.mark.parametrize("total", [4, 4.5])
def test_many_documents_of_a_topic_are_as_many_as_asked(total):
    rng = np.random.default_rng(2)
    topic = np.repeat(np.arange(7), 40)
    pi = inclusion_probabilities(rng.gamma(0.5, size=280), 7 * total)
    sizes = np.bincount(topic, pi)
    for _ in range(20):
        chosen = draw_fixed_sample(pi, topic, rng)
        assert abs(chosen.sum() - 7 * total) < 1
        assert (np.abs(np.bincount(topic, chosen) - sizes) < 1).all()
        assert chosen[pi == 1].all()


# --- costs, topics ----------------------------------------------------------------------------


def test_costs_are_spent_where_they_tell_most():
    rng = np.random.default_rng(3)
    s, cost = rng.uniform(0.5, 3, 30), rng.uniform(0.5, 4, 30)
    pi = inclusion_probabilities(s, 12.0, cost)
    assert pi @ cost == pytest.approx(12)

    def variance(x):
        return (s**2) @ (1 / x - 1)

    # the least that any probabilities of the same costs have
    found = optimize.minimize(
        variance, np.full(30, 12 / cost.sum()), jac=lambda x: -(s**2) / x**2, method="SLSQP",
        bounds=[(1e-3, 1)] * 30, constraints={"type": "eq", "fun": lambda x: x @ cost - 12},
        options={"maxiter": 500, "ftol": 1e-13},
    )  # fmt: skip
    assert variance(pi) == pytest.approx(found.fun, rel=1e-6)
    np.testing.assert_allclose(inclusion_probabilities(s, 12.0, np.ones(30)),
                               inclusion_probabilities(s, 12.0))  # fmt: skip
    with pytest.raises(ParameterError, match="documents that cost"):
        inclusion_probabilities(s, cost.sum() + 1, cost)


def test_each_topic_has_the_same_budget_as_far_as_it_goes():
    topic = np.repeat([0, 1, 2], [3, 20, 20])
    s = np.random.default_rng(4).gamma(2, size=43)
    pi = in_each_topic(s, 15.0, topic)
    np.testing.assert_allclose(np.bincount(topic, pi), [3, 6, 6])
    np.testing.assert_allclose(pi[topic == 1], inclusion_probabilities(s[topic == 1], 6.0))
    np.testing.assert_allclose(in_each_topic(s, 43.0, topic), 1)
    cost = np.where(topic == 0, 10.0, 1.0)
    pi = in_each_topic(s, 30.0, topic, cost)
    np.testing.assert_allclose(np.bincount(topic, pi * cost), 10)


def test_aims_are_square_sums_of_differences():
    first, second = np.array([0, 0, 2]), np.array([1, 3, 3])
    x = np.random.default_rng(5).normal(size=(4, 6))
    moved = of_pairs(4, first, second) @ x
    np.testing.assert_allclose((moved**2).sum(axis=0), ((x[first] - x[second]) ** 2).sum(axis=0))
