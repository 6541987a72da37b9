"""The figures of a sweep.  Nothing is computed here that a table should hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from regrade.show import style
from regrade.show.forms import BLUES, two_triangles
from regrade.show.item_tables import Frame
from regrade.show.panels import require
from regrade.sweeps.curve_figures import BASELINE, OUTCOMES, figure_curve  # noqa: F401 (a figure of this study)
from regrade.sweeps.options import SYSTEM_AXES
from regrade.sweeps.tables import NOTHING, of_outcomes, over_all, share_changed
from regrade.sweeps.tables import OUTCOMES as SHARED
from regrade.wording import counted

AXIS_COLORS = {
    "labels": "#0072B2",
    "unjudged": "#CC79A7",
    "pool": "#009E73",
    "ties": "#F0E442",
    "measure": "#E69F00",
    "topics": "#56B4E9",
    "test": "#D55E00",
    "scores": "#0072B2",
    "average": "#009E73",
    "items": "#56B4E9",
}
"""Of the axis on which a pair's conclusion depends: Okabe and Ito's palette."""

ALWAYS, NEVER, ELSEWHERE = style.BLACK, "#FFFFFF", "#B0B0B0"
"""Of a pair significant in all universes, or in none; of one that changes outside the factorial."""

FEW = 0.05
"""A conclusion from which a smaller share of the universes differs is drawn pale."""

# --- shares of variance ------------------------------------------------------------------------


@style.themed
def figure_shares(axes: Frame) -> Figure:
    """A panel for each outcome: bars of shares by axis; beneath, what two axes do together."""
    titles = {name: OUTCOMES[name] for name in SHARED}
    return draw_shares(of_outcomes(axes), titles, SYSTEM_AXES)


def draw_shares(rows: Frame, titles: Mapping[str, str], known: Sequence[str]) -> Figure:
    """A panel for each outcome, with its title; `known` axes in their order."""
    require(rows, "sweeps/axes")
    names = [axis for axis in known if axis in set(rows["axis"])]
    several = len(names) > 1
    height = 0.17 * len(names)
    figure = style.new_figure(
        style.DOUBLE_COLUMN, 1.1 + height + (1.0 + 0.25 * len(names)) * several
    )
    ratios = [height + 0.3, 0.25 * len(names) + 0.3][: 1 + several]
    cells = figure.add_gridspec(len(ratios), len(titles), height_ratios=ratios)
    for column, (outcome, title) in enumerate(titles.items()):
        own = rows[rows["outcome"] == outcome]
        bars = figure.add_subplot(cells[0, column])
        _draw_bars(bars, own[own["with_axis"] == ""], names)
        bars.tick_params(labelleft=column == 0)
        bars.set_title(title, size=style.FONT_SIZE)
        if several:
            matrix = figure.add_subplot(cells[1, column])
            _draw_twos(matrix, own, names)
            matrix.tick_params(labelleft=column == 0)
    handles = [
        Patch(fc=style.CUT_COLORS[0], label="main effect"),
        Patch(fc=style.tint(style.CUT_COLORS[0]), label="total effect, interactions included"),
    ]
    return style.legend(figure, handles)


def _draw_bars(axes: Axes, rows: Frame, names: Sequence[str]) -> None:
    """By itself, and on to all in which the axis has a part."""
    shares = rows.set_index("axis").reindex(names)
    first, total = (shares[name].to_numpy(dtype=float) for name in ("first_order", "total"))
    style.name_rows(axes, names, formulas=True, top=-0.5)
    axes.set(xlim=(0, 1.2), xticks=[0, 0.5, 1], xlabel="share of variance")
    style.percents(axes.xaxis)
    axes.spines[["top", "right"]].set_visible(False)
    if np.isnan(total).all():
        look = {"ha": "center", "va": "center", "color": style.GREY}
        axes.text(0.6, (len(names) - 1) / 2, "does not vary", **look)
        return
    axes.barh(range(len(names)), total, 0.7, color=style.tint(style.CUT_COLORS[0]))
    axes.barh(range(len(names)), np.minimum(first, total), 0.7, color=style.CUT_COLORS[0])
    for y, value in enumerate(total):
        look = {"textcoords": "offset points", "va": "center", "size": style.FONT_SIZE}
        axes.annotate(_percent(value), (value, y), (2, 0), **look)


def _draw_twos(axes: Axes, rows: Frame, names: Sequence[str]) -> None:
    """Shares that two axes have together beyond each of them; by itself on the diagonal."""
    values = np.full((len(names), len(names)), np.nan)
    for row in rows.itertuples():
        i = names.index(row.axis)
        j = names.index(row.with_axis) if row.with_axis else i
        values[max(i, j), min(i, j)] = row.first_order
    axes.imshow(values, cmap=BLUES, norm=Normalize(0, 1), aspect="auto")
    for i, j in zip(*np.tril_indices(len(names)), strict=True):
        if np.isfinite(values[i, j]):
            look = {"color": _ink(values[i, j]), "weight": "bold" if i == j else "normal"}
            look |= {"ha": "center", "va": "center", "size": style.FONT_SIZE}
            axes.text(j, i, _percent(values[i, j]), **look)
    axes.set_xticks(range(len(names)), names, rotation=90 if len(names) > 3 else 0)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("two-way interactions, in %\n(diagonal: main effects)")


def _ink(share: float) -> str:
    """Of a number on its shade; numbers near 0 are pale."""
    return "white" if share > 0.6 else style.GREY if share < 0.005 else style.BLACK


def _percent(share: float) -> str:
    """A share in whole %; what is less than half of one is not 0."""
    if np.isnan(share):
        return ""
    return "<1" if NOTHING < share < 0.005 else f"{100 * share:.0f}"


# --- systems -----------------------------------------------------------------------------------


@style.themed
def figure_systems(systems: Frame, facts: Frame, *, limit: int) -> Figure:
    """A line for each system: lowest and highest rank, quartiles, median, rank at the baseline."""
    every = over_all(systems)
    require(every, "sweeps/systems")
    rows = every.head(limit)
    values = facts.astype({"quantity": str}).set_index("quantity")["value"]
    figure, axes = style.new_axes(style.SINGLE_COLUMN, 1.2 + 0.125 * len(rows))
    color = style.CUT_COLORS[0]
    for y, row in enumerate(rows.itertuples()):
        (line,) = axes.plot([row.low, row.high], [y, y], color=style.GREY, lw=0.7)
        style.name(line, f"{row.system}: rank {row.low:.0f} to {row.high:.0f}")
        axes.barh(y, row.q3 - row.q1 + 0.5, 0.6, left=row.q1 - 0.25, color=style.tint(color), lw=0)
        axes.plot([row.median] * 2, [y - 0.3, y + 0.3], color=color, lw=1.4)
    ranks = rows["baseline_rank"].to_numpy()
    at = {"marker": "o", "color": BASELINE, "ms": 2.6}
    names = [
        f"{name}: rank {rank} at the baseline"
        for name, rank in zip(rows["system"], ranks, strict=True)
    ]
    style.dots(axes, ranks, np.arange(len(rows)), names, **at, zorder=3)
    style.name_rows(axes, rows["system"])
    axes.set_xlim(0.4, len(every) + 0.6)
    ticks = MaxNLocator(7, integer=True, min_n_ticks=1).tick_values(1, len(every))
    axes.set_xticks([1, *(tick for tick in ticks if 1 < tick <= len(every))])
    axes.set_xlabel(f"rank of {len(every)} (1: best)")
    drawn = style.systems_text(len(rows), len(every))
    count = counted(values["universes"], "combination")
    axes.set_title(f"{drawn}, {count}", size=style.FONT_SIZE)
    handles = [
        style.mark("baseline", **at, ls=""),
        style.mark("median", color=color, marker="|", ms=6, mew=1.4, ls=""),
        Patch(fc=style.tint(color), label="interquartile range"),
        style.mark("range", color=style.GREY, lw=0.7),
    ]
    return style.legend(figure, handles, columns=4)


# --- pairs -------------------------------------------------------------------------------------


@style.themed
def figure_pairs(pairs: Frame, systems: Frame, *, limit: int | None) -> Figure:
    """A matrix of systems: above, on what a conclusion depends; below, how often significant."""
    every = over_all(systems)
    names = every["system"].head(limit).tolist()
    place = {name: i for i, name in enumerate(names)}
    rows = pairs.astype({"system": str, "other": str, "conclusion": str})
    rows = rows[rows["system"].isin(place) & rows["other"].isin(place)]
    require(rows, "sweeps/pairs")
    kinds = _kinds(rows)
    n = len(names)
    figure, axes = style.new_axes(style.DOUBLE_COLUMN, 6.9)
    known = [kind for kind in _KINDS if kind in set(kinds)]
    plain = [_KINDS[kind][0] for kind in known]
    colors = ListedColormap([*plain, *(style.tint(color) for color in plain)])
    # pale: those that most universes conclude alike
    is_pale = (share_changed(rows) < FEW) & ~rows["holds"].astype(bool)
    shade = kinds.map(known.index) + len(known) * is_pale
    first, second = (rows[name].map(place).to_numpy() for name in ("system", "other"))
    above, below = np.full((2, n, n), np.nan)
    above[np.minimum(first, second), np.maximum(first, second)] = shade.to_numpy()
    better = np.where(first <= second, rows["significantly_better"], rows["significantly_worse"])
    below[np.maximum(first, second), np.minimum(first, second)] = better
    norm = Normalize(-0.5, 2 * len(known) - 0.5)
    label = "below the diagonal: share of combinations in which the higher is significantly better"
    bar = two_triangles(axes, above, colors, norm, below, label)
    bar.outline.set_visible(False)
    axes.plot([-0.5, n - 0.5], [-0.5, n - 0.5], color=style.GREY, lw=0.5)
    _name_systems(axes, names)
    order = "system, by rank at the baseline"
    axes.set(xlabel=order, ylabel=order)
    of = counted(len(every), "system")
    title = of if n == len(every) else f"{n} of {of}"
    axes.set_title(f"{title}, {counted(len(rows), 'pair')}", size=style.FONT_SIZE)
    counts = kinds.value_counts()
    labels = [f"{_KINDS[kind][1]} ({counts[kind]:,})" for kind in known]
    edge = {"ec": style.GREY, "lw": 0.4}
    handles = [
        Patch(fc=color, label=label, **edge) for color, label in zip(plain, labels, strict=True)
    ]
    title = "above the diagonal: the conclusion"
    if is_pale.any():
        title += f" (pale: another one in fewer than {FEW:.0%} of combinations)"
    return style.legend(figure, handles, title=title)


_KINDS = {
    "always": (ALWAYS, "significant, the same in all"),
    "never": (NEVER, "not significant in any"),
    **{axis: (color, f"depends on {axis}") for axis, color in AXIS_COLORS.items()},
    "": (ELSEWHERE, "changes in an incomplete part"),
}
"""Kinds of pairs: colour, and what a legend says."""


def _kinds(pairs: Frame) -> pd.Series:
    """Of each pair one of `_KINDS`."""
    kinds = pairs["depends_on"].astype(object).where(pairs["depends_on"].notna(), "").astype(str)
    holds = pairs["holds"].astype(bool)
    never = pairs["conclusion"] == "not significant"
    return kinds.mask(holds & never, "never").mask(holds & ~never, "always")


def _name_systems(axes: Axes, names: Sequence[str]) -> None:
    """Names where they are legible, else places."""
    pitch = 4.9 * style.POINTS / len(names)
    if pitch >= 0.95 * style.FONT_SIZE:
        axes.set_yticks(range(len(names)), names)
        axes.set_xticks(range(len(names)), names, rotation=90)
        for label in (*axes.get_yticklabels(), *axes.get_xticklabels()):
            label.set_parse_math(False)
    else:
        step = 10 if len(names) <= 150 else 50
        places = [0, *range(step - 1, len(names), step)]
        axes.set_yticks(places, [place + 1 for place in places])
        axes.set_xticks(places, [place + 1 for place in places])
    axes.tick_params(length=1.5)
