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
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.choices import IRDS, LEAVING
from regrade.errors import InputError, ParameterError, check_choice, near_files
from regrade.readers import lines
from regrade.readers.formats import headed_format, kind_of_lines
from regrade.readers.lines import Column, Problems
from regrade.readers.records import json_rows, read_parquet, split_nothing
from regrade.readers.rows import HEADED, MISSING, Rows, mask, other_than, text_of
from regrade.readers.shapes import reshaped
from regrade.readers.spellings import called, spelled
from regrade.readers.values import (
    LEFT_OUT,
    Leaving,
    below_zero,
    few_apart,
    on_scale,
    scale_of_most,
)
from regrade.scales import UNCOMPUTABLE, Scale, are_computable
from regrade.wording import SHOWN, counted, first_few

log = logging.getLogger(__name__)

_OBJECTS = {"topic": "query_id", "docno": "doc_id", "grade": "relevance", "score": "score",
            "measure": "measure", "value": "value"}  # fmt: skip
"""What ir_measures and ir_datasets call the fields of their tuples."""

_NO_NUMBER = f"""\
An unjudged document has no row (missing: drop, --missing drop leave out empty ones).
{lines.NAMES_IN_ORDER}"""

_OF_TRUTHS = "Write 1 in place of true, and 0 in place of false: truths are no numbers."

_LOST = "Read names as text (of pandas, dtype=str): a column with gaps becomes one of decimals."

_NAMELESS = (
    "Rows without one can be left out by what they have in another column (where, as in "
    "--where topic=401,topic=402)."
)
"""What to do where rows name no topic or no document."""


