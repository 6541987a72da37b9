"""Figures of τ_b of every cut, which han2019 left for later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.errors import ParameterError
from regrade.measures import parse
from regrade.show import style
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


@dataclass(frozen=True)
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

    expert: str
    measure: str
    tau: pd.DataFrame
    rankings: pd.DataFrame
    source: str = ""

    @cached_property
    def defined(self) -> np.ndarray:
        """τ_b of the cuts that have one."""
        tau = self.tau[MEAN].to_numpy(dtype=float)
        return tau[np.isfinite(tau)]

    @cached_property
    def chosen(self) -> pd.DataFrame:
        """τ_b of the cuts that each method chose, by row label; one column per selection."""
        rows = self.rankings[
            (self.rankings["expert"].astype(str) == self.expert)
            & (self.rankings["measure"].astype(str) == self.measure)
        ]
        searches = zip(rows["method"].astype(str), references_of(rows["reference"]), strict=True)
        rows = rows.astype({"selection": str})
        rows = rows.assign(label=[style.method_label(*search) for search in searches])
        wide = rows.pivot(index="label", columns="selection", values="tau")
        return wide.reindex(index=rows["label"].unique(), columns=["single", "per-topic"])

    @property
    def transformation(self) -> tuple[str, int]:
        """Source, and levels of the target scale."""
        return self.source, 1 + sum(name in self.tau.columns for name in CUT_COLUMNS)

    @property
    def title(self) -> str:
        """Transformation and expert."""
        parts = [style.transformation_label(*self.transformation), self.measure]
        parts.append(f"expert {style.dataset_label(self.expert)}")
        return ", ".join(part for part in parts if part)


@style.themed
def figure_tau(
    rankings: Mapping[str, pd.DataFrame],
    tau: Mapping[tuple[str, str], pd.DataFrame],
    *,
    transformations: Mapping[str, Mapping],
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
    rows = _rows_by_transformation(panels, columns)
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
            _share_of_cuts(above, panel)
            _choices(below, panel, labels[number])
            style.stacked_title(above, next(letters) + panel.title, f"{len(panel.defined):,} cuts")
            if column == 0:
                above.set_ylabel("share of cuts\nwith lower or equal $\\tau_b$")
            else:
                above.tick_params(labelleft=False)
                below.tick_params(labelleft=False)
    handles = [*_choice_marks(), style.mark("highest $\\tau_b$ of a single cut", **HIGHEST)]
    style.legend(figure, handles, columns=1 if columns == 1 else None)
    return figure


HIGHEST = {"color": style.BLACK, "ls": ":", "lw": 0.8}


def _rows_by_transformation(panels: Sequence[CutTaus], columns: int) -> list[list[CutTaus]]:
    """The panels of each row: a transformation starts a new one, since its methods differ."""
    groups: dict[tuple, list[CutTaus]] = {}
    for panel in panels:
        groups.setdefault(panel.transformation, []).append(panel)
    return [
        group[start : start + columns]
        for group in groups.values()
        for start in range(0, len(group), columns)
    ]


CHOICES = {
    "per-topic": {"marker": "D", "color": style.CUT_COLORS[1], "ms": 5.0},
    "single": {"marker": "o", "color": style.CUT_COLORS[0], "ms": 3.4},
}
"""How a cut's selection is drawn: the smaller marker last, so that equal τ_b show both."""


def _choice_marks() -> list[Line2D]:
    names = {"best single cut": "single", "best cut of each topic": "per-topic"}
    return style.marks({name: CHOICES[key] for name, key in names.items()}, ls="")


def _share_of_cuts(axes: Axes, panel: CutTaus) -> None:
    """The empirical distribution function of τ_b, and its highest value."""
    if len(panel.defined):
        axes.ecdf(panel.defined, compress=True, color=style.CUT_COLORS[0])
        axes.axvline(panel.defined.max(), **HIGHEST)
    axes.set_ylim(0, 1.03)
    axes.grid()
    axes.tick_params(labelbottom=False)


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


@dataclass(frozen=True)
class TopicTaus:
    """τ_b of each topic's own ranking of the systems with an expert's: every cut, and a method's.

    Parameters
    ----------
    method, reference, expert
        What identifies the panel.
    tau_topics
        One row per method, reference, expert and topic (``*``: the means over topics): `low`,
        `q1`, `median`, `q3`, `high` of τ_b over every cut; `per_topic`, τ_b at the topic's own
        best cut; `single`, τ_b at the one cut for all topics.  Other rows are passed over.
    source, levels
        The transformation, for the title.
    """

    method: str
    reference: str | None
    expert: str
    tau_topics: pd.DataFrame
    source: str = ""
    levels: int | None = None

    @cached_property
    def rows(self) -> pd.DataFrame:
        """This panel's rows."""
        rows = rows_of(self.tau_topics, self.method, self.reference)
        return rows[rows["expert"].astype(str) == self.expert]

    @property
    def topics(self) -> set[str]:
        """The topics that have a row."""
        return set(self.rows["topic"]) - {ALL_TOPICS}

    @property
    def title(self) -> str:
        """Method, transformation and expert."""
        label = style.method_label(self.method, self.reference, self.source, self.levels)
        return f"{label}, expert {style.dataset_label(self.expert)}"

    @property
    def count(self) -> str:
        """How many topics."""
        return counted(len(self.topics), "topic")


@style.themed
def figure_tau_topics(
    tau_topics: pd.DataFrame,
    *,
    panels: Sequence[str],
    expert: str,
    source: str = "",
    levels: int | None = None,
) -> Figure:
    """Draw, per topic, the range of τ_b over every cut and where a method's choices lie in it."""
    contents = [
        TopicTaus(*search_of(panel), expert, tau_topics, source, levels) for panel in panels
    ]
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
