"""Figures of where the thresholds of the best, the median and the worst cuts lie."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from natsort import natsorted

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.errors import ParameterError
from regrade.show import style
from regrade.studies.han2019.searches import (
    dot_mark,
    draw_dots,
    offsets_of,
    references_of,
    rows_of,
    search_of,
)
from regrade.wording import counted

GROUPS = ("best", "median", "worst")
"""The groups of cuts, as the study's Figure 10 orders them."""


@style.themed
def figure_10(
    group_counts: pd.DataFrame,
    *,
    panels: Sequence[str],
    topics: Sequence[str],
    source: str,
    levels: int,
) -> Figure:
    """Draw Figure 10: how the thresholds of the best, the median and the worst cuts are spread.

    A row of the figure for each topic of every method.
    """
    counts = {}
    for search in panels:
        rows = rows_of(group_counts, *search_of(search))
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
            _ridges(cell, own, thresholds)
            n = own.loc[own["threshold"] == thresholds[0], "n_cuts"].sum()
            cell.set_title(f"{group}, {n:,} cuts", size=style.FONT_SIZE, color=style.GREY)
            if line == len(counts) - 1:
                cell.set_xlabel(style.cut_label(source))
        about = "all topics" if topic == ALL_TOPICS else f"topic {topic}"
        axes[line, 0].set_ylabel(f"{style.method_label(*search_of(search))}\n{about}")
    axes[0, 0].set_yticks(range(len(thresholds)), [f"$c_{k + 1}$" for k in range(len(thresholds))])
    axes[0, 0].set_ylim(len(thresholds) - 0.9, -1)
    often = style.swatch("how often, by the most frequent", style.GREY)
    style.legend(figure, [often, dot_mark(3.5, "mean")])
    return figure


def _ridges(axes: Axes, counts: pd.DataFrame, thresholds: Sequence[str]) -> None:
    """How often each value is each threshold, one line of bars a threshold, and their means."""
    for k, threshold in enumerate(thresholds):
        of = counts[counts["threshold"] == threshold]
        value, n = of["value"].to_numpy(dtype=float), of["n_cuts"].to_numpy(dtype=float)
        axes.axhline(k, color=style.LIGHT_GREY, lw=0.6, zorder=0.5)
        if not len(of):
            continue
        color = style.CUT_COLORS[k]
        width = np.diff(np.sort(value)).min(initial=1.0)
        axes.bar(value, -0.85 * n / n.max(), width, bottom=k, color=color, alpha=0.7, lw=0)
        mean = np.array([np.average(value, weights=n)])
        draw_dots(axes, mean, np.array([float(k)]), 3.5, edge=0.5)
    axes.tick_params(axis="y", length=0)


@style.themed
def figure_groups(groups: pd.DataFrame, *, source: str, levels: int) -> Figure:
    """Draw, for every search, where the thresholds of its best, median and worst cuts lie.

    Of each topic the mean of a threshold over a group's cuts is shown.
    """
    of_topics = groups[groups["topic"].astype(str) != ALL_TOPICS]
    methods, references = of_topics["method"].astype(str), references_of(of_topics["reference"])
    searches = list(dict.fromkeys(zip(methods, references, strict=True)))
    if not searches:
        raise ParameterError("a figure needs at least one search: no method has cuts")
    height = 0.17 * levels * len(searches) + 1.0
    figure = style.new_figure(style.DOUBLE_COLUMN, height)
    axes = figure.subplots(1, len(GROUPS), sharex=True, sharey=True)
    offsets = offsets_of(levels - 1)
    for cell, group in zip(axes, GROUPS, strict=True):
        topics = set()
        for place, (method, reference) in enumerate(searches):
            rows = rows_of(of_topics, method, reference)
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
    style.legend(figure, style.marks(looks, ls=""))
    return figure
