"""Whatever a user has, as rows under our names.

A frame's columns are found by their usual spellings, or by what the user says they are.  What is
wrong is said with the row (of a frame, from 1) or the line (of a file), and what to do.
"""

from __future__ import annotations

import logging
import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.choices import IRDS, LEAVING
from regrade.errors import InputError, ParameterError, check_choice, near_files
from regrade.readers.formats import headed_format
from regrade.readers.lines import (
    DIGITS_ALONE,
    NAMES_IN_ORDER,
    Problems,
    is_nearly_number,
    odd_names,
)
from regrade.readers.records import json_rows, read_parquet
from regrade.readers.rows import (
    HEADED,
    MISSING,
    Rows,
    mask,
    other_than,
    text_of,
)
from regrade.readers.shapes import reshaped
from regrade.readers.spellings import spelled
from regrade.readers.values import LEFT_OUT, Leaving, few_apart, on_scale, scale_of_most
from regrade.scales import Scale
from regrade.wording import SHOWN, counted, first_few

log = logging.getLogger(__name__)


_KEYS = ("topic", "docno")

_OBJECTS = {
    "topic": "query_id",
    "docno": "doc_id",
    "grade": "relevance",
    "score": "score",
}
"""What ir_measures and ir_datasets call the fields of their tuples."""

_NO_NUMBER = f"""\
An unjudged document has no row (missing: drop, --missing drop leave out empty ones).
{NAMES_IN_ORDER}"""

NAMELESS = (
    "Rows without one can be left out by what they have in another column (where, as in "
    "--where topic=401,topic=402)."
)
"""What to do where rows name no topic or no document."""


