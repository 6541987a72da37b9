"""Workers' judgments: a table with a header, the published CSV of several scales, or qrels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.catalogue import columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import JUDGMENT_FORMATS, RELEVANCE_SCALES
from regrade.errors import InputError, ParameterError, check_choice
from regrade.readers.lines import Problems
from regrade.readers.rows import Rows, Where, completed, keep_topics, once_in_units, renamed
from regrade.readers.values import Leaving, on_scale
from regrade.scales import Scale

if TYPE_CHECKING:
    from regrade.readers.sources import InputTable

_COLUMNS = columns_of("judgments")
_NAMES = {name: name for name in _COLUMNS}
# the published CSV's names for our columns
_PUBLISHED = {
    "topic": "topic_id",
    "docno": "document_id",
    "worker": "worker_id",
    "value": "relevance_score",
    "unit": "unit_id",
    "position": "doc_pos",
    "seconds": "cumulative_time",
    "back": "back",
    "failed": "failed",
    "relevance_scale": "relevance_scale",
}
_REQUIRED = ("topic", "docno", "worker", "value")
_OF_SCALES = (*_REQUIRED, "unit", "position", "seconds", "relevance_scale")
_KEY = ("topic", "docno", "worker")


def read_judgments(
    path: str | PathLike,
    *,
    scale: Scale | None = None,
    topics: Iterable[str] | None = None,
    format: str = "tsv",
    columns: Mapping[str, str] | None = None,
    where: Where | None = None,
    unit: str | Sequence[str] | None = None,
    worker: str | None = None,
    off_scale: str = "refuse",
    left_out: Counter | None = None,
) -> pa.Table:
    """Read workers' judgments."""
    check_choice("format", format, JUDGMENT_FORMATS)
    leaving = Leaving(off_scale, "off_scale", Counter() if left_out is None else left_out)
    is_published = format == RELEVANCE_SCALES
    names = renamed(_PUBLISHED if is_published else _NAMES, columns)
    problems = Problems(path)
    if format == "trec":
        problems.remedy = "A line of qrels is: topic iteration docno grade."
        fields = ("topic", "iteration", "docno", "value")
        rows = Rows.blank_separated(path, fields, names, problems)
        if (names["worker"] == "iteration") == (worker is not None):
            raise ParameterError(
                "qrels name no worker: give `worker`, or take their second column with "
                "columns: {worker: iteration}"
            )
        rows = rows if worker is None else rows.by_worker(worker)
    elif worker is not None:
        raise ParameterError(f"worker: {worker!r} is only for format: trec")
    else:
        required = _OF_SCALES if is_published else _REQUIRED
        rows = Rows.headed(path, format, names, required, problems)
    rows = rows.where(where or {}, leaving.counts)
    if is_published:
        column = names["relevance_scale"]
        scales = sorted(pc.unique(rows.raw[column]).to_pylist())
        if len(scales) > 1:
            raise InputError(
                path,
                [(None, f"holds several scales: {', '.join(scales)}")],
                f"Name the one to read by `where`, such as {{{column}: {scales[0]}}}.",
            )
    value = on_scale(rows.column("value"), scale, leaving)
    table = pa.table(
        {
            **{name: rows.identifiers(name) for name in _KEY},
            "unit": rows.units(unit),
            "position": rows.optional("position", pa.int32()),
            "value": value,
            "seconds": rows.optional("seconds", pa.float64()),
            "back": rows.optional("back", pa.int32()),
            "failed": rows.optional("failed", pa.int32()),
            "line": pa.array(rows.line, pa.int32()),
        }
    )
    again = "worker {worker} judges document {docno} again for topic {topic} in unit {unit}"
    table = once_in_units(table.filter(pc.is_valid(value)), _KEY, again, leaving.counts, problems)
    problems.raise_if_any()
    if is_published:
        table = _seconds_from_cumulative(table)
    table = keep_topics(table, topics, path)
    # by identifiers first; by the rest only so that equal content has equal bytes
    order = (*_KEY, *_COLUMNS[3:])
    return completed({name: table[name] for name in _COLUMNS}, SCHEMAS["judgments"], order)


def judgments_of_rows(rows: InputTable, values: np.ndarray) -> pa.Table:
    """Judgments of a frame or of named columns."""
    columns = {
        **{name: rows.identifiers(name) for name in _KEY},
        "unit": rows.optional_identifiers("unit"),
        "value": values,
        "seconds": rows.optional_numbers("seconds"),
    }
    return completed(columns, SCHEMAS["judgments"], (*_KEY, "unit", "value"))


def _seconds_from_cumulative(table: pa.Table) -> pa.Table:
    """Time spent on each document, where ``seconds`` holds the time since the unit began."""
    coded = (table[name].dictionary_encode().combine_chunks().indices for name in _KEY[::2])
    unit = table["unit"].dictionary_encode().combine_chunks().indices.fill_null(-1)
    keys = [key.to_numpy() for key in (*coded, unit)]
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
