"""Scores of systems by item: files and frames of any shape, as a typed table.

A source becomes parts (`ScoreRows`: a row for each value), one for each file; `table_of` makes of
all parts one table of schema ``item-scores``, in which nothing stands twice.
"""

from __future__ import annotations

import csv
import json
import logging
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.conversions import to_arrow, to_numpy
from regrade.errors import InputError, ParameterError, RegradeError, did_you_mean
from regrade.readers.encodings import (
    check_text,
    is_workbook,
    read_bytes,
    read_head,
    read_lines,
    without_comments,
)
from regrade.readers.formats import ITERATIONS, line_of_total
from regrade.readers.lines import Problems, as_number, is_number, odd_names, quoted, visible
from regrade.readers.records import is_array, json_objects, read_parquet
from regrade.readers.rows import HEADED, MISSING, Rows, mask, text_of
from regrade.readers.score_shapes import MODEL_META, ScoreFile, any_fits, shaped
from regrade.readers.shapes import ANSWERS, is_shaped
from regrade.readers.sources import (
    as_column,
    files_of,
    finite,
    frame_columns,
    is_list,
    is_tuples,
    kind_of,
)
from regrade.readers.spellings import SCORES, called
from regrade.readers.spellings import plain as _plain
from regrade.scales import UNCOMPUTABLE, are_computable
from regrade.tables import encode
from regrade.wording import first_few

log = logging.getLogger(__name__)

KEY = ("system", "topic", "measure", "judge", "dataset", "repeat")
"""Columns that together name a score."""
NAMES = (*KEY, "cluster")
"""Columns of names of the schema ``item-scores``."""
LONE_MEASURE = "score"
"""What the measure is called of scores that name none."""

WORDS = {"true": 1.0, "false": 0.0, "c": 1.0, "i": 0.0, "p": 0.5, "n": 0.0, "pass": 1.0,
         "fail": 0.0}  # fmt: skip
"""What words count as scores, in small letters: of truths, and of Inspect's letters."""

Notation = Callable[[str], str | None]
"""A measure's name in our notation, of those that are ours."""
OfMeasures = Callable[[Sequence[str]], bool]
"""Whether columns are measures."""

OVER_ALL = "means over all items"
NO_VALUE = "no value (missing)"
"""Why rows are left out."""


@dataclass(frozen=True)
class Coded:
    """Names, sorted, and which each row has (−1: none)."""

    names: pa.StringArray
    codes: np.ndarray

    @classmethod
    def of(cls, column: pa.Array | pa.ChunkedArray) -> Coded:
        """Those of a column."""
        chunked = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
        names, codes = encode(chunked)
        return cls(names, codes.astype(_smallest(len(names))))

    @classmethod
    def lone(cls, name: str, size: int) -> Coded:
        """One name of all rows."""
        return cls(pa.array([name], pa.string()), np.broadcast_to(np.int8(0), size))

    def take(self, rows: np.ndarray) -> Coded:
        """The same of some rows."""
        return Coded(self.names, self.codes[rows])


@dataclass(frozen=True, eq=False)
class ScoreRows:
    """Scores as a source lists them.

    Attributes
    ----------
    columns
        Names by our column, of those that are known.
    value : array of float64, shape (n,)
        NaN where there is none.
    line
        Numbers of lines, or of rows from 1; of values that stand side by side the line of row i is
        ``line[i % len(line)]``.
    path
        The file, or what messages call a frame.
    """

    columns: Mapping[str, Coded]
    value: np.ndarray
    line: np.ndarray
    path: str
    notes: tuple[str, ...] = ()
    left_out: Counter = field(default_factory=Counter)

    def __len__(self) -> int:
        """How many values there are, missing ones too."""
        return len(self.value)

    def place(self, row: int) -> str:
        """Where a row stands."""
        return f"{self.path}:{self.line[row % len(self.line)]}"

    def with_column(self, name: str, value: str) -> ScoreRows:
        """The same, where one name stands for all rows."""
        return replace(self, columns={**self.columns, name: Coded.lone(value, len(self))})


# --- what a source holds --------------------------------------------------------------------------


def parts_of(
    source: object,
    what: str,
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, object] | None = None,
    measures: Collection[str] = (),
    notation: Notation = str,
) -> list[ScoreRows]:
    """The parts of whatever holds scores, one for each file; `measures` are columns' names."""
    reading = _Reading(dict(columns or {}), dict(where or {}), tuple(measures), notation)
    return reading.parts(source, what)


def _is_path(source: object) -> bool:
    return isinstance(source, str | os.PathLike)


