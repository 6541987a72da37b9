"""The figures beneath the answers about pools, and about systems left out of them."""

from __future__ import annotations

import pandas as pd

from regrade.show import style
from regrade.show.movers import draw_moves
from regrade.show.panels import panel_grid, rows_by
from regrade.show.style import Figure
from regrade.wording import counted


@style.themed
def figure_leave_one_out(systems: pd.DataFrame) -> Figure:
    """Draw each system's rank in the pool and left out of it, a panel for each measure."""
    ranks = {"rank": "first_rank", "rank_left_out": "second_rank"}
    moved = systems.rename(columns=ranks)
    moved["move"] = moved["first_rank"].astype("int64") - moved["second_rank"].astype("int64")
    return draw_moves(moved, ("pooled", "left out"))


@style.themed
def figure_pool(depths: pd.DataFrame) -> Figure:
    """Draw how many pairs of systems reverse or tie under shallower pools, by measure."""
    if depths["depth"].nunique() < style.FEWEST_DRAWN:
        return style.undrawn(depths["depth"].nunique(), "depth")
    grid = panel_grid(rows_by(depths, ["measure"]), 2, pitch=70, height=2.6, share="y")
    significant = f"pairs significant at depth {depths['depth'].max()}"
    lines = (
        ("reordered", "all pairs", style.GREY),
        ("reordered_significant", significant, style.CUT_COLORS[0]),
    )
    most = max(1, depths[[column for column, *_ in lines]].to_numpy().max())
    for panel, ((measure,), some) in grid:
        for column, label, color in lines:
            look = {"color": color, "marker": "o", "ms": 3, "lw": 1}
            panel.axes.plot(some["depth"], some[column], label=label, **look)
        panel.axes.set_ylim(0, 1.05 * most)
        for axis in (panel.axes.xaxis, panel.axes.yaxis):
            style.whole_numbers(axis)
        x, y = "pool depth", "pairs reversed or tied"
        panel.finish(str(measure), counted(int(some["pairs"].iloc[0]), "pair"), x, y, bare="")
    return grid.with_legend([style.mark(label, color=color) for _, label, color in lines])
