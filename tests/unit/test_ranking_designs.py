"""Clusters, data sets, repeats and many items of a ranking: statsmodels, plain loops, edges."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from regrade.errors import MethodError
from regrade.item_scores.scores import ScoreDesign
from regrade.ranking import halves, moments, reliability
from regrade.ranking.answer import answer
from regrade.ranking.datasets import friedman_p
from regrade.ranking.draws import deviations, drawn_times, normal_deviations
from regrade.ranking.layout import Layout
from regrade.ranking.pairs import SystemPairs, mean_ends, pair_error
from regrade.ranking.rank_systems import RankingOptions, rank_systems
from regrade.ranking.repeats import Components, repeat_variance
from regrade.ranking.sample import Sample
from regrade.sample_means import difference_of_shares
from tests.each import each
from tests.reference.cluster_robust import mean_by_cluster
from tests.unit.test_ranking_rank_systems import check_written, scored, world

FEW = RankingOptions(draws=300, splits=20)


def design(values, clusters=None, datasets=None, repeats=None):
    names = () if datasets is None else tuple(f"d{i}" for i in range(max(datasets) + 1))
    return ScoreDesign(scored(values), clusters, datasets, names, repeats)


def ranked(given, how=FEW):
    return rank_systems(given.scores, how, design=given)


def facts_of(tables):
    return tables["facts"].set_index("quantity")["value"]


def in_clusters(items=90, clusters=30, seed=1):
    return np.append(
        np.arange(clusters), np.random.default_rng(seed).integers(0, clusters, items - clusters)
    )


# --- clusters -------------------------------------------------------------------------------------


def test_the_error_of_a_difference_is_that_of_regression_by_cluster():
    """Of statsmodels' OLS on a constant, with its correction for few clusters of equal size."""
    clusters, scores = np.repeat(np.arange(30), 3), world(3, 90)
    pairs = SystemPairs.of(Sample.of(scores, Layout.of(clusters, None)), 100, 1)
    for k, (i, j) in enumerate(combinations(range(3), 2)):
        d = scores[i] - scores[j]
        fit = sm.OLS(d, np.ones(90)).fit(
            cov_type="cluster", cov_kwds={"groups": clusters, "df_correction": True}, use_t=True
        )
        # its correction has (T − 1) / (T − 1) for a constant beside C / (C − 1)
        assert pairs.difference[k] == pytest.approx(fit.params[0])
        assert pairs.error[k] == pytest.approx(fit.bse[0])
        assert pairs.p[k] == pytest.approx(fit.pvalues[0])
        assert pairs.freedom[k] == 29


def pairs_of(pairs, k):
    return pairs.difference[k], pairs.error[k], pairs.freedom[k]


@pytest.mark.parametrize("many", [None, 20])
def test_clusters_of_unequal_size_have_bell_and_mccaffreys_error(many, monkeypatch):
    """By numpy's arrays, and by the kernel."""
    if many:
        monkeypatch.setattr(moments, "MANY", many)
    clusters, scores = in_clusters(), world(3, 90)
    sample = Sample.of(scores, Layout.of(clusters, None))
    pairs = SystemPairs.of(sample, 100, 1)
    for k, (i, j) in enumerate(combinations(range(3), 2)):
        want = mean_by_cluster(scores[i] - scores[j], clusters)
        assert pairs_of(pairs, k) == pytest.approx(want)
    variance, freedom = sample.variance(sample.values)
    for s in range(3):
        _, error, of = mean_by_cluster(scores[s], clusters)
        assert (np.sqrt(variance[s] / 30), freedom[s]) == pytest.approx((error, of))


@pytest.mark.parametrize("many", [None, 20])
def test_clusters_within_data_sets_have_each_data_sets_error(many, monkeypatch):
    if many:
        monkeypatch.setattr(moments, "MANY", many)
    clusters, scores = in_clusters(), world(3, 90)
    sets = clusters % 3
    pairs = SystemPairs.of(Sample.of(scores, Layout.of(clusters, sets)), 100, 1)
    for k, (i, j) in enumerate(combinations(range(3), 2)):
        d = scores[i] - scores[j]
        parts = [mean_by_cluster(d[sets == s], clusters[sets == s]) for s in range(3)]
        means, errors, freedoms = np.array(parts).T
        variances = errors**2 / 9
        total = variances.sum()
        want = means.mean(), np.sqrt(total), total**2 / (variances**2 / freedoms).sum()
        assert pairs_of(pairs, k) == pytest.approx(want)


