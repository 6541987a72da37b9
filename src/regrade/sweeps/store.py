"""What a sweep has scored, kept: a universe's file and number depend on its choices alone.

A file is kept with a hash of all that it was made from (labels, runs, options, code), and is made
anew where that is another.

A block's universes by one measure are two files.  ``means/measure=…/`` holds means and ranks of
systems, a dataset for people; ``cells/measure=…/`` what else was concluded.  Their row groups are
rankings (and tests of them), named in the files' metadata, so that with one level more only
what is new is made, and what was killed goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from regrade import __version__
from regrade.catalogue.arrow import SCHEMAS
from regrade.compiled import njit
from regrade.errors import InputError
from regrade.provenance import made_for_any_job
from regrade.run_arrays import RankedLists
from regrade.sweeps.labels import SweptLabels
from regrade.sweeps.outcomes import RankingOutcomes
from regrade.sweeps.score_sweep import ScoredSystems, SweptScores
from regrade.sweeps.sweep import Block, Sweep
from regrade.tables import string_buffers, table_writer

log = logging.getLogger(__name__)

_CELLS = pa.schema(
    [
        ("tau", pa.float64()),
        ("tau_ap", pa.float64()),
        ("rbo", pa.float64()),
        ("moved", pa.int16()),
        ("farthest", pa.int16()),
        ("first", pa.int16()),
        ("conclusions", pa.binary()),
    ]
)


@dataclass(frozen=True, eq=False)
class Cell:
    """What a block's universes of one condition conclude.

    Attributes
    ----------
    outcomes
        How B labels rank systems.
    packed
        (B, ⌈P / 4⌉) uint8: the conclusions, four in a byte.
    """

    outcomes: RankingOutcomes
    packed: np.ndarray


class Store:
    """The files of a sweep.

    Parameters
    ----------
    folder
        Where they are; ``None``: nothing is kept.
    code
        What code scores, by default this version of the library: files of another are made anew, as
        are those of other labels, runs or options.
    """

    def __init__(self, folder: str | os.PathLike | None = None, code: str = __version__):
        self._folder = None if folder is None else Path(folder)
        self._code = code
        self._contents: WeakKeyDictionary[object, str] = WeakKeyDictionary()

    def cells(
        self, sweep: Sweep, block: Block, conditions: Collection[int] | None = None
    ) -> dict[int, Cell]:
        """What a block concludes under each condition that can be, from files or made; or, and
        then nothing is written, under some.
        """
        cells: dict[int, Cell] = {}
        incomplete: dict[str, dict[int, str]] = {}
        for measure, of in _by_measure(sweep, block):
            names = {k: _name(sweep, k) for k in of if conditions is None or k in conditions}
            kept, stale = self._read(sweep, block, measure, set(names.values()))
            cells |= {k: kept[name] for k, name in names.items() if name in kept}
            if stale or len(kept) < len(names):
                incomplete[measure] = names
        missing = [k for names in incomplete.values() for k in names if k not in cells]
        if conditions is None:
            log.info(
                "%s: labels from %d on: scored %d of %d conditions",
                sweep.labels[block.entry].entry.text, block.start, len(missing),
                int(sweep.possible[block.entry].sum()),
            )  # fmt: skip
        if missing:  # of all measures together, which share rankings
            cells |= _scored(sweep, block, missing)
        if self._folder is not None and conditions is None:
            for measure, names in incomplete.items():
                own = {name: cells[k] for k, name in names.items()}
                self._write(sweep, block, measure, own)
        return cells

    def means(self, sweep: Sweep, block: Block) -> np.ndarray:
        """The means of systems, (B, K', S), of a block that is stored; NaN where they cannot be."""
        tests = sweep.design.conditions.tests
        means = np.full((len(block), len(_rankings(sweep)), len(sweep.systems)), np.nan)
        for measure, of in _by_measure(sweep, block):
            path = self._path("means", sweep, block, measure)
            place = {_name(sweep, k).rpartition("|")[0]: k // tests for k in of[::tests]}
            named = None
            if path.is_file():
                file = pq.ParquetFile(path)
                parameters = _parameters(file)
                if parameters.get("digest") == self._digest(sweep, block):
                    named = parameters["row_groups"]
            if named is None or not set(place) <= set(named):
                remedy = "Delete the sweep's folder and run again."
                raise InputError(path, [(None, "is missing, or of another sweep")], remedy)
            for g, name in enumerate(named):
                if name in place:
                    own = file.read_row_group(g, columns=["mean"])["mean"].to_numpy()
                    means[:, place[name]] = own.reshape(len(block), -1)
        return means

    # --- files -----------------------------------------------------------------------------

    def files(self, sweep: Sweep, block: Block) -> Iterator[tuple[str, str, int]]:
        """The files of means of a block: path below the folder, measure, rankings."""
        for measure, of in _by_measure(sweep, block):
            path = self._path("means", sweep, block, measure)
            name = path.relative_to(self._folder) if self._folder else path
            yield str(name), measure, len(of) // sweep.design.conditions.tests * len(block)

    def _path(self, kind: str, sweep: Sweep, block: Block, measure: str) -> Path:
        entry = sweep.labels[block.entry].entry
        text = re.sub(r"[^\w.-]+", "-", entry.text).strip("-")
        # names that differ in what no file name takes stay apart
        own = hashlib.blake2b(entry.text.encode(), digest_size=4).hexdigest()
        # as readers of partitioned datasets take it
        where = f"measure={quote(measure, safe='@(),.')}"
        name = f"{text}-{own}-{block.start}-{block.stop}.parquet"
        return (self._folder or Path()) / kind / where / name

    def _read(
        self, sweep: Sweep, block: Block, measure: str, names: set[str]
    ) -> tuple[dict[str, Cell], bool]:
        """What is stored of some conditions, and whether there is more."""
        if self._folder is None:
            return {}, False
        paths = [self._path(kind, sweep, block, measure) for kind in ("means", "cells")]
        if not all(path.is_file() for path in paths):
            return {}, False
        files = [pq.ParquetFile(path) for path in paths]
        parameters = [_parameters(file) for file in files]
        if any(of_file.get("digest") != self._digest(sweep, block) for of_file in parameters):
            return {}, True
        means, cells = files
        place = {name: g for g, name in enumerate(parameters[0]["row_groups"])}
        known = {}
        for g, name in enumerate(parameters[1]["row_groups"]):
            ranking = name.rpartition("|")[0]
            if name in names and ranking in place:
                own = means.read_row_group(place[ranking], columns=["mean", "rank"])
                known[name] = _cell(cells.read_row_group(g), own, len(block))
        return known, bool(set(parameters[1]["row_groups"]) - names)

    def _write(self, sweep: Sweep, block: Block, measure: str, cells: Mapping[str, Cell]) -> None:
        """Write what a block concludes by one measure, by name of the condition."""
        with made_for_any_job():
            self._write_files(sweep, block, measure, cells)

    def _write_files(
        self, sweep: Sweep, block: Block, measure: str, cells: Mapping[str, Cell]
    ) -> None:
        numbers = sweep.universe_numbers(block)[1]
        column = {_name(sweep, k).rpartition("|")[0]: k for k in _rankings(sweep)}
        rankings: dict[str, Cell] = {}
        for name, cell in cells.items():
            rankings.setdefault(name.rpartition("|")[0], cell)
        tests, digest = sweep.design.conditions.tests, self._digest(sweep, block)
        parameters = {"digest": digest, "row_groups": list(rankings)}
        path = self._path("means", sweep, block, measure)
        systems = pa.array(list(sweep.systems), pa.string())
        codes = np.tile(np.arange(len(systems), dtype=np.int32), len(block))
        schema = SCHEMAS["sweeps/means"]
        with table_writer(path, schema, parameters, use_dictionary=["system", "ranking"]) as write:
            for name, cell in rankings.items():
                own = numbers[:, column[name] // tests]
                columns = [
                    pa.array(np.repeat(own, len(systems))),
                    pa.DictionaryArray.from_arrays(codes, systems),
                    pa.array(cell.outcomes.means.reshape(-1)),
                    pa.array(cell.outcomes.ranks.reshape(-1), pa.int32()),
                ]
                write(pa.table(columns, schema=schema))
        parameters = {"digest": digest, "row_groups": list(cells)}
        path = self._path("cells", sweep, block, measure)
        with table_writer(path, _CELLS, parameters, use_dictionary=False) as write:
            for cell in cells.values():
                write(_cell_table(cell))

    def _digest(self, sweep: Sweep, block: Block) -> str:
        """Of all that conclusions of a block depend on."""
        labels, design = sweep.labels[block.entry], sweep.design
        baseline = sweep.labels[design.baseline_entry]
        about = (
            self._code, labels.entry.text, self._content(labels), block.start, block.stop,
            labels.cuts(block.start, block.stop), self._content(baseline), baseline.cuts(0, 1),
            *map(self._content_if_any, sweep.runs.made_from), sorted(design.baseline.items()),
            design.significance, design.seed,
        )  # fmt: skip
        return hashlib.blake2b(json.dumps(about).encode(), digest_size=16).hexdigest()

    def _content_if_any(self, data: object) -> object:
        """The hash of what has one; anything else as it is."""
        return self._content(data) if type(data) in _PARTS else data

    def _content(self, data: object) -> str:
        """The hash of some labels, rankings or scores, taken once."""
        if data not in self._contents:
            hashed = hashlib.blake2b(digest_size=16)
            for part in _PARTS[type(data)](data):
                hashed.update(hashlib.blake2b(part).digest())
            self._contents[data] = hashed.hexdigest()
        return self._contents[data]


def _parts_of_labels(labels: SweptLabels) -> Iterator[bytes | np.ndarray]:
    """What differs where labels do: each value, and what the values are on."""
    yield repr(labels.scale).encode()
    for name in ("topic", "docno"):
        yield from _parts_of_strings(labels.table[name])
    yield np.ascontiguousarray(labels.table["grade"].to_numpy())
    if labels.places is not None:
        yield np.ascontiguousarray(labels.thresholds)


def _parts_of_runs(ranked: RankedLists) -> Iterator[bytes | np.ndarray]:
    """What differs where rankings do."""
    yield json.dumps((ranked.systems, ranked.topics)).encode()
    yield from _parts_of_strings(ranked.names)
    for name in ("name_offsets", "offsets", "documents", "scores", "submitted_ranks"):
        values = getattr(ranked, name)
        yield b"" if values is None else np.ascontiguousarray(values)


def _parts_of_scores(scores: SweptScores) -> Iterator[bytes | np.ndarray]:
    """What differs where scores do."""
    for measure, values in sorted(scores.values.items()):
        yield measure.encode()
        yield np.ascontiguousarray(values)


def _parts_of_items(scored: ScoredSystems) -> Iterator[bytes | np.ndarray]:
    """What differs where systems, items or their groups do."""
    yield json.dumps((scored.systems, scored.items, scored.dataset_names)).encode()
    for groups in (scored.clusters, scored.datasets, scored.common):
        yield b"" if groups is None else np.ascontiguousarray(groups)


_PARTS = {
    SweptLabels: _parts_of_labels,
    RankedLists: _parts_of_runs,
    SweptScores: _parts_of_scores,
    ScoredSystems: _parts_of_items,
}
"""Parts by which a file is known to be of such data."""


def _parts_of_strings(strings: pa.ChunkedArray) -> Iterator[bytes]:
    """The lengths and the text of strings, the same however these are shared out to chunks."""
    buffers = [string_buffers(chunk) for chunk in strings.cast(pa.string()).chunks if len(chunk)]
    yield b"".join(np.diff(offsets).tobytes() for offsets, _ in buffers)
    yield b"".join(text[offsets[0] : offsets[-1]].tobytes() for offsets, text in buffers)


def _parameters(file: pq.ParquetFile) -> dict:
    """What the parameters of a file say."""
    metadata = file.schema_arrow.metadata or {}
    return json.loads(metadata.get(b"regrade", b"{}")).get("parameters", {})


def _by_measure(sweep: Sweep, block: Block) -> Iterator[tuple[str, list[int]]]:
    """Each measure and its conditions that a block can go with."""
    conditions = sweep.design.conditions
    place = [axis.name for axis in conditions.axes].index("measure")
    for m, measure in enumerate(conditions.axes[place].levels):
        of = np.flatnonzero(sweep.possible[block.entry] & (conditions.codes[:, place] == m))
        if len(of):
            yield measure, of.tolist()


def _rankings(sweep: Sweep) -> range:
    """The first condition of each ranking."""
    conditions = sweep.design.conditions
    return range(0, len(conditions.codes), conditions.tests)


def _name(sweep: Sweep, k: int) -> str:
    """A condition in words, its test after the last bar."""
    return "|".join(sweep.design.conditions.words(k))


def _scored(sweep: Sweep, block: Block, missing: Sequence[int]) -> dict[int, Cell]:
    """What a block concludes under some conditions."""
    conditions = sweep.design.conditions
    items = conditions.axes[-2].levels
    place = {_name(sweep, k): k for k in missing}
    cells = {}
    for key, h, outcomes, concluded in sweep.conclude(block, sweep.scoring_keys(missing)):
        for test, own in concluded.items():
            k = place.get("|".join((*key, items[h], test)))
            if k is not None:
                cells[k] = Cell(outcomes, pack(own))
    return cells


def _cell_table(cell: Cell) -> pa.Table:
    of = cell.outcomes
    n, width = cell.packed.shape
    offsets = pa.array(np.arange(n + 1, dtype=np.int32) * width)
    packed = pa.Array.from_buffers(
        pa.binary(), n, [None, offsets.buffers()[1], pa.py_buffer(cell.packed.tobytes())]
    )
    columns = [of.tau, of.tau_ap, of.rbo, of.moved, of.farthest, of.first]
    return pa.table([*map(pa.array, columns), packed], schema=_CELLS)


def _cell(table: pa.Table, means: pa.Table, n: int) -> Cell:
    columns = [table[name].to_numpy() for name in _CELLS.names[:-1]]
    packed = table["conclusions"].combine_chunks()
    packed = packed.chunk(0) if isinstance(packed, pa.ChunkedArray) else packed
    data = np.frombuffer(packed.buffers()[2], dtype=np.uint8)
    start = packed.offset
    width = len(packed[0].as_py()) if n else 0
    data = data[start * width : (start + n) * width].reshape(n, width)
    return Cell(
        RankingOutcomes(
            means["mean"].to_numpy().reshape(n, -1),
            means["rank"].to_numpy().astype(np.int16).reshape(n, -1),
            *columns,
        ),
        data,
    )


@njit(cache=True, nogil=True)
def pack(conclusions):
    """Conclusions (n, P) int8, −1, 0 or 1, four in a byte; (n, ⌈P / 4⌉) uint8."""
    n, count = conclusions.shape
    packed = np.zeros((n, (count + 3) // 4), dtype=np.uint8)
    for i in range(n):
        for p in range(count):
            packed[i, p // 4] |= np.uint8((conclusions[i, p] + 1) << (2 * (p % 4)))
    return packed


@njit(cache=True, nogil=True)
def unpack(packed, conclusions, k):
    """Put what `pack` packed into (n, K, P) int8, as its `k`-th."""
    for i in range(conclusions.shape[0]):
        for p in range(conclusions.shape[2]):
            conclusions[i, k, p] = np.int8((packed[i, p // 4] >> (2 * (p % 4))) & 3) - 1
