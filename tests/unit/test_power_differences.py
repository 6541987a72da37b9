"""Differences of PDP between sets: scipy's tests, statsmodels' correction, and the edges."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from regrade.power.intervals import difference_table, topics_left_out
from regrade.power.label_sets import topic_table
from regrade.randomness import generator
from tests.coverage.power import ERROR, held_beside, made_sets
from tests.unit.magnitudes_frames import fits


def topics_of(values, topics=None):
    """Rows of ``power/topics`` as far as the differences need them, ``*`` among them."""
    rows = [
        {"preferences": "p", "set": name, "mode": "aggregate", "list": "judged", "topic": topic,
         "entropy": value}
        for name, own in values.items()
        for topic, value in zip([*(topics or map(str, range(len(own)))), "*"],
                                [*own, np.nanmean(own)], strict=True)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_each_two_sets_have_scipys_test(tmp_path):
    rng = np.random.default_rng(1)
    values = {name: rng.normal(4, 1, 12) for name in ("four", "seven", "two")}
    values["two"][3] = np.nan
    found = difference_table(topics_of(values))
    assert fits(found, "power/differences", tmp_path)
    assert found[["first", "second"]].to_numpy().tolist() == [
        ["four", "seven"], ["four", "two"], ["seven", "two"],
    ]  # fmt: skip
    for row in found.itertuples():
        pair = np.array([values[row.first], values[row.second]])
        pair = pair[:, ~np.isnan(pair).any(axis=0)]
        expected = stats.ttest_rel(*pair)
        assert row.n_topics == pair.shape[1]
        assert [row.difference, row.t, row.p] == pytest.approx(
            [np.subtract(*pair).mean(), expected.statistic, expected.pvalue]
        )
    assert found[["low", "high", "p_adjusted"]].isna().all(axis=None)  # nothing is left out


def test_differences_have_the_jackknife_of_topics_with_their_preferences(tmp_path):
    inputs = made_sets(np.random.default_rng(2), 12, 6, (0.3, ERROR, ERROR))
    _, found = held_beside(inputs)
    assert fits(found, "power/differences", tmp_path)
    names = sorted(inputs.lists[0].documents)
    order = generator(1, "groups of topics", "power").permutation(np.array(names, object))
    entropies = []
    for group in np.array_split(order, 10):
        (lists,), own = inputs.lists, inputs.preferences["p"]
        kept = [place for place, (topic, _) in enumerate(own.first) if topic not in {*group}]
        some = type(own)(own.first[kept], own.second[kept], own.signal[kept])
        left = {name: of for name, of in lists.documents.items() if name not in {*group}}
        kept_lists = [type(lists)(lists.name, left)]
        of = topic_table(replace(inputs, preferences={"p": some}, lists=kept_lists))
        entropies.append(of[of["topic"] == "*"].set_index("set")["entropy"])
    without, p = pd.DataFrame(entropies), []
    for row in found.itertuples():
        apart = (without[row.first] - without[row.second]).to_numpy()
        error = np.sqrt(9 / 10 * ((apart - apart.mean()) ** 2).sum())
        ends = stats.t.interval(0.95, 9, row.difference, error)
        assert [row.low, row.high] == pytest.approx(ends)
        p.append(2 * stats.t.sf(abs(row.difference) / error, 9))
    assert found["p_adjusted"].to_numpy() == pytest.approx(multipletests(p, method="holm")[1])


@pytest.mark.slow
def test_sets_that_are_equally_good_are_seldom_told_apart():
    """Student's test, for which preferences by grade are known, tells them apart nearly always."""
    rng, by_student, told, times = np.random.default_rng(1), 0, 0, 30
    for _ in range(times):
        found = held_beside(made_sets(rng, 20, 6, (ERROR,) * 3))[1]
        by_student += (found["p"] < 0.05).any()
        told += (found["p_adjusted"] < 0.05).any()
    assert told <= times * 0.05 + 3 * (times * 0.05 * 0.95) ** 0.5
    assert by_student > times / 2


def test_nothing_is_left_out_of_few_topics_or_preferences_of_one_group():
    rng = np.random.default_rng(1)
    assert len(topics_left_out(made_sets(rng, 12, 6, (ERROR,)))) == 10
    assert topics_left_out(made_sets(rng, 9, 6, (ERROR, ERROR))) == []
    inputs = made_sets(rng, 12, 6, (ERROR, ERROR))
    tests = inputs.preferences["p"].without(sorted(inputs.lists[0].documents)[1:])
    assert topics_left_out(replace(inputs, preferences={"p": tests})) == []
    found = held_beside(made_sets(rng, 10, 6, (ERROR, ERROR)))[1]
    assert found[["low", "high", "p_adjusted"]].notna().all(axis=None)


def test_topics_are_paired_by_name():
    first, second = (
        topics_of({"a": [1.0, 2.0]}, ["x", "y"]),
        topics_of({"b": [2.0, 0.5]}, ["y", "x"]),
    )
    found = difference_table(pd.concat([first, second]))
    assert found["difference"].tolist() == [0.25]


def test_one_topic_one_set_and_none():
    one = difference_table(topics_of({"a": [1.0], "b": [3.0]}))
    assert one["difference"].tolist() == [-2] and one[["t", "p", "low"]].isna().all(axis=None)
    alone = topics_of({"a": [1.0, 2.0]})
    assert difference_table(alone).empty
    assert difference_table(alone, [alone.to_dict("records")] * 10).empty
    apart = pd.concat([topics_of({"a": [1.0]}, ["x"]), topics_of({"b": [1.0]}, ["y"])])
    assert difference_table(apart)["n_topics"].tolist() == [0]
    same = difference_table(topics_of({"a": [1.0, 2.0], "b": [1.0, 2.0]}))
    assert same["difference"].tolist() == [0] and same["p"].isna().all()


@pytest.mark.parametrize("kind", ["str", "category"])
def test_sets_are_in_the_order_of_the_rows_and_pairs_within_a_list(kind):
    first = topics_of({"z": [1.0, 2.0], "a": [1.0, 3.0]}).assign(preferences="q")
    second = topics_of({"a": [1.0, 2.0], "c": [4.0, 3.0]}).assign(list="best")
    names = ["preferences", "set", "list"]
    found = difference_table(pd.concat([first, second]).astype(dict.fromkeys(names, kind)))
    assert found[["preferences", "list", "first", "second", "difference"]].to_numpy().tolist() == [
        ["q", "judged", "z", "a", -0.5],
        ["p", "best", "a", "c", -2.0],
    ]
