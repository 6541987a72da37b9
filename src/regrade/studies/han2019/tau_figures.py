"""Figures of τ_b of every cut, which han2019 left for later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.errors import ParameterError
from regrade.measures import parse
from regrade.show import style
from regrade.show.item_tables import Frame, Frames, Settings
from regrade.show.panels import panel_grid
from regrade.studies.han2019.searches import (
    MEAN,
    columns_of,
    draw_ranges,
    finish,
    places_of,
    references_of,
    rows_of,
    search_of,
)
from regrade.wording import counted


class CutTaus:
    """τ_b of every cut of one transformation with one expert's ranking of the systems.

    Parameters
    ----------
    expert, measure
        What the systems are ranked by; both choose the rows of `rankings`.
    tau
        One row per cut: ``c1`` …, and ``mean``, the τ_b of the systems' means over topics.
    rankings
        Table ``rankings`` of the transformation.
    source
        Name of the dataset that is transformed, for the title.
    """

    def __init__(self, expert: str, measure: str, tau: Frame, rankings: Frame, source: str) -> None:
        self.expert, self.tau, self.rankings = expert, tau, rankings
        values = tau[MEAN].to_numpy(dtype=float)
        self.defined = values[np.isfinite(values)]
        # source, and levels of the target scale
        self.transformation = source, 1 + sum(name in tau.columns for name in CUT_COLUMNS)
        of_expert = style.dataset_label(expert)
        parts = [style.transformation_label(*self.transformation), measure, f"expert {of_expert}"]
        self.title = ", ".join(part for part in parts if part)
        # τ_b of the cuts that each method chose, by row label; one column per selection
        rows = rankings.astype(dict.fromkeys(("expert", "measure", "method", "selection"), str))
        rows = rows[(rows["expert"] == expert) & (rows["measure"] == measure)]
        searches = zip(rows["method"], references_of(rows["reference"]), strict=True)
        rows = rows.assign(label=[style.method_label(*search) for search in searches])
        wide = rows.pivot(index="label", columns="selection", values="tau")
        self.chosen = wide.reindex(index=rows["label"].unique(), columns=["single", "per-topic"])


@style.themed
def figure_tau(
    rankings: Frames,
    tau: Mapping[tuple[str, str], pd.DataFrame],
    *,
    transformations: Settings,
) -> Figure:
    """Draw how the cut that each method chose compares, by τ_b, with every other cut.

    Above, the share of cuts below each τ_b; below, on the same axis, the methods' choices.
    """
    panels = [
        CutTaus(expert, str(parse(about["measure"])), table, rankings[name], about["source"])
        for (name, expert), table in tau.items()
        for about in [transformations[name]]
    ]
    if not panels:
        raise ParameterError("a figure needs at least one panel: none of its tables are there")
    columns = min(len(panels), 2)
    groups: dict[tuple, list[CutTaus]] = {}
    for panel in panels:
        groups.setdefault(panel.transformation, []).append(panel)
    # a transformation starts a new row, since its methods differ
    rows = [
        group[start : start + columns]
        for group in groups.values()
        for start in range(0, len(group), columns)
    ]
    labels = [[*dict.fromkeys(n for panel in row for n in panel.chosen.index)] for row in rows]
    strips = [max(1, len(names)) * 14 / style.POINTS for names in labels]
    width = style.SINGLE_COLUMN if columns == 1 else style.DOUBLE_COLUMN
    height = sum(strips) + 1.75 * len(rows) + (0.55 if columns == 1 else 0.3)
    figure = style.new_figure(width, height)
    heights = [part for strip in strips for part in (1.1, strip)]
    cells = figure.add_gridspec(2 * len(rows), columns, height_ratios=heights)
    first = None
    letters = (style.panel_letter(index, len(panels)) for index in range(len(panels)))
    for number, row in enumerate(rows):
        for column, panel in enumerate(row):
            above = figure.add_subplot(cells[2 * number, column], sharex=first)
            below = figure.add_subplot(cells[2 * number + 1, column], sharex=above)
            first = first or above
            if len(panel.defined):
                above.ecdf(panel.defined, compress=True, color=style.CUT_COLORS[0])
                above.axvline(panel.defined.max(), **HIGHEST)
            above.set_ylim(0, 1.03)
            above.grid()
            above.tick_params(labelbottom=False)
            _choices(below, panel, labels[number])
            style.stacked_title(above, next(letters) + panel.title, f"{len(panel.defined):,} cuts")
            if column == 0:
                above.set_ylabel("share of cuts\nwith lower or equal $\\tau_b$")
            else:
                above.tick_params(labelleft=False)
                below.tick_params(labelleft=False)
    handles = [*_choice_marks(), style.mark("highest $\\tau_b$ of a single cut", **HIGHEST)]
    return style.legend(figure, handles, columns=1 if columns == 1 else None)


HIGHEST = {"color": style.BLACK, "ls": ":", "lw": 0.8}


CHOICES = {
    "per-topic": {"marker": "D", "color": style.CUT_COLORS[1], "ms": 5.0},
    "single": {"marker": "o", "color": style.CUT_COLORS[0], "ms": 3.4},
}
"""How a cut's selection is drawn: the smaller marker last, so that equal τ_b show both."""


