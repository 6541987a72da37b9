"""Every item of the study of two sets, from what the library makes of small collections."""

import pandas as pd
import pytest

from regrade.errors import ParameterError
from regrade.evaluations.tables import HowCompared, Side, compare_sets
from regrade.show import style
from regrade.studies.compare import figures, tables
from regrade.studies.compare.items import COMPARE
from tests.unit.test_evaluations import HOW, MEASURES, labelled, runs

NUMBERS = {"movers": 2, "pairs": 2, "topics": 2}


def made(topics=4, systems=5, levels=3, **others):
    sides = (
        Side("one", labelled(topics, levels=levels), levels - 1),
        Side("other", labelled(topics, levels=levels, noise=0.3), levels - 1),
    )
    return compare_sets(*sides, runs(systems, topics), MEASURES, HOW, **others)


def asked(item, made):
    shown = [made[table.rpartition("/")[2]] for table in item.shows]
    settings = {name: NUMBERS[option] for name, option in item.settings.items()}
    return shown, settings


ITEMS = [item for item in COMPARE.items if not item.part]
TABLES = [item for item in ITEMS if item.is_table]
FIGURES = [item for item in ITEMS if not item.is_table]


@pytest.mark.parametrize("item", TABLES, ids=lambda item: item.name)
@pytest.mark.parametrize("groups", [None, {"s0": "a", "s1": "b"}])
def test_tables(item, groups):
    shown, settings = asked(item, made(groups=groups))
    tidy, readable = getattr(tables, item.function)(*shown, **settings)
    assert list(tidy.columns[: len(item.keys)]) == list(item.keys)
    assert "ours" in tidy
    assert len(readable)
    assert readable.map(lambda cell: isinstance(cell, str)).all(axis=None)


@pytest.mark.parametrize("item", FIGURES, ids=lambda item: item.name)
def test_figures(item, tmp_path):
    shown, settings = asked(item, made())
    figure = getattr(figures, item.function)(*shown, **settings)
    style.save(figure, tmp_path / "figure.svg", notes="Simulated.")
    for axes in figure.axes:
        if axes.get_xlabel():
            assert axes.get_xlabel() != ""
    assert (tmp_path / "figure.svg").stat().st_size > 1000


@pytest.mark.parametrize(("topics", "systems"), [(1, 1), (1, 4), (3, 2)])
@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
def test_small_collections(item, topics, systems, tmp_path):
    shown, settings = asked(item, made(topics, systems))
    if item.is_table:
        _, readable = getattr(tables, item.function)(*shown, **settings)
        assert len(readable)
    elif item.name == "figure-pairs" and systems == 1:
        with pytest.raises(ParameterError, match="no rows"):
            figures.figure_pairs(*shown)
    else:
        figure = getattr(figures, item.function)(*shown, **settings)
        style.save(figure, tmp_path / "figure.svg")


def test_intervals_stand_beside_values_and_undefined_is_said():
    _, readable = tables.table_labels(*asked(COMPARE.by_name["table-labels"], made(20))[0])
    said = readable.set_index("quantity")["value"]
    assert said["documents both"] == "240"
    assert said["Krippendorff's α"].count("[") == 1
    other = compare_sets(
        Side("one", labelled()), Side("other", labelled(levels=4)), how=HowCompared(resamples=2),
        same_scale=False,
    )  # fmt: skip
    _, readable = tables.table_labels(other["facts"], other["agreement"], other["labels"])
    said = readable.set_index("quantity")
    assert said.loc["Cohen's κ", "value"] == ""
    assert "different scales" in said.loc["Cohen's κ", "note"]


def test_confusion_says_what_is_unjudged():
    confusion = pd.DataFrame(
        {
            "first_grade": [0, 1, None, 1],
            "second_grade": [0, 2, 2, None],
            "documents": [3, 4, 5, 6],
        },
        dtype=float,
    )
    tidy, readable = tables.table_confusion(confusion)
    assert readable.columns.tolist() == ["first \\ second", "0", "2", "unjudged"]
    assert readable.iloc[:, 0].tolist() == ["0", "1", "unjudged"]
    assert tidy["ours"].sum() == 18


def test_long_lists_end_with_how_many_more():
    pairs = made()["pairs"].assign(change="appears")
    tidy, readable = tables.table_changed_pairs(pairs, shown=3)
    assert len(tidy) == 5 * len(pairs)
    assert len(readable) == 4
    assert f"{len(pairs) - 3} more" in readable.iloc[-1, 0]


def test_halves_that_rank_nothing_are_told_in_words():
    found = made(topics=1)["reliability"]
    figure = figures.figure_reliability(found)
    assert not figure.axes and "too few topics, or all systems tie" in figure.texts[0].get_text()
