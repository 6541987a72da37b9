"""Two sets of judgments side by side: against scikit-learn, scipy and krippendorff."""

import itertools
import math

import krippendorff
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import kendalltau, skew, ttest_rel
from scipy.stats import t as student
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from regrade.catalogue import ALL_TOPICS, columns_of, tables_of
from regrade.errors import MethodError, ParameterError
from regrade.evaluations.compare_sets import ComparisonOptions, compare_sets
from regrade.evaluations.comparison_answer import answer, split_halves
from regrade.evaluations.label_agreement import (
    STATISTICS,
    LabelPair,
    agreement_of,
    agreement_of_many,
    drawn_topics,
    joint_counts,
    label_statistics,
)
from regrade.evaluations.pair_outcomes import OUTCOMES, pair_outcomes
from regrade.evaluations.system_rankings import ScoredPair, attenuated, top_table
from regrade.label_sets import LabelSet
from regrade.measures import parse_all
from regrade.run_arrays import RankedLists
from regrade.sample_means import skewed_ends
from regrade.scoring import Scores
from regrade.tables import write_table
from tests.unit import trec

HOW = ComparisonOptions(resamples=30, splits=20, tops=(1, 2))
MEASURES = ["nDCG@10", "AP"]

on_levels = LabelSet.on_levels


def qrels(rows):
    return trec.table("qrels", rows)


def labelled(topics=4, documents=12, levels=3, seed=1, noise=0.0):
    true = np.random.default_rng(7).random((topics, documents))
    rng = np.random.default_rng(seed)
    seen = np.clip(true + noise * rng.standard_normal(true.shape), 0, 0.999)
    return qrels(
        [
            (f"t{t}", f"d{d}", float(int(seen[t, d] * levels)))
            for t in range(topics)
            for d in range(documents)
        ]
    )


def runs(systems=5, topics=4, documents=12, seed=2):
    rng = np.random.default_rng(seed)
    rows = [
        (f"s{s}", f"t{t}", rank + 1, f"d{d}")
        for s in range(systems)
        for t in sorted(range(topics), key=str)
        for rank, d in enumerate(rng.permutation(documents))
    ]
    columns = [pa.array(column) for column in zip(*rows, strict=True)]
    names = ["system", "topic", "rank", "docno"]
    return RankedLists.from_table(pa.table(columns, names=names))


def compared(**others):
    first, second = labelled(), labelled(noise=0.3)
    options = {"ranked": runs(), "measures": MEASURES, "how": HOW} | others
    return compare_sets(on_levels("one", first, 3), on_levels("other", second, 3), **options)


def scored(first, second, **options):
    first, second = np.array(first, float), np.array(second, float)
    systems = tuple(f"s{s}" for s in range(len(first)))
    topics = tuple(f"t{t}" for t in range(first.shape[1]))
    both = (
        Scores(systems, topics, parse_all(["AP"]), values[:, :, None], values[:, :, None] * np.nan)
        for values in (first, second)
    )
    how = {"persistence": 0.9, "resamples": 1000, "splits": 1000, "seed": 1}
    return ScoredPair(*both, **how | options)


# --- labels ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("levels", [2, 3, 5])
@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_agreement_is_that_of_other_libraries(levels, weights):
    rng = np.random.default_rng(levels)
    first = rng.integers(0, levels, 60)
    second = np.where(rng.random(60) < 0.5, first, rng.integers(0, levels, 60))
    values = np.unique([first, second]).astype(float)
    joint = joint_counts(np.searchsorted(values, first), np.searchsorted(values, second), levels)
    for metric in ("nominal", "ordinal", "interval"):
        alpha, kappa, weighted = agreement_of(joint, values, metric, weights)
        ratings = np.array([first, second], float)
        expected = krippendorff.alpha(ratings, level_of_measurement=metric)
        assert alpha == pytest.approx(expected, abs=1e-12)
        assert kappa == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)
        expected = cohen_kappa_score(first, second, weights=weights)
        assert weighted == pytest.approx(expected, abs=1e-12)