@dataclass(frozen=True, eq=False)
class InputTable(Rows):
    """Rows of something that a user gave, of which what is wrong is raised at once, and shown.

    `left_out` counts rows by why they were left out, and `without` are topics that have no
    document; rows of objects within objects, which `is_nested`, are told by what they are under.
    """

    left_out: Counter = field(default_factory=Counter)
    without: tuple[str, ...] = ()
    is_nested: bool = False

    def named(
        self, required: Sequence[str], optional: Sequence[str], columns: Mapping | None = None
    ) -> Self:
        """The same, with those of our columns, which are found by spellings or by `columns`."""
        names = spelled(self.raw.column_names, str(self.path), required, optional, columns)
        self.problems.read(names.values())
        self.problems.raise_if_any()
        return replace(self, names=names)

    def identifiers(self, name: str) -> pa.Array:
        """A column of names as text: 401 is "401"; an empty or an odd one is an error."""
        if (empty := mask(pc.equal(self.text(name), ""))).any():
            self.refuse(name, empty, "is empty", self._leaving_out(name, empty))
        return self._checked(name)

    def _checked(self, name: str) -> pa.Array:
        self._check_kind(name)
        text = self.text(name)
        for row, reason in lines.odd_names(text).items():
            self.refuse(name, np.array([row]), reason)
        return text.combine_chunks() if isinstance(text, pa.ChunkedArray) else text

    def _check_kind(self, name: str) -> None:
        """Refuse what is no name: lists and objects, and numbers that have lost digits."""
        column = self.raw[self.names[name]]
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if pa.types.is_nested(kind) or isinstance(kind, pa.BaseExtensionType):
            some = mask(column.is_valid())
            self.refuse(name, some, "is not a name: names are texts or whole numbers")
        if pa.types.is_floating(kind):
            exact = 2.0 ** (np.finfo(kind.to_pandas_dtype()).nmant + 1)
            lost = np.abs(np.nan_to_num(_floats(column.cast(kind)))) > exact
            self.refuse(name, lost, f"is a number that has lost digits ({kind})", _LOST)

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
        return _NAMELESS

    def optional_identifiers(self, name: str) -> pa.Array:
        """A column of names that may be empty, or missing whole."""
        if name not in self:
            return pa.nulls(len(self), pa.string())
        text = self._checked(name)
        return pc.if_else(pc.equal(text, ""), None, text)

    def numbers(self, name: str, remedy: str = "", *, infinite: bool = False) -> np.ndarray:
        """A column of numbers, float64, finite unless they may be `infinite`.

        `remedy` is of texts that are no numbers at all.
        """
        column = self.raw[self.names[name]]
        values = _floats(column)
        wrong = np.flatnonzero(np.isnan(values) if infinite else ~np.isfinite(values))
        if infinite and np.isinf(values).any():
            says_so = mask(pc.match_substring(pc.utf8_lower(self.text(name)), "inf"))
            self.refuse(name, np.isinf(values) & ~says_so, "is beyond what a number can hold")
        if len(wrong):
            if any(str(column[int(row)]).lower() in ("true", "false") for row in wrong):
                remedy = f"{_OF_TRUTHS}\n{remedy}".strip()
            nearly = [lines.is_nearly_number(str(column[int(row)])) for row in wrong]
            remedies = lines.DIGITS_ALONE if any(nearly) else "", "" if all(nearly) else remedy
            reason = "is not a number" if infinite else "is not a finite number"
            self.refuse(name, wrong, reason, "\n".join(filter(None, remedies)))
        if not infinite:
            self.refuse(name, ~are_computable(values), UNCOMPUTABLE)
        return values

    def optional_numbers(self, name: str) -> pa.Array:
        """Numbers from 0 on of a column that may be missing; null where there is none."""
        if name not in self:
            return pa.nulls(len(self), pa.float64())
        values = _floats(self.raw[self.names[name]])
        absent = mask(pc.is_in(self.text(name), pa.array(MISSING)))
        self.refuse(
            name, ~absent & ~((values >= 0) & np.isfinite(values)), "is not a number from 0"
        )
        return pa.array(values, from_pandas=True)

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
        return self._without(absent, f"no {column} (missing)")

    def without_below_zero(self, name: str, rule: str) -> tuple[Self, Self | None]:
        """The rows whose grades are judged, and those of grades below 0 that are not, if some."""
        grades = self.numbers(name, _NO_NUMBER)
        column = self.names[name]
        grades, judged = below_zero(grades, rule, column, self.left_out)
        if judged.all():
            place = self.raw.column_names.index(column)
            return replace(self, raw=self.raw.set_column(place, column, pa.array(grades))), None
        if not judged.any():
            raise InputError(
                self.path, [(None, f"every {column} is below 0: no document is judged")]
            )
        return self.only(judged), self.only(~judged)

    def on_scale(
        self, name: str, stated: Scale | None, off_scale: str
    ) -> tuple[Self, np.ndarray, InputError | None]:
        """The rows on a scale, their values, and what is wrong of few where none was stated."""
        leaving, scale = Leaving(off_scale, "off_scale", self.left_out), stated
        if scale is not None and scale.names:
            values = self.identifiers(name)
        else:
            values = pa.array(self.numbers(name, _NO_NUMBER))
            scale = scale_of_most(values.to_numpy()) if stated is None else stated
            if scale is None:
                return self, values.to_numpy(), None
        problems = Problems(self.path)
        column = Column(values, self.line, self.names[name], problems)
        read = on_scale(column, scale, leaving, junk=name == "grade" and stated is not None)
        kept = read.is_valid()
        if not problems.count:
            return self.only(mask(kept)), read.filter(kept).to_numpy(), None
        try:
            remedy = f"Give their scale, or {LEFT_OUT}."
            self.refuse(name, ~mask(kept), scale.off, remedy)
        except InputError as error:
            if stated is not None:
                raise
            return self, values.to_numpy(), few_apart(error, values.to_numpy())

    def _without(self, rows: np.ndarray, reason: str) -> Self:
        """The table without some rows, which are counted."""
        self.left_out[reason] = int(rows.sum())
        return self.only(~rows)

    def chosen(self, where: Mapping[str, object]) -> Self:
        """The rows that have the values asked for."""
        kept = self.matching(where)
        if where and not kept.any():
            raise ParameterError(f"where: no row of {self.path} has all of {dict(where)}")
        if kept.all():
            return self
        log.info("%s: %d of %d rows are read (where)", self.path, kept.sum(), len(kept))
        return self._without(~kept, other_than(where))

    def _refuse(self, reason: str, option: str, near: str, subject: str = "") -> None:
        of = f"{subject} of {self.path}" if subject else self.path
        raise ParameterError(f"{option}: {of} {reason}{near}")

    def as_text(self, wanted: Sequence[str]) -> Rows:
        """The same, as readers of files have them, with problems gathered."""
        names = {name: self.names.get(name, name) for name in wanted}
        return Rows(self.raw, self.line, names, Problems(self.path))

    def refuse(self, name: str, wrong: np.ndarray, reason: str, remedy: str = "") -> None:
        """Raise an `InputError` where some rows of a column are wrong."""
        called, problems = self.names[name], Problems(self.path, remedy)

        def of_row(row: int) -> str:
            value = self.raw[called][row].as_py()
            subject = f"{called} {repr(value) if isinstance(value, str) else value}"
            if self.is_nested:
                place = (str(self.raw[own][row].as_py()) for own in ("topic", "docno"))
                topic, docno = map(lines.visible, place)
                subject = f"{subject} (topic {topic}, document {docno})"
            return f"{subject} {reason}"

        problems.report(self.line, wrong, of_row)
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
    # of documents alone, what a dict has beside them is no name
    value = required[-1] if len(required) > 2 else "grade"
    rows = opened(source, what, (*required, *optional), columns, value)
    return rows.named(required, optional, columns).chosen(where or {})


