"""Differences of all pairs at once, sets of ranks, tiers: oracles are plain loops, R and scipy.

R's numbers are frozen in tests/reference/r: `ranking.R` made those of Tukey's test; those of sets
of ranks are what csranks says of the mathematics scores of 37 countries (PISA 2018).
"""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from regrade.randomness import generator
from regrade.ranking import draws
from regrade.ranking.draws import deviations, drawn_times
from regrade.ranking.pairs import SystemPairs, studentised_range_p
from regrade.ranking.systems import (
    SPLITS,
    held_out_best,
    rank_sets,
    shares_first,
    significantly_better,
    system_ends,
    tiers,
)
from regrade.sample_means import mean_interval

R = Path(__file__).parents[1] / "reference" / "r"


def made(systems=5, topics=12, seed=1, spread=0.1):
    rng = np.random.default_rng(seed)
    ability = np.sort(rng.normal(0.5, 0.1, systems))[::-1]
    return ability[:, None] + rng.normal(0, 0.1, topics) + rng.normal(0, spread, (systems, topics))


def plain_deviations(scores, times):
    """One draw, one pair, one topic at a time: (B, P), of the first beside the other."""
    found = []
    for row in times:
        places = [t for t, count in enumerate(row) for _ in range(int(count))]
        means, variances, apart = [], [], []
        for i, j in combinations(range(len(scores)), 2):
            d = [scores[i][t] - scores[j][t] for t in places]
            means.append(np.mean(d))
            variances.append(np.var(d, ddof=1))
            apart.append(np.mean(d) - np.mean(scores[i] - scores[j]))
        steady = np.mean(variances) / 2
        n = len(places)
        found.append(
            [a * np.sqrt(n) / np.sqrt(v + steady) for a, v in zip(apart, variances, strict=True)]
        )
    return np.array(found)


def plain_statistic(scores):
    """As of a draw that has each topic once, beside no difference at all."""
    d = np.array([scores[i] - scores[j] for i, j in combinations(range(len(scores)), 2)])
    variance = d.var(axis=1, ddof=1)
    return d.mean(axis=1) * np.sqrt(d.shape[1]) / np.sqrt(variance + variance.mean() / 2)


def deviations_of(scores, times, **how):
    return deviations(scores, times, plain_statistic(scores), **how)


@pytest.mark.parametrize("systems", [2, 3, 6])
def test_largest_deviations_are_those_of_one_pair_at_a_time(systems):
    scores, times = made(systems), drawn_times(12, 40, 3)
    largest = np.abs(plain_deviations(scores, times)).max(axis=1)
    assert deviations_of(scores, times).largest == pytest.approx(np.sort(largest))


def stepdown(statistic, drawn):
    """Romano and Wolf (2005), Algorithm 4.1: the largest first, beside those that are left."""
    p, left, least = np.empty(len(statistic)), list(range(len(statistic))), 0.0
    while left:
        one = max(left, key=lambda k: statistic[k])
        reached = (drawn[:, left].max(axis=1) >= statistic[one] * (1 - 1e-9)).sum()
        least = max(least, (reached + 1) / (len(drawn) + 1))
        p[one] = least
        left.remove(one)
    return p


@pytest.mark.parametrize(("systems", "seed"), [(2, 1), (3, 2), (6, 3), (9, 4)])
def test_p_of_pairs_is_romano_and_wolfs_stepdown(systems, seed):
    scores, times = made(systems, seed=seed), drawn_times(12, 60, seed)
    drawn, statistic = np.abs(plain_deviations(scores, times)), np.abs(plain_statistic(scores))
    want = stepdown(statistic, drawn)
    assert deviations_of(scores, times).p_pairs == pytest.approx(want)
    one_step = ((drawn.max(axis=1)[:, None] >= statistic).sum(axis=0) + 1) / 61
    assert (want <= one_step + 1e-12).all()
    assert (want < one_step).any() == (systems > 2)


