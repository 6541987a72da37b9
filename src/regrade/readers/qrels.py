"""Expert labels: TREC qrels, or an expert column of a published CSV."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.errors import ParameterError, check_choice
from regrade.readers.text import (
    RELEVANCE_SCALES,
    Problems,
    blank_separated,
    check_levels,
    comma_separated,
    keep_topics,
    numbers,
    repeats,
)
from regrade.schemas import SCHEMAS, STRING

FORMATS = ("trec", RELEVANCE_SCALES)
EXPERTS = ("sormunen", "trec", "gold")
"""The columns of the published CSV that hold experts' labels."""

_COLUMNS = {"topic": STRING, "iteration": None, "docno": STRING, "grade": pa.float64()}
_LETTERS = {"N": "0", "M": "1", "R": "2", "H": "3"}  # not, marginally, relevant, highly
_UNJUDGED = ("", "U")


def read_qrels(
    path: str | PathLike,
    *,
    levels: int | None = None,
    topics: Iterable[str] | None = None,
    format: str | None = None,
    column: str | None = None,
) -> pa.Table:
    """Read qrels.

    Parameters
    ----------
    path
        The file, plain or gzipped.
    levels
        The scale has the grades 0 … ``levels - 1``, and others are errors; ``None`` takes any
        finite number, as written.
    topics
        Keep these topics only; ``None`` keeps all.  The file is checked whole all the same.
    format
        ``trec`` (or ``None``): lines of ``topic iteration docno grade``, separated by any blanks.
        ``crowdsourcing-relevance-scales``: the CSV of the data set of that name, which repeats
        the experts' labels of a document in each of its rows.
    column
        For that CSV, whose labels: ``sormunen``, ``trec`` or ``gold``.  The letters N, M, R and
        H are 0 to 3; an empty label, U or a negative one means unjudged.

    Returns
    -------
    pa.Table
        Schema ``qrels``, sorted by topic and docno; an unjudged document has no row.

    Raises
    ------
    InputError
        If the file cannot be read, a line has another number of columns, a grade is no number,
        NaN, infinite or outside the scale, a document comes twice for a topic (in the CSV:
        with different labels), or no row is left.
    ParameterError
        If `format` is unknown, or `column` does not go with it.
    """
    format = format or "trec"
    check_choice("format", format, FORMATS)
    if format == "trec":
        if column is not None:
            raise ParameterError(f"column: {column!r} is only for format: {RELEVANCE_SCALES}")
        problems = Problems(path, "A line of qrels is: topic iteration docno grade.")
        table = blank_separated(path, _COLUMNS, problems)
    else:
        check_choice("column", column, EXPERTS)
        problems = Problems(path)
        table = _expert_labels(path, column, problems)

    line = table["line"].to_numpy()
    _check_documents(table, line, repeatable=format != "trec", problems=problems)
    check_levels(table["grade"], line, "grade", levels, problems)
    problems.raise_if_any()
    table = keep_topics(table, topics, path)
    if format != "trec":
        table = table.take(pa.array(np.flatnonzero(repeats(table, ("topic", "docno")) < 0)))
    table = table.select(["topic", "docno", "grade"])
    table = table.set_column(0, "topic", table["topic"].cast(pa.string()))
    table = table.set_column(1, "docno", table["docno"].cast(pa.string()))
    return table.sort_by([("topic", "ascending"), ("docno", "ascending")]).cast(SCHEMAS["qrels"])


def _expert_labels(path: str | PathLike, column: str, problems: Problems) -> pa.Table:
    """The judged rows of the published CSV: topic, docno, grade and line."""
    table, line = comma_separated(path, ("topic_id", "document_id", column), problems)
    label = [text.strip().upper() for text in table[column].to_pylist()]
    label = pa.array([_LETTERS.get(text, text) for text in label], pa.string())
    grade = numbers(label, line, column, pa.float64(), problems, missing=_UNJUDGED)
    table = pa.table(
        {
            "topic": table["topic_id"],
            "docno": table["document_id"],
            "grade": grade,
            "line": pa.array(line, pa.int32()),
        }
    )
    return table.filter(pc.greater_equal(grade, 0))


def _check_documents(
    table: pa.Table, line: np.ndarray, repeatable: bool, problems: Problems
) -> None:
    """Report each document that comes again (where repeatable: with another grade)."""
    earlier = repeats(table, ("topic", "docno"))
    again = np.flatnonzero(earlier >= 0)
    grade = table["grade"].to_numpy()
    if repeatable:
        again = again[grade[again] != grade[earlier[again]]]
    problems.add(
        line[again],
        (
            f"document {table['docno'][row].as_py()} again for topic "
            f"{table['topic'][row].as_py()}: line {line[earlier[row]]} has it"
            + (f", with {grade[earlier[row]]:g}, not {grade[row]:g}" if repeatable else "")
            for row in again.tolist()
        ),
    )