def test_statistics_of_labels_are_those_of_other_libraries():
    rng = np.random.default_rng(3)
    first = rng.integers(0, 4, 80)
    second = np.clip(first + rng.integers(-1, 3, 80), 0, 3)
    joint = joint_counts(first, second, 4)
    found = dict(zip(STATISTICS, label_statistics(joint, np.arange(4.0)), strict=True))
    assert found["equal"] == pytest.approx((first == second).mean())
    assert found["difference"] == pytest.approx((second - first).mean())
    ratings = np.array([first, second], float)
    alpha = krippendorff.alpha(ratings, level_of_measurement="ordinal")
    assert found["alpha"] == pytest.approx(alpha)
    for name, weights in (("kappa", None), ("linear_kappa", "linear"),
                          ("quadratic_kappa", "quadratic")):  # fmt: skip
        expected = cohen_kappa_score(first, second, weights=weights)
        assert found[name] == pytest.approx(expected, abs=1e-12)
        if weights:
            kappa = cohens_kappa(joint, wt=weights).kappa
            assert found[name] == pytest.approx(kappa, abs=1e-12)
    assert np.isnan(label_statistics(np.zeros((2, 2)), np.arange(2.0))).all()


def test_the_bias_of_each_grade_is_that_of_a_plain_loop():
    first, second = labelled(topics=30, levels=3), labelled(topics=30, levels=3, noise=0.4)
    pair = LabelPair.of(("one", "other"), first, second)
    found = pair.grade_bias(resamples=200, seed=5)
    grades = [{(r["topic"], r["docno"]): r["grade"] for r in of.to_pylist()}
              for of in (first, second)]  # fmt: skip
    assert found["grade"].tolist() == sorted(set(grades[0].values()))
    for row in found.itertuples():
        keys = [key for key, grade in grades[0].items() if grade == row.grade]
        differences = [grades[1][key] - row.grade for key in keys]
        assert (row.documents, row.topics) == (len(keys), len({topic for topic, _ in keys}))
        assert row.equal == pytest.approx(differences.count(0) / len(keys))
        assert row.difference == pytest.approx(sum(differences) / len(keys))
        assert row.low < row.difference < row.high
        own = {t: [d for (k, _), d in zip(keys, differences, strict=True) if k == t]
               for t, _ in keys}  # fmt: skip
        topics = np.array(sorted(own))
        drawn = []
        for times in drawn_topics(topics, 200, 5):
            some = [d for t, n in zip(topics, times, strict=True) for d in own[t] * n]
            drawn.append(sum(some) / len(some))
        sizes = np.array([len(of) for of in own.values()])
        n = int(sizes.sum() ** 2 / (sizes**2).sum())
        half = student.ppf(0.975, n - 1) * np.std(drawn) * np.sqrt(n / (n - 1))
        # Student's ends, or beyond them where topics are skewed
        assert row.low <= row.difference - half + 1e-12
        assert row.high >= row.difference + half - 1e-12


def test_a_grade_of_few_topics_or_on_other_scales_has_no_interval():
    few = LabelPair.of(("one", "other"), labelled(topics=9), labelled(topics=9, noise=0.3))
    bias = few.grade_bias(resamples=50)
    assert bias["difference"].notna().all() and bias["low"].isna().all()
    other = LabelPair.of(("one", "other"), labelled(), labelled(levels=4), same_scale=False)
    assert other.grade_bias()[["equal", "difference", "low", "high"]].isna().all(axis=None)


def test_agreement_is_undefined_where_there_is_one_grade():
    with np.errstate(all="raise"):  # nor is anything divided by zero
        assert np.isnan(agreement_of(np.array([[5.0]]), np.array([1.0]))).all()
    # all the first's equal, the second's not: no κ above chance, α below
    found = agreement_of(np.array([[3.0, 2.0], [0, 0]]), np.array([0.0, 1.0]))
    assert found[0] < 0
    assert found[1] == found[2] == 0


def test_many_joint_counts_at_once_are_defined_where_each_is():
    joints = np.array([[[0, 1], [0, 0]], [[2, 0], [0, 0]], [[0, 0], [0, 0]], [[3, 2], [0, 1]]])
    values = np.array([0.0, 1.0])
    with np.errstate(all="raise"):
        found = agreement_of_many(joints, values)
    # one document with two labels: as many disagree as by chance
    np.testing.assert_array_equal(found[0], [0, 0, 0])
    assert np.isnan(found[1:3]).all(), "one label, or none"
    np.testing.assert_allclose(found[3], agreement_of(joints[3].astype(float), values))


