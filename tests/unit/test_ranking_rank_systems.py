"""The tables of a ranking, what is said of them, and what comes out at the edges."""

import zlib

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from threadpoolctl import threadpool_limits

import regrade
from regrade.catalogue import TABLES, tables_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import CORRECTIONS, PAIR_TESTS
from regrade.errors import ParameterError, RegradeError
from regrade.measures import parse
from regrade.ranking.answer import (
    CORRECTED,
    TESTS,
    answer,
    best_said,
    chosen_test,
    found_said,
    judges_said,
    needed_said,
    told_said,
)
from regrade.ranking.rank_systems import RankingOptions, rank_systems
from regrade.scoring import Scores
from regrade.significance.discrimination import compare_systems
from regrade.tables import read_table, write_tables
from tests.unit.carried import assert_carried

FEW = RankingOptions(draws=500, splits=50)


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
        assert len(table)
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
    surely = pairs["p_adjusted"] <= 0.05
    assert surely[pairs["all_low"] > 0].all()
    facts = tables["facts"].set_index("quantity")["value"]
    assert facts["told apart at once"] == surely.sum()
    assert facts["told apart"] == (pairs["p"] < 0.05).sum()
    assert facts["told apart corrected"] == (pairs["p_corrected"] < 0.05).sum()
    assert facts["told apart by both"] == ((pairs["p_corrected"] < 0.05) & surely).sum()
    # ranks follow from the pairs
    systems = tables["systems"].set_index("system")
    for name, row in systems.iterrows():
        better = (surely & (pairs["other"] == name)).sum()
        worse = (surely & (pairs["system"] == name)).sum()
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


def test_what_the_chosen_test_alone_finds_is_counted():
    facts = {"pairs": 66, "told apart at once": 9, "told apart corrected": 8,
             "told apart by both": 7}  # fmt: skip
    assert told_said(facts, "the t-test") == (
        "9 of 66 pairs of systems differ significantly, all at once; the t-test finds 8, 7 of them "
        "the same."
    )
    note = pd.DataFrame({"quantity": ["told apart corrected"], "note": ["tukey_hsd, none"]})
    assert chosen_test(note) == "Tukey's randomised HSD"
    assert chosen_test(note.assign(note="t, bh")) == (
        "the paired t-test with Benjamini and Hochberg's correction"
    )
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


def said(values, **how):
    tables = rank_systems(scored(values), RankingOptions(draws=500, splits=50, **how))
    found = answer(tables)
    assert_carried(found, tables, "AP", folder="ranking")
    return [found.verdict, *found.facts], tables


def test_one_best_system_is_named():
    lines, _ = said(world(step=0.2, spread=0.02))
    assert lines[0] == (
        "s00 has the highest AP of 8 systems; with 30 topics all 7 others are excluded as the best."
    )


def test_systems_that_may_be_the_best_are_named_and_the_others_counted():
    values = world(6, 40, step=0.0)
    values[3:] -= 0.4
    lines, tables = said(values)
    may_be = tables["systems"].query("may_be_best")["system"].tolist()
    assert sorted(may_be) == ["s00", "s01", "s02"]
    assert lines[0] == (
        f"{may_be[0]} has the highest AP of 6 systems; with 40 topics {may_be[1]} and {may_be[2]} "
        "cannot be excluded as the best, the other 3 can."
    )
    facts = tables["facts"].set_index("quantity")["value"]
    assert facts[["best", "may be the best", "not the best"]].tolist() == [1, 2, 3]


def test_facts_say_what_the_tables_hold():
    lines, tables = said(world(12, 40))
    best = tables["systems"].iloc[0]
    assert f"{best['mean']:.3f} ({best['low']:.3f} to {best['high']:.3f})" in lines[1]
    facts = tables["facts"].set_index("quantity")["value"]
    assert lines[2] == (
        f"{facts['told apart at once']:,.0f} of 66 pairs of systems differ significantly, all at "
        "once; the paired t-test with Holm's correction finds the same."
    )
    median = tables["detectable"].set_index("correction").loc["none", "median"]
    assert f"finds a difference of {median:.3f} in four of five cases" in lines[3]
    tau = values_of(tables, "reliability", "tau", 40)[0]
    assert facts["in order"] == pytest.approx((1 + tau) / 2)
    assert f"About {facts['in order']:.0%} of all pairs" in lines[-1]


