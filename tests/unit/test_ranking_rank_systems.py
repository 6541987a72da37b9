"""The tables of a ranking, what is said of them, and what comes out at the edges."""

import zlib

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from threadpoolctl import threadpool_limits

import regrade
from regrade.answers.pair_tests import CORRECTED, TESTS
from regrade.catalogue import TABLES, tables_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import CORRECTIONS, PAIR_TESTS
from regrade.errors import ParameterError, RegradeError
from regrade.measures import parse
from regrade.ranking.answer import (
    answer,
    chosen_test,
    judge_reliability,
    key,
    light,
    power,
    significant_pairs,
    verdict,
)
from regrade.ranking.rank_systems import RankingOptions, rank_systems
from regrade.scoring import Scores
from regrade.significance.discrimination import compare_systems
from regrade.tables import read_table, write_tables
from tests.unit.carried import assert_carried

FEW = RankingOptions(draws=500, splits=50)

OF_DESIGN = ("datasets", "dataset_ranks", "repeats", "repeat_errors")
"""Tables of scores by item alone."""


def scored(values, measures=("AP",)):
    values = np.asarray(values, dtype=float)
    values = values[:, :, None] if values.ndim == 2 else values
    systems, topics, _ = values.shape
    return Scores(
        tuple(f"s{i:02}" for i in range(systems)),
        tuple(f"{400 + t}" for t in range(topics)),
        tuple(map(parse, measures)),
        values,
        np.full(values.shape, np.nan),
    )


def world(systems=8, topics=30, seed=1, spread=0.1, step=0.05):
    rng = np.random.default_rng(seed)
    ability = 0.8 - step * np.arange(systems)
    return ability[:, None] + rng.normal(0, 0.1, topics) + rng.normal(0, spread, (systems, topics))


def values_of(tables, name, *key, column="value"):
    table = tables[name]
    rows = table[
        np.logical_and.reduce(
            [
                table[c] == k
                for c, k in zip(
                    [c for c in TABLES[f"ranking/{name}"].key if c != "measure"], key, strict=True
                )
            ]
        )
    ]
    return rows[column].tolist()


def check_written(tables, folder):
    paths = {name: str(folder / f"{name}.parquet") for name in tables}
    write_tables(tables, paths, "ranking", {})
    for name, path in paths.items():
        assert read_table(path, f"ranking/{name}").num_rows == len(tables[name])


def test_every_table_is_there_with_its_columns_and_keys(tmp_path):
    judges = [scored(world(10, seed=seed)) for seed in (1, 2, 3)]
    tables = rank_systems(judges[0], FEW, judges[1:])
    answered = tables | {"answer": answer(tables).to_frame()}
    assert {f"ranking/{name}" for name in answered} == set(tables_of("ranking"))
    for name, table in tables.items():
        path = f"ranking/{name}"
        assert list(table.columns) == SCHEMAS[path].names
        assert len(table) or name in OF_DESIGN
        assert not table.duplicated(list(TABLES[path].key)).any()
    check_written(answered, tmp_path)


def test_the_order_of_systems_changes_nothing_but_names_of_ties():
    values = world()
    one = rank_systems(scored(values), FEW)
    order = np.random.default_rng(1).permutation(8)
    scores = scored(values[order])
    two = rank_systems(
        Scores(tuple(f"s{i:02}" for i in order), *(getattr(scores, k) for k in (
            "topics", "measures", "values", "residuals"))), FEW)  # fmt: skip
    for name in one:
        pd.testing.assert_frame_equal(one[name], two[name], check_exact=True)


def test_threads_change_nothing():
    """Neither those that share the draws, nor those of BLAS."""
    scores = scored(world(40, 50))
    found = []
    for count in (1, 2):
        with threadpool_limits(count):
            found.append(rank_systems(scores, FEW, threads=count))
    for name, table in found[0].items():
        pd.testing.assert_frame_equal(table, found[1][name], check_exact=True)


