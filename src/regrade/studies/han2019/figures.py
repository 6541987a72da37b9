"""The figures of han2019 of α by topic and cut, for any collection."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import MaxNLocator

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.errors import ParameterError
from regrade.show import style
from regrade.show.panels import panel_grid
from regrade.studies.han2019.searches import (
    MEAN,
    SearchTables,
    columns_of,
    dot_mark,
    draw_dots,
    draw_ranges,
    finish,
    offsets_of,
    places_of,
    search_of,
)

FEW_CUTS = len(style.CUT_MARKERS)


@style.themed
def figure_1(
    best_cuts: pd.DataFrame,
    top_cuts: pd.DataFrame,
    tied_cuts: pd.DataFrame,
    alpha: Mapping[str, pd.DataFrame],
    *,
    source: str = "",
) -> Figure:
    """Draw Figures 1 and 2: α of each of a few cuts (left, middle, right) for every topic.

    Of a transformation into two levels with few cuts, such as S4 → 2; more cuts or thresholds are a
    `ParameterError`.
    """
    searches = _searches(best_cuts, top_cuts, tied_cuts, alpha, source)
    _require_two_levels(searches)
    cuts = max((search.cuts for search in searches), default=0)
    if cuts > FEW_CUTS:
        raise ParameterError(f"{cuts} cuts are too many for this figure: use figure_3")
    columns = columns_of(searches)
    grid = panel_grid(searches, len(columns) + 1, pitch=5.5 * cuts, height=1.5)
    places, offsets = places_of(columns), offsets_of(cuts)
    undefined = False
    for panel, search in grid:
        axes = panel.axes
        for column, place in zip(columns, places, strict=True):
            alpha = search.of_topic(column)
            if np.isfinite(alpha).any():
                axes.vlines(place, np.nanmin(alpha), np.nanmax(alpha), style.LIGHT_GREY, lw=1)
        for cut in range(search.cuts):
            row = search.places(search.alpha[CUT_COLUMNS[0]]) == cut
            alpha = np.array([search.of_topic(column)[row][0] for column in columns])
            tied = np.array([search.tied(column)[row][0] for column in columns])
            _mark_cut(axes, cut, places + offsets[cut], alpha, tied, grid.marker_size)
            undefined |= np.isnan(alpha).any()
        axes.grid(axis="y")
        axes.axhline(0, color=style.GREY, lw=0.6, zorder=0.9)
        finish(panel, columns, search, style.ALPHA_LABEL)
    low, high = grid.axes[0].get_ylim()
    grid.axes[0].set_ylim(low - 0.1 * (high - low) * undefined, high)
    handles = _cut_handles(cuts)
    if undefined:
        handles.append(style.mark("α undefined", ls="", marker="x", color=style.GREY))
    return grid.with_legend(handles)


def _mark_cut(
    axes: Axes, cut: int, x: np.ndarray, alpha: np.ndarray, best: np.ndarray, size: float
) -> None:
    """Mark one cut's α at every topic: filled where it is the best, a cross where undefined."""
    color, marker = style.CUT_COLORS[cut], style.CUT_MARKERS[cut]
    for chosen, fill in ((~best, "white"), (best, color)):
        axes.plot(x[chosen], alpha[chosen], marker, color=color, mfc=fill, ms=size, mew=0.2 * size)
    missing = x[np.isnan(alpha)]
    floor = axes.get_xaxis_transform()
    axes.plot(missing, np.full(len(missing), 0.04), "x", color=color, ms=size, transform=floor)


def _cut_handles(cuts: int) -> list[Line2D]:
    names = ["left cut", "middle cut", "right cut"]
    names = names if cuts == len(names) else [f"cut {cut}" for cut in range(cuts)]
    return [
        style.mark(name, ls="", marker=style.CUT_MARKERS[cut], color=style.CUT_COLORS[cut])
        for cut, name in enumerate(names)
    ] + [
        style.mark("best (filled)", ls="", marker="o", color=style.GREY),
        style.mark("others", ls="", marker="o", color=style.GREY, mfc="white"),
    ]


figure_2 = figure_experts = figure_1


