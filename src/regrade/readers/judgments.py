"""Workers' judgments: a TSV with a header, or the published CSV of several scales."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.errors import InputError, ParameterError, check_choice, did_you_mean
from regrade.readers.text import (
    RELEVANCE_SCALES,
    Problems,
    check_levels,
    comma_separated,
    keep_topics,
    numbers,
    repeats,
    tab_separated,
)
from regrade.schemas import SCHEMAS

FORMATS = ("tsv", RELEVANCE_SCALES)

_REQUIRED = ("topic", "docno", "worker", "value")
# the published CSV's names for our columns
_PUBLISHED = {
    "topic": "topic_id",
    "docno": "document_id",
    "worker": "worker_id",
    "value": "relevance_score",
    "unit": "unit_id",
    "position": "doc_pos",
    "seconds": "cumulative_time",
}
_SCALE = "relevance_scale"
_MISSING = ("", "NA", "NaN", "nan", "None", "null")


def read_judgments(
    path: str | PathLike,
    *,
    levels: int | None = None,
    topics: Iterable[str] | None = None,
    format: str = "tsv",
    scale: str | None = None,
    where: Mapping[str, object] | None = None,
    unit: str | Sequence[str] | None = None,
) -> pa.Table:
    """Read workers' judgments.

    Parameters
    ----------
    path
        The file, plain or gzipped.
    levels
        The scale has the values 0 … ``levels - 1``, and others are errors; ``None`` takes any
        finite number (magnitudes).
    topics
        Keep these topics only; ``None`` keeps all.
    format
        ``tsv``: tab-separated, with a header that names at least ``topic docno worker value``;
        ``unit``, ``position`` and ``seconds`` are optional, further columns allowed.
        ``crowdsourcing-relevance-scales``: the CSV of the data set of that name.
    scale
        For that CSV: the value of its column ``relevance_scale`` whose rows to read (``S100``).
    where
        Column and the value, or list of values, that a row must have to be read, for any of
        the file's columns.  Rows left out here, or by `scale`, are not checked further.
    unit
        The column, or the columns whose values together (joined with ``/``), name the HIT.
        ``None``: column ``unit`` (in the CSV ``unit_id``) where the file has it.

    Returns
    -------
    pa.Table
        Schema ``judgments``, sorted by topic, docno, worker and unit.  A unit is one worker's
        HIT for one topic, so its key is (topic, worker, unit); it is null where the file has
        none.  ``seconds`` of the CSV are differences of its cumulative times, in order of
        position within the unit.

    Raises
    ------
    InputError
        If the file cannot be read, a row has another number of columns, a column is missing,
        a value, position or time is no number, a value is NaN, infinite or outside the
        scale, a worker judges a document twice in one unit, or no row is left.  Without units
        repeats are kept.
    ParameterError
        If `format` is unknown, or `scale` does not go with it.
    """
    check_choice("format", format, FORMATS)
    if format == "tsv" and scale is not None:
        raise ParameterError(f"scale: {scale!r} is only for format: {RELEVANCE_SCALES}")
    problems = Problems(path)
    if format == "tsv":
        names = {name: name for name in SCHEMAS["judgments"].names}
        raw, line = tab_separated(path, _REQUIRED, problems)
    else:
        names = _PUBLISHED
        raw, line = comma_separated(path, (*names.values(), _SCALE), problems)
        where = {_SCALE: _one_scale(raw, scale, path), **(where or {})}
    kept = _rows_where(raw, where or {}, path)
    raw, line = raw.filter(kept), line[kept.to_numpy(zero_copy_only=False)]

    table = pa.table(
        {
            **{name: _identifiers(raw, line, names[name], problems) for name in _REQUIRED[:3]},
            "unit": _units(raw, unit, names["unit"], path),
            "position": _optional(raw, line, names["position"], pa.int32(), problems),
            "value": numbers(raw[names["value"]], line, names["value"], pa.float64(), problems),
            "seconds": _optional(raw, line, names["seconds"], pa.float64(), problems),
            "line": pa.array(line, pa.int32()),
        }
    )
    check_levels(table["value"], line, names["value"], levels, problems)
    _check_units(table, problems)
    problems.raise_if_any()
    if format != "tsv":
        table = _seconds_from_cumulative(table)
    table = keep_topics(table, topics, path)
    table = table.select(SCHEMAS["judgments"].names)
    # identifiers first; the rest only so that equal content has equal bytes
    order = ("topic", "docno", "worker", "unit", "position", "value", "seconds")
    table = table.sort_by([(name, "ascending") for name in order])
    return table.cast(SCHEMAS["judgments"])


def _one_scale(table: pa.Table, scale: str | None, path: str | PathLike) -> str:
    found = sorted(pc.unique(table[_SCALE]).to_pylist())
    if scale is None and len(found) == 1:
        return found[0]
    if scale is None:
        raise InputError(
            path,
            [(None, f"holds several scales: {', '.join(found)}")],
            "Name the one to read with `scale`.",
        )
    if scale not in found:
        raise InputError(path, [(None, f"holds no scale '{scale}'{did_you_mean(scale, found)}")])
    return scale


def _rows_where(
    table: pa.Table, where: Mapping[str, object], path: str | PathLike
) -> pa.ChunkedArray | pa.Array:
    """Whether each row has the values that `where` asks for."""
    kept = pa.array(np.ones(len(table), dtype=bool))
    for name, wanted in where.items():
        if name not in table.column_names:
            near = did_you_mean(name, table.column_names)
            raise InputError(path, [(None, f"has no column '{name}' (asked by `where`){near}")])
        values = [wanted] if isinstance(wanted, str) or not isinstance(wanted, Iterable) else wanted
        values = pa.array([str(value) for value in values], pa.string())
        found = pc.unique(table[name])
        for value in values.to_pylist():
            if value not in found.to_pylist():
                near = did_you_mean(value, sorted(found.to_pylist()))
                raise InputError(
                    path, [(None, f"no row has {name} '{value}' (asked by `where`){near}")]
                )
        kept = pc.and_(kept, pc.is_in(table[name], values))
    if not pc.any(kept).as_py():
        asked = f" has all that `where` asks for: {dict(where)}" if where else " follows the header"
        raise InputError(path, [(None, "no row" + asked)])
    return kept.combine_chunks() if isinstance(kept, pa.ChunkedArray) else kept


def _identifiers(
    table: pa.Table, line: np.ndarray, name: str, problems: Problems
) -> pa.ChunkedArray:
    text = pc.utf8_trim_whitespace(table[name])
    empty = line[pc.equal(text, "").to_numpy()]
    problems.add(empty, (f"{name} is empty" for _ in empty))
    return text


def _units(
    table: pa.Table, unit: str | Sequence[str] | None, default: str, path: str | PathLike
) -> pa.ChunkedArray | pa.Array:
    """The HIT of each row; null where one of its columns is empty, or there is no column."""
    if unit is None:
        columns = [default] if default in table.column_names else []
    else:
        columns = [unit] if isinstance(unit, str) else list(unit)
    parts = []
    for name in columns:
        if name not in table.column_names:
            near = did_you_mean(name, table.column_names)
            raise InputError(path, [(None, f"has no column '{name}' (asked by `unit`){near}")])
        text = pc.utf8_trim_whitespace(table[name])
        parts.append(pc.if_else(pc.is_in(text, pa.array(_MISSING)), None, text))
    if not parts:
        return pa.nulls(len(table), pa.string())
    return pc.binary_join_element_wise(*parts, "/")


def _optional(
    table: pa.Table, line: np.ndarray, name: str, kind: pa.DataType, problems: Problems
) -> pa.Array:
    if name not in table.column_names:
        return pa.nulls(len(table), kind)
    text = pc.utf8_trim_whitespace(table[name])
    return numbers(text, line, name, kind, problems, missing=_MISSING)


def _check_units(table: pa.Table, problems: Problems) -> None:
    """Report every document that a worker judges again in one unit."""
    with_unit = table.filter(pc.is_valid(table["unit"]))
    earlier = repeats(with_unit, ("topic", "docno", "worker", "unit"))
    again = np.flatnonzero(earlier >= 0)
    if not len(again):
        return
    problems.remedy = "Say with `unit` which columns together name the HIT, such as run and unit."
    line = with_unit["line"].to_numpy()
    reason = (
        "worker {worker} judges document {docno} again for topic {topic} in unit {unit}: "
        "line {earlier} has it"
    )
    problems.add(
        line[again],
        (
            reason.format(earlier=line[earlier[row]], **with_unit.slice(row, 1).to_pylist()[0])
            for row in again.tolist()
        ),
    )


def _seconds_from_cumulative(table: pa.Table) -> pa.Table:
    """Time spent on each document, where ``seconds`` holds the time since the unit began."""
    keys = [
        table[name].dictionary_encode().combine_chunks().indices for name in ("topic", "worker")
    ]
    keys += [table["unit"].dictionary_encode().combine_chunks().indices.fill_null(-1)]
    keys = [key.to_numpy() for key in keys]
    position = table["position"].to_numpy()  # as float: NaN, where null, comes last
    order = np.lexsort((position, *keys))
    time = table["seconds"].to_numpy()[order]
    same = np.logical_and.reduce([key[order][1:] == key[order][:-1] for key in keys])
    same &= keys[2][order][1:] >= 0
    spent = time.copy()
    spent[1:] -= np.where(same, time[:-1], 0)
    seconds = np.empty_like(spent)
    seconds[order] = spent
    place = table.column_names.index("seconds")
    return table.set_column(place, "seconds", pa.array(seconds, from_pandas=True))
