"""Labels, one per document: TREC qrels, a table with a header, or experts of a published CSV."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.catalogue.arrow import SCHEMAS, STRING
from regrade.choices import LABEL_FORMATS, RELEVANCE_SCALES
from regrade.errors import InputError, ParameterError, check_choice
from regrade.readers.lines import Column, Problems, blank_separated
from regrade.readers.rows import Rows, Where, completed, keep_topics, renamed, repeats
from regrade.readers.values import Leaving, few_apart, on_scale, scale_of_most
from regrade.scales import Scale

if TYPE_CHECKING:
    from regrade.readers.sources import InputTable

KEY = ("topic", "docno")
_NAMES = {"topic": "topic", "docno": "docno", "grade": "grade"}
_PUBLISHED = {"topic": "topic_id", "docno": "document_id", "grade": ""}
EXPERTS = ("sormunen", "trec", "gold")
"""The columns of the published CSV that hold experts' labels."""

_KEEP_ONE = (
    "Labels are one per document: keep one of its lines. Several people's labels are judgments: "
    "name the columns, one of them of workers."
)

_KEEP_A_ROW = (
    "Labels are one per document: give judgments a column of workers, keep one row, or choose a "
    "judge by where (--where worker=NAME; of models --model-where), or by columns, where each has "
    "one."
)


def read_qrels(
    path: str | PathLike,
    *,
    scale: Scale | None = None,
    topics: Iterable[str] | None = None,
    format: str = "trec",
    columns: Mapping[str, str] | None = None,
    where: Where | None = None,
    off_scale: str = "refuse",
    left_out: Counter | None = None,
) -> pa.Table:
    """Read labels, one per document."""
    check_choice("format", format, LABEL_FORMATS)
    leaving = Leaving(off_scale, "off_scale", Counter() if left_out is None else left_out)
    if format == "trec":
        if columns or where:
            raise ParameterError("columns and where go with files whose first line names columns")
        problems = Problems(path, "A line of qrels is: topic iteration docno grade.")
        kind = pa.string() if scale is not None and scale.names else pa.float64()
        fields = {"topic": STRING, "iteration": None, "docno": STRING, "grade": kind}
        table = blank_separated(path, fields, problems, KEY)
        grade = Column(table["grade"], table["line"].to_numpy(), "grade", problems)
        grade = on_scale(grade, scale, leaving, junk=True)
    else:
        problems, is_published = Problems(path), format == RELEVANCE_SCALES
        names = renamed(_PUBLISHED if is_published else _NAMES, columns)
        if is_published:
            check_choice("column of labels (columns: {grade: …})", names["grade"], EXPERTS)
        rows = Rows.headed(path, format, names, names, problems).where(where or {}, leaving.counts)
        label = rows.column("grade")
        if is_published:
            label = replace(label, values=_published(label.values, scale))
        grade = on_scale(label, scale, leaving, [""], junk=True)  # empty where it is unjudged
        columns = {name: rows.identifiers(name) for name in KEY}
        table = pa.table({**columns, "grade": grade, "line": pa.array(rows.line, pa.int32())})

    table = table.set_column(table.column_names.index("grade"), "grade", grade)
    table = table.filter(pc.is_valid(table["grade"]))
    _check_documents(table, repeatable=format != "trec", problems=problems)
    problems.raise_if_any()
    table = keep_topics(table, topics, path)
    if format != "trec":
        table = table.filter(pa.array(repeats(table, KEY) < 0))
    return label_table(*(table[name] for name in (*KEY, "grade")))


def _published(label: pa.Array, scale: Scale | None) -> pa.Array:
    """Experts' labels as numbers or names of a scale; empty where a document is unjudged."""
    label = pc.utf8_upper(label)
    label = pc.if_else(pc.match_substring_regex(label, "^(U$|-)"), "", label)
    if scale is not None and scale.names:
        return label
    # not, marginally, relevant, highly
    number = pa.array(["0", "1", "2", "3"]).take(pc.index_in(label, pa.array([*"NMRH"])))
    return pc.coalesce(number, label)


def labels_of_rows(rows: InputTable, grades: np.ndarray) -> pa.Table:
    """Labels of a frame or of named columns; a document with two of them is an error."""
    names = {name: rows.identifiers(name) for name in KEY}
    again = repeats(pa.table(names), KEY) >= 0
    rows.refuse("docno", again, "has a label for the same topic already", _KEEP_A_ROW)
    return label_table(**names, grade=pa.array(grades))


def labels_of_lines(
    path: str | PathLike, stated: Scale | None, off_scale: str, left_out: Counter
) -> tuple[pa.Table, InputError | None]:
    """Labels of TREC's qrels, and what is wrong of few of them where no scale was stated."""
    reading = {"off_scale": off_scale, "left_out": left_out}
    table = read_qrels(path, scale=stated, **reading)
    most = scale_of_most(table["grade"].to_numpy()) if stated is None else None
    if most is None:
        return table, None
    try:
        return read_qrels(path, scale=most, **reading), None
    except InputError as error:
        return table, few_apart(error, table["grade"].to_numpy())


def label_table(topic: pa.Array, docno: pa.Array, grade: pa.Array | np.ndarray) -> pa.Table:
    """Labels in schema ``qrels``, in canonical order."""
    names = {"topic": topic.cast(pa.string()), "docno": docno.cast(pa.string())}
    return completed({**names, "grade": grade}, SCHEMAS["qrels"], KEY)


def made_binary(labels: pa.Table, relevant_from: float) -> pa.Table:
    """Labels with grade 1 where it was at least `relevant_from`, else 0; schema ``qrels``."""
    grade = (labels["grade"].to_numpy() >= relevant_from).astype(float)
    return labels.set_column(labels.column_names.index("grade"), "grade", pa.array(grade))


def _check_documents(table: pa.Table, repeatable: bool, problems: Problems) -> None:
    """Report each document that comes again (where repeatable: with another grade)."""
    line, grade = table["line"].to_numpy(), table["grade"].to_numpy()
    earlier = repeats(table, KEY)
    again = np.flatnonzero(earlier >= 0)
    if repeatable:
        again = again[grade[again] != grade[earlier[again]]]
    if len(again):
        problems.remedy = f"{problems.remedy} {_KEEP_ONE}" if problems.count else _KEEP_ONE

    def reason(row: int) -> str:
        topic, docno, before = table["topic"][row], table["docno"][row], earlier[row]
        other = f", with {grade[before]:g}, not {grade[row]:g}" if repeatable else ""
        return f"document {docno} again for topic {topic}: line {line[before]} has it{other}"

    problems.report(line, again, reason)
