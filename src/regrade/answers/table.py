"""The small table of an answer: what its columns are, and how it is written as text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING

from regrade.wording import number

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 10
"""Rows that are printed; the others are in the table that holds them all."""

KINDS = ("text", "number", "count", "share", "estimate", "p", "mark")
"""What a cell is.

``number``: with a column's digits; ``count``: a whole number; ``share``: of 1, in percent;
``estimate``: a value and the ends of its interval; ``p``: a p-value; ``mark``: true or false.
"""

MARK, NONE = "●", ""
BAR, POINT = "━", "●"
_NARROWEST, _WIDEST = 12, 40


@dataclass(frozen=True)
class AnswerColumn:
    """A column of an answer's table.

    Attributes
    ----------
    name
        What stands above it.
    kind
        One of `KINDS`.
    digits
        Decimals of numbers, estimates and shares.
    interval
        Which interval an estimate has.
    """

    name: str
    kind: str = "text"
    digits: int = 3
    interval: str = "95% CI"


@dataclass(frozen=True)
class AnswerTable:
    """The small table of an answer.

    Attributes
    ----------
    title
        What it is of, with n: ``nDCG@10 · 63 systems · 53 topics``.
    columns
        Its columns.
    rows
        A tuple of cells each; an estimate is ``(value, low, high)``, what is missing ``None``.
    """

    title: str
    columns: tuple[AnswerColumn, ...]
    rows: tuple[tuple, ...]

    @classmethod
    def of(
        cls, title: str, columns: Sequence[AnswerColumn], rows: Iterable[Sequence]
    ) -> AnswerTable | None:
        """A table of plain cells: no NaN, no numpy; ``None`` where there are no rows."""
        cells = tuple(tuple(map(_plain, row)) for row in rows)
        return cls(title, tuple(columns), cells) if cells else None

    @classmethod
    def of_frame(cls, frame: pd.DataFrame) -> AnswerTable | None:
        """The table that has the columns of a frame, by their types."""
        kinds = {"f": "number", "i": "count", "u": "count", "b": "mark"}
        columns = (
            AnswerColumn(str(name).replace("_", " "), kinds.get(frame[name].dtype.kind, "text"), 4)
            for name in frame.columns
        )
        rows = frame.astype(object).where(frame.notna(), None).itertuples(index=False)
        return cls.of("", [*columns], rows)

    @classmethod
    def of_json(cls, text: str) -> AnswerTable:
        """The table that a text of `to_json` holds."""
        held = json.loads(text)
        columns = tuple(AnswerColumn(**column) for column in held["columns"])
        return cls(held["title"], columns, tuple(tuple(map(_plain, r)) for r in held["rows"]))

    def to_json(self) -> str:
        """The table as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, separators=(",", ":"))

    def to_dict(self) -> dict[str, object]:
        """The table for JSON."""
        return asdict(self)

    def naming(self, renamed: Callable[[str], str]) -> AnswerTable:
        """The same with other names of measures in its title and above its columns."""
        columns = tuple(replace(column, name=renamed(column.name)) for column in self.columns)
        return replace(self, title=renamed(self.title), columns=columns)

    def header(self) -> list[str]:
        """What stands above each written column; an estimate has a second one for its interval."""
        return [name for column in self.columns for name in _names(column)]

    def cells(self) -> Iterator[list[str]]:
        """The cells of each row as text, as many as `header` has."""
        for row in self.rows:
            cells = (_texts(cell, of) for cell, of in zip(row, self.columns, strict=True))
            yield [text for some in cells for text in some]

    def to_frame(self) -> pd.DataFrame:
        """The table as it is written."""
        import pandas as pd

        return pd.DataFrame(self.cells(), columns=self.header())

    def is_numeric(self) -> list[bool]:
        """Of each written column, whether it is aligned to the right."""
        right = ((column.kind not in ("text", "mark")) for column in self.columns)
        return [
            is_right
            for is_right, column in zip(right, self.columns, strict=True)
            for _ in _names(column)
        ]


def _plain(cell: object) -> object:
    """A cell without numpy; ``None`` for what is missing."""
    if isinstance(cell, tuple | list):
        return tuple(map(_plain, cell))
    if cell is None or isinstance(cell, str | bool):
        return cell
    value = cell.item() if hasattr(cell, "item") else cell
    if isinstance(value, float) and not isfinite(value):
        return None
    return value if isinstance(value, int | float) else str(value)


def _names(column: AnswerColumn) -> list[str]:
    """The names above a column; of an estimate two."""
    return [column.name, column.interval] if column.kind == "estimate" else [column.name]


def _texts(cell: object, column: AnswerColumn) -> list[str]:
    """A cell as text; of an estimate two."""
    if column.kind == "estimate":
        value, low, high = cell
        return [number(value, column.digits, NONE), interval(low, high, column.digits)]
    if cell is None:
        return [NONE]
    if column.kind == "mark":
        return [MARK if cell else NONE]
    if column.kind == "p":
        return [p_value(cell)]
    if column.kind == "count":
        return [f"{cell:,.0f}".replace("-", "−")]
    if column.kind == "share":
        return [f"{cell:.{max(column.digits - 2, 0)}%}"]
    return [number(cell, column.digits, NONE) if column.kind == "number" else str(cell)]


