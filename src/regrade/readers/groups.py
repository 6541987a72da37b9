"""Who submitted which run, and whose runs brought which document to the pool."""

from __future__ import annotations

from collections import Counter
from os import PathLike

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from regrade.catalogue.arrow import STRING
from regrade.readers.encodings import read_utf8
from regrade.readers.lines import Problems, blank_separated, check_names, quoted
from regrade.readers.rows import repeats
from regrade.readers.values import Leaving, on_scale


def read_groups(path: str | PathLike) -> pd.DataFrame:
    """Read which group submitted which run."""
    problems = Problems(path, "A line is: run-tag group.")
    table = blank_separated(path, {"system": STRING, "group": STRING}, problems)
    line = table["line"].to_numpy()
    for name in ("system", "group"):
        check_names(table[name], line, name, problems)
    earlier = repeats(table, ("system",))
    again = np.flatnonzero(earlier >= 0)
    problems.add(
        line[again],
        (
            f"run {table['system'][row].as_py()} again: line {line[earlier[row]]} has it"
            for row in again.tolist()
        ),
    )
    problems.raise_if_any()
    return _text_frame(table, "system", "group").sort_values("system", ignore_index=True)


def read_pool_origins(path: str | PathLike) -> pd.DataFrame:
    """Read which groups' runs brought each judged document to the pool."""
    problems = Problems(path, _REMEDY)
    text = pa.array([read_utf8(path)])
    lines = pc.list_flatten(pc.split_pattern_regex(text, "\r\n|\n|\r"))
    fields = pc.ascii_split_whitespace(pc.ascii_trim_whitespace(lines))
    line = np.arange(1, len(fields) + 1)
    written = pc.not_equal(pc.ascii_trim_whitespace(lines), "").to_numpy(zero_copy_only=False)
    fields, line = fields.filter(pa.array(written)), line[written]
    fields, line = _checked_counts(fields, line, problems)

    documents = pa.table({name: pc.list_element(fields, i) for name, i in _DOCUMENT.items()})
    for name in _DOCUMENT:
        check_names(documents[name], line, name, problems)
    on_scale(pc.list_element(fields, _GRADE), line, "grade", None, _REFUSE, problems)
    problems.remedy = _REMEDY  # such lines cannot be left out
    again = "document {docno} again for topic {topic}"
    _report_repeats(documents, ["topic", "docno"], line, again, problems)
    groups = pc.list_slice(fields, _FIRST_GROUP)
    row = pc.list_parent_indices(groups)
    origins = documents.take(row).append_column("group", pc.list_flatten(groups))
    origins = origins.append_column("row", row)
    check_names(origins["group"], line[row.to_numpy()], "group", problems)
    again = "group {group} again for document {docno} of topic {topic}"
    _report_repeats(origins, ["row", "group"], line[row.to_numpy()], again, problems)
    problems.raise_if_any()
    names = ["topic", "docno", "group"]
    return _text_frame(origins, *names).sort_values(names, ignore_index=True)


_DOCUMENT = {"topic": 0, "docno": 2}
_GRADE, _COUNT, _FIRST_GROUP = 3, 4, 5
_REMEDY = "A line is: topic iteration docno grade n, and n groups."
_REFUSE = Leaving("refuse", "off_scale", Counter())


def _checked_counts(
    fields: pa.ListArray, line: np.ndarray, problems: Problems
) -> tuple[pa.ListArray, np.ndarray]:
    """The lines that name as many groups as they say."""
    width = pc.list_value_length(fields).to_numpy()
    short = width < _FIRST_GROUP
    problems.add(
        line[short],
        (
            f"has {len(of)} columns where there are at least 5: {quoted(' '.join(of))}"
            for of in fields.filter(pa.array(short)).to_pylist()
        ),
    )
    fields, line, width = fields.filter(pa.array(~short)), line[~short], width[~short]
    said = pc.list_element(fields, _COUNT)
    named = pa.array(width - _FIRST_GROUP).cast(pa.string())
    wrong = pc.not_equal(said, named).to_numpy(zero_copy_only=False)
    problems.add(
        line[wrong],
        (
            f"says {said[row].as_py()} groups and names {width[row] - _FIRST_GROUP}"
            for row in np.flatnonzero(wrong).tolist()
        ),
    )
    return fields.filter(pa.array(~wrong)), line[~wrong]


def _report_repeats(
    table: pa.Table, key: list[str], line: np.ndarray, message: str, problems: Problems
) -> None:
    """Report each row whose key an earlier one has."""
    earlier = repeats(table, key)
    again = np.flatnonzero(earlier >= 0)
    rows = table.take(pa.array(again)).to_pylist()
    problems.add(
        line[again],
        (
            f"{message.format(**row)}: line {first} has it"
            for row, first in zip(rows, line[earlier[again]], strict=True)
        ),
    )


def _text_frame(table: pa.Table, *names: str) -> pd.DataFrame:
    return pa.table({name: table[name].cast(pa.string()) for name in names}).to_pandas()
