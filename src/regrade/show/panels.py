"""Figures of panels: where each stands, its head, and the labels that panels share.

A figure function goes through the panels of a grid and draws what is particular to it; the panel
does the rest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from regrade.errors import ParameterError
from regrade.show import style


@dataclass(frozen=True, eq=False, repr=False)  # a panel and its grid name each other
class Panel:
    """One of a grid's panels.

    Attributes
    ----------
    grid
        Whose it is.
    index
        Its place, row by row.
    axes
        Where to draw.
    """

    grid: Grid
    index: int
    axes: Axes

    @property
    def is_left(self) -> bool:
        """Whether it is the first of its row, so has the labels of a shared y axis."""
        return self.index % self.grid.columns == 0

    @property
    def is_bottom(self) -> bool:
        """Whether no panel is below it, so it has the labels of a shared x axis."""
        return self.index + self.grid.columns >= len(self.grid.panels)

    def head(self, title: str, count: str = "") -> None:
        """Head it with its letter, what it shows, and what was counted: beside it if wide."""
        title = style.panel_letter(self.index, len(self.grid.panels)) + title
        if self.grid.columns == 1 and self.grid.figure.get_figwidth() > style.SINGLE_COLUMN:
            self.axes.set_title(title)
            self.axes.set_title(count, loc="right", size=style.FONT_SIZE, color=style.GREY)
        else:
            style.stacked_title(self.axes, title, count)

    def label(self, x: str = "", y: str = "", *, outer: str | None = None, bare: str = "y") -> None:
        """Label its axes."""
        outer = self.grid.share if outer is None else outer
        if x and ("x" not in outer or self.is_bottom):
            self.axes.set_xlabel(x)
        elif x and "x" in bare:
            self.axes.tick_params(labelbottom=False)
        if y and ("y" not in outer or self.is_left):
            self.axes.set_ylabel(y)
        elif y and "y" in bare:
            self.axes.tick_params(labelleft=False)

    def finish(
        self,
        title: str = "",
        count: str = "",
        x: str = "",
        y: str = "",
        *,
        grid: str = "y",
        outer: str | None = None,
        bare: str = "y",
    ) -> None:
        """Draw its grid lines, label its axes and head it."""
        if grid:
            self.axes.grid(visible=True, axis="both" if grid == "xy" else grid)
        self.label(x, y, outer=outer, bare=bare)
        self.head(title, count)

    def name_positions(self, names: Sequence[str], spread: float = 1.0) -> None:
        """Name the positions 0, 1, … of a shared x axis, `spread` of the grid's apart."""
        pitch = spread * self.grid.pitch
        style.label_positions(self.axes, names, range(len(names)), pitch, self.is_bottom)


@dataclass(frozen=True, eq=False, repr=False)  # a panel and its grid name each other
class Grid:
    """A figure of equal panels; it gives each with what it is of.

    Attributes
    ----------
    figure
        The figure.
    panels
        Row by row.
    contents
        What each panel is of.
    columns
        Panels side by side.
    pitch
        Points between two neighbouring positions of the x axis.
    share
        The axes that are the same in all panels, of ``xy``.
    """

    figure: Figure
    panels: list[Panel]
    contents: Sequence
    columns: int
    pitch: float
    share: str

    def __iter__(self) -> Iterator[tuple[Panel, object]]:
        """Each panel, and what it is of."""
        return iter(zip(self.panels, self.contents, strict=True))

    @property
    def axes(self) -> list[Axes]:
        """Of all panels."""
        return [panel.axes for panel in self.panels]

    def with_legend(
        self, handles: Sequence[Artist], title: str = "", columns: int | None = None
    ) -> Figure:
        """The figure, with one legend of all panels on top, as `regrade.show.style.legend`."""
        return style.legend(self.figure, handles, title, columns)

    @property
    def marker_size(self) -> float:
        """A marker's width in points of which three fit side by side at one position."""
        return max(1.6, min(4.2, 0.26 * self.pitch))


def panel_grid(
    contents: Sequence,
    positions: int = 1,
    *,
    pitch: float,
    height: float,
    side: float = 0.0,
    columns: int = 3,
    share: str = "xy",
) -> Grid:
    """Make a figure with room for its panels: side by side if that leaves every position
    legible.
    """
    panels = len(contents)
    if panels < 1:
        raise ParameterError("a figure needs at least one panel: none of its tables are there")

    def room(width: float, columns: int) -> float:
        left, between = 0.5, 0.12
        inches = (width - left - side - between * columns) / columns
        return inches * style.POINTS / positions

    fitting = [
        n
        for n in range(1, min(columns, panels) + 1)
        if room(style.DOUBLE_COLUMN, n) >= pitch and (panels > 3 or panels % n == 0)
    ]
    columns = max(fitting, default=1)
    narrow = columns == 1 and room(style.SINGLE_COLUMN, 1) >= pitch
    width = style.SINGLE_COLUMN if narrow else style.DOUBLE_COLUMN
    rows = math.ceil(panels / columns)

    figure = style.new_figure(width, rows * height + 0.55)
    cells = figure.add_gridspec(rows, columns)
    grid = Grid(figure, [], contents, columns, room(width, columns), share)
    for index in range(panels):
        first = grid.panels[0].axes if grid.panels else None
        shared = {f"share{axis}": first for axis in share}
        axes = figure.add_subplot(cells[divmod(index, columns)], **shared)
        grid.panels.append(Panel(grid, index, axes))
    return grid


def two_by_two(panels: int) -> int:
    """How many panels a row should have at most: three, but four stand two by two."""
    return 2 if panels == 4 else 3


def rows_by(
    table: pd.DataFrame, keys: Sequence[str], source: str = ""
) -> list[tuple[tuple, pd.DataFrame]]:
    """The rows of each panel, by what identifies it, in the order of the table."""
    groups = require(table, source).groupby(list(keys), sort=False, observed=True, dropna=False)
    return list(groups)


def require(table: pd.DataFrame, source: str = "") -> pd.DataFrame:
    """The table, which gives something to draw."""
    if table.empty:
        name = f" {source}" if source else ""
        raise ParameterError(
            f"the table{name} has no rows: there is nothing to draw, so leave the figure out"
        )
    return table