@pytest.mark.parametrize(("systems", "seed"), [(2, 1), (3, 2), (6, 3), (9, 4)])
def test_p_of_the_best_is_beside_each_other_system_from_above(systems, seed):
    scores, times = made(systems, seed=seed), drawn_times(12, 60, seed)
    drawn, statistic = plain_deviations(scores, times), plain_statistic(scores)
    p = []
    for system in range(systems):
        own, over, under = [], [], []
        for k, (i, j) in enumerate(combinations(range(systems), 2)):
            if system in (i, j):  # how far the other lies above it
                sign = 1 if system == j else -1
                own.append(sign * statistic[k])
                over.append(sign * drawn[:, k])
                under.append(-sign * drawn[:, k])
        if max(own) <= 0:
            p.append(1.0)
        else:  # in either direction, whichever deviates as far more often
            counts = [(np.max(of, axis=0) >= max(own)).sum() for of in (over, under)]
            p.append((max(counts) + 1) / 61)
    of_pairs = stepdown(np.abs(statistic), np.abs(drawn))
    for k, (i, j) in enumerate(combinations(range(systems), 2)):
        worse = j if statistic[k] > 0 else i
        p[worse] = min(p[worse], of_pairs[k])
    assert deviations_of(scores, times).p_best == pytest.approx(p)
    assert p[int(scores.mean(axis=1).argmax())] == 1


@pytest.mark.parametrize("lower", [0.0, 0.1])
def test_what_ties_where_nothing_varies_is_not_told_apart(lower):
    """The same difference on every topic, or none: no draw deviates, and a tie is a tie."""
    scores = np.linspace(0.2, 0.8, 20) - np.array([[0.0], [0.0], [lower]])
    pairs = SystemPairs.of(scores, 500, 1)
    assert pairs.p_at_once[0] == 1
    assert (pairs.p_at_once[1:] == 1).all() == (lower == 0)
    p_best = pairs.every.deviations.p_best
    assert (p_best[:2] == 1).all()
    assert (p_best[2] <= 0.05) == (lower > 0)


def test_who_is_significantly_worse_than_another_is_not_the_best():
    scores = made(8, 30, seed=5)
    pairs = SystemPairs.of(scores, 500, 1)
    worse = significantly_better(pairs, 8).any(axis=0)
    assert 0 < worse.sum() < 8
    assert (pairs.every.deviations.p_best[worse] <= 0.05).all()


def test_the_best_system_is_in_its_set_in_95_of_100_samples():
    """Of systems that are all as good each is, of two as good both; those far off are not."""
    rng, held, sizes = np.random.default_rng(3), [], []
    for seed in range(300):
        scores = made(6, 25, seed=99) * 0 + rng.normal(0, 0.2, 25) + rng.normal(0, 0.15, (6, 25))
        scores[2:] -= np.array([[0.03], [0.06], [0.1], [0.5]])
        p = SystemPairs.of(scores, 300, seed).every.deviations.p_best
        held.append(p[:2] > 0.05)
        sizes.append((p > 0.05).sum())
        assert p[5] <= 0.05
    assert (np.mean(held, axis=0) >= 0.93).all()
    assert np.mean(sizes) < 5


def test_blocks_chunks_and_threads_change_nothing(monkeypatch):
    scores, times = made(9, 15), drawn_times(15, 300, 1)
    whole = deviations_of(scores, times)

    def check(other):
        for name in ("largest", "p_pairs", "p_best"):
            assert np.array_equal(getattr(other, name), getattr(whole, name))

    check(deviations_of(scores, times, threads=2))
    monkeypatch.setattr(draws, "HELD", 100)
    check(deviations_of(scores, times))


def test_draws_are_of_as_many_topics_and_those_of_the_seed():
    times = drawn_times(12, 50, 3)
    assert (times.sum(axis=1) == 12).all()
    assert np.array_equal(times, drawn_times(12, 50, 3))
    assert not np.array_equal(times, drawn_times(12, 50, 4))


def test_a_draw_without_the_only_topic_that_counts_deviates_endlessly():
    scores = np.full((3, 12), 0.5)
    scores[0, 4] = 1.0
    times = drawn_times(12, 200, 1)
    lacks = times[:, 4] == 0
    assert lacks.any()
    largest = deviations_of(scores, times).largest
    assert np.isinf(largest).sum() == lacks.sum()
    pairs = SystemPairs.of(scores, 1000, 1)
    assert np.isinf(pairs.critical)
    assert np.isnan(pairs.ends_at_once()).all()
    assert not pairs.significant_sign().any()