def plain_ratio_deviations(scores, clusters, times):
    """One draw of clusters and one pair at a time: the mean over items is a ratio of sums."""
    names, (systems, _) = np.unique(clusters), scores.shape
    sizes = np.array([(clusters == c).sum() for c in names])
    found = []
    for row in times:
        apart, variances = [], []
        for i, j in combinations(range(systems), 2):
            d = scores[i] - scores[j]
            sums = np.array([d[clusters == c].sum() for c in names])
            drawn = (row @ sums) / (row @ sizes)
            about = sums - sizes * drawn
            # in units of the drawn mean size, which the deviation has too
            mean_size = row @ sizes / len(names)
            apart.append((drawn - d.mean()) * np.sqrt(len(names)))
            variances.append(row @ (about / mean_size) ** 2 / (len(names) - 1))
        steady = np.mean(variances) / 2
        found.append(np.array(apart) / np.sqrt(np.array(variances) + steady))
    return np.array(found)


def test_draws_of_clusters_are_of_ratios():
    clusters, scores = in_clusters(40, 12, seed=3), world(4, 40)
    sample, times = Sample.of(scores, Layout.of(clusters, None)), drawn_times(12, 40, 3)
    statistic = np.ones(6)
    found = deviations(sample.values, times, statistic, weights=sample.weights)
    plain = plain_ratio_deviations(scores, clusters, times)
    assert found.largest == pytest.approx(np.sort(np.abs(plain).max(axis=1)))
    sums = np.array([scores[:, clusters == c].sum(axis=1) for c in range(12)])
    sizes = np.bincount(clusters)
    drawn = (times @ sums) / (times @ sizes)[:, None] - scores.mean(axis=1)
    assert found.means == pytest.approx(drawn)


def test_clusters_of_one_item_change_nothing():
    values = world(11, 30)
    one, two = (
        ranked(design(values)),
        ranked(design(values, np.random.default_rng(1).permutation(30))),
    )
    alone = rank_systems(scored(values), FEW)
    for name, table in one.items():
        pd.testing.assert_frame_equal(table, two[name], check_exact=True)
        pd.testing.assert_frame_equal(table, alone[name], check_exact=True)


def test_clusters_of_equal_size_are_their_means():
    values, clusters = world(4, 60), np.repeat(np.arange(30), 2)
    tables = ranked(design(values, clusters))
    means = ranked(design(values.reshape(4, 30, 2).mean(axis=2)))
    columns = ["difference", "low", "high", "all_low", "all_high", "p", "p_adjusted", "detectable"]
    assert tables["pairs"][columns].to_numpy() == pytest.approx(means["pairs"][columns].to_numpy())
    assert facts_of(tables)["clusters"] == 30


def test_the_order_of_items_changes_nothing():
    values, clusters = world(5, 90), in_clusters()
    sets = clusters % 3
    order = np.random.default_rng(2).permutation(90)
    one = ranked(design(values, clusters, sets))
    two = ranked(design(values[:, order], clusters[order], sets[order]))
    for name in ("systems", "pairs", "datasets", "dataset_ranks"):
        pd.testing.assert_frame_equal(one[name], two[name], rtol=1e-9)


# --- data sets ------------------------------------------------------------------------------------


