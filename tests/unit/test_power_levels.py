"""Sets cut into fewer levels: which cut keeps the most, and what others cost."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from regrade.agreement import alpha
from regrade.cutsearch.best import best_cuts
from regrade.cutsearch.search import search
from regrade.power.label_sets import GradedSet, PowerInputs, Systems, all_lists, discrimination_of
from regrade.power.levels import (
    AGREEMENT,
    AS_IT_IS,
    EVEN,
    POWER,
    UNCUT,
    Agreeing,
    CutOptions,
    CutSet,
    best_searched,
    concordance,
    cut_sets,
    cut_table,
    even_thresholds,
    level_systems,
    level_table,
    no_search,
    searched_table,
)
from regrade.power.preferences import Graded, PreferenceTests
from regrade.power.topics import PowerOptions, power_table
from regrade.scales import Scale
from regrade.tables import write_table
from tests.unit.test_power_label_sets import HOW, SETS, TRUE, labels, preferences, runs

FINE = labels("fine", 8, noise=0.2)


def crowd(workers=3, levels=8):
    rng = np.random.default_rng(5)
    rows = [
        (
            t,
            d,
            f"w{w}",
            "u",
            float(np.clip(np.floor((r + 0.1 * rng.standard_normal()) * levels), 0, 7)),
        )
        for (t, d), r in TRUE.items()
        for w in range(workers)
    ]
    frame = pd.DataFrame(rows, columns=["topic", "docno", "worker", "unit", "value"])
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return GradedSet("crowd", table, 0, levels - 1)


CROWD = crowd()


def searching(*levels, **options):
    scales = {"fine": Scale.of({"levels": 8}), "crowd": Scale.of({"levels": 8})}
    return CutOptions(scales, levels, options.pop("grids", {}), **options)


def searched(sets, *levels, how=HOW, lists=None, **options):
    lists = all_lists(sets, None, []) if lists is None else lists
    inputs = PowerInputs(sets, preferences(), lists, how)
    return searched_table(inputs, searching(*levels, **options))


@pytest.mark.parametrize("one", [FINE, CROWD])
def test_the_search_finds_what_trying_every_cut_finds(one):
    """The first step looks at all cuts here; PDP is that of the set on these levels."""
    found = searched([one], 2, 3, individually=1000)
    tests = preferences()["people"]
    lists = all_lists([one], None, [])
    for (mode, levels), some in found.groupby(["mode", "levels"]):
        assert len(some) == some["cuts"].iloc[0] == {2: 7, 3: 21}[levels]
        for row in some.itertuples():
            cut = [row.c1] if levels == 2 else [row.c1, row.c2]
            graded = one.graded.in_mode(mode).cut(cut)
            table = power_table(graded, tests, lists, PowerOptions(modes=["individual"]))
            assert row.entropy == pytest.approx(table["entropy"].iloc[-1], abs=1e-9)
        best = best_searched(some).iloc[0]
        assert best["entropy"] == pytest.approx(some["entropy"].min(), abs=1e-9)


def test_only_the_best_by_pairs_are_evaluated():
    every = searched([FINE], 3)
    few = searched([FINE], 3, evaluated=4)
    assert few["place"].tolist() == [1, 2, 3, 4] * 2
    assert (few["cuts"] == 21).all()
    merged = few.merge(every, on=["mode", "place"])
    assert merged["entropy_x"].to_numpy() == pytest.approx(merged["entropy_y"].to_numpy())


def test_sets_that_are_not_asked_for_or_have_too_few_values_are_not_cut():
    assert searched(SETS[1:], 2).empty
    assert set(searched([FINE], 7)["levels"]) == {7}
    assert searched([FINE], 8).empty if len(FINE.graded.values) == 8 else True


def agreeing(one, levels):
    """Of aggregated values with the values of one assessor more."""
    reference = FINE.graded.cut(np.arange(1, levels) * 2.0 - 1)
    table = pd.DataFrame(
        {
            "topic": reference.documents.get_level_values(0),
            "docno": reference.documents.get_level_values(1),
            "grade": reference.grades()[:, 0],
        }
    )
    found = search(one.table, 8, levels, "d2_at", pa.Table.from_pandas(table, preserve_index=False))
    return Agreeing(
        "crowd-to-3", "d2_at@So", one.name, levels, best_cuts(found, "So"), found.to_frame()
    )


def test_each_cut_costs_in_the_others_currency(tmp_path):
    of = agreeing(CROWD, 3)
    found = searched([CROWD], 2, 3, individually=50)
    lists = all_lists([CROWD], None, [])
    agreed = [of]
    table = cut_table(PowerInputs([CROWD], preferences(), lists, HOW), found, agreed)
    write_table(table, tmp_path / "cuts", "power/cuts")
    write_table(found, tmp_path / "searched", "power/searched")
    assert set(table["by"]) == {POWER, EVEN, AGREEMENT}
    held = table.dropna(subset="search").set_index(["mode", "by"])
    assert len(held) == 4
    for mode in HOW.modes:
        power, agreement = held.loc[mode, POWER], held.loc[mode, AGREEMENT]
        assert power["entropy_lost"] == 0
        assert agreement["alpha_lost"] == 0
        assert agreement["entropy_lost"] >= -1e-9
        assert power["alpha_lost"] >= -1e-12
        assert agreement["alpha"] == pytest.approx(of.alpha["mean"].max())
        graded = CROWD.graded.in_mode(mode).cut(of.cut)
        plain = power_table(
            graded, preferences()["people"], lists, PowerOptions(modes=["individual"])
        )
        assert agreement["entropy"] == pytest.approx(plain["entropy"].iloc[-1])


def test_a_cut_that_no_search_tried_has_no_alpha():
    of = agreeing(CROWD, 2)
    assert np.isnan(of.alpha_of(np.array([0.5])))
    assert of.alpha_of(of.cut) == of.alpha["mean"].max()


def test_more_levels_tell_more_apart(tmp_path):
    sets = [SETS[0], SETS[1]]
    cuts = cut_sets(sets, [2, 3], searched(sets[1:], 2))
    levels = level_table(cuts, PowerInputs(sets, preferences(), all_lists(sets, None, []), HOW))
    write_table(levels, tmp_path / "levels", "power/levels")
    some = levels[levels["set"] == "fine"].drop_duplicates("levels").set_index("levels")
    assert some["made"].to_dict() == {UNCUT: 6, 2: 2, 3: 3}
    assert some["way"].to_dict() == {UNCUT: AS_IT_IS, 2: EVEN, 3: EVEN}
    assert some["entropy"][UNCUT] < some["entropy"][3] < some["entropy"][2]
    # labels without noise never contradict a test
    assert some["concordance"][UNCUT] > some["concordance"][2] > 0
    # two levels are not cut into two
    assert set(levels.loc[levels["set"] == "coarse", "levels"]) == {UNCUT}


def test_a_searched_cut_stands_beside_the_even_one():
    sets = [CROWD]
    found = searched(sets, 2, how=PowerOptions(modes=["aggregate"]))
    cuts = cut_sets(sets, [4], found)
    assert [(cut.levels, cut.way) for cut in cuts] == [
        (UNCUT, AS_IT_IS),
        (2, EVEN),
        (4, EVEN),
        (2, POWER),
    ]
    levels = level_table(
        cuts,
        PowerInputs(
            sets, preferences(), all_lists(sets, None, []), PowerOptions(modes=["aggregate"])
        ),
    )
    by = levels.set_index(["levels", "way"])
    assert by.loc[(2, POWER), "entropy"] <= by.loc[(2, EVEN), "entropy"] + 1e-9
    cut = cuts[-1].cut
    assert by.loc[(2, POWER), "alpha"] == pytest.approx(alpha(CROWD.graded.cut(cut).grades().T))


def test_both_tables_tell_the_same_of_a_searched_cut():
    """In aggregate mode medians are cut, not levels aggregated."""
    sets, lists = [CROWD], all_lists([CROWD], None, [])
    found = searched(sets, 2, 3)
    inputs = PowerInputs(sets, preferences(), lists, HOW)
    table = cut_table(inputs, found, [])
    levels = level_table(cut_sets(sets, [2, 3], found), inputs)
    keys = ["mode", "levels"]
    merged = table.merge(levels, left_on=[*keys, "by"], right_on=[*keys, "way"])
    assert len(merged) == 8
    assert merged["entropy_x"].to_numpy() == pytest.approx(merged["entropy_y"].to_numpy())


def test_systems_under_cut_sets(tmp_path):
    sets = [FINE]
    cuts = cut_sets(sets, [2], searched(sets, 3, how=PowerOptions(modes=["aggregate"])))
    table = level_systems(cuts, Systems(runs(), ["nDCG@10", "RR"]))
    write_table(table, tmp_path / "level_systems", "power/level_systems")
    whole = table[table["levels"] == UNCUT]
    # every run's first document is relevant: no ranking by RR
    assert whole["tau"].tolist() == pytest.approx([1, np.nan], nan_ok=True)
    assert table["tau"].dropna().between(-1, 1).all()
    assert table.loc[table["way"] == POWER, "preferences"].eq("people").all()
    assert table.loc[table["way"] != POWER, "preferences"].isna().all()


def test_medians_that_are_all_equal_make_one_level(tmp_path):
    """Assessors differ, so that there are grades to cut, but their medians do not."""
    rows = [(topic, docno, f"w{w}", "u", float(w)) for topic, docno in TRUE for w in range(3)]
    frame = pd.DataFrame(rows, columns=["topic", "docno", "worker", "unit", "value"])
    alike = GradedSet("alike", pa.Table.from_pandas(frame, preserve_index=False), 0, 2)
    cuts = cut_sets([alike], [2], no_search())
    table = level_table(
        cuts, PowerInputs([alike], preferences(), all_lists([alike], None, []), HOW)
    )
    assert table.loc[table["levels"] == 2, "made"].tolist() == [1, 1]
    told = level_systems(cuts, Systems(runs(), ["nDCG@10", "RBP(p=0.8)"]))
    assert told.loc[told["levels"] == 2, "share"].tolist() == [0, 0]


def test_equal_cuts_are_told_apart_once(monkeypatch):
    cuts = cut_sets([FINE], [2], no_search())
    again = [*cuts, CutSet(FINE, 2, POWER, cuts[-1].cut, {"preferences": "people"})]
    counted = []
    monkeypatch.setattr(
        "regrade.power.levels.discrimination_of",
        lambda *of: counted.append(of) or discrimination_of(*of),
    )
    table = level_systems(again, Systems(runs(), ["nDCG@10"]))
    assert (len(table), len(counted)) == (3, 2)
    assert table["tau"].iloc[1] == table["tau"].iloc[2]
    pd.testing.assert_frame_equal(level_systems(again, Systems(runs(), ["nDCG@10"]), 3), table)


def test_concordance_is_somers_d():
    index = pd.MultiIndex.from_tuples([("a", f"d{i}") for i in range(3)])
    graded = Graded.from_values(index, np.array([[2.0], [1.0], [1.0]]))
    rows = [("a", "d0", "d1", -1.0), ("a", "d0", "d2", 1.0), ("a", "d1", "d2", 1.0)]
    rows = pd.DataFrame(rows, columns=["topic", "left", "right", "strength"])
    tests = PreferenceTests.from_table(rows)
    assert concordance(graded, tests) == 0
    tests = PreferenceTests.from_table(rows.assign(strength=[-1.0, -2.0, 0.0]))
    assert concordance(graded, tests) == 1
    tests = PreferenceTests.from_table(rows.assign(strength=0.0))
    assert np.isnan(concordance(graded, tests))


@pytest.mark.parametrize(
    "values, levels, expected",
    [
        ([0, 1, 2, 3], 2, [1]),
        ([0, 1, 2, 3], 4, [0, 1, 2]),
        ([0, 0, 0, 5], 2, [0]),
        ([0, 0, 1], 5, [0]),
        ([2, 2, 2], 2, []),
    ],
)
def test_thresholds_part_values_evenly(values, levels, expected):
    assert even_thresholds(np.array(values), levels).tolist() == expected