def test_measures_are_told_one_by_one():
    both = np.stack([world(), world(seed=2)], axis=2)
    together = rank_systems(scored(both, ("AP", "nDCG")), FEW)
    alone = rank_systems(scored(both[:, :, 1], ("nDCG",)), FEW)
    for name in alone:
        some = together[name][together[name]["measure"] == "nDCG"].reset_index(drop=True)
        own = alone[name][alone[name]["measure"] == "nDCG"].reset_index(drop=True)
        pd.testing.assert_frame_equal(some, own, check_exact=True)


def test_pairs_begin_with_the_better_system_and_follow_the_ranking():
    tables = rank_systems(scored(world()[::-1]), FEW)
    pairs = tables["pairs"]
    assert (pairs["difference"] >= 0).all()
    assert pairs["system"].iloc[0] == tables["systems"]["system"].iloc[0] == "s07"
    assert len(pairs) == 28
    is_significant = pairs["p_adjusted"] <= 0.05
    assert is_significant[pairs["all_low"] > 0].all()
    facts = tables["facts"].set_index("quantity")["value"]
    assert facts["significant by stepdown"] == is_significant.sum()
    assert facts["share significant by stepdown"] == is_significant.mean()
    assert facts["significant"] == (pairs["p"] < 0.05).sum()
    assert facts["significant corrected"] == (pairs["p_corrected"] < 0.05).sum()
    assert facts["significant by both"] == ((pairs["p_corrected"] < 0.05) & is_significant).sum()
    # ranks follow from the pairs
    systems = tables["systems"].set_index("system")
    for name, row in systems.iterrows():
        better = (is_significant & (pairs["other"] == name)).sum()
        worse = (is_significant & (pairs["system"] == name)).sum()
        assert (row["rank_low"], row["rank_high"]) == (1 + better, 8 - worse)


@pytest.mark.parametrize("test", ["t", "wilcoxon", "randomisation"])
@pytest.mark.parametrize("correction", ["none", "holm", "bh"])
def test_the_chosen_test_stands_beside_what_is_said_of_all_pairs(test, correction):
    how = RankingOptions(draws=200, splits=10, test=test, correction=correction)
    scores = scored(world(6, 30, step=0.02))
    pairs = rank_systems(scores, how)["pairs"].astype({"system": str, "other": str})
    want = compare_systems(scores, test, correction=correction, seed=1)
    keys = {
        frozenset(k): (p, q)
        for *k, p, q in want[["system", "other", "p", "p_adjusted"]]
        .astype({"system": str, "other": str})
        .to_numpy()
    }
    for row in pairs.itertuples():
        assert (row.p, row.p_corrected) == pytest.approx(keys[frozenset((row.system, row.other))])


def test_pairs_by_the_stepdown_and_by_the_chosen_test_are_counted():
    rows = [("pairs", 66, ""), ("significant by stepdown", 9, ""),
            ("share significant by stepdown", 9 / 66, ""),
            ("significant corrected", 8, "t, holm")]  # fmt: skip
    facts = pd.DataFrame(rows, columns=["quantity", "value", "note"])
    assert significant_pairs(facts) == (
        "9 of 66 pairs (14%) differ significantly (Romano–Wolf stepdown, family-wise α = 0.05); "
        "with the paired t-test (Holm), 8 do."
    )
    one = facts.assign(value=[1, 1, 1, 1])
    few = facts.assign(value=[66, np.nan, np.nan, 8])
    assert significant_pairs(one) == significant_pairs(few) == ""
    note = pd.DataFrame({"quantity": ["significant corrected"], "note": ["tukey_hsd, none"]})
    assert chosen_test(note) == "randomised Tukey HSD (uncorrected)"
    assert chosen_test(note.assign(note="t, bh")) == "paired t-test (Benjamini–Hochberg)"
    assert {*TESTS} == {*PAIR_TESTS}
    assert {*CORRECTED} == {*CORRECTIONS}


