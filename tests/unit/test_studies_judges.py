"""The tables and figures of judges beside a reference, from small ones that the library makes."""

import pytest

from regrade.errors import ParameterError
from regrade.evaluations import judges_figures, judges_tables
from regrade.evaluations.items import COMPARE
from tests.snapshots import assert_said
from tests.unit.figure_checks import described, table_lines
from tests.unit.items_made import assert_made, shown
from tests.unit.test_evaluations_judges import judge, made, reference, three, with_cuts


@pytest.fixture(scope="module")
def tables():
    how = with_cuts(fine={"low": [1, 3]})
    return made([judge(), judge("other")], how=how)


ITEMS = [item for item in COMPARE.items if item.part == "judges"]


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
def test_every_item_is_made(item, tables, tmp_path):
    found = assert_made(item, lambda: shown(item, tables), False, tmp_path)
    if not item.is_table:
        assert all(axes.get_xlabel() for axes in found.axes)


def test_what_is_shown(tables):
    def say(name):
        item = COMPARE.by_name[name]
        found = shown(item, tables)
        return table_lines(found[1]) if item.is_table else described(found)

    assert_said("shown-judges", say, ((item.name,) for item in ITEMS))


def test_without_a_judge_on_a_finer_scale_there_are_no_shares():
    variance = made([judge("same", reference(noise=0.2), three())])["variance"]
    tidy, readable = judges_tables.table_judge_variance(variance)
    assert not len(tidy) and not len(readable)
    assert list(readable) == ["share of"]
    assert list(tidy.columns[:5]) == ["measure", "of", "axis", "other", "quantity"]


def test_no_legend_lies_over_a_judge(tables):
    figure = judges_figures.figure_judge_systems(tables["rankings"], tables["pairs"])
    assert all(axes.get_legend() is None for axes in figure.axes)
    said = [text.get_text() for text in figure.legends[0].texts]
    assert said[-3:] == [f"significance {change}" for change in judges_figures.CHANGES]


@pytest.mark.parametrize("untold", ["one", "all"])
def test_judges_without_a_tau_are_drawn_last(untold, tables):
    """τ_b is undefined where all systems tie, and τ_ap is not."""
    rankings = tables["rankings"].copy()
    judges = rankings["judge"].astype(str)
    untold = sorted(set(judges)) if untold == "all" else [judges.iloc[0]]
    rankings.loc[judges.isin(untold) & (rankings["quantity"] == "tau"), "value"] = float("nan")
    figure = judges_figures.figure_judge_systems(rankings, tables["pairs"])
    left = figure.axes[0]
    at = zip(left.get_yticks(), left.get_yticklabels(), strict=True)
    shown = [label.get_text() for _, label in sorted(at, key=lambda pair: pair[0])]
    assert sorted(shown) == sorted(set(judges)) and shown[-len(untold) :] == untold


def test_what_there_is_not_is_not_drawn(tables):
    with pytest.raises(ParameterError, match="no ranking by P@5"):
        judges_figures.figure_judge_systems(tables["rankings"], tables["pairs"], measure="P@5")
    uncut = tables["agreement"][tables["agreement"]["cut"] == "uncut"]
    with pytest.raises(ParameterError, match="no judge's labels"):
        judges_figures.figure_judge_labels(uncut)