def test_means_over_data_sets_are_stratified():
    sizes, rng = (5, 12, 40), np.random.default_rng(1)
    sets = np.repeat(np.arange(3), sizes)
    scores = rng.normal(0, 0.1, (3, 57)) * (1 + sets)
    sample = Sample.of(scores, Layout.of(None, sets))
    pairs = SystemPairs.of(sample, 100, 1)
    for k, (i, j) in enumerate(combinations(range(3), 2)):
        parts = [(scores[i] - scores[j])[sets == s] for s in range(3)]
        variances = [part.var(ddof=1) / len(part) / 9 for part in parts]
        assert pairs.difference[k] == pytest.approx(np.mean([part.mean() for part in parts]))
        assert pairs.error[k] == pytest.approx(np.sqrt(sum(variances)))
        freedom = sum(variances) ** 2 / sum(
            v**2 / (len(part) - 1) for v, part in zip(variances, parts, strict=True)
        )
        assert pairs.freedom[k] == pytest.approx(freedom)
        p = 2 * stats.t.sf(abs(pairs.difference[k] / pairs.error[k]), freedom)
        assert pairs.p[k] == pytest.approx(p)


def test_data_sets_have_rankings_of_their_own_and_one_over_them():
    values = world(6, 60)
    sets = np.arange(60) % 3
    values[2, sets == 1] += 1.0
    tables = ranked(design(values, datasets=sets))
    of = tables["datasets"].astype({"system": str, "dataset": str})
    for s, name in enumerate(("d0", "d1", "d2")):
        own = rank_systems(scored(values[:, sets == s]), FEW)["systems"].astype({"system": str})
        rows = of[of["dataset"] == name].set_index("system").loc[own["system"]]
        assert rows["mean"].tolist() == pytest.approx(own["mean"].tolist())
        assert rows["rank"].tolist() == own["rank"].tolist()
        assert (rows["items"] == 20).all()
    over = tables["dataset_ranks"].astype({"system": str}).set_index("system")
    for system, rows in of.groupby("system"):
        assert over.loc[system, "mean"] == pytest.approx(rows["mean"].mean())
        assert over.loc[system, "mean_rank"] == pytest.approx(rows["rank"].mean())
    assert over.loc["s02", "rank"] == 1 < over.loc["s02", "rank_by_mean_rank"]
    assert over["low"].isna().all()  # three data sets are too few for a sample
    facts = facts_of(tables)
    assert facts["datasets"] == 3
    opposite = [
        (over["mean"][a] - over["mean"][b]) * (over["mean_rank"][b] - over["mean_rank"][a]) < -1e-9
        for a, b in combinations(over.index, 2)
    ]
    assert facts["pairs reordered by mean rank"] == sum(opposite) > 0
    ranks = np.array([rows["rank"] for _, rows in of.groupby("system")])
    assert facts["p of Friedman's test"] == pytest.approx(stats.friedmanchisquare(*ranks).pvalue)


def test_friedmans_test_counts_ties():
    ranks = np.array([[1.5, 1, 2], [1.5, 2, 1], [3, 3, 3], [4, 4, 4]])
    assert friedman_p(ranks) == pytest.approx(stats.friedmanchisquare(*ranks).pvalue)
    assert np.isnan(friedman_p(np.full((3, 4), 2.0)))
    assert np.isnan(friedman_p(np.ones((1, 4))))


def test_ten_data_sets_are_a_sample():
    sets = np.arange(60) % 12
    values = world(5, 60)
    over = ranked(design(values, datasets=sets))["dataset_ranks"]
    means = np.stack([values[:, sets == s].mean(axis=1) for s in range(12)], axis=1)
    alone = rank_systems(scored(means), FEW)["systems"]
    assert over["p_best"].tolist() == alone["p_best"].tolist()
    assert over["low"].notna().all()


# --- repeats --------------------------------------------------------------------------------------


def repeats_made(systems=4, items=30, repeats=3, seed=1, effect=0.1):
    rng = np.random.default_rng(seed)
    values = world(systems, items, seed=seed)[:, :, None]
    return values + rng.normal(0, effect, (systems, 1, repeats)) + rng.normal(
        0, 0.05, (systems, items, repeats)
    )  # fmt: skip


