"""TREC runs: ``topic Q0 docno rank score tag``, one system per file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.catalogue.arrow import SCHEMAS, STRING
from regrade.conversions import to_numpy, to_strings
from regrade.errors import InputError, ParameterError, check_choice
from regrade.ordering import SCORE_PRECISIONS, TIE_BREAKS, Run, group_starts, rank_in_group
from regrade.progress import tracked
from regrade.readers.encodings import COMPRESSED, first_fields, read_lines
from regrade.readers.lines import Column, Problems, blank_separated
from regrade.readers.rows import all_or_errors, repeats, report_again
from regrade.tables import encode
from regrade.wording import counted

if TYPE_CHECKING:
    from regrade.readers.sources import InputTable

_COLUMNS = {
    "topic": STRING,
    "Q0": None,
    "docno": pa.string(),
    "submitted_rank": pa.int32(),
    "score": pa.float64(),
    "tag": STRING,
}
_REMEDY = "A line of a run is: topic Q0 docno rank score tag."
_COLUMNS_OF_RANKS = ("topic", "docno", "rank")
_REMEDY_OF_RANKS = (
    f"{_REMEDY} "
    "Lines of three columns are topic, docno and rank, of two topic and docno, from the first on. "
    "Of others give the file a first line of names: topic, docno, score."
)
_AGAIN = "document {docno} again for topic {topic}"
_KEEP_ONE = "Keep one line of each document of a topic: its first, or that with the better score."


Kept = TypeVar("Kept")


def read_runs(
    paths: Sequence[str | PathLike], *, threads: int = 1, **rules: str | bool | Iterable[str] | None
) -> pa.Table:
    """Read TREC runs and put them into canonical order; `rules` are those of `each_run`."""
    runs = each_run(paths, threads=threads, **rules)
    topics = sorted({topic for run in runs for topic in run.rows})

    def retrieved(topic: str) -> pa.DictionaryArray:
        """Its documents, by run and then rank: by topics, for a topic has few different ones."""
        of_runs = [run.docno[run.rows[topic]] for run in runs if topic in run.rows]
        return pa.concat_arrays(of_runs).dictionary_encode()

    with ThreadPoolExecutor(threads) as pool:
        by_topic = list(pool.map(retrieved, topics))
    every = pa.concat_arrays([coded.dictionary for coded in by_topic])
    docnos, codes = encode(pa.chunked_array([every]))
    documents: list[list[np.ndarray]] = [[] for _ in runs]
    for topic, coded in zip(topics, by_topic, strict=True):
        own = codes[: len(coded.dictionary)][coded.indices.to_numpy()]
        codes = codes[len(coded.dictionary) :]
        for of_run, run in zip(documents, runs, strict=True):
            if topic in run.rows:
                size = run.rows[topic].stop - run.rows[topic].start
                of_run.append(own[:size])
                own = own[size:]
    system = np.arange(len(runs), dtype=np.int32)
    held = pa.array([topic for run in runs for topic in run.rows], pa.string())
    topic = pc.index_in(held, pa.array(topics, pa.string())).to_numpy()
    coded = {
        "system": (np.repeat(system, [len(run) for run in runs]), [run.system for run in runs]),
        "topic": (np.repeat(topic, [size for run in runs for size in run.lengths]), topics),
        "docno": (np.concatenate([part for of_run in documents for part in of_run]), docnos),
    }
    return runs_table(runs, coded)


def each_run(
    paths: Sequence[str | PathLike],
    keep: Callable[[Run], Kept] = lambda run: run,
    *,
    tie_break: str = "rank",
    score_precision: str = "float64",
    topics: Iterable[str] | None = None,
    not_self: bool = False,
    threads: int = 1,
) -> list[Kept]:
    """Read TREC runs, each by itself: for those who need no table, or cannot hold all of them."""
    check_choice("tie_break", tie_break, TIE_BREAKS)
    check_choice("score_precision", score_precision, SCORE_PRECISIONS)
    paths = list(paths)
    if not paths:
        raise ParameterError("no run files: the pattern for `runs` matches nothing")
    wanted = None if topics is None else to_strings(sorted(set(map(str, topics))))
    rules = {"tie_break": tie_break, "score_precision": score_precision, "not_self": not_self}

    def read(path: str | PathLike) -> tuple[str, str | PathLike, Kept | None] | InputError:
        try:
            run = _read_run(path, wanted, rules)
        except InputError as error:
            return error
        return run.system, path, keep(run) if len(run) or run.itself else None

    with ThreadPoolExecutor(threads) as pool:
        results = list(tracked(pool.map(read, paths), "runs", len(paths)))
    named = sorted(all_or_errors(_with_strays_named(results, paths)), key=lambda run: run[0])
    all_or_errors(
        InputError(
            later,
            [(None, f"its tag '{name}' is also that of {former}")],
            "A system's name is its run's tag: give each file a tag of its own.",
        )
        for (system, former, _), (name, later, _) in pairwise(named)
        if system == name
    )
    kept = [run for *_, run in named if run is not None]
    if not kept:
        raise InputError(paths[0], [(None, "and the other runs hold none of the requested topics")])
    return kept


def runs_of_rows(rows: InputTable, name: str, rules: Mapping[str, str | bool]) -> list[Run]:
    """The runs of rows of any order, one per system; `name` is that of rows that name none."""
    n = len(rows)
    topic, docno = rows.identifiers("topic"), rows.identifiers("docno")
    names = rows.identifiers("system") if "system" in rows else pa.array([name] * n, pa.string())
    rank = np.arange(1, n + 1, dtype=np.float64)
    if "rank" in rows:
        rank = rows.numbers("rank")
        wrong = (rank != np.rint(rank)) | (rank < 0)
        rows.refuse("rank", wrong, "is not a whole number from 0", "Ranks count from 1 or 0.")
        rows.refuse("rank", rank > np.iinfo(np.int32).max, "is too large")
    score = rows.numbers("score", infinite=True) if "score" in rows else -rank
    keys = {"system": names, "topic": topic, "docno": docno}
    again = repeats(pa.table(keys), tuple(keys)) >= 0
    rows.refuse("docno", again, "occurs again for the same topic", "Keep one of its rows.")
    columns = {
        "score": score,
        "submitted_rank": rank.astype(np.int32),
        "line": np.arange(1, n + 1, dtype=np.int32),
    }
    systems, system = encode(pa.chunked_array([names]))
    runs = []
    for s, own_name in enumerate(systems.to_pylist()):
        own = np.flatnonzero(system == s)
        values = {key: column[own] for key, column in columns.items()}
        coded = topic.take(pa.array(own)).dictionary_encode()
        run = Run.of_rows(own_name, coded, docno.take(pa.array(own)), values, **rules)
        runs.append(run if "rank" in rows else replace(run, has_ranks=False))
    return runs


def left_out_text(counts: Iterable[int]) -> str:
    """How many documents of each system had the name of their topic, and were left out."""
    counts = [*counts]
    of = f"{counted(sum(n > 0 for n in counts), 'system')} of {len(counts):,}"
    return f"{counted(sum(counts), 'document')} of {of} left out that are the topic itself"


def empty_run(system: str) -> Run:
    """The run of a system that retrieved nothing."""
    score, whole = np.empty(0), np.empty(0, np.int32)
    return Run(system, {}, pa.array([], pa.string()), score, whole, whole)


def runs_table(
    runs: Sequence[Run], coded: Mapping[str, tuple[np.ndarray, Sequence[str] | pa.StringArray]]
) -> pa.Table:
    """Runs in schema ``runs``; `coded` are codes, of all, and the names that they stand for."""
    columns = {
        name: pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(names, pa.string()))
        for name, (codes, names) in coded.items()
    }
    for name in ("rank", "score", "submitted_rank", "line"):
        columns[name] = pa.chunked_array([getattr(run, name) for run in runs])
    schema = SCHEMAS["runs"]
    return pa.table([columns[name] for name in schema.names], schema=schema)


def no_run_text(stray: str | PathLike, runs: Iterable[str | PathLike], strays: Iterable) -> str:
    """That a file is no run, as those beside it are, and a glob of them alone if there is one."""
    endings = [Path(run).suffix for run in runs]
    (ending, *more), stray = dict.fromkeys(endings), Path(stray)
    is_alone = not more and all(Path(one).suffix != ending for one in strays)
    named = f", or name {stray.parent}/*{ending}" if is_alone else ""
    return f"{stray.name} is no run, as {len(endings)} others beside it are: take it out{named}"


def _with_strays_named(
    results: Sequence[object | InputError], paths: Sequence[str | PathLike]
) -> list[object | InputError]:
    """The results, in which errors of files that are no runs say so where most files are some."""
    failed = {str(p) for p, one in zip(paths, results, strict=True) if isinstance(one, InputError)}
    strays = list(filter(_is_other, sorted(failed)))
    runs = [path for path in paths if str(path) not in strays]
    if strays and len(strays) < len(runs):
        results = [
            InputError(path, one.problems, no_run_text(path, runs, strays), one.total)
            if str(path) in strays
            else one
            for path, one in zip(paths, results, strict=True)
        ]
    return list(results)


def _is_other(path: str | PathLike) -> bool:
    """Whether a file's first line has not the fields of a run's."""
    try:
        first = next(filter(bytes.strip, read_lines(path).splitlines()), b"")
    except InputError:  # it cannot be read at all, which is what is to be said
        return False
    return bool(first) and len(first.split()) != len(_COLUMNS)


def _fields_of(path: str | PathLike) -> int:
    """How many fields the first line of a file has that is not blank; 0 if it cannot be read."""
    try:
        return len(first_fields(path))
    except InputError:  # whoever reads all of it says why
        return 0


def _of_ranks(path: str | PathLike, problems: Problems, fields: int) -> pa.Table:
    """Lines of topic, docno and rank, as MS MARCO has them, or without the rank, in its order.

    Ranks are told from scores by counting from 1 in each topic, and lines without them from those
    of groups by topics that come again.
    """
    names = dict(zip(_COLUMNS_OF_RANKS, (STRING, pa.string(), pa.string())[:fields], strict=False))
    table = blank_separated(names, problems, ("topic", "docno"))
    topic = table["topic"].combine_chunks().indices.to_numpy()
    by_topic = np.argsort(topic, kind="stable")
    counts = rank_in_group(group_starts(topic[by_topic]), len(topic))
    rank = np.empty(len(topic), np.int32)
    rank[by_topic] = counts
    problem = "" if (rank > 1).any() else "each topic once"
    if fields == 3:
        problems.remedy = _REMEDY_OF_RANKS
        submitted = Column(table["rank"], table["line"].to_numpy(), "rank", problems)
        submitted = submitted.numbers(pa.int32())
        problems.raise_if_any()
        rank = submitted.to_numpy(zero_copy_only=False)
        if problem or not np.array_equal(rank[np.lexsort((rank, topic))], counts):
            problem = "its last column no ranks from 1 in each topic"
    if problem:
        reason = f"has {fields} columns, and {problem}"
        raise InputError(path, [(table["line"][0].as_py(), reason)], _REMEDY_OF_RANKS)
    n, name = len(table), pa.array([system_of_file(path)])
    columns = {
        "topic": table["topic"],
        "docno": table["docno"],
        "submitted_rank": pa.array(rank),
        "score": pa.array(-rank.astype(np.float64)),
        "tag": pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int32)), name),
        "line": table["line"],
    }
    return pa.table(columns)


def system_of_file(path: str | PathLike) -> str:
    """What a system is called whose run names none: its file's name without its endings."""
    name = Path(path)
    return Path(name.stem).stem if name.suffix in COMPRESSED else name.stem


