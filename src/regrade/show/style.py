"""The look that all figures share, and the one way to save a figure.

Figures are built on `matplotlib.figure.Figure`; pyplot, with its global state, is never
imported.  Sizes are those of a two-column page, fonts no smaller than 7 pt.
"""

from __future__ import annotations

import html
import json
import math
import os
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import ParamSpec, TypeVar

import regrade.show.needed  # noqa: F401

# isort: split
import matplotlib.style
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import Normalize as Normalize
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator, PercentFormatter
from matplotlib.ticker import LogLocator as LogLocator
from matplotlib.transforms import Bbox

from regrade.errors import ParameterError
from regrade.show.item_tables import is_of_items
from regrade.tables import atomic_path
from regrade.wording import FEWEST_DRAWN as FEWEST_DRAWN
from regrade.wording import WORDS_ALONE, about_items, counted, number

SINGLE_COLUMN, DOUBLE_COLUMN = 3.4, 7.0
"""Figure widths, in inches."""

FONT_SIZE, TITLE_SIZE = 7.0, 8.0
"""In points."""

POINTS = 72.0
"""Points per inch."""

BLACK, GREY, LIGHT_GREY = "#000000", "#6e6e6e", "#d9d9d9"

# Okabe and Ito's palette, ordered so that the first three also differ in print without colour
CUT_COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000")
CUT_MARKERS = ("<", "o", ">", "s", "^", "D", "v")
"""A colour and a marker for each of a few cuts or thresholds, in order."""

MARKERS = ("o", "s", "D", "^", "v", "P", "X")
"""For lines and points: none that looks like the head of an arrow along an axis."""

ALPHA_COLORMAP = "viridis"
"""Perceptually uniform, rising in lightness, so it also reads in grey."""

RC = {
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "axes.labelsize": FONT_SIZE,
    "axes.linewidth": 0.6,
    "axes.titlelocation": "left",
    "axes.titlepad": 3.5,
    "axes.titlesize": TITLE_SIZE,
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same on every machine
    "font.size": FONT_SIZE,
    "grid.color": LIGHT_GREY,
    "grid.linewidth": 0.5,
    "hatch.linewidth": 0.4,
    "image.cmap": ALPHA_COLORMAP,
    "legend.fontsize": FONT_SIZE,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "mathtext.fontset": "dejavusans",
    "savefig.dpi": 300,
    "svg.hashsalt": "regrade",  # element ids that do not change from run to run
    "xtick.labelsize": FONT_SIZE,
    "xtick.major.size": 2.5,
    "xtick.major.width": 0.6,
    "ytick.labelsize": FONT_SIZE,
    "ytick.major.size": 2.5,
    "ytick.major.width": 0.6,
}

METHOD_LABELS = {
    "h1_ta": r"$H^{1}_{t+a}$",
    "h1_at": r"$H^{1}_{a+t}$",
    "tw1": r"$Tw^{1}_{\alpha}$",
    "h2": r"$H^{2}$",
    "d2_at": r"$D^{2}_{a+t}$",
    "d2_ta": r"$D^{2}_{t+a}$",
    "tau": r"best by $\tau_b$",
}
"""Methods as han2019 (Table 2) writes them."""

ALPHA_LABEL = "Krippendorff's α"
TAU = r"$\tau_b$"
TAU_LABEL = f"Kendall's {TAU}"

P = ParamSpec("P")
R = TypeVar("R")