def test_each_further_measure_has_a_verdict():
    both = np.stack([world(), world(seed=2)], axis=2)
    tables = rank_systems(scored(both, ("AP", "nDCG")), FEW)
    found = answer(tables)
    assert " highest AP of 8 systems" in found.verdict
    assert " highest nDCG of 8 systems" in found.facts[-1]
    assert_carried(found, tables, "AP", "nDCG", folder="ranking")


# --- edges ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("share", "least", "number", "said"),
    [
        (0.8, 0.6, 70.0, " (60% at least) are #; 70 topics would make it 95%."),
        (0.94, 0.88, 70.0, " (88% at least) are #; 70 topics would make it 95%."),
        (0.95, 0.9, 53.0, " (90% at least) are #."),  # it is so already
        (0.8, 0.6, np.nan, " (60% at least) are #."),
        (0.7, np.nan, 170.0, " are #, where chance alone gives 50%."),
        (np.nan, np.nan, 70.0, ""),
    ],
)  # fmt: skip
def test_how_many_pairs_are_in_order_is_told_with_the_least(share, least, number, said):
    columns = ["quantity", "target", "needed"]
    rows = [("tau", 0.8, 20.0), ("halves", 0.9, 30.0), ("tau", 0.9, number)]
    facts = {"in order": share, "in order at least": least}
    found = needed_said(pd.DataFrame(rows, columns=columns), facts)
    said = said.replace("#", "in the order that endless topics would give")
    said = said.replace("95%", "nineteen of twenty")
    assert found == (said and f"About {share:.0%} of all pairs{said}")


def test_what_is_found_is_told_of_one_pair_and_of_several():
    columns = ["correction", "median", "smaller", "pairs"]
    one = pd.DataFrame([("all pairs", 9.0, 1, 1), ("none", 0.0784, 0, 1)], columns=columns)
    said = (
        "With 50 topics a test of one pair alone finds a difference of 0.078 in four of five cases"
    )
    assert found_said(one, 50) == f"{said}."
    assert found_said(one.assign(pairs=3), 1) == (
        "With 1 topic a test of one pair alone finds a difference of 0.078 in four of five cases "
        "(the median of all pairs); 0 of 3 observed differences are smaller than what is found "
        "of theirs."
    )
    assert found_said(one.assign(median=0.0), 50) == found_said(one[:0], 50) == ""


@pytest.mark.parametrize(("topics", "few"), [(1, "1 topic is"), (2, "2 topics are")])
def test_too_few_topics_say_so(topics, few):
    frame = pd.DataFrame({"system": ["a", "b"], "rank": [1, 2], "tier": np.nan})
    assert best_said("AP", frame, topics) == (
        f"a has the highest AP of 2 systems; {few} too few to say how sure that is."
    )


def test_one_system_is_not_ranked(tmp_path):
    lines, tables = said(world(1))
    assert lines == ["There is only one system, s00: nothing is ranked."]
    assert tables["pairs"].empty
    row = tables["systems"].iloc[0]
    assert row["rank"] == 1
    assert np.isfinite(row[["mean", "low", "high"]].astype(float)).all()
    assert pd.isna(row["rank_low"])
    assert values_of(tables, "facts", "systems", column="note") == ["one system: no ranking"]
    check_written(tables, tmp_path)


def test_two_systems_have_no_tau_and_a_verdict(tmp_path):
    lines, tables = said(world(2, step=0.3))
    assert lines[0] == (
        "s00 has the highest AP of 2 systems; with 30 topics the other is excluded as the best."
    )
    assert len(tables["pairs"]) == 1
    assert np.isnan(values_of(tables, "reliability", "tau", 30)[0])
    assert tables["halves"].empty
    check_written(tables, tmp_path)


