"""The tables and figures of a ranking, from small ones that the library makes."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from regrade.catalogue.arrow import SCHEMAS
from regrade.errors import RegradeError
from regrade.ranking.answer import answer
from regrade.ranking.figures import figure_ranking
from regrade.ranking.items import RANKING
from regrade.ranking.rank_systems import RankingOptions, rank_systems
from regrade.show.ranked import FIRST, OTHERS
from regrade.tables import conform
from tests.each import others_slow
from tests.snapshots import assert_said
from tests.unit.figure_checks import (
    assert_bar_as_high_as_panel,
    assert_same_files,
    described,
    on_page,
    table_lines,
    words,
)
from tests.unit.items_made import assert_made, shown
from tests.unit.test_ranking_rank_systems import scored, world

MANY = {
    "many": world(30, 40),
    "two systems": world(2, 30),
    "two topics": world(6, 2),
    "one topic": world(6, 1),
    "all the same": np.full((6, 20), 0.5),
    "long names": world(8, 20),
}
ITEMS = [item for item in RANKING.items if item.name != "table-judges"]
NOTHING = {("one topic", "figure-reliability"), ("one topic", "figure-power")}


@pytest.fixture(scope="module")
def made():
    """The tables of each of `MANY`, as they are read again."""
    found = {}
    for name, values in MANY.items():
        scores = scored(values)
        if name == "long names":
            names = tuple(f"a-system-with-a-long-name-${i}$" for i in range(len(values)))
            scores = type(scores)(
                names, scores.topics, scores.measures, scores.values, scores.residuals
            )
        ranked = rank_systems(scores, RankingOptions(draws=200, splits=20), [scored(values)])
        ranked["answer"] = answer(ranked).to_frame()
        found[name] = {
            table: conform(
                pa.Table.from_pandas(one, preserve_index=False), SCHEMAS[f"ranking/{table}"], table
            ).to_pandas()
            for table, one in ranked.items()
        }
    return found


def asked(item, of, **given):
    fewer = {"limit": 10} if "limit" in item.settings else {}
    return shown(item, of, **fewer | given)


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
@pytest.mark.parametrize("name", MANY)
def test_every_item_shows_what_there_is(made, item, name, tmp_path):
    cannot = (name, item.name) in NOTHING
    found = assert_made(item, lambda: asked(item, made[name]), cannot, tmp_path)
    if item.is_table:
        assert len(found[1]) or name == "one topic"
    elif not cannot:
        assert not [word for word in words(found) if "nan" in word]


def test_what_is_shown(made):
    def say(name):
        item = RANKING.by_name[name]
        found = asked(item, made["many"])
        return table_lines(found[1]) if item.is_table else described(found)

    assert_said("shown-ranking", say, ((item.name,) for item in RANKING.items))


@pytest.mark.parametrize("name", others_slow(["figure-systems", "figure-pairs", "figure-power"]))
def test_figures_are_the_same_files_when_drawn_again(made, name, tmp_path):
    item = RANKING.by_name[name]
    assert_same_files(tmp_path, lambda: asked(item, made["many"]), "")


def test_nobody_is_drawn_as_surely_worse_where_nothing_is_sure(made):
    systems = made["many"]["systems"]
    unknown = pd.array([pd.NA] * len(systems), "boolean")
    unsure = systems.assign(tier=unknown.astype("Int64"), may_be_best=unknown)
    for table, others in ((systems, True), (unsure, False)):
        figure = figure_ranking(table, made["many"]["facts"], 25)
        drawn = {line.get_color() for line in figure.axes[0].lines if len(line.get_xdata())}
        assert (OTHERS in drawn) == others and FIRST in drawn


def test_the_bar_of_few_pairs_is_as_high_as_they_are(made):
    of = made["many"]
    for shown_of in (2, 6):
        few = asked(RANKING.by_name["figure-pairs"], of, limit=shown_of)
        assert_bar_as_high_as_panel(few)
        assert on_page(few)


@pytest.mark.parametrize("intervals", [True, False])
def test_curves_have_an_interval_in_the_legend_where_they_have_one(made, intervals):
    of = dict(made["many"])
    if not intervals:
        of["reliability"] = of["reliability"].assign(low=np.nan, high=np.nan)
    said = " ".join(words(asked(RANKING.by_name["figure-reliability"], of)))
    assert "Eρ²" in said and "Φ" in said
    assert ("95 % CI" in said) == intervals


def test_a_measure_that_is_not_there_is_said(made):
    with pytest.raises(RegradeError):
        asked(RANKING.by_name["figure-systems"], made["many"], measure="RR")