def test_variances_of_repeats_are_those_of_the_analysis_of_variance():
    values = repeats_made()
    found = repeat_variance(values, None)
    for s, own in enumerate(values):
        rows = [(t, r, own[t, r]) for t in range(30) for r in range(3)]
        frame = pd.DataFrame(rows, columns=["t", "r", "y"])
        table = anova_lm(ols("y ~ C(t) + C(r)", frame).fit())
        of_repeats, left, of_items = (
            table.loc[name, "mean_sq"] for name in ("C(r)", "Residual", "C(t)")
        )
        assert found.of_means[s] == pytest.approx(max(0, of_repeats - left) / 90)
        # the error of the mean over both samples: (MS(t) + MS(r) − MS(tr)) / (T R)
        sample = Sample(own.mean(axis=1)[None], own.mean(axis=1)[None], np.zeros(1, int), False,
                        repeat_variance(own[None], None))  # fmt: skip
        error = np.sqrt(sample.values.var(ddof=1) / 30 + sample.repeats.of_means[0])
        assert error**2 == pytest.approx((of_items + max(0, of_repeats - left)) / 90)


def test_components_with_repeats_are_those_of_a_nested_analysis_of_variance():
    values = repeats_made()
    S, T, R = values.shape
    rows = [(s, t, r, values[s, t, r]) for s, t, r in np.ndindex(values.shape)]
    frame = pd.DataFrame(rows, columns=["s", "t", "r", "y"])
    of_each = [
        anova_lm(ols("y ~ C(t) + C(r)", own).fit())["mean_sq"] for _, own in frame.groupby("s")
    ]
    within, left = (np.mean([of[name] for of in of_each]) for name in ("C(r)", "Residual"))
    means = frame.groupby(["s", "t"], as_index=False)["y"].mean()
    of_means = R * anova_lm(ols("y ~ C(s) + C(t)", means).fit())["mean_sq"]
    system, item, both = (of_means[name] for name in ("C(s)", "C(t)", "Residual"))
    repeats = repeat_variance(values, None)
    found = Components.of(reliability.components(values.mean(axis=2)), repeats)
    assert found.repeats_items == pytest.approx(left)
    assert found.repeats == pytest.approx((within - left) / T)
    assert found.systems_items == pytest.approx((both - left) / R)
    assert found.items == pytest.approx((item - both) / (S * R))
    assert found.systems == pytest.approx((system - both - within + left) / (T * R))


def test_tables_of_repeats():
    values = repeats_made()[:, :, None, :]
    given = design(values.mean(axis=3), repeats=values)
    tables = ranked(given)
    errors = tables["repeat_errors"].set_index(["items", "n_repeats"])
    of = dict(zip(tables["repeats"]["quantity"], tables["repeats"]["value"], strict=True))
    own = of["systems × items"] / 30 + of["repeats"] / 3 + of["repeats × items"] / 90
    assert errors.loc[(30, 3), "error_difference"] == pytest.approx(np.sqrt(2 * own))
    assert errors.loc[(30, 3), "error_mean"] == pytest.approx(np.sqrt(own + of["items"] / 30))
    without = ranked(design(values.mean(axis=3)))["pairs"]
    assert (
        tables["pairs"]["high"] - tables["pairs"]["low"] > without["high"] - without["low"]
    ).all()
    assert not len(tables["needed"]) and not len(tables["beside_best"])


def test_a_system_with_one_repeat_is_taken_as_it_is():
    values = repeats_made()[:, :, None, :]
    values[3, :, :, 1:] = np.nan
    values[2, 0, :, 2] = np.nan  # a repeat that lacks an item does not count
    given = design(np.nanmean(values, axis=3), repeats=values)
    found = repeat_variance(values[:, :, 0], None)
    assert found.count.tolist() == [3, 3, 2, 1]
    assert found.of_means[3] == 0
    said = answer(ranked(given), "item")
    assert any("1 system with one complete repeat is taken as fixed" in note for note in said.notes)
    values[:, :, :, 1:] = np.nan
    said = answer(ranked(design(values[..., 0], repeats=values)), "item")
    assert any("No system has two repeats" in note for note in said.notes)


# --- many items -----------------------------------------------------------------------------------


