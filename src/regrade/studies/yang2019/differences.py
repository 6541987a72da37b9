"""Boxes of differences of scores, by band or by pool depth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from regrade.show import style
from regrade.show.forms import tukey_boxes
from regrade.show.panels import panel_grid, two_by_two
from regrade.wording import counted

FLOOR = 1e-6
"""Ranges and residuals below this are drawn at it (yang2019 §3.2.2)."""


def difference_boxes(
    panels: Sequence[tuple[tuple, pd.DataFrame]], by: str, x_label: str, y_label: str
) -> Figure:
    """Boxes of ``difference`` for each value of a column, a panel for each measure."""
    values = sorted({value for _, rows in panels for value in rows[by].unique()})
    grid = panel_grid(panels, len(values), pitch=12, height=2.0, columns=two_by_two(len(panels)))
    for panel, ((measure,), rows) in grid:
        axes = panel.axes
        groups = [rows.loc[rows[by] == value, "difference"] for value in values]
        axes.axhline(0, color=style.GREY, lw=0.6, zorder=0.9)
        tukey_boxes(axes, groups, np.arange(len(values)), 0.6, style.CUT_COLORS[0])
        axes.set_xlim(-0.6, len(values) - 0.4)
        panel.name_positions([f"{value:g}" for value in values])
        each = counted(max(map(len, groups)), "ranking")
        panel.finish(measure, f"{each} a box", x_label, y_label)
    return grid.figure