def interval(low: float | None, high: float | None, digits: int = 3) -> str:
    """``0.699–0.793``; with ``to`` between ends of which one is negative."""
    if low is None or high is None:
        return NONE
    between = " to " if low < 0 or high < 0 else "–"
    return f"{number(low, digits)}{between}{number(high, digits)}"


def p_value(p: float) -> str:
    """A p-value, or that it is below the least that is written."""
    return "<0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def lines_of(table: AnswerTable, width: int, *, bars: bool = False, rows: int = SHOWN) -> list[str]:
    """The table as lines of at most `width` columns, where its texts allow.

    With `bars` the first estimate is drawn in place, in what room is left.
    """
    texts = [table.header(), *list(table.cells())[:rows]]
    right = table.is_numeric()
    drawn = _drawn(table, rows) if bars else None
    if drawn is not None:
        room = width - sum(max(map(len, column)) + 2 for column in zip(*texts, strict=True))
        after, estimates = drawn
        if room >= _NARROWEST:
            bar = ["", *_bars(estimates, min(room, _WIDEST))]
            texts = [[*row[:after], one, *row[after:]] for row, one in zip(texts, bar, strict=True)]
            right = [*right[:after], False, *right[after:]]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    lines = [
        "  ".join(
            text.rjust(size) if is_right else text.ljust(size)
            for text, size, is_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in texts
    ]
    left = len(table.rows) - rows
    more = [f"… {left:,} further {'row' if left == 1 else 'rows'}"] if left > 0 else []
    return [table.title, *lines, *more, ""]


def _drawn(table: AnswerTable, rows: int) -> tuple[int, list[tuple]] | None:
    """Behind which written column bars stand, and the estimates; ``None`` without two intervals."""
    place = 0
    for at, column in enumerate(table.columns):
        place += 1
        if column.kind != "estimate":
            continue
        estimates = [row[at] for row in table.rows[:rows]]
        known = [one for one in estimates if None not in one]
        return (place, estimates) if len(known) > 1 else None
    return None


def _bars(estimates: Sequence[tuple], width: int) -> list[str]:
    """An interval each on one axis, with the value on it."""
    ends = [end for one in estimates if None not in one for end in one]
    lowest, highest = min(ends), max(ends)
    step = (highest - lowest) / (width - 1) or 1.0

    def place(value: float) -> int:
        return round((value - lowest) / step)

    def bar(value: float | None, low: float | None, high: float | None) -> str:
        if value is None or low is None or high is None:
            return ""
        line = [" "] * width
        line[place(low) : place(high) + 1] = BAR * (place(high) - place(low) + 1)
        line[place(value)] = POINT
        return "".join(line)

    return [bar(*one) for one in estimates]


def markdown_of(table: AnswerTable) -> str:
    """The whole table in Markdown, for a pull request's comment or notes."""
    head = table.header()
    rule = ["---:" if is_right else "---" for is_right in table.is_numeric()]
    rows = (
        "| " + " | ".join(without_tags(cell).replace("|", "\\|") for cell in row) + " |"
        for row in (head, rule, *table.cells())
    )
    return "\n".join([*rows, ""])


def without_tags(text: str) -> str:
    """Text for Markdown, in which a name such as ``<base>`` would be a tag, and not be seen."""
    return re.sub(r"<(?=[A-Za-z/!?])", r"\<", text)


def latex_of(table: AnswerTable, caption: str = "") -> str:
    """The whole table in LaTeX with rules of ``booktabs``, and a caption where there is one."""
    aligned = "".join("r" if is_right else "l" for is_right in table.is_numeric())
    body = [" & ".join(map(_latex, row)) + r" \\" for row in table.cells()]
    head = " & ".join(map(_latex, table.header())) + r" \\"
    inner = [rf"\begin{{tabular}}{{{aligned}}}", r"\toprule", head, r"\midrule", *body,
             r"\bottomrule", r"\end{tabular}"]  # fmt: skip
    if not caption:
        return "\n".join([*inner, ""])
    whole = [r"\begin{table}", r"\centering", rf"\caption{{{_latex(caption)}}}", *inner]
    return "\n".join([*whole, r"\end{table}", ""])


_LATEX: Mapping[int, str] = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "_": r"\_", "%": r"\%", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "−": "$-$", "–": "--", "●": r"$\bullet$", "≥": r"$\geq$", "≤": r"$\leq$", "<": "$<$",
    ">": "$>$", "α": r"$\alpha$", "κ": r"$\kappa$", "τ": r"$\tau$", "Δ": r"$\Delta$",
    "ρ": r"$\rho$", "²": r"$^2$", "·": r"$\cdot$", "Φ": r"$\Phi$", "σ": r"$\sigma$",
})  # fmt: skip


def _latex(text: str) -> str:
    """A text with what LaTeX reads otherwise escaped."""
    return text.translate(_LATEX)