def test_overlap_by_topic_and_over_all():
    first = qrels([("a", "x", 1.0), ("a", "y", 0.0), ("b", "x", 1.0)])
    second = qrels([("a", "x", 1.0), ("a", "z", 1.0), ("c", "x", 0.0)])
    pair = LabelPair.of(("one", "other"), first, second)
    found = pair.agreement().set_index("topic")
    assert list(found.index) == ["a", "b", "c", ALL_TOPICS]
    counts = ["first", "second", "both", "only_first", "only_second"]
    assert found.loc["a", counts].tolist() == [2, 2, 1, 1, 1]
    assert found.loc["b", counts].tolist() == [1, 0, 0, 1, 0]
    assert found.loc[ALL_TOPICS, counts].tolist() == [3, 3, 1, 2, 2]
    assert found["equal"].tolist()[::3] == [1, 1]
    assert found["alpha"].isna().all()  # one document, one grade
    confusion = pair.confusion()
    assert confusion["documents"].sum() == 5
    unjudged = confusion[confusion["second_grade"].isna()]
    assert unjudged[["first_grade", "documents"]].to_numpy().tolist() == [[0, 1], [1, 1]]


def test_intervals_are_what_draws_of_topics_scatter_by():
    """Student's or Hall's, by the skewness of what topics add (the jackknife's pseudo-values)."""
    pair = LabelPair.of(("one", "other"), labelled(topics=20), labelled(topics=20, noise=0.3))
    found = pair.intervals(resamples=50, seed=3).set_index("quantity")
    both, topics = pair.both, np.unique(pair.both["topic"])

    def alpha(times):
        rows = pd.concat([both[both["topic"] == t] for t, n in zip(topics, times, strict=True)
                          for _ in range(n)])  # fmt: skip
        ratings = rows[["first", "second"]].to_numpy().T
        return krippendorff.alpha(ratings, level_of_measurement="ordinal")

    drawn = [alpha(times) for times in drawn_topics(topics, 50, 3)]
    value = found.loc["alpha", "value"]
    added = [20 * value - 19 * alpha(1 - one) for one in np.eye(20, dtype=int)]
    error = np.std(drawn) * np.sqrt(20 / 19)
    low, high = skewed_ends(value, error, skew(added, bias=False), 20, 19)
    half = student.ppf(0.975, 19) * error
    assert low < value - 1.01 * half or high > value + 1.01 * half
    assert found.loc["alpha", ["low", "high"]].tolist() == pytest.approx([low, high], abs=1e-9)
    assert (found["defined"] == 50).all()


def test_nineteen_topics_have_no_interval_of_agreement():
    pair = LabelPair.of(("one", "other"), labelled(topics=19), labelled(topics=19, noise=0.3))
    found = pair.intervals(resamples=50)
    assert found["value"].notna().all()
    assert found[["low", "high"]].isna().all(axis=None)


def test_other_scales_have_no_agreement_and_one_topic_no_interval():
    sides = ("one", "other"), labelled(), labelled(levels=4)
    found = LabelPair.of(*sides, same_scale=False)
    assert found.agreement()[["equal", "alpha", "kappa"]].isna().all(axis=None)
    assert found.intervals()["value"].isna().all()
    found = LabelPair.of(("one", "other"), labelled(topics=1), labelled(topics=1, noise=0.4))
    found = found.intervals(resamples=5)
    assert found["value"].notna().all()
    assert found[["low", "high"]].isna().all(axis=None)
    assert (found["resamples"] == 0).all()


def test_sets_without_a_common_document_are_refused():
    other = qrels([("t0", "other", 1.0)])
    said = r"share no judged document \(they share 1 topic\): .* docnos are 'd0' and 'other'"
    with pytest.raises(MethodError, match=said):
        LabelPair.of(("one", "other"), labelled(), other)
    other = qrels([("T0", "d0", 1.0)])
    with pytest.raises(MethodError, match="the first topics are 't0' and 'T0'"):
        LabelPair.of(("one", "other"), labelled(), other)