@dataclass(frozen=True)
class _Reading:
    """How scores are read: our names of columns → the source's, values of columns, measures."""

    columns: Mapping[str, str]
    where: Mapping[str, object]
    measures: tuple[str, ...]
    notation: Notation

    def parts(self, source: object, what: str) -> list[ScoreRows]:
        """The parts of whatever holds scores, one for each file."""
        if isinstance(source, Mapping) and not (source and all(map(is_list, source.values()))):
            return self.by_system(source, what)
        if _is_path(source) or (is_list(source) and len(source) and all(map(_is_path, source))):
            files = files_of(source)
            held = [path for path in files if path.name != MODEL_META]
            return list(map(self.file, held or files))
        if is_list(source) and not is_tuples(source):
            if not len(source):
                raise ParameterError("scores: the list is empty: give at least one set of scores")
            return [part for one in source for part in self.parts(one, what)]
        return [self.frame(frame_columns(source, what), what)]

    def by_system(self, source: Mapping, what: str) -> list[ScoreRows]:
        """Those of a dict by system: numbers by item, by item and measure, or anything else.

        Of one system: numbers by measure and item, or by item and measure, where measures are ours.
        """
        if not source:
            raise ParameterError(f"{what}: the dict is empty: give {{system: {{item: number}}}}")
        _check_names_once(source, what)
        if self._of_one_system(source):
            order = ("measure", "topic") if self.are_ours(source) else ("topic", "measure")
            rows = [
                dict(zip(order, (str(outer), str(name)), strict=True)) | {"value": value}
                for outer, own in source.items()
                for name, value in own.items()
            ]
            log.info("%s: items and measures of one system", what)
            return [self.frame(_columns_of(rows), what)]
        rows: list[dict] = []
        parts: list[ScoreRows] = []
        for system, own in source.items():
            if isinstance(own, Mapping) and not all(map(is_list, own.values())):
                rows += [{"system": str(system), **row} for row in self._numbers_by_item(own, what)]
            elif isinstance(own, Mapping) or _is_path(own) or hasattr(own, "__len__"):
                held = self.parts(own, f"{what} ({system})")
                parts += [_of_system(part, str(system)) for part in held]
            else:
                raise ParameterError(
                    f"{what}: under system {system!r} stands {own!r}: a dict is "
                    "{system: {item: number}} or {system: file or frame}"
                )
        return ([self.frame(_columns_of(rows), what)] if rows else []) + parts

    def _numbers_by_item(self, own: Mapping, what: str) -> Iterator[dict]:
        """Numbers of one system, by item, by item and measure, or by measure and item."""
        by_measure = self.are_ours(own)
        for item, held in own.items():
            if not isinstance(held, Mapping):
                yield {"topic": str(item), "measure": LONE_MEASURE, "value": held}
                continue
            for name, value in held.items():
                if isinstance(value, Mapping):
                    raise ParameterError(
                        f"{what}: under {item!r}, {name!r} stands another dict: "
                        "{system: {item: {measure: number}}} is wanted"
                    )
                pair = (name, item) if by_measure else (item, name)
                yield dict(zip(("topic", "measure"), map(str, pair), strict=True)) | {
                    "value": value
                }

    def are_ours(self, names: Iterable[object]) -> bool:
        """Whether all of some names are measures in our notation."""
        return all(self.notation(str(name)) is not None for name in names)

    def _of_one_system(self, source: Mapping) -> bool:
        """Whether a dict holds one system's numbers by item and measure, or by measure and item."""
        own = list(source.values())
        of_numbers = all(
            isinstance(one, Mapping)
            and one
            and not any(isinstance(v, Mapping) or is_list(v) or _is_path(v) for v in one.values())
            for one in own
        )
        return of_numbers and (self.are_ours(source) or all(map(self.are_ours, own)))

    def file(self, path: Path) -> ScoreRows:
        """Those of a file."""
        format = score_format(path)
        if format in ("trec_eval", "lines"):
            return self._chosen_lines(plain_score_lines(path, self.notation))
        problems = Problems(str(path))
        if format == "jsonl":
            return self._json(path)
        if format == "parquet":
            raw = read_parquet(path, coded=True)
            line = np.arange(1, len(raw) + 1, dtype=np.int32)
        else:
            raw, line = HEADED[format]([], problems)
            problems.raise_if_any()
        return self._named_by_file(self.frame(raw, str(path), line), path)

    def _named_by_file(self, part: ScoreRows, path: Path) -> ScoreRows:
        """A part with the file's name as its system where it names none."""
        return part if "system" in part.columns else part.with_column("system", file_name(path))

    def _json(self, path: Path) -> ScoreRows:
        """Those of objects: of a shape that is known, by system, or with names as columns."""
        rows, lines = json_objects(path, int, finite)
        about = ScoreFile(path, self.measures)
        if made := shaped(rows, lines.tolist(), about):
            rows, of, said = made
            log.info("%s: %s", path, said)
            part = self.frame(_columns_of(rows), str(path), np.array(of, dtype=np.int32))
            note = f"Read as {said}."
            part = replace(part, left_out=part.left_out + about.left_out)
            return self._named_by_file(replace(part, notes=(note, *part.notes)), path)
        if len(rows) == 1 and (columns := _pandas_columns(rows[0])):
            part = self.frame(columns, str(path))
            return self._named_by_file(replace(part, line=np.array([1], dtype=np.int32)), path)
        if len(rows) == 1 and _is_nested(rows[0]):
            (part,) = self.by_system(rows[0], str(path))
            return self._named_by_file(replace(part, line=np.array([1], dtype=np.int32)), path)
        return self._named_by_file(self.frame(_columns_of(rows), str(path), lines), path)

    def are_measures(self, names: Sequence[str]) -> bool:
        """Whether columns of values are measures, and not systems."""
        return bool({*self.measures} & {*names}) or all(
            is_measure(name, self.notation) for name in names
        )

    def _chosen_lines(self, part: ScoreRows) -> ScoreRows:
        if self.columns or self.where:
            raise ParameterError(
                f"{part.path}: columns and where go with files whose first line names columns"
            )
        return part

    def frame(self, raw: pa.Table, what: str, line: np.ndarray | None = None) -> ScoreRows:
        """Those of columns with names."""
        if line is None:
            line = np.arange(1, len(raw) + 1, dtype=np.int32)
        if not len(raw):
            raise InputError(what, [(None, "holds no row")])
        left_out: Counter = Counter()
        raw = _named(raw)
        if self.where:
            kept = Rows(raw, line, {}, Problems(what)).where(self.where, left_out)
            raw, line = kept.raw, kept.line
        layout = _layout(raw, what, self.columns, self.are_measures)
        if {"topic", "measure"} <= layout.names.keys():  # as leaderboards list means too
            topic = text_of(raw[layout.names["topic"]])
            totals = mask(pc.fill_null(pc.is_in(topic, pa.array(_TOTALS)), False))
            if totals.any() and not totals.all():
                left_out[OVER_ALL] += int(totals.sum())
                raw, line = raw.filter(pa.array(~totals)), line[~totals]
        part = layout.rows(raw, line, what)
        return replace(part, left_out=left_out + part.left_out)