@style.themed
def figure_3(
    best_cuts: pd.DataFrame,
    top_cuts: pd.DataFrame,
    tied_cuts: pd.DataFrame,
    alpha: Mapping[str, pd.DataFrame],
    *,
    source: str = "",
) -> Figure:
    """Draw Figures 3 and 4: α of every cut (colour) by topic (x) and cut (y), and the best cuts.

    Of a transformation into two levels, such as S100 → 2; more are a `ParameterError`.
    """
    searches = _searches(best_cuts, top_cuts, tied_cuts, alpha, source)
    _require_two_levels(searches)
    columns = columns_of(searches)
    places = places_of(columns)
    grid = panel_grid(searches, len(columns) + 1, pitch=5.9, height=2.6, side=0.55)
    images = [
        np.column_stack([search.of_topic(column) for column in columns]) for search in searches
    ]
    norm = _round_limits(images)
    image = None
    for (panel, search), alpha in zip(grid, images, strict=True):
        axes = panel.axes
        topics = len(columns) - 1
        for block, left in ((alpha[:, :topics], -0.5), (alpha[:, topics:], places[-1] - 0.5)):
            extent = (left, left + block.shape[1], -0.5, len(block) - 0.5)
            axes.add_patch(_hatched((extent[0], extent[2]), block.shape[1], len(block)))
            image = axes.imshow(
                block, origin="lower", extent=extent, aspect="auto", norm=norm, interpolation="none"
            )
        for column, place in zip(columns, places, strict=True):
            tied = search.places(search.alpha.loc[search.tied(column), CUT_COLUMNS[0]])
            draw_dots(axes, np.full(len(tied), place), tied, 1.3, edge=0.0)
        best = np.concatenate([search.best_cut(column) for column in columns])
        draw_dots(axes, places, search.places(best), 3.4, edge=0.5)
        axes.set_xlim(-0.5, places[-1] + 0.5)
        _cut_axis(axes, search)
        axes.spines[:].set_visible(False)
        finish(panel, columns, search, style.cut_label(search.source))
    handles = [dot_mark(3.4, "best cut"), dot_mark(1.3, "tied with it")]
    if any(np.isnan(alpha).any() for alpha in images):
        handles.append(_hatched((0, 0), 1, 1, label="α undefined"))
    figure = grid.with_legend(handles)
    rows = math.ceil(len(searches) / grid.columns)
    figure.colorbar(
        image, ax=grid.axes, label=style.ALPHA_LABEL, aspect=25 * rows, pad=0.01, fraction=0.05
    ).outline.set_visible(False)
    return figure


figure_4 = figure_3


def _round_limits(images: Sequence[np.ndarray]) -> Normalize:
    """One colour scale over all panels, ending at tenths."""
    defined = np.concatenate([alpha[np.isfinite(alpha)] for alpha in images])
    if not len(defined):
        return Normalize(0, 1)
    low, high = math.floor(defined.min() * 10) / 10, math.ceil(defined.max() * 10) / 10
    return Normalize(low, max(high, low + 0.1))


def _hatched(corner: tuple[float, float], width: float, height: float, label: str = "") -> Patch:
    return Rectangle(
        corner,
        width,
        height,
        fc="white",
        ec=style.GREY,
        lw=0,
        hatch="//////",
        zorder=-1,
        label=label,
    )


@style.themed
def figure_5(
    best_cuts: pd.DataFrame,
    top_cuts: pd.DataFrame,
    tied_cuts: pd.DataFrame,
    alpha: Mapping[str, pd.DataFrame],
    *,
    source: str = "",
) -> Figure:
    """Draw Figure 5: α over the cuts for the whole collection, the mean and the topics around it.

    Of a transformation into two levels, such as S100 → 2; more are a `ParameterError`. The paper
    shows ``h1_ta`` alone.
    """
    searches = _searches(best_cuts, top_cuts, tied_cuts, alpha, source)
    _require_two_levels(searches)
    grid = panel_grid(searches, pitch=150, height=2.1)
    for panel, search in grid:
        axes = panel.axes
        cuts = search.alpha[CUT_COLUMNS[0]]
        topics = search.alpha[[name for name in search.alpha.columns if name in search.topics]]
        axes.plot(cuts, topics, color=style.GREY, lw=0.4, alpha=0.35)
        axes.fill_between(
            cuts,
            topics.quantile(0.25, axis=1),
            topics.quantile(0.75, axis=1),
            color="#a6cee3",
            lw=0,
        )
        axes.plot(cuts, search.alpha[MEAN], color=style.CUT_COLORS[0], lw=1.8)
        best = search.best_cut(ALL_TOPICS)[0]
        if np.isfinite(best):
            axes.axvline(best, color=style.BLACK, ls=":", lw=0.8)
            alpha = search.best.at[ALL_TOPICS, "value"]
            draw_dots(axes, np.array([best]), np.array([alpha]), 4.5, edge=0.6)
            right = search.places(best) > 0.75 * search.cuts
            axes.annotate(
                f"{best:.4g}",
                (best, 0),
                xycoords=axes.get_xaxis_transform(),
                xytext=(-3 if right else 3, 3),
                textcoords="offset points",
                ha="right" if right else "left",
            )
        half = (search.scale[-1] - search.scale[0]) / max(1, search.cuts - 1) / 2 or 0.5
        axes.set_xlim(search.scale[0] - half, search.scale[-1] + half)
        axes.grid(axis="y")
        panel.label(style.cut_label(search.source), style.ALPHA_LABEL)
        panel.head(search.title, search.count)
    handles = [
        style.mark("mean of topics", color=style.CUT_COLORS[0], lw=1.8),
        Patch(color="#a6cee3", lw=0, label="middle half of topics"),
        style.mark("a topic", color=style.GREY, lw=0.6),
        dot_mark(4.5, "best single cut"),
    ]
    return grid.with_legend(handles)


