"""Tests of all pairs of systems against scipy and statsmodels, enumeration, and TREC-8."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.descriptivestats import sign_test
from statsmodels.stats.multitest import multipletests

from regrade.choices import CORRECTIONS, PAIR_TESTS
from regrade.errors import MethodError, ParameterError
from regrade.measures import parse_all
from regrade.randomness import generator
from regrade.scoring import Scores
from regrade.significance import discrimination, paired
from regrade.significance.corrections import adjust
from regrade.significance.discrimination import (
    ACROSS_GROUPS,
    ALL_PAIRS,
    CHUNK,
    across_groups,
    agreement_with_baseline,
    bootstrap,
    compare_depths,
    compare_systems,
    compare_under,
    discrimination_ratios,
    p_trends,
    paired_t,
    randomisation,
    ratios_by_pairs,
    sign,
    significance_curve,
    trend_counts,
    tukey_hsd,
    wilcoxon,
)
from tests.each import others_slow
from tests.unit.trec8_depths import trec8_depth_scores


def random_scores(seed, systems=7, topics=20, levels=None):
    """Scores in 0 … 1; with `levels`, on so many values, so that topics tie."""
    scores = np.random.default_rng(seed).beta(1, 3, (systems, topics))
    return scores if levels is None else np.round(scores * levels) / 64


def all_pairs(scores):
    return list(itertools.combinations(scores, 2))


def names(count, prefix):
    return tuple(f"{prefix}{i:02d}" for i in range(count))


def as_scores(values, measures=("AP",)):
    values = np.asarray(values, dtype=np.float64)
    values = values if values.ndim == 3 else values[:, :, None]
    systems, topics, _ = values.shape
    return Scores(
        names(systems, "s"),
        names(topics, "t"),
        parse_all(measures),
        values,
        np.full_like(values, np.nan),
    )


# --- the paired t-test -------------------------------------------------------------------------


@pytest.mark.parametrize("topics", [2, 3, 50, 249])
def test_t_is_scipys(topics):
    scores = random_scores(topics, topics=topics)
    expected = [stats.ttest_rel(x, y) for x, y in all_pairs(scores)]
    tested = paired_t(scores)
    np.testing.assert_allclose(tested.statistic, [e.statistic for e in expected], rtol=1e-12)
    np.testing.assert_allclose(tested.p, [e.pvalue for e in expected], rtol=1e-12)
    np.testing.assert_allclose(
        tested.difference, [np.mean(x) - np.mean(y) for x, y in all_pairs(scores)], atol=1e-15
    )
    assert [*zip(tested.first, tested.second, strict=True)] == [
        *itertools.combinations(range(len(scores)), 2)
    ]


def test_pairs_tested_some_at_a_time_are_those_tested_at_once():
    scores = random_scores(4, systems=60)
    assert CHUNK < 60 * 59 / 2
    first, second = np.triu_indices(60, 1)
    t, p = paired.paired_t(scores[first] - scores[second])
    tested = paired_t(scores)
    np.testing.assert_array_equal(tested.statistic, t)
    np.testing.assert_array_equal(tested.p, p)


def test_t_of_systems_that_are_nearly_the_same_keeps_its_digits():
    scores = random_scores(1, systems=2)
    scores[1] = scores[0] + 1e-7 * random_scores(2, systems=1)[0]
    assert paired_t(scores).p[0] == pytest.approx(stats.ttest_rel(*scores).pvalue, rel=1e-12)


def test_t_without_variance():
    same = np.array([0.1, 0.2, 0.7])
    scores = np.array([same, same + 1e-15, same + 0.1, same + np.array([0, 0, 1e-9])])
    tested = paired_t(scores)
    assert np.isnan(tested.statistic[0]) and np.isnan(tested.p[0])  # no difference at all
    assert tested.statistic[1] == -np.inf and tested.p[1] == 0  # always the same difference
    assert np.isfinite(tested.statistic[2])


# --- Wilcoxon's signed-rank test ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("topics", "levels"),
    [(8, None), (8, 16), (13, 16), (14, 16), (30, 24), (50, None), (50, 16), (51, None)],
)
def test_wilcoxon_is_scipys(topics, levels):
    few = 2 if topics == 13 else 5  # scipy goes through all 8,192 signs
    scores = random_scores(topics, systems=few, topics=topics, levels=levels)
    tested = wilcoxon(scores)
    expected = [stats.wilcoxon(x - y) for x, y in all_pairs(scores)]
    np.testing.assert_allclose(tested.statistic, [e.statistic for e in expected], rtol=1e-12)
    np.testing.assert_allclose(tested.p, [e.pvalue for e in expected], rtol=1e-12)


def test_wilcoxons_exact_distribution_with_ties_counts_all_signs():
    scores = random_scores(5, systems=4, topics=9, levels=12)
    for (x, y), p in zip(all_pairs(scores), wilcoxon(scores).p, strict=True):
        d = (x - y)[x != y]
        ranks = stats.rankdata(np.abs(d))
        signs = np.array(list(itertools.product([0, 1], repeat=len(ranks))))
        sums = np.minimum(signs @ ranks, ranks.sum() - signs @ ranks)
        observed = min(ranks[d > 0].sum(), ranks[d < 0].sum())
        assert p == pytest.approx(np.mean(sums <= observed + 1e-9), rel=1e-12)


def test_differences_equal_but_for_rounding_tie():
    """0.3 − 0.2, 0.2 − 0.1 and 0.1 are one number, which floats do not know."""
    x, y = np.array([0.3, 0.2, 0.1, 0.9, 0.4]), np.array([0.2, 0.1, 0.0, 0.7, 0.4 + 1e-16])
    exact = np.array([1, 1, 1, 2, 0])
    tested = wilcoxon(np.array([x, y]))
    expected = stats.wilcoxon(exact)
    assert tested.p[0] == pytest.approx(expected.pvalue, rel=1e-12)
    assert tested.statistic[0] == expected.statistic


# --- the sign test -----------------------------------------------------------------------------


@pytest.mark.parametrize("levels", [None, 8])
def test_sign_is_statsmodels(levels):
    scores = random_scores(6, topics=25, levels=levels)
    expected = [sign_test(x - y) for x, y in all_pairs(scores)]
    tested = sign(scores)
    np.testing.assert_allclose(tested.statistic, [m for m, _ in expected])
    np.testing.assert_allclose(tested.p, [p for _, p in expected], rtol=1e-12)


@pytest.mark.parametrize("test", [paired_t, wilcoxon, sign])
def test_equal_systems_have_no_p(test):
    scores = random_scores(7, systems=3)
    scores[2] = scores[0]
    assert np.isnan(test(scores).p).tolist() == [False, True, False]


# --- randomised tests --------------------------------------------------------------------------


def test_the_randomisation_test_of_all_signs_is_exact():
    """With every permutation once, (c + 1)/(B + 1) is scipy's p but for the two ones."""
    scores = random_scores(8, systems=5, topics=9, levels=12)
    signs = np.array(list(itertools.product([1.0, -1.0], repeat=9)))
    differences = np.array([np.mean(x - y) for x, y in all_pairs(scores)])
    p = discrimination._sign_flip_p(scores, signs, differences)
    exact = [
        stats.permutation_test(
            (x - y,), np.mean, permutation_type="samples", n_resamples=np.inf
        ).pvalue
        for x, y in all_pairs(scores)
    ]
    np.testing.assert_allclose(p * (2**9 + 1) - 1, np.array(exact) * 2**9, rtol=1e-12)


