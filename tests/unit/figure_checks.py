"""What tests ask of a figure: it is laid out once, however many ask."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.text import Text

from regrade.show import style


def laid_out(figure: Figure) -> Figure:
    """The figure with everything at its place, as it is saved."""
    if figure.stale:
        if figure.axes and (engine := figure.get_layout_engine()):
            engine.execute(figure)
        figure.stale = False
    return figure


def texts(figure):
    """Every text that a figure shows."""
    found = [text for text in laid_out(figure).findobj(Text) if text.get_visible()]
    return [text for text in found if text.get_text()]


def words(figure):
    return [text.get_text() for text in texts(figure)]


def on_page(figure):
    """Whether everything that is drawn lies on the page, to a point."""
    box, page = laid_out(figure).get_tightbbox(), figure.get_size_inches()
    figure.stale = False  # asking for the box has moved nothing
    slack = 1 / style.POINTS
    return box.x0 > -slack and box.y0 > -slack and (box.max < page + slack).all()


def assert_fits(figure, notes):
    """A figure with notes below is as wide as a column or a page, and lies on it."""
    style.add_notes(figure, notes)
    assert isinstance(figure, Figure)
    assert figure.get_figwidth() in (style.SINGLE_COLUMN, style.DOUBLE_COLUMN)
    assert on_page(figure)


def assert_legible_and_small(figure, folder):
    """No text is below 7 points (but subscripts and powers within one), nor a file above 1 MB."""
    assert all(text.get_fontsize() >= 7 for text in texts(figure))
    style.save(figure, folder / "figure.svg")
    assert (folder / "figure.svg").stat().st_size < 1_000_000


def all_in_view(figure):
    """Whether every point of every line lies within its axes."""
    laid_out(figure)
    ends = [(axes, axes.get_xlim(), axes.get_ylim()) for axes in figure.axes]
    return all(
        low <= value <= high
        for axes, *both in ends
        for line in axes.lines
        for data, (low, high) in zip(line.get_data(), both, strict=True)
        for value in np.asarray(data, dtype=float)
        if not np.isnan(value)
    )


def box_edges(axes):
    """Lower and upper quartile of each box, in the order they were drawn."""
    boxes = [patch for patch in axes.patches if isinstance(patch, PathPatch)]
    y = [box.get_path().vertices[:, 1] for box in boxes]
    return np.array([[values.min(), values.max()] for values in y])


def assert_same_files(folder, draw, notes, endings=("svg", "png")):
    """Drawn and saved twice, files have the same bytes; nothing else is left beside them."""
    for run in ("first", "second"):
        paths = [folder / run / f"figure.{ending}" for ending in endings]
        style.save(draw(), *paths, notes=notes)
    for ending in endings:
        first, second = (folder / run / f"figure.{ending}" for run in ("first", "second"))
        assert first.read_bytes() == second.read_bytes()
    assert {path.name for path in (folder / "first").iterdir()} == {
        f"figure.{ending}" for ending in endings
    }


def assert_bar_as_high_as_panel(figure):
    """The colour bar of a figure's first panel is as high as that."""
    figure.draw_without_rendering()  # which keeps the panel's sides equal
    panel, bar = (one.get_window_extent() for one in (figure.axes[0], figure.axes[0].child_axes[0]))
    assert (bar.y0, bar.y1) == pytest.approx((panel.y0, panel.y1), abs=0.5)