@style.themed
def figure_6(
    best_cuts: pd.DataFrame,
    top_cuts: pd.DataFrame,
    tied_cuts: pd.DataFrame,
    alpha: Mapping[str, pd.DataFrame],
    *,
    source: str = "",
) -> Figure:
    """Draw Figures 6 to 9: where the thresholds of each topic's best cuts lie.

    Of any transformation, such as S100 → 4.
    """
    searches = _searches(best_cuts, top_cuts, tied_cuts, alpha, source)
    columns = columns_of(searches)
    thresholds = max((search.thresholds for search in searches), key=len, default=[])
    pitch = 5 * len(thresholds)
    grid = panel_grid(searches, len(columns) + 1, pitch=pitch, height=1.75)
    places = pd.Series(places_of(columns), index=columns)
    offsets = offsets_of(len(thresholds))
    width = 0.8 * (offsets[1] - offsets[0] if len(offsets) > 1 else 0.5)
    line = min(0.8, 0.16 * width * grid.pitch)
    for panel, search in grid:
        axes = panel.axes
        best = np.array([search.best_cut(column) for column in columns])
        for k, threshold in enumerate(search.thresholds):
            ranges = search.top[search.top["threshold"] == threshold]
            x = ranges["topic"].map(places).to_numpy(dtype=float) + offsets[k]
            marks = ["low", "q1", "median", "q3", "high"]
            ranges = ranges.assign(**{name: search.places(ranges[name]) for name in marks})
            draw_ranges(axes, x, ranges, width, line, style.CUT_COLORS[k])
            draw_dots(
                axes,
                places.to_numpy() + offsets[k],
                search.places(best[:, k]),
                max(1.8, 0.8 * grid.marker_size),
                edge=0.4,
            )
        _cut_axis(axes, search)
        axes.grid(axis="y")
        finish(panel, columns, search, style.cut_label(search.source))
    handles = [style.swatch(f"$c_{k + 1}$", style.CUT_COLORS[k]) for k in range(len(thresholds))]
    return grid.with_legend([*handles, dot_mark(3.5, "best cut")], _top_values(searches))


figure_7 = figure_8 = figure_9 = figure_6


def _top_values(searches: Sequence[SearchTables]) -> str:
    values = sorted({int(value) for search in searches for value in search.top["values"]})
    many = " or ".join(map(str, values))
    return f"cuts with one of the {many} highest α: range (line), quartiles (box)" if many else ""


def _cut_axis(axes: Axes, search: SearchTables) -> None:
    """Run the y axis from the first threshold to the last, in values of the source scale."""

    axes.set_ylim(-0.5, search.cuts - 0.5)
    places = round_places(search.scale)
    axes.set_yticks(places, [f"{search.scale[place]:.4g}" for place in places])


def round_places(values: np.ndarray) -> list[int]:
    """Which of ascending values an axis names: the round ones, if three are among them.

    Else (values such as means of several grades) ones as far apart on the axis as on another.
    """
    if not len(values):
        return []
    for count in (5, 10):
        ticks = MaxNLocator(count, steps=[1, 2, 5, 10]).tick_values(values[0], values[-1])
        near = np.abs(values[:, None] - ticks) <= 1e-9 * max(1.0, np.abs(values).max())
        places = np.flatnonzero(near.any(axis=1)).tolist()
        if len(places) >= 3:
            return places
    ticks = MaxNLocator(5, integer=True).tick_values(0, len(values) - 1)
    return [int(tick) for tick in ticks if tick == int(tick) and 0 <= tick < len(values)]


def _searches(
    best_cuts: pd.DataFrame,
    top_cuts: pd.DataFrame,
    tied_cuts: pd.DataFrame,
    alpha: Mapping[str, pd.DataFrame],
    source: str,
) -> list[SearchTables]:
    return [
        SearchTables(*search_of(search), table, best_cuts, top_cuts, tied_cuts, source)
        for search, table in alpha.items()
    ]


def _require_two_levels(searches: Sequence[SearchTables]) -> None:
    for search in searches:
        if len(search.thresholds) != 1:
            raise ParameterError(
                f"{search.method}: this figure is for two levels, not "
                f"{len(search.thresholds) + 1}: use figure_6"
            )
