"""The figures of yang2019, chapter 3: what tied documents and bands of ranks leave open."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from regrade.errors import ParameterError
from regrade.show import style
from regrade.show.forms import HEXAGONS, P_FLOOR, count_bar, difference_boxes, floor_axis
from regrade.show.item_tables import Frame
from regrade.show.panels import panel_grid, rows_by
from regrade.wording import counted

BLUE, _, GREEN, _, _, RED, _ = style.CUT_COLORS

FLOOR = 1e-6
"""Ranges and residuals below this are drawn at it (yang2019 §3.2.2)."""

MANY_TIES = 1000
"""Documents from which on a system has many ties: more than this (yang2019 §3.2.2)."""

TIE_KINDS = {
    "no tied documents": (GREEN, lambda tied: tied == 0),
    f"1 to {MANY_TIES:,} tied": (BLUE, lambda tied: (tied > 0) & (tied <= MANY_TIES)),
    f"over {MANY_TIES:,} tied": (RED, lambda tied: tied > MANY_TIES),
}

TIE_ORDERS = {
    "pessimistic": {"marker": "x", "ms": 3.0},
    "optimistic": {"marker": "x", "ms": 3.0},
    "expected": {"marker": "^", "ms": 4.2, "mfc": "none"},
    "trec_eval": {"marker": "o", "ms": 4.2, "mfc": "none"},
}
"""How a system's score is drawn, by the column that has it."""


@style.themed
def figure_3_4(ranges: Frame) -> Figure:
    """Draw Figures 3.4 and 3.5: what ties leave open of each system's mean score."""
    panels = rows_by(ranges, ["measure"], "ties/ranges")
    grid = panel_grid(panels, pitch=300, height=3.0, share="y")
    for panel, ((measure,), rows) in grid:
        axes = panel.axes
        axes.set_yscale("log")
        for color, belongs in TIE_KINDS.values():
            some = rows[belongs(rows["tied"])]
            y = some["range"].clip(lower=FLOOR)
            axes.hlines(y, some["pessimistic"], some["optimistic"], color, lw=0.7)
            for column, look in TIE_ORDERS.items():
                style.dots(axes, some[column], y, some["system"], color=color, mew=0.7, **look)
        floor_axis(axes, "y", FLOOR, rows["range"].max())
        x, y = f"mean {measure}", "range, mean over topics"
        panel.finish(measure, counted(len(rows), "system"), x, y, grid="xy", outer="")
    orders = {
        "order of trec_eval": TIE_ORDERS["trec_eval"],
        "expected over all orders": TIE_ORDERS["expected"],
        "best and worst order": TIE_ORDERS["optimistic"],
    }
    kinds = style.patches({name: color for name, (color, _) in TIE_KINDS.items()})
    return grid.with_legend([*kinds, *style.marks(orders, ls="", color=style.BLACK, mew=0.7)])


@style.themed
def figure_3_6(banded: Frame) -> Figure:
    """Draw Figures 3.6 and 3.7: how far banding the ranks by ρ moves the rankings' scores.

    The figures differ in the values of ρ.
    """
    panels = rows_by(banded, ["measure"], "ties/banded")
    return difference_boxes(panels, "rho", "ρ", "score banded − original")


figure_3_7 = figure_3_6


@style.themed
def figure_3_8(p_values: Frame, quadrants: Frame, *, significance: float = 0.05) -> Figure:
    """Draw Figures 3.8 to 3.11: p-values of all pairs of systems, without and with bands.

    A panel for each measure and ρ; the thesis has a figure a measure.
    """
    keys = ["measure", "rho"]
    panels = rows_by(p_values, keys, "ties/p_values")
    shares = dict(rows_by(quadrants, keys, "ties/quadrants"))
    columns = min(len(panels), 4)
    width = style.SINGLE_COLUMN if columns == 1 else style.DOUBLE_COLUMN
    square = (width - 1.1) / columns - 0.15
    grid = panel_grid(panels, pitch=90, height=square + 0.4, side=0.6, columns=columns)
    maps = []
    for panel, ((measure, rho), rows) in grid:
        if (measure, rho) not in shares:
            raise ParameterError(f"{measure}, ρ = {rho:g}: its quadrants are not in the table")
        maps.append(_p_value_map(panel.axes, rows))
        [share] = shares[measure, rho].to_dict("records")
        _mark_quadrants(panel.axes, share, significance)
        panel.label("p, original", "p, banded", bare="xy")
        panel.head(f"{measure}, ρ = {rho:g}", counted(len(rows), "pair"))
    count_bar(grid, maps, "pairs")
    return grid.figure


figure_3_9 = figure_3_10 = figure_3_11 = figure_3_8

QUADRANTS = {
    "false_negative": ("left", "top", 0),
    "true_positive": ("left", "top", 1),
    "true_negative": ("right", "bottom", 1),
    "false_positive": ("right", "bottom", 0),
}
"""Where the share of a quadrant stands, off the diagonal: in which corner of the panel, or (1) at
the side where the line of significance meets it."""


def _p_value_map(axes: Axes, rows: Frame) -> PolyCollection:
    """How many pairs have which p without bands (horizontal) and with them (vertical)."""
    both = rows[["p_original", "p_banded"]].dropna().clip(lower=P_FLOOR)
    limits = np.log10([P_FLOOR, 1.0])
    hexagons = axes.hexbin(
        *both.to_numpy(dtype=float).T, gridsize=36, xscale="log", yscale="log",
        extent=(*limits, *limits), **HEXAGONS,
    )  # fmt: skip
    floor_axis(axes, "x", P_FLOOR, 1.0)
    floor_axis(axes, "y", P_FLOOR, 1.0)
    axes.set_box_aspect(1)
    return hexagons


def _mark_quadrants(axes: Axes, share: Mapping[str, float], significance: float) -> None:
    """Draw the lines of significance, and write the share of pairs in each quadrant."""
    for line in (axes.axvline, axes.axhline):
        line(significance, color=style.BLACK, ls=":", lw=0.8)
    for column, (horizontal, vertical, at_line) in QUADRANTS.items():
        x, right = (0.0, 1) if horizontal == "left" else (1.0, -1)
        y, up = (0.0, 1) if vertical == "bottom" else (1.0, -1)
        axes.annotate(
            f"{share[column]:.1%}",
            (x, significance if at_line else y), (3 * right, 3 * up),
            ("axes fraction", "data" if at_line else "axes fraction"), "offset points",
            ha=horizontal, va=vertical,
            bbox={"fc": "white", "ec": "none", "alpha": 0.7, "pad": 0.2},
        )  # fmt: skip
