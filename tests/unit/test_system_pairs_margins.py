"""Margins, clusters, data sets and repeats: oracles are statsmodels, scipy and all sign flips."""

from itertools import product

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import integrate, stats
from statsmodels.stats.weightstats import ttost_paired

from regrade.errors import ParameterError
from regrade.item_scores.scores import ScoreDesign
from regrade.measures import parse_all
from regrade.sample_means import mean_interval
from regrade.scoring import Scores
from regrade.system_pairs.answer import answer
from regrade.system_pairs.item_groups import ItemGroups, MeanDifference, mean_difference
from regrade.system_pairs.margins import (
    RareDifferences,
    detectable_loss,
    equivalence_power,
    margin_test,
    one_sided_interval,
    p_above,
    p_below,
)
from regrade.system_pairs.paired_tests import PairOptions, compare_pair
from tests.reference.cluster_robust import mean_by_cluster
from tests.unit.carried import assert_carried


def scores_of(values):
    """Scores by one measure of (S, T) values."""
    values = np.asarray(values, float)[:, :, None]
    topics = tuple(f"q{i:04}" for i in range(values.shape[1]))
    measures = parse_all(["nDCG@10"])
    return Scores(tuple("abcdefgh"[: len(values)]), topics, measures, values, values * np.nan)


def row_of(values, design=None, **how):
    scores = scores_of(values)
    (row,) = compare_pair(scores, "a", "b", PairOptions(**how), design=design)["tests"].itertuples()
    return row


def answered(values, design=None, **how):
    scores = scores_of(values)
    tables = compare_pair(scores, "a", "b", PairOptions(**how), design=design)
    result = answer(tables)
    paths = {f"system-pairs/{name}": table for name, table in tables.items()}
    assert_carried(result, paths, *scores.systems, *map(str, scores.measures))
    return result


def drawn(items=40, shift=0.0, spread=0.1, seed=1):
    rng = np.random.default_rng(seed)
    low = rng.uniform(0.2, 0.8, items)
    off = rng.normal(0, spread, items)
    return np.stack([low + off + shift, low])


def alone(apart):
    return mean_difference(np.asarray(apart, float), ItemGroups.of(len(apart)))


# --- margins --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_tost_is_statsmodels_where_differences_are_not_skewed(seed):
    half = np.random.default_rng(seed).normal(0, 0.1, 20)
    apart = np.concatenate([half, -half]) + 0.01  # no skewness: Hall's correction is none
    low, high = (f(alone(apart), m) for f, m in ((p_above, -0.05), (p_below, 0.05)))
    p, below, above = ttost_paired(apart, np.zeros(40), -0.05, 0.05)
    # of no skewness Hall's t is t
    assert (low, high) == pytest.approx((below[1], above[1]))
    assert max(low, high) == pytest.approx(p)


@pytest.mark.parametrize("seed", range(3))
def test_p_is_never_below_students(seed):
    apart = np.random.default_rng(seed).exponential(0.1, 30) - 0.1
    p, _, _ = ttost_paired(apart, np.zeros(30), -0.06, 0.06)
    assert margin_test(alone(apart), 0.06, 0.05, None).p_equivalent >= p - 1e-12


@pytest.mark.parametrize("seed", range(8))
def test_equivalence_is_the_interval_within_the_margin(seed):
    rng = np.random.default_rng(seed)
    apart = rng.exponential(0.05, 30) - 0.05 + rng.normal(0, 0.03)
    low, high = one_sided_interval(alone(apart), 0.05)
    for margin in np.linspace(0.01, 0.08, 15):
        tested = margin_test(alone(apart), margin, 0.05, None)
        assert (tested.p_equivalent < 0.05) == (-margin < low and high < margin)
        assert (tested.p_noninferior < 0.05) == (low > -margin)


@pytest.mark.parametrize("seed", range(8))
def test_a_loss_and_a_gain_are_what_the_interval_excludes(seed):
    rng = np.random.default_rng(seed)
    apart = rng.exponential(0.05, 30) - 0.05
    for shift in np.linspace(-0.04, 0.04, 17):
        sample = alone(apart + shift)
        low, high = one_sided_interval(sample, 0.05)
        assert (p_below(sample, 0.0) < 0.05) == (high < 0)
        assert (p_above(sample, 0.0) < 0.05) == (low > 0)


def test_the_interval_is_that_of_means_at_another_confidence():
    apart = np.random.default_rng(1).exponential(0.1, 30)
    assert one_sided_interval(alone(apart), 0.025) == pytest.approx(mean_interval(apart))