def _columns_of(rows: Sequence[Mapping]) -> pa.Table:
    """Columns of objects; what is an object or a list itself is no column."""
    names = dict.fromkeys(chain.from_iterable(rows))
    columns = {}
    for name in names:
        held = [row.get(name) for row in rows]
        if not any(isinstance(one, dict | list) for one in held):
            columns[name] = as_column(held)
    return pa.table(columns)


def _pandas_columns(row: Mapping) -> pa.Table | None:
    """Columns of rows that are counted, as pandas writes them as JSON; ``None`` of all else."""
    inner = list(row.values())
    if not _is_nested(row) or not all(list(one) == list(inner[0]) for one in inner):
        return None
    is_counted = list(inner[0]) == [str(place) for place in range(len(inner[0]))]
    texts = [one for own in inner for one in own.values() if isinstance(one, str)]
    if not is_counted or all(map(_is_score_or_none, texts)):
        return None
    return _columns_of([{n: own[place] for n, own in row.items()} for place in inner[0]])


def _is_nested(row: Mapping) -> bool:
    """Whether all that an object holds are objects."""
    return bool(row) and all(isinstance(one, Mapping) and one for one in row.values())


def _of_system(part: ScoreRows, system: str) -> ScoreRows:
    """A part whose only system is called by the user's name."""
    held = part.columns.get("system")
    if held is not None and len(held.names) > 1:
        raise ParameterError(
            f"scores: '{system}' contains {len(held.names)} systems "
            f"({first_few(held.names.to_pylist())}): give one system each, or the file alone"
        )
    return part.with_column("system", system)


def _check_names_once(source: Mapping, what: str) -> None:
    """Refuse names of a dict that are the same as texts."""
    names = Counter(map(str, source))
    if len(names) < len(source):
        ((name, _),) = names.most_common(1)
        raise ParameterError(f"{what}: two names are '{name}': use strings as names")


_ENDINGS = (".gz", ".bz2", ".xz", ".zip", ".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx",
            ".txt", ".eval", ".scores", ".res",
            ".trec_eval", ".ir_measures", ".tot", ".rag4reports")  # fmt: skip


def file_name(path: str | os.PathLike) -> str:
    """What a file's only system is called: its name without its endings."""
    name = Path(path).name
    while name.lower().endswith(_ENDINGS):
        name = name[: name.rfind(".")]
    return name or Path(path).name


# --- which column is which ------------------------------------------------------------------------


@dataclass(frozen=True)
class _Layout:
    """How columns hold scores: `names` are ours → the source's, `across` the columns of values.

    `of_across` is what the columns of values are: systems, measures or items.
    """

    names: Mapping[str, str]
    across: tuple[str, ...]
    of_across: str = ""
    notes: tuple[str, ...] = ()

    def rows(self, raw: pa.Table, line: np.ndarray, what: str) -> ScoreRows:
        """A row for each value."""
        problems = Problems(what)
        n = len(raw)
        base = {ours: _coded(raw[name], line, name, problems) for ours, name in self.names.items()}
        for ours in ("system", "topic", "measure"):
            if ours in base and (base[ours].codes < 0).any():
                name = self.names[ours]
                problems.report(line, base[ours].codes < 0, lambda _, name=name: f"{name} is empty")
        if not self.of_across:
            value = _numbers(raw[self.across[0]], line, self.across[0], problems)
            problems.raise_if_any()
            return ScoreRows(base, value, line, what, self.notes)
        across = pa.array([_plain_label(name) for name in self.across], pa.string())
        order = pc.sort_indices(across).to_numpy()
        many = len(self.across)
        # few enough to be sorted before they are repeated
        rows = np.argsort(base["topic"].codes, kind="stable") if "topic" in base else np.arange(n)
        value = np.empty((many, n))
        for place, which in enumerate(order):
            name = self.across[which]
            value[place] = _numbers(raw[name], line, name, problems)[rows]
        problems.raise_if_any()
        line, base = line[rows], {name: one.take(rows) for name, one in base.items()}
        columns = {ours: Coded(one.names, np.tile(one.codes, many)) for ours, one in base.items()}
        columns[self.of_across] = Coded(
            across.take(to_arrow(order)), np.repeat(np.arange(many, dtype=_smallest(many)), n)
        )
        return ScoreRows(columns, value.ravel(), line, what, self.notes)


def _plain_label(name: object) -> str:
    return str(name).strip()


def _smallest(count: int) -> np.dtype:
    """The integers that number so many, and −1."""
    return np.min_scalar_type(-max(count, 1))


def _named(raw: pa.Table) -> pa.Table:
    """A table whose columns have names, as pandas calls one that has none."""
    names = [str(name) or f"Unnamed: {i}" for i, name in enumerate(raw.column_names)]
    return raw.rename_columns(names)


_IGNORED = ("line", "rank", "index", "level_0", "unnamed:_0")