def opened(
    source: object,
    what: str,
    wanted: Iterable[str] = (),
    columns: Mapping[str, str] | None = None,
    value: str = "grade",
) -> InputTable:
    """The same, before it is known which column is which; `value` is what a dict of dicts holds."""
    problems, named_columns, without = Problems(what), tuple((columns or {}).values()), []
    is_nested = isinstance(source, Mapping) and not all(map(is_list, source.values()))
    if isinstance(source, str | os.PathLike):
        raw, line, without = _of_file(
            headed_format(source, columns) or "csv", named_columns, problems
        )
    else:
        if is_nested:
            without = [str(t) for t, own in source.items() if isinstance(own, Mapping) and not own]
        raw = (
            _of_dict(source, what, value)
            if isinstance(source, Mapping)
            else frame_columns(source, what)
        )
        line = np.arange(1, len(raw) + 1)
    if not len(line):
        if without and "score" in wanted:  # of a run that retrieved nothing
            raw = pa.table({name: pa.nulls(0, pa.string()) for name in ("topic", "docno", "score")})
            return InputTable(raw, line, {}, problems, without=tuple(without))
        raise InputError(what, [(None, "holds no row")])
    is_of_one = len(line) > 1 and {"topic", "docno"} <= {*raw.column_names}
    is_nested = is_nested or (is_of_one and not np.diff(line).any())
    is_of_values = not wanted or ({"grade", "value", "worker"} & {*wanted} and "left" not in wanted)
    if is_of_values and not isinstance(source, Mapping):
        held = raw.column_names
        raw, line = reshaped(raw, line, what, named_columns)
        problems.read(set(held) - set(raw.column_names))
    return InputTable(raw, line, {}, problems, without=tuple(without), is_nested=is_nested)


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
        raise ParameterError(f"ir_datasets has no set '{name.removeprefix(IRDS)}'") from None
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
    format: str, wanted: Sequence[str], problems: Problems
) -> tuple[pa.Table, np.ndarray, list[str]]:
    """Columns of a file, the lines of its rows, and topics without a document."""
    if format == "parquet":
        table = read_parquet(problems.path)
        return table, np.arange(1, len(table) + 1), []
    if format == "jsonl":
        read = json_rows(problems.path, int, finite, wanted)
        rows, line, without = split_nothing(*read)
        names = dict.fromkeys(chain.from_iterable(rows))
        columns = {name: as_column([row.get(name) for row in rows]) for name in names}
        return pa.table(columns), line, without
    table, line = HEADED[format]([], problems)
    problems.raise_if_any()
    return table, line, []


