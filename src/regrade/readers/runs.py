"""TREC runs: ``topic Q0 docno rank score tag``, one system per file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.errors import InputError, ParameterError, check_choice
from regrade.ordering import (
    SCORE_PRECISIONS,
    TIE_BREAKS,
    canonical_order,
    group_starts,
    rank_in_group,
)
from regrade.readers.rows import all_or_errors
from regrade.readers.text import Problems, blank_separated, check_quotes, repeats
from regrade.schemas import SCHEMAS, STRING

_COLUMNS = {
    "topic": STRING,
    "Q0": None,
    "docno": STRING,
    "submitted_rank": pa.int32(),
    "score": pa.float64(),
    "tag": STRING,
}
_REMEDY = "A line of a run is: topic Q0 docno rank score tag."


Kept = TypeVar("Kept")


@dataclass(frozen=True)
class _Run:
    """One file: a table of `topic`, `docno` (one dictionary each), numbers and `line`."""

    path: str | PathLike
    system: str
    table: pa.Table

    def codes(self, name: str) -> pa.DictionaryArray:
        return self.table[name].combine_chunks()


def read_runs(
    paths: Sequence[str | PathLike],
    *,
    tie_break: str = "rank",
    score_precision: str = "float64",
    topics: Iterable[str] | None = None,
    threads: int = 1,
) -> pa.Table:
    """Read TREC runs and put them into canonical order.

    Parameters
    ----------
    paths
        The files, plain or gzipped, one system each: its name is the tag in column 6.
        Columns may be separated by any blanks; ranks and lines may come in any order.
    tie_break, score_precision
        The order of documents with equal scores: see `regrade.ordering.canonical_order`.
    topics
        Keep these topics only; ``None`` keeps all.  A file is checked whole all the same; a
        system that retrieved nothing for them has no row.
    threads
        Files read at once.

    Returns
    -------
    pa.Table
        Schema ``runs``, sorted by system, topic and rank; the dictionaries are sorted bytewise.

    Raises
    ------
    InputError
        If a file cannot be read, a line has another number of columns, a score is no number
        or NaN, a rank no integer or below 0, a name in quotes, a topic holds a document twice,
        a file holds two tags, two files hold the same one, or no line is left.  One error tells
        of all files.
    ParameterError
        If there is no path, or `tie_break` or `score_precision` is unknown.
    """
    rules, paths, kept = _checked(paths, tie_break, score_precision, topics)
    with ThreadPoolExecutor(threads) as pool:
        runs = all_or_errors(pool.map(lambda path: _try(_read_run, path, kept), paths))
        runs.sort(key=lambda run: run.system)
        _check_names(runs)
        runs = [run for run in runs if len(run.table)]
        _check_any(runs, paths)
        return _in_one_table(runs, rules, pool)


def each_run(
    paths: Sequence[str | PathLike],
    keep: Callable[[str, pa.Table], Kept],
    *,
    tie_break: str = "rank",
    score_precision: str = "float64",
    topics: Iterable[str] | None = None,
    threads: int = 1,
) -> list[Kept]:
    """Read TREC runs one by one, for those who cannot hold all of them.

    Parameters
    ----------
    paths, tie_break, score_precision, topics, threads
        As in `read_runs`.
    keep
        Called with each system and its run, from any thread: as `read_runs` would give it alone,
        but for the names of documents, which are in no order.  The run is not held any longer.

    Returns
    -------
    list
        What `keep` gave, sorted by system; a system that retrieved nothing has no entry.

    Raises
    ------
    InputError, ParameterError
        As `read_runs`.  Nothing is told of what was kept before.
    """
    rules, paths, kept = _checked(paths, tie_break, score_precision, topics)

    def read(path: str | PathLike) -> tuple[_Run, Kept | None]:
        run = _read_run(path, kept)
        found = keep(run.system, _alone(run, rules)) if len(run.table) else None
        return _Run(run.path, run.system, run.table.schema.empty_table()), found

    with ThreadPoolExecutor(threads) as pool:
        found = all_or_errors(pool.map(lambda path: _try(read, path), paths))
    found.sort(key=lambda pair: pair[0].system)
    _check_names([run for run, _ in found])
    result = [entry for _, entry in found if entry is not None]
    _check_any(result, paths)
    return result


def _checked(
    paths: Sequence[str | PathLike],
    tie_break: str,
    score_precision: str,
    topics: Iterable[str] | None,
) -> tuple[dict[str, str], list[str | PathLike], pa.Array | None]:
    """The rules of the canonical order, the paths, and the names of the topics to keep."""
    check_choice("tie_break", tie_break, TIE_BREAKS)
    check_choice("score_precision", score_precision, SCORE_PRECISIONS)
    paths = list(paths)
    if not paths:
        raise ParameterError("no run files: the pattern for `runs` matches nothing")
    kept = None if topics is None else pa.array(sorted(set(map(str, topics))), pa.string())
    return {"tie_break": tie_break, "score_precision": score_precision}, paths, kept


def _check_any(runs: Sequence, paths: Sequence[str | PathLike]) -> None:
    if not runs:
        raise InputError(paths[0], [(None, "and the other runs hold none of the topics wanted")])


def _in_one_table(runs: Sequence[_Run], rules: Mapping[str, str], pool: Executor) -> pa.Table:
    """The runs, sorted by system, one below the other, each in canonical order."""
    topic_keys, topic_names = _common_codes([run.codes("topic") for run in runs])
    docno_keys, docno_names = _common_codes([run.codes("docno") for run in runs])
    starts = np.cumsum([0] + [len(run.table) for run in runs])
    kinds = {field.name: field.type for field in SCHEMAS["runs"] if field.name != "system"}
    out = {
        name: np.empty(starts[-1], np.int32 if kind == STRING else kind.to_pandas_dtype())
        for name, kind in kinds.items()
    }

    def place(number: int) -> None:
        ordered = _ordered(runs[number], topic_keys[number], docno_keys[number], rules)
        for name, column in ordered.items():
            out[name][starts[number] : starts[number + 1]] = column

    list(pool.map(place, range(len(runs))))
    system = np.repeat(np.arange(len(runs), dtype=np.int32), np.diff(starts))
    names = {
        "system": pa.array([run.system for run in runs], pa.string()),
        "topic": topic_names,
        "docno": docno_names,
    }
    return _runs_table({"system": system, **out}, names)


def _alone(run: _Run, rules: Mapping[str, str]) -> pa.Table:
    """One run in canonical order; its documents' names are put in order if the rules look at it."""
    (topic_keys,), topic_names = _common_codes([run.codes("topic")])
    docno_names = run.codes("docno").dictionary
    docno_keys = np.arange(len(docno_names), dtype=np.int32)
    if rules["tie_break"] == "trec_eval":
        (docno_keys,), docno_names = _common_codes([run.codes("docno")])
    columns = _ordered(run, topic_keys, docno_keys, rules)
    columns["system"] = np.zeros(len(run.table), dtype=np.int32)
    names = {"system": pa.array([run.system]), "topic": topic_names, "docno": docno_names}
    return _runs_table(columns, names)