# --- systems --------------------------------------------------------------------------------------


def test_correlations_of_means_and_of_draws():
    rng = np.random.default_rng(1)
    first = rng.random((6, 11))
    second = first + 0.3 * rng.random((6, 11))
    pair = scored(first, second, resamples=25, seed=2)
    found = pair.rankings([1, 3]).set_index("quantity")
    one, other = first.mean(1), second.mean(1)
    assert found.loc["tau", "value"] == pytest.approx(kendalltau(one, other).statistic)
    top = set(np.argsort(-one)[:3]) & set(np.argsort(-other)[:3])
    assert found.loc["top@3", "value"] == len(top) / 3
    drawn = [
        kendalltau(first @ times, second @ times).statistic
        for times in drawn_topics(np.array(pair.first.topics), 25, 2)
    ]
    half = student.ppf(0.975, 10) * np.std(drawn) * np.sqrt(11 / 10)
    expected = np.clip(found.loc["tau", "value"] + half * np.array([-1, 1]), -1, 1)
    assert found.loc["tau", ["low", "high"]].tolist() == pytest.approx(expected)


def test_moves_gains_and_tops():
    first = [[0.9] * 10, [0.5] * 10, [0.5] * 10, [0.1] * 10]
    second = [[0.2] * 10, [0.8] * 10, [0.4] * 10, [0.2] * 10]
    pair = scored(first, second, resamples=5)
    groups = {"s0": "a", "s3": "a", "s1": "b"}
    found = pair.systems(groups).set_index("system")
    assert found["first_rank"].to_dict() == {"s0": 1, "s1": 2, "s2": 2, "s3": 4}
    assert found["second_rank"].to_dict() == {"s0": 3, "s1": 1, "s2": 2, "s3": 3}
    assert found["move"].to_dict() == {"s0": -2, "s1": 1, "s2": 0, "s3": 1}
    assert found["gain"].sum() == pytest.approx(0, abs=1e-12)
    assert found.loc["s2", "group"] == ""
    by_group = pair.groups(groups).set_index("group")
    assert by_group["systems"].to_dict() == {"a": 2, "b": 1}
    expected = found.loc[["s0", "s3"], "gain"].mean()
    assert by_group.loc["a", "gain"] == pytest.approx(expected)
    assert by_group.loc["a", "move"] == -0.5
    # all topics are alike, so all draws are
    assert by_group.loc["a", "low"] == pytest.approx(expected)
    top = top_table(pair.systems(), [1]).set_index("system")
    assert top["change"].to_dict() == {"s0": "leaves", "s1": "enters"}


