"""Every item of chu2021 from what the library makes of a small collection."""

import math

import numpy as np
import pandas as pd
import pytest

from regrade.errors import ParameterError
from regrade.power.example import example_table
from regrade.power.synthetic import (
    SyntheticParameters,
    batch_table,
    consistency_table,
    quality_means,
    reliability_table,
)
from regrade.studies.chu2021 import figures, tables
from tests.snapshots import assert_said
from tests.unit.figure_checks import described, table_lines

SETS, PREFERENCES, LISTS = ("one", "other"), ("people", "model"), ("judged", "top 5")


@pytest.fixture(scope="module")
def synthetic():
    parameters = SyntheticParameters(topics=200, batch=20)
    batches = batch_table(parameters, [2, 4])
    return {
        "qualities": quality_means(batches),
        "consistency": consistency_table(batches),
        "reliability": reliability_table(parameters, [4], [10, 20], repeats=5),
    }


def every(**columns):
    """A row for each combination of the columns' values, with a number."""
    index = pd.MultiIndex.from_product(columns.values(), names=columns.keys())
    rows = index.to_frame(index=False)
    return rows.assign(value=np.linspace(0.2, 0.9, len(rows)))


@pytest.fixture
def power():
    topics = every(
        preferences=PREFERENCES, set=SETS, mode=["aggregate"], list=LISTS, topic=["t", "*"]
    ).rename(columns={"value": "entropy"})
    sets = every(set=SETS, quantity=["documents", "alpha", "phi"])
    sets.loc[sets["quantity"] == "alpha", "value"] = np.nan
    measures, tested = ["nDCG@10", "RR"], ["t", "bootstrap"]
    told = every(set=SETS, measure=measures, test=tested).rename(columns={"value": "share"})
    orders = every(
        preferences=PREFERENCES, mode=["aggregate"], list=LISTS, measure=measures, test=tested
    ).rename(columns={"value": "tau"})
    intervals = every(
        preferences=PREFERENCES, set=SETS, mode=["aggregate"], list=LISTS, over=["topics"]
    ).rename(columns={"value": "low"})
    served = every(preferences=PREFERENCES, set=SETS).assign(served=7, tied=[0, 1, 2, 2])
    ways = pd.DataFrame(
        [(0, "as it is"), (2, "even"), (2, "power"), (4, "even")], columns=["levels", "way"]
    )
    levels = every(preferences=PREFERENCES, set=SETS, mode=["aggregate"], list=LISTS)
    levels = levels.rename(columns={"value": "entropy"}).merge(ways, how="cross")
    systems = every(set=SETS, measure=measures, test=tested).rename(columns={"value": "share"})
    return {
        "topics": topics,
        "sets": sets,
        "discrimination": told.assign(pairs=15),
        "orders": orders.assign(sets=2),
        "served": served,
        "intervals": intervals.assign(high=1.0),
        "levels": levels.assign(alpha=0.5, concordance=0.3),
        "level_systems": systems.merge(ways, how="cross").assign(tau=0.9),
        "cuts": cuts(),
    }


def cuts():
    """A search by power, and one by agreement, of two levels and of three."""
    rows = [
        (2, None, None, "power", 40.0, np.nan, 4.0, 0.0, np.nan, np.nan),
        (2, None, None, "even", 50.0, np.nan, 4.2, 0.2, np.nan, np.nan),
        (2, "S-to-2", "d2_at@NIST", "power", 40.0, np.nan, 4.0, 0.0, 0.5, 0.1),
        (2, "S-to-2", "d2_at@NIST", "agreement", 45.0, np.nan, 4.1, 0.1, 0.6, 0.0),
        (3, None, None, "power", 40.0, 60.0, 3.0, 0.0, np.nan, np.nan),
    ]
    columns = ["levels", "transformation", "search", "by", "c1", "c2", "entropy", "entropy_lost"]
    frame = pd.DataFrame(rows, columns=[*columns, "alpha", "alpha_lost"])
    frame = frame.assign(**dict.fromkeys(("c3", "c4", "c5", "c6"), np.nan))
    return frame.assign(preferences="people", set="one", mode="aggregate", list="judged")


@pytest.fixture
def extended():
    of_lists = every(
        set=["one"],
        certainty=[np.nan, 1.0, math.inf],
        slice=[1, 2],
        preferences=["people"],
        list=["judged"],
        metric=["PDP individual"],
    )
    of_systems = of_lists.assign(preferences=None, list=None, metric="nDCG@10")
    return pd.concat([of_lists, of_systems], ignore_index=True)


def test_what_is_shown(power, extended, synthetic):
    def of(function, *names):
        return function(*(power[name] for name in names))

    made = {
        "table_sets": of(tables.table_sets, "sets", "served", "topics", "intervals"),
        "table_2": of(tables.table_2, "sets", "discrimination", "topics"),
        "table_orders": of(tables.table_orders, "orders"),
        "table_cuts": of(tables.table_cuts, "cuts"),
        "table_levels": of(tables.table_levels, "levels"),
        "table_pages": tables.table_pages(pages()),
        "table_consistency": tables.table_consistency(synthetic["consistency"]),
        "figure_4": figures.figure_4(synthetic["qualities"]),
        "figure_5": figures.figure_5(synthetic["consistency"]),
        "figure_6": figures.figure_6(synthetic["reliability"]),
        "figure_7": figures.figure_7(extended),
        "figure_levels": of(figures.figure_levels, "levels", "topics", "served"),
        "figure_level_systems": of(figures.figure_level_systems, "level_systems", "discrimination"),
        "figure_cuts": of(figures.figure_cuts, "cuts"),
        "figure_systems": of(figures.figure_systems, "topics", "discrimination", "orders"),
        "figure_pages": figures.figure_pages(pages()),
    }

    def say(name):
        one = made[name]
        return table_lines(one[1]) if isinstance(one, tuple) else described(one)

    assert_said("shown-chu2021", say, ((name,) for name in made))


def test_the_example_stands_beside_what_was_printed():
    published = pd.DataFrame({"grades": [4], "quantity": ["PDP individual"], "published": [4.2142]})
    tidy, readable = tables.table_example(example_table(), published=published)
    assert tidy.columns.tolist() == ["grades", "quantity", "published", "ours"]
    assert readable.loc[0, "PDP, individual"] == "4.2175 (4.2142)"
    assert readable.loc[1, "α"] == "0.57"


def pages():
    rows = every(
        set=["one"], levels=[0, 2], measure=["nDCG", "RBP(p=0.8)"], way=["even", "power"]
    ).rename(columns={"value": "share"})
    rows.loc[rows["levels"] == 0, "way"] = "as it is"
    rows = rows.drop_duplicates(["levels", "measure", "way"])
    tests = rows.iloc[:1].assign(measure="tests of documents", preferences="people")
    rows = rows.assign(preferences=np.where(rows["way"] == "power", "people", None))
    rows = pd.concat([rows, tests], ignore_index=True)
    counts = dict.fromkeys(("topics", "left_out", "preferred", "right", "wrong", "undecided"), 5)
    return rows.assign(**counts, low=rows["share"] - 0.1, high=rows["share"] + 0.1)


@pytest.mark.parametrize(
    "draw", [figures.figure_4, figures.figure_5, figures.figure_6, figures.figure_7]
)
def test_an_empty_table_is_said(draw):
    columns = ["mode", "grades", "quality", "metric", "tests", "set", "preferences", "list"]
    with pytest.raises(ParameterError, match="no rows"):
        draw(pd.DataFrame(columns=[*columns, "certainty"]))