def test_the_other_way_round_gains_are_losses():
    values = drawn(shift=0.02)
    one, other = row_of(values, margin=0.05), row_of(values[::-1], margin=0.05)
    assert (one.margin_from, one.margin_to) == pytest.approx((-other.margin_to, -other.margin_from))
    assert one.p_equivalent == pytest.approx(other.p_equivalent)
    assert one.p_loss_corrected == pytest.approx(other.p_gain_corrected)
    assert one.p_noninferior < other.p_noninferior


@pytest.mark.parametrize("items", [12, 40])
@pytest.mark.parametrize("margin", [0.03, 0.06])
def test_power_of_equivalence_is_an_integral_over_the_standard_deviation(items, margin):
    sample = MeanDifference(0.0, 0.02, items - 1.0, 0.0, items, items)
    df, critical = items - 1, stats.t.ppf(0.95, items - 1)

    def share(s2):
        room = margin / 0.02 - critical * np.sqrt(s2 / df)
        return (2 * stats.norm.cdf(room) - 1) * stats.chi2.pdf(s2, df) if room > 0 else 0.0

    want, _ = integrate.quad(share, 0, 10 * df, limit=500, points=[df])
    assert equivalence_power(sample, margin, 0.05) == pytest.approx(want, abs=2e-3)


def test_detectable_loss_has_power_80():
    sample = MeanDifference(0.0, 0.02, 24.0, 0.0, 25, 25)
    loss = detectable_loss(sample, 0.05)
    power = 1 - stats.nct.cdf(stats.t.ppf(0.95, 24), 24, loss / 0.02)
    assert power == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize(("losses", "gains"), [(0, 0), (1, 0), (0, 2), (2, 1)])
def test_few_differences_are_counted(losses, gains):
    items = 200
    values = np.full((2, items), 0.5)
    values[0, :losses] = 0.0
    values[0, losses : losses + gains] = 1.0
    row = row_of(values, margin=0.03)
    assert row.margin_exact
    assert row.p_noninferior == pytest.approx(stats.binom.cdf(losses, items, 0.03))
    assert row.p_equivalent == pytest.approx(stats.binom.cdf(max(losses, gains), items, 0.03))


def test_few_differences_of_scores_without_bounds_are_not_tested():
    values = np.full((2, 200), 5.0)
    values[0, 0] = 4.0
    row = row_of(values, margin=0.03)
    assert np.isnan([row.p_noninferior, row.p_equivalent, row.margin_from]).all()
    assert not row.margin_exact
    assert RareDifferences.of(np.zeros(3), ItemGroups.of(3), np.zeros(3), -np.ones(3)) is not None


def test_few_items_have_no_margin():
    assert np.isnan(row_of(drawn(items=9), margin=0.5).p_equivalent)
    assert row_of(drawn(items=10), margin=0.5).p_equivalent < 0.05


def test_without_a_margin_there_are_no_numbers_of_it():
    row = row_of(drawn())
    assert np.isnan([row.margin, row.p_noninferior, row.p_equivalent, row.power_equivalent]).all()
    assert row.p_loss == pytest.approx(stats.ttest_rel(*drawn(), alternative="less").pvalue)


def test_a_difference_that_does_not_vary_is_within_the_margin_or_not():
    values = drawn()
    values[0] = values[1] + 0.01
    for margin, p in ((0.02, 0.0), (0.01, 1.0), (0.005, 1.0)):
        assert row_of(values, margin=margin).p_equivalent == p


# --- sentences ------------------------------------------------------------------------------------


def test_equivalence_is_said_with_its_margin_and_test():
    result = answered(drawn(shift=0.002, spread=0.02), margin=0.02)
    assert "are equivalent within ±0.02 nDCG@10 (TOST, p " in result.verdict
    assert "90% CI" in result.facts[0]
    assert "two one-sided t-tests (TOST)" in result.method
    assert result.light == "fine"
    assert len(result.facts) <= 3


def test_a_significant_difference_may_be_within_the_margin():
    result = answered(drawn(shift=0.01, spread=0.01, items=60), margin=0.05)
    assert "significantly higher" in result.verdict
    assert result.facts[0].startswith("a and b are equivalent within ±0.05 nDCG@10")


def test_what_is_not_established_is_said_with_its_power():
    result = answered(drawn(spread=0.2), margin=0.01)
    assert result.facts[0].startswith("Neither equivalence within ±0.01 nDCG@10 (TOST, p = ")
    assert "if the true difference is 0" in result.facts[0]
    assert "as good as" not in str(result)


def test_non_inferiority_without_equivalence():
    result = answered(drawn(shift=0.05, spread=0.1), margin=0.03)
    assert "a is non-inferior to b by the margin 0.03 (one-sided, p " in result.facts[0]


