"""Whatever a user has, as columns under our names.

A frame's columns are found by their usual spellings, or by what the user says they are.  What is
wrong is said with the row (of a frame, from 1) or the line (of a file), and what to do.
"""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from shlex import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.choices import LEAVING
from regrade.errors import InputError, ParameterError, check_choice, did_you_mean, near_files
from regrade.readers.encodings import check_text, is_workbook, read_head
from regrade.readers.lines import (
    DIGITS_ALONE,
    Problems,
    is_nearly_number,
    is_number,
    odd_names,
    quoted,
)
from regrade.readers.records import is_array, json_rows, read_parquet
from regrade.readers.rows import HEADED, MISSING, Rows, other_than
from regrade.readers.run_scores import layout_of
from regrade.readers.shapes import ANSWERS, QUESTIONS, reshaped
from regrade.readers.spellings import SPELLINGS, called, plain
from regrade.wording import SHOWN, counted, first_few

log = logging.getLogger(__name__)

IRDS = "irds:"
"""What the names of sets of ir_datasets begin with."""

PARQUET = b"PAR1"

_LOOKED_AT = 20
"""Lines by which it is told whether the first one has names."""

_KEYS = ("topic", "docno")

_OBJECTS = {
    "topic": "query_id",
    "docno": "doc_id",
    "grade": "relevance",
    "score": "score",
}
"""What ir_measures and ir_datasets call the fields of their tuples."""


NAMELESS = (
    "Rows without one can be left out by what they have in another column (where, as in "
    "--where topic=401,topic=402)."
)
"""What to do where rows name no topic or no document."""