def test_the_randomisation_test_nears_the_exact_one():
    scores = random_scores(9, systems=4, topics=10)
    exact = [
        stats.permutation_test(
            (x - y,), np.mean, permutation_type="samples", n_resamples=np.inf
        ).pvalue
        for x, y in all_pairs(scores)
    ]
    tested = randomisation(scores, names(10, "t"), permutations=20_000, seed=3)
    np.testing.assert_allclose(tested.p, exact, atol=4 * 0.5 / np.sqrt(20_000))


def test_the_bootstrap_test_is_sakais_in_plain_loops():
    scores = random_scores(12, systems=4, topics=9)
    scores[3] = scores[2] + 0.25  # one difference on all topics
    tested = bootstrap(scores, permutations=60, seed=5)
    counts = generator(5, "bootstrap of topics", "9").multinomial(9, np.full(9, 1 / 9), size=60)
    expected = []
    for x, y in all_pairs(scores):
        z = x - y
        if np.ptp(z) < 1e-12:
            expected.append(1 / 61)
            continue
        t = stats.ttest_1samp(z, 0).statistic
        w, reached = z - z.mean(), 0
        for drawn in counts:
            sample = np.repeat(w, drawn)
            error = sample.std(ddof=1) / 3
            reached += abs(sample.mean()) / error >= abs(t)
        expected.append((reached + 1) / 61)
    np.testing.assert_allclose(tested.p, expected)


