"""The tables and figures of a ranking, from small ones that the library makes."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import regrade
from regrade.catalogue.arrow import SCHEMAS
from regrade.errors import RegradeError
from regrade.ranking.answer import answer
from regrade.ranking.dataset_figures import MOST, figure_datasets
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
ITEMS = [i for i in RANKING.items if i.name not in ("table-judges", "figure-datasets")]
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

    shown_of = [item.name for item in RANKING.items if item.name != "figure-datasets"]
    assert_said("shown-ranking", say, ((name,) for name in shown_of))


@pytest.mark.parametrize("name", others_slow(["figure-systems", "figure-pairs", "figure-power"]))
def test_figures_are_the_same_files_when_drawn_again(made, name, tmp_path):
    item = RANKING.by_name[name]
    assert_same_files(tmp_path, lambda: asked(item, made["many"]), "")


@pytest.mark.parametrize("sets", [2, 3, 20])
def test_ranks_by_data_set(sets, tmp_path):
    items, rng = 12 * sets, np.random.default_rng(2)
    table = pd.DataFrame(
        {
            "system": np.repeat([f"s{s}" for s in range(6)], items),
            "topic": np.tile([f"i{t}" for t in range(items)], 6),
            "dataset": np.tile([f"set {t % sets:02}" for t in range(items)], 6),
            "accuracy": rng.random(6 * items),
        }
    )
    ranking = regrade.rank(table, draws=200, splits=20)
    figure = ranking.plot()
    panels = [axes for axes in figure.axes if axes.get_visible()]
    assert len(panels) == 1 + min(sets, MOST)
    assert on_page(figure)
    assert not [word for word in words(figure) if "topic" in word]
    order = ranking.systems["system"].tolist()
    for panel, name in zip(panels[1:], ranking.datasets["dataset"].unique(), strict=False):
        own = ranking.datasets[ranking.datasets["dataset"] == name].set_index("system")
        drawn = {round(text.get_position()[1]): text.get_text() for text in panel.texts[:6]}
        assert [int(drawn[y]) for y in range(6)] == own.loc[order, "rank"].tolist()
        lines = [line.get_xdata() for line in panel.lines if len(line.get_xdata()) == 2][:6]
        np.testing.assert_allclose(lines, own.loc[order, ["low", "high"]])
    first = ranking.drawn_tables(["datasets", "systems"])
    assert_same_files(tmp_path, lambda: figure_datasets(*first, limit=4), "")


def test_nobody_is_drawn_as_surely_worse_where_nothing_is_sure(made):
    systems = made["many"]["systems"]
    unknown = pd.array([pd.NA] * len(systems), "boolean")
    unsure = systems.assign(tier=unknown.astype("Int64"), may_be_best=unknown)
    for table, others in ((systems, True), (unsure, False)):
        of = made["many"]
        figure = figure_ranking(table, of["facts"], of["datasets"], 25)
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
