"""Drawn partitions against scoring each subset by itself."""

from itertools import combinations

import krippendorff
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from regrade.catalogue import columns_of
from regrade.errors import MethodError
from regrade.preferences.document_scores import score_answers
from regrade.preferences.partitions import (
    ALL,
    available_partitions,
    drawn_partitions,
    partition_draws,
    partition_systems,
    partition_topics,
)
from regrade.run_arrays import RankedLists
from tests.unit.preferences_answers import changed, kept, labels
from tests.unit.trec import runs_table

METHODS = ["frequency", "absolute", "ratio"]


def made(seed=1, **options):
    return kept(seed, workers=6, units=3, partitions=6, **options)


def drawn(table=None, counts=(2, 4), draws=3):
    return partition_draws(made() if table is None else table, counts, draws, METHODS)


def test_partitions_are_drawn_without_putting_back():
    available = {"a": [3, 1, 2], "b": [5]}
    found = drawn_partitions(available, 2, 1, seed=1)
    assert len(set(found["a"])) == 2
    assert found["b"].tolist() == [5]
    assert drawn_partitions(available, ALL, 1, seed=1)["a"].tolist() == [1, 2, 3]
    seen = {tuple(drawn_partitions(available, 2, d, 1)["a"]) for d in range(40)}
    assert seen == set(combinations([1, 2, 3], 2))


def test_draws_of_a_topic_do_not_depend_on_others():
    both = drawn_partitions({"a": range(9), "b": range(9)}, 4, 2, seed=7)
    assert drawn_partitions({"b": range(9)}, 4, 2, seed=7)["b"].tolist() == both["b"].tolist()


def test_a_draws_scores_are_those_of_its_answers():
    table = made()
    found = drawn(table)
    assert [(d.partitions, d.number) for d in found] == [
        (ALL, 1), (2, 1), (2, 2), (2, 3), (4, 1), (4, 2), (4, 3)
    ]  # fmt: skip
    available = {t: np.arange(1, 7) for t in ("0", "1")}
    for draw in found[:3]:
        chosen = drawn_partitions(available, draw.partitions, draw.number, seed=1)
        rows = [r for r in table.to_pylist() if r["partition"] in chosen[r["topic"]]]
        expected = score_answers(type(table).from_pylist(rows, schema=table.schema), METHODS)
        pd.testing.assert_frame_equal(draw.scores, expected[list(draw.scores.columns)])


def test_agreement_of_draws_is_krippendorffs():
    found = drawn()
    table = partition_topics(found, available_partitions(made()))
    assert list(table.columns) == columns_of("preferences/partition_topics")
    assert len(table) == 3 * 2 * 2
    row = table[
        (table["method"] == "frequency") & (table["partitions"] == 4) & (table["topic"] == "0")
    ].iloc[0]
    scores = [
        d.scores[(d.scores["method"] == "frequency") & (d.scores["topic"] == "0")].set_index(
            "docno"
        )["value"]
        for d in (found[0], *found[4:])
    ]
    wide = pd.concat(scores, axis=1).dropna().to_numpy()
    orders = np.array(
        [
            [np.sign(round(one[j] - one[i], 9)) for i, j in combinations(range(len(one)), 2)]
            for one in wide[:, 1:].T
        ]
    )
    both = np.hstack([orders, -orders])
    expected = krippendorff.alpha(both, level_of_measurement="nominal")
    assert row["alpha"] == pytest.approx(expected)
    taus = [stats.kendalltau(wide[:, 0], one).statistic for one in wide[:, 1:].T]
    assert [row["tau"], row["tau_low"], row["tau_high"]] == pytest.approx(
        [np.mean(taus), min(taus), max(taus)]
    )
    assert (row["used"], row["available"], row["draws"]) == (4, 6, 3)
    assert row["documents"] == len(wide)


def test_all_partitions_agree_with_themselves():
    table = made()
    found = partition_draws(table, [6, 9], 2, METHODS)
    topics = partition_topics(found, available_partitions(table))
    assert topics["tau"].tolist() == pytest.approx([1.0] * len(topics))
    assert topics["alpha"].tolist() == pytest.approx([1.0] * len(topics))
    assert set(topics["used"]) == {6}


def systems():
    rng = np.random.default_rng(5)
    runs = {
        f"s{s}": {
            t: [(f"d{d}", 9.0 - i) for i, d in enumerate(rng.permutation(6)[:5])] for t in "01"
        }
        for s in range(5)
    }
    return RankedLists.from_table(runs_table(runs))


def test_systems_under_draws():
    found = drawn()
    references = {"R": (labels(documents=6), 1.0)}
    made_of = partition_systems(found, systems(), references, ["RBP(p=0.5)"])
    for name in ("partition_systems", "partition_taus"):
        assert list(made_of[name].columns) == columns_of(f"preferences/{name}")
    assert len(made_of["partition_systems"]) == 3 * 7 * 5
    assert len(made_of["partition_taus"]) == 3 * 7
    table = made_of["partition_quadrants"]
    assert list(table.columns) == columns_of("preferences/partition_quadrants")
    assert set(table["pairs"]) == {10}
    assert (table[["tp", "fp", "fn", "tn"]].sum(axis=1) - 10).abs().max() < 1e-12
    first = table[(table["partitions"] == ALL) & (table["method"] == "frequency")].iloc[0]
    assert first["rbo"] == pytest.approx(1)
    assert first["draws"] == 1
    # means of draws
    here = []
    for draw in found[1:4]:
        tables = partition_systems([found[0], draw], systems(), references, ["RBP(p=0.5)"])
        q = tables["partition_quadrants"]
        here.append(q[(q["partitions"] == 2) & (q["method"] == "ratio")].iloc[0]["rbo"])
    assert table[(table["partitions"] == 2) & (table["method"] == "ratio")].iloc[0][
        "rbo"
    ] == pytest.approx(np.mean(here))


def test_what_cannot_be_drawn_says_so():
    with pytest.raises(MethodError, match="partition"):
        partition_draws(changed(made(), partition=None), [1], 1, METHODS)