@dataclass(frozen=True, eq=False)
class InputTable:
    """Columns of something that a user gave.

    Attributes
    ----------
    what
        How messages call it: a path, or "the frame given as reference".
    columns
        By what the user calls them.
    line
        (n,) numbers of the rows, in the file or from 1.
    names
        Our name → the user's, of those that were found.
    left_out
        How many rows were left out, by reason.
    """

    what: str
    columns: Mapping[str, pa.ChunkedArray | pa.Array]
    line: np.ndarray
    names: Mapping[str, str]
    left_out: Mapping[str, int] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        """Whether one of our columns was found."""
        return name in self.names

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.line)

    def identifiers(self, name: str) -> pa.Array:
        """A column of names as text: 401 is "401"; an empty one is an error."""
        text = text_of(self.columns[self.names[name]])
        empty = pc.equal(pc.fill_null(text, ""), "")
        if pc.any(empty).as_py():
            rows = np.flatnonzero(empty.to_numpy(zero_copy_only=False))
            self.refuse(name, rows, "is empty", self._leaving_out(name, empty))
        for row, reason in odd_names(text).items():
            self.refuse(name, np.array([row]), reason)
        return text

    def _leaving_out(self, name: str, empty: pa.Array) -> str:
        """What to do where rows name no topic or no document: which others to choose, if some."""
        taken = {theirs for ours, theirs in self.names.items() if ours == name or ours != "topic"}
        for other in (one for one in self.columns if one not in taken):
            text = pc.fill_null(text_of(self.columns[other]), "")
            of_both = (text.filter(of) for of in (pc.invert(empty), empty))
            ours, theirs = (set(pc.unique(some).to_pylist()) for some in of_both)
            if 0 < len(ours) <= SHOWN and not ours & (theirs | {""}):
                chosen = ",".join(f"{other}={value}" for value in sorted(ours))
                return f"Rows without one can be left out: where, here --where {quote(chosen)}."
        return NAMELESS

    def optional_identifiers(self, name: str) -> pa.Array:
        """A column of names that may be empty, or missing whole."""
        if name not in self:
            return pa.nulls(len(self), pa.string())
        text = text_of(self.columns[self.names[name]])
        for row, reason in odd_names(text).items():
            self.refuse(name, np.array([row]), reason)
        return pc.if_else(pc.equal(text, ""), None, text)

    def numbers(self, name: str, remedy: str = "") -> np.ndarray:
        """A column of finite numbers, float64; `remedy` is of texts that are no numbers at all."""
        column = self.columns[self.names[name]]
        if _is_number(column.type):
            values = pc.cast(column, pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        else:
            values = np.array([_number(one) for one in column.to_pylist()], dtype=np.float64)
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            nearly = [is_nearly_number(str(column[int(row)].as_py())) for row in wrong]
            told = DIGITS_ALONE if any(nearly) else "", "" if all(nearly) else remedy
            self.refuse(name, wrong, "is no finite number", "\n".join(filter(None, told)))
        return values

    def optional_numbers(self, name: str) -> pa.Array:
        """Numbers of a column that may be missing; null where there is none."""
        if name not in self:
            return pa.nulls(len(self), pa.float64())
        found = [_number(one) for one in self.columns[self.names[name]].to_pylist()]
        return pa.array(found, pa.float64(), from_pandas=True)

    def with_values(self, name: str, missing: str) -> InputTable:
        """The rows with a value in a column, where those without are to be dropped.

        Raises
        ------
        InputError
            If none is left.
        """
        check_choice("missing", missing, LEAVING)
        text = text_of(self.columns[self.names[name]])
        absent = pc.or_kleene(pc.is_null(text), pc.is_in(text, pa.array(MISSING)))
        if missing == "refuse" or not pc.any(absent).as_py():
            return self
        column = self.names[name]
        rows = counted(pc.sum(absent).as_py(), "row")
        log.info("%s: %s without %s (missing)", self.what, rows, column)
        if pc.all(absent).as_py():
            raise InputError(self.what, [(None, f"no row has a {column}")])
        return self.without(absent.to_numpy(zero_copy_only=False), f"no {column} (missing)")

    def without(self, rows: np.ndarray, reason: str) -> InputTable:
        """The table without some rows, which are counted."""
        kept = pa.array(~rows)
        return replace(
            self,
            columns={name: values.filter(kept) for name, values in self.columns.items()},
            line=self.line[~rows],
            left_out={**self.left_out, reason: int(rows.sum())},
        )

    def as_text(self, wanted: Sequence[str]) -> Rows:
        """The columns wanted as text, as readers of files have them; nothing is an empty text."""
        names = {name: self.names.get(name, name) for name in wanted}
        found = {self.names[name]: text_of(self.columns[self.names[name]]) for name in self.names}
        raw = pa.table({name: pc.fill_null(text, "") for name, text in found.items()})
        return Rows(self.what, raw, self.line, names, Problems(self.what))

    def refuse(self, name: str, rows: np.ndarray, reason: str, remedy: str = "") -> None:
        """Raise an `InputError` where some rows of a column are wrong."""
        if not len(rows):
            return
        column = self.columns[self.names[name]]
        problems = [
            (int(self.line[row]), f"{self.names[name]} {_shown(column[int(row)])} {reason}")
            for row in rows[:10]
        ]
        raise InputError(self.what, problems, remedy, total=len(rows))


def input_table(
    source: object,
    what: str,
    required: Sequence[str],
    optional: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, object] | None = None,
) -> InputTable:
    """Columns of a frame, a file with a header, JSON lines, a dict or tuples.

    Parameters
    ----------
    source
        What the user gave; a path only to a file with named columns (see `headed_format`).
    what
        How messages call it.
    required, optional
        Our names of the columns that are wanted.
    columns
        Our names → the user's, where spellings do not tell.
    where
        The user's column, and the value or list of values that a row must have to be read.

    Raises
    ------
    InputError
        If it cannot be read.
    ParameterError
        If it is of no kind that is known, a column is missing, or two could be meant; or if no row
        has a value that is asked for.
    """
    problems = Problems(what)
    if isinstance(source, str | os.PathLike):
        asked = tuple((columns or {}).values())
        found, line = _of_file(source, headed_format(source, columns) or "csv", asked, problems)
    elif isinstance(source, Mapping):
        # of documents alone, what a dict has beside them is no name
        value = required[-1] if len(required) > len(_KEYS) else "grade"
        found, line = _of_dict(source, what, value)
    else:
        found, line = _of_frame(source, what)
    if not len(line):
        raise InputError(what, [(None, "holds no row")])
    if not isinstance(source, Mapping) and _is_of_values(required, optional):
        given = found
        found, line = _reshaped(found, line, what, columns)
        problems.read(given.keys() - found.keys())
    names = spelled(list(found), what, required, optional, columns)
    problems.read(names.values())
    problems.raise_if_any()
    return _rows_where(InputTable(what, found, line, names), where or {})


