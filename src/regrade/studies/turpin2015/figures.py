"""The figures of turpin2015, §§4.1–4.2 and 6: magnitudes by level, the order of pairs, gains.

Tables of the stage ``magnitudes`` hold several references (measures, topics, pairs of levels): a
figure draws a panel for each, or for the one reference that it is given.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator, PercentFormatter
from natsort import natsorted

from regrade.catalogue import ALL_TOPICS
from regrade.choices import WIDTHS_OF
from regrade.errors import check_choice
from regrade.show import style
from regrade.show.forms import quartile_boxes
from regrade.show.item_tables import Frame
from regrade.show.panels import Grid, panel_grid, require, rows_by
from regrade.show.style import mark
from regrade.wording import counted

BLUE, _, _, _, SKY, RED, _ = style.CUT_COLORS

LOG_FROM = 20.0
"""Quotient of the highest and the lowest magnitude from which on an axis is logarithmic."""


def of_reference(table: Frame, reference: str | None, source: str, of: str = "reference") -> Frame:
    """The rows of a reference, or all."""
    table = require(table, source).astype({of: str})
    if reference is None:
        return table
    check_choice("reference", reference, list(dict.fromkeys(table[of])))
    return table[table[of] == reference]


def by_level(rows: Frame) -> Frame:
    """In the order of levels, documents without one first, as in the paper."""
    return rows.sort_values("level", na_position="first", ignore_index=True)


def short_names(measures: Sequence[str]) -> dict[str, str]:
    """Measures without their parameters, where these names are distinct."""
    short = {measure: re.sub(r"\(.*\)", "", measure) for measure in measures}
    names = list(short.values())
    return {full: name if names.count(name) == 1 else full for full, name in short.items()}


def box_counts(
    axes: Axes, places: Sequence[float], rows: Frame, n: str = "n", beyond: str = ""
) -> None:
    """How many each box has, along the top, and how many of them lie beyond what is drawn."""
    for place, row in zip(places, rows.to_dict("records"), strict=True):
        more = f"\n+{int(row[beyond]):,}" if beyond else ""
        where = {"transform": axes.get_xaxis_transform(), "ha": "center", "va": "top"}
        axes.text(place, 0.98, f"{int(row[n]):,}{more}", color=style.GREY, zorder=6, **where)


# --- magnitudes by level, the order of pairs ----------------------------------------------------


def _box_grid(rows: Frame, pitch: float, height: float, source: str = "") -> Grid:
    """A panel for each reference, with room for a box of each of its rows."""
    panels = rows_by(rows, ["reference"], source)
    positions = max(len(some) for _, some in panels)
    return panel_grid(panels, positions, pitch=pitch, height=height, share="y")


@style.themed
def figure_1(levels: Frame, *, reference: str | None = None, aggregate: str = "median") -> Figure:
    """Draw Figure 1: documents' magnitudes by level, a panel for each reference."""
    rows = _of_levels(levels, reference, aggregate)
    rows = rows[rows["topic"] == ALL_TOPICS]
    grid = _box_grid(rows, 20, 2.3, LEVELS)
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
def figure_2(levels: Frame, *, reference: str | None = None, aggregate: str = "median") -> Figure:
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


def _of_levels(levels: Frame, reference: str | None, aggregate: str) -> Frame:
    rows = of_reference(levels, reference, LEVELS)
    rows = rows.astype({"topic": str, "aggregate": str})
    check_choice("aggregate", aggregate, list(dict.fromkeys(rows["aggregate"])))
    return rows[rows["aggregate"] == aggregate]


def _level_name(level: float) -> str:
    return "U" if pd.isna(level) else f"{level:g}"


def _slots(rows: Frame, references: Sequence[str]) -> dict[tuple[str, str], float]:
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


def _magnitude_axis(axes: Axes, rows: Frame, lines: int = 1) -> None:
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
def figure_3(agreement: Frame, *, reference: str | None = None) -> Figure:
    """Draw Figure 3: how often two sets order two documents alike, by the pair's levels."""
    rows = of_reference(agreement, reference, "magnitudes/agreement", of="by")
    rows = rows.astype({"first": str, "second": str, "topic": str})
    panels = rows_by(rows, ["by", "lower", "upper"])
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