def _choice_marks() -> list[Line2D]:
    names = {"best single cut": "single", "best cut of each topic": "per-topic"}
    return style.marks({name: CHOICES[key] for name, key in names.items()}, ls="")


def _choices(axes: Axes, panel: CutTaus, labels: Sequence[str]) -> None:
    """The methods' choices, one row each, the first on top."""
    chosen = panel.chosen.reindex(labels)
    rows = np.arange(len(labels))
    axes.hlines(rows, chosen.min(axis=1), chosen.max(axis=1), style.LIGHT_GREY, lw=1)
    for selection, look in CHOICES.items():
        axes.plot(chosen[selection], rows, ls="", mec="white", mew=0.5, **look)
    if len(panel.defined):
        axes.axvline(panel.defined.max(), **HIGHEST)
    style.name_rows(axes, labels, formulas=True)
    axes.set_xlabel(style.TAU_LABEL)


class TopicTaus:
    """τ_b of each topic's own ranking of the systems with an expert's: every cut, and a method's.

    Of table ``cuts/tau_topics``; rows of other methods, references and experts are passed over.
    """

    def __init__(self, panel: str, expert: str, tau_topics: Frame, *about: object) -> None:
        rows = rows_of(tau_topics, *search_of(panel))
        self.rows = rows[rows["expert"].astype(str) == expert]
        self.topics = set(self.rows["topic"]) - {ALL_TOPICS}
        label = style.method_label(*search_of(panel), *about)
        self.title = f"{label}, expert {style.dataset_label(expert)}"
        self.count = counted(len(self.topics), "topic")


@style.themed
def figure_tau_topics(
    tau_topics: Frame,
    *,
    panels: Sequence[str],
    expert: str,
    source: str = "",
    levels: int | None = None,
) -> Figure:
    """Draw, per topic, the range of τ_b over every cut and where a method's choices lie in it."""
    contents = [TopicTaus(panel, expert, tau_topics, source, levels) for panel in panels]
    columns = columns_of(contents)
    grid = panel_grid(contents, len(columns) + 1, pitch=8.5, height=1.6, columns=2)
    places = pd.Series(places_of(columns), index=columns)
    size = min(1.0, grid.pitch / 9)
    for panel, content in grid:
        x = content.rows["topic"].map(places).to_numpy(dtype=float)
        draw_ranges(panel.axes, x, content.rows, 0.6, 0.7, style.GREY)
        for selection, look in CHOICES.items():
            tau = content.rows[selection.replace("-", "_")].to_numpy(dtype=float)
            look = look | {"ms": size * look["ms"]}
            panel.axes.plot(x, tau, ls="", mec="white", mew=0.5, **look)
        finish(panel, columns, content, style.TAU_LABEL)
    box = style.swatch("every cut: range, quartiles", style.GREY)
    return grid.with_legend([box, *_choice_marks()])