@dataclass(frozen=True, eq=False)
class InputTable(Rows):
    """Rows of something that a user gave, of which what is wrong is raised at once, and shown.

    `path` is how messages call it (a path, or "the frame given as reference"), and `left_out`
    counts rows by why they were left out.
    """

    left_out: Counter = field(default_factory=Counter)

    @property
    def what(self) -> str:
        """How messages call it."""
        return str(self.path)

    def identifiers(self, name: str) -> pa.Array:
        """A column of names as text: 401 is "401"; an empty or an odd one is an error."""
        text = self.text(name)
        if (empty := mask(pc.equal(text, ""))).any():
            self.refuse(name, empty, "is empty", self._leaving_out(name, empty))
        return self._checked(name, text)

    def _checked(self, name: str, text: pa.ChunkedArray | pa.Array) -> pa.Array:
        for row, reason in odd_names(text).items():
            self.refuse(name, np.array([row]), reason)
        return text.combine_chunks() if isinstance(text, pa.ChunkedArray) else text

    def _leaving_out(self, name: str, empty: np.ndarray) -> str:
        """What to do where rows name no topic or no document: which others to choose, if some."""
        taken = {theirs for ours, theirs in self.names.items() if ours == name or ours != "topic"}
        for other in (one for one in self.raw.column_names if one not in taken):
            text = pc.fill_null(text_of(self.raw[other]), "")
            of_both = (text.filter(pa.array(rows)) for rows in (~empty, empty))
            ours, theirs = (set(pc.unique(some).to_pylist()) for some in of_both)
            if 0 < len(ours) <= SHOWN and not ours & (theirs | {""}):
                chosen = ",".join(f"{other}={value}" for value in sorted(ours))
                return f"Rows without one can be left out: where, here --where {quote(chosen)}."
        return NAMELESS

    def optional_identifiers(self, name: str) -> pa.Array:
        """A column of names that may be empty, or missing whole."""
        if name not in self:
            return pa.nulls(len(self), pa.string())
        text = self._checked(name, self.text(name))
        return pc.if_else(pc.equal(text, ""), None, text)

    def numbers(self, name: str, remedy: str = "") -> np.ndarray:
        """A column of finite numbers, float64; `remedy` is of texts that are no numbers at all."""
        column = self.raw[self.names[name]]
        values = _floats(column)
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            nearly = [is_nearly_number(str(column[int(row)])) for row in wrong]
            told = DIGITS_ALONE if any(nearly) else "", "" if all(nearly) else remedy
            self.refuse(name, wrong, "is no finite number", "\n".join(filter(None, told)))
        return values

    def optional_numbers(self, name: str) -> pa.Array:
        """Numbers of a column that may be missing; null where there is none."""
        if name not in self:
            return pa.nulls(len(self), pa.float64())
        return pa.array(_floats(self.raw[self.names[name]]), from_pandas=True)

    def with_values(self, name: str, missing: str) -> Self:
        """The rows with a value in a column, where those without are to be dropped."""
        check_choice("missing", missing, LEAVING)
        column = self.names[name]
        text = text_of(self.raw[column])
        absent = mask(pc.or_kleene(pc.is_null(text), pc.is_in(text, pa.array(MISSING))))
        if missing == "refuse" or not absent.any():
            return self
        log.info("%s: %s without %s (missing)", self.path, counted(absent.sum(), "row"), column)
        if absent.all():
            raise InputError(self.path, [(None, f"no row has a {column}")])
        return self.without(absent, f"no {column} (missing)")

    def on_scale(
        self, name: str, stated: Scale | None, off_scale: str
    ) -> tuple[Self, np.ndarray, InputError | None]:
        """The rows on a scale, their values, and what is wrong of few where none was stated."""
        leaving, scale = Leaving(off_scale, "off_scale", self.left_out), stated
        if scale is not None and scale.names:
            column = self.identifiers(name)
        else:
            column = pa.array(self.numbers(name, _NO_NUMBER))
            scale = scale_of_most(column.to_numpy()) if stated is None else stated
            if scale is None:
                return self, column.to_numpy(), None
        problems, is_grade = Problems(self.path), name == "grade" and stated is not None
        of = column, self.line, self.names[name], scale, leaving, problems
        read = on_scale(*of, junk=is_grade)
        kept = read.is_valid()
        if not problems.count:
            return self.only(mask(kept)), read.filter(kept).to_numpy(), None
        try:
            remedy = f"Tell the scale that they are on, or {LEFT_OUT}."
            self.refuse(name, ~mask(kept), scale.off, remedy)
        except InputError as error:
            if stated is not None:
                raise
            return self, column.to_numpy(), few_apart(error, column.to_numpy())

    def without(self, rows: np.ndarray, reason: str) -> Self:
        """The table without some rows, which are counted."""
        self.left_out[reason] = int(rows.sum())
        return self.only(~rows)

    def chosen(self, where: Mapping[str, object]) -> Self:
        """The rows that have the values asked for."""
        kept = self.matching(where)
        if not kept.any():
            raise ParameterError(f"where: no row of {self.path} has all of {dict(where)}")
        if kept.all():
            return self
        log.info("%s: %d of %d rows are read (where)", self.path, kept.sum(), len(kept))
        return self.without(~kept, other_than(where))

    def _refuse(self, reason: str, option: str, near: str, subject: str = "") -> None:
        of = f"{subject} of {self.path}" if subject else self.path
        raise ParameterError(f"{option}: {of} {reason}{near}")

    def as_text(self, wanted: Sequence[str]) -> Rows:
        """The same, as readers of files have them, with problems gathered."""
        names = {name: self.names.get(name, name) for name in wanted}
        return Rows(self.path, self.raw, self.line, names, Problems(self.path))

    def refuse(self, name: str, wrong: np.ndarray, reason: str, remedy: str = "") -> None:
        """Raise an `InputError` where some rows of a column are wrong."""
        called = self.names[name]

        def said(row: int) -> str:
            value = self.raw[called][row].as_py()
            return f"{called} {repr(value) if isinstance(value, str) else value} {reason}"

        problems = Problems(self.path, remedy)
        problems.report(self.line, wrong, said)
        problems.raise_if_any()


def input_table(
    source: object,
    what: str,
    required: Sequence[str],
    optional: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, object] | None = None,
) -> InputTable:
    """Rows of a frame, a file with named columns, a dict or tuples, which messages call `what`.

    `required` and `optional` are our names of the columns that are wanted, `columns` are ours → the
    user's where spellings do not tell, and `where` the values that a row must have to be read.
    """
    problems, asked = Problems(what), tuple((columns or {}).values())
    if isinstance(source, str | os.PathLike):
        raw, line = _of_file(source, headed_format(source, columns) or "csv", asked, problems)
    elif isinstance(source, Mapping):
        # of documents alone, what a dict has beside them is no name
        value = required[-1] if len(required) > len(_KEYS) else "grade"
        raw, line = _of_dict(source, what, value)
    else:
        raw, line = _of_frame(source, what)
    if not len(line):
        raise InputError(what, [(None, "holds no row")])
    if not isinstance(source, Mapping) and _is_of_values({*required, *optional}):
        held = raw.column_names
        raw, line = reshaped(raw, line, what, asked)
        problems.read(set(held) - set(raw.column_names))
    names = spelled(raw.column_names, what, required, optional, columns)
    problems.read(names.values())
    problems.raise_if_any()
    return InputTable(what, raw, line, names, problems).chosen(where or {})