def test_reliability_is_over_halves():
    rng = np.random.default_rng(4)
    first, second = rng.random((2, 5, 7))
    pair = scored(first, second, splits=9, seed=5)
    found = pair.reliability().set_index(["quantity", "of"])
    within, between, excess = [], [], []
    for a, b in pair._splits():
        assert len(a) == len(b) == 3
        assert not set(a) & set(b)
        both = [kendalltau(of[:, a].mean(1), of[:, b].mean(1)).statistic for of in (first, second)]
        within.append(both[0])
        ways = (
            kendalltau(first[:, a].mean(1), second[:, b].mean(1)).statistic,
            kendalltau(first[:, b].mean(1), second[:, a].mean(1)).statistic,
        )
        between.append(np.mean(ways))
        # r of the one order: sin(π τ / 2), and √(r₁ r₂) back again
        r = [math.sin(math.pi * tau / 2) for tau in both]
        expected = 2 * math.asin(math.sqrt(r[0] * r[1])) / math.pi if min(r) > 0 else 0
        excess.append(expected - between[-1])
    assert found.loc[("tau", "first"), "value"] == pytest.approx(np.mean(within))
    assert found.loc[("tau", "between"), "value"] == pytest.approx(np.mean(between))
    parts = found.xs("tau")["value"]
    assert parts["excess"] == pytest.approx(np.mean(excess))
    assert parts["excess"] == pytest.approx(parts["expected"] - parts["between"])
    assert list(found.xs("excess", level="of").index) == ["tau"]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (1, 1, 1),
        (0.6, 0.6, 0.6),  # sets as reliable as each other: what halves of one have in common
        (1, 1 / 3, 0.5),  # r 1 and ½: √½, which is sin 45°
        (0.8, 0, 0),
        (-0.4, -0.4, 0),  # not 0.4
        (math.nan, 0.5, math.nan),
    ],
)
def test_rankings_of_one_order_are_as_alike_as_they_are_reliable(first, second, expected):
    assert attenuated(first, second) == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert attenuated(second, first) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_normal_rankings_of_one_order_have_in_common_what_is_expected():
    """Of 4,000 systems, so that chance has no part."""
    rng = np.random.default_rng(8)
    order = rng.normal(size=4000)
    one, again = (order + rng.normal(0, 0.5, 4000) for _ in range(2))
    other, once_more = (order + rng.normal(0, 2, 4000) for _ in range(2))
    first, second = kendalltau(one, again).statistic, kendalltau(other, once_more).statistic
    assert first > 0.55 and second < 0.15
    between = kendalltau(one, other).statistic
    assert attenuated(first, second) == pytest.approx(between, abs=0.02)
    assert (first + second) / 2 - between > 0.05


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (
            0.01,
            0.09,
            "is 0.03 (95% of splits 0.01–0.09) lower than expected under equal rankings: d",
        ),
        (-0.02, 0.05, "(95% of splits −0.02 to 0.05) lower than expected under equal rankings: no"),
        # halves under two sets that agree more than those under one: nothing is lost
        (
            -0.09,
            -0.01,
            "(95% of splits −0.09 to −0.01) lower than expected under equal rankings: no",
        ),
        (1e-17, 1e-17, "(95% of splits 0.00–0.00) lower than expected under equal rankings: no"),
    ],
)
def test_only_what_surely_is_lost_is_more_than_chance(low, high, said):
    assert said in split_halves(halves(excess=(0.03, low, high)))


def test_of_undefined_or_no_halves_nothing_is_said():
    assert split_halves(halves(excess=(math.nan,) * 3)) == ""
    assert split_halves(halves().iloc[:0]) == ""


def halves(**rows):
    """Rows of τ_b for `split_halves`: of each the value and the ends."""
    rows = {"first": (0.7, 0.6, 0.8), "second": (0.5, 0.2, 0.7)} | rows
    rows = [("tau", of, *numbers, 5) for of, numbers in rows.items()]
    return pd.DataFrame(rows, columns=["quantity", "of", "value", "low", "high", "topics"])


@pytest.mark.parametrize("of", ["first", "second"])
def test_of_a_set_whose_halves_do_not_agree_nothing_is_told(of):
    lost = {"excess": (0.03, 0.01, 0.09)}
    assert split_halves(halves(**lost)).endswith(": detectable additional disagreement.")
    assert split_halves(halves(**lost | {of: (0.2, 0, 0.4)})).endswith(
        ": no detectable additional disagreement."
    )


def test_of_halves_of_few_topics_nothing_is_told():
    few = halves(excess=(0.03, 0.01, 0.09)).assign(topics=4)
    assert split_halves(few) == ""


def test_a_set_with_itself_adds_nothing():
    one = on_levels("one", labelled(), 3)
    found = compare_sets(one, on_levels("again", labelled(), 3), runs(), MEASURES, HOW)
    assert found["labels"]["value"].tolist() == [1, 0, 1, 1, 1, 1]
    assert (found["grade_bias"]["equal"] == 1).all()
    assert (found["grade_bias"]["difference"] == 0).all()
    assert found["grade_bias"][["low", "high"]].isna().all(axis=None), "no spread, no interval"
    rankings = found["rankings"]
    assert rankings["value"].to_numpy() == pytest.approx(1, abs=1e-9)
    assert (found["systems"]["move"] == 0).all()
    assert found["systems"]["gain"].abs().max() < 1e-12
    excess = found["reliability"]
    excess = excess[(excess["of"] == "excess") & (excess["quantity"] == "tau")]
    same = found["reliability"].query("of == 'first' and quantity == 'tau'")["value"]
    assert excess["value"].to_numpy() == pytest.approx(0, abs=1e-12)
    assert same.notna().all()
    counts = found["pair_counts"]
    assert set(counts.loc[counts["pairs"] > 0, "change"]) <= {"stays", "none"}


