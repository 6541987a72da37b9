"""Two sets side by side, number by number: against plain Python, scipy and the definitions."""

import itertools
from collections import Counter
from dataclasses import replace

import krippendorff
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import kendalltau, rankdata, sem, zscore
from scipy.stats import t as student
from sklearn.metrics import cohen_kappa_score

from regrade.correlations import rbo_ext, tau_ap
from regrade.evaluations.label_agreement import (
    STATISTICS,
    LabelPair,
    drawn_topics,
    with_intervals,
)
from regrade.evaluations.pair_outcomes import CHANGES, changes_of, pair_counts, pair_outcomes
from regrade.evaluations.system_rankings import top_table
from regrade.measures import parse_all
from regrade.scoring import Scores
from tests.unit.test_evaluations import labelled, qrels, scored

RNG = np.random.default_rng(11)
FIRST = RNG.random((6, 12))
SECOND = FIRST + 0.4 * RNG.random((6, 12))
DRAWS = drawn_topics(np.array([f"t{t}" for t in range(12)]), 40, 2)
PAIR = scored(FIRST, SECOND, resamples=40, splits=12, seed=2, persistence=0.5)


def weighted(scores, times):
    """Means over topics that count so many times, by repeating them."""
    return np.repeat(scores, times, axis=1).mean(axis=1)


def percentiles(draws):
    return np.quantile(draws, [0.025, 0.975], axis=0)


def ends(value, draws, topics=12, new=False):
    """Student's t times the scatter of draws, which know the mean of the topics that they draw."""
    scatter = np.std(draws, axis=0) * np.sqrt(topics / (topics - 1)) * np.sqrt(2 if new else 1)
    return np.array([value + side * student.ppf(0.975, topics - 1) * scatter for side in (-1, 1)])


# --- draws ----------------------------------------------------------------------------------------


def test_as_many_topics_are_drawn_as_there_are_and_each_as_often():
    drawn = drawn_topics(np.array(["a", "b", "c"]), 4000, 1)
    assert drawn.shape == (4000, 3)
    assert (drawn.sum(axis=1) == 3).all()
    assert drawn.mean(axis=0) == pytest.approx([1, 1, 1], abs=0.05)
    assert drawn_topics(np.array(["a", "b"]), 5, 1).shape == (5, 2)
    assert drawn_topics(np.array(["a"]), 5, 1).shape == (0, 1)
    assert not np.array_equal(drawn, drawn_topics(np.array(["a", "b", "c"]), 4000, 2))


def test_draws_that_are_defined_are_counted():
    resampled = np.array([[1.0, np.nan], [2.0, 3.0], [3.0, 4.0]])
    found = with_intervals(["x", "y"], np.array([1.0, 2.0]), resampled, [[0, 1], [2, 3]])
    assert found["quantity"].tolist() == ["x", "y"]
    assert found["value"].tolist() == [1, 2]
    assert found["defined"].tolist() == [3, 2]
    assert found["resamples"].tolist() == [3, 3]
    assert found[["low", "high"]].to_numpy().tolist() == [[0, 2], [1, 3]]


# --- labels ---------------------------------------------------------------------------------------


def test_a_topics_row_counted_in_plain_python():
    first, second = labelled(3, 9, seed=1), labelled(3, 9, seed=2, noise=0.4)
    first = first.slice(2)  # the other judged two documents of the first topic alone
    found = LabelPair.of(("one", "other"), first, second).agreement().set_index("topic")
    grades = [
        {(r["topic"], r["docno"]): r["grade"] for r in table.to_pylist()}
        for table in (first, second)
    ]
    for topic in ("t0", "t1", "t2", "*"):
        one, other = ({k: g for k, g in of.items() if topic in (k[0], "*")} for of in grades)
        shared = sorted(one.keys() & other.keys())
        row = found.loc[topic]
        counts = [len(one), len(other), len(shared), len(one) - len(shared)]
        counts += [len(other) - len(shared)]
        names = ["first", "second", "both", "only_first", "only_second"]
        assert row[names].tolist() == counts
        a, b = ([of[k] for k in shared] for of in (one, other))
        assert row["equal"] == pytest.approx(np.mean(np.equal(a, b)))
        assert row["difference"] == pytest.approx(np.mean(np.subtract(b, a)))
        alpha = krippendorff.alpha([a, b], level_of_measurement="ordinal")
        assert row["alpha"] == pytest.approx(alpha)
        assert row["kappa"] == pytest.approx(cohen_kappa_score(a, b))
        assert row["weighted_kappa"] == pytest.approx(cohen_kappa_score(a, b, weights="linear"))
    assert found["difference"].abs().max() > 0