@pytest.mark.parametrize("margin", [None, 0.02, 0.5])
@pytest.mark.parametrize("shift", [0, 0.01, 0.2])
def test_a_verdict_has_at_most_25_words(margin, shift):
    assert len(answered(drawn(shift=shift), margin=margin).verdict.split()) <= 25


# --- clusters -------------------------------------------------------------------------------------


def clustered(items=60, clusters=12, seed=1, systems=3):
    rng = np.random.default_rng(seed)
    of = np.sort(rng.integers(0, clusters, items))
    effect = rng.normal(0, 0.1, (systems, clusters))
    values = 0.5 + effect[:, of] + rng.normal(0, 0.05, (systems, items))
    return values, of


def design_of(values, **facets):
    return ScoreDesign(scores_of(values), **facets)


@pytest.mark.parametrize("seed", range(5))
def test_the_cluster_robust_t_test_is_statsmodels(seed):
    """Of clusters of equal size, which have its correction."""
    values, _ = clustered(seed=seed)
    of = np.repeat(np.arange(12), 5)
    row = row_of(values, design_of(values, clusters=of * 7 + 3))
    fit = sm.OLS(values[0] - values[1], np.ones(60)).fit(
        cov_type="cluster", cov_kwds={"groups": of, "use_correction": True}, use_t=True
    )
    assert (row.t, row.df) == pytest.approx((fit.tvalues[0], 11))
    assert row.p_t == pytest.approx(fit.pvalues[0])
    assert [row.low, row.high] == pytest.approx(fit.conf_int()[0])


@pytest.mark.parametrize("seed", range(5))
def test_clusters_of_unequal_size_have_bell_and_mccaffreys_t_test(seed):
    values, of = clustered(seed=seed)
    row = row_of(values, design_of(values, clusters=of * 7 + 3))
    value, error, freedom = mean_by_cluster(values[0] - values[1], of)
    assert (row.t, row.df) == pytest.approx((value / error, freedom))
    assert row.p_t == pytest.approx(2 * stats.t.sf(abs(value / error), freedom))
    half = stats.t.ppf(0.975, freedom) * error
    assert [row.low, row.high] == pytest.approx([value - half, value + half])
    assert (row.better, row.worse) == (
        (values[0] > values[1]).sum(),
        (values[0] < values[1]).sum(),
    )
    assert row.effect == pytest.approx(row.difference / (values[0] - values[1]).std(ddof=1))


def test_clusters_of_one_item_are_items():
    values, _ = clustered()
    plain, alone_each = row_of(values), row_of(values, design_of(values, clusters=np.arange(60)))
    assert plain[5:] == pytest.approx(alone_each[5:], nan_ok=True)


@pytest.mark.parametrize("seed", range(3))
def test_wilcoxon_and_randomisation_flip_whole_clusters(seed):
    values, of = clustered(items=30, clusters=8, seed=seed)
    values = values.round(1)  # ties
    row = row_of(values, design_of(values, clusters=of))
    apart = values[0] - values[1]
    ranks = np.zeros(30)
    moved = np.abs(apart) > 1e-12
    ranks[moved] = stats.rankdata(np.abs(apart[moved]).round(9)) * np.sign(apart[moved])
    names = np.unique(of)
    flips = [dict(zip(names, signs, strict=True)) for signs in product((1, -1), repeat=len(names))]
    for parts, p in ((apart, row.p_randomisation), (ranks, row.p_wilcoxon)):
        drawn_sums = [
            sum(one[c] * part for c, part in zip(of, parts, strict=True)) for one in flips
        ]
        want = np.mean(np.abs(drawn_sums) >= abs(parts.sum()) - 1e-9)
        assert p == pytest.approx(want)
    assert row.exact


def test_many_clusters_are_normal_for_wilcoxon():
    values, of = clustered(items=400, clusters=100)
    row = row_of(values, design_of(values, clusters=of), permutations=20_000)
    apart = values[0] - values[1]
    sums = np.bincount(of, np.sign(apart) * stats.rankdata(np.abs(apart)))
    signs = np.random.default_rng(1).choice([-1, 1], (20_000, len(sums)))
    want = (np.abs(signs @ sums) >= abs(sums.sum())).mean()
    assert row.p_wilcoxon == pytest.approx(want, abs=0.02)


@pytest.mark.parametrize("test", ["t", "wilcoxon", "randomisation", "tukey_hsd"])
def test_correction_is_over_all_pairs_of_clusters(test):
    values, of = clustered(systems=4)
    design = design_of(values, clusters=of)
    rows = {}
    for a, b in (("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")):
        how = PairOptions(test=test, correction="bonferroni")
        (row,) = compare_pair(scores_of(values), a, b, how, design=design)["tests"].itertuples()
        rows[a, b] = row
        assert row.p_corrected == pytest.approx(min(1, 6 * row.p))
    assert rows["a", "b"].p != rows["c", "d"].p


