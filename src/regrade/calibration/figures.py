"""The figure of calibrated probabilities."""

from __future__ import annotations

import pandas as pd

from regrade.show import style
from regrade.show.panels import panel_grid, rows_by
from regrade.show.style import Figure


@style.themed
def figure_calibration(maps: pd.DataFrame) -> Figure:
    """Draw how probable each level is from each value on, a panel for each judge."""
    known = maps[maps["method"].astype(str) == "isotonic"]
    if known["value"].nunique() < style.FEWEST_DRAWN:
        return style.undrawn(known["value"].nunique(), "value")
    grid = panel_grid(rows_by(known, ["judge"]), 3, pitch=90, height=2.2, share="y")
    handles = {}
    for panel, ((judge,), of) in grid:
        axes = panel.axes
        wide = of.pivot(index="value", columns="level", values="share").sort_index()
        reached = wide.iloc[:, ::-1].cumsum(axis=1).iloc[:, ::-1]
        for place, level in enumerate(reached.columns[1:]):
            look = {"color": style.CUT_COLORS[place], "lw": 1.2}
            axes.plot(reached.index, reached[level], drawstyle="steps-mid", **look)
            handles[f"{level:g} or more"] = style.mark(f"{level:g} or more", **look)
        axes.set_ylim(-0.02, 1.02)
        style.percents(axes.yaxis)
        title, y = style.dataset_label(judge), "calibrated probability"
        panel.finish(title, "", "score of the judge", y)
    return grid.with_legend([*handles.values()], title="grade")
