"""The picture of a ranking over several data sets: each system's mean and rank on each."""

from __future__ import annotations

from math import ceil

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from regrade.show import style
from regrade.show.item_tables import Frame
from regrade.show.panels import require
from regrade.show.ranked import FIRST, OTHERS, WORDS, of_measure
from regrade.wording import counted

COLUMNS = 4
"""Panels beside each other."""

MOST = 15
"""Data sets that are drawn: with that of all, four rows of panels."""


@style.themed
def figure_datasets(
    datasets: Frame, systems: Frame, *, measure: str | None = None, limit: int
) -> Figure:
    """A panel for each data set: means with intervals, ranks at the right; first, over all."""
    own = of_measure(datasets, measure).astype({"dataset": str, "system": str})
    require(own, "ranking/datasets")
    every = of_measure(systems, measure).astype({"system": str})
    rows = every.head(limit)
    names = own["dataset"].unique()
    n = 1 + min(len(names), MOST)
    columns = min(n, COLUMNS)
    height = 0.75 + 0.125 * len(rows)
    figure = style.new_figure(style.DOUBLE_COLUMN, 0.4 + ceil(n / columns) * height)
    panels = figure.subplots(ceil(n / columns), columns, sharey=True, squeeze=False).ravel()
    color = np.where(rows["may_be_best"].fillna(True).to_numpy(bool), FIRST, OTHERS)
    count = style.systems_text(len(rows), len(every))
    _draw(panels[0], rows, rows["system"], color, "all data sets", count)
    for panel, name in zip(panels[1:], names[:MOST], strict=False):
        of = own[own["dataset"] == name].set_index("system").reindex(rows["system"]).reset_index()
        _draw(panel, of, rows["system"], color, name, counted(int(of["items"].max()), "item"))
    for panel in panels[n:]:
        panel.set_visible(False)
    metric = every["measure"].astype(str).iloc[0]
    figure.supxlabel(f"{metric}, mean over items; at the right, the rank", size=style.FONT_SIZE,
                     parse_math=False)  # fmt: skip
    handles = []
    if every["may_be_best"].notna().any():
        words = ((FIRST, WORDS.first), (OTHERS, WORDS.others))
        handles = [Patch(fc=look, label=f"{word}, over all data sets") for look, word in words]
    left = len(names) - MOST
    title = f"{MOST} of {counted(len(names), 'data set')}, by name" if left > 0 else ""
    return style.legend(figure, handles, title=title)


def _draw(
    axes: Axes, rows: pd.DataFrame, systems: pd.Series, color: np.ndarray, title: str, count: str
) -> None:
    """Means with their intervals, and ranks."""
    for y, row in enumerate(rows.itertuples()):
        (line,) = axes.plot([row.low, row.high], [y, y], color=color[y], lw=1.0)
        style.name(line, f"{row.system}: {row.mean:.3f} ({row.low:.3f} to {row.high:.3f})")
        where = axes.get_yaxis_transform()
        axes.text(0.99, y, f"{row.rank:.0f}", transform=where, ha="right", va="center",
                  size=style.FONT_SIZE, color=color[y])  # fmt: skip
    for look in dict.fromkeys(color):
        of = color == look
        names = [f"{row.system}: rank {row.rank:.0f}" for row in rows[of].itertuples()]
        means = rows["mean"].to_numpy(float)[of]
        style.dots(axes, means, np.flatnonzero(of), names, marker="o", ms=2.8, color=look)
    style.name_rows(axes, systems)
    low, high = axes.get_xlim()
    axes.set_xlim(low, high + 0.16 * (high - low))  # room for ranks
    axes.xaxis.set_major_locator(MaxNLocator(4, min_n_ticks=2))
    style.stacked_title(axes, title, count)