def test_moments_of_many_items_are_those_of_few(monkeypatch):
    sets = np.repeat(np.arange(2), (15, 25))
    scores = np.round(world(5, 40), 1)
    pairs = np.triu_indices(5, 1)
    for layout in (None, Layout.of(None, sets), Layout.of(in_clusters(40, 20), None)):
        sample = Sample.of(scores, layout)
        few = moments.moments(sample, *pairs)
        with monkeypatch.context() as patch:
            patch.setattr(moments, "MANY", 10)
            many = moments.moments(sample, *pairs, threads=2)
        for name in few.__dataclass_fields__:
            assert getattr(many, name) == pytest.approx(getattr(few, name), abs=1e-12), name


def test_normal_draws_have_the_covariance_of_means():
    scores = world(4, 500)
    d = np.array([scores[i] - scores[j] for i, j in combinations(range(4), 2)])
    variance = d.var(axis=1, ddof=1)
    found = normal_deviations(scores, variance, 40_000, 1, np.ones(6))
    assert np.cov(found.means.T) == pytest.approx(np.cov(scores) / 500, rel=0.05, abs=1e-6)
    statistic = np.abs(found.means[:, [0]] - found.means[:, [1]])
    assert (
        found.largest.max()
        >= statistic.max() * np.sqrt(500 / (variance[0] + variance.mean() / 2)) - 1e-9
    )


@pytest.mark.slow
@each(("skewed", "binary"))
def test_normal_draws_agree_with_the_bootstrap(kind):
    rng = np.random.default_rng(4)
    scores = (
        rng.exponential(1, (6, 2000)) if kind == "skewed" else (rng.random((6, 2000)) < 0.97) * 1.0
    )
    scores[0] += 0 if kind == "binary" else 0.08
    d = np.array([scores[i] - scores[j] for i, j in combinations(range(6), 2)])
    variance = d.var(axis=1, ddof=1)
    statistic = d.mean(axis=1) * np.sqrt(2000) / np.sqrt(variance + variance.mean() / 2)
    drawn = deviations(scores, drawn_times(2000, 20_000, 1), statistic)
    normal = normal_deviations(scores, variance, 20_000, 1, statistic)
    critical = [np.quantile(of.largest, 0.95) for of in (drawn, normal)]
    assert critical[0] == pytest.approx(critical[1], rel=0.02)
    error = np.sqrt(0.25 / 20_000)
    assert np.abs(drawn.p_pairs - normal.p_pairs).max() < 6 * error
    assert np.abs(drawn.p_best - normal.p_best).max() < 6 * error


def test_many_items_are_ranked_without_their_draws():
    rng = np.random.default_rng(1)
    values = rng.normal(0, 0.2, (11, 2500)) + 0.02 * np.arange(11)[::-1, None]
    tables = ranked(design(values))
    assert tables["systems"]["system"].iloc[0] == "s00"
    assert facts_of(tables)["significant by stepdown"] > 30
    assert "normal distribution" in answer(tables, "item").method
    with pytest.raises(MethodError, match="--test t"):
        ranked(
            design(np.tile(values, (1, 20))),
            RankingOptions(draws=100, splits=2, test="randomisation"),
        )


def test_halves_of_many_items_have_the_moments_of_halves(monkeypatch):
    scores = world(12, 60, step=0.02)
    for size in (10, 30):
        want = halves.tau_of_halves(scores, size, 3000, 1).mean()
        with monkeypatch.context() as patch:
            patch.setattr(halves, "MANY", 50)
            found = halves.tau_of_halves(scores, size, 3000, 1)
        assert found.mean() == pytest.approx(want, abs=0.02)


def test_components_without_each_topic_are_those_of_the_others():
    scores = world(5, 27)
    found = reliability.without_each(scores)
    for t in (0, 13, 26):
        want = reliability.components(np.delete(scores, t, axis=1))
        for some, value in want.items():
            assert found[some][t] == pytest.approx(value, rel=1e-9)


# --- 0/1 items ------------------------------------------------------------------------------------


