"""Pictures that the page draws itself, as SVG in its own colours: light, dark and on paper."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from markupsafe import Markup

from regrade.answers.table import AnswerTable, interval
from regrade.wording import FEWEST_DRAWN, number

FIRST = 20
"""Systems of the forest plot on the first screen."""

ROW, HEAD, FOOT = 19, 8, 34
"""Pixels of a row of the forest plot, above the first one and below the last."""

LONGEST = 18
"""Characters of a name in the forest plot."""

MOST_GRADES = 12
"""A matrix of more grades is not readable."""

NAMED = 5
"""Systems in a scatter plot that have their names beside them."""


@dataclass(frozen=True)
class Picture:
    """A picture of the page: its anchor, SVG, caption and data."""

    name: str
    svg: Markup
    caption: str
    data: str = ""


def csv_of(header: Sequence[str], rows: Sequence[Sequence]) -> str:
    """Rows as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


def rows_csv(table: AnswerTable) -> str:
    """An answer's table as CSV: numbers as they are; of an estimate the value and both ends."""
    header, rows = [], [[] for _ in table.rows]
    for at, column in enumerate(table.columns):
        is_estimate = column.kind == "estimate"
        ends = [f"{column.name} {column.interval} {end}" for end in ("low", "high")]
        header += [column.name, *ends] if is_estimate else [column.name]
        for row, cells in zip(rows, table.rows, strict=True):
            row += cells[at] if is_estimate else [cells[at]]
    return csv_of(header, rows)


def place_of(table: AnswerTable, kind: str) -> int | None:
    """Where the first column of a kind is; ``None`` where there is none."""
    return next((at for at, one in enumerate(table.columns) if one.kind == kind), None)


def ends_of(table: AnswerTable, at: int) -> tuple[float, float]:
    """What an axis of a column's estimates must hold."""
    values = [one for row in table.rows for one in row[at] if one is not None]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def ticks(low: float, high: float, count: int = 5) -> list[tuple[float, str]]:
    """Round numbers between two, about so many, with their texts."""
    rough = (high - low) / count
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(one * power for one in (1, 2, 5, 10) if one * power >= rough * (1 - 1e-9))
    digits = max(0, -int(np.floor(np.log10(step))))
    places = range(int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9)) + 1)
    return [(i * step, number(i * step, digits)) for i in places]


def tag(name: str, *inner: str, **attributes: object) -> Markup:
    """An element of SVG; of names of attributes ``_`` is ``-``, one at the end is left out."""
    of = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
    start = Markup().join(Markup(' {}="{}"').format(key, value) for key, value in of.items())
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(name), start, Markup().join(inner))


def upright(text: str, x: float, y: float) -> Markup:
    """The name of a vertical axis."""
    return tag("text", text, class_="tick", x=x, y=y, transform=f"rotate(-90 {x} {y})")


def drawn(parts: Sequence[Markup], label: str, width: float, height: float) -> Markup:
    """A picture of its own size, smaller where there is no room."""
    box = f"0 0 {width:g} {height:g}"
    return tag("svg", *parts, class_="own", role="img", aria_label=label, viewBox=box, width=width)


def forest(table: AnswerTable | None, first: int = FIRST) -> Markup:
    """A row for each of the first rows: its name, its estimate with the interval, its mark.

    Nothing where there are fewer than three estimates. Widths are shares, so that texts keep their
    size on a narrow screen.
    """
    at = place_of(table, "estimate") if table else None
    name, mark = (place_of(table, "text"), place_of(table, "mark")) if table else (None, None)
    if at is None or name is None or len(table.rows) < FEWEST_DRAWN:
        return Markup()
    of, rows = table.columns[at], table.rows[:first]
    low, high = ends_of(replace(table, rows=rows), at)
    bottom = HEAD + ROW * len(rows)
    names = [str(row[name]) for row in rows]
    left = min(37, 4 + 2 * max(map(len, names)))
    right = 83

    def x(value: float) -> str:
        return f"{left + (right - left) * (value - low) / (high - low):.2f}%"

    parts = []
    for tick, text in ticks(low, high):
        parts.append(tag("line", class_="grid", x1=x(tick), x2=x(tick), y1=HEAD, y2=bottom))
        parts.append(tag("text", text, class_="tick", x=x(tick), y=bottom + 13))
    for i, row in enumerate(rows):
        y = HEAD + ROW * (i + 0.5)
        value, start, stop = row[at]
        text, between = number(value, of.digits), interval(start, stop, of.digits)
        short = names[i] if len(names[i]) <= LONGEST else f"{names[i][: LONGEST - 1]}…"
        marks = [
            tag("title", f"{names[i]}: {text} ({of.interval} {between})"),
            tag("rect", class_="hit", x=0, width="100%", y=y - ROW / 2, height=ROW),
            tag("text", short, class_="name", x=f"{left - 2}%", y=y),
            tag("text", text, class_="value", x="98%", y=y),
        ]
        if between:
            marks.append(tag("line", class_="ci", x1=x(start), x2=x(stop), y1=y, y2=y))
        if value is not None:
            marks.append(tag("circle", cx=x(value), cy=y, r=4))
        is_marked = mark is not None and row[mark]
        parts.append(tag("g", *marks, class_="best" if is_marked or mark is None else "rest"))
    axis = f"{of.name} ({of.interval})"
    parts.append(tag("text", axis, class_="tick", x=f"{(left + right) / 2}%", y=bottom + FOOT - 6))
    label = f"{axis}, the first {len(rows)} of {len(table.rows)}"
    size = {"width": "100%", "height": bottom + FOOT}
    return tag("svg", *parts, class_="own forest", role="img", aria_label=label, **size)


