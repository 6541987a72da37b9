"""Quick figures of results; the studies have figures for papers.

Each function takes a result of the module of its name; results ask for these when they are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from regrade.errors import MethodError, check_choice
from regrade.show import style
from regrade.show.panels import panel_grid
from regrade.show.style import Figure, Line2D

_COMPARED = {
    "systems": ("systems", "rankings"),
    "ranks": ("systems",),
    "pairs": ("pair_counts", "facts"),
    "topics": ("agreement", "topics"),
    "reliability": ("reliability",),
    "confusion": ("confusion",),
    "bias": ("grade_bias",),
}
"""Figures of a comparison and the tables that each takes."""

_RANKED = {
    "systems": ("systems", "facts"),
    "pairs": ("pairs", "systems"),
    "reliability": ("reliability", "halves", "facts"),
    "power": ("pairs", "needed_differences", "facts"),
    "datasets": ("datasets", "systems"),
}
"""Figures of a ranking and the tables that each takes."""

_MOVERS = 5

_SHOWN = 60

_NAMED = 80
"""So many names fit below each other on the highest figure."""


def draw_comparison(comparison: Any, what: str) -> Figure:
    """One of the figures of the study ``compare``."""
    from regrade.evaluations import comparison_figures as figures

    check_choice("figure", what, _COMPARED)
    missing = [name for name in _COMPARED[what] if name not in comparison.tables]
    if missing:
        raise MethodError(f"'{what}' shows systems, and no runs were given")
    tables = comparison.drawn_tables(_COMPARED[what])
    settings = {"movers": min(_MOVERS, len(comparison.systems))} if what == "ranks" else {}
    named = {"confusion": figures.draw_grades, "bias": figures.draw_bias}
    if what in named:
        return named[what](*tables, comparison.first, comparison.second)
    return getattr(figures, f"figure_{what}")(*tables, **settings)


def draw_ranking(ranking: Any, what: str) -> Figure:
    """One of the figures of the study ``ranking``, of the first measure."""
    from regrade.ranking import figures

    check_choice("figure", what, _RANKED)
    tables = ranking.drawn_tables(_RANKED[what])
    settings = {"limit": _SHOWN} if what in ("systems", "pairs", "datasets") else {}
    return getattr(figures, f"figure_{what}")(*tables, measure=None, **settings)


def draw_sweep(sweep: Any, outcome: str | None) -> Figure:
    """The specification curve of a sweep."""
    from regrade.sweeps.curve_figures import figure_curve

    known = list(dict.fromkeys(sweep.curve["outcome"].astype(str)))
    if outcome is None:
        outcome = "alpha" if "alpha" in known else "changed_pairs"
    elif known:
        check_choice("outcome", outcome, known)
    tables = sweep.drawn_tables(("curve", "curve_choices", "levels", "facts"))
    return figure_curve(*tables, outcome=outcome)


@style.themed
def draw_cuts(cuts: Any, methods: Sequence[str]) -> Figure:
    """A panel for each threshold: the best mean α that any cut with it reaches, by method."""
    count = cuts.levels - 1
    looks = style.looks(methods)
    grid = panel_grid(range(count), 10, pitch=14, height=2.2)
    for panel, index in grid:
        axes = panel.axes
        for method in methods:
            search = cuts.searches[method]
            values = np.unique(search.cuts[:, index])
            best = [np.fmax.reduce(search.single[search.cuts[:, index] == v]) for v in values]
            axes.plot(values, best, color=looks[method]["color"], ls=looks[method]["ls"])
            axes.axvline(cuts.of(method).thresholds[index], color=looks[method]["color"], lw=0.5)
        axes.set_xlabel(style.cut_label(cuts.source.name))
        axes.grid(axis="y")
        panel.label(y=style.ALPHA_LABEL)
        panel.head(f"threshold {index + 1}" if count > 1 else "")
    names = {m: style.method_label(m, cuts.reference_of(m)) for m in methods}
    style.legend(grid.figure, [
        Line2D([], [], color=looks[m]["color"], ls=looks[m]["ls"], label=names[m]) for m in methods
    ])  # fmt: skip
    return grid.figure


@style.themed
def draw_scores(table: Any) -> Figure:
    """Dots of the systems' means by the first measure."""
    measure = table.measures[0]
    means = table.means()[measure]
    return _dots(list(means.index), means.to_numpy(), None, str(measure))


@style.themed
def draw_pool(pool: Any) -> Figure:
    """Bars of the pool's documents by topic."""
    sizes = pool.sizes
    grid = panel_grid(["pool"], len(sizes), pitch=6, height=2.0)
    grid.axes[0].bar(range(len(sizes)), sizes.to_numpy(), color=style.CUT_COLORS[0])
    labels = [str(topic) for topic in sizes.index]
    style.label_positions(grid.axes[0], labels, range(len(labels)), grid.pitch)
    grid.axes[0].set_xlabel("topic")
    grid.axes[0].set_ylabel("documents pooled")
    return grid.figure


@style.themed
def draw_documents(scores: Any, topic: str | None) -> Figure:
    """A topic's documents by score, with intervals."""
    names = scores.table["topic"].astype(str)
    topic = names.iloc[0] if topic is None else str(topic)
    check_choice("topic", topic, sorted(set(names)))
    some = scores.table[names == topic].sort_values("value", ascending=False)
    ends = some[["low", "high"]].to_numpy(float)
    ends = None if np.isnan(ends).all() else ends
    docnos = [str(docno) for docno in some["docno"]]
    return _dots(docnos, some["value"].to_numpy(float), ends, f"{scores.method}, topic {topic}")


def _dots(names: list[str], values: np.ndarray, ends: np.ndarray | None, label: str) -> Figure:
    """Names below each other, a dot for each, and a line where there is an interval."""
    height = max(1.4, 0.4 + 0.11 * len(names))
    figure = style.new_figure(style.SINGLE_COLUMN, min(9.0, height))
    axes = figure.add_subplot()
    places = np.arange(len(names))
    if ends is not None:
        axes.hlines(places, ends[:, 0], ends[:, 1], color=style.GREY, lw=0.8)
    axes.plot(values, places, ls="", marker="o", ms=3, color=style.CUT_COLORS[0])
    step = -(-len(names) // _NAMED)
    axes.set_yticks(places[::step], names[::step], fontsize=5.5)
    axes.invert_yaxis()
    axes.set_xlabel(label)
    axes.grid(axis="x")
    return figure
