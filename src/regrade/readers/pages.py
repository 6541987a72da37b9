"""Which of two result pages people prefer, and rankings that names of documents tell."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from os import PathLike

import pandas as pd
import pyarrow as pa

from regrade.catalogue.arrow import SCHEMAS
from regrade.errors import ParameterError
from regrade.readers.lines import Problems, check_names, tab_separated


def read_page_preferences(
    path: str | PathLike, topic: str, winner: str, systems: Mapping[str, str | None]
) -> pd.DataFrame:
    """Read which system's page is preferred for each topic."""
    problems = Problems(path, f"A line has a {topic} and a {winner}.")
    table, lines = tab_separated(path, [topic, winner], problems)
    rows = pd.DataFrame({"topic": table[topic].to_pylist(), "said": table[winner].to_pylist()})
    rows = rows.apply(lambda column: column.str.strip()).assign(line=lines)
    empty = rows.loc[rows["topic"] == "", "line"].tolist()
    problems.add(empty, (f"{topic} is empty" for _ in empty))
    check_names(pa.array(rows["topic"], pa.string()), lines, topic, problems)
    known = ", ".join(systems)
    for row in rows[~rows["said"].isin(list(systems))].itertuples():
        problems.add([row.line], [f"{winner} is '{row.said}', none of {known}"])
    for row in rows[rows["topic"].duplicated()].itertuples():
        problems.add([row.line], [f"topic {row.topic} comes again"])
    problems.raise_if_any()
    winners = pd.Series([systems[said] for said in rows["said"]], dtype=object)
    found = pd.DataFrame({"topic": rows["topic"].astype(object), "winner": winners})
    return found.sort_values("topic", ignore_index=True)


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
    places = _integers([match["rank"] for match in matches], pattern)
    return names.assign(system=[match["system"] for match in matches], place=places)


def _integers(texts: Sequence[str], pattern: str) -> list[int]:
    wrong = [text for text in texts if not text.isdecimal()]
    if wrong:
        raise ParameterError(f"ranks '{pattern}' takes '{wrong[0]}' for a rank: let it be \\d+")
    return [int(text) for text in texts]
