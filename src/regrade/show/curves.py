"""Curves of achieved significance levels, and axes of p-values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator, PercentFormatter

from regrade.show import style
from regrade.show.panels import panel_grid, two_by_two
from regrade.wording import counted

POINTS = 600
"""Most of a curve."""

P_FLOOR = 1e-3
"""p-values below this are drawn at it."""

TEST_LABELS = {
    "t": "paired t",
    "wilcoxon": "Wilcoxon",
    "sign": "sign",
    "randomisation": "randomisation",
    "tukey_hsd": "Tukey HSD",
}
"""Tests of `regrade.significance.discrimination`, as panels name them."""


def draw_curves(panels: Sequence[tuple[str, pd.DataFrame]], significance: float) -> Figure:
    """Draw the achieved significance levels of all pairs of systems, sorted (Sakai 2006)."""
    grid = panel_grid(panels, pitch=140, height=2.4, columns=two_by_two(len(panels)))
    measures = [measure for _, rows in panels for measure in rows["measure"].astype(str).unique()]
    looks = style.looks(list(dict.fromkeys(measures)))
    for panel, (title, rows) in grid:
        axes = panel.axes
        axes.axhline(significance, color=style.BLACK, ls=":", lw=0.8)
        for measure, of_measure in rows.groupby(rows["measure"].astype(str), sort=False):
            share, p = _thinned(of_measure["share"], of_measure["p"])
            look = looks[measure]
            axes.plot(share, p.clip(min=P_FLOOR), color=look["color"], ls=look["ls"])
            told_apart = np.flatnonzero(p < significance)
            if len(told_apart):
                axes.plot(share[told_apart[0]], significance, **look, mec="white", mew=0.4, ms=4)
        axes.set_yscale("log")
        floor_axis(axes, "y", P_FLOOR, 1.0)
        axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.set_xlim(0, 1)
        axes.grid()
        x = "share of pairs with p as high or higher"
        panel.label(x, "achieved significance level p", bare="xy")
        pairs = rows.groupby("measure", observed=True).size().max()
        panel.head(title, counted(int(pairs), "pair"))
    handles = [
        style.mark(measure, **look, mec="white", mew=0.4, ms=4) for measure, look in looks.items()
    ]
    return grid.with_legend(handles, columns=min(len(handles), 3 if grid.columns == 1 else 7))


def band_and_line(
    axes: Axes, rows: pd.DataFrame, x: str, y: str, look: Mapping, **band: object
) -> None:
    """Draw a curve of a look, with a band from `low` to `high` in its colour behind it."""
    ends = rows["low"].astype(float), rows["high"].astype(float)
    axes.fill_between(rows[x], *ends, color=look["color"], lw=0, **band)
    axes.plot(rows[x], rows[y], **look)


def _thinned(share: pd.Series, p: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """At most `POINTS` of a curve, its ends among them; without those that have no p."""
    defined = np.flatnonzero(p.notna())
    chosen = np.unique(np.linspace(0, len(defined) - 1, min(POINTS, len(defined))).round())
    chosen = defined[chosen.astype(int)]
    return share.to_numpy(dtype=float)[chosen], p.to_numpy(dtype=float)[chosen]


def floor_axis(axes: Axes, which: str, floor: float, highest: float) -> None:
    """Powers of ten from a floor on, the lowest standing for all below it."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    lowest = round(np.log10(floor))
    top = max(int(np.ceil(np.log10(max(highest, floor)) - 1e-9)), lowest + 1)
    axis.set_major_locator(FixedLocator([10.0**power for power in range(lowest, top + 1)]))
    axis.set_minor_locator(NullLocator())

    def name(value: float, _: int) -> str:
        power = round(np.log10(value))
        text = f"{10.0**power:g}" if lowest >= -3 else rf"$10^{{{power}}}$"
        return f"≤ {text}" if power == lowest else text

    axis.set_major_formatter(FuncFormatter(name))
    (axes.set_xlim if which == "x" else axes.set_ylim)(floor * 0.8, 10.0**top * 1.25)
