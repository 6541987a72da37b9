"""The figures of yang2019, chapter 5, of scores from some of the partitions of the answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from regrade.errors import ParameterError
from regrade.show import style
from regrade.show.forms import mean_boxes
from regrade.show.panels import panel_grid
from regrade.show.style import mark
from regrade.wording import counted


@style.themed
def figure_5_16(topics: pd.DataFrame) -> Figure:
    """Draw Krippendorff's α of scores from draws of partitions."""
    return _partition_lines(topics, "alpha", style.ALPHA_LABEL)


@style.themed
def figure_5_17(topics: pd.DataFrame) -> Figure:
    """Draw the mean τ_b of scores from some partitions and from all."""
    return _partition_lines(topics, "tau", f"mean {style.TAU_LABEL} to all")


def _partition_lines(topics: pd.DataFrame, column: str, label: str) -> Figure:
    """A panel for each method, a line for each topic, those with most documents first."""
    documents = topics.groupby("topic", observed=True)["documents"].max()
    documents = documents.sort_values(ascending=False, kind="stable")
    looks = style.looks([str(topic) for topic in documents.index])
    grid = panel_grid(list(topics["method"].unique()), 6, pitch=20, height=2.5)
    for panel, method in grid:
        axes, some = panel.axes, topics[topics["method"] == method]
        for topic in documents.index:
            line = some[some["topic"] == topic].sort_values("partitions")
            values = line[column].astype(float)
            axes.plot(line["partitions"], values, **_LINE, **looks[str(topic)])
        axes.set_xticks(sorted(some["partitions"].unique()))
        draws = f"{some['draws'].max()} draws"
        panel.finish(str(method), draws, "partitions drawn", label, grid="xy")
    named = {f"{topic} ({count})": looks[str(topic)] for topic, count in documents.items()}
    return grid.with_legend(style.marks(named, **_LINE), title="topic (documents)")


_LINE = {"ms": 3.0, "lw": 0.8}


@style.themed
def figure_5_20(taus: pd.DataFrame) -> Figure:
    """Draw τ_b of p-values of pairs of systems under two methods, by partitions drawn."""
    if not len(taus):
        raise ParameterError("there are no two methods to compare: leave figure-5.20 out")
    pairs = list(dict.fromkeys(zip(taus["first"], taus["second"], strict=True)))
    counts = _counts(taus)
    figure = style.new_figure(style.DOUBLE_COLUMN, 2.9)
    axes = figure.add_subplot()
    looks = style.looks([" and ".join(pair) for pair in pairs])
    for number, ((first, second), look) in enumerate(zip(pairs, looks.values(), strict=True)):
        some = taus[(taus["first"] == first) & (taus["second"] == second)]
        groups = [some[some["partitions"] == count]["tau"].dropna() for count in counts]
        places = np.arange(len(counts)) + (number - (len(pairs) - 1) / 2) * 0.25
        mean_boxes(axes, groups, places, 0.2, look["color"])
        means = [group.mean() if len(group) else np.nan for group in groups]
        axes.plot(places, means, color=look["color"], lw=0.9, ls=look["ls"])
    axes.set_xticks(range(len(counts)), [str(count or "all") for count in counts])
    axes.set_xlabel("partitions drawn")
    axes.set_ylabel(f"{style.TAU_LABEL} of p-values")
    axes.grid(axis="y")
    [measure] = taus["measure"].unique()
    axes.set_title(f"{measure}, {counted(int(taus['draw'].max()), 'draw')}")
    handles = [mark(name, color=look["color"], ls=look["ls"]) for name, look in looks.items()]
    style.legend(figure, handles)
    return figure


@style.themed
def figure_5_21(systems: pd.DataFrame) -> Figure:
    """Draw the scores of systems from draws of partitions, a line from lowest to highest each.

    Systems stand in the order of their scores under the first method and all partitions.
    """
    methods = list(systems["method"].unique())
    full = systems[(systems["method"] == methods[0]) & (systems["partitions"] == 0)]
    order = full.sort_values("score", ascending=False, kind="stable")["system"].tolist()
    looks = style.looks(methods)
    grid = panel_grid(_counts(systems), 12, pitch=10, height=1.7, columns=2)
    for panel, count in grid:
        some = systems[systems["partitions"] == count]
        for number, method in enumerate(methods):
            scores = some[some["method"] == method].groupby("system", observed=True)["score"]
            low, middle, high = (scores.agg(end).reindex(order) for end in ("min", "median", "max"))
            places = np.arange(1, len(order) + 1) + (number - (len(methods) - 1) / 2) * 0.3
            color = looks[method]["color"]
            panel.axes.vlines(places, low, high, color, lw=0.7)
            style.dots(panel.axes, places, middle, order, color=color, ms=1.6)
        name = "all partitions" if count == 0 else counted(count, "partition")
        x = f"system, by its {methods[0]} score from all partitions"
        y = f"mean {some['measure'].iloc[0]}"
        panel.finish(name, counted(int(some["draw"].max()), "draw"), x, y)
    colors = {method: {"color": look["color"]} for method, look in looks.items()}
    return grid.with_legend(style.marks(colors, lw=1.5))


def _counts(table: pd.DataFrame) -> list[int]:
    """Numbers of partitions, all of them (0) last."""
    return sorted(table["partitions"].unique(), key=lambda count: (count == 0, count))
