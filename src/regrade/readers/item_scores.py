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
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.conversions import to_numpy
from regrade.errors import InputError, ParameterError, RegradeError
from regrade.readers.encodings import read_bytes, read_head, without_comments
from regrade.readers.formats import ITERATIONS, TOTALS, line_of_total
from regrade.readers.lines import Problems
from regrade.readers.records import json_objects, read_parquet
from regrade.readers.rows import HEADED, Rows, mask
from regrade.readers.scores.layouts import (
    Layout,
    are_numbers,
    is_measure,
    layout_of_columns,
    with_names,
)
from regrade.readers.scores.lines import (
    LOOKED_AT,
    ORDERS,
    RUN_ID,
    plain_score_lines,
    score_format,
)
from regrade.readers.scores.objects import MODEL_META, ScoreFile, any_fits, shaped
from regrade.readers.scores.rows import (
    LONE_MEASURE,
    NO_SCORES,
    OVER_ALL,
    Notation,
    ScoreRows,
    file_name,
    is_score_or_none,
)
from regrade.readers.shapes import is_shaped
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
from regrade.wording import first_few

log = logging.getLogger(__name__)

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


def _are_columns(source: Mapping) -> bool:
    """Whether a dict holds columns by name, and not scores by system."""
    held = source.values()
    return bool(source) and all(map(is_list, held)) and not any(map(is_tuples, held))


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
        if isinstance(source, Mapping) and not _are_columns(source):
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
            if isinstance(own, Mapping) and not _are_columns(own):
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
        """Whether all of some names are measures in our notation, counts of documents aside."""
        texts = [str(name) for name in names if name not in NO_SCORES]
        return bool(texts) and all(self.notation(text) is not None for text in texts)

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
        if format == "lines":
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
        raw = with_names(raw)
        if self.where:
            kept = Rows(raw, line, {}, Problems(what)).where(self.where, left_out)
            raw, line = kept.raw, kept.line
        layout = layout_of_columns(raw, what, self.columns, self.are_measures)
        if {"topic", "measure"} <= layout.names.keys():  # as leaderboards list means too
            totals = _are_totals(raw[layout.names["topic"]])
            if totals.any() and not totals.all():
                left_out[OVER_ALL] += int(totals.sum())
                raw, line = raw.filter(pa.array(~totals)), line[~totals]
        part = layout.rows(raw, line, what)
        return replace(part, left_out=left_out + part.left_out)


def _are_totals(topic: pa.ChunkedArray) -> np.ndarray:
    """Which rows are of all items."""
    if pa.types.is_dictionary(topic.type):
        topic = topic.unify_dictionaries().combine_chunks()
        return np.append(_are_totals(topic.dictionary), False)[to_numpy(topic.indices, -1)]
    if not pa.types.is_string(topic.type):
        return np.zeros(len(topic), dtype=bool)
    return mask(pc.is_in(topic, pa.array(TOTALS)))


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
    if not is_counted or all(map(is_score_or_none, texts)):
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
    except (RegradeError, OSError, ValueError, RecursionError):
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
    except (RegradeError, OSError, ValueError, RecursionError):
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
            first = next(file.iter_batches(batch_size=LOOKED_AT), None)
            return pa.Table.from_batches([] if first is None else [first], file.schema_arrow)
    if format == "xlsx":
        return HEADED[format]([], Problems(str(path)))[0]
    lines = read_head(path).decode("utf-8", "replace").lstrip().splitlines()[: LOOKED_AT + 1]
    mark = "\t" if format == "tsv" else ";" if lines[0].count(";") > lines[0].count(",") else ","
    header, *rows = csv.reader(lines, delimiter=mark)
    rows = [row for row in rows if len(row) == len(header)]
    names = [name.strip() for name in header]
    columns = zip(*rows, strict=True) if rows else ((),) * len(names)
    return pa.table({n: pa.array(of, pa.string()) for n, of in zip(names, columns, strict=True)})


_FEWEST = 2
"""Systems or items side by side by which a table is known as scores."""


def _is_table_of_scores(raw: pa.Table, reading: _Reading, what: str) -> bool:
    raw = with_names(raw)
    names = raw.column_names
    if not len(raw) or any(_are_others(raw, ours) for ours in _OTHERS):
        return False
    if called(names, "worker") and not called(names, "system", SCORES):
        return False  # judgments of a crowd
    layout = layout_of_columns(raw, what, {}, reading.are_measures)
    if layout.of_across in ("system", "topic") and len(layout.across) < _FEWEST:
        return False
    is_named = names[0] == "Unnamed: 0" or any(
        called(names, ours, SCORES) for ours in ("topic", "system")
    )
    if not is_named:
        return False
    if not layout.of_across and _may_have_documents(raw, layout):
        return False
    return all(are_numbers(raw[name]) for name in layout.across)


def _are_others(raw: pa.Table, ours: str) -> bool:
    """Whether a column that scores have not is there; `a` and `b` of numbers may be systems."""
    known = {*called(raw.column_names, ours)}
    may_be_systems = known <= {"a", "b"} and all(are_numbers(raw[name]) for name in known)
    return bool(known) and not may_be_systems


def _may_have_documents(raw: pa.Table, layout: Layout) -> bool:
    """Whether rows that repeat an item differ in a column that may be of documents."""
    key = raw.select([*layout.names.values()])
    unused = [n for n in raw.column_names if n not in (*layout.names.values(), *layout.across)]
    texts = [name for name in unused if not are_numbers(raw[name])]
    return bool(texts) and len(key.group_by(key.column_names).aggregate([])) < len(key)


def _are_lines_of_scores(path: Path, notation: Notation) -> bool:
    """Whether lines have a measure that is known, or means over all items among them."""
    head = without_comments(read_head(path)).decode("utf-8", "replace")
    lines = [line.split() for line in head.splitlines()[:_HEAD]]
    lines = [line for line in lines if line]
    size = len(lines[0]) if lines else 0
    if size not in ORDERS or any(line[1] in ITERATIONS for line in lines if len(line) > 1):
        return False
    lines = [line for line in lines if len(line) == size]
    if lines[0][0] == RUN_ID:
        return True
    if not all(is_score_or_none(line[-1]) for line in lines if line[0] != RUN_ID):
        return False
    for order in ORDERS[size]:
        names = {line[order.index("measure")] for line in lines}
        if all(is_measure(name, notation) or name in NO_SCORES for name in names):
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
    for line in data.splitlines()[:LOOKED_AT] if data.lstrip().startswith(b"{") else ():
        try:
            rows.append(json.loads(line))
        except ValueError:
            break
    if rows and all(isinstance(row, dict) for row in rows):
        return rows
    return json_objects(path, int, finite)[0]
