"""Ranks of systems under two sets of labels: a line each, the furthest movers by name."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from scipy.optimize import isotonic_regression

from regrade.show import style
from regrade.show.panels import panel_grid, rows_by
from regrade.wording import counted

GAINS, LOSES = style.CUT_COLORS[:2]
REST = "#CCCCCC"

NONE_MOVES = "no rank changes"

WORDS = {GAINS: "#00527F", LOSES: "#8F5F00"}
"""The same colours, dark enough for small words."""


NAMED = 6
"""How many of the systems that move furthest have a name."""


def furthest(systems: pd.DataFrame, count: int) -> pd.DataFrame:
    """The systems that move furthest, those that stay left out."""
    moving = systems[systems["move"] != 0].astype({"system": str})
    return moving.sort_values("move", key=abs, ascending=False, kind="stable").head(count)


def draw_ranks(
    axes: Axes, systems: pd.DataFrame, movers: int, sides: tuple[str, str], inches: float
) -> None:
    """Draw each system's rank under both sets as a line; a thin one leads on to a mover's name."""
    count = len(systems)
    chosen = furthest(systems, movers)
    for row in systems.itertuples():
        (line,) = axes.plot([0, 1], [row.first_rank, row.second_rank], color=REST, lw=0.6, zorder=1)
        style.name(line, move_text(row))
    if chosen.empty:
        axes.text(1.16, (count + 1) / 2, NONE_MOVES, size=6, va="center")
    places = _apart(chosen["second_rank"].to_numpy(float), inches, count)
    for row, place in zip(chosen.itertuples(), places, strict=True):
        color = LOSES if row.move < 0 else GAINS
        ranks = [row.first_rank, row.second_rank]
        (line,) = axes.plot([0, 1], ranks, color=color, lw=1.3, zorder=2)
        style.name(line, move_text(row))
        text = f"{row.system} {'+' if row.move > 0 else '−'}{abs(row.move)}"
        axes.plot([1, 1.13], [row.second_rank, place], color=color, lw=0.5, zorder=2)
        axes.text(1.16, place, text, size=6, color=WORDS[color], va="center", parse_math=False)
    axes.set_xticks([0, 1], sides)
    axes.set_xlim(-0.1, 2.2)
    axes.set_ylim(count + 0.5, 0.5)
    axes.yaxis.set_major_locator(MaxNLocator(8, integer=True))


def draw_moves(systems: pd.DataFrame, sides: tuple[str, str]) -> Figure:
    """Ranks on both sides, a panel for each measure."""
    count = systems["system"].nunique()
    if count < style.FEWEST_DRAWN:
        return style.undrawn(count, "system")
    grid = panel_grid(rows_by(systems, ["measure"]), 2, pitch=70, height=2.9, share="y")
    for panel, ((measure,), some) in grid:
        draw_ranks(panel.axes, some, NAMED, sides, 2.1)
        count = counted(len(some), "system")
        panel.finish(str(measure), count, y="rank (1: best)", grid="", bare="")
    return grid.with_legend(legend_handles(systems))


def move_text(row) -> str:
    """What a system's line is called."""
    return f"{row.system}: rank {row.first_rank}, then {row.second_rank}"


def legend_handles(systems: pd.DataFrame) -> list[Line2D]:
    """What the colours say, of those that there are."""
    there = (
        (systems["move"] > 0, GAINS, "gains places"),
        (systems["move"] < 0, LOSES, "loses places"),
    )
    return [
        Line2D([], [], color=color, lw=1.3, label=label)
        for moves, color, label in there
        if moves.any()
    ]


def _apart(places: np.ndarray, inches: float, count: int) -> np.ndarray:
    """Heights of labels that do not cover each other, as near to their places as that allows.

    Nearest by least squares: heights a gap apart are those of a regression that never falls, of
    the places less the gaps before them.
    """
    if not len(places):
        return places
    gap = min(0.12 * count / inches, count / len(places))
    order = np.argsort(places, kind="stable")
    before = gap * np.arange(len(places))
    lowest = isotonic_regression(places[order] - before).x
    heights = np.empty(len(places))
    edge = 0.5 + gap / 2  # where the axes end, and half a name
    heights[order] = np.clip(lowest, edge, count + 1 - edge - before[-1]) + before
    return heights
