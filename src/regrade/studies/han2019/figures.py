"""The figures of han2019, for any collection, and two of τ_b that the paper left for later.

Each function takes panels — tables, and what identifies them — and draws those it is given, so
that a collection which lacks a reference still gets the figure.  Nothing is computed here that
a table should hold.

References
----------
Han, Roitero, Maddalena, Mizzaro, Demartini: On Transforming Relevance Scales. CIKM 2019.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator
from natsort import natsorted

from regrade.errors import ParameterError
from regrade.measures import parse
from regrade.schemas import ALL_TOPICS, CUT_COLUMNS, SUMMARY_COLUMNS
from regrade.show import style
from regrade.studies.han2019 import criteria

MEAN = "mean"
"""The column of tables with one row per cut that averages the topics, and its label."""

GAP = 0.6
"""Room between the topics and their mean, in positions."""

FEW_CUTS = len(style.CUT_MARKERS)


@dataclass(frozen=True)
class Panel:
    """One method of one transformation, as a panel shows it.

    Parameters
    ----------
    method, reference
        What identifies the panel; `reference` is ``None`` for methods of a single dataset.
    alpha
        One row per cut: ``c1`` …, one column of α per topic, ``mean``.  Figures 6–9 need no
        more of it than the thresholds.
    best_cuts
        Table ``best_cuts``; rows of other methods and references are passed over.
    top_cuts
        For figures 6–9, one row per method, reference, topic and threshold (``c1`` …): `low`,
        `q1`, `median`, `q3`, `high` of that threshold over all cuts whose α is among the
        `values` highest; rows of other methods and references are passed over.
    source
        Name of the dataset that is transformed, for titles and axes.
    tied_cuts
        For figures 1–4, table ``tied_cuts``; rows of other methods and references are passed over.

    Raises
    ------
    ParameterError
        If the tables lack what identifies them.
    """

    method: str
    reference: str | None
    alpha: pd.DataFrame
    best_cuts: pd.DataFrame
    top_cuts: pd.DataFrame | None = None
    source: str = ""
    tied_cuts: pd.DataFrame | None = None

    def __post_init__(self) -> None:
        """Check what every figure needs."""
        if CUT_COLUMNS[0] not in self.alpha.columns:
            raise ParameterError(f"{self.method}: the table of α has no column c1")
        if not self.topics:
            notes = self.best["note"].dropna() if "note" in self.best else []
            why = "".join(f": {note}" for note in notes)
            raise ParameterError(f"{self.method} has no topic to draw{why}. Leave the panel out")

    @cached_property
    def thresholds(self) -> list[str]:
        """The thresholds of a cut: one fewer than the target scale has levels."""
        return [name for name in CUT_COLUMNS if name in self.alpha.columns]

    @cached_property
    def scale(self) -> np.ndarray:
        """The source values that thresholds can take, ascending."""
        return np.unique(self.alpha[self.thresholds].to_numpy(dtype=float))

    @property
    def cuts(self) -> int:
        """How many places a threshold has."""
        return len(self.scale)

    def places(self, thresholds: np.ndarray) -> np.ndarray:
        """Where thresholds lie among all: 0 for the lowest, between places in proportion."""
        thresholds = np.asarray(thresholds, dtype=float)
        return np.interp(thresholds, self.scale, np.arange(len(self.scale), dtype=float))

    @cached_property
    def best(self) -> pd.DataFrame:
        """This panel's best cuts, by topic."""
        return _rows(self.best_cuts, self.method, self.reference).set_index("topic")

    @cached_property
    def top(self) -> pd.DataFrame:
        """This panel's rows of `top_cuts`."""
        if self.top_cuts is None:
            raise ParameterError(f"{self.method}: this figure needs a table of top cuts")
        return _rows(self.top_cuts, self.method, self.reference)

    @cached_property
    def topics(self) -> set[str]:
        """Topics of any of the tables."""
        others = (*CUT_COLUMNS, *SUMMARY_COLUMNS)
        columns = {name for name in self.alpha.columns if name not in others}
        return columns | (set(self.best.index) - {ALL_TOPICS})

    @property
    def title(self) -> str:
        """As the papers write it: ``H² (S100 → 2, TR2)``."""
        levels = len(self.thresholds) + 1
        return style.method_label(self.method, self.reference, self.source, levels)

    @property
    def count(self) -> str:
        """How many topics, and for unit-wise methods units, the α come from."""
        of_topics = self.best[self.best.index != ALL_TOPICS]
        parts = [_count(self.topics)]
        if self.method.startswith("h") and len(of_topics):
            parts.append(f"{int(of_topics['n'].sum()):,} units")
        return ", ".join(parts)

    def of_topic(self, topic: str) -> np.ndarray:
        """α of every cut for a topic (`ALL_TOPICS`: the mean); NaN for a topic it lacks."""
        column = MEAN if topic == ALL_TOPICS else topic
        if column not in self.alpha.columns:
            return np.full(len(self.alpha), np.nan)
        return self.alpha[column].to_numpy(dtype=float)

    def best_cut(self, topic: str) -> np.ndarray:
        """Thresholds of the best cut, shape (levels − 1,); NaN where there is none."""
        if topic not in self.best.index:
            return np.full(len(self.thresholds), np.nan)
        return self.best.loc[topic, self.thresholds].to_numpy(dtype=float, na_value=np.nan)

    def tied(self, topic: str) -> np.ndarray:
        """Whether each cut shares the best α of a topic, shape (cuts,)."""
        if self.tied_cuts is None:
            raise ParameterError(f"{self.method}: this figure needs a table of tied cuts")
        rows = _rows(self.tied_cuts, self.method, self.reference)
        tied = rows.loc[rows["topic"] == topic, self.thresholds]
        return pd.MultiIndex.from_frame(self.alpha[self.thresholds].astype(float)).isin(
            pd.MultiIndex.from_frame(tied.astype(float))
        )