def _layout(
    raw: pa.Table, what: str, columns: Mapping[str, str], of_measures: OfMeasures
) -> _Layout:
    """Which columns are which, told by their names, and by what they hold."""
    names = raw.column_names
    for ours, theirs in columns.items():
        if ours not in (*NAMES, "value"):
            known = did_you_mean(ours, (*NAMES, "value"))
            raise ParameterError(f"columns: scores have no use for '{ours}'{known}")
        if theirs not in names:
            near = did_you_mean(theirs, names)
            raise ParameterError(f"columns: {what} has no column '{theirs}'{near}")
    chosen, free = dict(columns), [name for name in names if name not in columns.values()]
    for ours in ("measure", "value", "system", "topic", "dataset", "repeat", "cluster", "judge"):
        if ours in chosen:
            continue
        fitting = called(free, ours, SCORES)
        if ours in ("system", "topic", "measure") and len(fitting) > 1:
            fitting = _first_spelled(fitting, ours)
        if ours == "value" and len(fitting) > 1:
            fitting = []  # several measures side by side
        if fitting and ours not in ("value",) and not _may_name(raw[fitting[0]], ours):
            fitting = []
        if fitting:
            chosen[ours] = fitting[0]
            free.remove(fitting[0])
    if "value" in chosen and {"system", "topic"} & chosen.keys():
        if "topic" not in chosen:
            raise _no_items(what, names)
        used = {ours: chosen[ours] for ours in NAMES if ours in chosen}
        return _Layout(used, (chosen["value"],))
    return _wide(raw, what, chosen, free, of_measures)


def _first_spelled(names: Sequence[str], ours: str) -> list[str]:
    """The one that stands first among our spellings."""
    plain = {_plain(name): name for name in names}
    return [plain[one] for one in SCORES[ours] if one in plain][:1] or list(names[:1])


def _may_name(column: pa.ChunkedArray, ours: str) -> bool:
    """Whether a column may hold names: fractions name neither items nor seeds."""
    if pa.types.is_floating(column.type):
        held = column.drop_null()
        return bool(len(held)) and bool(pc.all(pc.equal(held, pc.floor(held))).as_py())
    return not pa.types.is_nested(column.type)


def _wide(
    raw: pa.Table,
    what: str,
    chosen: Mapping[str, str],
    free: Sequence[str],
    of_measures: OfMeasures,
) -> _Layout:
    """Values side by side: columns are systems, measures or items."""
    names = raw.column_names
    chosen = dict(chosen)
    if "value" in chosen:  # a system, measure or item of that name
        own = {*free, chosen.pop("value")}
        free = [name for name in names if name in own]
    across = [name for name in free if name.lower() not in _IGNORED and _are_scores(raw[name])]
    notes: list[str] = []
    if "topic" not in chosen and "system" not in chosen:
        first = next((name for name in free if not _are_scores(raw[name])), None)
        first = first or next((name for name in free if name.startswith("Unnamed")), None)
        if first is None:
            raise _no_items(what, names)
        across = [name for name in across if name != first]
        if len(raw) >= len(across):
            chosen["topic"] = first
            held, other = "items stand in rows and systems in columns", f"system={first}"
        else:
            chosen["system"] = first
            held, other = "systems stand in rows and items in columns", f"topic={first}"
        notes.append(
            f"{what}: {held} ({len(raw):,} rows, {len(across):,} columns); if it is the other way "
            f"round, name the first column: columns {other}"
        )
    if not across:
        raise _no_values(what, names)
    used = {ours: chosen[ours] for ours in NAMES if ours in chosen}
    if "topic" in chosen and "system" in chosen:
        return _Layout(used, tuple(across), "measure", tuple(notes))
    if "system" in chosen:
        return _Layout(used, tuple(across), "topic", tuple(notes))
    answers = [name for name in raw.column_names if _plain(name) in ANSWERS]
    side_by_side = "measure" if answers or of_measures(across) else "system"
    return _Layout(used, tuple(across), side_by_side, tuple(notes))


_MEASURES = ("accuracy", "acc", "acc_norm", "em", "exact_match", "f1", "wer", "cer", "bleu",
             "rouge1", "rouge2", "rougel", "chrf", "precision", "recall", "pass@1",
             "faithfulness", "answer_relevancy", "context_precision", "context_recall",
             "answer_correctness", "answer_similarity")  # fmt: skip
"""What columns are called that are measures, beside those that rankings are scored by."""


def is_measure(name: str, notation: Notation) -> bool:
    """Whether a column's name is that of a measure."""
    return name.strip().lower() in _MEASURES or notation(name) is not None


def _are_scores(column: pa.ChunkedArray) -> bool:
    """Whether a column holds numbers or truths, or nothing else but what is missing."""
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return True
    if pa.types.is_null(kind):
        return True
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return False
    texts = pc.unique(column.slice(0, 1000)).to_pylist()
    return all(one is None or one in MISSING or _is_score(one) for one in texts)


def _is_score(text: str) -> bool:
    return is_number(text.strip()) or text.strip().lower() in ("true", "false")


def _no_items(what: str, names: Sequence[str]) -> ParameterError:
    listed = ", ".join(names)
    return ParameterError(
        f"{what}: no column names the items (its columns: {listed}): name it, "
        f"columns={{'topic': …}} of read_scores, --columns topic=… in a command"
    )


def _no_values(what: str, names: Sequence[str]) -> ParameterError:
    listed = ", ".join(names)
    return ParameterError(
        f"{what}: no column holds scores (its columns: {listed}): name it, "
        f"columns={{'value': …}} of read_scores, --columns value=… in a command"
    )


# --- names and numbers ----------------------------------------------------------------------------


def _coded(column: pa.ChunkedArray, line: np.ndarray, name: str, problems: Problems) -> Coded:
    """Names of a column; odd ones are problems."""
    coded = _encoded(column)
    for place, why in odd_names(coded.names).items():
        row = int(np.argmax(coded.codes == place))
        said = f"{name} {visible(coded.names[place].as_py())} {why}"
        problems.add([int(line[row])], [said])
    return coded