def test_the_bootstrap_test_nears_the_t_test_of_normal_differences():
    rng = np.random.default_rng(3)
    scores = 0.5 + 0.1 * rng.standard_normal((5, 50)) + 0.02 * np.arange(5)[:, None]
    tested = bootstrap(scores, permutations=20_000, seed=3)
    np.testing.assert_allclose(tested.p, paired_t(scores).p, atol=0.03)
    np.testing.assert_array_equal(tested.statistic, paired_t(scores).statistic)


def test_the_bootstrap_test_of_equal_systems_is_undefined():
    scores = random_scores(13, systems=2, topics=6)
    scores[1] = scores[0]
    assert np.isnan(bootstrap(scores, permutations=10).p).all()
    with pytest.raises(ParameterError, match="permutations is 0"):
        bootstrap(scores, permutations=0)


def test_tukey_hsd_nears_the_exact_one():
    scores = random_scores(10, systems=3, topics=4)
    scores[0] += 0.2
    orders = list(itertools.permutations(range(3)))
    q = np.array(
        [
            np.ptp(np.mean([scores[list(order), t] for t, order in enumerate(chosen)], axis=0))
            for chosen in itertools.product(orders, repeat=4)
        ]
    )
    differences = np.array([abs(np.mean(x - y)) for x, y in all_pairs(scores)])
    exact = (q >= differences[:, None] - 1e-12).mean(axis=1)
    assert 0.01 < exact.min() < 0.5
    tested = tukey_hsd(scores, names(4, "t"), permutations=20_000, seed=3)
    np.testing.assert_allclose(tested.p, exact, atol=4 * 0.5 / np.sqrt(20_000))


def test_shuffles_are_permutations_and_uniform():
    totals = np.zeros((6000, 3))
    discrimination._add_shuffled(np.random.default_rng(1), np.array([1.0, 2.0, 4.0]), totals)
    found, counts = np.unique(totals, axis=0, return_counts=True)
    assert found.tolist() == sorted(map(list, itertools.permutations([1.0, 2.0, 4.0])))
    assert stats.chisquare(counts).pvalue > 0.01


@pytest.mark.parametrize("test", [randomisation, tukey_hsd])
def test_p_counts_the_observed_one(test):
    scores = np.array([np.full(30, 0.9), np.full(30, 0.1), np.full(30, 0.1)])
    p = test(scores, names(30, "t"), permutations=99, seed=0).p
    np.testing.assert_array_equal(p, [0.01, 0.01, 1.0])


@pytest.mark.parametrize("test", [randomisation, tukey_hsd])
def test_draws_depend_on_seed_and_names_alone(test):
    scores, topics = random_scores(11, topics=6), names(6, "t")
    p = test(scores, topics, permutations=200, seed=1).p
    np.testing.assert_array_equal(test(scores, topics, permutations=200, seed=1).p, p)
    assert (test(scores, topics, permutations=200, seed=2).p != p).any()
    order = [3, 1, 5, 0, 2, 4]
    turned = test(scores[:, order], [topics[t] for t in order], permutations=200, seed=1)
    np.testing.assert_array_equal(turned.p, p)


# --- properties --------------------------------------------------------------------------------

EVERY_TEST = {
    "t": paired_t,
    "wilcoxon": wilcoxon,
    "sign": sign,
    "randomisation": lambda x: randomisation(x, names(x.shape[1], "t"), permutations=50),
    "bootstrap": lambda x: bootstrap(x, permutations=50),
    "tukey_hsd": lambda x: tukey_hsd(x, names(x.shape[1], "t"), permutations=50),
}


