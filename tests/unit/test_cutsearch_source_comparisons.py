"""Two searches' best α, topic by topic: against scipy, and the edges."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from regrade.catalogue import columns_of
from regrade.cutsearch.best import best_cuts
from regrade.cutsearch.search import search
from regrade.cutsearch.source_comparisons import compared_searches
from regrade.tables import read_table, write_table
from tests.reference.skewed_means import mean_ends
from tests.unit.judgments import random_judgments, random_labels

NAMES = ("ME-to-2", "S11-to-2")


def searched(seed: int, levels: int = 11, topics: int = 5, method: str = "d2_at"):
    """Tables ``best_cuts`` and ``alpha`` of one search, with labels that seeds share."""
    judgments = random_judgments(seed, levels=levels, topics=topics)
    labels = random_labels(1, random_judgments(1, levels=levels, topics=topics), 2)
    found = search(judgments, levels, 2, method, labels if method == "d2_at" else None)
    return best_cuts(found), found.to_frame()


def test_against_scipy():
    first, second = searched(1, topics=12), searched(2, topics=12)
    of_first = {"tw1": first, "d2_at@E": first}  # one search that the other lacks comes before
    table = compared_searches(of_first, {"d2_at@E": second}, NAMES)
    assert list(table) == columns_of("cut-comparisons/agreement")
    told = ("first", "second", "method", "reference")
    assert table[[*told]].drop_duplicates().to_numpy().tolist() == [[*NAMES, "d2_at", "E"]]
    assert table["selection"].tolist() == ["per-topic", "single"]
    topics = [name for name in first[1] if name.isdigit()]
    for row in table.itertuples():
        values = []
        for best, alpha in (first, second):
            best = best.set_index("topic")
            if row.selection == "per-topic":
                values.append(best.loc[topics, "value"].to_numpy(dtype=float))
            else:
                values.append(alpha.loc[alpha["c1"] == best.at["*", "c1"], topics].to_numpy()[0])
        expected = stats.ttest_rel(*values)
        assert (row.t, row.p) == pytest.approx((expected.statistic, expected.pvalue))
        assert (row.low, row.high) == pytest.approx(mean_ends(values[0] - values[1]))
        assert row.alpha_first == pytest.approx(values[0].mean())
        assert row.alpha_second == pytest.approx(values[1].mean())
        assert row.difference == pytest.approx(values[0].mean() - values[1].mean())
        assert row.better + row.worse <= row.n_topics == len(topics)
        assert row.better == sum(values[0] > values[1])


def test_it_can_be_written(tmp_path):
    table = compared_searches({"tw1": searched(1, method="tw1")}, {"tw1": searched(2)}, NAMES)
    write_table(table, tmp_path / "t.parquet", "cut-comparisons/agreement")
    assert read_table(tmp_path / "t.parquet")["reference"].to_pylist() == [None, None]


def test_searches_that_one_side_lacks_are_passed_over():
    assert compared_searches({"tw1": searched(1)}, {"d2_at@E": searched(1)}, NAMES).empty


def test_the_same_has_no_difference():
    one = searched(1)
    table = compared_searches({"d2_at@E": one}, {"d2_at@E": one}, NAMES)
    assert (table[["difference", "better", "worse"]] == 0).all(axis=None)
    assert table["p"].isna().all()


def test_one_topic_has_a_difference_but_no_test():
    first, second = (searched(seed, topics=1) for seed in (1, 2))
    table = compared_searches({"d2_at@E": first}, {"d2_at@E": second}, NAMES)
    assert (table["n_topics"] == 1).all()
    assert table["difference"].notna().all()
    assert table[["low", "high", "t", "p"]].isna().all(axis=None)


def test_a_topic_without_a_cut_on_one_side_is_left_out_and_nothing_in_common_is_null():
    (best, alpha), second = searched(1), searched(2)
    best, alpha = best.copy(), alpha.copy()
    best.loc[best["topic"] == "1", ["c1", "value"]] = np.nan
    alpha["1"] = np.nan
    table = compared_searches({"d2_at@E": (best, alpha)}, {"d2_at@E": second}, NAMES)
    assert (table["n_topics"] == 4).all()
    best[["c1", "value"]] = np.nan
    table = compared_searches({"d2_at@E": (best, alpha)}, {"d2_at@E": second}, NAMES)
    assert (table["n_topics"] == 0).all()
    assert pd.isna(table["difference"]).all()
