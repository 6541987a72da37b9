"""Designs of preference tasks: Table 5.1, exactness over sizes, sides, platforms' tables."""

import itertools
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.errors import MethodError, ParameterError
from regrade.preferences.design import (
    Task,
    design_tasks,
    known_roles,
    plan_task,
    row_per_pair,
    row_per_unit,
)

PRINTED = (
    pd.read_csv(Path(__file__).parents[2] / "data" / "published" / "yang2019-table-5.1.csv")
    .pivot(index="topic", columns="quantity", values="published")
    .reset_index()
)
SHORT = {402: 19, 403: 8, 407: 15, 440: 18}
"""Topics whose relevant known documents serve two groups each, with how many that takes."""


def documents(relevant, without, other, padding, topic="401"):
    roles = ["relevant"] * relevant + ["not relevant"] * without
    roles += ["other"] * other + ["padding"] * padding
    docnos = [f"D{i:03}" for i in range(len(roles))]
    return pd.DataFrame({"topic": topic, "docno": docnos, "role": roles})


def test_partitions_bring_a_share_of_all_partners_as_near_as_whole_ones_can():
    for pool, percent in itertools.product(range(1, 100, 7), range(5, 100)):
        task = Task(share=percent / 100)
        plan = plan_task(pool, 100, 100, task)
        shares = np.arange(1, 100) * task.partners / (plan.documents - 1)
        off = abs(shares - task.share)
        assert off[plan.partitions - 1] == pytest.approx(off.min(), abs=1e-12)


