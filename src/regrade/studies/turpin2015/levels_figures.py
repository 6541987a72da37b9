"""The figures of turpin2015, §§4.1–4.2: magnitudes by level, and the order of pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, PercentFormatter
from natsort import natsorted

from regrade.catalogue import ALL_TOPICS
from regrade.errors import check_choice
from regrade.show import style
from regrade.show.forms import QUARTILES, quartile_boxes
from regrade.show.panels import panel_grid, rows_by
from regrade.show.style import mark
from regrade.studies.turpin2015.rows import box_counts, by_level, of_reference
from regrade.wording import counted

BLUE, _, _, _, SKY, RED, _ = style.CUT_COLORS

LOG_FROM = 20.0
"""Quotient of the highest and the lowest magnitude from which on an axis is logarithmic."""


@style.themed
def figure_1(
    levels: pd.DataFrame, *, reference: str | None = None, aggregate: str = "median"
) -> Figure:
    """Draw Figure 1: documents' magnitudes by level, a panel for each reference."""
    rows = _of_levels(levels, reference, aggregate)
    rows = rows[rows["topic"] == ALL_TOPICS]
    panels = rows_by(rows, ["reference"], LEVELS)
    positions = max(len(some) for _, some in panels)
    grid = panel_grid(panels, positions, pitch=20, height=2.3, share="y")
    _magnitude_axis(grid.axes[0], rows, lines=2)
    for panel, ((name,), some) in grid:
        axes, some = panel.axes, by_level(some)
        places = np.arange(len(some))
        quartile_boxes(axes, some, places, 0.62, BLUE)
        box_counts(axes, places, some, beyond="outliers")
        style.name_columns(axes, [_level_name(level) for level in some["level"]])
        count = counted(int(some["n"].sum()), "document")
        panel.finish(style.dataset_label(name), count, "level", MAGNITUDE_LABELS[aggregate])
    return grid.figure


@style.themed
def figure_2(
    levels: pd.DataFrame, *, reference: str | None = None, aggregate: str = "median"
) -> Figure:
    """Draw Figure 2: documents' magnitudes by level, a panel for each topic."""
    rows = _of_levels(levels, reference, aggregate)
    rows = rows[rows["topic"] != ALL_TOPICS]
    panels = natsorted(rows_by(rows, ["topic"], LEVELS), key=lambda panel: panel[0])
    references = list(dict.fromkeys(rows["reference"]))
    colors = {name: look["color"] for name, look in style.looks(references).items()}
    slots = _slots(rows, references)
    width = max(slots.values()) + 1
    grid = panel_grid(panels, width, pitch=15, height=1.3)
    _magnitude_axis(grid.axes[0], rows)
    for panel, ((topic,), of_topic) in grid:
        axes = panel.axes
        for name, some in of_topic.groupby("reference", sort=False):
            places = np.array([slots[name, _level_name(level)] for level in some["level"]])
            quartile_boxes(axes, some, places, 0.66, colors[name])
            box_counts(axes, places, some)
        axes.set_xlim(-0.6, width - 0.4)
        axes.grid(axis="y")
        axes.set_xticks(list(slots.values()), [level for _, level in slots])
        axes.tick_params(axis="x", length=0, labelbottom=panel.is_bottom)
        panel.label(y="magnitude")
        axes.set_title(f"topic {topic}", size=style.FONT_SIZE)
    handles = [style.swatch(style.dataset_label(name), color) for name, color in colors.items()]
    return grid.with_legend(handles, title=f"{MAGNITUDE_LABELS[aggregate]}, by level of")


LEVELS = "magnitudes/levels"

MAGNITUDE_LABELS = {
    "median": "median magnitude of a document",
    "geometric_mean": "geometric mean magnitude",
}


def _of_levels(levels: pd.DataFrame, reference: str | None, aggregate: str) -> pd.DataFrame:
    rows = of_reference(levels, reference, f"topic aggregate level n outliers {QUARTILES}", LEVELS)
    rows = rows.astype({"topic": str, "aggregate": str})
    check_choice("aggregate", aggregate, list(dict.fromkeys(rows["aggregate"])))
    return rows[rows["aggregate"] == aggregate]


