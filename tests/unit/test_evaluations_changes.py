"""Whether pairs of systems change: against tests one by one, and worlds where nothing does."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control, skew, t, ttest_rel

from regrade.answers.changed import individual_changes, sampling_changes
from regrade.evaluations.pair_outcomes import (
    FLIPS,
    change_p,
    changes_table,
    flips_by_topics,
    pair_outcomes,
)
from regrade.significance.corrections import adjust
from regrade.significance.paired import paired_t
from tests.unit.test_evaluations import scored

RNG = np.random.default_rng(5)
FIRST = RNG.random((5, 30))
SECOND = FIRST + 0.3 * RNG.exponential(1, (5, 30)) + np.linspace(0, 0.4, 5)[:, None]
PAIRS = list(itertools.combinations(range(5), 2))


def test_the_change_itself_is_tested_pair_by_pair():
    p = []
    for a, b in PAIRS:
        change = (SECOND[a] - SECOND[b]) - (FIRST[a] - FIRST[b])
        student = ttest_rel(FIRST[a] - FIRST[b], SECOND[a] - SECOND[b]).pvalue
        one, by = change.mean() / change.std(ddof=1), skew(change, bias=False)
        hall = one + by * one**2 / 3 + by**2 * one**3 / 27 + by / (6 * 30)
        p.append(max(student, 2 * t.sf(abs(hall) * np.sqrt(30), 29)))
    assert change_p(FIRST, SECOND) == pytest.approx(false_discovery_control(p))
    pair = scored(FIRST, SECOND)
    found = pair_outcomes(pair.first, pair.second)
    assert found["change_p"].to_numpy() == pytest.approx(false_discovery_control(p))
    assert found[["system", "other"]].to_numpy().tolist() == [[f"s{a}", f"s{b}"] for a, b in PAIRS]


def test_a_shift_of_all_systems_changes_nothing_and_one_topic_says_nothing():
    assert np.isnan(change_p(FIRST, FIRST + 0.25)).all()
    assert np.isnan(change_p(FIRST[:, :1], SECOND[:, :1])).all()
    assert np.isnan(change_p(FIRST[:, :24], SECOND[:, :24])).all()
    assert np.isfinite(change_p(FIRST[:, :25], SECOND[:, :25])).all()
    assert len(change_p(FIRST[:1], SECOND[:1])) == 0


@pytest.mark.parametrize("correction", ["none", "bh"])
@pytest.mark.parametrize(("topics", "twin"), [(30, 0), (30, 0.5), (4, 0.5), (2, 0.5)])
def test_flips_between_two_draws_are_those_of_files_with_repeated_topics(correction, topics, twin):
    alike = FIRST[0] + np.where(np.arange(30) == 1, twin, 0)  # but for one topic, or none
    every = np.vstack([FIRST, alike])[:, :topics]
    found = flips_by_topics(every, 0.35, correction, seed=4, draws=25)
    from regrade.randomness import generator

    times = generator(4, "two draws of topics", f"{topics}")
    times = times.multinomial(topics, [1 / topics] * topics, (25, 2))
    for flips, both in zip(found, times, strict=True):
        sides = []
        for w in both:
            scores = np.repeat(every, w, axis=1)
            pairs = itertools.combinations(range(6), 2)
            differences = np.array([scores[a] - scores[b] for a, b in pairs])
            p = adjust(paired_t(differences)[1], correction)
            sides.append((p < 0.35, np.sign(np.round(differences.mean(axis=1), 12))))
        (one, d), (other, e) = sides
        assert flips == ((one != other) | (one & other & (d != e))).sum()
    assert found.sum() > 0


def changes(topics=30, significance=0.05):
    """The pairs on some of the topics, and what becomes of them."""
    pair = scored(FIRST[:, :topics], SECOND[:, :topics])
    pairs = pair_outcomes(pair.first, pair.second, significance=significance)
    table = changes_table(pairs, pair.systems(), pair.first, significance, "none", 3)
    return pairs, table.iloc[0]


def test_one_topic_and_one_system_have_no_flips():
    assert len(flips_by_topics(FIRST[:, :1], 0.05, "none", 1)) == 0
    assert len(flips_by_topics(FIRST[:1], 0.05, "none", 1)) == 0
    _, row = changes(topics=1)
    assert (row["pairs"], row["changed"]) == (10, 0)
    assert row[["significant_changes", "by_topics", "low", "high"]].isna().all()


def test_on_few_topics_it_is_said_that_no_change_is_tested():
    _, row = changes(topics=24)
    assert np.isnan(row["significant_changes"])
    said = "There are too few topics to test the changes of significance themselves."
    assert individual_changes(3, row["significant_changes"]) == said
    _, row = changes(topics=25)
    said = individual_changes(3, row["significant_changes"])
    some = f"{row['significant_changes']:.0f}" if row["significant_changes"] else "None"
    assert said.startswith(f"{some} of the 3 changes of significance ")
    assert individual_changes(0, row["significant_changes"]) == ""
    assert sampling_changes(row).startswith("; topic sampling alone would change ")


def test_the_table_counts_what_the_pairs_say():
    pairs, row = changes(significance=0.4)
    assert row["pairs"] == len(pairs)
    assert row["changed"] == pairs["change"].isin(FLIPS).sum() > 0
    flipped = pairs["change"].isin(FLIPS)
    assert row["significant_changes"] == (flipped & (pairs["change_p"] < 0.4)).sum() > 0
    assert row["significant_changes"] < (pairs["change_p"] < 0.4).sum()
    flips = flips_by_topics(FIRST, 0.4, "none", 3)
    assert row["by_topics"] == flips.mean()
    assert (row["low"], row["high"]) == pytest.approx(np.quantile(flips, [0.025, 0.975]))


def test_labels_that_change_no_system_are_rarely_told_to():
    """Noise on every score and no change of any mean: Benjamini and Hochberg's 5 % hold."""
    rng = np.random.default_rng(8)
    told = []
    for _ in range(300):
        first = rng.normal(size=(8, 1)) + rng.normal(size=(8, 25))
        p = change_p(first, first + 0.5 * rng.normal(size=(8, 25)))
        told.append((p < 0.05).any())
    assert np.mean(told) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)
    assert pd.Series(told).sum() > 0