def test_runs_that_are_the_same_differ_by_exactly_nothing():
    """A system that is another one by chance alone may differ on the next topic."""
    rng = np.random.default_rng(1)
    qrels = {str(t): {f"d{i}": int(rng.random() < 0.4) for i in range(6)} for t in range(20)}
    runs = {
        name: {t: {d: rng.random() for d in docs} for t, docs in qrels.items()} for name in "abcd"
    }
    runs["b"] = runs["a"]
    unjudged = {t: {**docs, "unjudged": 0.0} for t, docs in runs["a"].items()}
    pairs = regrade.rank(qrels, runs | {"e": unjudged}, "AP", draws=200, splits=5).pairs
    rows = pairs.astype({"system": str, "other": str}).set_index(["system", "other"])
    ends = rows.loc[("a", "b"), ["difference", "low", "high", "all_low", "all_high"]]
    assert ends.tolist() == [0] * 5
    equal = rows.loc[("a", "e")]
    assert (equal["difference"], equal["even"]) == (0, 1)
    assert equal["all_low"] < 0 < equal["all_high"]


def test_counts_of_power_are_those_of_pairs():
    tables = rank_systems(scored(world()), FEW)
    pairs, found = tables["pairs"], tables["detectable"].set_index("correction")
    row = found.loc["none"]
    assert row[["q1", "median", "q3"]].tolist() == pytest.approx(
        pairs["detectable"].quantile([0.25, 0.5, 0.75]).tolist()
    )
    assert row["smaller"] == (pairs["difference"] < pairs["detectable"]).sum()
    assert (found.loc["all pairs", ["q1", "median", "q3"]] > row[["q1", "median", "q3"]]).all()


def test_two_topics_find_large_differences_alone():
    """What Student's test of one degree of freedom finds in four of five cases."""
    values = np.array([[0.5, 0.7], [0.4, 0.1]])
    (found,) = rank_systems(scored(values), FEW)["pairs"]["detectable"]
    spread = np.std(values[0] - values[1], ddof=1)
    critical, shift = stats.t.ppf(0.975, 1), found / (spread / np.sqrt(2))
    # t is a shifted normal number over the size of another
    w = np.linspace(0, 8, 200_001)
    finds = stats.norm.cdf(shift - critical * w) + stats.norm.cdf(-shift - critical * w)
    assert np.trapezoid(2 * stats.norm.pdf(w) * finds, w) == pytest.approx(0.8, abs=1e-4)


def test_judges_are_a_facet():
    rng = np.random.default_rng(1)
    base = world(10, 40)
    judged = [scored(base + rng.normal(0, 0.2, (10, 1))) for _ in range(4)]
    tables = rank_systems(judged[0], FEW, judged[1:])
    shares = tables["judge_variances"].set_index("quantity")["value"]
    assert list(shares.index) == [
        "systems", "topics", "judges", "systems × topics", "systems × judges", "topics × judges",
        "systems × topics × judges",
    ]  # fmt: skip
    assert shares["systems × judges"] == pytest.approx(0.04, rel=0.5)
    one, many = (values_of(tables, "judge_reliability", 40, j, column="e_rho2") for j in (1, 10))
    assert one < many
    assert values_of(tables, "facts", "judges") == [4]
    # with one set of labels there is nothing to tell
    two = rank_systems(judged[0], FEW, judged[1:2])
    assert len(two["judge_variances"]) == 7
    assert two["facts"].index.is_unique
    alone = rank_systems(judged[0], FEW)
    assert alone["judge_variances"].empty
    assert alone["judge_reliability"].empty


# --- what is said -----------------------------------------------------------------------------


def answered(values, measures=("AP",), **how):
    """The answer and its tables, which hold every number of it."""
    tables = rank_systems(scored(values, measures), RankingOptions(draws=500, splits=50, **how))
    found = answer(tables)
    assert_carried(found, tables, *measures, folder="ranking")
    return found, tables


def test_one_best_system_is_named():
    found, _ = answered(world(step=0.2, spread=0.02))
    assert found.verdict == (
        "s00 has the highest mean AP; all 7 others are significantly worse (MCB, α = 0.05)."
    )
    assert (found.key, found.light) == ("1 of 8 systems may be best", "fine")