@pytest.mark.parametrize("name", PAIR_TESTS)
@settings(max_examples=20)
@given(seed=st.integers(0, 10**6), levels=st.sampled_from([None, 6]))
def test_p_is_a_probability_and_the_same_for_the_negative_scores(name, seed, levels):
    scores = random_scores(seed, systems=4, topics=8, levels=levels)
    tested, mirrored = EVERY_TEST[name](scores), EVERY_TEST[name](1 - scores)
    defined = ~np.isnan(tested.p)
    assert ((tested.p[defined] > 0) & (tested.p[defined] <= 1)).all()
    np.testing.assert_allclose(mirrored.p, tested.p, rtol=1e-9)
    np.testing.assert_allclose(mirrored.difference, -tested.difference, atol=1e-12)


@pytest.mark.parametrize("name", PAIR_TESTS)
def test_too_little_to_test(name):
    for shape, said in [((1, 5), "1 system and 5 topics"), ((5, 1), "5 systems and 1 topic;")]:
        with pytest.raises(MethodError, match=f"two systems and two topics: there are {said}"):
            EVERY_TEST[name](np.zeros(shape))


def test_wrong_choices_are_refused():
    scores = random_scores(12)
    with pytest.raises(ParameterError, match="3 topics are named, but there are 20"):
        randomisation(scores, ["1", "2", "3"])
    with pytest.raises(ParameterError, match="permutations is 0"):
        tukey_hsd(scores, names(20, "t"), permutations=0)
    with pytest.raises(ParameterError, match="test 'ttest'"):
        compare_systems(as_scores(scores), "ttest")
    with pytest.raises(ParameterError, match="correction 'fdr'"):
        compare_systems(as_scores(scores), correction="fdr")


# --- corrections -------------------------------------------------------------------------------


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_corrections(correction):
    p = np.array([0.01, np.nan, 0.04, 0.03, 0.005, np.nan])
    by_hand = {
        "none": [0.01, 0.04, 0.03, 0.005],
        "bonferroni": [0.04, 0.16, 0.12, 0.02],
        "sidak": [1 - (1 - q) ** 4 for q in (0.01, 0.04, 0.03, 0.005)],
        "holm": [0.03, 0.06, 0.06, 0.02],
        "holm-sidak": [1 - 0.99**3, 1 - 0.97**2, 1 - 0.97**2, 1 - 0.995**4],
        "hochberg": [0.03, 0.04, 0.04, 0.02],
        "hommel": [0.03, 0.04, 0.04, 0.02],
        "bh": [0.02, 0.04, 0.04, 0.02],
        "by": [q * (1 + 1 / 2 + 1 / 3 + 1 / 4) for q in (0.02, 0.04, 0.04, 0.02)],
    }[correction]
    adjusted = adjust(p, correction)
    assert np.isnan(adjusted).tolist() == np.isnan(p).tolist()
    np.testing.assert_allclose(adjusted[~np.isnan(p)], by_hand, rtol=1e-12)


STATSMODELS = {"hochberg": "simes-hochberg", "bh": "fdr_bh", "by": "fdr_by"}


@pytest.mark.parametrize("correction", [name for name in CORRECTIONS if name != "none"])
@pytest.mark.parametrize("tests", others_slow([57, 1, 2, 3, 10], 2))
@pytest.mark.parametrize("decimals", [1, 12])  # tied, with some of 0 and of 1, and none
def test_corrections_are_those_of_statsmodels(correction, tests, decimals):
    p = (generator(1, correction, str(tests)).random(tests) ** 2).round(decimals)
    with np.errstate(divide="ignore"):
        expected = multipletests(p, method=STATSMODELS.get(correction, correction))[1]
    np.testing.assert_allclose(adjust(p, correction), expected, rtol=1e-12)


def test_a_correction_is_made_within_a_measure():
    values = np.stack([random_scores(13), random_scores(14)], axis=2)
    table = compare_systems(as_scores(values, ["AP", "RR"]), correction="holm")
    for measure, rows in table.groupby("measure"):
        expected = multipletests(rows["p"], method="holm")[1]
        np.testing.assert_allclose(rows["p_adjusted"], expected, err_msg=measure)