@pytest.mark.parametrize(("systems", "topics"), [(9, 30), (10, 30), (10, 9), (10, 10)])
def test_halves_are_of_ten_systems_and_ten_topics_at_least(systems, topics):
    _, tables = said(world(systems, topics))
    assert tables["halves"].empty == (systems < 10 or topics < 10)


@pytest.mark.parametrize("topics", [1, 2, 9])
def test_few_topics_say_nothing_of_all_pairs(topics, tmp_path):
    lines, tables = said(world(6, topics))
    assert "too few to say how sure" in lines[0]
    assert tables["systems"]["tier"].isna().all()
    assert tables["pairs"]["all_low"].isna().all()
    assert tables["pairs"]["low"].isna().all()
    assert tables["pairs"]["p"].isna().all() == (topics == 1)
    assert "fewer than 10 topics" in values_of(tables, "facts", "critical value", column="note")[0]
    check_written(tables, tmp_path)


def test_systems_that_are_the_same_tie_and_are_one_tier(tmp_path):
    values = world(5, 30, step=0.3)
    values[1] = values[0]
    lines, tables = said(values)
    top = tables["systems"].head(2)
    assert top["rank"].tolist() == [1, 1]
    assert top["tier"].tolist() == [1, 1]
    assert top["share_first"].tolist() == [0.5, 0.5]
    first = tables["pairs"].iloc[0]
    assert (first["difference"], first["even"], first["p_adjusted"]) == (0, 1, 1)
    assert np.isnan(first["p"])
    assert lines[0].startswith("s00 and s01 share the highest AP of 5 systems; with 30 topics")
    check_written(tables, tmp_path)


def test_systems_that_all_score_the_same_are_one_tier(tmp_path):
    lines, tables = said(np.full((6, 20), 0.5))
    assert tables["systems"]["tier"].tolist() == [1] * 6
    assert tables["systems"]["rank_high"].tolist() == [6] * 6
    assert tables["systems"]["share_first"].tolist() == pytest.approx([1 / 6] * 6)
    assert lines[0] == "By AP all 6 systems have one mean: none is better."
    assert len([line for line in lines if "found" in line]) == 0
    check_written(tables, tmp_path)


def test_systems_that_differ_by_the_same_on_every_topic_are_told_apart(tmp_path):
    values = np.linspace(0.2, 0.8, 20) + np.array([[0.1], [0.0]])
    _, tables = said(values)
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
    _, tables = said(values)
    assert tables["systems"]["tier"].tolist() == [1] * 5
    assert tables["pairs"]["all_low"].isna().all()
    assert "too few topics" in values_of(tables, "facts", "critical value", column="note")[0]
    check_written(tables, tmp_path)


def test_one_topic_on_which_all_score_the_same_changes_little(tmp_path):
    values = world()
    values[:, 3] = 0.0
    _, tables = said(values)
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
    with pytest.raises(ParameterError, match="draws is 5: there must be at least 100"):
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
    assert str(found.summary()).startswith("a has the highest RR of 3 systems; ")
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
        "As far as 2 judges tell, 12 topics rank the systems with a reliability (Eρ²) of "
        f"about {of[1]:.2f} by one judge and of {of[2]:.2f} by 2, as samples of topics and of "
        "judges; so few judges tell it roughly."
    )
    five = pd.DataFrame({"topics": 12, "judges": [1, 5], "e_rho2": [0.7049, 0.912]})
    assert judges_said(five, 12, 5) == (
        "As far as 5 judges tell, 12 topics rank the systems with a reliability (Eρ²) of about "
        "0.70 by one judge and of 0.91 by 5, as samples of topics and of judges."
    )
    assert "ranking/judge_reliability" in given.answer.tables
    assert "judges" not in alone.answer.facts[-1]
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
