"""Which of two result pages people prefer, and rankings that names of documents tell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from os import PathLike

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue.arrow import SCHEMAS
from regrade.errors import ParameterError
from regrade.readers.lines import Problems
from regrade.readers.rows import Rows, repeats


def read_page_preferences(
    path: str | PathLike, topic: str, winner: str, systems: Mapping[str, str | None]
) -> pd.DataFrame:
    """Read which system's page is preferred for each topic."""
    problems = Problems(path, f"A line has a {topic} and a {winner}.")
    names = {"topic": topic, "winner": winner}
    rows = Rows.headed(path, "tsv", names, tuple(names), problems)
    topics, winners = rows.identifiers("topic"), rows.text("winner").to_pylist()
    unknown, known = [name not in systems for name in winners], ", ".join(systems)
    problems.report(
        rows.line, np.array(unknown), lambda row: f"{winner} is '{winners[row]}', none of {known}"
    )
    again = repeats(pa.table({"topic": topics}), ("topic",)) >= 0
    problems.report(rows.line, again, lambda row: f"topic {topics[row]} comes again")
    problems.raise_if_any()
    columns = {"topic": topics.to_pylist(), "winner": [systems[name] for name in winners]}
    return pd.DataFrame(columns, dtype=object).sort_values("topic", ignore_index=True)


def named_rankings(documents: pa.Table, pattern: str) -> pa.Table:
    """Rankings of documents whose names say which system returned them, and where."""
    names = _matched(documents, pattern)
    names = names.sort_values(["system", "topic", "place"], ignore_index=True)
    again = names[names.duplicated(["system", "topic", "place"])]
    if len(again):
        row = again.iloc[0]
        raise ParameterError(
            f"rank {row['place']} comes again for topic {row['topic']} of {row['system']}: "
            "correct `ranks`"
        )
    rank = names.groupby(["system", "topic"]).cumcount() + 1
    columns = {
        "system": names["system"],
        "topic": names["topic"],
        "rank": rank,
        "docno": names["docno"],
        "score": -rank.astype(float),
        "submitted_rank": rank,
        "line": names.index + 1,
    }
    schema = SCHEMAS["runs"]
    return pa.table({name: pa.array(columns[name]) for name in schema.names}).cast(schema)


def _matched(documents: pa.Table, pattern: str) -> pd.DataFrame:
    """Topic, docno, system and place of each document, once."""
    try:
        found = re.compile(pattern)
    except re.error as error:
        raise ParameterError(f"ranks '{pattern}' is no regular expression: {error}") from error
    if not {"system", "rank"} <= found.groupindex.keys():
        raise ParameterError(f"ranks '{pattern}' lacks a group: name (?P<system>…) and (?P<rank>…)")
    names = documents.select(["topic", "docno"]).to_pandas().astype(str).drop_duplicates()
    matches = [found.fullmatch(docno) for docno in names["docno"]]
    unmatched = [name for name, match in zip(names["docno"], matches, strict=True) if not match]
    if unmatched:
        raise ParameterError(
            f"{len(unmatched)} names of documents do not match ranks '{pattern}', {unmatched[0]} "
            "is one"
        )
    ranks = [match["rank"] for match in matches]
    if wrong := next((rank for rank in ranks if not rank.isdecimal()), None):
        raise ParameterError(f"ranks '{pattern}' takes '{wrong}' for a rank: let it be \\d+")
    systems = [match["system"] for match in matches]
    return names.assign(system=systems, place=list(map(int, ranks)))
