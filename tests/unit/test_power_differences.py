"""Differences of PDP between sets: scipy's paired t-test, and the edges."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from regrade.power.differences import difference_table
from tests.reference.skewed_means import mean_ends
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
        ends = mean_ends(np.subtract(*pair))
        assert row.n_topics == pair.shape[1]
        assert [row.difference, row.t, row.p, row.low, row.high] == pytest.approx(
            [np.subtract(*pair).mean(), expected.statistic, expected.pvalue, *ends]
        )


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
    assert difference_table(topics_of({"a": [1.0, 2.0]})).empty
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