def test_shares_have_clopper_and_pearsons_interval():
    values = np.array([[1.0] * 18 + [0.0] * 2, [1.0] * 20])
    sample = Sample.of(values)
    assert sample.is_binary and Sample.of(-values).is_binary and not Sample.of(values / 2).is_binary
    low, high = mean_ends(values, sample)
    exact = [stats.binomtest(k, 20).proportion_ci(method="exact") for k in (18, 20)]
    want = np.array([[one.low, one.high] for one in exact]).T
    assert np.stack([low, high]) == pytest.approx(want)
    assert low[1] < 0.9 and high[1] == 1
    # of which lower values are better
    assert mean_ends(-values, Sample.of(-values)) == pytest.approx(-want[::-1])


def test_differences_of_shares_are_bonett_and_prices():
    n, wins, losses = 40, 9, 3
    d = np.concatenate([np.ones(wins), -np.ones(losses), np.zeros(n - wins - losses)])
    error = d.std(ddof=1) / np.sqrt(n)
    low, high = difference_of_shares(d.mean()[None], np.array([12 / 40]), error[None], n, n - 1)[
        :, 0
    ]
    p12, p21 = (wins + 1) / (n + 2), (losses + 1) / (n + 2)
    half = stats.t.ppf(0.975, n - 1) * np.sqrt((p12 + p21 - (p12 - p21) ** 2) / (n + 2))
    assert (low, high) == pytest.approx((p12 - p21 - half, p12 - p21 + half))
    low, high = difference_of_shares(np.zeros(1), np.zeros(1), np.zeros(1), n, n - 1)[:, 0]
    assert low < 0 < high


@pytest.mark.parametrize(
    "kind", ["normal", "skewed", "0/1", "few 0/1", "clusters", "data sets", "repeats"]
)
def test_p_is_below_5_percent_where_the_interval_excludes_0(kind):
    rng, checked = np.random.default_rng(4), 0
    clusters, sets = in_clusters(60, 25), np.repeat(np.arange(3), 20)
    for _ in range(40):
        scores = rng.normal(np.linspace(0, 0.6, 6)[:, None], 1, (6, 60))
        if kind == "skewed":
            scores = np.exp(scores) * rng.choice([-1, 1], (6, 1)) * (rng.random((6, 60)) < 0.4)
        if "0/1" in kind:
            scores = (scores > (0.3 if kind == "0/1" else -2)) * 1.0
        layout = Layout.of(clusters if kind == "clusters" else None,
                           sets if kind == "data sets" else None)  # fmt: skip
        sample = Sample.of(scores, layout)
        if kind == "repeats":
            values = scores[:, :, None] + rng.normal(0, 0.3, (6, 1, 3)) + rng.normal(
                0, 0.3, (6, 60, 3))  # fmt: skip
            sample = replace(Sample.of(values.mean(axis=2)), repeats=repeat_variance(values, None))
        pairs = SystemPairs.of(sample, 100, 1)
        low, high = pairs.ends
        known = ~np.isnan(pairs.p_interval)
        assert ((pairs.p_interval < 0.05) == ((low > 0) | (high < 0)))[known].all()
        checked += (pairs.p_interval < 0.05).sum()
    assert checked > 5 or kind == "few 0/1"


# --- edges ----------------------------------------------------------------------------------------


EDGES = {
    "one cluster": design(world(3, 12), np.zeros(12, dtype=int)),
    "one item": design(world(3, 1)),
    "one item in a cluster": design(world(3, 1), np.zeros(1, int), np.zeros(1, int)),
    "one data set": design(world(3, 12), datasets=np.zeros(12, dtype=int)),
    "a data set with one item": design(world(3, 31), datasets=np.append(np.zeros(30, int), 1)),
    "each item a data set": design(world(3, 12), datasets=np.arange(12)),
    "one system": design(world(1, 30), in_clusters(30, 20), np.arange(30) % 2),
    "one repeat": design(world(3, 12), repeats=world(3, 12)[:, :, None, None]),
    "repeats that are the same": design(
        world(3, 12), repeats=np.repeat(world(3, 12)[:, :, None, None], 3, axis=3)
    ),
    "repeats of one item": design(
        repeats_made(3, 1).mean(axis=2), repeats=repeats_made(3, 1)[:, :, None, :]
    ),
    "all tied": design(np.full((3, 24), 0.5), np.repeat(np.arange(20), [1] * 19 + [5])),
    "all tied, repeats": design(np.ones((3, 24)), repeats=np.ones((3, 24, 1, 2))),
    "identical systems": design(world(1, 60)[[0, 0, 0]], in_clusters(60), np.arange(60) % 2),
}  # fmt: skip