def _runs_table(columns: Mapping[str, np.ndarray], names: Mapping[str, pa.Array]) -> pa.Table:
    """A table of schema ``runs`` of numbers, and of codes with what they stand for."""
    arrays = {name: pa.array(column) for name, column in columns.items()}
    for name, values in names.items():
        arrays[name] = pa.DictionaryArray.from_arrays(arrays[name], values)
    schema = SCHEMAS["runs"]
    return pa.table([arrays[name] for name in schema.names], schema=schema)


def _ordered(
    run: _Run, topic_keys: np.ndarray, docno_keys: np.ndarray, rules: Mapping[str, str]
) -> dict[str, np.ndarray]:
    """A run's columns in canonical order, its topics and documents by their common codes."""
    columns = {
        "topic": topic_keys[run.codes("topic").indices.to_numpy()],
        "docno": docno_keys[run.codes("docno").indices.to_numpy()],
    }
    for name in ("score", "submitted_rank", "line"):
        columns[name] = run.table[name].to_numpy()
    order = canonical_order(**columns, **rules)
    columns = {name: column[order] for name, column in columns.items()}
    columns["rank"] = rank_in_group(group_starts(columns["topic"]), len(order))
    return columns


def _try(read, *arguments):
    try:
        return read(*arguments)
    except InputError as error:
        return error


