"""Files that others read: labels as lines of TREC or under names, and tables by their ending."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from regrade.blocks import Blocks, blocks_of
from regrade.errors import ParameterError
from regrade.tables import atomic_path

if TYPE_CHECKING:  # lines of TREC need no pandas
    import pandas as pd

    from regrade.answers.table import AnswerTable

_AS_TEXT: dict[str, Callable] = {
    ".csv": lambda some, file, header: some.to_csv(file, index=False, header=header),
    # without quotes, which are parts of names
    ".tsv": lambda some, file, header: some.to_csv(
        file, index=False, header=header, sep="\t", quoting=csv.QUOTE_NONE
    ),
    ".jsonl": lambda some, file, _: some.to_json(file, orient="records", lines=True),
}
NAMED_ENDINGS = (*_AS_TEXT, ".parquet")
"""Of files whose columns have names, in which a name may hold blanks."""

PAPER_ENDINGS = (".tex", ".md")
"""Of files in which the table of an answer is written as a paper shows it."""

_ANY_NAME = f"name a file whose columns have names ({', '.join(NAMED_ENDINGS)})"


def write_labels(labels: pa.Table, path: str | os.PathLike) -> None:
    """Write labels, one per document, as the path's ending says; without one of ours as qrels."""
    if Path(path).suffix in NAMED_ENDINGS:
        frame = labels.select(["topic", "docno", "grade"]).to_pandas()
        write_frame(frame.astype({"topic": str, "docno": str}), path)
    else:
        write_qrels(labels, path)


def write_qrels(labels: pa.Table, path: str | os.PathLike) -> None:
    """Write labels as TREC qrels: lines of topic, 0, docno and grade, whole ones without a point.

    Raises
    ------
    ParameterError
        If a name is none that such a line can hold.
    """
    check_names(labels, path)
    columns = (labels[name].to_pylist() for name in ("topic", "docno", "grade"))
    rows = zip(*columns, strict=True)
    with atomic_path(path) as temporary:
        lines = (f"{topic} 0 {docno} {grade:.12g}\n" for topic, docno, grade in rows)
        temporary.write_text("".join(lines), encoding="utf-8")


def check_names(table: pa.Table, path: str | os.PathLike) -> None:
    """Refuse names that lines of fields between blanks cannot hold."""
    for column in ("topic", "docno"):
        for name in pc.unique(table[column].cast(pa.string())).to_pylist():
            reason = "has a blank" if re.search(r"\s", name) else ""
            if column == "topic" and name.startswith("#"):
                reason = "begins with #, as comments do"
            if reason:
                problem = f"{column} '{name}' {reason}, and is not valid in TREC lines"
                raise ParameterError(f"{os.fspath(path)}: {problem}: {_ANY_NAME}")


def check_ending(path: str | os.PathLike, further: Sequence[str] = ()) -> None:
    """Refuse a file of another ending than `NAMED_ENDINGS` and some further ones."""
    endings = (*NAMED_ENDINGS, *further)
    if Path(path).suffix not in endings:
        raise ParameterError(f"{path}: tables are written as {', '.join(endings)}")


def write_frame(table: pd.DataFrame | Blocks, path: str | os.PathLike) -> None:
    """Write a table as its path's ending says, one of `NAMED_ENDINGS`."""
    check_ending(path)
    ending = Path(path).suffix
    with atomic_path(path) as temporary:
        if ending == ".parquet":
            _write_parquet(table, temporary)
            return
        with temporary.open("w", encoding="utf-8", newline="") as file:
            for place, some in enumerate(blocks_of(table)):
                try:
                    _AS_TEXT[ending](some, file, not place)
                except csv.Error:
                    problem = "a text holds a tab or the end of a line"
                    raise ParameterError(f"{path}: {problem}: write a .csv or .jsonl") from None


def write_answer_table(table: AnswerTable, path: str | os.PathLike) -> None:
    """Write the table of an answer as its path's ending says, one of `PAPER_ENDINGS`."""
    from regrade.answers.table import latex_of, markdown_of

    text = latex_of(table) if Path(path).suffix == ".tex" else markdown_of(table)
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _write_parquet(table: pd.DataFrame | Blocks, path: Path) -> None:
    import pyarrow.parquet as pq

    parts = (pa.Table.from_pandas(some, preserve_index=False) for some in blocks_of(table))
    first = next(parts)
    with pq.ParquetWriter(path, first.schema) as writer:
        for part in chain([first], parts):
            writer.write_table(part)
