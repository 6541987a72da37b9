"""The figure of systems by their means: lines, dots, ranks and tiers, of a table by hand."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from matplotlib.ticker import MaxNLocator

from regrade.show.ranked import NARROW, WORDS, draw_systems, of_measure
from tests.unit.figure_checks import words


def table(means=(0.6, 0.5, 0.4, 0.3), tiers=(1, 1, 2, 3), half=0.05) -> pd.DataFrame:
    """Systems, the best first, each with an interval as wide on both sides."""
    n = len(means)
    return pd.DataFrame(
        {
            "measure": "AP",
            "system": [f"s{i}" for i in range(n)],
            "mean": means,
            "low": np.array(means) - half,
            "high": np.array(means) + half,
            "rank": np.arange(1, n + 1),
            "rank_low": [1.0, 1.0, 2.0, np.nan][:n],
            "rank_high": [2.0, 3.0, 4.0, np.nan][:n],
            "tier": pd.array(tiers, "Int32"),
            "may_be_best": pd.array([tier and tier == 1 for tier in tiers], "boolean"),
        }
    )


def lines(axes, style_of_line="-"):
    """Ends, width and color of each line of a kind."""
    return [
        (*map(list, line.get_data()), line.get_lw(), to_rgba(line.get_color()))
        for line in axes.lines
        if line.get_ls() == style_of_line
    ]


def test_the_rows_of_a_measure_are_of_the_first_where_none_is_named():
    both = pd.DataFrame({"measure": ["P", "AP", "P"], "value": [1, 2, 3]})
    assert of_measure(both, None)["value"].tolist() == [1, 3]
    assert of_measure(both, "AP").to_dict("list") == {"measure": ["AP"], "value": [2]}
    assert of_measure(both[:0], None).empty


@pytest.mark.parametrize(
    ("tiers", "places"),
    [
        ((1, 1, 2, 3), [1.5, 2.5]),
        ((1, 2, 1, 2), [0.5]),  # none of a tier's systems is above its line
        ((1, 1, 1, 1), []),
        ((2, 2, 3, 3), [1.5]),  # nothing is above the first line
        ((None, None, None, None), []),
    ],
)
def test_a_line_is_where_a_tier_begins(tiers, places):
    figure = draw_systems(table(tiers=tiers), 4)
    for axes in figure.axes:
        assert [line.get_ydata()[0] for line in axes.lines if line.get_ls() == ":"] == places
    told = {WORDS.first, WORDS.others} & set(words(figure))
    assert bool(told) == (tiers[0] is not None)


@pytest.mark.parametrize(("spread", "is_narrow"), [(0.9 * NARROW, True), (1.1 * NARROW, False)])
def test_an_axis_of_nearly_one_mean_has_few_numbers(spread, is_narrow):
    # what matplotlib leaves on both sides is a twentieth each
    low = 0.5 - spread / 2.2
    means, ranks = draw_systems(
        table(means=(low + spread / 1.1, low), tiers=(1, 1), half=0), 2
    ).axes
    assert np.ptp(means.get_xlim()) == pytest.approx(spread)
    locator = means.xaxis.get_major_locator()
    assert (type(locator) is MaxNLocator) == is_narrow
    if is_narrow:
        assert len(means.get_xticks()) <= 5  # with one outside on either side
    assert all(tick == round(tick) for tick in ranks.get_xticks())


def test_one_system_can_be_drawn():
    means, ranks = draw_systems(table(means=(0.5,), tiers=(1,)), 1).axes
    assert [label.get_text() for label in means.get_yticklabels()] == ["s0"]
    assert [tick for tick in ranks.get_xticks() if 0.4 <= tick <= 1.6] == [1]
