"""What figures of searches share: the tables of a search, and the axis of its topics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D
from natsort import natsorted

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS, SUMMARY_COLUMNS
from regrade.errors import ParameterError
from regrade.show import style
from regrade.show.forms import QUARTILES
from regrade.show.item_tables import Frame
from regrade.show.panels import Panel
from regrade.wording import counted

MEAN = "mean"
"""The column of tables with one row per cut that averages the topics, and its label."""

GAP = 0.6
"""Room between the topics and their mean, in positions."""


class SearchTables:
    """What the tables of a transformation say of one search, as a panel shows it.

    Parameters
    ----------
    method, reference
        What identifies the search; `reference` is ``None`` for methods of a single dataset.
    alpha
        One row per cut: ``c1`` …, one column of α per topic, ``mean``.  Figures 6–9 need no
        more of it than the thresholds.
    best_cuts
        Table ``cuts/best_cuts``; rows of other methods and references are passed over.
    top_cuts
        One row per method, reference, topic and threshold (``c1`` …): `low`,
        `q1`, `median`, `q3`, `high` of that threshold over all cuts whose α is among the
        `values` highest; rows of other methods and references are passed over.
    tied_cuts
        Table ``cuts/tied_cuts``; rows of other methods and references are passed over.
    source
        Name of the dataset that is transformed, for titles and axes.
    """

    def __init__(
        self,
        method: str,
        reference: str | None,
        alpha: Frame,
        best_cuts: Frame,
        top_cuts: Frame,
        tied_cuts: Frame,
        source: str = "",
    ) -> None:
        if CUT_COLUMNS[0] not in alpha.columns:
            raise ParameterError(f"{method}: the table of α has no column c1")
        self.method, self.reference, self.alpha, self.source = method, reference, alpha, source
        self.best_cuts, self.top_cuts, self.tied_cuts = best_cuts, top_cuts, tied_cuts
        self.best = rows_of(best_cuts, method, reference).set_index("topic")
        of_topics = self.best[self.best.index != ALL_TOPICS]
        columns = set(alpha.columns) - {*CUT_COLUMNS, *SUMMARY_COLUMNS}
        self.topics = columns | set(of_topics.index)
        if not self.topics:
            notes = self.best["note"].dropna() if "note" in self.best else []
            why = "".join(f": {note}" for note in notes)
            raise ParameterError(f"{method} has no topic to draw{why}. Leave the panel out")
        self.top, self._tied = (rows_of(of, method, reference) for of in (top_cuts, tied_cuts))
        # one threshold fewer than the target scale has levels; the source values that they can take
        self.thresholds = [name for name in CUT_COLUMNS if name in alpha.columns]
        self.scale = np.unique(alpha[self.thresholds].to_numpy(dtype=float))
        self.cuts = len(self.scale)
        self.title = style.method_label(method, reference, source, len(self.thresholds) + 1)
        # topics, and for unit-wise methods units, that the α come from
        self.count = counted(len(self.topics), "topic")
        if method.startswith("h") and len(of_topics):
            self.count += f", {int(of_topics['n'].sum()):,} units"

    def places(self, thresholds: np.ndarray) -> np.ndarray:
        """Where thresholds lie among all: 0 for the lowest, between places in proportion."""
        thresholds = np.asarray(thresholds, dtype=float)
        return np.interp(thresholds, self.scale, np.arange(len(self.scale), dtype=float))

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
        every, tied = (
            pd.MultiIndex.from_frame(rows[self.thresholds].astype(float))
            for rows in (self.alpha, self._tied[self._tied["topic"] == topic])
        )
        return every.isin(tied)


def rows_of(table: Frame, method: str, reference: str | None) -> Frame:
    """Rows of a method and reference, topics as strings."""
    same = [name == reference for name in references_of(table["reference"])]
    rows = table[np.array(same, dtype=bool) & (table["method"].astype(str) == method).to_numpy()]
    return rows.assign(topic=rows["topic"].astype(str))


def references_of(column: pd.Series) -> list[str | None]:
    """References of a table, nulls (however pandas holds them) as None."""
    return [None if pd.isna(reference) else str(reference) for reference in column]


def search_of(panel: str) -> tuple[str, str | None]:
    """Method and reference of a panel, ``h2@TR2_a`` or ``tw1``."""
    method, _, reference = panel.partition("@")
    return method, reference or None


def columns_of(contents: Sequence) -> list[str]:
    """Topics of any of a grid's contents, in order, then `ALL_TOPICS`: one axis for all panels."""
    return [*natsorted(set().union(*(content.topics for content in contents))), ALL_TOPICS]


def places_of(columns: Sequence[str]) -> np.ndarray:
    """Where the topics stand on the x axis, and, a little apart, their mean."""
    places = np.arange(len(columns), dtype=float)
    places[-1] += GAP
    return places


def offsets_of(count: int) -> np.ndarray:
    """Places of `count` things side by side at one position."""
    return (np.arange(count) - (count - 1) / 2) * 0.8 / max(count, 2)


def finish(
    panel: Panel, columns: Sequence[str], content: object, y_label: str, grid: bool = True
) -> None:
    """Name the topics and the y axis, set the mean apart, head the panel with its content's."""
    axes, places = panel.axes, places_of(columns)
    labels = [MEAN if column == ALL_TOPICS else column for column in columns]
    style.label_positions(axes, labels, places, panel.grid.pitch, has_labels=panel.is_bottom)
    axes.set_xlim(-0.6, places[-1] + 0.6)
    if len(columns) > 1:
        axes.axvline(places[-1] - (1 + GAP) / 2, color=style.GREY, lw=0.6)
    panel.finish(content.title, content.count, "topic", y_label, grid="y" * grid)


def draw_ranges(
    axes: Axes, x: np.ndarray, ranges: Frame, width: float, line: float, color: str
) -> None:
    """Draw the range as a line, the quartiles as a box, the median across it.

    `width` is that of a box, in positions; `line` that of the lines, in points.
    """
    low, q1, median, q3, high = ranges[QUARTILES.split()].to_numpy(dtype=float).T
    axes.vlines(x, low, high, color, lw=line)
    left, right = x - width / 2, x + width / 2
    corners = np.array([[left, q1], [right, q1], [right, q3], [left, q3]]).transpose(2, 0, 1)
    defined = np.isfinite(corners).all(axis=(1, 2))
    boxes = PolyCollection(corners[defined], fc=style.tint(color), ec=color, lw=line)
    axes.add_collection(boxes)
    axes.hlines(median, left, right, color, lw=1.4 * line)


def draw_dots(axes: Axes, x: np.ndarray, y: np.ndarray, size: float, edge: float) -> None:
    """Black dots with a white edge, whole at the frame too."""
    there = np.isfinite(y)
    if there.any():  # unclipped, an artist without a place would upset the layout
        look = {"color": style.BLACK, "ms": size, "mec": "white", "mew": edge}
        axes.plot(x[there], y[there], "o", **look, clip_on=False)


def dot_mark(size: float, label: str) -> Line2D:
    """What a legend shows of `draw_dots`."""
    return style.mark(label, ls="", marker="o", color=style.BLACK, mew=0, ms=size)