def _encoded(column: pa.ChunkedArray) -> Coded:
    """Names of a column; of one that has codes already those that these stand for."""
    if not pa.types.is_dictionary(column.type):
        text = text_of(column)
        return Coded.of(pc.if_else(pc.is_in(text, pa.array(MISSING)), None, text))
    whole = column.unify_dictionaries().combine_chunks()
    own = _encoded(pa.chunked_array([whole.dictionary]))
    code_of = np.append(own.codes, own.codes.dtype.type(-1))
    codes = code_of[to_numpy(whole.indices, -1)]
    used = np.zeros(len(own.names) + 1, dtype=bool)
    used[codes] = True
    if used[:-1].all():
        return Coded(own.names, codes)
    kept = np.flatnonzero(used[:-1])
    again = np.full(len(used), -1, dtype=codes.dtype)
    again[kept] = np.arange(len(kept))
    return Coded(own.names.take(to_arrow(kept)), again[codes])


def _numbers(
    column: pa.ChunkedArray, line: np.ndarray, name: str, problems: Problems
) -> np.ndarray:
    """Numbers of a column, NaN where there is none; what is neither is a problem."""
    kind = column.type
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan)
    if pa.types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
        numbers = pc.cast(column.cast(pa.uint8()) if pa.types.is_boolean(kind) else column,
                          pa.float64(), safe=False)  # fmt: skip
        values = to_numpy(numbers, np.nan)
    else:
        values = _texts(column, line, name, problems)
    wrong = np.isinf(values)
    problems.report(line, wrong, lambda row: f"{name} {column[row]} is not a finite number")
    if not wrong.any():
        off = ~are_computable(values) & ~np.isnan(values)
        problems.report(line, off, lambda row: f"{name} {column[row]} {UNCOMPUTABLE}")
    return values


def _texts(column: pa.ChunkedArray, line: np.ndarray, name: str, problems: Problems) -> np.ndarray:
    """Numbers of texts, and words that count as such."""
    text = pc.utf8_trim_whitespace(column.cast(pa.string()))
    known = pc.if_else(pc.is_in(text, pa.array(MISSING)), None, text)
    try:
        return to_numpy(known.cast(pa.float64()), np.nan)
    except pa.ArrowInvalid:
        pass
    values, wrong = np.full(len(known), np.nan), []
    for row, one in enumerate(known.to_pylist()):
        if one is None:
            continue
        if (word := one.lower()) in WORDS:
            values[row] = WORDS[word]
            continue
        try:
            values[row] = as_number(one)
        except ValueError:
            wrong.append(row)
    reasons = (f"{name} {quoted(str(column[row]))} is not a number" for row in wrong)
    problems.add(line[wrong], reasons)
    if wrong:
        problems.advise("A missing score is an empty field; true and false count 1 and 0.")
    return values


# --- how a file is written ------------------------------------------------------------------------

_LOOKED_AT = 20
"""Lines by which it is told how a file is written."""


def score_format(path: str | os.PathLike) -> str:
    """How a file of scores is written, told by how it begins: ``lines`` name no columns."""
    if is_workbook(path):
        return "xlsx"
    data = read_head(path)
    if data.startswith(b"PAR1"):
        return "parquet"
    check_text(path, data)
    head = data.decode("utf-8", "replace").lstrip()
    if head.startswith("{") or is_array(data):
        return "jsonl"
    lines = [line for line in head.splitlines()[:_LOOKED_AT] if line.strip()]
    for ending, mark in (("tsv", "\t"), ("csv", ","), ("csv", ";")):
        if mark in lines[0] and _has_header([line.split(mark) for line in lines], mark):
            return ending
    return "lines"


def _has_header(lines: Sequence[Sequence[str]], mark: str) -> bool:
    """Whether the first line has names; lines between commas always have some."""
    first, *below = lines
    if mark != "\t":
        return True
    if first[0].strip() in _NO_SCORES:
        return False
    if any(called([name], ours, SCORES) for name in first for ours in (*NAMES, "value")):
        return not is_number(first[-1].strip())
    below = [line for line in below if len(line) == len(first)]
    return any(
        not is_number(name.strip()) and bool(column) and all(map(_is_score_or_none, column))
        for name, *column in zip(first, *below, strict=True)
    )


def _is_score_or_none(text: str) -> bool:
    return text.strip() in MISSING or _is_score(text)


_NO_SCORES = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret")
"""What trec_eval lists that are counts, or no numbers at all."""
_TOTALS = ("all", "amean")
"""What stands for all items where scores are listed by item."""


def plain_score_lines(path: str | os.PathLike, notation: Notation) -> ScoreRows:
    """Lines of a measure, an item and a number, and of several systems of these too."""
    text = read_lines(path).decode("utf-8", "replace")
    fields = [(number, line.split()) for number, line in enumerate(text.splitlines(), 1)]
    fields = [(number, line) for number, line in fields if line]
    order = _order(path, [line for _, line in fields], notation)
    wrong, left_out = [], Counter()
    rows, lines, name = [], [], None
    for number, line in fields:
        if len(line) != len(order):
            if len(line) == len(order) - 1 and "topic" in order and _is_score(line[-1]):
                left_out[OVER_ALL] += 1
            else:
                should = f"columns where there should be {len(order)} ({' '.join(order)})"
                wrong.append((number, f"has {len(line)} {should}: {quoted(' '.join(line))}"))
            continue
        row = dict(zip(order, line, strict=True))
        if row["measure"] == "runid":
            name = row["value"]
        elif row["topic"] in _TOTALS:
            left_out[OVER_ALL] += 1
        elif row["measure"] in _NO_SCORES:
            left_out["counts of documents"] += 1
        else:
            rows.append(row)
            lines.append(number)
    if wrong:
        raise InputError(path, wrong)
    if not rows:
        remedy = "Score by item: trec_eval -q, ir_measures -q."
        raise InputError(path, [(None, "holds means over all items only")], remedy)
    problems, line = Problems(path), np.array(lines, dtype=np.int32)
    columns = {n: pa.chunked_array([pa.array([row[n] for row in rows])]) for n in order}
    names = {n: _coded(columns[n], line, n, problems) for n in order if n != "value"}
    value = _numbers(columns["value"], line, "value", problems)
    problems.raise_if_any()
    if "system" not in names:
        names["system"] = Coded.lone(name or file_name(path), len(rows))
    return ScoreRows(names, value, line, str(path), (), left_out)