@pytest.mark.parametrize("row", list(PRINTED.itertuples()), ids=lambda row: str(row.topic))
def test_all_rows_of_table_5_1_come_out(row):
    plan = plan_task(row.pool, SHORT.get(row.topic, row.pool // 4), row.pool // 2)
    assert (plan.documents, plan.partitions, plan.units, plan.judgments_per_document) == (
        row.documents,
        row.partitions,
        row.units,
        row.judgments_per_document,
    )
    assert plan.serves == (2 if row.topic in SHORT else 1)


def test_the_pairs_of_table_5_1():
    plans = [plan_task(r.pool, SHORT.get(r.topic, r.pool), r.pool) for r in PRINTED.itertuples()]
    assert sum(plan.units for plan in plans) == 2628
    assert sum(plan.pairs for plan in plans) == 31536  # yang2019 §5.2
    assert sum(plan.documents for plan in plans) == 1876


def check(design, task, documents):
    """Everything that a design promises, counted in plain Python."""
    role = dict(zip(design.documents["docno"], design.documents["role"], strict=True))
    plan = design.topics.iloc[0]
    pool = documents[documents["role"] != "padding"]["docno"]
    assert set(pool) <= set(role)
    assert len(role) == plan["documents"]
    overall = Counter()
    for partition, rows in design.pairs.groupby("partition"):
        served = Counter()
        for _, unit in rows.groupby("unit"):
            pairs = list(zip(unit["left"], unit["right"], strict=True))
            assert list(unit["position"]) == list(range(1, task.size * task.partners // 2 + 1))
            assert len({frozenset(pair) for pair in pairs}) == len(pairs)
            times = Counter(d for pair in pairs for d in pair)
            assert set(times.values()) == {task.partners} and len(times) == task.size
            served.update(times.keys())
            kinds = [frozenset((role[a], role[b])) for a, b in pairs]
            assert list(unit["gold"]) == [kind == {"relevant", "not relevant"} for kind in kinds]
            assert unit["gold"].sum() == 1
            stays = list(unit["stays"])
            assert pd.isna(stays[0])
            for before, pair, kept in zip(pairs[:-1], pairs[1:], stays[1:], strict=True):
                assert kept in before and kept in pair
            surplus = Counter(a for a, _ in pairs)
            surplus.subtract(b for _, b in pairs)
            overall.update(surplus)
            if task.sides == "balanced":
                assert max(map(abs, surplus.values())) <= 1
        for docno, n in served.items():
            assert n == (plan["serves"] if role[docno] == "relevant" else 1), partition
        assert set(served) == set(role)
    if task.sides == "balanced":
        assert max(map(abs, overall.values())) <= 1


@settings(max_examples=40)
@given(st.data())
def test_designs_keep_what_they_promise(data):
    size = data.draw(st.integers(2, 10))
    partners = [k for k in range(1, size) if size * k % 2 == 0 and (k > 1 or size == 2)]
    task = Task(
        size=size,
        partners=data.draw(st.sampled_from(partners)),
        partitions=data.draw(st.integers(1, 3)),
        sides=data.draw(st.sampled_from(["balanced", "stay"])),
    )
    relevant, without = data.draw(st.integers(1, 12)), data.draw(st.integers(20, 40))
    other = data.draw(st.integers(0, 40))
    table = documents(relevant, without, other, padding=200)
    try:
        design = design_tasks(table, task, seed=3)
    except MethodError as error:
        groups = int(str(error).split("but ")[1].split()[0])
        assert groups > without  # the only thing that may be wanting
        return
    check(design, task, table)


def test_documents_met():
    table = documents(30, 60, 126, 0)
    design = design_tasks(table)
    of_405 = design.topics.iloc[0]
    assert (of_405["documents"], of_405["groups"], of_405["partitions"]) == (216, 27, 11)
    met = {d: set() for d in table["docno"]}
    for a, b in zip(design.pairs["left"], design.pairs["right"], strict=True):
        met[a].add(b)
        met[b].add(a)
    assert design.documents.set_index("docno")["met"].to_dict() == {
        d: len(m) for d, m in met.items()
    }
    assert of_405["met"] == pytest.approx(np.mean([len(m) for m in met.values()]) / 215)
    assert 0.13 < of_405["met"] < 33 / 215
    distinct = sum(map(len, met.values())) // 2
    assert of_405["repeated_pairs"] == len(design.pairs) - distinct
    assert (design.documents["pairs"] == 33).all() and (design.documents["units"] == 11).all()
    assert design.documents["left"].isin([16, 17]).all()


def test_surplus_known_documents_are_like_others():
    design = design_tasks(documents(20, 20, 0, 8))
    assert Counter(design.documents["role"]) == {"relevant": 5, "not relevant": 5, "other": 30}
    # of those in the order of preference, the first ones
    known = design.documents[design.documents["role"] == "relevant"]["docno"]
    assert list(known) == ["D000", "D001", "D002", "D003", "D004"]


def test_draws_depend_on_seed_and_topic_alone():
    one, two = documents(3, 3, 10, 8), documents(3, 3, 10, 8, topic="402")
    alone, both = design_tasks(one, seed=1), design_tasks(pd.concat([two, one]), seed=1)
    here = both.pairs[both.pairs["topic"] == "401"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone.pairs, here)
    assert not alone.pairs.equals(design_tasks(one, seed=2).pairs)
    other = both.pairs[both.pairs["topic"] == "402"].reset_index(drop=True)
    assert not alone.pairs["left"].equals(other["left"])


def test_everything_in_one_group():
    design = design_tasks(documents(1, 1, 6, 0), Task(partitions=1))
    assert design.topics.iloc[0][["groups", "units", "pairs"]].tolist() == [1, 1, 12]
    two = design_tasks(documents(1, 1, 0, 0), Task(size=2, partners=1))
    assert len(two.pairs) == 1 and two.pairs["gold"].all()


def test_positions_of_gold_pairs_and_documents_are_spread():
    design = design_tasks(documents(30, 60, 126, 0))
    gold = design.pairs[design.pairs["gold"]]["position"].value_counts()
    assert len(gold) == 12 and gold.max() < 60  # of 297, about 25 each
    first = design.pairs[design.pairs["position"] == 1]["left"].value_counts()
    assert first.max() <= 8


def test_300_documents_in_14_partitions_under_a_second():
    table = documents(38, 60, 202, 4)
    design_tasks(documents(1, 1, 6, 0))
    began = time.process_time()
    design = design_tasks(table, Task(partitions=14))
    assert time.process_time() - began < 1
    assert len(design.pairs) == 38 * 14 * 12


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (documents(0, 5, 20, 8), "topic 401: .* one known relevant document"),
        (documents(5, 2, 20, 8), "topic 401: 2 documents are known not .* 4 groups"),
        (documents(5, 5, 20, 1), "topic 401: 30 documents need 2 more .* 1 have the role padding"),
        (documents(0, 0, 0, 0), "no document"),
    ],
)
def test_what_has_no_design(table, message):
    with pytest.raises(MethodError, match=message):
        design_tasks(table)


def test_wrong_parameters():
    with pytest.raises(MethodError, match="7 × 3 is odd"):
        Task(size=7)
    with pytest.raises(ParameterError, match="unknown sides 'left'"):
        Task(sides="left")
    with pytest.raises(ParameterError, match="share 0"):
        Task(share=0)
    with pytest.raises(ParameterError, match="judges 0"):
        Task(judges=0)
    table = documents(2, 2, 4, 0)
    with pytest.raises(ParameterError, match="D000 of topic 401 occurs twice"):
        design_tasks(pd.concat([table, table]))
    with pytest.raises(ParameterError, match="unknown role 'good'"):
        design_tasks(table.assign(role="good"))


def test_known_roles():
    pool = pd.DataFrame({"topic": "401", "docno": list("ABCDEF")})
    labels = pd.DataFrame(
        {"topic": "401", "docno": list("ABCDX"), "grade": [1.0, 3.0, 2.0, 0.0, 3.0]}
    )
    roles = known_roles(pool, labels, relevant=[3, 2, 1], not_relevant=[0])
    assert list(roles[roles["role"] == "relevant"]["docno"]) == ["B", "C", "A"]
    assert list(roles[roles["role"] == "not relevant"]["docno"]) == ["D"]
    assert set(roles[roles["role"] == "other"]["docno"]) == {"E", "F"}
    with pytest.raises(ParameterError, match="grade 1 is both"):
        known_roles(pool, labels, [1], [1])


def test_tables_for_platforms():
    design = design_tasks(documents(2, 2, 12, 0), Task(partitions=2))
    long = row_per_pair(design.pairs)
    assert list(long) == ["topic", "unit", "position", "left", "right"]
    assert list(long["left"]) == list(design.pairs["left"])
    wide = row_per_unit(design.pairs)
    assert list(wide["unit"]) == list(design.pairs["unit"].unique())
    assert list(wide)[:6] == ["topic", "unit", "left_1", "right_1", "left_2", "right_2"]
    assert wide.shape == (4, 2 + 2 * 12)
    third = design.pairs[(design.pairs["unit"] == "401-1-2") & (design.pairs["position"] == 3)]
    assert wide.loc[1, "right_3"] == third["right"].item()