@style.themed
def alpha_of_few_cuts(panels: Sequence[Panel], notes: str = "") -> Figure:
    """Draw Figures 1 and 2: α of each of a few cuts (left, middle, right) for every topic.

    Parameters
    ----------
    panels
        Of a transformation into two levels with few cuts, such as S4 → 2.
    notes
        A line for the figure's foot.

    Raises
    ------
    ParameterError
        If there is no panel, or a panel has too many cuts or more than one threshold.
    """
    _require_two_levels(panels)
    cuts = max((panel.cuts for panel in panels), default=0)
    if cuts > FEW_CUTS:
        raise ParameterError(f"{cuts} cuts are too many for this figure: use figure_3")
    columns = _columns(panels)
    grid = style.panel_grid(
        len(panels), len(columns) + 1, pitch=5.5 * cuts, height=1.5, notes=notes
    )
    places, offsets = _places(columns), _offsets(cuts)
    undefined = False
    for index, (axes, panel) in enumerate(zip(grid.axes, panels, strict=True)):
        for column, place in zip(columns, places, strict=True):
            alpha = panel.of_topic(column)
            if np.isfinite(alpha).any():
                axes.vlines(place, np.nanmin(alpha), np.nanmax(alpha), style.LIGHT_GREY, lw=1)
        for cut in range(panel.cuts):
            row = panel.places(panel.alpha[CUT_COLUMNS[0]]) == cut
            alpha = np.array([panel.of_topic(column)[row][0] for column in columns])
            tied = np.array([panel.tied(column)[row][0] for column in columns])
            _mark_cut(axes, cut, places + offsets[cut], alpha, tied, grid.marker_size)
            undefined |= np.isnan(alpha).any()
        axes.grid(axis="y")
        axes.axhline(0, color=style.GREY, lw=0.6, zorder=0.9)
        _finish(grid, index, columns, panel, style.ALPHA_LABEL)
    low, high = grid.axes[0].get_ylim()
    grid.axes[0].set_ylim(low - 0.1 * (high - low) * undefined, high)
    style.legend(grid.figure, [*_cut_handles(cuts), *([_undefined_mark()] if undefined else [])])
    return grid.figure


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
        Line2D(
            [], [], ls="", marker=style.CUT_MARKERS[cut], color=style.CUT_COLORS[cut], label=name
        )
        for cut, name in enumerate(names)
    ] + [
        Line2D([], [], ls="", marker="o", color=style.GREY, label="best (filled)"),
        Line2D([], [], ls="", marker="o", color=style.GREY, mfc="white", label="others"),
    ]


def _undefined_mark() -> Line2D:
    return Line2D([], [], ls="", marker="x", color=style.GREY, label="α undefined")