# --- pairs ----------------------------------------------------------------------------------------


def test_outcomes_by_brute_force():
    rng = np.random.default_rng(9)
    quality = np.array([0.0, 0.1, 0.5, 0.55, 0.9])[:, None]
    first = quality + 0.15 * rng.standard_normal((5, 8))
    second = quality[::-1] * [[1], [-1], [1], [1], [1]] + 0.25 * rng.standard_normal((5, 8))
    pair = scored(first, second)
    found = pair_outcomes(pair.first, pair.second).set_index(["system", "other"])
    seen = set()
    for i, j in itertools.combinations(range(5), 2):
        row = found.loc[(f"s{i}", f"s{j}")]
        tested = [ttest_rel(scores[i], scores[j]) for scores in (first, second)]
        assert row["first_p"] == pytest.approx(tested[0].pvalue)
        assert row["second_p"] == pytest.approx(tested[1].pvalue)
        significant = [t.pvalue < 0.05 for t in tested]
        same = np.sign(tested[0].statistic) == np.sign(tested[1].statistic)
        strength = ("passive", "mixed", "active")[sum(significant)]
        assert row["outcome"] == f"{strength} {'agreement' if same else 'disagreement'}"
        if all(significant):
            assert row["change"] == ("stays" if same else "reverses")
        elif any(significant):
            assert row["change"] == ("disappears" if significant[0] else "appears")
        else:
            assert row["change"] == "none"
        seen.add(row["outcome"])
    assert len(seen) >= 4


def test_equal_systems_contradict_nothing():
    pair = scored([[0.1, 0.2, 0.4], [0.1, 0.2, 0.4]], [[0.5, 0.2, 0.4], [0.1, 0.3, 0.1]])
    found = pair_outcomes(pair.first, pair.second)
    assert found["outcome"].tolist() == ["passive agreement"]
    assert np.isnan(found["first_p"][0])


# --- everything -----------------------------------------------------------------------------------


def test_all_tables_are_on_their_schemas(tmp_path):
    tables = compared(groups={"s0": "a", "s1": "a"})
    of_labels = *tables_of("compare"), *tables_of("compare_labels")
    of_systems = tables_of("compare_systems")
    tables["answer"] = answer("first", "second", tables).to_frame()
    assert {f"compare/{name}" for name in tables} == {*of_labels, *of_systems}
    for name, table in tables.items():
        assert list(table.columns) == columns_of(f"compare/{name}")
        write_table(table, tmp_path / f"{name}.parquet", f"compare/{name}")
    counts = tables["pair_counts"]
    assert set(counts["outcome"]) == set(OUTCOMES)
    assert (counts.groupby("measure")["pairs"].sum() == 10).all()
    without = {f"compare/{name}" for name in compared(ranked=None)}
    assert without == {*of_labels} - {"compare/answer"}


def test_order_of_the_sets_is_turned_round():
    one, other = (
        on_levels("one", labelled(), 3),
        on_levels("other", labelled(noise=0.3), 3),
    )
    there = compare_sets(one, other, runs(), MEASURES, HOW)
    back = compare_sets(other, one, runs(), MEASURES, HOW)
    turned = back["labels"].copy()
    is_bias = turned["quantity"] == "difference"
    turned.loc[is_bias, "value"] *= -1
    turned.loc[is_bias, ["low", "high"]] *= -1
    pd.testing.assert_frame_equal(there["labels"], turned)
    moves = (table["systems"].set_index(["measure", "system"])["move"] for table in (there, back))
    there_moves, back_moves = moves
    assert (there_moves == -back_moves[there_moves.index]).all()
    turned = {"appears": "disappears", "disappears": "appears"}
    keys = ["measure", "system", "other"]
    expected = there["pairs"].set_index(keys)["change"].replace(turned)
    assert expected.equals(back["pairs"].set_index(keys)["change"])


