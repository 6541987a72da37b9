"""What tests ask of a figure: it is laid out once, however many ask."""

from collections.abc import Iterator

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
    style.save(figure, folder / "figure.svg")  # which lays it out
    assert all(text.get_fontsize() >= 7 for text in texts(figure))
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


def assert_same_files(folder, draw, notes):
    """Drawn and saved twice, files have the same bytes; nothing else is left beside them.

    Those of pixels are the same of one figure of han2019.
    """
    first, second = (folder / run / "figure.svg" for run in ("first", "second"))
    for path in (first, second):
        style.save(draw(), path, notes=notes)
    assert first.read_bytes() == second.read_bytes()
    assert [*first.parent.iterdir()] == [first]


def described(figure) -> Iterator[str]:
    """What a figure shows, as text: of each panel its words and ticks, and what is drawn in it."""
    laid_out(figure)
    panels = figure.axes
    for place, axes in enumerate(panels):
        if len(panels) <= 3 or place < 2 or axes is panels[-1]:
            yield from _panel(axes)
            for child in axes.child_axes:
                yield from _panel(child)
        elif place == 2:
            yield f"panels like these: {len(panels) - 3}"
    for legend in figure.legends:
        entries = [text.get_text() for text in (legend.get_title(), *legend.get_texts())]
        yield _one_line("legend:", *entries)
    if figure.texts:
        yield _one_line("words:", *(text.get_text() for text in figure.texts))


def _panel(axes) -> Iterator[str]:
    has_title = hasattr(axes, "get_title")  # a second axis has none
    heads = [axes.get_title(loc) for loc in ("left", "center", "right") if has_title]
    yield _one_line("panel:", *heads, axes.get_xlabel(), axes.get_ylabel())
    for side, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
        low, high = sorted(axis.get_view_interval())
        at = zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=False)
        ticks = [label.get_text() for place, label in at if low <= place <= high]
        yield _one_line(f"  {side}, {_number(low)} to {_number(high)}, {axis.get_scale()}:", *ticks)
    drawn = {}
    for line in axes.lines:
        look = f"line {line.get_linestyle()} {line.get_marker()} {line.get_color()}"
        drawn.setdefault(look, []).append(np.column_stack(line.get_data()))
    for patch in axes.patches:
        ends = patch.get_path().vertices
        drawn.setdefault(type(patch).__name__, []).append(
            patch.get_patch_transform().transform(ends)
        )
    for held in axes.collections:
        paths = [path.vertices for path in held.get_paths()] or [np.empty((0, 2))]
        values = (
            [] if held.get_array() is None else [np.ravel(np.ma.filled(held.get_array(), np.nan))]
        )
        shapes = [np.concatenate(paths), np.asarray(held.get_offsets(), float)]
        drawn.setdefault(type(held).__name__, []).extend(shapes)
        for one in values:
            drawn.setdefault("  its values", []).append(one[:, None])
    for image in axes.images:
        values = np.ma.filled(np.ma.asarray(image.get_array(), float), np.nan)
        drawn.setdefault("image", []).append(values.reshape(-1, 1))
    for look, parts in drawn.items():
        if spread := _spread(parts):
            yield f"  {len(parts)} {look}: {spread}"
    if axes.texts:
        yield _one_line("  texts:", *(text.get_text() for text in axes.texts))


def _spread(parts) -> str:
    """Of each coordinate how many numbers, from where to where, and their mean by their place."""
    said = []
    for values in np.ma.filled(np.ma.concatenate(parts).astype(float), np.nan).T:
        known = values[np.isfinite(values)]
        if len(known):
            weighted = np.average(known, weights=np.arange(1, len(known) + 1))
            ends = (known.min(), known.max(), weighted)
            said.append(f"{len(known)} from {' '.join(map(_number, ends))}")
    return "; ".join(said)


def _number(value) -> str:
    return f"{value:.3g}" if abs(value) > 1e-9 else "0"


def _one_line(*parts: str) -> str:
    """Of a long list of words the first and the last ones."""
    texts = [" ".join(part.split()) for part in parts if part.strip()]
    if len(texts) > 14:
        texts = [*texts[:9], f"… {len(texts) - 13} more", *texts[-4:]]
    head = "  " if parts[0].startswith("  ") else ""
    return f"{head}{texts[0]} {' | '.join(texts[1:])}".rstrip()


def table_lines(readable) -> Iterator[str]:
    """A table for reading, as text: its columns, and its first and last lines."""
    rows = [" | ".join(map(str, row)).rstrip(" |") for row in readable.itertuples(index=False)]
    yield " | ".join(map(str, readable.columns))
    if len(rows) > 8:
        rows = [*rows[:5], f"… {len(rows) - 7} more", *rows[-2:]]
    yield from rows


def assert_bar_as_high_as_panel(figure):
    """The colour bar of a figure's first panel is as high as that."""
    figure.draw_without_rendering()  # which keeps the panel's sides equal
    panel, bar = (one.get_window_extent() for one in (figure.axes[0], figure.axes[0].child_axes[0]))
    assert (bar.y0, bar.y1) == pytest.approx((panel.y0, panel.y1), abs=0.5)
