"""What a table and a column are, and the notation in which the catalogue declares them.

Columns stand one a line: name, type, ``?`` where it may hold nulls, unit or range in brackets,
meaning::

    tau  float64? [-1..1]  Kendall's τ_b of the two rankings

Tables stand beneath the stage (or, outside stages, the script) that makes them: path, sentence,
then, indented, columns, those that identify a row before ``|`` (in parentheses, what stands among
them and does not).  Of a column the table says only where it differs: ``name?`` may hold nulls
here, ``name!`` may not, ``name:int64`` has another type, a line ``name = …`` another meaning.
Such lines may share one, with a semicolon between; what goes on in the next is indented by eight::

    [cuts]
    cuts/tied_cuts: every cut that shares the best value
        method reference topic run | c1! c2 c3
        run = counts runs from 1, the widest first

Two columns that are the ends of something say of what, and of which kind: an interval of an
estimate (which one of `regrade.intervals`), a box (quantiles of a distribution), a range (least and
most), or the bounds of a class of values::

        low..high = interval of value: mean_over_topics
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from textwrap import dedent
from typing import Generic, NamedTuple, TypeVar

from regrade.intervals import INTERVALS, Interval

TYPES = ("bool", "int32", "int64", "float64", "string")
"""Of columns; strings are dictionary-encoded."""

_COLUMN = re.compile(r"(\w+|\{\w+\}) +(\w+)(\??)(?: \[(.+?)\])? +(\S.*)")
_USED = re.compile(r"(\w+|\{\w+\})(?::(\w+))?([?!]?)")
_TABLE = re.compile(r"([\w/-]+): +(\S.*)")
_OWN = re.compile(r"; (?=[\w.{}]+ = )")
_ENDS = re.compile(r"(interval|box|range|class) of ([^:]+)(?:: +(.+))?")


@dataclass(frozen=True)
class Ends:
    """What two columns are the ends of.

    Attributes
    ----------
    kind
        ``interval`` (of an estimate), ``box`` (quantiles of a distribution), ``range`` (the least
        and the most) or ``class`` (of values that are counted together).
    of
        The estimand, or what is distributed, ranges or is counted.
    intervals
        What an interval is of and how it is made (several where rows differ); empty for other
        kinds.
    """

    kind: str
    of: str
    intervals: tuple[Interval, ...] = ()


@dataclass(frozen=True)
class Column:
    """A column, as a table holds it.

    Attributes
    ----------
    name
        In braces where the data name columns like it (one per topic, …): what they are named by.
    type
        One of `TYPES`.
    nullable
        Whether it may hold nulls.
    unit
        Unit, or range of values; empty where neither says anything.
    meaning
        What it holds, one sentence.
    ends
        Of what it is an end, for the ends of intervals and their like.
    """

    name: str
    type: str
    nullable: bool
    unit: str
    meaning: str
    ends: Ends | None = None

    @property
    def is_named_by_data(self) -> bool:
        """Whether it stands for columns that the data name."""
        return self.name.startswith("{")


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes
    ----------
    path
        Below ``results/<collection>/``, without what differs from file to file: ``cuts/best_cuts``
        is that of ``cuts/<transformation>/<search>/best_cuts.parquet``.
    sentence
        What it holds.
    stage
        The stage that makes it, or the script where no stage does.
    key
        The columns that identify a row.
    columns
        In order.
    """

    path: str
    sentence: str
    stage: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def named_by_data(self) -> Column | None:
        """The column that stands for those that the data name; a table has one or none."""
        return next((column for column in self.columns if column.is_named_by_data), None)


class TableText(NamedTuple):
    """What declares a table: its stage, its sentence, and the lines on its columns."""

    stage: str
    sentence: str
    lines: list[str]


ANSWER = "the answer: verdict, key number, rows, facts, method and notes", ["part | said"]
"""What declares a table that is called so, and of which nothing is said."""

Text = TypeVar("Text")
Entry = TypeVar("Entry")


