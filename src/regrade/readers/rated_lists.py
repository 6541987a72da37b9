"""Result lists that assessors rated, each its own list, by several criteria."""

from __future__ import annotations

import math
from collections.abc import Sequence
from os import PathLike

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
    ranks = pd.to_numeric(rows["rank"], errors="coerce")
    is_rank = (ranks >= 1) & (ranks % 1 == 0)
    _refuse(problems, rows, ~is_rank, lambda row: f"rank {row.rank} is no integer from 1")
    for name in criteria:
        grades = [_grade(scale, text) for text in rows[name]]
        wrong = pd.isna(pd.Series(grades, dtype=float))
        _refuse(problems, rows, wrong, lambda row, of=name: f"{of} {getattr(row, of)} {scale.off}")
        rows[name] = grades
    lines = rows["line"].to_numpy()
    for name in RATED:
        _refuse(problems, rows, rows[name] == "", lambda row, of=name: f"{of} is empty")
        check_names(pa.array(rows[name], pa.string()), lines, name, problems)
    problems.raise_if_any()
    rows["rank"] = ranks.astype("int32")
    _check_lists(problems, rows)
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


def _refuse(problems: Problems, rows: pd.DataFrame, wrong: pd.Series, said) -> None:
    bad = rows[wrong]
    problems.add(bad["line"].tolist(), (said(row) for row in bad.itertuples()))


def _check_lists(problems: Problems, rows: pd.DataFrame) -> None:
    """Each list has the ranks 1, 2, … once."""
    of_list = ["topic", "assessor"]
    again = rows.duplicated([*of_list, "rank"])
    _refuse(
        problems,
        rows,
        again,
        lambda row: f"rank {row.rank} again for topic {row.topic} of assessor {row.assessor}",
    )
    problems.raise_if_any()
    lists = rows.groupby(of_list, sort=True)
    for (topic, assessor), one in lists:
        if one["rank"].max() != len(one):
            problems.add(
                [int(one["line"].iloc[0])],
                [f"the list of topic {topic} of assessor {assessor} lacks a rank"],
            )
    problems.raise_if_any()
