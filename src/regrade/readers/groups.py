"""Who submitted which run, which are akin, and whose runs brought which document to the pool."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from os import PathLike

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from regrade.catalogue.arrow import STRING
from regrade.readers.encodings import read_lines, read_utf8
from regrade.readers.lines import Column, Problems, columns_of_lines, quoted
from regrade.readers.rows import mask, report_again
from regrade.readers.values import Leaving, on_scale

_GRADE, _COUNT, _FIRST_GROUP = 3, 4, 5
_HEADER = {"run", "run-tag", "run_tag", "system", "tag"}, {"family", "group"}
"""What columns of runs and their groups are called."""
_REMEDY = "A line is: topic iteration docno grade n, and n groups."


def read_groups(path: str | PathLike) -> pd.DataFrame:
    """Read which group submitted which run."""
    problems, names = Problems(path, "A line is: run-tag group."), ("system", "group")
    table = _name_pairs(problems, names)
    report_again(table, ["system"], "run {system} again", problems)
    problems.raise_if_any()
    return _text_frame(table, *names).sort_values("system", ignore_index=True)


def read_families(path: str | PathLike) -> pd.DataFrame:
    """Read which families each run is in, in the order of the lines; it may be in several."""
    problems, names = Problems(path, "A line is: run-tag family."), ("system", "family")
    table = _name_pairs(problems, names)
    report_again(table, names, "run {system} again in family {family}", problems)
    problems.raise_if_any()
    return _text_frame(table, *names)


def _name_pairs(problems: Problems, names: Sequence[str]) -> pa.Table:
    """Lines of two names between blanks, tabs or a comma, but for a header, and ``line``.

    With a tab or a comma in every line, names may have blanks.
    """
    data, separator = read_lines(problems.path), "blanks"
    lines = data.decode("utf-8", "surrogateescape").splitlines()
    for mark in "\t,":
        rows = [[name.strip() for name in row] for row in csv.reader(lines, delimiter=mark)]
        if len(rows) == len(lines) and all(len(row) == 2 and all(row) for row in rows if any(row)):
            data = "\n".join(map("\t".join, rows)).encode("utf-8", "surrogateescape")
            separator = "tabs"
            break
    table = columns_of_lines(data, dict.fromkeys(names, STRING), separator, problems)
    first = [str(column[0]).lower() for column in table.columns[:2]] if len(table) else []
    table = table.slice(int(len(first) == 2 and all(map(set.__contains__, _HEADER, first))))
    for name in names:
        Column(table[name], table["line"].to_numpy(), name, problems).check_names()
    return table


def group_of_systems(path: str | PathLike) -> dict[str, str]:
    """Which group submitted each run, by its system."""
    read = read_groups(path)
    return dict(zip(read["system"].astype(str), read["group"].astype(str), strict=True))


def read_pool_origins(path: str | PathLike) -> pd.DataFrame:
    """Read which groups' runs brought each judged document to the pool."""
    problems = Problems(path, _REMEDY)
    lines = pc.split_pattern_regex(pa.array([read_utf8(path)]), "\r\n|\n|\r")
    lines = pc.ascii_trim_whitespace(pc.list_flatten(lines))
    fields = pc.ascii_split_whitespace(lines)
    line = np.arange(1, len(fields) + 1)
    written = mask(pc.not_equal(lines, ""))
    fields, line = _checked_counts(fields.filter(pa.array(written)), line[written], problems)

    documents = pa.table({"topic": pc.list_element(fields, 0), "docno": pc.list_element(fields, 2)})
    for name in documents.column_names:
        Column(documents[name], line, name, problems).check_names()
    grade = Column(pc.list_element(fields, _GRADE), line, "grade", problems)
    on_scale(grade, None, Leaving("refuse", "off_scale", Counter()))
    problems.remedy = _REMEDY  # such lines cannot be left out
    documents = documents.append_column("line", pa.array(line))
    again = "document {docno} again for topic {topic}"
    report_again(documents, ["topic", "docno"], again, problems)
    groups = pc.list_slice(fields, _FIRST_GROUP)
    row = pc.list_parent_indices(groups)
    origins = documents.take(row).append_column("group", pc.list_flatten(groups))
    origins = origins.append_column("row", row)
    Column(origins["group"], origins["line"].to_numpy(), "group", problems).check_names()
    again = "group {group} again for document {docno} of topic {topic}"
    report_again(origins, ["row", "group"], again, problems)
    problems.raise_if_any()
    names = ["topic", "docno", "group"]
    return _text_frame(origins, *names).sort_values(names, ignore_index=True)


def _checked_counts(
    fields: pa.ListArray, line: np.ndarray, problems: Problems
) -> tuple[pa.ListArray, np.ndarray]:
    """The lines that name as many groups as they say."""
    width = pc.list_value_length(fields).to_numpy()
    short = width < _FIRST_GROUP
    reason = "has {} columns where there are at least 5: {}".format
    problems.report(
        line, short, lambda row: reason(width[row], quoted(" ".join(fields[row].as_py())))
    )
    fields, line, width = fields.filter(pa.array(~short)), line[~short], width[~short]
    count, named = pc.list_element(fields, _COUNT), width - _FIRST_GROUP
    wrong = mask(pc.not_equal(count, pa.array(named).cast(pa.string())))
    problems.report(line, wrong, lambda row: f"says {count[row]} groups and names {named[row]}")
    return fields.filter(pa.array(~wrong)), line[~wrong]


def _text_frame(table: pa.Table, *names: str) -> pd.DataFrame:
    return pa.table({name: table[name].cast(pa.string()) for name in names}).to_pandas()
