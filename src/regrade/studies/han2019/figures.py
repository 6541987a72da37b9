"""The figures of han2019 of α by topic and cut, for any collection."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import MaxNLocator
from natsort import natsorted

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.errors import ParameterError
from regrade.show import style
from regrade.show.forms import QUARTILES
from regrade.show.item_tables import Frame, Frames
from regrade.show.panels import panel_grid
from regrade.studies.han2019 import searches as of_searches
from regrade.studies.han2019.searches import MEAN, SearchTables, dot_mark, draw_dots, search_of
from regrade.wording import counted

FEW_CUTS = len(style.CUT_MARKERS)


def _drawn(two_levels: bool = True) -> Callable:
    """Make a figure of the searches of a transformation; of `two_levels` others are refused."""

    def of_tables(draw: Callable[[list[SearchTables]], Figure]) -> Callable[..., Figure]:
        def inner(
            best_cuts: Frame, top_cuts: Frame, tied_cuts: Frame, alpha: Frames, *, source: str = ""
        ) -> Figure:
            of_all = best_cuts, top_cuts, tied_cuts, source
            searches = [SearchTables(*search_of(one), cuts, *of_all) for one, cuts in alpha.items()]
            for search in searches if two_levels else []:
                if (levels := len(search.thresholds) + 1) != 2:
                    why = f"this figure is for two levels, not {levels}: use figure_6"
                    raise ParameterError(f"{search.method}: {why}")
            return draw(searches)

        inner.__name__, inner.__doc__ = draw.__name__, draw.__doc__
        return style.themed(inner)

    return of_tables


@_drawn()
def figure_1(searches: list[SearchTables]) -> Figure:
    """Draw Figures 1 and 2: α of each of a few cuts (left, middle, right) for every topic.

    Of a transformation into two levels with few cuts, such as S4 → 2; more cuts or thresholds are a
    `ParameterError`.
    """
    cuts = max((search.cuts for search in searches), default=0)
    if cuts > FEW_CUTS:
        raise ParameterError(f"{cuts} cuts are too many for this figure: use figure_3")
    columns = of_searches.columns_of(searches)
    grid = panel_grid(searches, len(columns) + 1, pitch=5.5 * cuts, height=1.5)
    places, offsets = of_searches.places_of(columns), of_searches.offsets_of(cuts)
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
            # filled where it is the best, a cross where undefined
            x, size = places + offsets[cut], grid.marker_size
            color, look = style.CUT_COLORS[cut], {"ms": size, "mew": 0.2 * size}
            for chosen, fill in ((~tied, "white"), (tied, color)):
                marker = style.CUT_MARKERS[cut]
                axes.plot(x[chosen], alpha[chosen], marker, color=color, mfc=fill, **look)
            missing = x[np.isnan(alpha)]
            low = np.full(len(missing), 0.04)
            axes.plot(missing, low, "x", color=color, ms=size, transform=axes.get_xaxis_transform())
            undefined |= len(missing) > 0
        axes.axhline(0, color=style.GREY, lw=0.6, zorder=0.9)
        of_searches.finish(panel, columns, search, style.ALPHA_LABEL)
    low, high = grid.axes[0].get_ylim()
    grid.axes[0].set_ylim(low - 0.1 * (high - low) * undefined, high)
    names = ["left cut", "middle cut", "right cut"]
    names = names if cuts == len(names) else [f"cut {cut}" for cut in range(cuts)]
    marks = zip(names, style.CUT_MARKERS, style.CUT_COLORS, strict=False)
    looks = {name: {"marker": marker, "color": color} for name, marker, color in marks}
    looks["best (filled)"] = {"marker": "o", "color": style.GREY}
    looks["others"] = {"marker": "o", "color": style.GREY, "mfc": "white"}
    if undefined:
        looks["α undefined"] = {"marker": "x", "color": style.GREY}
    return grid.with_legend(style.marks(looks, ls=""))


figure_2 = figure_experts = figure_1


@_drawn()
def figure_3(searches: list[SearchTables]) -> Figure:
    """Draw Figures 3 and 4: α of every cut (colour) by topic (x) and cut (y), and the best cuts.

    Of a transformation into two levels, such as S100 → 2; more are a `ParameterError`.
    """
    columns = of_searches.columns_of(searches)
    places = of_searches.places_of(columns)
    grid = panel_grid(searches, len(columns) + 1, pitch=5.9, height=2.6, side=0.55)
    images = [
        np.column_stack([search.of_topic(column) for column in columns]) for search in searches
    ]
    # one colour scale over all panels, ending at tenths
    defined = np.concatenate([alpha[np.isfinite(alpha)] for alpha in images])
    norm = Normalize(0, 1)
    if len(defined):
        low, high = math.floor(defined.min() * 10) / 10, math.ceil(defined.max() * 10) / 10
        norm = Normalize(low, max(high, low + 0.1))
    image = None
    for (panel, search), alpha in zip(grid, images, strict=True):
        axes = panel.axes
        topics = len(columns) - 1
        for block, left in ((alpha[:, :topics], -0.5), (alpha[:, topics:], places[-1] - 0.5)):
            extent = (left, left + block.shape[1], -0.5, len(block) - 0.5)
            axes.add_patch(_hatched((extent[0], extent[2]), block.shape[1], len(block)))
            look = {"norm": norm, "aspect": "auto", "interpolation": "none"}
            image = axes.imshow(block, origin="lower", extent=extent, **look)
        for column, place in zip(columns, places, strict=True):
            tied = search.places(search.alpha.loc[search.tied(column), CUT_COLUMNS[0]])
            draw_dots(axes, np.full(len(tied), place), tied, 1.3, edge=0.0)
        best = np.concatenate([search.best_cut(column) for column in columns])
        draw_dots(axes, places, search.places(best), 3.4, edge=0.5)
        axes.set_xlim(-0.5, places[-1] + 0.5)
        _cut_axis(axes, search)
        axes.spines[:].set_visible(False)
        of_searches.finish(panel, columns, search, style.cut_label(search.source), grid=False)
    handles = [dot_mark(3.4, "best cut"), dot_mark(1.3, "tied with it")]
    if any(np.isnan(alpha).any() for alpha in images):
        handles.append(_hatched((0, 0), 1, 1, label="α undefined"))
    figure = grid.with_legend(handles)
    rows = math.ceil(len(searches) / grid.columns)
    bar = {"label": style.ALPHA_LABEL, "aspect": 25 * rows, "pad": 0.01, "fraction": 0.05}
    figure.colorbar(image, ax=grid.axes, **bar).outline.set_visible(False)
    return figure


figure_4 = figure_3


def _hatched(corner: tuple[float, float], width: float, height: float, label: str = "") -> Patch:
    look = {"fc": "white", "ec": style.GREY, "lw": 0, "hatch": "//////", "zorder": -1}
    return Rectangle(corner, width, height, label=label, **look)


@_drawn()
def figure_5(searches: list[SearchTables]) -> Figure:
    """Draw Figure 5: α over the cuts for the whole collection, the mean and the topics around it.

    Of a transformation into two levels, such as S100 → 2; more are a `ParameterError`. The paper
    shows ``h1_ta`` alone.
    """
    grid = panel_grid(searches, pitch=150, height=2.1)
    middle = "#a6cee3"
    for panel, search in grid:
        axes = panel.axes
        cuts = search.alpha[CUT_COLUMNS[0]]
        topics = search.alpha[[name for name in search.alpha.columns if name in search.topics]]
        axes.plot(cuts, topics, color=style.GREY, lw=0.4, alpha=0.35)
        quartiles = (topics.quantile(share, axis=1) for share in (0.25, 0.75))
        axes.fill_between(cuts, *quartiles, color=middle, lw=0)
        axes.plot(cuts, search.alpha[MEAN], color=style.CUT_COLORS[0], lw=1.8)
        best = search.best_cut(ALL_TOPICS)[0]
        if np.isfinite(best):
            axes.axvline(best, color=style.BLACK, ls=":", lw=0.8)
            alpha = search.best.at[ALL_TOPICS, "value"]
            draw_dots(axes, np.array([best]), np.array([alpha]), 4.5, edge=0.6)
            right = search.places(best) > 0.75 * search.cuts
            axes.annotate(
                f"{best:.4g}", (best, 0), (-3 if right else 3, 3), axes.get_xaxis_transform(),
                "offset points", ha="right" if right else "left",
            )  # fmt: skip
        half = (search.scale[-1] - search.scale[0]) / max(1, search.cuts - 1) / 2 or 0.5
        axes.set_xlim(search.scale[0] - half, search.scale[-1] + half)
        x = style.cut_label(search.source)
        panel.finish(search.title, search.count, x, style.ALPHA_LABEL)
    handles = [
        style.mark("mean of topics", color=style.CUT_COLORS[0], lw=1.8),
        Patch(color=middle, lw=0, label="middle half of topics"),
        style.mark("a topic", color=style.GREY, lw=0.6),
        dot_mark(4.5, "best single cut"),
    ]
    return grid.with_legend(handles)


@_drawn(two_levels=False)
def figure_6(searches: list[SearchTables]) -> Figure:
    """Draw Figures 6 to 9: where the thresholds of each topic's best cuts lie.

    Of any transformation, such as S100 → 4.
    """
    columns = of_searches.columns_of(searches)
    thresholds = max((search.thresholds for search in searches), key=len, default=[])
    grid = panel_grid(searches, len(columns) + 1, pitch=5 * len(thresholds), height=1.75)
    places = pd.Series(of_searches.places_of(columns), index=columns)
    offsets = of_searches.offsets_of(len(thresholds))
    width = 0.8 * (offsets[1] - offsets[0] if len(offsets) > 1 else 0.5)
    line, size = min(0.8, 0.16 * width * grid.pitch), max(1.8, 0.8 * grid.marker_size)
    for panel, search in grid:
        axes = panel.axes
        best = np.array([search.best_cut(column) for column in columns])
        for k, threshold in enumerate(search.thresholds):
            ranges = search.top[search.top["threshold"] == threshold]
            x = ranges["topic"].map(places).to_numpy(dtype=float) + offsets[k]
            ranges = ranges.assign(**{q: search.places(ranges[q]) for q in QUARTILES.split()})
            of_searches.draw_ranges(axes, x, ranges, width, line, style.CUT_COLORS[k])
            draw_dots(axes, places.to_numpy() + offsets[k], search.places(best[:, k]), size, 0.4)
        _cut_axis(axes, search)
        of_searches.finish(panel, columns, search, style.cut_label(search.source))
    handles = [style.swatch(f"$c_{k + 1}$", style.CUT_COLORS[k]) for k in range(len(thresholds))]
    values = sorted({int(value) for search in searches for value in search.top["values"]})
    many = " or ".join(map(str, values))
    title = f"cuts with one of the {many} highest α: range (line), quartiles (box)" if many else ""
    return grid.with_legend([*handles, dot_mark(3.5, "best cut")], title)


figure_7 = figure_8 = figure_9 = figure_6


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


# --- the best, the median and the worst cuts ------------------------------------------------------

GROUPS = ("best", "median", "worst")
"""The groups of cuts, as the study's Figure 10 orders them."""