_ORDERS = {
    3: (("measure", "topic", "value"), ("topic", "measure", "value")),
    4: (
        ("system", "topic", "measure", "value"),
        ("system", "measure", "topic", "value"),
        ("topic", "system", "measure", "value"),
    ),
}
"""What fields are: of trec_eval and ir_measures; of leaderboards as AutoJudge writes them."""


def _order(
    path: str | os.PathLike, lines: Sequence[Sequence[str]], notation: Notation
) -> tuple[str, ...]:
    """What the fields of lines are."""
    size = max((len(line) for line in lines if _is_score(line[-1])), default=0)
    lines = [line for line in lines if len(line) == size]
    orders = _ORDERS.get(size)
    if orders is None:
        raise InputError(
            path,
            [(1, "is no line of scores: topic measure value, or system topic measure value")],
            "Give the file a first line that names its columns, as system,topic,measure,value.",
        )

    def fits(order: Sequence[str]) -> float:
        """How many fields are measures, where measures should stand."""
        place, total = order.index("measure"), order.index("topic")
        names = {line[place] for line in lines}
        is_total = sum(line[total] in _TOTALS for line in lines)
        known = sum(is_measure(name, notation) or name in _NO_SCORES for name in names) / len(names)
        return 2 * bool(is_total) + known - len(names) / (len(lines) + 1) / 2

    return max(orders, key=fits)


# --- one table of all parts -----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ReadScores:
    """A table of schema ``item-scores``, and what was read otherwise than it stood."""

    table: pa.Table
    left_out: Mapping[str, int]
    notes: tuple[str, ...]
    lower: tuple[str, ...] = ()


def table_of(
    parts: Sequence[ScoreRows],
    lower: Collection[str] = (),
    measures: Collection[str] = (),
    notation: Notation = str,
) -> ReadScores:
    """All parts as one table, sorted; nothing stands twice.

    Of measures in `lower` lower values are better: these have the opposite sign in the table, and
    their names a minus before.  `measures` are those to keep; none: all.
    """
    parts = [_with_system(part) for part in parts]
    sizes = np.array([len(part) for part in parts])
    columns = {n: _joined([part.columns.get(n) for part in parts], sizes) for n in NAMES}
    columns = {name: one for name, one in columns.items() if one is not None}
    if "measure" not in columns:
        columns["measure"] = Coded.lone(LONE_MEASURE, int(sizes.sum()))
    columns["measure"] = _in_our_notation(columns["measure"], notation)
    value = parts[0].value if len(parts) == 1 else np.concatenate([part.value for part in parts])
    left_out = sum((part.left_out for part in parts), Counter())
    place = _places(parts, sizes)
    order = _once(columns, place)
    if not isinstance(order, slice):
        columns, value = {n: one.take(order) for n, one in columns.items()}, value[order]
    columns, value = _chosen(columns, value, (measures, notation), left_out)
    known = ~np.isnan(value)
    if not known.all():
        left_out[NO_VALUE] += int((~known).sum())
        if not known.any():
            raise InputError(parts[0].path, [(None, "every score is missing")])
        columns, value = {n: one.take(known) for n, one in columns.items()}, value[known]
    columns["measure"], value, signed = _signed(columns["measure"], value, lower, notation)
    notes = dict.fromkeys(note for part in parts for note in part.notes)
    return ReadScores(_table(columns, value), left_out, tuple(notes), signed)


def _with_system(part: ScoreRows) -> ScoreRows:
    return part if "system" in part.columns else part.with_column("system", "system")


def _joined(columns: Sequence[Coded | None], sizes: np.ndarray) -> Coded | None:
    """One column of all parts' names, sorted; ``None`` where no part has any."""
    if len(columns) == 1 or not any(columns):
        return columns[0]
    held = [one.names for one in columns if one is not None]
    encoded = pa.chunked_array(held).combine_chunks().dictionary_encode()
    names = encoded.dictionary
    order = pc.sort_indices(names).to_numpy()
    rank = np.empty(len(order), dtype=_smallest(len(order)))
    rank[order] = np.arange(len(order))
    to_joined = rank[to_numpy(encoded.indices)]
    codes, start = [], 0
    for one, size in zip(columns, sizes, strict=True):
        if one is None:
            codes.append(np.full(size, -1, dtype=rank.dtype))
        else:
            own = np.append(to_joined[start : start + len(one.names)], rank.dtype.type(-1))
            codes.append(own[one.codes])
            start += len(one.names)
    return Coded(names.take(to_arrow(order)), np.concatenate(codes))


def _in_our_notation(measure: Coded, notation: Notation) -> Coded:
    """Measures by the names that they have here."""
    ours = [notation(one) or one for one in measure.names.to_pylist()]
    named = Coded.of(pa.array(ours, pa.string()))
    return Coded(named.names, named.codes[measure.codes])


def _places(parts: Sequence[ScoreRows], sizes: np.ndarray) -> Callable[[int], str]:
    ends = np.cumsum(sizes)

    def place(row: int) -> tuple[str, int]:
        at = int(np.searchsorted(ends, row, side="right"))
        part = parts[at]
        own = row - int(ends[at] - sizes[at])
        return part.path, int(part.line[own % len(part.line)])

    return place