def finite(digits: str) -> float:
    """A number of JSON, which a text names where it is infinite."""
    if math.isinf(value := float(digits)):
        raise ValueError(f"{digits} is beyond what a number can hold")
    return value


def _of_dict(source: Mapping, what: str, value: str) -> pa.Table:
    """Columns of ``{topic: {docno: value}}``; of ``{column: values}``, these."""
    if source and all(is_list(values) for values in source.values()):
        columns = {str(name): as_column(list(values)) for name, values in source.items()}
        if len({len(column) for column in columns.values()}) > 1:
            raise ParameterError(f"{what}: its columns are of different lengths")
        return pa.table(columns)
    names = Counter(map(str, source))
    if len(names) < len(source):
        ((name, _),) = names.most_common(1)
        raise ParameterError(f"{what}: two topics are called '{name}': use strings as names")
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
    columns = map(list, zip(*rows, strict=True) if rows else ((), (), ()))
    return pa.table(dict(zip(("topic", "docno", value), map(as_column, columns), strict=True)))


def frame_columns(source: object, what: str) -> pa.Table:
    """Columns of a frame, of columns by name, or of tuples as ir_measures makes them."""
    if isinstance(source, Mapping):
        return _of_dict(source, what, "value")
    if is_tuples(source):
        fields = {ours: name for ours, name in _OBJECTS.items() if hasattr(source[0], name)}
        columns = {n: [getattr(row, field) for row in source] for n, field in fields.items()}
        return pa.table({name: as_column(values) for name, values in columns.items()})
    import narwhals as nw

    source = _without_index(source)
    try:
        frame = nw.from_native(source, eager_only=True)
        names = frame.columns
    except ValueError as error:  # narwhals' own, of names that stand twice or have levels
        raise ParameterError(f"{what}: columns need a name each: {error}") from None
    except TypeError:
        remedy = "collect it first" if hasattr(source, "collect") else (
            "give a path, a frame of pandas or polars, an Arrow table, or a dict "
            "{topic: {docno: number}}"
        )  # fmt: skip
        kind = type(source).__name__
        raise ParameterError(f"{what} is a {kind}, which cannot be read: {remedy}") from None
    columns = {}
    for name in names:
        column = frame.get_column(name)
        try:
            # of objects an array may hold where they stand in memory
            columns[str(name)] = None if column.dtype == nw.Object else column.to_arrow()
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            columns[str(name)] = None
        if columns[str(name)] is None:
            columns[str(name)] = as_column(column.to_list())
    return pa.table(columns)


def _without_index(source: object) -> object:
    """A frame of pandas with the names of its index, where it has some, as columns."""
    names = [*getattr(getattr(source, "index", None), "names", [])]
    is_named = bool(names) and None not in names and hasattr(source, "reset_index")
    held = [*source.columns] if is_named and hasattr(source, "columns") else []
    return source.reset_index() if is_named and not {*names} & {*held} else source


def as_column(values: list) -> pa.Array:
    """A column of values; of mixed ones, as text."""
    truths = sum(isinstance(one, bool | np.bool_) for one in values)
    # beside numbers Arrow would make 1 of true
    if not truths or all(isinstance(one, bool | np.bool_) or one is None for one in values):
        try:
            return pa.array(values, from_pandas=True)
        except (pa.ArrowException, OverflowError):  # of more than 64 bits, or mixed
            pass
        except UnicodeEncodeError as error:
            problem = f"{error.object!a} holds half a character (a surrogate), which is not text"
            raise ParameterError(problem) from None
    return pa.array([None if _is_none(one) else _as_text(one) for one in values], pa.string())


def _is_none(value: object) -> bool:
    """Whether it is none, or what pandas has where there is none."""
    return value is None or (not isinstance(value, str) and str(value) in ("nan", "<NA>", "NaT"))


