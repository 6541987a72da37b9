"""Tasks from sets: roles and padding, units, test questions, Table 5.3."""

import pandas as pd
import pytest

from regrade.errors import MethodError, ParameterError
from regrade.preferences.design import PADDING, Task
from regrade.preferences.tasks import (
    answer_key,
    design_from_sets,
    pool_of_topics,
    pseudo_pairs,
    row_per_test,
    unit_table,
)

# yang2019 Table 5.3, as printed: preference for Doc1 and Doc2; options 1 to 3
TABLE_5_3 = {
    "HH": "11 100",
    "HM": "10 110",
    "MH": "01 110",
    "HN": "10 010",
    "NH": "01 010",
    "MN": "10 011",
    "NM": "01 011",
    "NN": "11 001",
}


def labels(topic="401", relevant=4, without=12, outside=6):
    grades = [1] * relevant + [0] * (without + outside)
    docnos = [f"D{i:02}" for i in range(len(grades))]
    return pd.DataFrame({"topic": topic, "docno": docnos, "grade": grades}).astype({"grade": float})


def pool(topic="401", documents=14):
    return pd.DataFrame({"topic": topic, "docno": [f"D{i:02}" for i in range(documents)]})


def designed(**options):
    given = {"pool": pool(), "labels": labels(), "relevant": [1], "not_relevant": [0]} | options
    return design_from_sets(**given)


def test_documents_come_from_the_pool_and_padding_from_outside():
    design = designed()
    roles = design.documents.set_index("docno")["role"]
    assert set(pool()["docno"]) <= set(roles.index)
    assert len(roles) == 16
    filled = roles.index[roles == PADDING]
    assert len(filled) == 2
    assert not set(filled) & set(pool()["docno"])


def test_padding_is_drawn_and_does_not_depend_on_other_topics():
    drawn = {seed: designed(seed=seed).documents for seed in range(8)}
    fills = {tuple(d["docno"][d["role"] == PADDING]) for d in drawn.values()}
    assert len(fills) > 2
    two = designed(
        pool=pd.concat([pool("400"), pool()]), labels=pd.concat([labels(), labels("400")]), seed=3
    )
    same = two.documents[two.documents["topic"] == "401"].reset_index(drop=True)
    pd.testing.assert_frame_equal(same, drawn[3])


def test_too_few_documents_outside_the_pool():
    with pytest.raises(MethodError, match="topic 401: 14 documents need 2 more"):
        designed(labels=labels(without=10, outside=1))


def test_topics_are_chosen_and_a_missing_one_is_refused():
    both = pd.concat([pool("400"), pool()])
    assert set(designed(pool=pool_of_topics(both, ["401"])).topics["topic"]) == {"401"}
    assert pool_of_topics(both, None) is both
    with pytest.raises(MethodError, match="no document of topic 402"):
        pool_of_topics(pool(), ["401", "402"])


def test_known_documents_serve_as_many_groups_as_asked():
    plain, twice = designed().topics.iloc[0], designed(serves={"401": 2}).topics.iloc[0]
    assert (plain["serves"], plain["groups"], plain["documents"]) == (1, 2, 16)
    assert (twice["serves"], twice["groups"], twice["documents"]) == (2, 2, 15)
    with pytest.raises(ParameterError, match="serves 0"):
        designed(serves={"401": 0})


def test_units_say_where_the_gold_pair_is():
    design = designed(task=Task(partitions=3))
    units = unit_table(design)
    assert len(units) == len(design.pairs["unit"].unique()) == 6
    assert set(units["unit"]) == {f"401-{part}-{group}" for part in (1, 2, 3) for group in (1, 2)}
    assert set(units["documents"]) == {8}
    assert set(units["pairs"]) == {12}
    for unit in units.itertuples():
        pair = design.pairs[
            (design.pairs["unit"] == unit.unit) & (design.pairs["position"] == unit.gold)
        ]
        assert {*pair["left"], *pair["right"]} == {unit.relevant, unit.not_relevant}
        assert unit.relevant in {"D00", "D01", "D02", "D03"}
        assert unit.partition == pair["partition"].item()


def test_the_key_is_table_5_3():
    key = answer_key()
    for levels, printed in TABLE_5_3.items():
        left, right = levels
        of_pair = key[(key["left_level"] == left) & (key["right_level"] == right)]
        told = [
            "".join("01"[ok] for ok in rows["accepted"]) for _, rows in of_pair.groupby("question")
        ]
        assert " ".join(told) == printed, levels
    assert len(key) == 5 * len(TABLE_5_3)


def test_pairs_of_pseudo_documents():
    tests = pseudo_pairs(["401", "402"], 10, seed=2)
    assert len(tests) == 2 * (45 - 3)  # three are marginally relevant
    assert list(tests["test"][:42]) == list(range(1, 43))
    names = ["H1", "M1", "N1", "H2", "M2", "N2", "H3", "M3", "N3", "H4"]
    assert {*tests["left"][:42], *tests["right"][:42]} == {f"401-{name}" for name in names}
    levels = {
        name: level
        for side in ("left", "right")
        for name, level in zip(tests[side], tests[f"{side}_level"], strict=True)
    }
    assert sorted(levels.values()) == sorted("HHHHMMMNNN" * 2)
    assert all(name.split("-")[1][0] == level for name, level in levels.items())
    assert not ((tests["left_level"] == "M") & (tests["right_level"] == "M")).any()
    unordered = {(t.topic, *sorted((t.left, t.right))) for t in tests.itertuples()}
    assert len(unordered) == len(tests)
    assert 0.3 < (tests["left"] < tests["right"]).mean() < 0.7
    pd.testing.assert_frame_equal(pseudo_pairs(["401"], 10, seed=2), tests[:42])
    assert pseudo_pairs(["401"], 0).empty
    assert pseudo_pairs([], 4).empty
    with pytest.raises(ParameterError, match="two pseudo documents or more"):
        pseudo_pairs(["401"], 1)


def test_the_platform_is_told_what_to_accept():
    rows = row_per_test(pseudo_pairs(["401"], 10))
    of = {
        (r.left.split("-")[1][0] + r.right.split("-")[1][0]): (r.preference, r.relevance)
        for r in rows.itertuples()
    }
    for levels, printed in TABLE_5_3.items():
        if levels in of:
            options = [["left", "right"], ["both", "selected", "neither"]]
            accepted = tuple(
                "|".join(o for o, tick in zip(named, ticks, strict=True) if tick == "1")
                for named, ticks in zip(options, printed.split(), strict=True)
            )
            assert of[levels] == accepted
    assert list(row_per_test(pseudo_pairs([], 0))) == list(rows)
