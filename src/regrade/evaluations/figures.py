"""The figures beneath the answers about two sets of judgments, and about several judges."""

from __future__ import annotations

import numpy as np
import pandas as pd

from regrade.evaluations.comparison_figures import draw_labels
from regrade.show import style
from regrade.show.movers import draw_moves
from regrade.show.style import Figure


@style.themed
def figure_pair(*tables: pd.DataFrame, first: str, second: str) -> Figure:
    """Draw the ranks of the systems under two sets of judgments, a panel for each measure.

    Without systems, how many documents have which two grades, and the bias by grade.  Of
    ``compare/confusion``, ``compare/grade_bias`` and ``compare/systems`` those that there are.
    """
    systems = tables[-1]
    if "first_rank" not in systems:
        return draw_labels(*tables, first, second)
    if systems.empty:
        return style.words("No system is ranked under both label sets.")
    return draw_moves(systems, (first, second))


@style.themed
def figure_judges(ranked: pd.DataFrame) -> Figure:
    """Draw how like the reference each judge labels and ranks, the most alike on top."""
    names = ranked["judge"].astype(str).tolist()
    places = np.arange(len(names))
    columns = [name for name in ("tau", "alpha") if ranked[name].notna().any()]
    if not columns:
        return style.words("No judge can be compared with the reference.")
    if len(names) < style.FEWEST_DRAWN:
        return style.undrawn(len(names), "judge")
    figure = style.new_figure(style.DOUBLE_COLUMN, 1.0 + 0.135 * len(names))
    panels = np.atleast_1d(figure.subplots(1, len(columns), sharey=True))
    labels = {"tau": r"$\tau_b$ of the rankings of systems", "alpha": r"$\alpha$ of the labels"}
    for axes, column in zip(panels, columns, strict=True):
        color = style.CUT_COLORS[0]
        if column == "alpha":
            ends = ranked[["alpha_low", "alpha_high"]].to_numpy(float)
            axes.hlines(places, *ends.T, color=color, lw=1)
        style.dots(axes, ranked[column].to_numpy(float), places, names, ms=3.5, color=color)
        style.name_rows(axes, names)
        axes.set_xlabel(labels[column])
    return figure
