"""The figures of lioma2017: conventions, ties, weights, and systems under several criteria.

Each function takes tables of the stages ``rated_lists`` and ``criteria``, as they are.

References
----------
Lioma, Simonsen, Larsen: Evaluation Measures for Relevance and Credibility in Ranked Lists. ICTIR
2017.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from natsort import natsorted

from regrade.show import style

BLUE, ORANGE, GREEN, PINK, SKY, RED, _ = style.CUT_COLORS
COLORS = (BLUE, ORANGE, GREEN, PINK, RED, SKY)
MARKERS = ("o", "s", "^", "D", "v", "P")
RULES = {"stable": (BLUE, "o"), "competition": (ORANGE, "s"), "expected": (GREEN, "D")}


@style.themed
def figure_conventions(
    conventions: pd.DataFrame, notes: str = "", published: pd.DataFrame | None = None
) -> Figure:
    """Draw the mean of each measure under every convention, plain reading and print marked.

    Parameters
    ----------
    conventions
        Table ``rated-lists/conventions``.
    notes
        A line for the figure's foot.
    published
        What the paper printed (Table 3).
    """
    conventions = conventions.astype({"measure": str}).dropna(subset="value")
    measures = list(dict.fromkeys(conventions["measure"]))
    figure = style.new_figure(style.SINGLE_COLUMN * 1.35, 0.19 * len(measures) + 0.9, notes)
    axes = figure.add_subplot()
    for place, measure in enumerate(measures):
        own = conventions[conventions["measure"] == measure]
        axes.plot(own["value"], [place] * len(own), "|", color=BLUE, ms=6, mew=0.7)
        plain = own[own["plain"]]
        axes.plot(plain["value"], [place] * len(plain), "D", color=ORANGE, ms=4)
    handles = [
        Line2D([], [], color=BLUE, marker="|", ls="", label="a convention"),
        Line2D([], [], color=ORANGE, marker="D", ls="", ms=4, label="plain reading"),
    ]
    if published is not None:
        printed = published[published["measure"].isin(measures)]
        look = {"marker": "o", "mfc": "none", "mec": RED, "mew": 1.2, "ms": 6, "ls": ""}
        axes.plot(printed["published"], [measures.index(m) for m in printed["measure"]], **look)
        handles.append(Line2D([], [], **look, label="printed in the study"))
    axes.set_yticks(range(len(measures)), measures)
    axes.invert_yaxis()
    counts = conventions["lists"]
    lists = " to ".join(f"{count:,}" for count in sorted({counts.min(), counts.max()}))
    axes.set_xlabel(f"mean over {lists} lists")
    axes.grid(axis="x")
    style.legend(figure, handles)
    return figure


@style.themed
def figure_ties(ties: pd.DataFrame, notes: str = "") -> Figure:
    """Draw how far rules for ties take each list's NLRE and NGRE.

    Parameters
    ----------
    ties
        Table ``rated-lists/ties``.
    notes
        A line for the figure's foot.
    """
    ties = ties.astype({"measure": str, "topic": str, "assessor": str})
    measures = list(dict.fromkeys(ties["measure"]))
    lists = len(ties[ties["measure"] == measures[0]])
    grid = style.panel_grid(len(measures), lists, pitch=3, height=2.2, notes=notes, columns=2)
    for index, measure in enumerate(measures):
        axes = grid.axes[index]
        own = ties[ties["measure"] == measure]
        own = own.sort_values(["optimistic", "pessimistic", "topic", "assessor"], ignore_index=True)
        axes.vlines(
            own.index, own["pessimistic"], own["optimistic"], color=style.tint(BLUE), lw=1.2
        )
        for rule, (color, marker) in RULES.items():
            axes.plot(own.index, own[rule], marker, color=color, ms=2.2, ls="")
        axes.set_ylim(-0.03, 1.03)
        axes.set_xlabel("lists, by their best value")
        style.label_y(grid, index, "value")
        style.panel_title(grid, index, measure, f"{len(own)} lists")
        axes.grid(axis="y")
    handles = [
        Line2D([], [], color=color, marker=marker, ls="", ms=3, label=rule)
        for rule, (color, marker) in RULES.items()
    ]
    handles.append(Line2D([], [], color=style.tint(BLUE), lw=2, label="worst to best order"))
    style.legend(grid.figure, handles)
    return grid.figure


@style.themed
def figure_list_weights(weights: pd.DataFrame, notes: str = "") -> Figure:
    """Draw the measures of two criteria over the first one's weight.

    Parameters
    ----------
    weights
        Table ``rated-lists/weights``.
    notes
        A line for the figure's foot.
    """
    grid = style.panel_grid(1, 11, pitch=15, height=2.4, notes=notes)
    _lines(grid.axes[0], weights, "value")
    style.label_y(grid, 0, "mean over lists")
    style.legend(grid.figure, _measures(weights))
    return grid.figure


@style.themed
def figure_weights(weights: pd.DataFrame, notes: str = "") -> Figure:
    """Draw how rankings of systems go from one criterion's to the other's with the weight.

    Parameters
    ----------
    weights
        Table ``criteria/weights``.
    notes
        A line for the figure's foot.
    """
    panels = {
        "value": ("mean score", "mean over systems"),
        "tau_first": ("with the first criterion", style.TAU_LABEL),
        "tau_second": ("with the second criterion", style.TAU_LABEL),
    }
    grid = style.panel_grid(len(panels), 11, pitch=10, height=2.2, notes=notes, share_y=False)
    for index, (column, (title, label)) in enumerate(panels.items()):
        _lines(grid.axes[index], weights, column)
        grid.axes[index].set_ylabel(label)
        style.panel_title(grid, index, title)
    style.legend(grid.figure, _measures(weights))
    return grid.figure


@style.themed
def figure_systems(systems: pd.DataFrame, notes: str = "") -> Figure:
    """Draw systems' scores under several criteria, or another one, over those under the first.

    Parameters
    ----------
    systems
        Table ``criteria/systems``.
    notes
        A line for the figure's foot.
    """
    systems = systems.astype({"measure": str, "set": str, "system": str})
    keys = list(dict.fromkeys(zip(systems["measure"], systems["set"], strict=True)))
    values = {
        key: systems[(systems["measure"] == key[0]) & (systems["set"] == key[1])].set_index(
            "system"
        )["value"]
        for key in keys
    }
    first, *others = keys
    order = natsorted(values[first].index)
    grid = style.panel_grid(
        len(others), 10, pitch=10, height=1.9, notes=notes, share_y=False, share_x=False
    )
    for index, key in enumerate(others):
        axes = grid.axes[index]
        own = values[first][order], values[key][order]
        style.dots(axes, *own, order, color=BLUE, ms=2.5, alpha=0.7)
        axes.set_xlabel(f"{first[0]}, {style.dataset_label(first[1])}")
        axes.set_ylabel("score")
        axes.grid(visible=True)
        title = f"{key[0]}, {style.dataset_label(key[1])}" if key[1] else key[0]
        style.panel_title(grid, index, title, f"{len(order)} systems")
    return grid.figure


def _lines(axes: Axes, weights: pd.DataFrame, column: str) -> None:
    weights = weights.astype({"measure": str, column: float})
    for place, measure in enumerate(dict.fromkeys(weights["measure"])):
        own = weights[weights["measure"] == measure]
        axes.plot(own["weight"], own[column], color=COLORS[place], marker=MARKERS[place], ms=2.5)
    axes.set_xlabel("weight of the first criterion")
    axes.set_xticks(np.linspace(0, 1, 6))
    axes.grid(visible=True)


def _measures(weights: pd.DataFrame) -> list[Line2D]:
    names = dict.fromkeys(weights["measure"].astype(str))
    return [
        Line2D([], [], color=COLORS[place], marker=MARKERS[place], ms=3, label=name)
        for place, name in enumerate(names)
    ]