def test_nothing_to_correct():
    assert np.isnan(adjust(np.full(3, np.nan), "holm")).all()


# --- tables ------------------------------------------------------------------------------------


@pytest.mark.parametrize("test", PAIR_TESTS)
def test_compare_systems(test):
    values = np.stack([random_scores(15, 4), random_scores(16, 4)], axis=2)
    table = compare_systems(as_scores(values, ["AP", "RR"]), test, permutations=50)
    assert [*table] == [
        "measure", "test", "system", "other", "difference", "statistic", "p", "p_adjusted",
    ]  # fmt: skip
    assert len(table) == 2 * 6 and set(table["test"]) == {test}
    row = table[(table["measure"] == "RR") & (table["system"] == "s01") & (table["other"] == "s03")]
    assert row["difference"].item() == pytest.approx((values[1, :, 1] - values[3, :, 1]).mean())
    assert row["p"].item() == EVERY_TEST[test](values[:, :, 1]).p[4]


def pairs_table(*rows):
    """Rows of depth, system, other, difference, p."""
    table = pd.DataFrame(rows, columns=["depth", "system", "other", "difference", "p"])
    return table.assign(measure="AP", test="t", p_adjusted=table["p"])


PAIRS = pairs_table(
    (5, "a", "b", 0.1, 0.01),
    (5, "a", "c", 0.1, 0.02),
    (5, "b", "c", -0.1, 0.03),
    (5, "a", "d", 0.1, 0.50),
    (5, "b", "d", 0.1, 0.05),  # not below
    (5, "c", "d", 0.0, np.nan),
    (50, "a", "b", 0.2, 0.01),
    (50, "a", "c", 0.2, 0.30),
    (50, "b", "c", 0.2, 0.01),
    (50, "a", "d", 0.2, 0.01),
    (50, "b", "d", 0.2, 0.90),
    (50, "c", "d", 0.0, np.nan),
)


def test_discrimination_ratios():
    table = discrimination_ratios(PAIRS)
    assert table["depth"].tolist() == [5, 50]
    assert table["n_pairs"].tolist() == [6, 6]
    assert table["undefined"].tolist() == [1, 1]
    assert table["significant"].tolist() == [3, 3]
    assert table["ratio"].tolist() == [0.5, 0.5]
    assert discrimination_ratios(PAIRS, significance=0.06)["significant"].tolist() == [4, 3]
    without_depth = discrimination_ratios(PAIRS[PAIRS["depth"] == 5].drop(columns="depth"))
    assert [*without_depth][:2] == ["measure", "test"]


def test_ratios_of_all_pairs_and_across_groups():
    groups = {"a": "g", "b": "g", "c": "h"}  # d is a group of its own
    table = ratios_by_pairs(PAIRS, groups)
    assert table["pairs"].tolist() == [ALL_PAIRS] * 2 + [ACROSS_GROUPS] * 2
    assert table["n_pairs"].tolist() == [6, 6, 5, 5]
    assert table["significant"].tolist() == [3, 3, 2, 2]
    alone = ratios_by_pairs(PAIRS)
    pd.testing.assert_frame_equal(alone.drop(columns="pairs"), discrimination_ratios(PAIRS))
    # one group: there is no pair across groups
    assert set(ratios_by_pairs(PAIRS, dict.fromkeys("abcd", "g"))["pairs"]) == {ALL_PAIRS}


def test_agreement_with_baseline():
    (row,) = agreement_with_baseline(PAIRS, 50).to_dict("records")
    assert row == {
        "depth": 5, "measure": "AP", "test": "t",
        "tp": 1, "fp": 2, "fn": 1, "tn": 2, "contradictions": 1,
    }  # fmt: skip
    shuffled = PAIRS.sample(frac=1, random_state=1)
    assert agreement_with_baseline(shuffled, 50).to_dict("records") == [row]
    with pytest.raises(ParameterError, match="no pair was tested at depth 100"):
        agreement_with_baseline(PAIRS, 100)
    with pytest.raises(ParameterError, match="some pairs were not tested at depth 50"):
        agreement_with_baseline(PAIRS.drop(index=7), 50)