def test_pairs_are_what_scipy_says_of_each():
    scores = made()
    pairs = SystemPairs.of(scores, 2000, 1)
    low, high = pairs.ends
    for p, (i, j) in enumerate(combinations(range(5), 2)):
        found = stats.ttest_rel(scores[i], scores[j])
        d = scores[i] - scores[j]
        assert (pairs.first[p], pairs.second[p]) == (i, j)
        assert pairs.p[p] == pytest.approx(found.pvalue)
        assert (low[p], high[p]) == pytest.approx(tuple(mean_interval(d)))
        assert pairs.won[p] == (d > 0).mean()
        assert pairs.effect()[p] == pytest.approx(d.mean() / d.std(ddof=1))
    assert pairs.residual == pytest.approx(residual_mean_square(scores))


def test_topics_on_which_two_score_the_same_are_counted_apart():
    scores = np.array([[0.5, 0.5, 0.5, 0.9, 0.1], [0.5, 0.5, 0.2, 0.1, 0.4]])
    pairs = SystemPairs.of(scores, 100, 1)
    assert pairs.won.tolist() == [2 / 5]
    assert pairs.even == pytest.approx([2 / 5])
    same = SystemPairs.of(scores[[0, 0]], 100, 1)
    assert (same.won.tolist(), same.even.tolist()) == ([0], [1])


def test_one_topic_has_no_variance_two_have_and_neither_an_interval():
    for topics in (1, 2):
        scores = made(4, topics)
        pairs = SystemPairs.of(scores, 100, 1)
        d = scores[pairs.first] - scores[pairs.second]
        known = d.var(axis=1, ddof=1) if topics > 1 else np.full(6, np.nan)
        assert pairs.variance == pytest.approx(known, nan_ok=True)
        residual = residual_mean_square(scores) if topics > 1 else np.nan
        assert pairs.residual == pytest.approx(residual, nan_ok=True)
        for ends in (pairs.ends, pairs.ends_at_once()):
            assert ends.shape == (2, 6)
            assert np.isnan(ends).all()


def test_p_at_once_is_the_share_of_draws_that_deviate_as_far():
    scores = made(4, 12)
    pairs = SystemPairs.of(scores, 50, 1)
    drawn = np.abs(plain_deviations(scores, drawn_times(12, 50, 1)))
    own = []
    for i, j in combinations(range(4), 2):
        d = scores[i] - scores[j]
        own.append(abs(d.mean()) * np.sqrt(12 / (d.var(ddof=1) + residual_mean_square(scores))))
    assert pairs.p_at_once == pytest.approx(stepdown(own, drawn))
    assert 0.1 < pairs.p_at_once.max() < 1


def residual_mean_square(x):
    e = x - x.mean(0) - x.mean(1, keepdims=True) + x.mean()
    return (e**2).sum() / ((x.shape[0] - 1) * (x.shape[1] - 1))


def test_intervals_at_once_and_p_agree():
    for seed in range(5):
        pairs = SystemPairs.of(made(6, 20, seed), 1000, 1)
        low, high = pairs.ends_at_once()
        assert np.array_equal(pairs.significant_sign() != 0, pairs.p_at_once <= 0.05)
        # what the intervals, in one step, tell apart is told by the stepdown too
        one_step = (low > 0).astype(int) - (high < 0)
        assert np.array_equal(pairs.significant_sign()[one_step != 0], one_step[one_step != 0])
        half = pairs.critical * np.sqrt((pairs.variance + pairs.residual) / 20)
        assert high - low == pytest.approx(2 * half)


def test_two_systems_have_the_studentised_bootstrap():
    scores = made(2, 15)
    pairs = SystemPairs.of(scores, 4000, 1)
    d = scores[0] - scores[1]
    t = []
    for row in drawn_times(15, 4000, 1):
        drawn = np.repeat(d, row.astype(int))
        t.append(abs(drawn.mean() - d.mean()) / drawn.std(ddof=1))
    half = np.quantile(t, 0.95, method="higher") * d.std(ddof=1)
    assert pairs.ends_at_once()[:, 0] == pytest.approx([d.mean() - half, d.mean() + half])


