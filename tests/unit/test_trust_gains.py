"""What a chosen cut gains on topics that did not choose it: plain loops, noise, planted gains."""

import numpy as np
import pytest
from scipy.stats import t as student

from regrade.aggregation import enumerate_cuts
from regrade.randomness import generator
from regrade.trust.gains import gains_table, of_labels_worth_something

PLACES = enumerate_cuts(12, 3).astype(np.int64)
FIXED = 20


def gains(criterion, **how):
    found = gains_table(PLACES, criterion, 0.9, {"fixed": FIXED}, **how)
    assert found["against"].isna().tolist() == [True, False]
    return found.iloc[0], found.iloc[1]


def noise(topics, seed, spread=0.1):
    return np.random.default_rng(seed).normal(0, spread, (len(PLACES), topics))


def student_ends(values):
    half = student.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    return values.mean() - half, values.mean() + half


def test_against_plain_loops():
    criterion = noise(13, 1)
    whole, gain = gains(criterion, splits=4, seed=7)
    rng, of_topic = generator(7, "halves of topics", "13"), {t: [] for t in range(13)}
    for _ in range(4):
        order = rng.permutation(13)
        for one, other in ((order[:6], order[6:]), (order[6:], order[:6])):
            best = max(range(len(PLACES)), key=lambda c, one=one: criterion[c, one].mean())
            for t in other:
                of_topic[t].append(criterion[best, t] - criterion[FIXED, t])
    held_out = np.array([np.mean(values) for values in of_topic.values()])
    best = criterion.mean(axis=1).argmax()
    inside = criterion[best] - criterion[FIXED]
    assert gain["held_out"] == pytest.approx(held_out.mean())
    assert gain["in_sample"] == pytest.approx(inside.mean())
    assert gain["low"] == pytest.approx(student_ends(held_out)[0])
    assert gain["high"] == pytest.approx(max(student_ends(held_out)[1], student_ends(inside)[1]))
    assert whole["in_sample"] == pytest.approx(criterion[best].mean())
    assert (whole["n_topics"], gain["n_topics"]) == (13, 13)


@pytest.mark.parametrize("best", [0, 33])
def test_a_cut_that_every_half_chooses_has_students_interval(best):
    criterion = noise(20, 2)
    criterion[best] += 1
    _, gain = gains(criterion)
    inside = criterion[best] - criterion[FIXED]
    assert gain["held_out"] == pytest.approx(gain["in_sample"]) == pytest.approx(inside.mean())
    assert (gain["low"], gain["high"]) == pytest.approx(student_ends(inside))


@pytest.mark.parametrize("topics", [25, 50])
def test_noise_gains_where_it_was_chosen_and_nowhere_else(topics):
    n = 200
    found = [gains(noise(topics, 100 + seed), splits=5, seed=seed)[1] for seed in range(n)]
    assert np.mean([row["in_sample"] for row in found]) > 0.03
    assert abs(np.mean([row["held_out"] for row in found])) < 0.01
    says_gain = np.mean([row["low"] > 0 for row in found])
    assert says_gain < 0.05 + 3 * np.sqrt(0.05 * 0.95 / n)


@pytest.mark.parametrize("low", [-1, -0.01])
def test_labels_that_are_worth_nothing_gain_nothing(low):
    criterion = noise(20, 2)
    criterion[33] += 1
    found = gains_table(PLACES, criterion, 0.9, {"fixed": FIXED})
    assert of_labels_worth_something(found).equals(found)
    lower = criterion - found["low"].iloc[0] + low
    worthless = of_labels_worth_something(gains_table(PLACES, lower, 0.9, {"fixed": FIXED}))
    assert worthless["low"].iloc[0] == pytest.approx(low)
    assert worthless["low"].notna().tolist() == [True, False]
    assert worthless["high"].notna().tolist() == [True, False]
    assert worthless["held_out"].iloc[1] == pytest.approx(found["held_out"].iloc[1])


@pytest.mark.parametrize("topics", [1, 2, 9])
def test_few_topics_have_no_interval(topics):
    whole, gain = gains(noise(topics, 3))
    assert np.isnan([gain["low"], gain["high"]]).all()
    assert np.isnan(whole["held_out"]) == (topics == 1)
    assert np.isfinite(whole["in_sample"])


def test_undefined_topics_do_not_count():
    criterion = noise(14, 4)
    criterion[:, 3] = np.nan
    criterion[FIXED, 5] = np.nan
    whole, gain = gains(criterion)
    assert (whole["n_topics"], gain["n_topics"]) == (13, 12)
    nothing = gains(np.full((len(PLACES), 12), np.nan))[0]
    assert nothing["n_topics"] == 0
    assert np.isnan(nothing[["in_sample", "held_out", "low", "high"]].astype(float)).all()
