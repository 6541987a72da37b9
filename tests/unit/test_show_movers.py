"""Names of movers stand at the ends of their lines, and do not cover each other."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy.optimize import minimize

from regrade.show.movers import NONE_MOVES, _apart, draw_ranks, legend_handles


def systems(first, second) -> pd.DataFrame:
    table = pd.DataFrame({"first_rank": first, "second_rank": second})
    table["system"] = [f"run{i}" for i in range(len(table))]
    return table.assign(move=table["first_rank"] - table["second_rank"])


def test_names_with_room_stand_where_their_lines_end():
    np.testing.assert_allclose(_apart(np.array([30.0, 2.0, 59.0]), 3, 60), [30, 2, 59])


def test_names_are_as_near_as_they_can_be():
    places, gap = np.array([40.0, 10.0, 41.0, 42.0, 12.0]), 0.12 * 100 / 2
    found = _apart(places, 2, 100)
    order = np.argsort(places)
    apart = {"type": "ineq", "fun": lambda y: np.diff(y) - gap}
    nearest = minimize(lambda y: ((y - places[order]) ** 2).sum(), places[order], constraints=apart)
    np.testing.assert_allclose(found[order], nearest.x, atol=1e-4)


@pytest.mark.parametrize("places", [[1.0, 1.0, 2.0], [19.0, 20.0, 20.0], [10.5] * 40, [1.0], []])
def test_names_stay_beside_the_lines(places):
    found = _apart(np.array(places), 2.0, 20)
    assert len(found) == len(places)
    assert all((found > 0.5) & (found < 20.5))
    assert len(np.unique(found)) == len(found)


def test_each_name_is_led_to_from_its_line():
    table = systems([1, 2, 3, 4, 5, 6, 7, 8], [5, 6, 7, 8, 1, 2, 3, 4])
    axes = Figure().subplots()
    draw_ranks(axes, table, 8, ("a", "b"), 1.0)
    leaders = [line for line in axes.lines if line.get_xdata()[0] == 1]
    ends = {(line.get_ydata()[0], line.get_ydata()[1]) for line in leaders}
    ranks = dict(zip(table["system"], table["second_rank"], strict=True))
    named = {(ranks[t.get_text().split()[0]], t.get_position()[1]) for t in axes.texts}
    assert ends == named
    assert len(named) == 8


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ([1, 2, 3], []),
        ([2, 1, 3], ["gains places", "loses places"]),
        ([1, 2, 2], ["gains places"]),
        ([1, 3, 3], ["loses places"]),
    ],
)
def test_a_legend_tells_of_what_is_drawn_and_that_nothing_moves_is_said(second, told):
    table = systems([1, 2, 3], second)
    axes = Figure().subplots()
    draw_ranks(axes, table, 3, ("a", "b"), 1.0)
    assert [handle.get_label() for handle in legend_handles(table)] == told
    assert ([text.get_text() for text in axes.texts] == [NONE_MOVES]) == (not told)