def scatter(
    names: Sequence[str], first: Sequence[float], second: Sequence[float], axes: tuple[str, str]
) -> Markup:
    """A point for each system: its scores under two sets of labels, with the line of equal ones.

    Nothing of fewer than three; those whose ranks differ most are named, where there is room.
    """
    x, y = np.asarray(first, float), np.asarray(second, float)
    if len(x) < FEWEST_DRAWN:
        return Markup()
    low, high = min(x.min(), y.min()), max(x.max(), y.max())
    room = 0.05 * (high - low) or 0.5
    low, high = low - room, high + room
    size, left, top = 340, 56, 8
    bottom, right = top + size, left + size

    def px(value: float) -> float:
        return round(left + size * float(value - low) / (high - low), 1)

    def py(value: float) -> float:
        return round(bottom - size * float(value - low) / (high - low), 1)

    parts = []
    for tick, text in ticks(low, high):
        parts += [
            tag("line", class_="grid", x1=px(tick), x2=px(tick), y1=top, y2=bottom),
            tag("line", class_="grid", x1=left, x2=right, y1=py(tick), y2=py(tick)),
            tag("text", text, class_="tick", x=px(tick), y=bottom + 14),
            tag("text", text, class_="value", x=left - 6, y=py(tick)),
        ]
    line = f"M{px(low)} {py(low)}L{px(high)} {py(high)}"
    parts.append(tag("path", class_="identity", d=line))
    ranks = [np.argsort(np.argsort(-scores, kind="stable"), kind="stable") for scores in (x, y)]
    moves = np.abs(ranks[0] - ranks[1])
    named: list[int] = []  # not where a name would meet another
    for i in np.argsort(-moves, kind="stable"):
        if moves[i] and len(named) < NAMED and all(abs(py(y[i]) - py(y[k])) > 13 for k in named):
            named.append(i)
    for i, name in enumerate(names):
        marks = [
            tag("title", f"{name}: {number(x[i])} ({axes[0]}), {number(y[i])} ({axes[1]})"),
            tag("circle", cx=px(x[i]), cy=py(y[i]), r=4),
        ]
        if i in named:
            is_right = px(x[i]) > left + size / 2
            place = {"x": px(x[i]) + (-8 if is_right else 8), "y": py(y[i])}
            marks.append(tag("text", name, class_="name" if is_right else "start", **place))
        parts.append(tag("g", *marks, class_="beside" if i in named else "of"))
    parts.append(tag("text", axes[0], class_="tick", x=left + size / 2, y=bottom + 32))
    parts.append(upright(axes[1], 12, top + size / 2))
    return drawn(parts, f"systems by {axes[0]} and {axes[1]}", right + 12, bottom + 42)