class Catalogue(Mapping[str, Entry], Generic[Text, Entry]):
    """Columns or tables by their names, each read from its text when it is first looked up.

    Parameters
    ----------
    texts
        Name and text of each, of module after module: those are loaded until a name is there.
    read
        What makes an entry of a name and its text.
    """

    def __init__(
        self, texts: Iterable[tuple[str, Text]], read: Callable[[str, Text], Entry]
    ) -> None:
        self._further = iter(texts)
        self._read = read
        self._texts: dict[str, Text] = {}
        self._entries: dict[str, Entry] = {}

    def texts(self) -> Mapping[str, Text]:
        """What declares each; raises `ValueError` for a name that two texts declare."""
        while self._takes_one():
            pass
        return self._texts

    def _takes_one(self) -> bool:
        """Take a further text, if there is one."""
        for name, text in self._further:
            if name in self._texts:
                raise ValueError(f"is declared twice: {name}")
            self._texts[name] = text
            return True
        return False

    def __getitem__(self, name: str) -> Entry:
        """An entry; raises `ValueError` where its text declares none."""
        if name not in self._entries:
            while name not in self._texts:
                if not self._takes_one():
                    raise KeyError(name)
            self._entries[name] = self._read(name, self._texts[name])
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        """All names, in the order of modules."""
        return iter(self.texts())

    def __len__(self) -> int:
        """How many there are."""
        return len(self.texts())


def column_texts(text: str) -> Iterator[tuple[str, str]]:
    """Each column that a text declares, and the line that does."""
    return ((line.partition(" ")[0], line) for line in _lines(text))


def read_column(name: str, line: str) -> Column:
    """The column that a line declares; raises `ValueError` for a line that declares none."""
    match = _COLUMN.fullmatch(line)
    if not match or match[2] not in TYPES:
        raise ValueError(f"declares no column: {line}")
    _, kind, null, unit, meaning = match.groups()
    return Column(name, kind, bool(null), unit or "", meaning)


def table_texts(text: str) -> Iterator[tuple[str, TableText]]:
    """The path of each table that a text declares, and the lines that do."""
    stage, path, sentence, lines = "", "", "", []
    for line in [*_lines(text), "[]"]:
        if line.startswith(" "):
            lines.append(line.strip())
            continue
        if path:
            yield path, TableText(stage, sentence, lines)
            path, lines = "", []
        if line.startswith("["):
            stage = line[1:-1]
        elif line.endswith("/answer"):
            yield line, TableText(stage, *ANSWER)
        elif match := _TABLE.fullmatch(line):
            path, sentence = match.groups()
        else:
            raise ValueError(f"declares no table: {line}")


def _lines(text: str) -> list[str]:
    """Those that are not empty, each with the lines that go on with it (indented by eight)."""
    logical = re.sub(r"\n {8,}", " ", dedent(text))
    return [line for line in logical.split("\n") if line.strip()]


def read_table(path: str, text: TableText, columns: Mapping[str, Column]) -> Table:
    """The table that lines declare; raises `ValueError` where they name what is no column."""
    stage, sentence, body = text
    meanings = (_OWN.split(line) for line in body if " = " in line)
    own = dict(part.split(" = ", 1) for line in meanings for part in line)
    key, _, rest = " ".join(line for line in body if " = " not in line).partition("|")
    used = {}
    for word in re.sub(r"[()]", " ", f"{key} {rest}").split():
        match = _USED.fullmatch(word)
        if not match or match[1] not in columns or match[1] in used:
            raise ValueError(f"{path}: no column, or one that stands here already: {word}")
        name, kind, null = match.groups()
        column = columns[name]
        nullable = null == "?" if null else column.nullable
        used[name] = replace(column, type=kind or column.type, nullable=nullable)
    for name, meaning in own.items():
        for which, part in zip(("lower", "upper"), name.split(".."), strict=False):
            if part not in used:
                raise ValueError(f"{path}: has no column {part}")
            used[part] = replace(used[part], **_meaning(meaning, which if ".." in name else ""))
    identify = re.sub(r"\([^)]*\)", " ", key).split()
    names = tuple(_USED.fullmatch(word)[1] for word in identify)
    return Table(path, sentence, stage, names, tuple(used.values()))


def _meaning(text: str, which: str) -> dict[str, object]:
    if not which:
        return {"meaning": text}
    match = _ENDS.fullmatch(text)
    if not match or (match[1] == "interval") != bool(match[3]):
        raise ValueError(f"says of no interval, box, range or class what it is: {text}")
    kind, of, names = match[1], match[2], (match[3] or "").split(", ")
    if unknown := set(names) - INTERVALS.keys() - {""}:
        raise ValueError(f"no such interval is registered: {', '.join(sorted(unknown))}")
    intervals = tuple(INTERVALS[name] for name in names if name)
    what = f"{which} end of the {kind} of {of}"
    how = " or ".join(interval.description for interval in intervals)
    return {"meaning": f"{what}: {how}" if how else what, "ends": Ends(kind, of, intervals)}