def _read_run(
    path: str | PathLike, topics: pa.Array | None, rules: Mapping[str, str | bool]
) -> Run:
    problems = Problems(path, _REMEDY)
    if (fields := _fields_of(path)) in (2, 3):
        table = _of_ranks(path, problems, fields)
    else:
        table = blank_separated(_COLUMNS, problems, ("topic", "docno", "tag"))
    line = to_numpy(table["line"])
    rank = table["submitted_rank"]
    if (pc.min(rank).as_py() or 0) < 0:
        below = pc.less(rank, 0).fill_null(False).to_numpy()
        reason = "is below 0: ranks count from 1 or 0"
        problems.report(line, below, lambda row: f"rank {rank[row]} {reason}")
    tags = table["tag"].combine_chunks()
    codes = to_numpy(tags.indices)
    if len(other := np.flatnonzero(codes != codes[:1])[:1]):
        reason = f"tag '{tags[other[0]]}' where line {line[0]} has '{tags[0]}': a file holds one"
        problems.add(line[other], [f"{reason} system's run"])
    _check_documents(table, problems)
    problems.raise_if_any()
    system = table["tag"][0].as_py()
    if topics is not None:
        table = table.filter(pc.is_in(table["topic"].cast(pa.string()), topics))
    columns = {name: to_numpy(table[name]) for name in ("score", "submitted_rank", "line")}
    topic, docno = (table[name].combine_chunks() for name in ("topic", "docno"))
    return Run.of_rows(system, topic, docno, columns, **rules)


def _check_documents(table: pa.Table, problems: Problems) -> None:
    """Report every document that a topic already holds."""
    topic, docno = table["topic"].combine_chunks(), table["docno"].combine_chunks()
    starts = group_starts(to_numpy(topic.indices))
    if len(starts) == len(topic.dictionary):  # each topic's lines are one below the other
        sizes = np.diff(starts, append=len(topic))
        parts = zip(starts.tolist(), sizes.tolist(), strict=True)
        if all(pc.count_distinct(docno.slice(*part)).as_py() == part[1] for part in parts):
            return
    remedy = f"{problems.remedy} {_KEEP_ONE}" if problems.count else _KEEP_ONE
    if report_again(table, ("topic", "docno"), _AGAIN, problems):
        problems.remedy = remedy