def test_systems_that_may_be_best_are_counted_and_marked():
    values = world(6, 40, step=0.0)
    values[3:] -= 0.4
    found, tables = answered(values)
    may_be = tables["systems"].query("may_be_best")["system"].tolist()
    assert sorted(may_be) == ["s00", "s01", "s02"]
    assert found.verdict == (
        f"{may_be[0]} has the highest mean AP; 2 further systems may be best and 3 are "
        "significantly worse (MCB, α = 0.05)."
    )
    assert (found.key, found.light) == ("3 of 6 systems may be best", "look")
    facts = tables["facts"].set_index("quantity")["value"]
    assert facts[["best", "may be the best", "not the best"]].tolist() == [1, 2, 3]
    marks = [row[3] for row in found.rows.rows]
    assert marks == [True] * 3 + [False] * 3


def frame(*rows):
    """Systems a, b, … by rank and whether they may be best."""
    columns = ["rank", "may_be_best"]
    of = pd.DataFrame(rows, columns=columns).assign(tier=1)
    return of.assign(system=list("abcdefgh")[: len(of)])


@pytest.mark.parametrize(
    ("rows", "said", "lit"),
    [
        ([(1, True), (2, False)], "a has the highest mean AP; the other is significantly worse #",
         "fine"),
        ([(1, True), (2, True)],
         "a has the highest mean AP, but no other system is significantly worse #", "problem"),
        ([(1, True), (2, True), (3, False)],
         "a has the highest mean AP; 1 further system may be best and 1 is significantly worse #",
         "look"),
        ([(1, True), (1, True), (3, False), (4, False)],
         "a and b share the highest mean AP; all 2 others are significantly worse #", "fine"),
        ([(1, True)] * 4 + [(5, False)],
         "4 systems share the highest mean AP; the other is significantly worse #", "fine"),
        ([(1, True)] * 3, "All 3 systems have the same mean AP.", "problem"),
    ],
)  # fmt: skip
def test_the_verdict_says_how_many_are_significantly_worse(rows, said, lit):
    """One light for all: copies that share the first rank are no competitors."""
    assert verdict("AP", frame(*rows), "topics") == said.replace("#", "(MCB, α = 0.05).")
    assert light(frame(*rows)) == lit


def test_facts_say_what_the_tables_hold():
    found, tables = answered(world(12, 40))
    facts = tables["facts"].set_index("quantity")["value"]
    at_once, corrected = facts["significant by stepdown"], facts["significant corrected"]
    assert found.facts[0] == (
        f"{at_once:,.0f} of 66 pairs ({at_once / 66:.0%}) differ significantly (Romano–Wolf "
        f"stepdown, family-wise α = 0.05); with the paired t-test (Holm), {corrected:,.0f} do."
    )
    median = tables["detectable"].set_index("correction").loc["none", "median"]
    assert found.facts[1].startswith(
        f"With 40 topics the minimum detectable difference is {median:.3f} (median over pairs) at "
        "80% power"
    )
    tau = values_of(tables, "reliability", "tau", 40)[0]
    assert facts["in order"] == pytest.approx((1 + tau) / 2)
    assert "500 samples, seed 1" in found.method
    assert facts[["draws", "seed"]].tolist() == [500, 1]
    assert found.methods_sentence().startswith("Systems were ranked by mean AP over 40 topics, ")


def test_the_leaderboard_has_all_systems_in_order():
    found, tables = answered(world(12, 40))
    systems = tables["systems"]
    assert found.rows.title == "AP · 12 systems · 40 topics"
    assert found.rows.header() == ["rank", "system", "AP", "95% CI", "best set", "p (MCB)"]
    assert [row[1] for row in found.rows.rows] == systems["system"].tolist()
    first, second = found.rows.rows[:2]
    best = systems.iloc[0]
    assert first[2] == (best["mean"], best["low"], best["high"])
    assert first[4] is None and second[4] == systems["p_best"].iloc[1]


