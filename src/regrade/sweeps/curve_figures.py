"""The specification curve: universes in the order of an outcome, and the choices of each."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import MaxNLocator

from regrade.show import style
from regrade.show.panels import require
from regrade.sweeps.options import LABEL_AXES, SYSTEM_AXES
from regrade.wording import counted

OUTCOMES = {
    "tau": r"$\tau_b$ with the baseline's ranking",
    "significant_pairs": "significant pairs",
    "changed_pairs": "pairs with a conclusion\nother than the baseline's",
    "alpha": r"$\alpha$ with the reference",
    "relabelled": "share of documents with a\nlevel other than the baseline's",
}
"""Outcomes of a universe, as axes are labelled."""

ORDER = tuple(dict.fromkeys((*LABEL_AXES[:-1], *SYSTEM_AXES)))
"""Of the rows: axes of sweeps of labels, and of systems."""

AT_BASELINE = {"tau": 1.0, "changed_pairs": 0.0, "relabelled": 0.0}
"""The baseline's own outcome, where it is the same in any sweep."""

FACT_OF = {"significant_pairs": "significant", "alpha": "alpha"}
"""The fact that holds the baseline's, elsewhere."""

WHOLE = ("significant_pairs", "changed_pairs")
"""Outcomes that are counts."""

CHOICES = LinearSegmentedColormap.from_list("choices", ["#FFFFFF", "#7FB2DA", "#0B3A66"])
"""None of the universes have the entry; as many as overall; all, or twice as many as overall."""

BASELINE, HALVES = style.CUT_COLORS[5], style.BLACK

ROW = 0.135
"""Height of an entry's row, in inches."""


@style.themed
def figure_curve(
    curve: pd.DataFrame,
    curve_choices: pd.DataFrame,
    levels: pd.DataFrame,
    facts: pd.DataFrame,
    *,
    outcome: str,
) -> Figure:
    """Draw universes sorted by an outcome, above a row of each entry of each axis."""
    own = curve[curve["outcome"].astype(str) == outcome]
    require(own, "sweeps/curve")
    choices = curve_choices[curve_choices["outcome"].astype(str) == outcome]
    rows = _rows(choices)
    values = facts.astype({"quantity": str}).set_index("quantity")["value"]
    below = ROW * len(rows) + 0.08 * rows["axis"].nunique()
    figure = style.new_figure(style.DOUBLE_COLUMN, 2.6 + below)
    cells = figure.add_gridspec(2, 1, height_ratios=[1.5, max(below, 0.01)], hspace=0.02)
    axes = figure.add_subplot(cells[0])
    handles = _draw_outcome(axes, own, values, outcome)
    axes.set_xlim(0, 1)
    last = axes
    if len(rows):
        last = figure.add_subplot(cells[1], sharex=axes)
        axes.tick_params(labelbottom=False, bottom=False)
        _draw_choices(last, own, choices, rows, levels)
        handles += _shades(choices)
    style.percents(last.xaxis)
    last.set_xlabel("combinations, sorted by outcome (entries of an axis weighted equally)")
    axes.set_title(counted(values["universes"], "combination"), loc="left")
    named = [one for one in ("system", "pair", "document", "topic") if f"{one}s" in values]
    held = [counted(values[f"{one}s"], one) for one in named]
    axes.set_title(", ".join(held), loc="right", size=style.FONT_SIZE, color=style.GREY)
    if handles:
        style.legend(figure, handles)
    return figure


def _rows(choices: pd.DataFrame) -> pd.DataFrame:
    """Axis and entry of each row, axes in their order."""
    rows = choices.astype({"axis": str, "entry": str})[["axis", "entry"]].drop_duplicates()
    order = rows["axis"].map(ORDER.index)
    return rows.iloc[np.argsort(order, kind="stable")].reset_index(drop=True)


def _draw_outcome(axes: Axes, curve: pd.DataFrame, facts: pd.Series, outcome: str) -> list:
    """The outcome along the universes, the baseline, what the topics alone do; for the legend."""
    x = np.stack([curve["start"], curve["stop"]], axis=1).reshape(-1)
    y = np.stack([curve["low"], curve["high"]], axis=1).reshape(-1)
    axes.plot(x, y, color=style.CUT_COLORS[0], lw=1.4)
    handles = []
    at = curve[curve["at_baseline"].astype(bool)]
    if len(at):
        place = (at["start"].iloc[0] + at["stop"].iloc[0]) / 2
        value = AT_BASELINE.get(outcome, facts.get(FACT_OF.get(outcome)))
        axes.axvline(place, color=BASELINE, lw=0.8, ls=":")
        axes.plot([place], [value], "o", color=BASELINE, ms=4, clip_on=False, zorder=5)
        handles.append(style.mark("baseline", color=BASELINE, marker="o", ms=4, lw=0.8, ls=":"))
    halves = facts.get("halves", np.nan)
    if outcome == "changed_pairs" and pd.notna(halves):
        axes.axhline(halves, color=HALVES, lw=0.8, ls="--")
        label = f"two random halves of the topics (mean {halves:.0f})"
        handles.append(style.mark(label, color=HALVES, lw=0.8, ls="--"))
        axes.set_ylim(top=max(axes.get_ylim()[1], halves * 1.06))
    axes.set_ylabel(OUTCOMES[outcome])
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=outcome in WHOLE))
    axes.grid(axis="y")
    return handles


