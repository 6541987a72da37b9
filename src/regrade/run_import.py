"""From run files to the table and the codes, in bounded memory.

Files are read one by one (as many at a time as there are threads), each is put into canonical
order and set down in a folder of its own beside the codes.  From there the table is written system
by system and the codes topic by topic, so that no more is held than some files, some systems or
some topics at a time; the folder goes when both are there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory

import numpy as np
import pyarrow as pa

from regrade.codes import write_runs
from regrade.readers.runs import Run, each_run, left_out_text, runs_table
from regrade.run_arrays import TopicRankings
from regrade.tables import table_writer
from regrade.wording import counted, first_few, to_be

_NUMBERS = ("score", "submitted_rank", "line")

_ENCODING = {
    "use_dictionary": ["system", "topic"],
    "column_encoding": dict.fromkeys(("rank", "submitted_rank", "line"), "DELTA_BINARY_PACKED"),
}
"""Documents and scores of one run hardly repeat: a dictionary for each run would be larger."""


def collect_runs(
    paths: Sequence[str | os.PathLike],
    to: Sequence[tuple[str | os.PathLike, str | os.PathLike]],
    *,
    tie_break: str = "rank",
    score_precision: str = "float64",
    topics: Iterable[str] | None = None,
    not_self: bool = False,
    threads: int = 1,
    parameters: Mapping[str, object] | None = None,
) -> tuple[int, str]:
    """Read TREC runs and write them as a table of schema ``runs`` and as codes, `to` some places.

    Returns how many documents they rank, and, with `not_self`, how many were left out.
    """
    folder = Path(to[0][1]).parent
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder, prefix=".runs-") as spool:
        runs = each_run(
            paths,
            lambda run: _Spooled.put(Path(spool), run),
            tie_break=tie_break,
            score_precision=score_precision,
            topics=topics,
            not_self=not_self,
            threads=threads,
        )
        left_out = left_out_text(run.itself for run in runs) if not_self else ""

        def write_rows(table: str | os.PathLike) -> None:
            with table_writer(table, "runs", parameters, **_ENCODING) as write:
                for run in runs:
                    write(run.table())

        def by_topic() -> Iterator[tuple[str, TopicRankings]]:
            """The rankings topic by topic; as many are held as there are threads."""
            every = sorted({topic for run in runs for topic in run.places})

            def of_topic(topic: str) -> TopicRankings:
                return TopicRankings.of_runs([run.read([topic]) for run in runs], topic)

            with ThreadPoolExecutor(threads) as pool:
                for start in range(0, len(every), threads):
                    some = every[start : start + threads]
                    yield from zip(some, pool.map(of_topic, some), strict=True)

        systems = [run.system for run in runs]
        for table, codes in to:
            with ThreadPoolExecutor(min(threads, 2)) as pool:
                for written in [
                    pool.submit(write_rows, table),
                    pool.submit(write_runs, codes, systems, by_topic(), parameters),
                ]:
                    written.result()
        return sum(run.size for run in runs), left_out


def unread_files(paths: Iterable[str | os.PathLike]) -> str:
    """Which files in the folders of runs are none of these, hidden ones aside; empty if none."""
    read = {Path(path).absolute() for path in paths}
    there = {file for folder in {path.parent for path in read} for file in folder.iterdir()}
    beside = sorted(f.name for f in there - read if f.is_file() and not f.name.startswith("."))
    if not beside:
        return ""
    are = to_be(len(beside))
    return f"; beside them {counted(len(beside), 'file')} {are} not read: {first_few(beside)}"


@dataclass(frozen=True, eq=False)
class _Spooled:
    """One run, set down in a file.

    Attributes
    ----------
    path
        Of the file: Arrow IPC, ``docno`` and numbers, a batch for each topic.
    system
        Its name.
    places
        The batch of each topic, in order.
    size, itself
        How many documents are ranked, and how many had the name of their topic.
    """

    path: Path
    system: str
    places: Mapping[str, int]
    size: int
    itself: int

    @classmethod
    def put(cls, spool: Path, run: Run) -> _Spooled:
        """Set down a run."""
        batch = pa.record_batch({name: getattr(run, name) for name in ("docno", *_NUMBERS)})
        with (
            NamedTemporaryFile(dir=spool, delete=False) as file,
            pa.ipc.new_file(file, batch.schema) as writer,
        ):
            for rows in run.rows.values():
                writer.write_batch(batch[rows])
        places = {topic: place for place, topic in enumerate(run.rows)}
        return cls(Path(file.name), run.system, places, len(run), run.itself)

    def read(self, topics: Iterable[str]) -> Run:
        """The run on some topics, of which nothing else is read."""
        kept = [topic for topic in topics if topic in self.places]
        with pa.OSFile(str(self.path)) as file:
            reader = pa.ipc.open_file(file)
            batches = [reader.get_batch(self.places[topic]) for topic in kept]
        bounds = pairwise(np.cumsum([0, *map(len, batches)]).tolist())
        rows = {topic: slice(*ends) for topic, ends in zip(kept, bounds, strict=True)}
        columns = pa.Table.from_batches(batches, reader.schema)
        numbers = {name: columns[name].to_numpy() for name in _NUMBERS}
        return Run(self.system, rows, columns["docno"].combine_chunks(), **numbers)

    def table(self) -> pa.Table:
        """The run in schema ``runs``."""
        run = self.read(self.places)
        topic = np.repeat(np.arange(len(run.rows), dtype=np.int32), run.lengths)
        coded = {
            "system": (np.zeros(len(run), np.int32), [run.system]),
            "topic": (topic, [*run.rows]),
            # it is written without a dictionary, which need not hold each name once
            "docno": (np.arange(len(run), dtype=np.int32), run.docno),
        }
        return runs_table([run], coded)