def test_each_further_measure_has_a_column_and_all_have_one_fact():
    both = np.stack([world(), world(seed=2), np.full((8, 30), 0.5)], axis=2)
    found, tables = answered(both, ("AP", "nDCG", "RR"))
    assert " highest mean AP; " in found.verdict
    ndcg = tables["systems"].query("measure == 'nDCG'")
    may_be = int(ndcg["may_be_best"].sum())
    are = "system may be best" if may_be == 1 else "systems may be best"
    assert found.facts[-1] == (
        f"By nDCG, {ndcg['system'].iloc[0]} is first and {may_be} {are}; by RR all systems tie."
    )
    assert found.rows.header()[-2:] == ["nDCG", "RR"]
    means = ndcg.set_index("system")["mean"]
    for row in found.rows.rows:
        assert row[-2:] == (means[row[1]], 0.5)


# --- edges ------------------------------------------------------------------------------------


def test_the_minimum_detectable_difference_is_of_one_pair_or_the_median_of_several():
    columns = ["correction", "median", "smaller", "pairs"]
    one = pd.DataFrame([("all pairs", 9.0, 1, 1), ("none", 0.0784, 0, 1)], columns=columns)
    of = {"systems": frame((1, True)), "beside_best": pd.DataFrame()}

    def say(detectable, topics):
        return power(of | {"detectable": detectable}, {"topics": topics})

    said = "topics the minimum detectable difference is 0.078 at 80% power."
    assert say(one, 50) == f"With 50 {said}"
    assert say(one.assign(pairs=3), 50) == (
        f"With 50 {said.replace('0.078', '0.078 (median over pairs)')}"
    )
    assert say(one.assign(median=0.0), 50) == say(one[:0], 50) == ""


def test_too_few_topics_have_no_test_no_key_and_no_light():
    of = pd.DataFrame({"system": ["a", "b"], "rank": [1, 2], "tier": np.nan, "may_be_best": None})
    said = "a has the highest mean AP; there are too few topics for a test."
    assert verdict("AP", of, "topics") == said
    assert key(of) == light(of) == ""


def test_one_system_is_not_ranked(tmp_path):
    found, tables = answered(world(1))
    assert found.verdict == "There is only one system, s00, so nothing is ranked."
    assert not found.facts and found.key == found.light == ""
    assert found.method == "Systems were ranked by mean AP over 30 topics."
    assert tables["pairs"].empty
    row = tables["systems"].iloc[0]
    assert row["rank"] == 1
    assert np.isfinite(row[["mean", "low", "high"]].astype(float)).all()
    assert pd.isna(row["rank_low"])
    assert values_of(tables, "facts", "systems", column="note") == ["one system: no ranking"]
    check_written(tables, tmp_path)


def test_two_systems_have_no_tau_and_a_verdict(tmp_path):
    found, tables = answered(world(2, step=0.3))
    assert found.verdict == (
        "s00 has the highest mean AP; the other is significantly worse (MCB, α = 0.05)."
    )
    assert not any("pairs" in fact for fact in found.facts)
    assert len(tables["pairs"]) == 1
    assert np.isnan(values_of(tables, "reliability", "tau", 30)[0])
    assert tables["halves"].empty
    check_written(tables, tmp_path)


@pytest.mark.parametrize(("systems", "topics"), [(9, 30), (10, 30), (10, 9), (10, 10)])
def test_halves_are_of_ten_systems_and_ten_topics_at_least(systems, topics):
    _, tables = answered(world(systems, topics))
    assert tables["halves"].empty == (systems < 10 or topics < 10)


@pytest.mark.parametrize("topics", [1, 2, 9])
def test_few_topics_say_nothing_of_all_pairs(topics, tmp_path):
    found, tables = answered(world(6, topics))
    assert found.verdict.endswith("; there are too few topics for a test.")
    assert not any("significant" in fact for fact in found.facts)
    assert found.key == found.light == ""
    assert found.rows.rows[1][3:5] == (None, None)
    assert tables["systems"]["tier"].isna().all()
    assert tables["pairs"]["all_low"].isna().all()
    assert tables["pairs"]["low"].isna().all()
    assert tables["pairs"]["p"].isna().all() == (topics == 1)
    assert "fewer than 10 topics" in values_of(tables, "facts", "critical value", column="note")[0]
    check_written(tables, tmp_path)