def _shades(choices: pd.DataFrame) -> list[Patch]:
    """What a legend shows of the shades of entries."""
    share = choices["share"].to_numpy()
    shades = {0.0: "entry in none", 1.0: "as often as overall", 2.0: "in all, or twice as often"}
    if ((share < 1e-9) | (share > 1 - 1e-9)).all():
        shades = {2.0: "has the entry"}
    edge = {"ec": style.GREY, "lw": 0.4}
    return [Patch(fc=CHOICES(value / 2), label=label, **edge) for value, label in shades.items()]


def _draw_choices(
    axes: Axes, curve: pd.DataFrame, choices: pd.DataFrame, rows: pd.DataFrame, levels: pd.DataFrame
) -> None:
    """A row of each entry: how many of the universes at each place have it."""
    widths = (curve["stop"] - curve["start"]).to_numpy()
    starts = curve["start"].to_numpy()
    table = choices.astype({"axis": str, "entry": str})
    shares = table.pivot_table(
        index=["axis", "entry"], columns="place", values="share", sort=False, observed=True
    )
    gap = 0.6
    patches, values, places, y = [], [], [], 0.0
    for number, (axis, entry) in enumerate(zip(rows["axis"], rows["entry"], strict=True)):
        y += gap if number and axis != rows["axis"][number - 1] else 0.0
        share = shares.loc[(axis, entry)].to_numpy()
        overall = float(share @ widths)
        often = np.where(share > 1 - 1e-9, 2.0, share / overall if overall else 0.0)
        for start, width, value in zip(starts, widths, often.clip(0, 2), strict=True):
            patches.append(Rectangle((start, y + 0.08), width, 0.84))
            values.append(value)
        places.append(y + 0.5)
        y += 1.0
    drawn = PatchCollection(patches, cmap=CHOICES, norm=Normalize(0, 2), lw=0, rasterized=True)
    drawn.set_array(np.array(values))
    axes.add_collection(drawn)
    for place in places:
        axes.axhline(place + 0.5, color=style.LIGHT_GREY, lw=0.3, zorder=0)
    at = curve[curve["at_baseline"].astype(bool)]
    if len(at):
        middle = (at["start"].iloc[0] + at["stop"].iloc[0]) / 2
        axes.axvline(middle, color=BASELINE, lw=0.8, ls=":")
    axes.set_ylim(y, 0)
    axes.set_yticks(places, [_entry_label(row, levels) for row in rows.itertuples()])
    for label, row in zip(axes.get_yticklabels(), rows.itertuples(), strict=True):
        label.set_parse_math(False)
        if _of(row, levels)["at_baseline"].any():
            label.set_color(BASELINE)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right"]].set_visible(False)
    _name_axes(axes, rows, places)


def _name_axes(axes: Axes, rows: pd.DataFrame, places: list[float]) -> None:
    """The name of each axis, at the right of its rows."""
    for axis in dict.fromkeys(rows["axis"]):
        own = [place for place, name in zip(places, rows["axis"], strict=True) if name == axis]
        ends, where = [own[0] - 0.4, own[-1] + 0.4], axes.get_yaxis_transform()
        look = {"color": style.GREY, "lw": 0.8, "clip_on": False}
        axes.plot([1.008, 1.008], ends, transform=where, **look)
        at = (1.008, (own[0] + own[-1]) / 2), (3, 0), where, "offset points"
        axes.annotate(axis, *at, va="center", size=style.FONT_SIZE, annotation_clip=False)


def _of(row: object, levels: pd.DataFrame) -> pd.DataFrame:
    same = (levels["axis"].astype(str) == row.axis) & (levels["entry"].astype(str) == row.entry)
    return levels[same]


def _entry_label(row: object, levels: pd.DataFrame) -> str:
    """An entry, and how many choices it stands for where these are several."""
    choices = _of(row, levels)["choices"]
    count = int(choices.iloc[0]) if len(choices) else 1
    return row.entry if count == 1 else f"{row.entry} ({count:,})"