def test_no_difference_contradicts_nothing():
    """Signed ranks may tell apart two systems of one mean: neither is the better then."""
    pairs = pairs_table((5, "a", "b", 0.0, 0.01), (50, "a", "b", 0.2, 0.01))
    (row,) = agreement_with_baseline(pairs, 50).to_dict("records")
    assert (row["tp"], row["fp"], row["contradictions"]) == (1, 0, 0)


def test_p_trends():
    p = {
        ("a", "b"): [0.0836, 0.0128, 0.0076, 0.0070, 0.0067],  # CLARIT98CLUS and INQ501
        ("a", "c"): [0.0044, 0.0080, 0.0071, 0.0083, 0.0095],  # bbn1 and mds98t
        ("b", "c"): [0.5, 0.4, 0.5, 0.6, 0.7],
        ("a", "d"): [1e-20, 1e-21, 1e-22, 1e-23, 1e-24],
        ("b", "d"): [0.2, 0.2, 0.2, 0.2, 0.2],
        ("c", "d"): [0.2, 0.2, np.nan, 0.2, 0.2],
    }
    rows = [
        (depth, *pair, 0.1, value)
        for pair, values in p.items()
        for depth, value in zip((5, 10, 15, 20, 25), values, strict=True)
    ]
    trends = p_trends(pairs_table(*rows)).set_index(["system", "other"])
    expected = {  # the first two as yang2019 §4.7 has them
        ("a", "b"): (-1.0, "straddling"),
        ("a", "c"): (0.8, "significant"),
        ("b", "c"): (stats.kendalltau(range(5), p["b", "c"]).statistic, "not significant"),
        ("a", "d"): (-1.0, "significant"),
        ("b", "d"): (np.nan, "not significant"),
        ("c", "d"): (np.nan, "not significant"),
    }
    for pair, (tau, outcome) in expected.items():
        assert trends.loc[pair, "tau"] == pytest.approx(tau, nan_ok=True)
        assert trends.loc[pair, "outcome"] == outcome

    counts = trend_counts(trends.reset_index())
    assert counts["n_pairs"].sum() == 6 and counts["share"].sum() == pytest.approx(1)
    at_minus_one = counts[counts["tau"] == -1].set_index("outcome")["n_pairs"]
    assert at_minus_one.to_dict() == {"significant": 1, "straddling": 1}
    assert counts[counts["tau"].isna()]["n_pairs"].item() == 2


def test_significance_curve():
    curve = significance_curve(PAIRS)
    shallow = curve[curve["depth"] == 5]
    assert shallow["position"].tolist() == [1, 2, 3, 4, 5, 6]
    np.testing.assert_array_equal(shallow["p"], [np.nan, 0.5, 0.05, 0.03, 0.02, 0.01])
    np.testing.assert_allclose(shallow["share"], np.arange(1, 7) / 6)
    power = curve[curve["p"] < 0.05].groupby("depth").size() / 6
    assert power.tolist() == discrimination_ratios(PAIRS)["ratio"].tolist()


def test_sets_of_labels_are_tested_one_by_one():
    sets = {name: as_scores(random_scores(seed)) for seed, name in enumerate(("NIST", "model"))}
    found = compare_under(sets, "wilcoxon", correction="holm")
    assert found["qrels"].drop_duplicates().tolist() == ["NIST", "model"]
    for name, scores in sets.items():
        own = found[found["qrels"] == name].drop(columns="qrels").reset_index(drop=True)
        pd.testing.assert_frame_equal(own, compare_systems(scores, "wilcoxon", correction="holm"))
    ratios = discrimination_ratios(found)
    assert ratios["qrels"].tolist() == ["NIST", "model"]
    below = found["p_adjusted"] < 0.05
    assert ratios["significant"].tolist() == [below[found["qrels"] == name].sum() for name in sets]
    assert significance_curve(found).groupby("qrels", sort=False)["position"].max().eq(21).all()


def test_a_set_with_too_little_to_test_is_named():
    sets = {"NIST": as_scores(random_scores(1)), "one": as_scores(random_scores(1, topics=1))}
    with pytest.raises(MethodError, match=r"^one: "):
        compare_under(sets)