@pytest.mark.parametrize(("topics", "systems"), [(1, 5), (4, 1), (1, 1), (2, 2), (3, 3)])
def test_small_collections(topics, systems, tmp_path):
    sides = (
        on_levels("one", labelled(topics), 3),
        on_levels("other", labelled(topics, noise=0.3), 3),
    )
    tables = compare_sets(*sides, runs(systems, topics), MEASURES, HOW)
    for name, table in tables.items():
        write_table(table, tmp_path / f"{name}.parquet", f"compare/{name}")
    facts = tables["facts"].set_index("quantity")
    assert ("one topic" in facts.loc["topics scored", "note"]) == (topics == 1)
    assert ("one system" in facts.loc["systems", "note"]) == (systems == 1)
    assert len(tables["pairs"]) == len(MEASURES) * systems * (systems - 1) / 2
    if topics == 1:
        assert tables["pairs"]["first_p"].isna().all()
        assert tables["reliability"]["value"].isna().all()
    if systems == 1:
        assert tables["rankings"].query("quantity == 'tau'")["value"].isna().all()


@pytest.mark.parametrize(
    ("groups", "count", "note"),
    [
        (None, 0, "no groups are named"),
        ({f"s{i}": "ours" for i in range(2)}, 2, "the others are in no group"),
        ({f"s{i}": "ours" for i in range(9)}, 5, ""),
    ],
)
def test_systems_in_no_group_are_counted(groups, count, note):
    sides = (
        on_levels("one", labelled(), 3),
        on_levels("other", labelled(noise=0.3), 3),
    )
    facts = compare_sets(*sides, runs(5), ["AP"], HOW, groups=groups)["facts"]
    facts = facts.set_index("quantity")
    assert facts.loc["systems in groups", ["value", "note"]].tolist() == [count, note]


def test_topics_of_one_set_are_left_out_and_counted():
    first = labelled(4)
    kept = [topic != "t3" for topic in first["topic"].to_pylist()]
    second = labelled(4, noise=0.2).filter(pa.array(kept))
    tables = compare_sets(LabelSet("one", first), LabelSet("other", second), runs(), ["AP"], HOW)
    facts = tables["facts"].set_index("quantity")["value"]
    wanted = ["topics first", "topics second", "topics both", "topics scored"]
    assert facts[wanted].tolist() == [4, 3, 3, 3]
    assert set(tables["topics"]["topic"]) == {"t0", "t1", "t2"}


def test_shared_documents_alone():
    first = labelled(2)
    shallow = first.filter(pa.array([int(d[1:]) < 4 for d in first["docno"].to_pylist()]))
    sides = on_levels("deep", first, 3), on_levels("shallow", shallow, 3)
    everything = compare_sets(*sides, runs(5, 2), ["nDCG"], HOW)["systems"]
    shared = compare_sets(
        *sides, runs(5, 2), ["nDCG"], ComparisonOptions(resamples=5, splits=5, documents="shared")
    )["systems"]
    assert everything["difference"].abs().max() > 0.01
    assert shared["difference"].abs().max() == 0


def test_medians_of_judgments_count():
    rows = [("t0", "d0", w, float(v)) for w, v in zip("abc", (0, 2, 2), strict=True)]
    rows += [("t0", "d1", w, float(v)) for w, v in zip("abc", (0, 1, 0), strict=True)]
    columns = [pa.array(column) for column in zip(*rows, strict=True)]
    table = pa.table(columns, names=["topic", "docno", "worker", "value"])
    other = qrels([("t0", "d0", 2.0), ("t0", "d1", 0.0)])
    found = compare_sets(LabelSet("crowd", table), LabelSet("expert", other))
    assert found["agreement"]["equal"].tolist() == [1, 1]


def test_what_cannot_be_is_refused():
    with pytest.raises(MethodError, match="no topic of the runs is judged in both"):
        other = runs()
        topics = tuple(f"x{t}" for t in range(4))
        compared(ranked=RankedLists(other.systems, topics, other.names, other.name_offsets,
                                    other.offsets, other.documents))  # fmt: skip
    for wrong in (
        {"persistence": 1},
        {"significance": 0},
        {"resamples": 0},
        {"splits": 0},
        {"tops": (0,)},
        {"tops": ()},
        {"documents": "some"},
    ):
        with pytest.raises(ParameterError):
            ComparisonOptions(**wrong)
    with pytest.raises(ParameterError, match="unknown weights"):
        compared(how=ComparisonOptions(weights="cubic"))