def test_systems_that_are_the_same_tie_and_are_one_tier(tmp_path):
    values = world(5, 30, step=0.3)
    values[1] = values[0]
    found, tables = answered(values)
    top = tables["systems"].head(2)
    assert top["rank"].tolist() == [1, 1]
    assert top["tier"].tolist() == [1, 1]
    assert top["share_first"].tolist() == [0.5, 0.5]
    first = tables["pairs"].iloc[0]
    assert (first["difference"], first["even"], first["p_adjusted"]) == (0, 1, 1)
    assert np.isnan(first["p"])
    assert found.verdict.startswith("s00 and s01 share the highest mean AP; ")
    check_written(tables, tmp_path)


def test_systems_that_all_score_the_same_are_one_tier(tmp_path):
    found, tables = answered(np.full((6, 20), 0.5))
    assert tables["systems"]["tier"].tolist() == [1] * 6
    assert tables["systems"]["rank_high"].tolist() == [6] * 6
    assert tables["systems"]["share_first"].tolist() == pytest.approx([1 / 6] * 6)
    assert found.verdict == "All 6 systems have the same mean AP."
    assert found.light == "problem"
    assert not any("minimum detectable" in fact for fact in found.facts)
    check_written(tables, tmp_path)


def test_systems_that_differ_by_the_same_on_every_topic_are_told_apart(tmp_path):
    values = np.linspace(0.2, 0.8, 20) + np.array([[0.1], [0.0]])
    _, tables = answered(values)
    assert tables["pairs"]["p"].tolist() == [0]
    assert tables["systems"]["tier"].tolist() == [1, 2]
    check_written(tables, tmp_path)


@pytest.mark.parametrize("topics", [1, 2])
def test_what_a_test_finds_is_told_of_two_topics_and_more(topics):
    found = rank_systems(scored(world(3, topics)), FEW)["detectable"]
    assert found["correction"].tolist() == ["none"] * (topics > 1)
    assert found["median"].notna().all()


def test_systems_that_differ_on_one_topic_only_are_not_told_apart(tmp_path):
    values = np.full((5, 30), 0.5)
    values[:, 7] = np.linspace(1, 0, 5)
    _, tables = answered(values)
    assert tables["systems"]["tier"].tolist() == [1] * 5
    assert tables["pairs"]["all_low"].isna().all()
    assert "too few topics" in values_of(tables, "facts", "critical value", column="note")[0]
    check_written(tables, tmp_path)


def test_one_topic_on_which_all_score_the_same_changes_little(tmp_path):
    values = world()
    values[:, 3] = 0.0
    _, tables = answered(values)
    assert tables["systems"]["tier"].notna().all()
    check_written(tables, tmp_path)


def test_a_topic_that_a_run_lacks_counts_as_0_and_is_told():
    qrels = {str(t): {"d1": 1, "d2": 0} for t in range(12)}
    whole = {str(t): {"d1": 2.0, "d2": 1.0} for t in range(12)}
    lacks = {topic: run for topic, run in whole.items() if topic != "3"}
    found = regrade.rank(qrels, {"whole": whole, "lacks": lacks}, "RR", draws=200)
    means = found.systems.set_index("system")["mean"]
    assert means["lacks"] == pytest.approx(11 / 12)
    (said,) = [one for one in found.answer.notes if "lacks" in one]
    assert "(lacks 11, not 3)" in said


def test_options_are_checked():
    with pytest.raises(ParameterError, match="draws is 5: give at least 100"):
        RankingOptions(draws=5)
    with pytest.raises(RegradeError, match="no topic is judged in all sets"):
        other = scored(world())
        other = Scores(other.systems, tuple(f"x{t}" for t in other.topics), other.measures,
                       other.values, other.residuals)  # fmt: skip
        rank_systems(scored(world()), FEW, [other])