@style.themed
def alpha_of_every_cut(panels: Sequence[Panel], notes: str = "") -> Figure:
    """Draw Figures 3 and 4: α of every cut (colour) by topic (x) and cut (y), and the best cuts.

    Parameters
    ----------
    panels
        Of a transformation into two levels, such as S100 → 2.
    notes
        A line for the figure's foot.

    Raises
    ------
    ParameterError
        If there is no panel, or a panel has more than one threshold.
    """
    _require_two_levels(panels)
    columns = _columns(panels)
    places = _places(columns)
    grid = style.panel_grid(
        len(panels), len(columns) + 1, pitch=5.9, height=2.6, notes=notes, side=0.55
    )
    images = [np.column_stack([panel.of_topic(column) for column in columns]) for panel in panels]
    norm = _round_limits(images)
    image = None
    for index, (axes, panel, alpha) in enumerate(zip(grid.axes, panels, images, strict=True)):
        topics = len(columns) - 1
        for block, left in ((alpha[:, :topics], -0.5), (alpha[:, topics:], places[-1] - 0.5)):
            extent = (left, left + block.shape[1], -0.5, len(block) - 0.5)
            axes.add_patch(_hatched((extent[0], extent[2]), block.shape[1], len(block)))
            image = axes.imshow(
                block, origin="lower", extent=extent, aspect="auto", norm=norm, interpolation="none"
            )
        for column, place in zip(columns, places, strict=True):
            tied = panel.places(panel.alpha.loc[panel.tied(column), CUT_COLUMNS[0]])
            _dot(axes, np.full(len(tied), place), tied, 1.3, edge=0.0)
        best = np.concatenate([panel.best_cut(column) for column in columns])
        _dot(axes, places, panel.places(best), 3.4, edge=0.5)
        axes.set_xlim(-0.5, places[-1] + 0.5)
        _cut_axis(axes, panel)
        axes.spines[:].set_visible(False)
        _finish(grid, index, columns, panel, style.cut_label(panel.source))
    handles = [_dot_handle(3.4, "best cut"), _dot_handle(1.3, "tied with it")]
    if any(np.isnan(alpha).any() for alpha in images):
        handles.append(_hatched((0, 0), 1, 1, label="α undefined"))
    style.legend(grid.figure, handles)
    rows = math.ceil(len(panels) / grid.columns)
    grid.figure.colorbar(
        image, ax=grid.axes, label=style.ALPHA_LABEL, aspect=25 * rows, pad=0.01, fraction=0.05
    ).outline.set_visible(False)
    return grid.figure


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


def _dot(axes: Axes, x: np.ndarray, y: np.ndarray, size: float, edge: float) -> None:
    """Black dots with a white edge, whole at the frame too."""
    there = np.isfinite(y)
    if there.any():  # unclipped, an artist without a place would upset the layout
        axes.plot(
            x[there],
            y[there],
            "o",
            color=style.BLACK,
            ms=size,
            mec="white",
            mew=edge,
            clip_on=False,
        )


def _dot_handle(size: float, label: str) -> Line2D:
    return Line2D([], [], ls="", marker="o", color=style.BLACK, mew=0, ms=size, label=label)


@style.themed
def alpha_over_cuts(panels: Sequence[Panel], notes: str = "") -> Figure:
    """Draw Figure 5: α over the cuts for the whole collection, the mean and the topics around it.

    Parameters
    ----------
    panels
        Of a transformation into two levels, such as S100 → 2; the paper shows ``h1_ta`` alone.
    notes
        A line for the figure's foot.

    Raises
    ------
    ParameterError
        If there is no panel, or a panel has more than one threshold.
    """
    _require_two_levels(panels)
    grid = style.panel_grid(len(panels), 1, pitch=150, height=2.1, notes=notes)
    for index, (axes, panel) in enumerate(zip(grid.axes, panels, strict=True)):
        cuts = panel.alpha[CUT_COLUMNS[0]]
        topics = panel.alpha[[name for name in panel.alpha.columns if name in panel.topics]]
        axes.plot(cuts, topics, color=style.GREY, lw=0.4, alpha=0.35)
        axes.fill_between(
            cuts,
            topics.quantile(0.25, axis=1),
            topics.quantile(0.75, axis=1),
            color="#a6cee3",
            lw=0,
        )
        axes.plot(cuts, panel.alpha[MEAN], color=style.CUT_COLORS[0], lw=1.8)
        best = panel.best_cut(ALL_TOPICS)[0]
        if np.isfinite(best):
            axes.axvline(best, color=style.BLACK, ls=":", lw=0.8)
            alpha = panel.best.at[ALL_TOPICS, "value"]
            _dot(axes, np.array([best]), np.array([alpha]), 4.5, edge=0.6)
            right = panel.places(best) > 0.75 * panel.cuts
            axes.annotate(
                f"{best:.4g}",
                (best, 0),
                xycoords=axes.get_xaxis_transform(),
                xytext=(-3 if right else 3, 3),
                textcoords="offset points",
                ha="right" if right else "left",
            )
        half = (panel.scale[-1] - panel.scale[0]) / max(1, panel.cuts - 1) / 2 or 0.5
        axes.set_xlim(panel.scale[0] - half, panel.scale[-1] + half)
        axes.grid(axis="y")
        style.label_y(grid, index, style.ALPHA_LABEL)
        if grid.is_bottom(index):
            axes.set_xlabel(style.cut_label(panel.source))
        style.panel_title(grid, index, panel.title, panel.count)
    handles = [
        Line2D([], [], color=style.CUT_COLORS[0], lw=1.8, label="mean of topics"),
        Patch(color="#a6cee3", lw=0, label="middle half of topics"),
        Line2D([], [], color=style.GREY, lw=0.6, label="a topic"),
        _dot_handle(4.5, "best single cut"),
    ]
    style.legend(grid.figure, handles)
    return grid.figure