def _as_text(value: object) -> str:
    """A value as text; a whole number has no point."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


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
        if isinstance(value, str):
            return lines.as_number(value.strip())
        return math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


# --- files ----------------------------------------------------------------------------------------


def files_of(paths: object) -> list[Path]:
    """The files that a path, a glob, a folder or a list of those stand for, sorted.

    Of a folder hidden files and configurations (YAML) are none, nor what its folders hold, which
    are told of.  The output folder of an evaluation framework stands for its files of scores.
    """
    if isinstance(paths, Iterable) and not isinstance(paths, str | os.PathLike):
        files = [file for path in paths for file in files_of(path)]
        for file, count in Counter(map(Path.absolute, files)).items():
            if count > 1:
                written = next(one for one in files if one.absolute() == file)
                raise ParameterError(f"{written}: is given {count} times: name it once")
        return files
    path = Path(os.fspath(paths))
    if path.is_dir():
        if results := _framework_results(path):
            return results
        seen = sorted(one for one in path.iterdir() if not one.name.startswith("."))
        files = [f for f in seen if f.is_file() and f.suffix not in (".yaml", ".yml")]
        within = first_few([str(one) for one in seen if one.is_dir()])
        if not files:
            also = f", but folders, {within}: name those that you mean" if within else ""
            raise ParameterError(f"{path}: the folder holds no file{also}")
        if within:
            log.warning("%s: folders in it are not looked into: name them too: %s", path, within)
        return files
    if not path.exists() and any(mark in path.name for mark in "*?["):
        files = sorted(path.parent.glob(path.name))
        if not files:
            raise ParameterError(f"{path}: no file matches{near_files(path)}")
        return files
    return [path]


MODEL_META = "model_meta.json"
"""What MTEB calls the file beside its results that describes the model."""

_SCORES_OF_FRAMEWORKS = ("per_instance_stats.json*", "samples_*.jsonl*")
"""Files of scores by item of HELM and lm-evaluation-harness, beside others that are none."""

_LEVELS = ("", "*/", "*/*/", "*/*/*/")
"""Folders below one that is named: of suites, of their runs or models, of versions."""


def _framework_results(folder: Path) -> list[Path]:
    """The files of scores in a framework's output folder and its folders; none of other folders."""
    for name in _SCORES_OF_FRAMEWORKS:
        if files := [file for level in _LEVELS for file in folder.glob(level + name)]:
            return sorted(files)
    of_models = [level for level in _LEVELS if next(folder.glob(level + MODEL_META), None)]
    results = [file for level in of_models for file in folder.glob(level + "*.json")]
    return sorted(file for file in results if file.name != MODEL_META)


@dataclass(frozen=True)
class FileKind:
    """What a file holds, and how it is written.

    Attributes
    ----------
    kind
        ``runs``, ``groups``, ``families``, ``qrels``, ``judgments`` or ``preferences``; or a
        ``sample``, labels of documents that were chosen at random, or ``origins``, whose runs
        brought each document to a pool.
    format, columns
        One of `regrade.choices.NAMED_COLUMNS`, and its columns; ``None`` and none of lines.
    """

    kind: str
    format: str | None = None
    columns: tuple[str, ...] = ()


def kind_of(file: Path) -> FileKind:
    """What a file holds, told by its first lines or the names of its columns."""
    format = headed_format(file)
    if format is None:
        return FileKind(kind_of_lines(file))
    columns = opened(file, str(file)).raw.column_names

    def has(*roles: str) -> bool:
        return all(called(columns, role) for role in roles)

    def kind() -> str:
        if has("topic") and (has("left", "right") or has("winner", "loser")):
            return "preferences"
        if not has("topic", "docno"):
            listed = ", ".join(columns)
            raise ParameterError(
                f"{file}: its columns ({listed}) are neither those of labels (topic, docno, grade),"
                " of judgments (topic, docno, worker, value) nor of preferences (topic, left, "
                "right, preferred): rename them. Which of two result pages is preferred goes under "
                "`pages`, by hand; config/README.md has its keys"
            )
        if has("inclusion"):
            return "sample"
        if has("worker"):
            return "judgments"
        # a grade may stand beside what may be a run's score
        others = [name for name in columns if not called([name], "score")]
        is_run = (has("system") or has("rank")) and not called(others, "grade")
        return "runs" if is_run else "qrels"

    return FileKind(kind(), format, tuple(columns))