@style.themed
def figure_10(
    group_counts: Frame, *, panels: Sequence[str], topics: Sequence[str], source: str, levels: int
) -> Figure:
    """Draw Figure 10: how the thresholds of the best, the median and the worst cuts are spread.

    A row of the figure for each topic of every method.
    """
    counts = {}
    for search in panels:
        rows = of_searches.rows_of(group_counts, *search_of(search))
        for topic in topics:
            counts[search, topic] = rows[rows["topic"] == topic]
            if counts[search, topic].empty:
                known = f"name some of {', '.join(natsorted(set(rows['topic'])))}"
                raise ParameterError(f"{search} has no cuts for topic {topic}: {known}")
    if not counts:
        raise ParameterError("a figure needs at least one topic")
    thresholds = CUT_COLUMNS[: levels - 1]
    height = (0.27 * len(thresholds) + 0.3) * len(counts) + 0.8
    figure = style.new_figure(style.DOUBLE_COLUMN, height)
    axes = figure.subplots(len(counts), len(GROUPS), sharex=True, sharey=True, squeeze=False)
    for line, ((search, topic), table) in enumerate(counts.items()):
        for cell, group in zip(axes[line], GROUPS, strict=True):
            own = table[table["group"] == group]
            for k, threshold in enumerate(thresholds):
                _ridge(cell, k, own[own["threshold"] == threshold])
            cell.tick_params(axis="y", length=0)
            n = own.loc[own["threshold"] == thresholds[0], "n_cuts"].sum()
            cell.set_title(f"{group}, {n:,} cuts", size=style.FONT_SIZE, color=style.GREY)
            if line == len(counts) - 1:
                cell.set_xlabel(style.cut_label(source))
        about = "all topics" if topic == ALL_TOPICS else f"topic {topic}"
        axes[line, 0].set_ylabel(f"{style.method_label(*search_of(search))}\n{about}")
    axes[0, 0].set_yticks(range(len(thresholds)), [f"$c_{k + 1}$" for k in range(len(thresholds))])
    axes[0, 0].set_ylim(len(thresholds) - 0.9, -1)
    often = style.swatch("how often, by the most frequent", style.GREY)
    return style.legend(figure, [often, dot_mark(3.5, "mean")])