@style.themed
def ranges_of_top_cuts(panels: Sequence[Panel], notes: str = "") -> Figure:
    """Draw Figures 6 to 9: where the thresholds of each topic's best cuts lie.

    Parameters
    ----------
    panels
        Of any transformation, such as S100 → 4, with `top_cuts`.
    notes
        A line for the figure's foot.

    Raises
    ------
    ParameterError
        If there is no panel, or a panel has no `top_cuts`.
    """
    columns = _columns(panels)
    thresholds = max((panel.thresholds for panel in panels), key=len, default=[])
    grid = style.panel_grid(
        len(panels), len(columns) + 1, pitch=5 * len(thresholds), height=1.75, notes=notes
    )
    places = pd.Series(_places(columns), index=columns)
    offsets = _offsets(len(thresholds))
    width = 0.8 * (offsets[1] - offsets[0] if len(offsets) > 1 else 0.5)
    line = min(0.8, 0.16 * width * grid.pitch)
    for index, (axes, panel) in enumerate(zip(grid.axes, panels, strict=True)):
        best = np.array([panel.best_cut(column) for column in columns])
        for k, threshold in enumerate(panel.thresholds):
            ranges = panel.top[panel.top["threshold"] == threshold]
            x = ranges["topic"].map(places).to_numpy(dtype=float) + offsets[k]
            marks = ["low", "q1", "median", "q3", "high"]
            ranges = ranges.assign(**{name: panel.places(ranges[name]) for name in marks})
            _boxes(axes, x, ranges, width, line, style.CUT_COLORS[k])
            _dot(
                axes,
                places.to_numpy() + offsets[k],
                panel.places(best[:, k]),
                max(1.8, 0.8 * grid.marker_size),
                edge=0.4,
            )
        _cut_axis(axes, panel)
        axes.grid(axis="y")
        _finish(grid, index, columns, panel, style.cut_label(panel.source))
    handles = [
        Patch(fc=style.tint(style.CUT_COLORS[k]), ec=style.CUT_COLORS[k], label=f"$c_{k + 1}$")
        for k in range(len(thresholds))
    ]
    style.legend(grid.figure, [*handles, _dot_handle(3.5, "best cut")], _top_values(panels))
    return grid.figure


def _top_values(panels: Sequence[Panel]) -> str:
    values = sorted({int(value) for panel in panels for value in panel.top["values"]})
    many = " or ".join(map(str, values))
    return f"cuts with one of the {many} highest α: range (line), quartiles (box)" if many else ""


def _cut_axis(axes: Axes, panel: Panel) -> None:
    """Run the y axis from the first threshold to the last, in values of the source scale."""

    def value(place: float, _: int) -> str:
        known = 0 <= place < panel.cuts and place == int(place)
        return f"{panel.scale[int(place)]:.4g}" if known else ""

    axes.set_ylim(-0.5, panel.cuts - 0.5)
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.yaxis.set_major_formatter(FuncFormatter(value))


def _boxes(
    axes: Axes, x: np.ndarray, ranges: pd.DataFrame, width: float, line: float, color: str
) -> None:
    """Draw the range as a line, the quartiles as a box, the median across it.

    `width` is that of a box, in positions; `line` that of the lines, in points.
    """
    low, q1, median, q3, high = (
        ranges[name].to_numpy(dtype=float) for name in ("low", "q1", "median", "q3", "high")
    )
    axes.vlines(x, low, high, color, lw=line)
    left, right = x - width / 2, x + width / 2
    corners = np.array([[left, q1], [right, q1], [right, q3], [left, q3]]).transpose(2, 0, 1)
    defined = np.isfinite(corners).all(axis=(1, 2))
    axes.add_collection(
        PolyCollection(corners[defined], facecolor=style.tint(color), edgecolor=color, lw=line)
    )
    axes.hlines(median, left, right, color, lw=1.4 * line)


