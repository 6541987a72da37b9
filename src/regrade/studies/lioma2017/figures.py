"""The figures of lioma2017: conventions, ties, weights, and systems under several criteria."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from natsort import natsorted

from regrade.show import style
from regrade.show.item_tables import Frame
from regrade.show.panels import Panel, panel_grid
from regrade.show.published import Beside
from regrade.show.style import mark
from regrade.wording import counted

BLUE, ORANGE, GREEN, PINK, SKY, RED, _ = style.CUT_COLORS
COLORS = (BLUE, ORANGE, GREEN, PINK, RED, SKY)
MARKERS = ("o", "s", "^", "D", "v", "P")
RULES = {
    "stable": {"color": BLUE, "marker": "o"},
    "competition": {"color": ORANGE, "marker": "s"},
    "expected": {"color": GREEN, "marker": "D"},
}


@style.themed
def figure_conventions(conventions: Frame, *, published: Beside = None) -> Figure:
    """Draw the mean of each measure under every convention, plain reading and print marked."""
    conventions = conventions.astype({"measure": str}).dropna(subset="value")
    measures = list(dict.fromkeys(conventions["measure"]))
    figure, axes = style.new_axes(style.SINGLE_COLUMN * 1.35, 0.19 * len(measures) + 0.9)
    for place, measure in enumerate(measures):
        own = conventions[conventions["measure"] == measure]
        axes.plot(own["value"], [place] * len(own), "|", color=BLUE, ms=6, mew=0.7)
        plain = own[own["plain"]]
        axes.plot(plain["value"], [place] * len(plain), "D", color=ORANGE, ms=4)
    handles = [
        mark("a convention", color=BLUE, marker="|", ls=""),
        mark("plain reading", color=ORANGE, marker="D", ls="", ms=4),
    ]
    if published is not None:
        printed = published[published["measure"].isin(measures)]
        look = {"marker": "o", "mfc": "none", "mec": RED, "mew": 1.2, "ms": 6, "ls": ""}
        axes.plot(printed["published"], [measures.index(m) for m in printed["measure"]], **look)
        handles.append(mark("published", **look))
    axes.set_yticks(range(len(measures)), measures)
    axes.invert_yaxis()
    counts = conventions["lists"]
    lists = " to ".join(f"{count:,}" for count in sorted({counts.min(), counts.max()}))
    axes.set_xlabel(f"mean over {lists} lists")
    axes.grid(axis="x")
    return style.legend(figure, handles)


@style.themed
def figure_ties(ties: Frame) -> Figure:
    """Draw how far rules for ties take each list's NLRE and NGRE."""
    ties = ties.astype({"measure": str, "topic": str, "assessor": str})
    measures = list(dict.fromkeys(ties["measure"]))
    lists = len(ties[ties["measure"] == measures[0]])
    grid = panel_grid(measures, lists, pitch=3, height=2.2, columns=2)
    for panel, measure in grid:
        axes = panel.axes
        own = ties[ties["measure"] == measure]
        own = own.sort_values(["optimistic", "pessimistic", "topic", "assessor"], ignore_index=True)
        ends, color = (own["pessimistic"], own["optimistic"]), style.tint(BLUE)
        axes.vlines(own.index, *ends, color=color, lw=1.2)
        for rule, look in RULES.items():
            axes.plot(own.index, own[rule], **look, ms=2.2, ls="")
        axes.set_ylim(-0.03, 1.03)
        count = counted(len(own), "list")
        panel.finish(measure, count, "lists, by their best value", "value", outer="y")
    orders = mark("worst to best order", color=style.tint(BLUE), lw=2)
    return grid.with_legend([*style.marks(RULES, ls="", ms=3), orders])


@style.themed
def figure_list_weights(weights: Frame) -> Figure:
    """Draw the measures of two criteria over the first one's weight."""
    grid = panel_grid(["value"], 11, pitch=15, height=2.4)
    for panel, column in grid:
        _lines(panel, weights, column, "mean over lists")
    return grid.with_legend(style.marks(_looks(weights), ms=3))


@style.themed
def figure_weights(weights: Frame) -> Figure:
    """Draw how rankings of systems go from one criterion's to the other's with the weight."""
    contents = [
        ("value", "mean score", "mean over systems"),
        ("tau_first", "with the first criterion", style.TAU_LABEL),
        ("tau_second", "with the second criterion", style.TAU_LABEL),
    ]
    grid = panel_grid(contents, 11, pitch=10, height=2.2, share="x")
    for panel, (column, title, label) in grid:
        _lines(panel, weights, column, label)
        panel.head(title)
    return grid.with_legend(style.marks(_looks(weights), ms=3))


@style.themed
def figure_systems(systems: Frame) -> Figure:
    """Draw systems' scores under several criteria, or another one, over those under the first."""
    systems = systems.astype({"measure": str, "set": str, "system": str})
    of_key = systems.groupby(["measure", "set"], sort=False)
    values = {key: some.set_index("system")["value"] for key, some in of_key}
    first, *others = values
    order = natsorted(values[first].index)
    grid = panel_grid(others, 10, pitch=10, height=1.9, share="")
    for panel, key in grid:
        own = values[first][order], values[key][order]
        style.dots(panel.axes, *own, order, color=BLUE, ms=2.5, alpha=0.7)
        title = f"{key[0]}, {style.dataset_label(key[1])}" if key[1] else key[0]
        x, count = f"{first[0]}, {style.dataset_label(first[1])}", counted(len(order), "system")
        panel.finish(title, count, x, "score", grid="xy")
    return grid.figure


def _lines(panel: Panel, weights: Frame, column: str, label: str) -> None:
    """A column over the weight, a line for each measure."""
    axes = panel.axes
    weights = weights.astype({"measure": str, column: float})
    for measure, look in _looks(weights).items():
        own = weights[weights["measure"] == measure]
        axes.plot(own["weight"], own[column], **look, ms=2.5)
    panel.label("weight of the first criterion", label, outer="")
    axes.set_xticks(np.linspace(0, 1, 6))
    axes.grid(visible=True)


def _looks(weights: Frame) -> dict[str, dict]:
    names = dict.fromkeys(weights["measure"].astype(str))
    every = zip(names, COLORS, MARKERS, strict=False)
    return {name: {"color": color, "marker": marker} for name, color, marker in every}
