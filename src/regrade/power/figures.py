"""The figure beneath the answer about discriminative power."""

from __future__ import annotations

import numpy as np
import pandas as pd

from regrade.power.ranked_sets import SIGNIFICANCE
from regrade.show import style
from regrade.show.panels import panel_grid, rows_by
from regrade.show.style import Figure, PercentFormatter
from regrade.wording import counted

BEST = {"marker": "o", "color": style.CUT_COLORS[0], "ms": 4.0}


LESS = {"marker": "o", "color": style.GREY, "mfc": "white", "mew": 0.8, "ms": 4.0}
"""Sets that are best, or not significantly worse, and those that are (p < 0.05)."""


@style.themed
def figure_pdp(ranked: pd.DataFrame) -> Figure:
    """Draw by how much each set of labels reduces the entropy of preferences, best on top."""
    known = ranked[ranked["settled"].notna()]
    if known.empty:
        return style.words("No set shares enough documents with the preferences.")
    groups = rows_by(known, ["preferences", "mode", "list"])
    most = max(len(of) for _, of in groups)
    if most < style.FEWEST_DRAWN:
        return style.undrawn(most, "set")
    grid = panel_grid(groups, pitch=200, height=0.9 + 0.16 * most, share="x")
    for panel, ((preferences, mode, documents), of) in grid:
        axes, at = panel.axes, np.arange(len(of))
        is_less = (of["p"] < SIGNIFICANCE).to_numpy()
        for some, look in ((~is_less, BEST), (is_less, LESS)):
            style.dots(axes, of["settled"][some], at[some], of["set"][some], **look)
        axes.axvline(0, color=style.GREY, lw=0.6, zorder=0.5)
        style.name_rows(axes, of["set"].astype(str))
        axes.xaxis.set_major_formatter(PercentFormatter(1))
        count = f"{documents}, {counted(int(of['n_topics'].max()), 'topic')}"
        x = "reduction of entropy"
        panel.finish(f"{preferences}, {mode}", count, x, grid="")
    looks = {"best, or not significantly worse": BEST, "significantly worse": LESS}
    return grid.with_legend(style.marks(looks, ls=""))
