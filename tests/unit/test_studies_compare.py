"""Every item of the study of two sets, from what the library makes of small collections."""

from functools import cache

import pandas as pd
import pytest
from matplotlib.text import Text

from regrade.errors import ParameterError
from regrade.evaluations import comparison_figures as figures
from regrade.evaluations import comparison_tables as tables
from regrade.evaluations.compare_sets import ComparisonOptions, compare_sets
from regrade.evaluations.items import COMPARE
from regrade.label_sets import LabelSet
from tests.snapshots import assert_said
from tests.unit.figure_checks import described, table_lines
from tests.unit.items_made import assert_made, shown
from tests.unit.test_evaluations import HOW, MEASURES, labelled, runs

NUMBERS = {"movers": 2, "pairs": 2, "topics": 2}


def made(topics=4, systems=5, levels=3, **others):
    sides = (
        LabelSet("one", labelled(topics, levels=levels), levels - 1),
        LabelSet("other", labelled(topics, levels=levels, noise=0.3), levels - 1),
    )
    return compare_sets(*sides, runs(systems, topics), MEASURES, HOW, **others)


@cache
def small(topics=4, systems=5, *, grouped=False):
    """The same, made once for all items."""
    return made(topics, systems, groups={"s0": "a", "s1": "b"} if grouped else None)


def asked(item, made):
    given = {name: NUMBERS[option] for name, option in item.settings.items()}
    return shown(item, made, **given)


ITEMS = [item for item in COMPARE.items if item.part == "comparison"]


def test_what_is_shown():
    of = made(20)

    def say(name):
        item = COMPARE.by_name[name]
        found = asked(item, of)
        return table_lines(found[1]) if item.is_table else described(found)

    assert_said("shown-compare", say, ((item.name,) for item in ITEMS))


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
@pytest.mark.parametrize("grouped", [False, True])
def test_every_item_is_made(item, grouped, tmp_path):
    assert_kept(item, small(grouped=grouped), tmp_path)


def assert_kept(item, of, folder):
    found = assert_made(item, lambda: asked(item, of), False, folder)
    assert not item.is_table or len(found[1])


@pytest.mark.parametrize(("topics", "systems"), [(1, 1), (1, 4), (3, 2)])
@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
def test_small_collections(item, topics, systems, tmp_path):
    if item.name == "figure-pairs" and systems == 1:
        with pytest.raises(ParameterError, match="no rows"):
            asked(item, small(topics, systems))
    else:
        assert_kept(item, small(topics, systems), tmp_path)


def test_pairs_of_one_topic_are_not_drawn_as_tested():
    figure = asked(COMPARE.by_name["figure-pairs"], made(topics=1, systems=4))
    said = [text.get_text() for text in figure.findobj(Text)]
    assert "With one topic, no pair of systems can be tested." in said
    assert not figure.axes


def test_what_is_undefined_is_said():
    other = compare_sets(
        LabelSet("one", labelled()),
        LabelSet("other", labelled(levels=4)),
        how=ComparisonOptions(resamples=2),
        same_scale=False,
    )
    _, readable = tables.table_labels(other["facts"], other["labels"])
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
    tidy, readable = tables.table_changed_pairs(pairs, limit=3)
    assert len(tidy) == 5 * len(pairs)
    assert len(readable) == 4
    assert f"{len(pairs) - 3} more" in readable.iloc[-1, 0]


def test_halves_that_rank_nothing_are_told_in_words():
    found = made(topics=1)["reliability"]
    figure = figures.figure_reliability(found)
    assert not figure.axes and "too few topics, or all systems tie" in figure.texts[0].get_text()
