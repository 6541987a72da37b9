"""The tables and figures of which documents carry a judge's favour, from what the library makes."""

import numpy as np
import pytest

import regrade
from regrade.errors import ParameterError
from regrade.favours import documents_figures
from regrade.favours.items import FAVOUR
from tests.snapshots import assert_said
from tests.unit.figure_checks import described, table_lines
from tests.unit.items_made import assert_made, shown
from tests.unit.test_favour_documents import FAMILY, labels, on_shared, runs


@pytest.fixture(scope="module")
def tables():
    rng = np.random.default_rng(4)
    sets = on_shared(labels(rng, 3), labels(rng, 3), labels(rng, 1), labels(rng, 3))
    reference, graded, binary, control = sets
    judges, families = {"graded": graded, "binary": binary}, {"alike": [*FAMILY], "last": ["s5"]}
    return regrade.favour(
        reference, judges, runs(rng), families, "nDCG@10", controls={"a": control}, draws=200
    ).tables


@pytest.mark.parametrize("item", FAVOUR.items, ids=lambda item: item.name)
def test_every_item_is_made(item, tables, tmp_path):
    assert_made(item, lambda: shown(item, tables), False, tmp_path)


def test_what_is_shown(tables):
    def say(name):
        item = FAVOUR.by_name[name]
        made = shown(item, tables)
        return table_lines(made[1]) if item.is_table else described(made)

    assert_said("shown-favour", say, ((item.name,) for item in FAVOUR.items))


def test_bars_add_up_to_the_dots(tables):
    figure = documents_figures.figure_documents(tables["documents"], tables["effects"])
    for axes in [axes for axes in figure.axes if axes.get_title()]:
        dots = {line.get_ydata()[0]: line.get_xdata()[0] for line in axes.lines
                if line.get_marker() == "o"}  # fmt: skip
        bars = dict.fromkeys(dots, 0.0)
        for bar in axes.patches:
            bars[round(bar.get_y() + bar.get_height() / 2)] += bar.get_width()
        assert bars == pytest.approx(dots)


def test_what_there_is_not_is_not_drawn(tables):
    with pytest.raises(ParameterError, match="no documents carry P@5; there is nDCG@10"):
        documents_figures.figure_documents(tables["documents"], tables["effects"], measure="P@5")
    drawn = [tables[name] for name in ("topic_parts", "topic_effects", "effects")]
    for of in ({"judge": "grade"}, {"family": "alik"}):
        with pytest.raises(ParameterError, match=r"did you mean '(graded|alike)'"):
            documents_figures.figure_topics(*drawn, **of)
    with pytest.raises(ParameterError, match="no measure is a sum over documents"):
        documents_figures.figure_documents(tables["documents"].iloc[:0], tables["effects"])