def test_how_many_documents_have_which_two_grades():
    first, second = labelled(2, 9, seed=1).slice(1), labelled(2, 9, noise=0.4).slice(0, 16)
    pair = LabelPair.of(("one", "other"), first, second)
    grades = [
        {(r["topic"], r["docno"]): r["grade"] for r in table.to_pylist()}
        for table in (first, second)
    ]
    keys = grades[0].keys() | grades[1].keys()
    expected = Counter((grades[0].get(k, "-"), grades[1].get(k, "-")) for k in keys)
    rows = pair.confusion().astype(object).fillna("-").to_numpy().tolist()
    assert {(one, other): n for one, other, n in rows} == expected
    for which, of in zip(("first", "second"), grades, strict=True):
        shared = pair.shared(which)
        assert shared.column_names == ["topic", "docno", "grade"]
        found = {(r["topic"], r["docno"]): r["grade"] for r in shared.to_pylist()}
        assert found == {k: of[k] for k in grades[0].keys() & grades[1].keys()}


def test_every_coefficients_interval_and_how_often_it_is_defined():
    # the grades of two topics differ: draws without them have one grade only
    names = "abcdefghijklmnopqrst"
    grades = dict.fromkeys(names, (0, 0)) | {"c": (0, 1), "d": (0, 1)}
    first, second = (
        qrels([(t, f"d{d}", float(g[s] if d else g[0])) for t, g in grades.items() for d in (0, 1)])
        for s in (0, 1)
    )
    pair = LabelPair.of(("one", "other"), first, second)
    found = pair.intervals(resamples=30, seed=4).set_index("quantity")
    assert list(found.index) == list(STATISTICS)
    drawn = drawn_topics(np.array(list(names)), 30, 4)[:, 2:4].sum(axis=1)
    differs = (drawn > 0).sum()
    assert 0 < differs < 30
    assert (found["defined"].drop(["equal", "difference"]) == differs).all()
    assert (found["defined"][["equal", "difference"]] == 30).all()
    assert (found["resamples"] == 30).all()
    kappas = [cohen_kappa_score([0] * 40, [0] * (40 - n) + [1] * n) for n in drawn[drawn > 0]]
    expected = ends(found.loc["kappa", "value"], kappas, 20)
    assert found.loc["kappa", ["low", "high"]].tolist() == pytest.approx(expected)
    undefined = LabelPair.of(("one", "other"), first, second, same_scale=False)
    undefined = undefined.intervals(resamples=30)
    assert undefined["defined"].tolist() == [0] * 6
    assert undefined["resamples"].tolist() == [30] * 6


def test_order_of_rows_and_names_as_numbers_do_not_matter():
    first = pa.table({"topic": ["2", "1"], "docno": ["b", "a"], "grade": [1.0, 0.0]})
    second = pa.table({"topic": ["1", "2"], "docno": ["a", "b"], "grade": [0.0, 0.0]})
    frame = LabelPair.of(("one", "other"), first, second).frame
    assert frame.to_numpy().tolist() == [["1", "a", 0, 0], ["2", "b", 1, 0]]


# --- rankings -------------------------------------------------------------------------------------


def test_correlations_and_their_intervals_are_those_of_each_draw():
    found = PAIR.rankings([2, 4]).set_index("quantity")
    assert list(found.index) == ["tau", "tau_ap", "rbo", "top@2", "top@4"]
    assert (found["defined"] == 40).all()
    assert (found["resamples"] == 40).all()

    def top(one, other, k):
        a, b = (set(np.flatnonzero(rankdata(-scores, "min") <= k)) for scores in (one, other))
        return len(a & b) / k

    quantities = {
        "tau": lambda a, b: kendalltau(a, b).statistic,
        "tau_ap": tau_ap,
        "rbo": lambda a, b: rbo_ext(a, b, 0.5),
        "top@2": lambda a, b: top(a, b, 2),
        "top@4": lambda a, b: top(a, b, 4),
    }
    for name, quantity in quantities.items():
        expected = quantity(FIRST.mean(1), SECOND.mean(1))
        assert found.loc[name, "value"] == pytest.approx(expected), name
        draws = [quantity(weighted(FIRST, t), weighted(SECOND, t)) for t in DRAWS]
        least = -1 if name.startswith("tau") else 0
        for new in ("", "new_"):
            expected_ends = np.clip(ends(expected, draws, new=bool(new)), least, 1)
            if name.startswith("top"):  # from 25 topics on (test_evaluations_top_systems)
                expected_ends = [np.nan, np.nan]
            columns = [f"{new}low", f"{new}high"]
            result = found.loc[name, columns].astype(float).tolist()
            assert result == pytest.approx(expected_ends, nan_ok=True), name
    assert rbo_ext(FIRST.mean(1), SECOND.mean(1), 0.9) != pytest.approx(found.loc["rbo", "value"])