def test_results_have_tables_and_a_summary():
    qrels = {str(t): {"d1": 1, "d2": 0} for t in range(12)}
    runs = {
        name: {str(t): {"d1": 2.0 - (t < wrong) * 2, "d2": 1.0} for t in range(12)}
        for name, wrong in (("a", 0), ("b", 4), ("c", 9))
    }
    found = regrade.rank(qrels, runs, "RR", draws=200)
    assert found.measures == ["RR"]
    assert found.to_frame() is found.systems
    assert found.answer.verdict.startswith("a has the highest mean RR; ")
    assert found.answer.question == "Which system is best, and how sure is that?"
    assert "systems" in dir(found)
    for what in ("systems", "pairs", "reliability", "power"):
        assert found.plot(what).axes
    with pytest.raises(ParameterError, match="figure 'rank'"):
        found.plot("rank")
    with pytest.raises(AttributeError, match="has no 'sytems'; did you mean 'systems'"):
        found.sytems  # noqa: B018


def test_judges_come_by_name_in_a_list_or_not_at_all():
    topics = [str(t) for t in range(12)]
    sets = [{t: {d: int(hash_of(t, d) % 3 < of) for d in "abcd"} for t in topics} for of in (1, 2)]
    runs = {
        name: {t: {d: float(hash_of(name, t, d) % 97) for d in "abcd"} for t in topics}
        for name in "xyz"
    }
    how = {"draws": 100, "splits": 5}
    alone = regrade.rank(sets[0], runs, "AP", **how)
    assert regrade.rank(sets[0], runs, "AP", judges={}, **how).systems.equals(alone.systems)
    assert alone.judge_variances.empty
    given = regrade.rank(sets[0], runs, "AP", judges={"j": sets[1]}, **how)
    assert "judges" in set(given.judge_variances["quantity"])
    of = given.judge_reliability.query("topics == 12").set_index("judges")["e_rho2"]
    assert given.answer.facts[-1] == (
        f"The reliability of the ranking (Eρ², 12 topics) is {of[1]:.2f} with one judge and "
        f"{of[2]:.2f} with 2; 2 judges estimate it roughly."
    )
    five = pd.DataFrame({"topics": 12, "judges": [1, 5], "e_rho2": [0.7049, 0.912]})
    assert judge_reliability(five, 12, 5) == (
        "The reliability of the ranking (Eρ², 12 topics) is 0.70 with one judge and 0.91 with 5."
    )
    assert judge_reliability(five.assign(e_rho2=np.nan), 12, 5) == ""
    assert "ranking/judge_reliability" in given.answer.tables
    assert not any("judges" in fact for fact in alone.answer.facts)
    assert "ranking/judge_reliability" not in alone.answer.tables
    for judges in ([sets[1]], sets[1], regrade.read_qrels(sets[1])):
        found = regrade.rank(sets[0], runs, "AP", judges=judges, **how)
        pd.testing.assert_frame_equal(found.judge_variances, given.judge_variances)
    with pytest.raises(RegradeError, match="j and the runs have no topic in common"):
        regrade.rank(sets[0], runs, "AP", judges={"j": {"other": {"a": 1}}}, **how)


def hash_of(*names):
    """A number that is the same in every process."""
    return zlib.crc32("/".join(names).encode())


# --- real data --------------------------------------------------------------------------------


def test_trec_2021_deep_learning_is_as_measured(real_data):
    found = regrade.rank(
        real_data / "dl21" / "qrels.gz", str(real_data / "dl21" / "runs" / "*.gz"), "nDCG@10"
    )
    at = found.reliability.query("topics == 53").set_index("quantity")["value"]
    assert at[["e_rho2", "phi"]].round(3).tolist() == [0.968, 0.933]
    row = found.detectable.set_index("correction").loc["none"]
    assert round(row["median"], 3) == 0.078
    assert (len(found.systems), len(found.pairs)) == (63, 1953)