def _once(
    columns: Mapping[str, Coded], place: Callable[[int], tuple[str, int]]
) -> np.ndarray | slice:
    """The rows in order of the key's columns, of which none has the same as another."""
    held = [columns[name] for name in KEY if name in columns]
    n = len(held[0].codes)
    cells = int(np.prod([len(one.names) + 1 for one in held], dtype=float))
    if cells < 2**62:
        key = np.zeros(n, dtype=np.int32 if cells < 2**31 else np.int64)
        for one in held:
            key *= len(one.names) + 1
            key += one.codes
            key += 1
    else:
        rows = np.stack([one.codes for one in held], axis=1)
        key = np.unique(rows, axis=0, return_inverse=True)[1].astype(np.int64)
        cells = n
    if (key[1:] > key[:-1]).all():
        return slice(None)
    if cells <= _SPARSE * n:
        row_of = np.full(cells, -1, dtype=_smallest(n))
        row_of[key] = np.arange(n, dtype=row_of.dtype)
        order = row_of[row_of >= 0]
        if len(order) == n:
            return order
    order = np.argsort(key, kind="stable")
    again = np.flatnonzero(key[order[1:]] == key[order[:-1]]) + 1
    if again.size:
        starts = np.flatnonzero(np.append(True, key[order[1:]] != key[order[:-1]]))
        first = starts[np.searchsorted(starts, again, side="right") - 1]
        _refuse_again(columns, order[first], order[again], place)
    return order


_SPARSE = 4
"""Cells for each score, from which on scores are sorted by comparing them."""


def _refuse_again(
    columns: Mapping[str, Coded],
    first: np.ndarray,
    second: np.ndarray,
    place: Callable[[int], tuple[str, int]],
) -> None:
    """Refuse scores that stand twice."""
    apart = np.argsort(second, kind="stable")
    path = place(int(second[apart[0]]))[0]
    problems, paths = [], set()
    for earlier, row in zip(first[apart].tolist(), second[apart].tolist(), strict=True):
        if len(problems) > 5:
            break
        own, of = place(row), place(earlier)
        paths |= {own[0], of[0]}
        named = ", ".join(
            f"{'item' if n == 'topic' else n} {columns[n].names[int(columns[n].codes[row])]}"
            for n in KEY
            if n in columns and columns[n].codes[row] >= 0
        )
        where = f"line {of[1]}" if of[0] == own[0] else f"{of[0]}:{of[1]}"
        if own[0] == path:
            problems.append((own[1], f"{named} has a score already: {where} has it"))
    remedy = (
        "Name the column that tells them apart (columns repeat=seed, dataset=…, judge=…), or keep "
        "one."
        if len(paths) < 2
        else "If they are different systems, name them: read_scores({name: file, …}), or rename "
        "the files or run tags."
    )
    raise InputError(path, problems, remedy, len(second))


def _chosen(
    columns: Mapping[str, Coded],
    value: np.ndarray,
    wanted: tuple[Collection[str], Notation],
    left_out: Counter,
) -> tuple[dict[str, Coded], np.ndarray]:
    """The rows of some measures; of none, all."""
    measures, notation = wanted
    if not measures:
        return dict(columns), value
    own = columns["measure"].names.to_pylist()
    places = [_place_of(name, own, "measures", notation) for name in measures]
    kept = np.isin(columns["measure"].codes, places)
    if kept.all():
        return dict(columns), value
    left_out["another measure"] += int((~kept).sum())
    return {n: one.take(kept) for n, one in columns.items()}, value[kept]


def _place_of(name: str, own: Sequence[str], option: str, notation: Notation) -> int:
    for one in (str(name), notation(str(name))):
        if one in own:
            return own.index(one)
    raise ParameterError(f"{option}: no score is of '{name}'{did_you_mean(name, own)}")


def _signed(
    measure: Coded, value: np.ndarray, lower: Collection[str], notation: Notation
) -> tuple[Coded, np.ndarray, tuple[str, ...]]:
    """Measures of which lower values are better, with the opposite sign and a minus before."""
    if not lower:
        return measure, value, ()
    own = measure.names.to_pylist()
    places = sorted({_place_of(name, own, "lower", notation) for name in lower})
    value = np.where(np.isin(measure.codes, places), 0 - value, value)  # and no −0
    named = [f"-{one}" if i in places else one for i, one in enumerate(own)]
    signed = Coded.of(pa.array(named, pa.string()))
    codes = signed.codes[measure.codes]
    return Coded(signed.names, codes), value, tuple(named[i] for i in places)


def _table(columns: Mapping[str, Coded], value: np.ndarray) -> pa.Table:
    """A table of names as codes; columns that nothing is known of are of nulls alone."""
    arrays = {}
    for name in ("system", "topic", "measure", "judge", "dataset", "repeat", "cluster"):
        one = columns.get(name)
        if one is None or not len(one.names):
            arrays[name] = pa.nulls(len(value))
            continue
        codes = np.ascontiguousarray(one.codes)
        missing = codes < 0
        indices = pa.array(codes, mask=missing) if missing.any() else to_arrow(codes)
        arrays[name] = pa.DictionaryArray.from_arrays(indices, one.names)
    return pa.table({**arrays, "value": to_arrow(value)})


# --- whether a file holds scores ------------------------------------------------------------------


def refuse_scores(source: object, wanted: str, notation: Notation) -> None:
    """Refuse what holds scores by item where something else is wanted; nothing is said of others.

    Raises
    ------
    InputError
        Of the first file that does.
    """
    files: list[Path] = []
    if is_list(source) and not all(map(_is_path, source)):
        return
    if _is_path(source) or is_list(source):
        with suppress(RegradeError, OSError):
            files = files_of(source)
    for file in files:
        if holds_scores(file, notation) and (wanted == RUNS or not _has_labels(file)):
            raise InputError(file, [(None, f"holds scores by item, and no {wanted}")], FOR_SCORES)


