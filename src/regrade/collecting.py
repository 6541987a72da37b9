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
from tempfile import TemporaryDirectory, mkdtemp

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.codes import TopicRankings, write_runs
from regrade.ordering import group_starts, rank_in_group
from regrade.readers.runs import each_run
from regrade.schemas import SCHEMAS
from regrade.tables import table_writer

_COLUMNS = ("score", "submitted_rank", "line")

_ENCODING = {
    "use_dictionary": ["system", "topic"],
    "column_encoding": dict.fromkeys(("rank", "submitted_rank", "line"), "DELTA_BINARY_PACKED"),
}
"""Documents and scores of one run hardly repeat: a dictionary for each run would be larger."""


def collect_runs(
    paths: Sequence[str | os.PathLike],
    table: str | os.PathLike,
    codes: str | os.PathLike,
    *,
    tie_break: str = "rank",
    score_precision: str = "float64",
    topics: Iterable[str] | None = None,
    threads: int = 1,
    parameters: Mapping[str, object] | None = None,
) -> int:
    """Read TREC runs and write them as a table of schema ``runs`` and as codes.

    Parameters
    ----------
    paths, tie_break, score_precision, topics, threads
        As in `regrade.readers.runs.read_runs`.
    table, codes
        Where to.
    parameters
        What made them, kept in both files.

    Returns
    -------
    int
        How many lines were kept.

    Raises
    ------
    InputError, ParameterError
        As `regrade.readers.runs.read_runs`.
    """
    folder = Path(codes).parent
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder, prefix=".runs-") as spool:
        runs = each_run(
            paths,
            lambda system, run: _Spooled.put(Path(spool), system, run),
            tie_break=tie_break,
            score_precision=score_precision,
            topics=topics,
            threads=threads,
        )
        with ThreadPoolExecutor(min(threads, 2)) as pool:
            for written in [
                pool.submit(_write_table, table, runs, parameters),
                pool.submit(_write_codes, codes, runs, parameters, threads),
            ]:
                written.result()
        return sum(run.size for run in runs)


def _write_table(
    path: str | os.PathLike, runs: Sequence[_Spooled], parameters: Mapping[str, object] | None
) -> None:
    with table_writer(path, "runs", parameters, **_ENCODING) as write:
        for run in runs:
            write(run.table())


def _write_codes(
    path: str | os.PathLike,
    runs: Sequence[_Spooled],
    parameters: Mapping[str, object] | None,
    threads: int,
) -> None:
    topics = sorted({topic for run in runs for topic in run.rows})
    write_runs(path, [run.system for run in runs], _by_topic(runs, topics, threads), parameters)


@dataclass(frozen=True, eq=False)
class _Spooled:
    """One run, set down in canonical order.

    Attributes
    ----------
    folder
        Of its files.
    system
        Its name.
    rows
        The first row of each topic, in order, and the one after its last.
    size
        How many there are.
    """

    folder: Path
    system: str
    rows: Mapping[str, tuple[int, int]]
    size: int

    @classmethod
    def put(cls, spool: Path, system: str, run: pa.Table) -> _Spooled:
        """Set down a run of schema ``runs``."""
        folder = Path(mkdtemp(dir=spool))
        topic = run["topic"].combine_chunks()
        starts = [*group_starts(topic.indices.to_numpy()).tolist(), len(run)]
        names = topic.take(pa.array(starts[:-1])).cast(pa.string()).to_pylist()
        docno = run["docno"].combine_chunks()
        _put_strings(folder / "docno", docno.cast(pa.string()))
        _put_strings(folder / "names", docno.dictionary)
        docno.indices.to_numpy().tofile(folder / "codes")
        for column in _COLUMNS:
            run[column].to_numpy().tofile(folder / column)
        rows = dict(zip(names, pairwise(starts), strict=True))
        return cls(folder, system, rows, len(run))

    def docnos(self, start: int, stop: int) -> pa.StringArray:
        """The documents of some rows."""
        return _strings(self.folder / "docno", start, stop)

    def column(self, name: str, start: int, stop: int) -> np.ndarray:
        """The scores, submitted ranks or lines of some rows."""
        dtype = SCHEMAS["runs"].field(name).type.to_pandas_dtype()
        return _numbers(self.folder / name, dtype, start, stop)

    def table(self) -> pa.Table:
        """The run in schema ``runs``."""
        lengths = [stop - start for start, stop in self.rows.values()]
        topic = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        codes = np.fromfile(self.folder / "codes", np.int32)
        names = _strings(self.folder / "names", 0, None)
        coded = {
            "system": (np.zeros(self.size, np.int32), pa.array([self.system])),
            "topic": (topic, pa.array(list(self.rows), pa.string())),
            "docno": (codes, names),
        }
        columns = {
            name: pa.DictionaryArray.from_arrays(pa.array(codes), names)
            for name, (codes, names) in coded.items()
        }
        columns["rank"] = pa.array(rank_in_group(group_starts(topic), self.size), pa.int32())
        columns |= {name: pa.array(self.column(name, 0, self.size)) for name in _COLUMNS}
        schema = SCHEMAS["runs"]
        return pa.table([columns[name] for name in schema.names], schema=schema)


def _put_strings(path: Path, strings: pa.StringArray) -> None:
    _, offsets, text = strings.buffers()
    offsets = np.frombuffer(offsets, np.int32)[strings.offset :][: len(strings) + 1]
    offsets.tofile(path.with_suffix(".offsets"))
    np.frombuffer(text, np.uint8)[: offsets[-1]].tofile(path)


def _strings(path: Path, start: int, stop: int | None) -> pa.StringArray:
    """Some strings, from one to before another (``None``: the end)."""
    offsets = _numbers(path.with_suffix(".offsets"), np.int32, start, stop and stop + 1)
    text = _numbers(path, np.uint8, int(offsets[0]), int(offsets[-1]))
    buffers = pa.py_buffer(offsets - offsets[0]), pa.py_buffer(text)
    return pa.StringArray.from_buffers(len(offsets) - 1, *buffers)


def _numbers(path: Path, dtype: type, start: int, stop: int | None) -> np.ndarray:
    count = -1 if stop is None else stop - start
    return np.fromfile(path, dtype, count, offset=start * np.dtype(dtype).itemsize)


def _by_topic(
    runs: Sequence[_Spooled], topics: Sequence[str], threads: int
) -> Iterator[tuple[str, TopicRankings]]:
    """The rankings topic by topic; as many are held as there are threads."""
    with ThreadPoolExecutor(threads) as pool:
        for start in range(0, len(topics), threads):
            some = topics[start : start + threads]
            yield from zip(some, pool.map(lambda topic: _of_topic(runs, topic), some), strict=True)


def _of_topic(runs: Sequence[_Spooled], topic: str) -> TopicRankings:
    rows = [run.rows.get(topic, (0, 0)) for run in runs]
    there = [(run, *bounds) for run, bounds in zip(runs, rows, strict=True) if bounds != (0, 0)]
    docnos = pa.concat_arrays([run.docnos(*bounds) for run, *bounds in there]).dictionary_encode()
    order = pc.array_sort_indices(docnos.dictionary)
    code = np.empty(len(order), dtype=np.int32)
    code[order.to_numpy()] = np.arange(len(order), dtype=np.int32)

    def joined(name: str) -> np.ndarray:
        return np.concatenate([run.column(name, *bounds) for run, *bounds in there])

    return TopicRankings(
        docnos.dictionary.take(order),
        np.array([stop - start for start, stop in rows], dtype=np.int32),
        code[docnos.indices.to_numpy()],
        joined("score"),
        joined("submitted_rank"),
    )