def test_two_systems_are_ranked_and_one_is_not():
    two = scored(FIRST[:2], SECOND[:2], resamples=3).rankings([1]).set_index("quantity")
    assert two.loc[["tau", "tau_ap", "rbo"], "value"].notna().all()
    one = scored(FIRST[:1], SECOND[:1], resamples=3).rankings([1]).set_index("quantity")
    assert one.loc[["tau", "tau_ap", "rbo"], "value"].isna().all()
    assert one.loc["top@1", "value"] == 1


def test_tops_with_ties_count_both_sets_sizes():
    first = [[0.9], [0.9], [0.5], [0.1]]  # two share the first rank
    second = [[0.9], [0.3], [0.5], [0.1]]
    found = scored(first, second).rankings([1, 2, 3]).set_index("quantity")["value"]
    assert found["top@1"] == pytest.approx(2 * 1 / (2 + 1))
    assert found["top@2"] == pytest.approx(2 * 1 / (2 + 2))
    assert found["top@3"] == 1
    table = top_table(scored(first, second).systems(), [1, 2]).set_index(["k", "system"])
    assert table["change"].to_dict() == {
        (1, "s0"): "stays",
        (1, "s1"): "leaves",
        (2, "s0"): "stays",
        (2, "s1"): "leaves",
        (2, "s2"): "enters",
    }
    assert table.loc[(2, "s2"), ["first_rank", "second_rank"]].tolist() == [3, 2]


def test_gains_are_of_standard_scores_and_sure_as_without_each_topic():
    found = PAIR.systems().set_index("system")
    names = [f"s{s}" for s in range(6)]
    one, other = FIRST.mean(1), SECOND.mean(1)
    each = [np.delete(np.arange(12), t) for t in range(12)]
    without = np.array([zscore(SECOND[:, t].mean(1)) - zscore(FIRST[:, t].mean(1)) for t in each])

    def jackknife(value, without):
        # the pseudo-values are as numbers of which a mean is taken
        error = sem(12 * value - 11 * without)
        return value + np.multiply.outer([-1, 1], student.ppf(0.975, 11) * error)

    expected = {
        "first": one,
        "second": other,
        "difference": other - one,
        "first_rank": rankdata(-one, "min"),
        "second_rank": rankdata(-other, "min"),
        "move": rankdata(-one, "min") - rankdata(-other, "min"),
        "gain": zscore(other) - zscore(one),
        "gain_low": jackknife(zscore(other) - zscore(one), without)[0],
        "gain_high": jackknife(zscore(other) - zscore(one), without)[1],
    }
    for column, values in expected.items():
        assert found.loc[names, column].to_numpy() == pytest.approx(values, abs=1e-12), column
    half = student.ppf(0.975, 11) * sem(SECOND - FIRST, axis=1)
    # Student's ends, or beyond them where topics are skewed
    assert (found.loc[names, "low"] <= other - one - half + 1e-12).all()
    assert (found.loc[names, "high"] >= other - one + half - 1e-12).all()
    assert found["first_rank"].is_monotonic_increasing
    groups = {"s0": "a", "s2": "a", "s5": "b"}
    by_group = PAIR.groups(groups).set_index("group")
    for group, its in {"a": [0, 2], "b": [5]}.items():
        row = by_group.loc[group]
        assert row["systems"] == len(its)
        assert row["gain"] == pytest.approx(expected["gain"][its].mean())
        assert row["move"] == pytest.approx(expected["move"][its].mean())
        expected_ends = jackknife(row["gain"], without[:, its].mean(axis=1))
        assert row[["low", "high"]].tolist() == pytest.approx(expected_ends)