RUNS = "runs"
"""What no file of scores can be read as."""


def _has_labels(path: Path) -> bool:
    """Whether a file of scores can be read as labels or judgments too, or nearly."""
    try:
        if score_format(path) == "jsonl" and is_shaped(_first_objects(path)[0]):
            return True
        return bool(kind_of(path).kind)
    except (RegradeError, OSError):
        return False


FOR_SCORES = (
    "This needs runs and labels, as it looks at documents; scores by item go to rank, "
    "compare-systems or topics (regrade.read_scores)."
)
"""What to do with scores by item where they cannot serve."""

_OTHERS = ("docno", "left", "right", "winner", "loser", "inclusion")
"""Columns that scores by item have not."""


def holds_scores(path: str | os.PathLike, notation: Notation) -> bool:
    """Whether a file can be read as scores by item, told by how it begins; not if it is broken.

    Some files of evaluation frameworks can be read as judgments too.
    """
    try:
        return _holds(Path(path), notation)
    except (RegradeError, OSError):
        return False


def _holds(path: Path, notation: Notation) -> bool:
    format = score_format(path)
    if format == "lines":
        return _are_lines_of_scores(path, notation)
    if format == "jsonl":
        return _are_objects_of_scores(path, notation)
    raw = _beginning(path, format)
    reading = _Reading({}, {}, (), notation)
    return _is_table_of_scores(raw, reading, str(path))


def _beginning(path: Path, format: str) -> pa.Table:
    """The first rows of a file with named columns."""
    if format == "parquet":
        import pyarrow.parquet as pq

        with pq.ParquetFile(path) as file:
            first = next(file.iter_batches(batch_size=_LOOKED_AT), None)
            return pa.Table.from_batches([] if first is None else [first], file.schema_arrow)
    if format == "xlsx":
        return HEADED[format]([], Problems(str(path)))[0]
    lines = read_head(path).decode("utf-8", "replace").lstrip().splitlines()[: _LOOKED_AT + 1]
    mark = "\t" if format == "tsv" else ";" if lines[0].count(";") > lines[0].count(",") else ","
    header, *rows = csv.reader(lines, delimiter=mark)
    rows = [row for row in rows if len(row) == len(header)]
    names = [name.strip() for name in header]
    columns = zip(*rows, strict=True) if rows else ((),) * len(names)
    return pa.table({n: pa.array(of, pa.string()) for n, of in zip(names, columns, strict=True)})


_FEWEST = 2
"""Systems side by side by which a table is known as scores."""


def _is_table_of_scores(raw: pa.Table, reading: _Reading, what: str) -> bool:
    raw = _named(raw)
    names = raw.column_names
    if not len(raw) or any(called(names, ours) for ours in _OTHERS):
        return False
    if called(names, "worker") and not called(names, "system", SCORES):
        return False  # judgments of a crowd
    layout = _layout(raw, what, {}, reading.are_measures)
    if layout.of_across == "system" and len(layout.across) < _FEWEST:
        return False
    is_named = names[0] == "Unnamed: 0" or any(
        called(names, ours, SCORES) for ours in ("topic", "system")
    )
    if not is_named:
        return False
    problems, line = Problems(what), np.arange(1, len(raw) + 1)
    for name in layout.across:
        _numbers(raw[name], line, name, problems)
    return not problems.count


def _are_lines_of_scores(path: Path, notation: Notation) -> bool:
    """Whether lines have a measure that is known, or means over all items among them."""
    head = without_comments(read_head(path)).decode("utf-8", "replace")
    lines = [line.split() for line in head.splitlines()[:_HEAD]]
    lines = [line for line in lines if line]
    size = len(lines[0])
    if size not in _ORDERS or any(line[1] in ITERATIONS for line in lines if len(line) > 1):
        return False
    lines = [line for line in lines if len(line) == size]
    if lines[0][0] == "runid":
        return True
    if not all(_is_score_or_none(line[-1]) for line in lines if line[0] != "runid"):
        return False
    for order in _ORDERS[size]:
        names = {line[order.index("measure")] for line in lines}
        if all(is_measure(name, notation) or name in _NO_SCORES for name in names):
            return True
    return bool(line_of_total(without_comments(read_bytes(path))))


_HEAD = 1000
"""Lines by which it is told whether they hold scores."""


def _are_objects_of_scores(path: Path, notation: Notation) -> bool:
    rows = _first_objects(path)
    if any_fits(rows):
        return True
    reading = _Reading({}, {}, (), notation)
    if len(rows) == 1 and (columns := _pandas_columns(rows[0])):
        return _is_table_of_scores(columns, reading, str(path))
    if len(rows) == 1 and _is_nested(rows[0]):
        inner = list(rows[0].values())
        levels = [rows[0], *inner, *(two for one in inner for two in one.values())]
        return any(isinstance(one, Mapping) and one and reading.are_ours(one) for one in levels)
    nested = any(isinstance(one, dict | list) for row in rows for one in row.values())
    return not nested and _is_table_of_scores(_columns_of(rows), reading, str(path))


def _first_objects(path: Path) -> list[dict]:
    """The first objects of JSON lines; of other JSON, all."""
    data = read_head(path)
    rows = []
    for line in data.splitlines()[:_LOOKED_AT] if data.lstrip().startswith(b"{") else ():
        try:
            rows.append(json.loads(line))
        except ValueError:
            break
    if rows and all(isinstance(row, dict) for row in rows):
        return rows
    return json_objects(path, int, finite)[0]
