"""Result lists that assessors rated, each its own list, by several criteria."""

from __future__ import annotations

import math
from collections.abc import Sequence
from os import PathLike

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue import columns_of
from regrade.choices import RATED
from regrade.errors import ParameterError
from regrade.readers.encodings import read_utf8
from regrade.readers.lines import Problems, check_names
from regrade.scales import Scale


def read_rated_lists(
    path: str | PathLike, fields: Sequence[str], criteria: Sequence[str], scale: Scale
) -> pd.DataFrame:
    """Read ratings of results, a line for each, without a first line of names."""
    _check_fields(fields, criteria)
    problems = Problems(path, f"A line is: {','.join(fields)}.")
    rows = _rows(path, fields, problems)
    line, columns = rows.pop("line").to_numpy(), rows.to_dict("list")

    def refuse(wrong: np.ndarray, reason: str) -> None:
        """Report some rows, with what their columns in braces hold."""
        texts = ({name: columns[name][row] for name in columns} for row in np.flatnonzero(wrong))
        problems.add(line[wrong], (reason.format(**own) for own in texts))

    ranks = pd.to_numeric(rows["rank"], errors="coerce")
    refuse(~((ranks >= 1) & (ranks % 1 == 0)).to_numpy(), "rank {rank} is no integer from 1")
    for name in criteria:
        rows[name] = [_grade(scale, text) for text in columns[name]]
        refuse(np.isnan(rows[name].to_numpy()), f"{name} {{{name}}} {scale.off}")
    for name in RATED:
        refuse((rows[name] == "").to_numpy(), f"{name} is empty")
        check_names(pa.array(rows[name], pa.string()), line, name, problems)
    problems.raise_if_any()
    rows["rank"] = ranks.astype("int32")
    of_list = ["topic", "assessor"]
    again = rows.duplicated([*of_list, "rank"]).to_numpy()
    refuse(again, "rank {rank} again for topic {topic} of assessor {assessor}")
    problems.raise_if_any()
    lists = rows.groupby(of_list)["rank"]
    short = (lists.transform("max") != lists.transform("size")) & ~rows.duplicated(of_list)
    refuse(short.to_numpy(), "the list of topic {topic} of assessor {assessor} lacks a rank")
    problems.raise_if_any()
    long = rows.melt([*RATED], list(criteria), "criterion", "grade")
    long["criterion"] = pd.Categorical(long["criterion"], list(criteria))
    long = long.sort_values(["topic", "assessor", "rank", "criterion"], ignore_index=True)
    columns = columns_of("rated-lists/lists")
    return long[columns].astype({"criterion": str, "grade": float})


def _check_fields(fields: Sequence[str], criteria: Sequence[str]) -> None:
    wanted = [*RATED, *criteria]
    missing = [name for name in wanted if name not in fields]
    if missing or len({*fields}) != len(fields) or len(criteria) < 2:
        raise ParameterError(
            f"fields are {', '.join(fields)}: name each once, among them {', '.join(RATED)} and "
            f"the criteria, two or more ({', '.join(criteria)})"
        )


def _grade(scale: Scale, text: str) -> float:
    try:
        return scale.value(text)
    except ParameterError:
        return math.nan


def _rows(path: str | PathLike, fields: Sequence[str], problems: Problems) -> pd.DataFrame:
    found = [
        (number, [part.strip() for part in line.split(",", len(fields) - 1)])
        for number, line in enumerate(read_utf8(path).splitlines(), 1)
        if line.strip()
    ]
    short = [number for number, parts in found if len(parts) < len(fields)]
    problems.add(short, (f"has less than {len(fields)} fields" for _ in short))
    problems.raise_if_any()
    rows = pd.DataFrame([parts for _, parts in found], columns=list(fields))
    return rows.assign(line=[number for number, _ in found])