@dataclass(frozen=True)
class TauPanel:
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
        labels = [
            style.method_label(method, reference)
            for method, reference in zip(
                rows["method"].astype(str), _references(rows["reference"]), strict=True
            )
        ]
        return (
            pd.DataFrame(
                {"label": labels, "selection": rows["selection"].astype(str), "tau": rows["tau"]}
            )
            .pivot(index="label", columns="selection", values="tau")
            .reindex(index=list(dict.fromkeys(labels)), columns=["single", "per-topic"])
        )

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
def tau_of_every_cut(panels: Sequence[TauPanel], notes: str = "") -> Figure:
    """Draw how the cut that each method chose compares, by τ_b, with every other cut.

    Above, the share of cuts below each τ_b; below, on the same axis, the methods' choices.

    Parameters
    ----------
    panels
        One per transformation and expert.
    notes
        A line for the figure's foot.

    Raises
    ------
    ParameterError
        If there is no panel.
    """
    if not panels:
        raise ParameterError("a figure needs at least one panel: none of its tables are there")
    columns = min(len(panels), 2)
    rows = _rows_by_transformation(panels, columns)
    labels = [
        list(dict.fromkeys(label for panel in row for label in panel.chosen.index)) for row in rows
    ]
    strips = [max(1, len(names)) * 14 / style.POINTS for names in labels]
    width = style.SINGLE_COLUMN if columns == 1 else style.DOUBLE_COLUMN
    height = sum(strips) + 1.75 * len(rows) + (0.55 if columns == 1 else 0.3)
    figure = style.new_figure(width, height, notes)
    heights = [part for strip in strips for part in (1.1, strip)]
    cells = figure.add_gridspec(2 * len(rows), columns, height_ratios=heights)
    first = None
    index = 0
    for number, row in enumerate(rows):
        for column, panel in enumerate(row):
            above = figure.add_subplot(cells[2 * number, column], sharex=first)
            below = figure.add_subplot(cells[2 * number + 1, column], sharex=above)
            first = first or above
            _share_of_cuts(above, panel)
            _choices(below, panel, labels[number])
            title = style.panel_letter(index, len(panels)) + panel.title
            style.stacked_title(above, title, f"{len(panel.defined):,} cuts")
            index += 1
            if column == 0:
                above.set_ylabel("share of cuts\nwith lower or equal $\\tau_b$")
            else:
                above.tick_params(labelleft=False)
                below.tick_params(labelleft=False)
    handles = [
        *_choice_handles(),
        Line2D(
            [], [], color=style.BLACK, ls=":", lw=0.8, label="highest $\\tau_b$ of a single cut"
        ),
    ]
    style.legend(figure, handles, columns=1 if columns == 1 else None)
    return figure


def _rows_by_transformation(panels: Sequence[TauPanel], columns: int) -> list[list[TauPanel]]:
    """The panels of each row: a transformation starts a new one, since its methods differ."""
    groups: dict[tuple, list[TauPanel]] = {}
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


def _choice_handles() -> list[Line2D]:
    names = {
        "single": "best single cut",
        "per-topic": "best cut of each topic",
    }
    return [Line2D([], [], ls="", label=name, **CHOICES[key]) for key, name in names.items()]


def _share_of_cuts(axes: Axes, panel: TauPanel) -> None:
    """The empirical distribution function of τ_b, and its highest value."""
    if len(panel.defined):
        axes.ecdf(panel.defined, compress=True, color=style.CUT_COLORS[0])
        axes.axvline(panel.defined.max(), color=style.BLACK, ls=":", lw=0.8)
    axes.set_ylim(0, 1.03)
    axes.grid()
    axes.tick_params(labelbottom=False)