def test_p_of_the_studentised_range_is_scipys():
    q = np.array([0, 0.01, 0.5, 1, 2, 3, 3.7, 4.4, 6, 9, 25])
    for k, freedom in ((2, 1), (2, 9), (3, 8), (5, 196), (63, 3224)):
        want = stats.studentized_range.sf(q, k, freedom)
        assert studentised_range_p(q, k, freedom) == pytest.approx(want, abs=1e-6)
    many = np.tile(q, 80)  # interpolated
    assert studentised_range_p(many, 63, 3224) == pytest.approx(np.tile(want, 80), abs=1e-6)


def test_tukeys_p_is_rs():
    data = pd.read_csv(R / "ranking-data.csv").pivot(
        index="system", columns="topic", values="value"
    )
    expected = pd.read_csv(R / "ranking-expected.csv").set_index("what").loc["p_tukey"]
    want = dict(zip(expected["name"], expected["value"], strict=True))
    pairs = SystemPairs.of(data.to_numpy(), 100, 1)
    found = pairs.p_tukey()
    for p, (i, j) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        assert found[p] == pytest.approx(want[f"{data.index[j]}-{data.index[i]}"], abs=1e-6)


def test_two_systems_have_students_p_by_tukeys_test():
    """scipy's tukey_hsd has no blocks: of one difference, q = √2 t."""
    scores = made(2, 15)
    pairs = SystemPairs.of(scores, 100, 1)
    assert pairs.p_tukey() == pytest.approx(pairs.p, abs=1e-6)


def test_tukeys_p_without_effects_of_topics_is_near_scipys():
    """With many topics whose effect is nil, scipy's test of groups says nearly the same."""
    rng = np.random.default_rng(5)
    scores = np.linspace(0, 0.05, 4)[:, None] + rng.normal(0, 0.3, (4, 2000))
    pairs = SystemPairs.of(scores, 100, 1)
    want = stats.tukey_hsd(*scores).pvalue[pairs.first, pairs.second]
    assert pairs.p_tukey() == pytest.approx(want, abs=0.03)


# --- ranks ---------------------------------------------------------------------------------------


def test_sets_of_ranks_are_those_of_csranks():
    table = pd.read_csv(R / "csranks-expected.csv")
    mean, error = table["mean"].to_numpy(), table["error"].to_numpy()
    i, j = np.triu_indices(len(mean), 1)
    width = np.hypot(error[i], error[j])
    drawn = np.random.default_rng(1).normal(0, error, (20_000, len(mean)))
    critical = np.quantile((np.abs(drawn[:, i] - drawn[:, j]) / width).max(axis=1), 0.95)
    sign = np.sign(mean[i] - mean[j]) * (np.abs(mean[i] - mean[j]) > critical * width)
    better = np.zeros((len(mean), len(mean)), dtype=bool)
    better[i, j], better[j, i] = sign > 0, sign < 0
    low, high = rank_sets(better)
    # a pair whose difference lies at the critical value is told apart by some draws only
    assert np.abs(low - table["rank_low"]).sum() + np.abs(high - table["rank_high"]).sum() <= 2


def test_who_is_significantly_better_is_what_pairs_say():
    pairs = SystemPairs.of(made(6, 20)[[3, 0, 5, 1, 4, 2]], 1000, 1)
    better = significantly_better(pairs, 6)
    is_sure = pairs.p_at_once <= 0.05
    for p, (i, j) in enumerate(combinations(range(6), 2)):
        first = pairs.difference[p] > 0
        assert (better[i, j], better[j, i]) == (is_sure[p] and first, is_sure[p] and not first)
    assert np.triu(better).any()
    assert np.tril(better).any()


def test_ranks_and_tiers_by_hand():
    better = np.zeros((5, 5), dtype=bool)
    better[0, [1, 3, 4]] = better[1, 4] = better[2, 4] = better[3, 4] = True
    low, high = rank_sets(better)
    assert low.tolist() == [1, 2, 1, 2, 5]
    assert high.tolist() == [2, 4, 4, 4, 5]
    # the second is significantly worse than the first, the third is not; the last is worse than any
    assert tiers(np.array([5.0, 4, 3, 2, 1]), better).tolist() == [1, 2, 1, 2, 3]


