"""The figures of turpin2015, §6: widths of units, gains and their ratios; and fitted profiles."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from regrade.catalogue import ALL_TOPICS
from regrade.choices import WIDTHS_OF
from regrade.show import style
from regrade.show.forms import QUARTILES, quartile_boxes
from regrade.show.panels import panel_grid, require, rows_by
from regrade.show.style import mark
from regrade.studies.turpin2015.rows import box_counts, by_level, of_reference
from regrade.wording import counted

BLUE, _, _, _, SKY, RED, _ = style.CUT_COLORS

RECOMMENDED = 1.1
"""Ratio of the gains of highly relevant to relevant documents that Kanoulas and Aslam found."""

WIDTHS = (0, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
"""Widths that an axis names."""


WIDTH_LABELS = dict(zip(WIDTHS_OF, (r"$H_k / N_k$", "greatest / smallest value"), strict=True))
"""How an axis writes what widths are."""


@style.themed
def figure_7(widths: pd.DataFrame, quantiles: pd.DataFrame, *, least: int = 4) -> Figure:
    """Draw Figure 7: how many units have which width.

    The row of `quantiles` over all topics has the median.
    """
    rows = require(widths, "magnitudes/widths", "width units")
    whole = require(quantiles, "magnitudes/width_quantiles", "topic median width_of")
    [width_of] = whole["width_of"].astype(str).unique()
    whole = whole[whole["topic"].astype(str) == ALL_TOPICS]
    shown = rows[rows["units"] >= least]
    grid = panel_grid(["widths"], pitch=200, height=2.2)
    [panel] = grid.panels
    axes = panel.axes
    axes.vlines(shown["width"], 0.5, shown["units"], BLUE, lw=1.8)
    axes.set_xscale("symlog", linthresh=20, linscale=0.8)
    ticks = [width for width in WIDTHS if width <= shown["width"].max()]
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
    left_out = rows["units"].sum() - shown["units"].sum()
    count = counted(int(rows["units"].sum()), "unit")
    if left_out:
        count += f"; {int(left_out):,} in bars of fewer than {least}, not shown"
    x = f"width of a unit, {WIDTH_LABELS[width_of]}, to the nearest 5"
    panel.finish("widths", count, x, "units")
    return grid.figure


@style.themed
def figure_8(gains: pd.DataFrame, *, reference: str | None = None) -> Figure:
    """Draw Figure 8: magnitudes over that of the known low document, beside assumed gains."""
    columns = f"level n limit above linear exponential {QUARTILES}"
    rows = of_reference(gains, reference, columns, GAINS)
    panels = rows_by(rows, ["reference"], GAINS)
    positions = max(len(some) for _, some in panels)
    grid = panel_grid(panels, positions, pitch=26, height=2.6, share="y")
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


GAINS = "magnitudes/gains"

PROFILES = {
    "linear": {"marker": "o", "color": style.BLACK, "mfc": "white", "ms": 4.5, "ls": "--"},
    "exponential": {"marker": "^", "color": style.BLACK, "mfc": "white", "ms": 5, "ls": ":"},
}
"""How assumed gains are drawn, by the column and the profile that has them."""


@style.themed
def figure_9(ratios: pd.DataFrame, *, reference: str | None = None) -> Figure:
    """Draw Figure 9: ratios of magnitudes of two documents, of an upper and a lower level."""
    columns = f"upper lower pairs limit above {QUARTILES}"
    rows = of_reference(ratios, reference, columns, RATIOS)
    panels = rows_by(rows, ["reference"], RATIOS)
    positions = max(len(some) for _, some in panels)
    grid = panel_grid(panels, positions, pitch=34, height=2.4, share="y")
    for panel, ((name,), some) in grid:
        axes, places = panel.axes, np.arange(len(some))
        axes.axhline(RECOMMENDED, color=RED, ls="--", lw=1.0, zorder=0.9)
        _limited_boxes(axes, some, places, "pairs")
        style.name_columns(axes, [f"{row.upper:g} / {row.lower:g}" for row in some.itertuples()])
        count = counted(int(some["pairs"].sum()), "pair")
        panel.finish(style.dataset_label(name), count, "levels", "ratio of magnitudes", grid="")
    handles = [mark(f"{RECOMMENDED:g}, as recommended", color=RED, ls="--", lw=1.0)]
    return grid.with_legend(handles)


RATIOS = "magnitudes/gain_ratios"


def _limited_boxes(axes: Axes, rows: pd.DataFrame, places: np.ndarray, n: str) -> None:
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
def figure_profiles(profiles: pd.DataFrame, *, reference: str | None = None) -> Figure:
    """Draw gains by level: fitted to the magnitudes of all topics and of each, and assumed ones."""
    columns = "profile topic level gain"
    rows = of_reference(profiles, reference, columns, GAIN_PROFILES)
    rows = rows.astype({"profile": str, "topic": str}).sort_values("level", kind="stable")
    panels = rows_by(rows, ["reference"], GAIN_PROFILES)
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


GAIN_PROFILES = "magnitudes/gain_profiles"


def _profile_look(profile: str, topic: str) -> dict[str, object]:
    """Assumed profiles as in Figure 8, fitted ones in colours, those of topics thin."""
    if topic != ALL_TOPICS:
        color, line = (BLUE, "-") if profile == "partially pooled" else (SKY, ":")
        return {"color": color, "ls": line, "lw": 0.6, "zorder": 2}
    fitted = {"marker": "s", "color": RED, "ms": 4.0, "ls": "-"}
    return {"lw": 1.0, "zorder": 3, **PROFILES.get(profile, fitted)}
