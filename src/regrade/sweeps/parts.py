"""A part of a sweep: some blocks of labels, scored (or read), and added up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.catalogue.arrow import SCHEMAS
from regrade.sweeps.store import Cell, Store, unpack
from regrade.sweeps.sums import Classes, Summed, Sums
from regrade.sweeps.sweep import Block, Sweep

TOLD_BYTES = 128 << 20
"""What conclusions of all conditions of some labels may take while they are added up."""

SLICE = 1 << 21
"""Sums that are written, and read, together."""

COLUMN_OF = {"unjudged": "unjudged_as", "ties": "tie_order"}
"""The columns of ``universes`` that are not called as their axes are."""


def summed_of(sweep: Sweep) -> Summed:
    """How a sweep is added up."""
    complete = sweep.factorials[0]
    inside = np.isin(np.arange(len(sweep.labels)), complete[0])
    return Summed(
        sweep.design.conditions,
        Classes.make(sweep.counts, inside),
        complete[1:],
        sweep.design.differing,
        sweep.baseline.conclusions,
    )


def nothing_of(sweep: Sweep) -> Sums:
    """The sums of no universe of a sweep."""
    classes = summed_of(sweep).classes
    return Sums.nothing(classes, len(sweep.labels), sweep.design.conditions, len(sweep.systems))


class SweepPart:
    """Some blocks of a sweep.

    Parameters
    ----------
    sweep
        The sweep.
    blocks
        Of its labels.
    store
        Where what was scored is kept.
    """

    def __init__(self, sweep: Sweep, blocks: Sequence[Block], store: Store):
        self._sweep, self._blocks, self._store = sweep, blocks, store
        self._summed = summed_of(sweep)
        self.sums = nothing_of(sweep)
        self.files: list[tuple[str, str, int]] = []

    def universes(self) -> Iterator[pa.Table]:
        """The universes block by block, schema ``sweeps/universes``, while sums are added up."""
        for block in self._blocks:
            cells = self._store.cells(self._sweep, block)
            self.files += self._store.files(self._sweep, block)
            self._add(block, cells)
            yield universe_table(self._sweep, block, cells)

    def _add(self, block: Block, cells: dict[int, Cell]) -> None:
        sweep = self._sweep
        count, n_systems = len(sweep.design.conditions.codes), len(sweep.systems)
        tests = len(sweep.design.conditions.axes[-1])
        n_pairs = n_systems * (n_systems - 1) // 2
        step = max(1, min(len(block), TOLD_BYTES // max(count * n_pairs, 1)))
        other = int(block.entry != sweep.design.baseline_entry)
        possible = sweep.possible[block.entry]
        for start in range(0, len(block), step):
            stop = min(start + step, len(block))
            n = stop - start
            concluded = np.zeros((n, count, n_pairs), dtype=np.int8)
            means = np.zeros((n, count // tests, n_systems))
            ranks = np.zeros(means.shape, dtype=np.int16)
            for k, cell in cells.items():
                unpack(cell.packed[start:stop], concluded[:, k])
                means[:, k // tests] = cell.outcomes.means[start:stop]
                ranks[:, k // tests] = cell.outcomes.ranks[start:stop]
            self._summed.add(
                self.sums,
                block.entry,
                block.start + start,
                other,
                possible,
                concluded,
                means,
                ranks,
            )


def universe_table(sweep: Sweep, block: Block, cells: dict[int, Cell]) -> pa.Table:
    """The universes of a block, by label and then by condition."""
    design, conditions = sweep.design, sweep.design.conditions
    ks = np.array(sorted(cells))
    labels = sweep.labels[block.entry]
    universe, ranking = sweep.universe_numbers(block)
    n_pairs = len(sweep.baseline.conclusions)
    tests = len(conditions.axes[-1])
    concluded = np.empty((len(block), n_pairs), dtype=np.int8)
    counted = np.empty((2, len(block), len(ks)), dtype=np.int32)
    for column, k in enumerate(ks):
        unpack(cells[k].packed, concluded)
        counted[0, :, column] = np.count_nonzero(concluded, axis=1)
        counted[1, :, column] = (concluded != sweep.baseline.conclusions).sum(axis=1)

    def of(name: str) -> np.ndarray:
        return np.stack([getattr(cells[k].outcomes, name) for k in ks], axis=1).reshape(-1)

    n = len(block)
    label = np.repeat(np.arange(n), len(ks))
    condition = np.tile(ks, n)
    entry = np.zeros(n * len(ks), dtype=np.int64)
    codes = conditions.codes[condition]
    other = int(block.entry != design.baseline_entry)
    columns = {
        "universe": universe[:, ks].reshape(-1),
        "ranking": ranking[:, ks // tests].reshape(-1),
        "labels": named(entry, [labels.entry.text]),
        "thresholds": named(label, labels.cuts(block.start, block.stop)),
        **{
            COLUMN_OF.get(axis.name, axis.name): named(codes[:, a], axis.levels)
            for a, axis in enumerate(conditions.axes)
        },
        "changed_choices": design.differing[condition] + other,
        "tau": pa.array(of("tau"), from_pandas=True),
        "tau_ap": pa.array(of("tau_ap"), from_pandas=True),
        "rbo": pa.array(of("rbo"), from_pandas=True),
        "first_system": named(of("first").astype(np.int64), sweep.systems),
        "moved": of("moved"),
        "farthest": of("farthest"),
        "told_apart": counted[0].reshape(-1),
        "otherwise": counted[1].reshape(-1),
    }
    schema = SCHEMAS["sweeps/universes"]
    return pa.table(columns).select(schema.names).cast(schema)


def named(codes: np.ndarray, names: Sequence[str | None]) -> pa.DictionaryArray:
    """The names that codes stand for; a name that is ``None`` is null.

    None but those in use are kept, so that equal rows give equal bytes.
    """
    known = sorted({name for name in names if name is not None})
    places = {name: place for place, name in enumerate(known)}
    place = np.array([-1 if name is None else places[name] for name in names], dtype=np.int32)
    own = place[codes]
    used = np.unique(own[own >= 0])
    mask = own < 0
    own = np.searchsorted(used, own).astype(np.int32)
    values = pa.array([known[u] for u in used], pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(own, mask=mask), values)


def sums_tables(sums: Sums) -> Iterator[pa.Table]:
    """Sums as rows of ``sweeps/sums``, without zeros, a slice of an array at a time."""
    schema = SCHEMAS["sweeps/sums"]
    for name in sorted(vars(sums)):
        flat = getattr(sums, name).reshape(-1)
        for start in range(0, len(flat), SLICE):
            at = start + np.flatnonzero(flat[start : start + SLICE])
            codes = pa.array(np.zeros(len(at), dtype=np.int32))
            quantity = pa.DictionaryArray.from_arrays(codes, pa.array([name]))
            if len(at):
                counts = flat[at].astype(np.int64)
                yield pa.table([quantity, pa.array(at), pa.array(counts)], schema=schema)


def add_sums(sums: Sums, tables: Iterable[pa.Table]) -> None:
    """Add sums of a part, as `sums_tables` gives them, to those of others."""
    near = np.zeros_like(sums.nearest)
    for table in tables:
        for name in table["quantity"].unique().to_pylist():
            rows = table.filter(pc.equal(table["quantity"], name))
            index, count = rows["index"].to_numpy(), rows["count"].to_numpy()
            if name == "nearest":
                near.reshape(-1)[index] = count
            else:
                flat = getattr(sums, name).reshape(-1)
                flat[index] += count.astype(flat.dtype)
    sums.take_nearer(near)