def themed(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function run with the project's settings, whatever the user's matplotlibrc says.

    A figure of tables of scores by item speaks of items.
    """

    @wraps(function)
    def inner(*args: P.args, **kwargs: P.kwargs) -> R:
        with matplotlib.style.context(["default", RC]):
            made = function(*args, **kwargs)
            if isinstance(made, Figure) and is_of_items((*args, *kwargs.values())):
                _name_items(made)
            return made

    return inner


def _name_items(figure: Figure) -> None:
    """Speak of items in place of topics: in titles, labels, legends, and names of points."""
    for artist in figure.findobj():
        if isinstance(artist, Text) and artist.get_text():
            artist.set_text(about_items(artist.get_text()))
        if (artist.get_url() or "").startswith(_NAMED):
            names = json.loads(artist.get_url().removeprefix(_NAMED))
            artist.set_url(_NAMED + json.dumps([about_items(one) for one in names]))


@themed
def save(figure: Figure, *paths: str | os.PathLike, notes: str = "") -> None:
    """Save a figure, atomically, with the same bytes for the same figure."""
    add_notes(figure, notes)
    _freeze_layout(figure)
    _whole_markers(figure)
    metadata = {
        ".svg": {"Creator": None, "Date": None},
        ".png": {"Software": None},
        ".pdf": {"Creator": None, "CreationDate": None, "Producer": None},
    }
    for path in paths:
        with atomic_path(path) as temporary:
            if temporary.suffix not in metadata:
                raise ParameterError(f"{path}: figures are saved as .svg, .pdf or .png")
            figure.savefig(temporary, metadata=metadata[temporary.suffix])
            if temporary.suffix == ".svg":
                text = temporary.read_text(encoding="utf-8")
                text = _LINKED.sub(_with_titles, _COORDINATES.sub(_shortened, text))
                temporary.write_text(text, encoding="utf-8")


def _whole_markers(figure: Figure) -> None:
    """Draw markers whole where all of a line's points lie within the axes, also at the frame."""
    for axes in figure.axes:
        for line in axes.lines:
            if line.get_marker() in ("", " ", "None", None):
                continue
            points = line.get_transform().transform(line.get_xydata())
            points = axes.transAxes.inverted().transform(points[np.isfinite(points).all(axis=1)])
            edge = np.abs(points - 0.5).max(initial=0.0)
            if 0.5 - _AT_THE_FRAME < edge <= 0.5 + 1e-9:
                line.set_clip_on(False)
                line.set_zorder(max(line.get_zorder(), _ABOVE_FRAMES))


_AT_THE_FRAME = 0.03
"""How near to the frame a marker would be cut, as a share of the axes."""

_ABOVE_FRAMES = 2.6
"""Frames are drawn at 2.5."""


def name(artist: Artist, text: str) -> None:
    """Name what an artist draws, a line or a bar: an SVG shows it where the pointer rests."""
    artist.set_url(_NAMED + json.dumps([text]))


def dots(
    axes: Axes, x: Sequence[float], y: Sequence[float], names: Sequence[object], **look: object
) -> None:
    """Draw points that an SVG names where the pointer rests: systems, judges, topics."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    there = np.isfinite(x) & np.isfinite(y)
    look = {"marker": "o", "ls": "", "ms": 3.0, "mew": 0} | look
    (drawn,) = axes.plot(x[there], y[there], **look)
    known = [str(one) for one, is_there in zip(names, there, strict=True) if is_there]
    drawn.set_url(_NAMED + json.dumps(known))


_NAMED = "names:"
"""What begins the address by which matplotlib carries names into an SVG."""

_LINKED = re.compile(rf"""<a xlink:href=(["']){_NAMED}(.*?)\1[^>]*>(.*?)</a>""", re.DOTALL)
_POINT = re.compile(r"<use [^>]*/>")


def _with_titles(linked: re.Match) -> str:
    """Names as titles, which are no links."""
    names = json.loads(html.unescape(linked[2]))
    titles = [f"<title>{html.escape(one, quote=False)}</title>" for one in names]
    points = _POINT.findall(linked[3])
    if len(names) == 1:
        return f"<g>{titles[0]}{linked[3]}</g>"
    if len(points) != len(names):  # some lie beyond the figure: none gets another's name
        return f"<g>{linked[3]}</g>"
    left = iter(titles)
    return _POINT.sub(lambda point: f"<g>{next(left)}{point[0]}</g>", linked[3])


_COORDINATES = re.compile(r' (?:d|x|y)="[^"]*"')


def _shortened(coordinates: re.Match) -> str:
    """To a hundredth of a point: nobody sees more, and files are half as large."""
    return re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", coordinates[0])


def _freeze_layout(figure: Figure) -> None:
    """Lay out once, to places that do not differ in their last bits from run to run.

    Otherwise each format is laid out anew at its own resolution, and by a solver whose order of
    additions varies.
    """
    if figure.axes and (engine := figure.get_layout_engine()):
        engine.execute(figure)
    figure.set_layout_engine()  # none at all: beside "none" each format is drawn twice
    for axes in figure.axes:
        place = axes.get_axes_locator()  # as drawing asks it: a colour bar's
        axes.apply_aspect(place(axes, None) if place else None)
        axes.set_position(Bbox(axes.get_position().get_points().round(6)))


def dataset_label(name: str) -> str:
    """A dataset's name, typeset: ``TR2_a`` gets the subscript a of the papers.

    The subscript says that unjudged documents count as non-relevant.
    """
    base = name.removesuffix("_a").replace("$", r"\$")
    return rf"{base}$_{{a}}$" if name.endswith("_a") else base


def method_label(
    method: str, reference: str | None = None, source: str = "", levels: int | None = None
) -> str:
    """A method as the papers write it, ``H² (S100 → 2, TR2)``; parts not given are left out."""
    if method not in METHOD_LABELS:
        raise ParameterError(f"no method '{method}'; there are {', '.join(METHOD_LABELS)}")
    inside = [transformation_label(source, levels), dataset_label(reference or "")]
    inside = ", ".join(part for part in inside if part)
    return METHOD_LABELS[method] + (f" ({inside})" if inside else "")


def transformation_label(source: str, levels: int | None) -> str:
    """``S100 → 4``; empty without a source."""
    return f"{dataset_label(source)} → {levels}" if source else ""


def cut_label(source: str) -> str:
    """The label of an axis of cuts, with its unit: a value of the source scale."""
    return f"cut ({dataset_label(source) or 'source'} value)"


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of a width and height in inches."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def new_axes(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure of one panel."""
    figure = new_figure(width, height)
    return figure, figure.add_subplot()


def set_signs(text: str) -> str:
    """Text in which τ_b is set as in formulas, as everywhere in figures."""
    return text.replace("τ_b", TAU)


@themed
def words(text: str) -> Figure:
    """A figure of nothing but words, where there is nothing to draw; the page leaves it out."""
    figure = new_figure(SINGLE_COLUMN, 0.5)
    figure.text(0.5, 0.6, text, ha="center", size=TITLE_SIZE, gid=WORDS_ALONE)
    return figure


def undrawn(count: int, noun: str) -> Figure:
    """What stands in the place of a figure of fewer than `FEWEST_DRAWN` points."""
    return words(f"Not drawn: {counted(count, noun)} only.")


def beside(axes: Axes) -> Axes:
    """Where a colour bar stands that is as high as the panel, also if that has equal sides."""
    return axes.inset_axes([1.03, 0, 0.04, 1])


def add_notes(figure: Figure, notes: str) -> None:
    """Add a line of notes at the foot of a figure, which becomes as much higher."""
    if not notes:
        return
    width, height = figure.get_size_inches()
    # DejaVu Sans sets about 0.55 em a character
    lines = textwrap.wrap(notes, int((width - 0.1) * POINTS / (0.55 * TITLE_SIZE)))
    foot = (len(lines) * 1.35 * TITLE_SIZE + 4) / POINTS
    figure.set_size_inches(width, height + foot)
    share = foot / (height + foot)
    figure.get_layout_engine().set(rect=(0, share, 1, 1 - share))
    look = {"size": TITLE_SIZE, "style": "italic", "va": "bottom", "linespacing": 1.2}
    look |= {"parse_math": False, "zorder": 2.9}  # in the file before other texts, as it is read
    figure.text(0.05 / width, share / len(lines) / 4, "\n".join(lines), **look)


def panel_letter(index: int, panels: int) -> str:
    """``(a)`` before the title of the first panel; empty for the only one."""
    return f"({chr(ord('a') + index)})  " if panels > 1 else ""


def stacked_title(axes: Axes, title: str, count: str) -> None:
    """Head axes with a title and, in a smaller line below it, what was counted."""
    above = RC["axes.titlepad"]
    if count:
        axes.set_title(count, size=FONT_SIZE, color=GREY)
        above += 1.4 * FONT_SIZE
    axes.annotate(title, (0, 1), (0, above), "axes fraction", "offset points", size=TITLE_SIZE)


def systems_text(drawn: int, count: int) -> str:
    """``63 systems``; where fewer are shown, ``20 of 63 systems``."""
    systems = counted(count, "system")
    return systems if drawn == count else f"{drawn} of {systems}"


def name_rows(axes: Axes, names: Sequence[str], formulas: bool = False, top: float = -0.6) -> None:
    """Name the rows at 0, 1, … from the top down, with lines across them."""
    axes.set_yticks(range(len(names)), names)
    for label in axes.get_yticklabels():
        label.set_parse_math(formulas)
    axes.set_ylim(len(names) - 1 - top, top)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=True, axis="x")


def name_columns(axes: Axes, names: Sequence[object], length: float | None = None) -> None:
    """Name the places 0, 1, … from the left, with room at both ends, and lines across."""
    if names:
        axes.set_xticks(range(len(names)), names)
    if length is not None:
        axes.tick_params(axis="x", length=length)
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.grid(visible=True, axis="y")


def label_positions(
    axes: Axes,
    labels: Sequence[str],
    places: Sequence[float],
    pitch: float,
    has_labels: bool = True,
) -> None:
    """Name the positions of an x axis: upright if they fit, else turned, else every nth of them."""
    # a digit is 0.64 em wide and 0.73 em high; turned labels want a little air
    turned = max(map(len, labels)) * 0.64 * FONT_SIZE > 0.9 * pitch
    step = max(1, math.ceil(0.85 * FONT_SIZE / pitch)) if turned else 1
    kept = [*range(0, len(labels) - step, step), len(labels) - 1]
    axes.set_xticks([places[i] for i in kept])
    axes.set_xticklabels([labels[i] for i in kept], rotation=90 if turned else 0, parse_math=False)
    axes.tick_params(axis="x", length=0 if len(labels) > 1 else 2.5, labelbottom=has_labels)


def legend(
    figure: Figure, handles: Sequence[Artist], title: str = "", columns: int | None = None
) -> Figure:
    """The figure with one legend of all panels, on top, in rows that fit its width; of nothing
    none.
    """
    if not handles:
        return figure
    if not columns:
        # a handle and the space around it take about 4 em, a character 0.6 em
        longest = max(len(handle.get_label()) for handle in handles)
        fitting = figure.get_figwidth() * POINTS / (FONT_SIZE * (4 + 0.6 * longest))
        rows = math.ceil(len(handles) / max(1, int(fitting)))
        columns = math.ceil(len(handles) / rows)
    spaces = {"columnspacing": 1.2, "handletextpad": 0.4, "borderaxespad": 0.6, "borderpad": 0}
    heading = {"title": title or None, "title_fontsize": FONT_SIZE}
    where = {"loc": "outside upper center", "ncols": columns}
    figure.legend(handles=handles, **where, **heading, **spaces)
    return figure


def mark(label: str, **look: object) -> Line2D:
    """What a legend shows of points or lines, by a `matplotlib.lines.Line2D`'s look."""
    return Line2D([], [], label=label, **look)


def marks(looks: Mapping[str, Mapping], **look: object) -> list[Line2D]:
    """What a legend shows of each name's points or lines."""
    return [mark(name, **{**own, **look}) for name, own in looks.items()]


def patches(colors: Mapping[str, str]) -> list[Patch]:
    """What a legend shows of areas of a colour, by their names."""
    return [Patch(color=color, label=name) for name, color in colors.items()]


def tick_texts(axis: Axis, spec: str = "g", minor: bool = True) -> None:
    """Write an axis's numbers so, without minor ticks unless they are wanted."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: format(value, spec)))
    if not minor:
        axis.set_minor_locator(NullLocator())


def percents(axis: Axis) -> None:
    """Write an axis's shares in whole %."""
    axis.set_major_formatter(PercentFormatter(1.0, decimals=0))


def whole_numbers(axis: Axis, most: int = 5, fewest: int = 2) -> None:
    """At most so many ticks, all of them whole."""
    axis.set_major_locator(MaxNLocator(most, integer=True, min_n_ticks=fewest))


def swatch(label: str, color: str) -> Patch:
    """What a legend shows of boxes and bands of a colour's tint."""
    return Patch(fc=tint(color), ec=color, label=label)


def tau_text(tau: float, digits: int = 3) -> str:
    """``τ_b 0.123``, or that it is undefined."""
    return rf"$\tau_b$ {number(tau, digits) if np.isfinite(tau) else 'undefined'}"


def tint(color: str) -> tuple[float, float, float]:
    """The colour, two thirds of the way to white."""
    red, green, blue = to_rgb(color)
    return tuple(1 - (1 - part) / 3 for part in (red, green, blue))


def looks(names: Sequence[str]) -> dict[str, dict[str, str]]:
    """A colour, a marker and a line style for each name, in order, as `Line2D` takes them."""
    styles = ("-", "--", ":", "-.")
    count = len(CUT_COLORS)
    return {
        name: {
            "color": CUT_COLORS[i % count],
            "marker": MARKERS[i % count],
            "ls": styles[i // count % len(styles)],
        }
        for i, name in enumerate(names)
    }