def _is_of_values(required: Sequence[str], optional: Sequence[str]) -> bool:
    """Whether labels or judgments are wanted, or nothing is known of what is."""
    wanted = {*required, *optional}
    return not wanted or (bool(wanted & {"grade", "value", "worker"}) and "left" not in wanted)


def _reshaped(
    found: Mapping, line: np.ndarray, what: str, columns: Mapping[str, str] | None
) -> tuple[Mapping, np.ndarray]:
    """The columns, or those of a row for each judge's value where each judge has a column."""
    table = pa.table({str(name): column for name, column in found.items()})
    asked = tuple((columns or {}).values())
    made, line = reshaped(table, line, what, asked)
    return (found if made is table else _columns_of(made)), line


def _rows_where(rows: InputTable, where: Mapping[str, object]) -> InputTable:
    """The rows that have the values asked for."""
    found, what, kept = rows.columns, rows.what, np.ones(len(rows), dtype=bool)
    for name, wanted in where.items():
        if name not in found:
            problem = f"where: {what} has no column '{name}'{did_you_mean(name, found)}"
            raise ParameterError(problem)
        text = text_of(found[name])
        values = [str(one) for one in (wanted if isinstance(wanted, list | tuple) else [wanted])]
        there = pc.unique(text.drop_null()).to_pylist()
        for value in values:
            if value not in there:
                near = did_you_mean(value, sorted(there))
                raise ParameterError(f"where: no row of {what} has {name} '{value}'{near}")
        kept &= pc.is_in(text, pa.array(values, pa.string())).to_numpy(zero_copy_only=False)
    if not kept.any():
        raise ParameterError(f"where: no row of {what} has all of {dict(where)}")
    if kept.all():
        return rows
    log.info("%s: %d of %d rows are read (where)", what, kept.sum(), len(kept))
    return rows.without(~kept, other_than(where))