@pytest.mark.parametrize("case", EDGES)
def test_edges_have_tables_and_an_answer(case, tmp_path):
    with np.errstate(all="ignore"):
        tables = ranked(EDGES[case])
    said = answer(tables, "item")
    assert said.verdict
    check_written(tables | {"answer": said.to_frame()}, tmp_path)
    systems = tables["systems"]
    assert np.isfinite(systems["mean"]).all()
    if "tied" in case or "identical" in case:
        assert (systems["rank"] == 1).all()
        assert (tables["pairs"]["p_adjusted"] > 0.05).all()
    if case in ("one data set", "one repeat"):
        assert "data set" not in said.method


def test_a_data_set_with_one_item_has_no_interval_over_data_sets():
    tables = ranked(EDGES["a data set with one item"])
    assert tables["systems"]["low"].isna().all()
    assert tables["pairs"][["low", "p", "p_adjusted"]].isna().all(axis=None)
    of = tables["datasets"].set_index("dataset")["low"]
    assert of["d0"].notna().all() and of["d1"].isna().all()
    assert any("one item" in note for note in answer(tables, "item").notes)


def test_the_error_of_pairs_has_the_variance_of_repeats():
    values = repeats_made()
    sample = Sample.of_design(
        values.mean(axis=2), None, design(values.mean(axis=2), repeats=values[:, :, None, :]), 0,
        np.arange(4),
    )  # fmt: skip
    first, second = np.triu_indices(4, 1)
    of = moments.moments(sample, first, second)
    error, freedom = pair_error(sample, of, first, second)
    extra = sample.repeats.of_means
    assert error**2 == pytest.approx(of.variance / 30 + extra[first] + extra[second])
    assert (freedom < 29).all() and (freedom >= 1).all()


@pytest.mark.parametrize("units", [(4, 9, 15), (6, 8, 11)])
@pytest.mark.parametrize("sizes", ["equal", "unequal"])
def test_draws_within_data_sets_are_studentised_by_stratum(units, sizes):
    """One draw and pair at a time, from the scores of items: means of data sets are ratios."""
    rng = np.random.default_rng(6)
    items = rng.integers(1, 5, sum(units)) if sizes == "unequal" else np.ones(sum(units), int)
    of_unit = np.repeat(np.arange(sum(units)), items)
    of_set = np.repeat(np.arange(3), units)
    scores = world(4, len(of_unit))
    sample = Sample.of(scores, Layout.of(of_unit, of_set[of_unit]))
    total = sum(units)
    times = drawn_times(total, 30, 2, units)
    assert all((times[:, of_set == s].sum(axis=1) == n).all() for s, n in enumerate(units))
    layout = sample.weights, sample.starts
    found = deviations(sample.values, times, np.ones(6), weights=layout[0], starts=layout[1])
    largest = []
    for row in times:
        apart, variances = [], []
        for i, j in combinations(range(4), 2):
            d, off, variance = scores[i] - scores[j], 0.0, 0.0
            for s, n in enumerate(units):
                own = np.flatnonzero(of_set == s)
                sums = np.array([d[of_unit == u].sum() for u in own])
                drawn, size = row[own] @ sums, row[own] @ items[own]
                about = (sums - items[own] * drawn / size) / (size / n)
                # the bootstrap of n units has (n − 1) / n of the variance of their mean
                mean = sums.sum() / items[own].sum()
                off += (drawn / size - mean) / 3 * np.sqrt(n / (n - 1))
                variance += row[own] @ about**2 / (n - 1) / n / 9 * n / (n - 1)
            apart.append(off * np.sqrt((total - 1) / total))
            variances.append(variance)
        width = np.array(variances) + np.mean(variances) / 2
        largest.append(np.max(np.abs(apart) / np.sqrt(width)))
    assert found.largest == pytest.approx(np.sort(largest))