def test_systems_that_all_tie_have_no_gain():
    tied = np.full((3, 4), 0.5) + np.array([[0], [1e-13], [-1e-13]])
    apart = np.full((3, 4), 0.5) + np.array([[0], [1e-9], [-1e-9]])
    assert scored(tied, apart).systems()["gain"].isna().all()
    assert scored(apart, apart).systems()["gain"].tolist() == [0, 0, 0]


def test_topics_tell_where_systems_come_out_differently():
    found = PAIR.topics().set_index("topic")
    for t in range(12):
        one, other = FIRST[:, t], SECOND[:, t]
        row = found.loc[f"t{t}"]
        assert row["tau"] == pytest.approx(kendalltau(one, other).statistic)
        means = [one.mean(), other.mean(), other.mean() - one.mean()]
        assert row[["first", "second", "difference"]].tolist() == pytest.approx(means)


@pytest.mark.parametrize("topics", [2, 4, 5])
def test_halves_under_one_set_and_under_both(topics):
    pair = scored(FIRST[:, :topics], SECOND[:, :topics], splits=12, seed=3)
    found = pair.reliability().set_index(["quantity", "of"])
    splits = pair._splits()
    assert len(splits) == 12
    assert len({tuple(a) for a, _ in splits}) > 1
    quantities = {
        "tau": lambda a, b: kendalltau(a, b).statistic,
        "tau_ap": tau_ap,
        "rbo": lambda a, b: rbo_ext(a, b, 0.9),
    }
    for name, quantity in quantities.items():
        rows = []
        for a, b in splits:
            assert len(a) == len(b) == topics // 2
            assert not set(a) & set(b)
            one, other = ([x[:, h].mean(1) for h in (a, b)] for x in (FIRST, SECOND))
            within = quantity(*one), quantity(*other)
            between = (quantity(one[0], other[1]) + quantity(one[1], other[0])) / 2
            r = [np.sin(np.pi / 2 * max(one, 0)) for one in within]
            expected = 2 / np.pi * np.arcsin(np.sqrt(r[0] * r[1]))
            rows.append([*within, between, expected, expected - between])
        # RBO is not corrected for chance: of it nothing is expected
        given = ("first", "second", "between", *(("expected", "excess") if name == "tau" else ()))
        assert set(found.loc[name].index) == set(given)
        for of, draws in zip(given, np.array(rows).T, strict=False):
            row = found.loc[(name, of)]
            assert row["value"] == pytest.approx(draws.mean())
            assert row[["low", "high"]].tolist() == pytest.approx(percentiles(draws).tolist())
            assert row[["defined", "splits", "topics"]].tolist() == [12, 12, topics // 2]


def test_a_single_topic_has_no_halves():
    found = scored(FIRST[:, :1], SECOND[:, :1]).reliability()
    assert found["value"].isna().all()
    assert found[["defined", "splits", "topics"]].to_numpy().max() == 0


def test_halves_whose_systems_tie_do_not_count():
    second = np.array([[0.5, 0.5, 0.5, 0.7], [0.5, 0.5, 0.5, 0.2]])
    pair = scored(FIRST[:2, :4], second, splits=20, seed=1)
    found = pair.reliability().set_index(["quantity", "of"])
    # a half without the last topic ties the systems, and each split has one
    assert found.loc[("tau", "second"), "defined"] == 0
    assert np.isnan(found.loc[("tau", "second"), "value"])
    assert found.loc[("tau", "first"), "defined"] == 20


# --- pairs ----------------------------------------------------------------------------------------


def test_what_becomes_of_significance_by_its_definition():
    cases = list(itertools.product([True, False], [True, False], [-1, 0, 1]))
    first, second, sign = map(np.array, zip(*cases, strict=True))
    found = [CHANGES[place] for place in changes_of(first, second, sign)]
    for (one, other, sign_), change in zip(cases, found, strict=True):
        if one and other:
            assert change == ("reverses" if sign_ < 0 else "stays")
        elif other:
            assert change == "appears"
        else:
            assert change == ("disappears" if one else "none")


def test_a_difference_of_zero_agrees_with_each_sign():
    """The first two systems tie under one set; under the other the second is better, or worse."""
    first = [[0.5, 0.5], [0.5, 0.5 + 4e-13], [0.1, 0.3]]
    for better in (0.2, 0.8):
        second = [[0.5, 0.5], [better, better + 0.1], [0.1, 0.3]]
        for sets in ((first, second), (second, first)):
            pair = scored(*sets)
            found = pair_outcomes(pair.first, pair.second).set_index(["system", "other"])
            assert found.loc[("s0", "s1"), "outcome"].endswith(" agreement")


def test_a_pair_that_turns_round_disagrees_both_ways():
    better, worse = [[0.5, 0.6], [0.1, 0.3]], [[0.1, 0.3], [0.5, 0.6]]
    for first, second, outcome in (
        (better, worse, "disagreement"),
        (worse, better, "disagreement"),
        (worse, worse, "agreement"),
        (better, better, "agreement"),
    ):
        pair = scored(first, second)
        found = pair_outcomes(pair.first, pair.second)
        assert found["outcome"].str.split().str[1].tolist() == [outcome]


def test_of_one_topic_pairs_have_differences_and_no_p():
    pair = scored([[0.5], [0.2], [0.9]], [[0.1], [0.2], [0.3]])
    found = pair_outcomes(pair.first, pair.second)
    pairs = [("s0", "s1"), ("s0", "s2"), ("s1", "s2")]
    assert list(zip(found["system"], found["other"], strict=True)) == pairs
    assert found["first_difference"].tolist() == pytest.approx([0.3, -0.4, -0.7])
    assert found["second_difference"].tolist() == pytest.approx([-0.1, -0.2, -0.1])
    assert found[["first_p", "second_p"]].isna().all(axis=None)
    assert set(found["outcome"]) == {"passive agreement", "passive disagreement"}
    assert set(found["change"]) == {"none"}


def of_two_measures(scores):
    twice = (np.tile(values, 2) for values in (scores.values, scores.residuals))
    return Scores(scores.systems, scores.topics, parse_all(["RR", "AP"]), *twice)


@pytest.mark.parametrize("topics", [1, 5])
def test_rows_of_several_measures_are_counted_through(topics):
    pair = scored(FIRST[:, :topics], SECOND[:, :topics], resamples=3, splits=3)
    first, second = of_two_measures(pair.first), of_two_measures(pair.second)
    pair = replace(pair, first=first, second=second)
    tables = [pair.rankings([1]), pair.systems(), pair.topics(), pair.reliability()]
    tables += [top_table(pair.systems(), [1, 2]), pair_outcomes(first, second)]
    for table in tables:
        assert table["measure"].unique().tolist() == ["RR", "AP"]
        assert table.index.tolist() == list(range(len(table)))


def test_of_two_topics_and_two_systems_pairs_are_tested():
    pair = scored([[0.5, 0.7], [0.2, 0.1]], [[0.1, 0.2], [0.2, 0.6]])
    assert pair_outcomes(pair.first, pair.second)[["first_p", "second_p"]].notna().all(axis=None)


def test_a_p_at_the_level_is_not_significant():
    pair = scored(FIRST, SECOND)
    p = pair_outcomes(pair.first, pair.second)["first_p"]
    level = float(p.iloc[3])
    found = pair_outcomes(pair.first, pair.second, significance=level)
    assert found["first_significant"].tolist() == (p < level).tolist()
    assert not found["first_significant"][3]


def test_shares_of_pairs_are_of_the_measures_pairs():
    rows = [("AP", "active agreement", "stays")] * 3 + [("AP", "mixed agreement", "appears")]
    rows += [("nDCG", "mixed disagreement", "disappears")] * 2 + [
        ("nDCG", "passive agreement", "none")
    ]
    pairs = pd.DataFrame(rows, columns=["measure", "outcome", "change"])
    found = pair_counts(pairs, ["nDCG", "AP", "RR"])
    assert found["measure"].unique().tolist() == ["nDCG", "AP", "RR"]
    # six outcomes, two of them by what appears and disappears
    assert found.groupby("measure").size().unique().tolist() == [8]
    kinds = Counter(rows)
    for row in found.itertuples():
        n = kinds[(row.measure, row.outcome, row.change)]
        assert row.pairs == n
        if row.measure == "RR":
            assert np.isnan(row.share)
        else:
            assert row.share == pytest.approx(n / {"AP": 4, "nDCG": 3}[row.measure])
    assert found["pairs"].sum() == len(rows)