def spelled(
    names: Sequence[str],
    what: str,
    required: Sequence[str],
    optional: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Which column is which: our name → the one that is there.

    Raises
    ------
    ParameterError
        Naming what is missing, ambiguous or unknown, and the mapping that would help.
    """
    wanted = [*required, *optional]
    columns = dict(columns or {})
    for ours, theirs in columns.items():
        if ours not in wanted:
            problem = f"columns: {what} has no use for '{ours}'{did_you_mean(ours, wanted)}"
            raise ParameterError(problem)
        if theirs not in names:
            problem = f"columns: {what} has no column '{theirs}'{did_you_mean(theirs, names)}"
            raise ParameterError(problem)
    free = [name for name in names if name not in columns.values()]
    found = dict(columns)
    for ours in wanted:
        if ours in found:
            continue
        fitting = called(free, ours)
        if len(fitting) > 1:
            both = " and ".join(f"'{name}'" for name in fitting)
            raise ParameterError(
                f"{what}: {both} could be the {ours}: say which, "
                f"columns={{'{ours}': '{fitting[0]}'}}{_reader(wanted)}, "
                f"--columns {quote(f'{ours}={fitting[0]}')} in a command"
            )
        if fitting:
            found[ours] = fitting[0]
            free.remove(fitting[0])
        elif ours in required:
            listed = ", ".join(map(str, names)) or "none"
            raise ParameterError(
                f"{what} has no column for the {ours} (its columns: {listed}): name it, "
                f"columns={{'{ours}': …}}{_reader(wanted)}, --columns {ours}=… in a command"
            )
    return found


def _reader(wanted: Sequence[str]) -> str:
    """Whose `columns` are meant, of a function that is given several inputs."""
    of = {"grade": "qrels", "value": "judgments", "system": "runs", "left": "preferences"}
    return next((f" of read_{kind}" for name, kind in of.items() if name in wanted), "")


def headed_format(path: str | os.PathLike, columns: Mapping[str, str] | None = None) -> str | None:
    """How a file with named columns is written: one of `regrade.choices.NAMED_COLUMNS`.

    Returns
    -------
    str or None
        ``None``: the first line names no columns that we know, as in TREC's files.

    Raises
    ------
    InputError
        If the file cannot be read, is neither text nor Parquet, or has names of columns over
        numbers that are not ours.
    """
    if is_workbook(path):
        return "xlsx"
    data = read_head(path)
    if data.startswith(PARQUET):
        return "parquet"
    check_text(path, data)
    first = next((line for line in data.splitlines() if line.strip()), b"")
    text = first.decode("utf-8", "replace").strip()
    if text.startswith("{") or is_array(data):
        return "jsonl"
    known = {spelling for spellings in SPELLINGS.values() for spelling in spellings}
    known |= {*QUESTIONS, *ANSWERS, "measure", "metric"}
    known |= {plain(name) for name in (columns or {}).values()}
    for ending, mark in (("tsv", "\t"), ("csv", ","), ("csv", ";")):
        if _knows(known, text, mark):
            return ending
    if layout_of(path, data):
        return "scores"
    lines = data.split(b"\n", _LOOKED_AT)[1:_LOOKED_AT]
    below = [line.decode("utf-8", "replace").rstrip("\r") for line in lines]
    _refuse_misplaced_names(path, known, text, below)
    _refuse_other_names(path, text, below)
    return None


def _knows(known: Collection[str], line: str, mark: str) -> bool:
    """Whether a line has names of columns that we know, between marks."""
    return len({plain(name.strip('"')) for name in line.split(mark)} & known) > 1


def _refuse_misplaced_names(
    path: str | os.PathLike, known: Collection[str], first: str, below: Sequence[str]
) -> None:
    """Refuse names that we know between marks that we do not, or below another first line."""
    if _knows(known, first, "|"):
        problem = f"has its columns between |: {quoted(first)}"
        raise InputError(path, [(1, problem)], "Put commas, semicolons or tabs in place of them.")
    second = next(filter(None, map(str.strip, below)), "")
    for mark in "\t,;":
        if _knows(known, second, mark) and len(first.split(mark)) != len(second.split(mark)):
            problem = f"stands before the line that names the columns: {quoted(first)}"
            raise InputError(path, [(1, problem)], "Delete it.")


def _refuse_other_names(path: str | os.PathLike, first: str, below: Sequence[str]) -> None:
    """Refuse a first line of names that we do not know, which stand over numbers."""
    for mark in "\t,;":
        names = first.split(mark)
        rows = [row for line in below if len(row := line.split(mark)) == len(names)]
        are_numbers = (all(map(is_number, column)) for column in zip(*rows, strict=True))
        if len(names) > 2 and not any(map(is_number, names)) and any(are_numbers):
            if "\ufffd" in first:
                raise InputError(path, [(1, "is not UTF-8")], "Save the file as UTF-8.")
            problem = f"its columns ({', '.join(names)}) have names that we do not know"
            remedy = (
                "Rename them (topic, docno, grade …), or say what they are "
                f"called: columns={{'topic': '{names[0]}', …}}, --columns topic=… in a command."
            )
            raise InputError(path, [(1, problem)], remedy)


def completed(
    columns: Mapping[str, object], schema: pa.Schema, keys: Sequence[str] = ()
) -> pa.Table:
    """A table in a schema, of some of its columns, sorted by keys; other columns are empty."""
    n = len(next(iter(columns.values())))
    found = {
        field.name: columns.get(field.name, pa.nulls(n, _plain_type(field.type)))
        for field in schema
    }
    table = pa.table(found)
    if keys:
        table = table.sort_by([(key, "ascending") for key in keys])
    return table.cast(schema)


def _plain_type(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def is_tuples(source: object) -> bool:
    """Whether it is a list of named tuples as ir_measures and ir_datasets make them."""
    return isinstance(source, list | tuple) and bool(source) and hasattr(source[0], "query_id")


def of_dataset(name: str, what: str) -> list:
    """The qrels (or scored documents) of a set of ir_datasets, ``irds:<id>``.

    Raises
    ------
    ParameterError
        If ir_datasets is not installed, does not know the set, or it holds none.
    """
    try:
        import ir_datasets
    except ImportError:
        raise ParameterError(
            f"{name} is a set of ir_datasets, which is not installed: pip install regrade[datasets]"
        ) from None
    try:
        dataset = ir_datasets.load(name.removeprefix(IRDS))
    except KeyError:
        raise ParameterError(f"ir_datasets knows no set '{name.removeprefix(IRDS)}'") from None
    if not getattr(dataset, f"has_{what}")():
        raise ParameterError(f"{name} holds no {what}: name another set")
    return list(getattr(dataset, f"{what}_iter")())


def described(source: object, role: str) -> str:
    """How messages call something: its path, or what it was given as."""
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    kind = "dict" if isinstance(source, Mapping) else "frame"
    return f"the {kind} given as {role}"


def _of_file(
    path: str | os.PathLike, format: str, asked: Sequence[str], problems: Problems
) -> tuple[dict, np.ndarray]:
    if format == "parquet":
        table = read_parquet(path)
        return _columns_of(table), np.arange(1, len(table) + 1)
    if format == "jsonl":
        return _of_json(path, asked)
    table, line = HEADED[format](path, [], problems)
    problems.raise_if_any()
    return _columns_of(table), line


def _of_json(path: str | os.PathLike, asked: Sequence[str]) -> tuple[dict, np.ndarray]:
    rows, line = json_rows(path, _of_64_bits, float, asked)
    names = dict.fromkeys(chain.from_iterable(rows))
    return {name: _array([row.get(name) for row in rows]) for name in names}, line


def _of_64_bits(digits: str) -> int:
    """A whole number of JSON, if Arrow can hold it."""
    if len(digits) > 20 or not -(1 << 63) <= (value := int(digits)) < 1 << 63:
        raise ValueError(f"{digits} is a number of more than 64 bits: a name goes in quotes")
    return value


def _of_dict(source: Mapping, what: str, value: str) -> tuple[dict, np.ndarray]:
    """Columns of ``{topic: {docno: value}}``; of ``{column: values}``, these."""
    if source and all(is_list(values) for values in source.values()):
        columns = {str(name): _array(list(values)) for name, values in source.items()}
        sizes = {len(column) for column in columns.values()}
        if len(sizes) > 1:
            raise ParameterError(f"{what}: its columns are of different lengths")
        return columns, np.arange(1, sizes.pop() + 1)
    rows = []
    for topic, documents in source.items():
        if not isinstance(documents, Mapping):
            raise ParameterError(
                f"{what}: under topic {topic!r} stands {documents!r}: a dict is "
                "{topic: {docno: number}}"
            )
        for docno, number in documents.items():
            if isinstance(number, Mapping):
                raise ParameterError(
                    f"{what}: under topic {topic!r} and docno {docno!r} stands another dict: "
                    f"{{topic: {{docno: {value}}}}} is wanted, and these look like several by name"
                )
            rows.append((topic, docno, number))
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    found = dict(zip((*_KEYS, value), map(_array, map(list, columns)), strict=True))
    return found, np.arange(1, len(rows) + 1)


def _of_frame(source: object, what: str) -> tuple[dict, np.ndarray]:
    if is_tuples(source):
        fields = {ours: name for ours, name in _OBJECTS.items() if hasattr(source[0], name)}
        columns = {
            ours: _array([getattr(row, name) for row in source]) for ours, name in fields.items()
        }
        return columns, np.arange(1, len(source) + 1)
    import narwhals as nw

    try:
        frame = nw.from_native(source, eager_only=True)
    except TypeError:
        kind = type(source).__name__
        remedy = "collect it first" if hasattr(source, "collect") else (
            "give a path, a frame of pandas or polars, an Arrow table, or a dict "
            "{topic: {docno: number}}"
        )  # fmt: skip
        raise ParameterError(f"{what} is a {kind}, which cannot be read: {remedy}") from None
    columns = {str(name): _series(frame[name]) for name in frame.columns}
    return columns, np.arange(1, len(frame) + 1)


def _series(series) -> pa.ChunkedArray | pa.Array:
    """A column as Arrow; of mixed values, as text."""
    try:
        return series.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError):
        return _array(series.to_list())


def _columns_of(table: pa.Table) -> dict[str, pa.ChunkedArray]:
    return dict(zip(table.column_names, table.columns, strict=True))


def _array(values: list) -> pa.Array:
    truths = sum(isinstance(one, bool) for one in values)
    if truths and any(not isinstance(one, bool) and one is not None for one in values):
        # beside numbers Arrow would make 1 of true
        return pa.array([None if one is None else str(one) for one in values], pa.string())
    try:
        return pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if one is None else str(one) for one in values], pa.string())


def text_of(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Names as text; a whole number has no point, be it that pandas made it a float."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = pc.cast(column, kind.value_type)
        kind = kind.value_type
    if pa.types.is_floating(kind):
        return pa.array([_whole(value) for value in column.to_pylist()], pa.string())
    if pa.types.is_null(kind) or pa.types.is_integer(kind) or pa.types.is_large_string(kind):
        column = pc.cast(column, pa.string())
    elif not pa.types.is_string(kind):
        column = pa.array([None if v is None else str(v) for v in column.to_pylist()], pa.string())
    column = pc.utf8_trim_whitespace(column)
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _whole(value: float | None) -> str | None:
    if value is None or math.isnan(value):
        return None
    return str(int(value)) if value.is_integer() else repr(value)


def _is_number(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind)


def is_list(values: object) -> bool:
    """Whether it is a column of values, and neither a text nor a table."""
    return isinstance(values, Sequence | np.ndarray) and not isinstance(values, str | bytes)


def _number(value: object) -> float:
    """A number, or NaN where it is none, as true and false are."""
    try:
        return math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return math.nan


def _shown(scalar: pa.Scalar) -> str:
    value = scalar.as_py()
    return repr(value) if isinstance(value, str) else str(value)


def files_of(paths: object) -> list[Path]:
    """The files that a path, a glob, a folder or a list of those stand for, sorted.

    Of a folder hidden files and configurations (YAML) are none, nor what its folders hold, which
    are told of.

    Raises
    ------
    ParameterError
        If nothing is there.
    """
    if isinstance(paths, Iterable) and not isinstance(paths, str | os.PathLike):
        return [file for path in paths for file in files_of(path)]
    path = Path(os.fspath(paths))
    if path.is_dir():
        seen = sorted(one for one in path.iterdir() if not one.name.startswith("."))
        found = [f for f in seen if f.is_file() and f.suffix not in (".yaml", ".yml")]
        within = first_few([str(one) for one in seen if one.is_dir()])
        if not found:
            also = f", but folders, {within}: name those that you mean" if within else ""
            raise ParameterError(f"{path}: the folder holds no file{also}")
        if within:
            log.warning("%s: folders in it are not looked into: name them too: %s", path, within)
        return found
    if not path.exists() and any(mark in path.name for mark in "*?["):
        found = sorted(path.parent.glob(path.name))
        if not found:
            raise ParameterError(f"{path}: no file matches{near_files(path)}")
        return found
    return [path]
