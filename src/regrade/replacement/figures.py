"""The figure beneath the answer: each line beside its margin, and the grades."""

from __future__ import annotations

import numpy as np
import pandas as pd

from regrade.evaluations.comparison_figures import draw_cells
from regrade.replacement.answer import plain_name
from regrade.replacement.margins import NO, UNKNOWN, YES
from regrade.show import style
from regrade.show.style import Axes, Figure

COLORS = {YES: style.CUT_COLORS[0], NO: style.CUT_COLORS[1], UNKNOWN: style.BLACK}
SHOWN = 3.0
"""Margins to which lines are drawn on either side; what reaches further ends in an arrow."""


@style.themed
def figure_replace(lines: pd.DataFrame, confusion: pd.DataFrame | None = None) -> Figure:
    """Costs in units of their margins, the shaded part; beside them documents by both grades."""
    rows = lines[lines["verdict"].notna() & lines["low"].notna()]
    if rows.empty:
        return style.words("no line has a margin and an interval")
    height = max(2.2, 0.9 + 0.26 * len(rows))
    if confusion is None or not len(confusion):
        figure, axes = style.new_axes(style.SINGLE_COLUMN, height)
        _draw_lines(axes, rows)
        return figure
    figure = style.new_figure(style.DOUBLE_COLUMN, height)
    left, right = figure.subplots(1, 2, width_ratios=[1.5, 1.0])
    _draw_lines(left, rows)
    draw_cells(right, confusion, "reference", "judge")
    return figure


def _draw_lines(axes: Axes, rows: pd.DataFrame) -> None:
    names = []
    for y, row in enumerate(rows.itertuples()):
        is_two_sided = pd.notna(row.margin_low) and pd.notna(row.margin_high)
        start = -1.0 if is_two_sided else -SHOWN
        axes.barh(y, 1 - start, 0.8, left=start, color=style.GREY, alpha=0.25, lw=0)
        value, *ends = (cost(one, row) for one in (row.value, row.low, row.high))
        color = COLORS[str(row.verdict)]
        axes.plot(np.clip(ends, -SHOWN, SHOWN), [y, y], color=color, lw=1.2)
        for end in ends:
            if abs(end) > SHOWN:
                place = np.sign(end) * SHOWN
                axes.plot([place], [y], ">" if end > 0 else "<", color=color, ms=4)
        points = axes.plot([np.clip(value, -SHOWN, SHOWN)], [y], "o", color=color, ms=4)
        style.name(points[0], f"{row.quantity}: {style.number(row.value, 3)}")
        names.append(f"{plain_name(row)}: {row.verdict}")
    axes.axvline(0, color=style.GREY, lw=0.6)
    style.name_rows(axes, names)
    axes.set_xlim(-SHOWN - 0.2, SHOWN + 0.2)
    axes.set_xlabel("cost in units of the margin, 95% CI (shaded: within)")


def cost(value: float, row) -> float:
    """A value in units of its margin, above 0 where the judge is worse or, of two sides, higher."""
    low, high = row.margin_low, row.margin_high
    if str(row.quantity) == "spread":
        return float(np.log(value) / np.log(high))
    return float(value / (high if pd.notna(high) else low))