@settings(max_examples=50)
@given(st.integers(2, 8), st.integers(0, 10_000))
def test_sets_of_ranks_hold_the_rank_and_tiers_follow_means(systems, seed):
    scores = made(systems, 15, seed, 0.05)
    pairs = SystemPairs.of(scores, 300, 1)
    better = significantly_better(pairs, systems)
    assert not (better & better.T).any()
    low, high = rank_sets(better)
    rank = stats.rankdata(-scores.mean(axis=1), method="min")
    assert (low <= rank).all()
    assert (rank <= high).all()
    tier = tiers(scores.mean(axis=1), better)
    firsts = [scores.mean(axis=1)[tier == one].max() for one in range(1, tier.max() + 1)]
    assert firsts == sorted(firsts, reverse=True)
    for i in np.flatnonzero(tier > 1):
        leader = np.argmax(np.where(tier == tier[i] - 1, scores.mean(axis=1), -np.inf))
        assert better[leader, i]


def test_shares_of_draws_are_counted_one_by_one():
    scores = np.round(made(6, 12, spread=0.2), 1)
    times = drawn_times(12, 1500, 1)
    first, among = shares_first(
        scores.mean(axis=1), (times @ scores.T / 12) - scores.mean(axis=1), 3
    )
    plain, plain_among = np.zeros(6), np.zeros(6)
    for row in times:
        means = np.round([(row * of).sum() / 12 for of in scores], 9)
        best = means == means.max()
        plain += best / best.sum()
        plain_among += means >= np.sort(means)[-3]
    assert first == pytest.approx(plain / 1500)
    assert among == pytest.approx(plain_among / 1500)
    assert first.sum() == pytest.approx(1)


@pytest.mark.parametrize(("seed", "topics"), [(2, 13), (8, 13), (7, 10)])
def test_the_best_is_judged_by_topics_that_did_not_choose_it(seed, topics):
    scores = made(6, topics, seed=seed)
    rng = generator(7, "halves of topics", "best system", str(topics))
    half, had = topics // 2, {topic: [] for topic in range(topics)}
    for _ in range(SPLITS):
        order = rng.permutation(topics).tolist()
        for one, other in ((order[:half], order[half:]), (order[half:], order[:half])):
            means = [np.mean([of[t] for t in one]) for of in scores]
            for t in other:
                had[t].append(scores[means.index(max(means))][t])
    assert {len(values) for values in had.values()} == {SPLITS}
    values = np.array([np.mean(had[t]) for t in range(topics)])
    assert held_out_best(scores, 7) == pytest.approx(values)
    best = int(scores.mean(axis=1).argmax())
    own, elsewhere = mean_interval(scores[best]), mean_interval(values)
    assert elsewhere[0] != pytest.approx(own[0], abs=1e-3)  # halves choose others, too
    low, high = system_ends(scores, 7)
    assert low[best] == pytest.approx(elsewhere[0])
    assert high[best] == pytest.approx(max(own[1], elsewhere[1]))
    for other in set(range(6)) - {best}:
        assert [low[other], high[other]] == pytest.approx(mean_interval(scores[other]))


def test_one_system_is_not_chosen_and_few_topics_have_no_interval():
    scores = made(1, 12)
    assert system_ends(scores, 1)[:, 0] == pytest.approx(mean_interval(scores[0]))
    assert np.isnan(system_ends(made(3, 9), 1)).all()
    same = np.full((3, 12), 0.5)
    assert system_ends(same, 1).tolist() == [[0.5] * 3] * 2


def test_the_best_of_equal_systems_has_its_mean_in_the_interval():
    rng, held, by_itself = np.random.default_rng(1), 0, 0
    for sample in range(300):
        scores = rng.normal(0, 1, 25) + rng.normal(0, 1, (40, 25))
        best = int(scores.mean(axis=1).argmax())
        low, high = system_ends(scores, sample)[:, best]
        held += low <= 0 <= high
        own = mean_interval(scores[best])
        by_itself += own[0] <= 0 <= own[1]
    assert held >= 300 * 0.95 - 3 * (300 * 0.95 * 0.05) ** 0.5
    assert by_itself < 300 * 0.85
