"""What of an import a reader must know before any result: what is missing, alike, or degenerate."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import pyarrow as pa
import pyarrow.compute as pc

from regrade.audit.columns import table_of, topics
from regrade.audit.overlap import docnos_alike, documents_of, nearly_alike, share_documents
from regrade.audit.sets import CollectedSet, junk_warning
from regrade.choices import ASKED
from regrade.errors import did_you_mean
from regrade.wording import counted, first_few, rows_text, to_be

log = logging.getLogger(__name__)

LABELLED = ("qrels", "judgments")
SHOWN = 10
"""So many topics are named."""

LEAST_COPIES = 10
"""Fewer different answers by nobody named may all be given again by somebody else."""


Warned = tuple[str, str]
"""A source and what is said of it."""


def warnings_of(
    in_runs: Iterable[str] | None,
    sets: Sequence[CollectedSet],
    judged: pa.Table | None = None,
    wanted: Iterable[str] | None = None,
    relevance: str = "",
    retrieved: pa.ChunkedArray | None = None,
) -> pa.Table:
    """Sentences about a collection's parts that a reader of its report would not expect.

    `retrieved` are docnos of runs, of which those do that `names_to_compare` keeps.
    """
    in_runs = None if in_runs is None else list(in_runs)
    warned: list[Warned] = [*_nowhere(wanted, in_runs, sets), *topic_warnings(in_runs, sets)]
    for data in sets:
        warned += [(data.source, warning) for warning in _of_set(data)]
        if retrieved is not None and data.kind in LABELLED and data.table.num_rows:
            alike = docnos_alike(data.table["docno"], retrieved)
            if alike:
                warned.append((data.source, f"documents {alike}: docnos are text, use one format"))
        if judged is not None and data.kind == "qrels":
            of_set = judged.filter(pc.equal(judged["qrels"].cast(pa.string()), data.name))
            if of_set.num_rows and not pc.sum(of_set["judged"]).as_py():
                problem = "no system retrieves a document that it judges: measures are 0 for every"
                warned.append((data.source, f"{problem} system"))
    labelled = [data for data in sets if data.kind in LABELLED and data.table.num_rows]
    documents = {data.source: documents_of(data.table) for data in labelled}
    for (first, ours), (second, theirs) in combinations(documents.items(), 2):
        if not share_documents(ours, theirs):
            problem = f"it shares no document with {second}: the two sets cannot be compared"
            warned.append((first, problem))
    if relevance:
        warned.append(("measures", relevance))
    for source, warning in warned:
        log.warning("warning: %s: %s", source, warning)
    columns = list(zip(*warned, strict=True)) or [()] * 2
    return table_of("audit/warnings", source=columns[0], said=columns[1])


def docnos_of(sets: Iterable[CollectedSet]) -> pa.ChunkedArray:
    """The docnos of labels and judgments, once each."""
    named = [data.table["docno"].cast(pa.string()) for data in sets if data.kind in LABELLED]
    chunks = [chunk for column in named for chunk in column.chunks]
    return pa.chunked_array([pc.unique(pa.chunked_array(chunks, pa.string()))])


def topic_warnings(in_runs: Iterable[str] | None, sets: Iterable[CollectedSet]) -> Iterator[Warned]:
    """Warnings on topics that one part of a collection has and another lacks."""
    if in_runs is None:
        return
    in_runs = set(in_runs)
    for data in sets:
        here = topics(data.table)
        if lacking := in_runs - here:
            yield data.source, f"no row for {_listed(lacking)} of the runs"
        if extra := here - in_runs:
            yield data.source, f"{_listed(extra)} in no run"
        if alike := nearly_alike(in_runs, here):
            yield data.source, f"topics {alike}: topics are text, use one format"


def _listed(topics: Iterable[str]) -> str:
    topics = sorted(topics)
    return f"{counted(len(topics), 'topic')} ({first_few(topics)})"


def _nowhere(
    wanted: Iterable[str] | None, in_runs: Iterable[str] | None, sets: Sequence[CollectedSet]
) -> Iterator[Warned]:
    """Topics that the collection is to have, and that no file has."""
    there = set(in_runs or ()).union(*(topics(data.table) for data in sets))
    missing = [topic for topic in dict.fromkeys(map(str, wanted or ())) if topic not in there]
    if missing:
        count = f"{counted(len(missing), 'topic')} {to_be(len(missing))}"
        named = first_few(missing, SHOWN)
        close = did_you_mean(missing[0], sorted(there)) if len(missing) == 1 else ""
        yield "topics", f"{count} requested by `topics` and missing from all files: {named}{close}"


def _of_set(data: CollectedSet) -> Iterator[str]:
    """Of one set alone."""
    for reason, count in data.left_out.items():
        if not reason.endswith(ASKED):
            yield rows_text(count, reason)
    if data.mixed:
        yield data.mixed
    values = data.values
    if not len(values):
        yield "it has no row"
        return
    if data.kind == "qrels" and not (values > 0).any():
        yield (
            f"no grade of its {len(values):,} documents is above 0: none is relevant, and "
            "measures are 0 for every system"
        )
    elif data.kind in LABELLED and len(values) > 1 and (values == values[0]).all():
        yield (
            f"all {len(values):,} values are {values[0]:g}: no cut separates documents, "
            "and agreement is undefined"
        )
    if data.kind == "qrels" and (warning := junk_warning(values)):
        yield warning
    if data.kind == "preferences" and (warning := copies_warning(data.table)):
        yield warning
    if data.kind != "judgments":
        return
    if again := judged_again(data.table):
        yield (
            f"{again:,} of {counted(len(values), 'judgment')} repeat a document that the "
            "worker has judged before: if they are copies, leave them out"
        )
    named = data.table.filter(pc.is_valid(data.table["unit"])).select(["topic", "unit", "worker"])
    workers = named.group_by(["topic", "unit", "worker"]).aggregate([])
    counts = workers.group_by(["topic", "unit"]).aggregate([("worker", "count")])
    if shared := pc.sum(pc.greater(counts["worker_count"], 1).cast(pa.int64())).as_py():
        yield (
            f"units (HITs) of a topic with several workers: {shared:,}; each worker's part "
            "counts as a separate unit"
        )


def judged_again(judgments: pa.Table) -> int:
    """How many judgments are of a document that a worker, known by name, has judged before."""
    named = judgments.filter(pc.is_valid(judgments["worker"])).select(["topic", "docno", "worker"])
    named = named.unify_dictionaries()
    return len(named) - len(named.group_by(named.column_names).aggregate([]))


def copies_warning(preferences: pa.Table) -> str:
    """That a worker, known by name, gives answers again word for word; empty where none does.

    Of workers without names: that all answers come twice, or four times.
    In units copies are left out as they are read; without, another answer may have been given.
    """
    preferences = preferences.unify_dictionaries()  # those of files differ
    known = pc.and_(pc.is_valid(preferences["worker"]), pc.is_null(preferences["unit"]))
    own = preferences.filter(known)
    again = len(own) - len(own.group_by(own.column_names).aggregate([]))
    of_all = counted(len(preferences), "preference")
    if not again:
        times = preferences.group_by(preferences.column_names).aggregate([([], "count_all")])
        is_even = pc.all(pc.equal(pc.bit_wise_and(times["count_all"], 1), 0)).as_py()
        if not is_even or len(times) < LEAST_COPIES:
            return ""
        return (
            f"each of {of_all}, without worker names, occurs an even number of times: all "
            "count as answers; if a file was read twice, leave the copies out"
        )
    return (
        f"{again:,} of {of_all} repeat an earlier answer of the same worker in all "
        "columns: all count as answers; if they are copies, leave them out"
    )
