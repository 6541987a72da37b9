"""The figure of which thresholds convert a scale to grades."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from regrade.catalogue import CUT_COLUMNS
from regrade.cutsearch.recommended_numbers import EQUAL, Numbers
from regrade.show import style
from regrade.show.movers import NAMED, draw_ranks, legend_handles
from regrade.show.style import Axes, Figure, MaxNLocator, Patch
from regrade.wording import counted

SHADES = ("#EAF1F8", "#BDD7EC", "#7FB2DA", "#3F86BF", "#1C5C97", "#0B3A66")
"""Of levels, from the lowest."""


INTERVAL, PLATEAU = style.BLACK, style.CUT_COLORS[5]


SMALL = 6.0
"""Size of what is written beside a bar, in points."""


BESIDE = {"textcoords": "offset points", "size": SMALL, "annotation_clip": False}


@style.themed
def figure_cut(numbers: pd.DataFrame, systems: pd.DataFrame, source: str, measure: str) -> Figure:
    """Draw the recommended cut beside equal widths: levels, documents, and ranks of the systems."""
    if numbers.empty:
        return style.words("No thresholds can be recommended.")
    values = Numbers(numbers)
    moved = systems[systems["beside"] == EQUAL]
    moved = moved if len(moved) >= style.FEWEST_DRAWN else moved.iloc[:0]
    figure = style.new_figure(style.DOUBLE_COLUMN, 3.3 if len(moved) else 2.9)
    figure.get_layout_engine().set(hspace=0.08, wspace=0.06)
    widths = [1.7, 1][: 1 + bool(len(moved))]
    cells = figure.add_gridspec(2, len(widths), width_ratios=widths)
    letters = iter("abc")
    scale, documents = (figure.add_subplot(cells[row, 0]) for row in (0, 1))
    _draw_scale(scale, values)
    scale.set_xlabel(f"value of {source}", parse_math=False)
    style.stacked_title(scale, f"({next(letters)})  thresholds", "")
    total = _draw_documents(documents, values)
    count = counted(total, "document")
    style.stacked_title(documents, f"({next(letters)})  documents of each grade", count)
    handles = []
    if any(pd.notna(values[name, ""].low) for name in CUT_COLUMNS[: len(_cut(values))]):
        look = {"color": INTERVAL, "lw": 1, "marker": "|", "ms": 5}
        handles.append(style.mark("95% bootstrap interval over topics", **look))
    if ("plateau_c1", "") in values:
        handles.append(
            Patch(fc=PLATEAU, alpha=0.4, label="not significantly worse than the optimum")
        )
    if len(moved):
        axes = figure.add_subplot(cells[:, 1])
        draw_ranks(axes, moved, NAMED, ("equal widths", "optimum"), 2.2)
        axes.set_ylabel("rank")
        count = f"{counted(len(moved), 'system')}, {measure}"
        style.stacked_title(axes, f"({next(letters)})  ranks of systems", count)
        handles += legend_handles(moved)
    return style.legend(figure, handles)


def _cut(numbers: Numbers, beside: str = "") -> list[float]:
    """The thresholds, or those that they are compared with."""
    return [numbers[name, beside].value for name in CUT_COLUMNS if (name, beside) in numbers]


def _draw_scale(axes: Axes, numbers: Numbers) -> None:
    """A bar of levels for the cut and one for equal widths; how sure each threshold is, above."""
    scale = numbers["scale", ""]
    half = scale.value / 2
    ends = scale.low - half, scale.high + half
    for place, (name, beside) in enumerate((("optimum", ""), ("equal widths", EQUAL))):
        cut, width = _cut(numbers, beside), ends[1] - ends[0]
        edges = [ends[0], *(at + half for at in cut), ends[1]]
        _stacked(axes, place, np.diff(edges), ends[0], width, name)
        shares = [(edge - ends[0]) / width for edge in edges[1:-1]]
        for share, text in _side_by_side(axes, shares, [f"≤ {at:g}" for at in cut]):
            at = (ends[0] + share * width, place + 0.36), (0, -1)
            axes.annotate(text, *at, ha="center", va="top", **BESIDE)
    for name in CUT_COLUMNS[: len(_cut(numbers))]:
        _draw_sureness(axes, numbers, name, half)
    ticks = MaxNLocator(10, integer=scale.value >= 1).tick_values(scale.low, scale.high)
    axes.set_xticks([tick for tick in ticks if scale.low <= tick <= scale.high])
    axes.set_xlim(*ends)
    # whether something is known of where thresholds may lie
    is_sure = ("plateau_c1", "") in numbers or pd.notna(numbers["c1", ""].low)
    _name_bars(axes, 1.85, -0.95 if is_sure else -0.45)


def _name_bars(axes: Axes, low: float, high: float) -> None:
    axes.set_ylim(low, high)
    axes.set_yticks([0, 1], ["optimum", "equal widths"])
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _draw_sureness(axes: Axes, numbers: Numbers, name: str, half: float) -> None:
    """Above a threshold: its interval over topics, and its range among cuts that are as good."""
    row = numbers[name, ""]
    # neighbouring thresholds' ranges overlap: each has its height
    height = -0.5 - 0.16 * CUT_COLUMNS.index(name)
    plateau = numbers.rows.get((f"plateau_{name}", ""))
    if plateau and pd.notna(plateau.low):
        ends = [plateau.low + half, plateau.high + half]
        axes.plot(ends, [height] * 2, color=PLATEAU, lw=4, alpha=0.4, solid_capstyle="butt")
    if pd.notna(row.low):
        look = {"color": INTERVAL, "lw": 1, "marker": "|", "ms": 5}
        (line,) = axes.plot([row.low + half, row.high + half], [height] * 2, **look)
        style.name(
            line, f"threshold {row.value:g}, 95% bootstrap interval {row.low:g}–{row.high:g}"
        )
    if pd.notna(row.low) or plateau:
        axes.plot([row.value + half], [height], "o", color=INTERVAL, ms=3)


def _draw_documents(axes: Axes, numbers: Numbers) -> int:
    """Shares of documents at each level, under the cut and under equal widths."""
    rows = (("optimum", "documents"), ("equal widths", "documents_equal_widths"))
    total = 0
    for place, (name, quantity) in enumerate(rows):
        levels = range(len(_cut(numbers)) + 1)
        counts = np.array([numbers[quantity, f"level {level}"].value for level in levels])
        total = int(counts.sum())
        shares = counts / max(total, 1)
        _stacked(axes, place, shares, 0.0, 1.0, name, [f"{share:.0%}" for share in shares])
    axes.set(xlim=(0, 1), xlabel="share of documents")
    axes.set_xticks(np.linspace(0, 1, 6), [f"{share:.0%}" for share in np.linspace(0, 1, 6)])
    _name_bars(axes, 1.5, -0.5)
    return total


def _stacked(
    axes: Axes,
    place: int,
    widths: Sequence[float],
    start: float,
    whole: float,
    name: str,
    texts: Sequence[str] | None = None,
) -> None:
    """A bar of levels beside each other, each with its number where there is room."""
    middles, outside = [], []
    for level, width in enumerate(widths):
        # shades as far apart as the levels allow
        shade = round(level * (len(SHADES) - 1) / max(1, len(widths) - 1))
        look = {"height": 0.66, "color": SHADES[shade], "ec": "white", "lw": 0.6}
        (bar,) = axes.barh(place, width, left=start, **look)
        text = f"{level}: {texts[level]}" if texts else f"{level}"
        style.name(bar, f"{name}, grade {text}")
        middle = start + width / 2
        if width / whole > 0.02 * len(text) + 0.002:
            ink = "white" if shade > 2 else "black"
            axes.text(middle, place, text, ha="center", va="center", size=6.5, color=ink)
        elif texts:
            middles.append(middle)
            outside.append(text)
        start += width
    # without room in the bar, above it
    for where, text in _side_by_side(axes, middles, outside):
        side = "right" if where > 0.9 else "left" if where < 0.1 else "center"
        axes.annotate(text, (where, place - 0.36), (0, 1), ha=side, va="bottom", **BESIDE)


def _side_by_side(
    axes: Axes, places: Sequence[float], texts: Sequence[str]
) -> list[tuple[float, str]]:
    """Texts at places (shares of the axes' width, ascending), those that would meet as one."""
    share = 0.5 if axes.get_subplotspec().get_gridspec().ncols > 1 else 0.8
    width = share * axes.figure.get_figwidth() * style.POINTS
    groups: list[tuple[list[float], str]] = []
    for place, text in zip(places, texts, strict=True):
        before, label = groups[-1] if groups else ([-np.inf], "")
        # a character is 0.6 em wide, and one more lies between
        needed = 0.6 * SMALL * ((len(label) + len(text)) / 2 + 1) / width
        if place - sum(before) / len(before) < needed:
            groups[-1] = [*before, place], f"{label}, {text}"
        else:
            groups.append(([place], text))
    return [(sum(where) / len(where), label) for where, label in groups]
