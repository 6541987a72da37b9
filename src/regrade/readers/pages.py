"""Result pages and lists that people compared or rated; rankings told by names of documents."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from os import PathLike

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue import columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import RATED
from regrade.errors import ParameterError
from regrade.readers.encodings import read_utf8
from regrade.readers.lines import Column, Problems
from regrade.readers.rows import Rows, repeats
from regrade.scales import Scale


def read_page_preferences(
    path: str | PathLike, topic: str, winner: str, systems: Mapping[str, str | None]
) -> pd.DataFrame:
    """Read which system's page is preferred for each topic."""
    problems = Problems(path, f"A line has a {topic} and a {winner}.")
    names = {"topic": topic, "winner": winner}
    rows = Rows.headed("tsv", names, tuple(names), problems)
    topics, winners = rows.identifiers("topic"), rows.text("winner").to_pylist()
    unknown, known = [name not in systems for name in winners], ", ".join(systems)
    problems.report(
        rows.line,
        np.array(unknown),
        lambda row: f"{winner} is '{winners[row]}', not one of {known}",
    )
    again = repeats(pa.table({"topic": topics}), ("topic",)) >= 0
    problems.report(rows.line, again, lambda row: f"topic {topics[row]} occurs again")
    problems.raise_if_any()
    columns = {"topic": topics.to_pylist(), "winner": [systems[name] for name in winners]}
    return pd.DataFrame(columns, dtype=object).sort_values("topic", ignore_index=True)


def named_rankings(documents: pa.Table, pattern: str) -> pa.Table:
    """Rankings of documents whose names say which system returned them, and where."""
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise ParameterError(f"ranks '{pattern}' is not a regular expression: {error}") from error
    if not {"system", "rank"} <= compiled.groupindex.keys():
        raise ParameterError(f"ranks '{pattern}' lacks a group: name (?P<system>…) and (?P<rank>…)")
    names = documents.select(["topic", "docno"]).to_pandas().astype(str).drop_duplicates()
    matches = [compiled.fullmatch(docno) for docno in names["docno"]]
    unmatched = [name for name, match in zip(names["docno"], matches, strict=True) if not match]
    if unmatched:
        raise ParameterError(
            f"{len(unmatched)} names of documents do not match ranks '{pattern}', {unmatched[0]} "
            "is one"
        )
    ranks = [match["rank"] for match in matches]
    if wrong := next((rank for rank in ranks if not rank.isdecimal()), None):
        raise ParameterError(f"ranks '{pattern}' takes '{wrong}' for a rank: use \\d+")
    names["system"], names["place"] = [match["system"] for match in matches], list(map(int, ranks))
    place = ["system", "topic", "place"]
    names = names.sort_values(place, ignore_index=True)
    again = names[names.duplicated(place)]
    if len(again):
        row = again.iloc[0]
        raise ParameterError(
            f"rank {row['place']} occurs again for topic {row['topic']} of "
            f"{row['system']}: correct `ranks`"
        )
    rank = names.groupby(place[:2]).cumcount() + 1
    names = names.assign(
        rank=rank, score=-rank.astype(float), submitted_rank=rank, line=names.index + 1
    )
    schema = SCHEMAS["runs"]
    return pa.table({name: pa.array(names[name]) for name in schema.names}).cast(schema)


def read_rated_lists(
    path: str | PathLike, fields: Sequence[str], criteria: Sequence[str], scale: Scale
) -> pd.DataFrame:
    """Read ratings of results, a line for each, without a first line of names.

    Each assessor rated a list by several criteria.
    """
    missing = [name for name in (*RATED, *criteria) if name not in fields]
    if missing or len({*fields}) != len(fields) or len(criteria) < 2:
        raise ParameterError(
            f"fields are {', '.join(fields)}: name each once, among them {', '.join(RATED)} and "
            f"the criteria, two or more ({', '.join(criteria)})"
        )
    problems = Problems(path, f"A line is: {','.join(fields)}.")
    lines = {
        number: [part.strip() for part in line.split(",", len(fields) - 1)]
        for number, line in enumerate(read_utf8(path).splitlines(), 1)
        if line.strip()
    }
    short = [number for number, parts in lines.items() if len(parts) < len(fields)]
    problems.add(short, (f"has fewer than {len(fields)} fields" for _ in short))
    problems.raise_if_any()
    rows = pd.DataFrame([*lines.values()], columns=list(fields))
    line, columns = np.array([*lines]), rows.to_dict("list")

    def refuse(wrong: np.ndarray, reason: str) -> None:
        """Report some rows, with what their columns in braces hold."""
        texts = ({name: columns[name][row] for name in columns} for row in np.flatnonzero(wrong))
        problems.add(line[wrong], (reason.format(**own) for own in texts))

    ranks = pd.to_numeric(rows["rank"], errors="coerce")
    refuse(~((ranks >= 1) & (ranks % 1 == 0)).to_numpy(), "rank {rank} is not an integer from 1")
    for name in criteria:
        rows[name] = [_grade(scale, text) for text in columns[name]]
        refuse(np.isnan(rows[name].to_numpy()), f"{name} {{{name}}} {scale.off}")
    for name in RATED:
        refuse((rows[name] == "").to_numpy(), f"{name} is empty")
        Column(pa.array(rows[name], pa.string()), line, name, problems).check_names()
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


def _grade(scale: Scale, text: str) -> float:
    try:
        return scale.value(text)
    except ParameterError:
        return math.nan