def _level_name(level: float) -> str:
    return "U" if pd.isna(level) else f"{level:g}"


def _slots(rows: pd.DataFrame, references: Sequence[str]) -> dict[tuple[str, str], float]:
    """Where the box of each reference and level stands, with a gap between references."""
    slots: dict[tuple[str, str], float] = {}
    place = 0.0
    for name in references:
        levels = by_level(rows[rows["reference"] == name].drop_duplicates("level"))["level"]
        for level in levels:
            slots[name, _level_name(level)] = place
            place += 1
        place += 0.6
    return slots


def _magnitude_axis(axes: Axes, rows: pd.DataFrame, lines: int = 1) -> None:
    """The y axis of boxes of magnitudes, with room for lines of counts on top."""
    low, high = rows["low"].min(), rows["high"].max()
    if pd.isna(high):
        return
    above = 2.5 * lines + 0.5
    if low > 0 and high / low >= LOG_FROM:
        axes.set_yscale("log")
        room = (high / low) ** 0.05
        axes.set_ylim(low / room, high * room**above)
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=12))
        style.tick_texts(axes.yaxis, minor=False)
    else:
        room = 0.05 * (high - low or 1.0)
        axes.set_ylim(low - room, high + above * room)


@style.themed
def figure_3(agreement: pd.DataFrame, *, reference: str | None = None) -> Figure:
    """Draw Figure 3: how often two sets order two documents alike, by the pair's levels."""
    columns = "first second topic lower upper pairs share strict_share share_low share_high"
    rows = of_reference(agreement, reference, columns, AGREEMENT, of="by")
    rows = rows.astype({"first": str, "second": str, "topic": str})
    panels = rows_by(rows, ["by", "lower", "upper"], AGREEMENT)
    most = max(len(_sets(some)) for _, some in panels)
    grid = panel_grid(panels, most, pitch=44, height=1.9, share="y")
    for panel, ((by, lower, upper), some) in grid:
        axes, sets = panel.axes, _sets(some)
        for place, (first, second) in enumerate(sets):
            of_sets = some[(some["first"] == first) & (some["second"] == second)]
            _agreement_of_sets(axes, place, of_sets)
        axes.set_ylim(-0.03, 1.03)
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
        names = [f"{style.dataset_label(a)}\n{style.dataset_label(b)}" for a, b in sets]
        style.name_columns(axes, names, length=0)
        title = "all pairs of levels" if pd.isna(lower) else f"levels {lower:g} and {upper:g}"
        count = some.loc[some["topic"] == ALL_TOPICS, "pairs"].max()
        pairs = "" if pd.isna(count) else counted(count, "pair")
        title = f"{style.dataset_label(by)}: {title}"
        panel.finish(title, pairs, y="share of pairs\nthat agree")
    handles = [
        mark("topic", ls="", marker="o", ms=2.6, mew=0, color=SKY),
        mark("mean, 95 % interval", marker="o", ms=5, mec="white", color=RED),
        mark("mean where ties do not agree", ls="", marker="D", ms=3.6, mfc="white", color=RED),
    ]
    return grid.with_legend(handles)


AGREEMENT = "magnitudes/agreement"


def _sets(rows: pd.DataFrame) -> list[tuple[str, str]]:
    """The pairs of sets that are compared."""
    return list(dict.fromkeys(zip(rows["first"], rows["second"], strict=True)))


def _agreement_of_sets(axes: Axes, place: float, rows: pd.DataFrame) -> None:
    """Topics side by side in the order of the table, and their mean with its interval."""
    topics = rows[rows["topic"] != ALL_TOPICS]["share"].astype(float)
    spread = np.linspace(-0.3, 0.3, len(topics)) if len(topics) > 1 else np.zeros(len(topics))
    axes.plot(place + spread, topics, "o", color=SKY, ms=2.6, mew=0)
    for mean in rows[rows["topic"] == ALL_TOPICS].itertuples():
        axes.plot([place, place], [mean.share_low, mean.share_high], color=RED, lw=1.4)
        axes.plot(place, mean.strict_share, "D", color=RED, mfc="white", ms=3.6, mew=0.8, zorder=4)
        axes.plot(place, mean.share, "o", color=RED, ms=5, mec="white", mew=0.6, zorder=4)