def _ridge(axes: Axes, k: int, counts: Frame) -> None:
    """How often each value is a threshold, by a line of bars, and their mean."""
    value, n = counts["value"].to_numpy(dtype=float), counts["n_cuts"].to_numpy(dtype=float)
    axes.axhline(k, color=style.LIGHT_GREY, lw=0.6, zorder=0.5)
    if len(counts):
        width, color = np.diff(np.sort(value)).min(initial=1.0), style.CUT_COLORS[k]
        axes.bar(value, -0.85 * n / n.max(), width, bottom=k, color=color, alpha=0.7, lw=0)
        draw_dots(
            axes, np.array([np.average(value, weights=n)]), np.array([k * 1.0]), 3.5, edge=0.5
        )


@style.themed
def figure_groups(groups: Frame, *, source: str, levels: int) -> Figure:
    """Draw, for every search, where the thresholds of its best, median and worst cuts lie.

    Of each topic the mean of a threshold over a group's cuts is shown.
    """
    of_topics = groups[groups["topic"].astype(str) != ALL_TOPICS]
    methods, references = (
        of_topics["method"].astype(str),
        of_searches.references_of(of_topics["reference"]),
    )
    searches = list(dict.fromkeys(zip(methods, references, strict=True)))
    if not searches:
        raise ParameterError("a figure needs at least one search: no method has cuts")
    height = 0.17 * levels * len(searches) + 1.0
    figure = style.new_figure(style.DOUBLE_COLUMN, height)
    axes = figure.subplots(1, len(GROUPS), sharex=True, sharey=True)
    offsets = of_searches.offsets_of(levels - 1)
    for cell, group in zip(axes, GROUPS, strict=True):
        topics = set()
        for place, (method, reference) in enumerate(searches):
            rows = of_searches.rows_of(of_topics, method, reference)
            rows = rows[rows["group"] == group]
            topics |= set(rows["topic"])
            for k, threshold in enumerate(CUT_COLUMNS[: levels - 1]):
                means = rows.loc[rows["threshold"] == threshold, "mean"].dropna()
                color, marker = style.CUT_COLORS[k], style.CUT_MARKERS[k]
                y = np.full(len(means), place + offsets[k])
                cell.plot(means, y, "|", color=color, ms=4, mew=0.6)
                cell.plot(means.mean(), y[:1], marker, color=color, ms=4.2, mec="white", mew=0.5)
        style.stacked_title(cell, f"{group} cuts", counted(len(topics), "topic"))
        cell.set_xlabel(style.cut_label(source))
        style.name_rows(cell, [style.method_label(*search) for search in searches], formulas=True)
    marks = zip(range(1, levels), style.CUT_MARKERS, style.CUT_COLORS, strict=False)
    looks = {
        f"$c_{k}$, mean of topics": {"marker": marker, "color": color} for k, marker, color in marks
    }
    looks["a topic's mean"] = {"marker": "|", "color": style.GREY}
    return style.legend(figure, style.marks(looks, ls=""))