@pytest.mark.parametrize("test", ["sign", "bootstrap"])
def test_other_tests_take_no_clusters(test):
    values, of = clustered()
    with pytest.raises(ParameterError, match="clusters or of several data sets are tested by t,"):
        row_of(values, design_of(values, clusters=of), test=test)


def test_clusters_are_said():
    values, of = clustered()
    result = answered(values, design_of(values, clusters=of), margin=0.2)
    assert "60 topics in 12 clusters" in result.rows.title
    assert "cluster-robust paired t-test (df = 8.543)" in result.method
    assert "both flip whole clusters" in result.method


def test_one_cluster_has_no_test():
    values, _ = clustered()
    row = row_of(values, design_of(values, clusters=np.zeros(60, int)))
    assert np.isnan([row.p, row.t, row.low, row.p_loss]).all()


# --- data sets ------------------------------------------------------------------------------------


def test_data_sets_count_the_same_and_are_strata():
    values, _ = clustered(items=60)
    sets = np.repeat([0, 1, 2], [10, 20, 30])
    row = row_of(values, design_of(values, datasets=sets, dataset_names=("x", "y", "z")))
    apart = values[0] - values[1]
    parts = [apart[sets == k] for k in range(3)]
    variances = [part.var(ddof=1) / len(part) for part in parts]
    assert row.difference == pytest.approx(np.mean([part.mean() for part in parts]))
    assert row.t == pytest.approx(row.difference / np.sqrt(sum(variances) / 9))
    of = [v**2 / (len(part) - 1) for v, part in zip(variances, parts, strict=True)]
    assert row.df == pytest.approx(sum(variances) ** 2 / sum(of))
    assert row.first_mean - row.second_mean == pytest.approx(row.difference)


def test_two_data_sets_of_one_size_are_welchs_test():
    """The sum of two means is the difference of one and the other with its sign turned."""
    values, _ = clustered(items=40)
    sets = np.repeat([0, 1], [20, 20])
    row = row_of(values, design_of(values, datasets=sets, dataset_names=("x", "y")))
    apart = values[0] - values[1]
    want = stats.ttest_ind(apart[:20], -apart[20:], equal_var=False)
    assert (row.t, row.df, row.p_t) == pytest.approx((want.statistic, want.df, want.pvalue))


def test_a_data_set_of_one_item_has_no_test():
    values, _ = clustered()
    sets = np.append(np.zeros(59, int), 1)
    row = row_of(values, design_of(values, datasets=sets, dataset_names=("x", "y")))
    assert np.isnan([row.p_t, row.low]).all()
    assert np.isfinite(row.difference)


# --- repeats --------------------------------------------------------------------------------------


def repeated(items=50, repeats=4, seed_effect=0.05, seed=1):
    rng = np.random.default_rng(seed)
    base = rng.normal(0.5, 0.1, items)
    of_seed = rng.normal(0, seed_effect, (2, 1, repeats))
    values = base[:, None] + of_seed + rng.normal(0, 0.05, (2, items, repeats))
    return values.mean(axis=2), values[:, :, None, :]


def test_repeats_add_their_variance():
    means, values = repeated()
    row = row_of(means, design_of(means, repeats=values))
    apart = means[0] - means[1]
    variance = apart.var(ddof=1) / 50
    for own in values[:, :, 0]:
        of_means = own.mean(axis=0)
        left = own - own.mean(axis=1, keepdims=True) - of_means + own.mean()
        mean_square = (left**2).sum() / (49 * 3)  # of items × repeats
        variance += max(0.0, of_means.var(ddof=1) - mean_square / 50) / 4
    assert row.t == pytest.approx(apart.mean() / np.sqrt(variance))
    assert row.df < 49


def test_repeats_without_effects_hardly_change_the_interval():
    means, values = repeated(seed_effect=0.0, seed=3)
    with_them, without = row_of(means, design_of(means, repeats=values)), row_of(means)
    assert with_them.high - with_them.low == pytest.approx(without.high - without.low, rel=0.4)


def test_repeats_of_one_system_are_a_note():
    means, values = repeated()
    values[1, :, :, 1:] = np.nan
    result = answered(means, design_of(means, repeats=values))
    assert "One system has no repeats" in result.notes[-1]
    result = answered(means, design_of(means, repeats=repeated()[1]))
    assert "over topics and repeats (4 of the first system, 4 of the second)" in result.notes[-1]