def _sets(rows: Frame) -> list[tuple[str, str]]:
    """The pairs of sets that are compared."""
    return list(dict.fromkeys(zip(rows["first"], rows["second"], strict=True)))


def _agreement_of_sets(axes: Axes, place: float, rows: Frame) -> None:
    """Topics side by side in the order of the table, and their mean with its interval."""
    topics = rows[rows["topic"] != ALL_TOPICS]["share"].astype(float)
    spread = np.linspace(-0.3, 0.3, len(topics)) if len(topics) > 1 else np.zeros(len(topics))
    axes.plot(place + spread, topics, "o", color=SKY, ms=2.6, mew=0)
    for mean in rows[rows["topic"] == ALL_TOPICS].itertuples():
        axes.plot([place, place], [mean.share_low, mean.share_high], color=RED, lw=1.4)
        axes.plot(place, mean.strict_share, "D", color=RED, mfc="white", ms=3.6, mew=0.8, zorder=4)
        axes.plot(place, mean.share, "o", color=RED, ms=5, mec="white", mew=0.6, zorder=4)


# --- widths, gains, profiles --------------------------------------------------------------------

RECOMMENDED = 1.1
"""Ratio of the gains of highly relevant to relevant documents that Kanoulas and Aslam found."""

WIDTHS = (0, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
"""Widths that an axis names."""


WIDTH_LABELS = dict(zip(WIDTHS_OF, (r"$H_k / N_k$", "greatest / smallest value"), strict=True))
"""How an axis writes what widths are."""


@style.themed
def figure_7(widths: Frame, quantiles: Frame, *, least: int = 4) -> Figure:
    """Draw Figure 7: how many units have which width.

    The row of `quantiles` over all topics has the median.
    """
    rows = require(widths, "magnitudes/widths")
    whole = require(quantiles, "magnitudes/width_quantiles")
    [width_of] = whole["width_of"].astype(str).unique()
    whole = whole[whole["topic"].astype(str) == ALL_TOPICS]
    wide = rows[rows["units"] >= least]
    grid = panel_grid(["widths"], pitch=200, height=2.2)
    [panel] = grid.panels
    axes = panel.axes
    axes.vlines(wide["width"], 0.5, wide["units"], BLUE, lw=1.8)
    axes.set_xscale("symlog", linthresh=20, linscale=0.8)
    ticks = [width for width in WIDTHS if width <= wide["width"].max()]
    axes.set_xticks(ticks, [f"{width:,}" for width in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
    for median in whole["median"].dropna():
        axes.axvline(median, color=RED, ls="--", lw=1.0)
        label = f"median {median:.3g}"
        where = (median, 0.97), (4, 0), ("data", "axes fraction"), "offset points"
        axes.annotate(label, *where, va="top", color=RED)
    axes.set_yscale("log")
    style.tick_texts(axes.yaxis, ",g", minor=False)
    axes.set_ylim(1, 2 * max(rows["units"].max(), 2))
    left_out = rows["units"].sum() - wide["units"].sum()
    count = counted(int(rows["units"].sum()), "unit")
    if left_out:
        count += f"; {int(left_out):,} in bars of fewer than {least}, not shown"
    x = f"width of a unit, {WIDTH_LABELS[width_of]}, to the nearest 5"
    panel.finish("widths", count, x, "units")
    return grid.figure


@style.themed
def figure_8(gains: Frame, *, reference: str | None = None) -> Figure:
    """Draw Figure 8: magnitudes over that of the known low document, beside assumed gains."""
    rows = of_reference(gains, reference, "magnitudes/gains")
    grid = _box_grid(rows, 26, 2.6)
    for panel, ((name,), some) in grid:
        axes, some = panel.axes, by_level(some)
        places = np.arange(len(some))
        _limited_boxes(axes, some, places, "n")
        for profile, look in PROFILES.items():
            axes.plot(places, some[profile], **look | {"ls": ""}, zorder=4)
        style.name_columns(axes, [f"{level:g}" for level in some["level"]])
        count, y = counted(int(some["n"].sum()), "magnitude"), r"magnitude / magnitude of $N_k$"
        panel.finish(style.dataset_label(name), count, "level", y, grid="")
    return grid.with_legend(style.marks(PROFILES, ls=""), title="assumed gains")


PROFILES = {
    "linear": {"marker": "o", "color": style.BLACK, "mfc": "white", "ms": 4.5, "ls": "--"},
    "exponential": {"marker": "^", "color": style.BLACK, "mfc": "white", "ms": 5, "ls": ":"},
}
"""How assumed gains are drawn, by the column and the profile that has them."""


@style.themed
def figure_9(ratios: Frame, *, reference: str | None = None) -> Figure:
    """Draw Figure 9: ratios of magnitudes of two documents, of an upper and a lower level."""
    rows = of_reference(ratios, reference, "magnitudes/gain_ratios")
    grid = _box_grid(rows, 34, 2.4)
    for panel, ((name,), some) in grid:
        axes, places = panel.axes, np.arange(len(some))
        axes.axhline(RECOMMENDED, color=RED, ls="--", lw=1.0, zorder=0.9)
        _limited_boxes(axes, some, places, "pairs")
        style.name_columns(axes, [f"{row.upper:g} / {row.lower:g}" for row in some.itertuples()])
        count = counted(int(some["pairs"].sum()), "pair")
        panel.finish(style.dataset_label(name), count, "levels", "ratio of magnitudes", grid="")
    handles = [mark(f"{RECOMMENDED:g}, as recommended", color=RED, ls="--", lw=1.0)]
    return grid.with_legend(handles)


def _limited_boxes(axes: Axes, rows: Frame, places: np.ndarray, n: str) -> None:
    """Boxes up to the table's limit, above it how many they have and how many lie there."""
    quartile_boxes(axes, rows, places, 0.55, BLUE)
    limit = rows["limit"].max()
    top = 1.2 * limit
    axes.set_ylim(0, top)
    axes.set_yticks([tick for tick in axes.get_yticks() if tick <= limit])
    axes.axhspan(limit, top, fc="white", ec="none", zorder=5)
    axes.axhline(limit, color=style.GREY, lw=0.6, zorder=6)
    box_counts(axes, places, rows, n, beyond="above")


@style.themed
def figure_profiles(profiles: Frame, *, reference: str | None = None) -> Figure:
    """Draw gains by level: fitted to the magnitudes of all topics and of each, and assumed ones."""
    rows = of_reference(profiles, reference, "magnitudes/gain_profiles")
    rows = rows.astype({"profile": str, "topic": str}).sort_values("level", kind="stable")
    panels = rows_by(rows, ["reference"])
    grid = panel_grid(panels, pitch=120, height=2.3, share="y")
    for panel, ((name,), some) in grid:
        axes = panel.axes
        for key, line in some.groupby(["profile", "topic"], sort=False):
            axes.plot(line["level"], line["gain"], **_profile_look(*key), gid=" ".join(key))
        axes.set_xticks(sorted(some["level"].unique()))
        style.tick_texts(axes.xaxis)
        topics = some.loc[some["topic"] != ALL_TOPICS, "topic"].nunique()
        count = counted(topics, "topic") if topics else ""
        panel.finish(style.dataset_label(name), count, "level", "gain (lowest level: 1)")
    keys = rows.drop_duplicates("profile")[["profile", "topic"]].to_numpy()
    return grid.with_legend([mark(key[0], **_profile_look(*key)) for key in keys])


def _profile_look(profile: str, topic: str) -> dict[str, object]:
    """Assumed profiles as in Figure 8, fitted ones in colours, those of topics thin."""
    if topic != ALL_TOPICS:
        color, line = (BLUE, "-") if profile == "partially pooled" else (SKY, ":")
        return {"color": color, "ls": line, "lw": 0.6, "zorder": 2}
    fitted = {"marker": "s", "color": RED, "ms": 4.0, "ls": "-"}
    return {"lw": 1.0, "zorder": 3, **PROFILES.get(profile, fitted)}
