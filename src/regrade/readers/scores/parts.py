"""Scores of systems by item: files and frames of any shape, as a typed table.

A source becomes parts (`ScoreRows`: a row for each value), one for each file; `table_of` makes of
all parts one table of schema ``item-scores``, in which nothing stands twice.
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.conversions import to_numpy
from regrade.errors import InputError, ParameterError
from regrade.readers.formats import TOTALS
from regrade.readers.lines import Problems
from regrade.readers.records import json_objects, read_parquet
from regrade.readers.rows import HEADED, Rows, mask
from regrade.readers.scores.layouts import (
    is_measure,
    layout_of_columns,
    with_names,
)
from regrade.readers.scores.lines import (
    plain_score_lines,
    score_format,
)
from regrade.readers.scores.means import without_means
from regrade.readers.scores.objects import ScoreFile, shaped
from regrade.readers.scores.rows import (
    LONE_MEASURE,
    NO_SCORES,
    OVER_ALL,
    Notation,
    ScoreRows,
    file_name,
    is_score_or_none,
    shared_ending,
)
from regrade.readers.sources import (
    MODEL_META,
    as_column,
    files_of,
    finite,
    frame_columns,
    is_list,
    is_tuples,
)
from regrade.wording import first_few

log = logging.getLogger(__name__)


def parts_of(
    source: object,
    what: str,
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, object] | None = None,
    measures: Collection[str] = (),
    notation: Notation = str,
) -> list[ScoreRows]:
    """The parts of whatever holds scores, one for each file; `measures` are columns' names."""
    reading = ScoreReading(dict(columns or {}), dict(where or {}), tuple(measures), notation)
    return reading.parts(source, what)


def _are_columns(source: Mapping) -> bool:
    """Whether a dict holds columns by name, and not scores by system."""
    held = source.values()
    return bool(source) and all(map(is_list, held)) and not any(map(is_tuples, held))


def is_path(source: object) -> bool:
    """Whether a source is a path."""
    return isinstance(source, str | os.PathLike)


@dataclass(frozen=True)
class ScoreReading:
    """How scores are read: our names of columns → the source's, values of columns, measures.

    `ending` is that of several files which name their systems.
    """

    columns: Mapping[str, str]
    where: Mapping[str, object]
    measures: tuple[str, ...]
    notation: Notation
    ending: str = ""

    def parts(self, source: object, what: str) -> list[ScoreRows]:
        """The parts of whatever holds scores, one for each file."""
        if isinstance(source, Mapping) and not _are_columns(source):
            return self.by_system(source, what)
        if is_path(source) or (is_list(source) and len(source) and all(map(is_path, source))):
            files = files_of(source)
            held = [path for path in files if path.name != MODEL_META]
            files = held or files
            return list(map(replace(self, ending=shared_ending(files)).file, files))
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
            return [self.frame(columns_of(rows), what)]
        rows: list[dict] = []
        parts: list[ScoreRows] = []
        for system, own in source.items():
            if isinstance(own, Mapping) and all(map(_is_empty, own.values())):
                raise ParameterError(
                    f"{what}: '{system}' has no score: add its scores or leave it out"
                )
            if isinstance(own, Mapping) and not _are_columns(own):
                rows += [{"system": str(system), **row} for row in self._numbers_by_item(own, what)]
            elif isinstance(own, Mapping) or is_path(own) or hasattr(own, "__len__"):
                held = self.parts(own, f"{what} ({system})")
                parts += [_of_system(part, str(system)) for part in held]
            else:
                raise ParameterError(
                    f"{what}: under system {system!r} stands {own!r}: a dict is "
                    "{system: {item: number}} or {system: file or frame}"
                )
        return ([self.frame(columns_of(rows), what)] if rows else []) + parts

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
            and not any(isinstance(v, Mapping) or is_list(v) or is_path(v) for v in one.values())
            for one in own
        )
        return of_numbers and (self.are_ours(source) or all(map(self.are_ours, own)))

    def file(self, path: Path) -> ScoreRows:
        """Those of a file."""
        format = score_format(path)
        if format == "lines":
            return self._chosen_lines(plain_score_lines(path, self.notation, self.ending))
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
        if "system" in part.columns:
            return part
        return part.with_column("system", file_name(path, self.ending))

    def _json(self, path: Path) -> ScoreRows:
        """Those of objects: of a shape that is known, by system, or with names as columns."""
        rows, lines = json_objects(path, int, finite)
        about = ScoreFile(path, self.measures)
        if made := shaped(rows, lines.tolist(), about):
            rows, of, description = made
            log.info("%s: %s", path, description)
            part = self.frame(columns_of(rows), str(path), np.array(of, dtype=np.int32))
            note = f"Read as {description}."
            part = replace(part, left_out=part.left_out + about.left_out)
            return self._named_by_file(replace(part, notes=(note, *part.notes)), path)
        if len(rows) == 1 and (columns := pandas_columns(rows[0])):
            part = self.frame(columns, str(path))
            return self._named_by_file(replace(part, line=np.array([1], dtype=np.int32)), path)
        if len(rows) == 1 and is_nested(rows[0]):
            (part,) = self.by_system(rows[0], str(path))
            return self._named_by_file(replace(part, line=np.array([1], dtype=np.int32)), path)
        return self._named_by_file(self.frame(columns_of(rows), str(path), lines), path)

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
        if "topic" in layout.names:  # as leaderboards list means too
            totals = _are_totals(raw[layout.names["topic"]])
            if totals.any() and not totals.all():
                left_out[OVER_ALL] += int(totals.sum())
                raw, line = raw.filter(pa.array(~totals)), line[~totals]
        part = without_means(without_means(layout.rows(raw, line, what), "topic"), "system")
        return replace(part, left_out=left_out + part.left_out)


def _are_totals(topic: pa.ChunkedArray) -> np.ndarray:
    """Which rows are of all items."""
    if pa.types.is_dictionary(topic.type):
        topic = topic.unify_dictionaries().combine_chunks()
        return np.append(_are_totals(topic.dictionary), False)[to_numpy(topic.indices, -1)]
    if not pa.types.is_string(topic.type):
        return np.zeros(len(topic), dtype=bool)
    return mask(pc.is_in(topic, pa.array(TOTALS)))


def columns_of(rows: Sequence[Mapping]) -> pa.Table:
    """Columns of objects; what is an object or a list itself is no column."""
    names = dict.fromkeys(chain.from_iterable(rows))
    columns = {}
    for name in names:
        held = [row.get(name) for row in rows]
        if not any(isinstance(one, dict | list) for one in held):
            columns[name] = as_column(held)
    return pa.table(columns)


def pandas_columns(row: Mapping) -> pa.Table | None:
    """Columns of rows that are counted, as pandas writes them as JSON; ``None`` of all else."""
    inner = list(row.values())
    if not is_nested(row) or not all(list(one) == list(inner[0]) for one in inner):
        return None
    is_counted = list(inner[0]) == [str(place) for place in range(len(inner[0]))]
    texts = [one for own in inner for one in own.values() if isinstance(one, str)]
    if not is_counted or all(map(is_score_or_none, texts)):
        return None
    return columns_of([{n: own[place] for n, own in row.items()} for place in inner[0]])


def is_nested(row: Mapping) -> bool:
    """Whether all that an object holds are objects."""
    return bool(row) and all(isinstance(one, Mapping) and one for one in row.values())


def _is_empty(held: object) -> bool:
    """Whether a measure, or an item, has nothing beneath it."""
    return isinstance(held, Mapping) and not held


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
