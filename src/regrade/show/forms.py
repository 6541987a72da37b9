"""Forms of charts that several figures have: boxes, maps of counts, curves, matrices of pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cbook import boxplot_stats
from matplotlib.collections import PolyCollection
from matplotlib.colorbar import Colorbar
from matplotlib.colors import Colormap, LinearSegmentedColormap, LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator, PercentFormatter

from regrade.show import style
from regrade.show.panels import Grid, panel_grid, two_by_two
from regrade.wording import counted

# --- boxes: all of quartiles, with one look ------------------------------------------------------

QUARTILES = "low q1 median q3 high"
"""Columns of a box: its whiskers' ends, its own and its middle."""

OUTLIERS = {"marker": "o", "ms": 1.3, "mew": 0, "alpha": 0.35, "rasterized": True}


def quartile_boxes(
    axes: Axes,
    rows: pd.DataFrame,
    places: Sequence[float],
    width: float,
    color: str,
    **options: object,
) -> None:
    """Draw a box for each row that has a median, without caps."""
    boxes = [
        {"whislo": low, "q1": q1, "med": median, "q3": q3, "whishi": high}
        for low, q1, median, q3, high in rows[QUARTILES.split()].astype(float).to_numpy()
    ]
    known = [(box, at) for box, at in zip(boxes, places, strict=True) if not np.isnan(box["med"])]
    options = {"showcaps": False, "showfliers": False} | options
    _draw(axes, [box for box, _ in known], [at for _, at in known], width, color, **options)


def boxes_by(
    axes: Axes,
    rows: pd.DataFrame,
    column: str,
    by: str,
    values: Sequence,
    color: str,
    offset: float = 0.0,
    width: float = 0.6,
) -> list[pd.Series]:
    """Draw a box of a column for each value of another; the groups.

    Whiskers reach to the last value within 1.5 times a box's height, dots beyond.
    """
    groups = [rows.loc[rows[by] == value, column] for value in values]
    boxes = boxplot_stats([group.dropna().to_numpy(dtype=float) for group in groups])
    flierprops = OUTLIERS | {"mfc": color}
    places = np.arange(len(values)) + offset
    _draw(axes, boxes, places, width, color, showcaps=False, flierprops=flierprops)
    return groups


def difference_boxes(
    panels: Sequence[tuple[tuple, pd.DataFrame]], by: str, x_label: str, y_label: str
) -> Figure:
    """Boxes of ``difference`` for each value of a column, a panel for each measure."""
    values = sorted({value for _, rows in panels for value in rows[by].unique()})
    grid = panel_grid(panels, len(values), pitch=12, height=2.0, columns=two_by_two(len(panels)))
    for panel, ((measure,), rows) in grid:
        axes = panel.axes
        axes.axhline(0, color=style.GREY, lw=0.6, zorder=0.9)
        groups = boxes_by(axes, rows, "difference", by, values, style.CUT_COLORS[0])
        axes.set_xlim(-0.6, len(values) - 0.4)
        panel.name_positions([f"{value:g}" for value in values])
        each = counted(max(map(len, groups)), "ranking")
        panel.finish(measure, f"{each} a box", x_label, y_label)
    return grid.figure


def mean_boxes(
    axes: Axes, groups: Sequence[pd.Series], places: Sequence[float], width: float, color: str
) -> None:
    """Draw boxes with whiskers as `boxes_by`, without dots, the mean dashed; none of no
    values.
    """
    known = [(np.asarray(group), x) for group, x in zip(groups, places, strict=True) if len(group)]
    if not known:
        return
    values, places = zip(*known, strict=True)
    _draw(
        axes, boxplot_stats(values), places, width, color, lw=0.7, showfliers=False,
        showmeans=True, meanline=True, medianprops={"color": style.BLACK, "lw": 1.0},
        meanprops={"color": style.BLACK, "lw": 0.8, "ls": "--"},
    )  # fmt: skip


def _draw(
    axes: Axes,
    boxes: Sequence[Mapping],
    places: Sequence[float],
    width: float,
    color: str,
    lw: float = 0.8,
    **options: object,
) -> None:
    line = {"color": color, "lw": lw}
    look = {"whiskerprops": line, "capprops": line, "medianprops": line | {"lw": 1.4}}
    look |= {"boxprops": {"fc": style.tint(color), "ec": color, "lw": lw}}
    look |= {"patch_artist": True, "manage_ticks": False}
    axes.bxp(boxes, positions=places, widths=width, **look | options)


# --- maps of how many points lie where, for more points than a figure resolves -------------------

COUNT_COLORMAP = style.ALPHA_COLORMAP + "_r"
"""The more, the darker."""

HEXAGONS = {"mincnt": 1, "linewidths": 0, "cmap": COUNT_COLORMAP, "rasterized": True}
"""How `Axes.hexbin` draws such a map."""


def count_bar(grid: Grid, maps: Sequence[PolyCollection], what: str) -> None:
    """One logarithmic scale of counts for all hexagons of a figure."""
    counts = [hexagons.get_array() for hexagons in maps]
    highest = max((of_map.max() for of_map in counts if len(of_map)), default=1)
    norm = LogNorm(1, max(10.0, float(highest)))
    for hexagons in maps:
        hexagons.set_norm(norm)
    grid.figure.colorbar(
        maps[0], ax=grid.axes, label=f"{what} in a hexagon", aspect=25, pad=0.01, fraction=0.05
    ).outline.set_visible(False)


# --- curves of achieved significance levels, and axes of p-values --------------------------------

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
            significant = np.flatnonzero(p < significance)
            if len(significant):
                axes.plot(share[significant[0]], significance, **look, mec="white", mew=0.4, ms=4)
        axes.set_yscale("log")
        floor_axis(axes, "y", P_FLOOR, 1.0)
        axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.set_xlim(0, 1)
        axes.grid()
        x = "share of pairs with this p or a higher one"
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


# --- matrices of pairs of systems: one thing above the diagonal, a share below it ----------------

BLUES = LinearSegmentedColormap.from_list("blues", ["#FFFFFF", "#7FB2DA", "#0B3A66"])
GREYS = LinearSegmentedColormap.from_list("greys", ["#FFFFFF", "#404040"])
"""Of shares, from 0 to 1."""


def two_triangles(
    axes: Axes, above: np.ndarray, colors: Colormap, norm: Normalize, below: np.ndarray, label: str
) -> Colorbar:
    """Draw values in colours above, shares in greys below, and a bar of these."""
    look = {"interpolation": "nearest", "aspect": "equal"}
    axes.imshow(above, cmap=colors, norm=norm, **look)
    shares = axes.imshow(below, cmap=GREYS, norm=Normalize(0, 1), **look)
    bar = axes.figure.colorbar(shares, cax=style.beside(axes), label=label)
    style.percents(bar.ax.yaxis)
    return bar