def matrix(counts: Mapping[tuple, int], axes: tuple[str, str]) -> Markup:
    """Documents by their two grades, shaded by the share of the row; nothing of too many grades."""
    rows, columns = (sorted({key[side] for key in counts}) for side in (0, 1))
    fewest, most = sorted([len(rows), len(columns)])
    if fewest < 2 or most > MOST_GRADES:
        return Markup()
    width, height, left, top = max(44, 300 // len(columns)), max(26, 220 // len(rows)), 66, 40
    parts = []
    for i, row in enumerate(rows):
        total = sum(counts.get((row, column), 0) for column in columns)
        y = top + height * i
        parts.append(tag("text", f"{row:g}", class_="value", x=left - 8, y=y + height / 2))
        for j, column in enumerate(columns):
            count, x = counts.get((row, column), 0), left + width * j
            share = count / total if total else 0.0
            label = f"{axes[0]} {row:g}, {axes[1]} {column:g}: {count:,} documents, {share:.0%}"
            marks = [
                tag("title", label),
                tag("rect", x=x, y=y, width=width - 2, height=height - 2,
                    style=f"--share:{share:.3f}"),
                tag("text", f"{count:,}", class_="tick", x=x + width / 2 - 1, y=y + height / 2 - 1),
            ]  # fmt: skip
            parts.append(tag("g", *marks, class_="cell"))
    for j, column in enumerate(columns):
        parts.append(tag("text", f"{column:g}", class_="tick", x=left + width * (j + 0.5), y=30))
    right, bottom = left + width * len(columns), top + height * len(rows)
    parts.append(tag("text", axes[1], class_="tick", x=(left + right) / 2, y=12))
    parts.append(upright(axes[0], 12, (top + bottom) / 2))
    return drawn(
        parts, f"documents by the grades of {axes[0]} and {axes[1]}", right + 8, bottom + 8
    )


def biases(
    names: Sequence[str],
    rows: Sequence[tuple[float, float | None, float | None]],
    axes: tuple[str, str],
) -> Markup:
    """A point for each name, left to right, with its interval and the line of no bias.

    Nothing of fewer than three.
    """
    if len(rows) < FEWEST_DRAWN:
        return Markup()
    there = [end for row in rows for end in row if end is not None]
    low, high = min(0.0, *there), max(0.0, *there)
    room = 0.06 * (high - low) or 0.5
    low, high = low - room, high + room
    left, top, height = 62, 12, 260
    step = max(36, min(90, 340 / len(rows)))
    bottom, right = top + height, left + step * len(rows)

    def py(value: float) -> float:
        return round(bottom - height * float(value - low) / (high - low), 1)

    parts = []
    for tick, text in ticks(low, high):
        parts += [
            tag("line", class_="grid", x1=left, x2=right, y1=py(tick), y2=py(tick)),
            tag("text", text, class_="value", x=left - 6, y=py(tick)),
        ]
    parts.append(tag("path", class_="identity", d=f"M{left} {py(0)}H{right:g}"))
    for i, (name, (value, start, stop)) in enumerate(zip(names, rows, strict=True)):
        x, between = round(left + step * (i + 0.5), 1), interval(start, stop, 2)
        more = f" (95% CI {between})" if between else ""
        marks = [tag("title", f"{axes[0]} {name}: {number(value, 2)}{more}")]
        if between:
            marks.append(tag("line", class_="ci", x1=x, x2=x, y1=py(start), y2=py(stop)))
        marks.append(tag("circle", cx=x, cy=py(value), r=4))
        parts.append(tag("g", *marks, class_="of"))
        parts.append(tag("text", name, class_="tick", x=x, y=bottom + 14))
    parts.append(tag("text", axes[0], class_="tick", x=(left + right) / 2, y=bottom + 32))
    parts.append(upright(axes[1], 12, top + height / 2))
    return drawn(parts, f"{axes[1]} by {axes[0]}", max(right + 12, 300), bottom + 42)


def cells_of(table: AnswerTable) -> Markup:
    """An answer's table in HTML: an estimate has its interval as a bar and as text."""
    ends = {i: ends_of(table, i) for i, one in enumerate(table.columns) if one.kind == "estimate"}
    body = []
    for row, texts in zip(table.rows, table.cells(), strict=True):
        cells, written = [], iter(texts)
        for i, column in enumerate(table.columns):
            raw = row[i][0] if i in ends else row[i]
            is_written = raw is None or column.kind in ("text", "mark", "count")
            kept = {} if is_written else {"data_sort": f"{raw:.8g}"}
            kind = "number" if i in ends else column.kind
            cells.append(tag("td", next(written), class_=kind, **kept))
            if i in ends:
                bar, between = _bar(row[i], ends[i]), tag("span", next(written))
                cells.append(tag("td", bar, between, class_="ci"))
        body.append(tag("tr", *cells))
    heads = (
        tag("th", name, class_="number" if is_right else "text")
        for name, is_right in zip(table.header(), table.is_numeric(), strict=True)
    )
    return tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *body), class_="rows")


def _bar(cell: tuple, ends: tuple[float, float]) -> Markup:
    """An estimate and its interval as a bar between the ends of its column."""
    if None in cell:
        return Markup()
    value, low, high = ((one - ends[0]) / (ends[1] - ends[0]) * 100 for one in cell)
    return tag(
        "i", class_="bar", style=f"--from:{low:.1f}%;--to:{100 - high:.1f}%;--at:{value:.1f}%"
    )