def test_across_groups():
    kept = across_groups(PAIRS, {"a": "one", "b": "one", "c": "two"})
    assert set(zip(kept["system"], kept["other"], strict=True)) == {
        ("a", "c"), ("b", "c"), ("a", "d"), ("b", "d"), ("c", "d"),
    }  # fmt: skip
    assert len(across_groups(PAIRS, {})) == len(PAIRS)
    categories = PAIRS.astype({"system": "category", "other": "category"})
    assert len(across_groups(categories, {"a": "one", "b": "one"})) == len(PAIRS) - 2


@pytest.mark.parametrize("test", ["randomisation", "tukey_hsd"])
def test_depths_share_their_permutations(test):
    scores = as_scores(random_scores(18))
    table = compare_depths({5: scores, 10: scores}, test, permutations=60)
    assert next(iter(table)) == "depth"
    five, ten = (rows["p"].to_numpy() for _, rows in table.groupby("depth"))
    np.testing.assert_array_equal(five, ten)


# --- TREC-8 ------------------------------------------------------------------------------------

DEPTHS = (5, 10, 15, 20, 25, 50)


@pytest.fixture(scope="module")
def trec8(real_data):
    scores = trec8_depth_scores(real_data)
    return compare_depths({depth: scores[depth] for depth in DEPTHS})


@pytest.mark.parametrize(
    ("measure", "published"),
    [
        ("AP", [71.1, 72.6, 73.0, 73.6, 73.5, 73.8]),
        ("nDCG", [68.7, 70.2, 70.2, 70.8, 71.3, 71.6]),
        ("RBP(p=0.98)", [69.6, 71.2, 71.7, 72.1, 72.2, 72.5]),
    ],
)
def test_yang2019_table_4_5(trec8, measure, published):
    table = discrimination_ratios(trec8[trec8["measure"] == measure]).sort_values("depth")
    assert table["n_pairs"].tolist() == [2211] * 6
    assert (100 * table["ratio"]).round(1).tolist() == published


def test_yang2019_contradictions_on_trec8(trec8):
    """§4.8: three pairs contradict each other, at depth 5 by RBP; they count as FP."""
    table = agreement_with_baseline(trec8, 50).set_index(["measure", "depth"])
    assert table["contradictions"].loc[lambda c: c > 0].to_dict() == {("RBP(p=0.98)", 5): 3}
    assert (table[["tp", "fp", "fn", "tn"]].sum(axis=1) == 2211).all()
    ratio = (
        discrimination_ratios(trec8)
        .set_index(["measure", "depth"])["significant"]
        .drop(50, level=1)
    )
    np.testing.assert_array_equal((table["tp"] + table["fp"]).loc[ratio.index], ratio)


def test_yang2019_figure_4_7_on_trec8(trec8):
    """§4.7: most pairs at the extremes; more straddle the level there than elsewhere."""
    trends = p_trends(trec8[trec8["depth"] <= 25])
    counts = trend_counts(trends)
    for measure, peaks in [("AP", {-1}), ("nDCG", {-1}), ("RBP(p=0.98)", {-1, 1})]:
        bars = counts[counts["measure"] == measure].pivot_table(
            index="tau", columns="outcome", values="n_pairs", aggfunc="sum", fill_value=0
        )
        pairs = bars.sum(axis=1)
        assert set(pairs.nlargest(len(peaks)).index) == peaks
        straddling = bars["straddling"] / pairs
        assert straddling[-1.0] > straddling[[-0.4, -0.2, 0.0, 0.2, 0.4]].max()


@pytest.mark.parametrize("topics", [1, 8, 13, 20, 53, 70])
def test_signed_ranks_of_few_pairs_are_those_of_many(topics):
    rng = np.random.default_rng(topics)
    differences = rng.integers(-4, 5, (12, topics)) / 8 + (rng.random((12, 1)) < 0.5) * rng.normal(
        size=(12, topics)
    )
    differences[0] = 0.0
    tests = discrimination._signed_rank_tests
    few, many = tests.plain(differences), tests.dispatcher(differences)
    np.testing.assert_array_equal(few, many)