def _choices(axes: Axes, panel: TauPanel, labels: Sequence[str]) -> None:
    """The methods' choices, one row each, the first on top."""
    chosen = panel.chosen.reindex(labels)
    rows = np.arange(len(labels))
    axes.hlines(rows, chosen.min(axis=1), chosen.max(axis=1), style.LIGHT_GREY, lw=1)
    for selection, look in CHOICES.items():
        axes.plot(chosen[selection], rows, ls="", mec="white", mew=0.5, **look)
    if len(panel.defined):
        axes.axvline(panel.defined.max(), color=style.BLACK, ls=":", lw=0.8)
    axes.set_yticks(rows, labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(style.TAU_LABEL)


@dataclass(frozen=True)
class TauTopicsPanel:
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
        rows = _rows(self.tau_topics, self.method, self.reference)
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
        return _count(self.topics)


@style.themed
def tau_of_topics(panels: Sequence[TauTopicsPanel], notes: str = "") -> Figure:
    """Draw, per topic, the range of τ_b over every cut and where a method's choices lie in it.

    Parameters
    ----------
    panels
        One per method and expert.
    notes
        A line for the figure's foot.

    Raises
    ------
    ParameterError
        If there is no panel.
    """
    columns = _columns(panels)
    grid = style.panel_grid(
        len(panels), len(columns) + 1, pitch=8.5, height=1.6, notes=notes, columns=2
    )
    places = pd.Series(_places(columns), index=columns)
    size = min(1.0, grid.pitch / 9)
    for index, (axes, panel) in enumerate(zip(grid.axes, panels, strict=True)):
        x = panel.rows["topic"].map(places).to_numpy(dtype=float)
        _boxes(axes, x, panel.rows, 0.6, 0.7, style.GREY)
        for selection, look in CHOICES.items():
            tau = panel.rows[selection.replace("-", "_")].to_numpy(dtype=float)
            axes.plot(x, tau, ls="", mec="white", mew=0.5, **{**look, "ms": size * look["ms"]})
        axes.grid(axis="y")
        _finish(grid, index, columns, panel, style.TAU_LABEL)
    box = Patch(fc=style.tint(style.GREY), ec=style.GREY, label="every cut: range, quartiles")
    style.legend(grid.figure, [box, *_choice_handles()])
    return grid.figure


GROUPS = ("best", "median", "worst")
"""The groups of cuts, as the study's Figure 10 orders them."""


@style.themed
def thresholds_of_groups(
    counts: Mapping[tuple[str, str], pd.DataFrame], source: str, levels: int, notes: str = ""
) -> Figure:
    """Draw Figure 10: how the thresholds of the best, the median and the worst cuts are spread.

    Parameters
    ----------
    counts
        By search and topic, in the order of rows: rows of ``cuts/group_counts``.
    source, levels
        The transformation.
    notes
        A line for the figure's foot.

    Raises
    ------
    ParameterError
        If there is nothing to draw.
    """
    if not counts:
        raise ParameterError("a figure needs at least one topic")
    thresholds = CUT_COLUMNS[: levels - 1]
    height = (0.27 * len(thresholds) + 0.3) * len(counts) + 0.8
    figure = style.new_figure(style.DOUBLE_COLUMN, height, notes)
    axes = figure.subplots(len(counts), len(GROUPS), sharex=True, sharey=True, squeeze=False)
    for line, ((search, topic), table) in enumerate(counts.items()):
        for cell, group in zip(axes[line], GROUPS, strict=True):
            _ridges(cell, table[table["group"] == group], thresholds)
            n = table.loc[
                (table["group"] == group) & (table["threshold"] == thresholds[0]), "n_cuts"
            ].sum()
            cell.set_title(f"{group}, {n:,} cuts", size=style.FONT_SIZE, color=style.GREY)
            if line == len(counts) - 1:
                cell.set_xlabel(style.cut_label(source))
        about = "all topics" if topic == ALL_TOPICS else f"topic {topic}"
        axes[line, 0].set_ylabel(f"{style.method_label(*_search(search))}\n{about}")
    axes[0, 0].set_yticks(range(len(thresholds)), [f"$c_{k + 1}$" for k in range(len(thresholds))])
    axes[0, 0].set_ylim(len(thresholds) - 0.9, -1)
    handles = [
        Patch(fc=style.tint(style.GREY), ec=style.GREY, label="how often, by the most frequent"),
        _dot_handle(3.5, "mean"),
    ]
    style.legend(figure, handles)
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
        _dot(axes, np.array([np.average(value, weights=n)]), np.array([float(k)]), 3.5, edge=0.5)
    axes.tick_params(axis="y", length=0)


@style.themed
def thresholds_by_method(groups: pd.DataFrame, source: str, levels: int, notes: str = "") -> Figure:
    """Draw, for every search, where the thresholds of its best, median and worst cuts lie.

    Parameters
    ----------
    groups
        Table ``cuts/groups``; of each topic the mean of a threshold over a group's cuts is shown.
    source, levels
        The transformation.
    notes
        A line for the figure's foot.
    """
    of_topics = groups[groups["topic"].astype(str) != ALL_TOPICS]
    searches = list(
        dict.fromkeys(
            zip(of_topics["method"].astype(str), _references(of_topics["reference"]), strict=True)
        )
    )
    if not searches:
        raise ParameterError("a figure needs at least one search: no method has cuts")
    height = 0.17 * levels * len(searches) + 1.0
    figure = style.new_figure(style.DOUBLE_COLUMN, height, notes)
    axes = figure.subplots(1, len(GROUPS), sharex=True, sharey=True)
    offsets = _offsets(levels - 1)
    for cell, group in zip(axes, GROUPS, strict=True):
        topics = set()
        for place, (method, reference) in enumerate(searches):
            rows = _rows(of_topics, method, reference)
            rows = rows[rows["group"] == group]
            topics |= set(rows["topic"])
            for k, threshold in enumerate(CUT_COLUMNS[: levels - 1]):
                means = rows.loc[rows["threshold"] == threshold, "mean"].dropna()
                color, marker = style.CUT_COLORS[k], style.CUT_MARKERS[k]
                y = np.full(len(means), place + offsets[k])
                cell.plot(means, y, "|", color=color, ms=4, mew=0.6)
                cell.plot(means.mean(), y[:1], marker, color=color, ms=4.2, mec="white", mew=0.5)
        style.stacked_title(cell, f"{group} cuts", _count(topics))
        cell.grid(axis="x")
        cell.set_xlabel(style.cut_label(source))
    axes[0].set_yticks(range(len(searches)), [style.method_label(*one) for one in searches])
    axes[0].set_ylim(len(searches) - 0.4, -0.6)
    for cell in axes:
        cell.tick_params(axis="y", length=0)
    handles = [
        Line2D(
            [], [], ls="", marker=style.CUT_MARKERS[k], color=style.CUT_COLORS[k],
            label=f"$c_{k + 1}$, mean of topics",
        )
        for k in range(levels - 1)
    ]  # fmt: skip
    handles.append(Line2D([], [], ls="", marker="|", color=style.GREY, label="a topic's mean"))
    style.legend(figure, handles)
    return figure


def _count(topics: set[str]) -> str:
    return "1 topic" if len(topics) == 1 else f"{len(topics):,} topics"


def _rows(table: pd.DataFrame, method: str, reference: str | None) -> pd.DataFrame:
    """Rows of a method and reference, topics as strings."""
    same = [found == reference for found in _references(table["reference"])]
    rows = table[np.array(same, dtype=bool) & (table["method"].astype(str) == method).to_numpy()]
    return rows.assign(topic=rows["topic"].astype(str))


def _references(column: pd.Series) -> list[str | None]:
    """References of a table, nulls (however pandas holds them) as None."""
    return [None if pd.isna(reference) else str(reference) for reference in column]


def _require_two_levels(panels: Sequence[Panel]) -> None:
    for panel in panels:
        if len(panel.thresholds) != 1:
            raise ParameterError(
                f"{panel.method}: this figure is for two levels, not {len(panel.thresholds) + 1}: "
                "use figure_6"
            )


def _columns(panels: Sequence[Panel | TauTopicsPanel]) -> list[str]:
    """Topics of any panel, in order, then `ALL_TOPICS`: every panel gets the same x axis."""
    return [*natsorted(set().union(*(panel.topics for panel in panels))), ALL_TOPICS]


def _places(columns: Sequence[str]) -> np.ndarray:
    """Where the topics stand on the x axis, and, a little apart, their mean."""
    places = np.arange(len(columns), dtype=float)
    places[-1] += GAP
    return places


def _offsets(count: int) -> np.ndarray:
    """Places of `count` things side by side at one position."""
    return (np.arange(count) - (count - 1) / 2) * 0.8 / max(count, 2)


def _finish(
    grid: style.Grid,
    index: int,
    columns: Sequence[str],
    panel: Panel | TauTopicsPanel,
    y_label: str,
) -> None:
    """Name the topics and the y axis, set the mean apart, head the panel."""
    axes, places = grid.axes[index], _places(columns)
    labels = [MEAN if column == ALL_TOPICS else column for column in columns]
    style.label_positions(axes, labels, places, grid.pitch, shown=grid.is_bottom(index))
    axes.set_xlim(-0.6, places[-1] + 0.6)
    if len(columns) > 1:
        axes.axvline(places[-1] - (1 + GAP) / 2, color=style.GREY, lw=0.6)
    if grid.is_bottom(index):
        axes.set_xlabel("topic")
    style.label_y(grid, index, y_label)
    style.panel_title(grid, index, panel.title, panel.count)


# --- the items: what each function takes is what its item shows ----------------------------------


def _of_panels(draw: Callable[[Sequence[Panel], str], Figure]) -> Callable[..., Figure]:
    """Make a function of panels one of the tables that such an item shows."""

    @wraps(draw)
    def figure(
        best_cuts: pd.DataFrame,
        top_cuts: pd.DataFrame,
        tied_cuts: pd.DataFrame,
        alpha: Mapping[str, pd.DataFrame],
        *,
        source: str = "",
        notes: str = "",
    ) -> Figure:
        panels = [
            Panel(*_search(panel), table, best_cuts, top_cuts, source, tied_cuts)
            for panel, table in alpha.items()
        ]
        return draw(panels, notes)

    return figure


def _search(panel: str) -> tuple[str, str | None]:
    """Method and reference of a panel, ``h2@TR2_a`` or ``tw1``."""
    method, _, reference = panel.partition("@")
    return method, reference or None


figure_1 = figure_2 = figure_experts = _of_panels(alpha_of_few_cuts)
figure_3 = figure_4 = _of_panels(alpha_of_every_cut)
figure_5 = _of_panels(alpha_over_cuts)
figure_6 = figure_7 = figure_8 = figure_9 = _of_panels(ranges_of_top_cuts)


def figure_10(
    group_counts: pd.DataFrame,
    *,
    panels: Sequence[str],
    topics: Sequence[str],
    source: str,
    levels: int,
    notes: str = "",
) -> Figure:
    """Thresholds of the best, median and worst cuts of topics; see `thresholds_of_groups`.

    Parameters
    ----------
    group_counts
        Table ``cuts/group_counts`` of a transformation.
    panels
        Methods, those with a reference as in ``h2@TR2_a``.
    topics
        Topics, a row of the figure each for every method.
    source, levels
        The transformation.
    notes
        A line for the figure's foot.

    Raises
    ------
    ParameterError
        If a method has no cuts for a topic.
    """
    shown = {}
    for panel in panels:
        rows = _rows(group_counts, *_search(panel))
        for topic in topics:
            shown[panel, topic] = rows[rows["topic"] == topic]
            if shown[panel, topic].empty:
                known = ", ".join(natsorted(set(rows["topic"])))
                raise ParameterError(f"{panel} has no cuts for topic {topic}: name some of {known}")
    return thresholds_of_groups(shown, source, levels, notes)


def figure_groups(groups: pd.DataFrame, *, source: str, levels: int, notes: str = "") -> Figure:
    """Thresholds of groups of cuts by every method; see `thresholds_by_method`."""
    return thresholds_by_method(groups, source, levels, notes)


def figure_tau(
    rankings: Mapping[str, pd.DataFrame],
    tau: Mapping[tuple[str, str], pd.DataFrame],
    *,
    transformations: Mapping[str, Mapping],
    notes: str = "",
) -> Figure:
    """τ_b of every cut, and of the best ones; see `tau_of_every_cut`.

    Parameters
    ----------
    rankings
        Table ``rankings`` of each transformation.
    tau
        τ_b of every cut by transformation and expert.
    transformations
        ``source`` and ``measure`` of each transformation.
    notes
        A line for the figure's foot.
    """
    panels = [
        TauPanel(
            expert,
            str(parse(transformations[name]["measure"])),
            table,
            rankings[name],
            transformations[name]["source"],
        )
        for (name, expert), table in tau.items()
    ]
    return tau_of_every_cut(panels, notes)


def figure_tau_topics(
    tau_topics: pd.DataFrame,
    *,
    panels: Sequence[str],
    expert: str,
    source: str = "",
    levels: int | None = None,
    notes: str = "",
) -> Figure:
    """τ_b of each topic under every cut and under chosen ones; see `tau_of_topics`.

    Parameters
    ----------
    tau_topics
        Table ``cuts/tau_topics`` of a transformation.
    panels
        Methods, those with a reference as in ``h2@TR2_a``.
    expert
        Whose ranking the others are compared with.
    source, levels
        The transformation.
    notes
        A line for the figure's foot.
    """
    chosen = [
        TauTopicsPanel(*_search(panel), expert, tau_topics, source, levels) for panel in panels
    ]
    return tau_of_topics(chosen, notes)


figure_criteria = criteria.figure_criteria
figure_pareto = criteria.figure_pareto
figure_levels = criteria.figure_levels