def _is_of_values(wanted: set[str]) -> bool:
    """Whether labels or judgments are wanted, or nothing is known of what is."""
    return not wanted or (bool(wanted & {"grade", "value", "worker"}) and "left" not in wanted)


def is_tuples(source: object) -> bool:
    """Whether it is a list of named tuples as ir_measures and ir_datasets make them."""
    return isinstance(source, list | tuple) and bool(source) and hasattr(source[0], "query_id")


def of_dataset(name: str, what: str) -> list:
    """The qrels (or scored documents) of a set of ir_datasets, ``irds:<id>``."""
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
) -> tuple[pa.Table, np.ndarray]:
    if format == "parquet":
        return _numbered(read_parquet(path))
    if format == "jsonl":
        rows, line = json_rows(path, _of_64_bits, float, asked)
        names = dict.fromkeys(chain.from_iterable(rows))
        return pa.table({name: _array([row.get(name) for row in rows]) for name in names}), line
    table, line = HEADED[format](path, [], problems)
    problems.raise_if_any()
    return table, line


def _numbered(table: pa.Table) -> tuple[pa.Table, np.ndarray]:
    """A table, and its rows' numbers from 1."""
    return table, np.arange(1, len(table) + 1)


def _of_64_bits(digits: str) -> int:
    """A whole number of JSON, if Arrow can hold it."""
    if len(digits) > 20 or not -(1 << 63) <= (value := int(digits)) < 1 << 63:
        raise ValueError(f"{digits} is a number of more than 64 bits: a name goes in quotes")
    return value


def _of_dict(source: Mapping, what: str, value: str) -> tuple[pa.Table, np.ndarray]:
    """Columns of ``{topic: {docno: value}}``; of ``{column: values}``, these."""
    if source and all(is_list(values) for values in source.values()):
        columns = {str(name): _array(list(values)) for name, values in source.items()}
        sizes = {len(column) for column in columns.values()}
        if len(sizes) > 1:
            raise ParameterError(f"{what}: its columns are of different lengths")
        return _numbered(pa.table(columns))
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
    arrays = map(_array, map(list, columns))
    return _numbered(pa.table(dict(zip((*_KEYS, value), arrays, strict=True))))


def _of_frame(source: object, what: str) -> tuple[pa.Table, np.ndarray]:
    if is_tuples(source):
        fields = {ours: name for ours, name in _OBJECTS.items() if hasattr(source[0], name)}
        columns = {
            ours: _array([getattr(row, name) for row in source]) for ours, name in fields.items()
        }
        return _numbered(pa.table(columns))
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
    return _numbered(pa.table({str(name): _series(frame[name]) for name in frame.columns}))


def _series(series) -> pa.ChunkedArray | pa.Array:
    """A column as Arrow; of mixed values, as text."""
    try:
        return series.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError):
        return _array(series.to_list())


def _array(values: list) -> pa.Array:
    truths = sum(isinstance(one, bool) for one in values)
    if truths and any(not isinstance(one, bool) and one is not None for one in values):
        # beside numbers Arrow would make 1 of true
        return pa.array([None if one is None else str(one) for one in values], pa.string())
    try:
        return pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if one is None else str(one) for one in values], pa.string())


def is_list(values: object) -> bool:
    """Whether it is a column of values, and neither a text nor a table."""
    return isinstance(values, Sequence | np.ndarray) and not isinstance(values, str | bytes)


def _floats(column: pa.ChunkedArray) -> np.ndarray:
    """Numbers, NaN where there is none, as true and false are."""
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return mask(pc.cast(column, pa.float64(), safe=False))
    return np.array([_number(one) for one in column.to_pylist()], dtype=np.float64)


def _number(value: object) -> float:
    try:
        return math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return math.nan


def files_of(paths: object) -> list[Path]:
    """The files that a path, a glob, a folder or a list of those stand for, sorted.

    Of a folder hidden files and configurations (YAML) are none, nor what its folders hold, which
    are told of.
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