def _read_run(path: str | PathLike, topics: pa.Array | None) -> _Run:
    problems = Problems(path, _REMEDY)
    table = blank_separated(path, _COLUMNS, problems).unify_dictionaries()
    _check_lines(table, problems)
    _check_tag(table, problems)
    _check_documents(table, problems)
    problems.raise_if_any()
    system = table["tag"][0].as_py()
    table = table.drop_columns("tag")
    if topics is not None:
        table = table.filter(pc.is_in(table["topic"].cast(pa.string()), topics))
        for name in ("topic", "docno"):  # forget the names that went
            column = table[name].cast(pa.string()).dictionary_encode()
            table = table.set_column(table.column_names.index(name), name, column)
    return _Run(path, system, table)


def _check_lines(table: pa.Table, problems: Problems) -> None:
    """Report names in quotes, and ranks below 0."""
    line = table["line"].to_numpy()
    for name in ("topic", "docno", "tag"):
        check_quotes(table[name], line, name, problems)
    rank = table["submitted_rank"]
    wrong = np.flatnonzero(pc.less(rank, 0).fill_null(False).to_numpy())
    problems.add(
        line[wrong],
        (f"rank {rank[row].as_py()} is below 0: ranks count from 1 or 0" for row in wrong.tolist()),
    )


def _check_tag(table: pa.Table, problems: Problems) -> None:
    tags = table["tag"].combine_chunks()
    codes = tags.indices.to_numpy()
    if not len(codes):
        return
    other = np.flatnonzero(codes != codes[0])
    if len(other):
        first, second = tags[0].as_py(), tags[other[0]].as_py()
        line = table["line"].to_numpy()
        problems.add(
            [line[other[0]]],
            [f"tag '{second}' where line {line[0]} has '{first}': a file holds one system's run"],
        )


def _check_documents(table: pa.Table, problems: Problems) -> None:
    """Report every document that a topic already holds."""
    topic, docno = table["topic"].combine_chunks(), table["docno"].combine_chunks()
    key = topic.indices.to_numpy().astype(np.int64) * len(docno.dictionary)
    key += docno.indices.to_numpy()
    ordered = np.sort(key)
    if not (ordered[1:] == ordered[:-1]).any():
        return
    line = table["line"].to_numpy()
    earlier = repeats(table, ("topic", "docno"))
    again = np.flatnonzero(earlier >= 0)
    problems.add(
        line[again],
        (
            f"document {docno[row].as_py()} again for topic {topic[row].as_py()}: "
            f"line {line[earlier[row]]} has it"
            for row in again.tolist()
        ),
    )


def _check_names(runs: Sequence[_Run]) -> None:
    """Raise an error for every two files, sorted by system, that hold the same one."""
    errors = [
        InputError(
            later.path,
            [(None, f"its tag '{later.system}' is also that of {former.path}")],
            "A system's name is its run's tag: give each file a tag of its own.",
        )
        for former, later in pairwise(runs)
        if former.system == later.system
    ]
    all_or_errors(errors)


def _common_codes(columns: Sequence[pa.DictionaryArray]) -> tuple[list[np.ndarray], pa.Array]:
    """Codes in one dictionary, sorted bytewise: for each column, the new code of each old one."""
    every = pa.concat_arrays([column.dictionary for column in columns]).dictionary_encode()
    order = pc.array_sort_indices(every.dictionary).to_numpy()
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    codes = place[every.indices.to_numpy()]
    ends = np.cumsum([len(column.dictionary) for column in columns])[:-1]
    return np.split(codes, ends), every.dictionary.take(pa.array(order))
