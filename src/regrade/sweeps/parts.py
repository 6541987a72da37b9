"""A part of a sweep: some blocks of labels, scored (or read), and added up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.catalogue.arrow import SCHEMAS
from regrade.sweeps.store import Cell, Store, unpack
from regrade.sweeps.sums import Sums, add_labels
from regrade.sweeps.sweep import Block, Sweep

TOLD_BYTES = 128 << 20
"""What conclusions of all conditions of some labels may take while they are added up."""

SLICE = 1 << 21
"""Sums that are written, and read, together."""

COLUMN_OF = {"unjudged": "unjudged_as", "ties": "tie_order", "items": "topics"}
"""The columns of ``universes`` that are not called as their axes are."""


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
        self.sums = Sums.nothing(sweep)
        self.files: list[tuple[str, str, int]] = []

    def universes(self) -> Iterator[pa.Table]:
        """The universes block by block, schema ``sweeps/universes``, while sums are added up."""
        for block in self._blocks:
            cells = self._store.cells(self._sweep, block)
            self.files += self._store.files(self._sweep, block)
            self._add(block, cells)
            yield universe_table(self._sweep, block, cells)

    def _add(self, block: Block, cells: dict[int, Cell]) -> None:
        sweep, conditions = self._sweep, self._sweep.design.conditions
        count, n_systems, tests = len(conditions.codes), len(sweep.systems), conditions.tests
        n_pairs = n_systems * (n_systems - 1) // 2
        step = max(1, min(len(block), TOLD_BYTES // max(count * n_pairs, 1)))
        for start in range(0, len(block), step):
            some = slice(start, min(start + step, len(block)))
            n = some.stop - start
            concluded = np.zeros((n, count, n_pairs), dtype=np.int8)
            means = np.zeros((n, count // tests, n_systems))
            ranks = np.zeros(means.shape, dtype=np.int16)
            for k, cell in cells.items():
                unpack(cell.packed[some], concluded, k)
                means[:, k // tests] = cell.outcomes.means[some]
                ranks[:, k // tests] = cell.outcomes.ranks[some]
            part = replace(block, start=block.start + start, stop=block.start + some.stop)
            add_labels(self.sums, sweep, part, concluded, means, ranks)


def universe_table(sweep: Sweep, block: Block, cells: dict[int, Cell]) -> pa.Table:
    """The universes of a block, by label and then by condition."""
    design, conditions = sweep.design, sweep.design.conditions
    ks = np.array(sorted(cells))
    labels = sweep.labels[block.entry]
    universe, ranking = sweep.universe_numbers(block)
    n, baseline = len(block), sweep.baseline.conclusions
    concluded = np.empty((n, len(baseline)), dtype=np.int8)
    counted = np.empty((2, n, len(ks)), dtype=np.int32)
    for column, k in enumerate(ks):
        unpack(cells[k].packed, concluded[:, None], 0)
        counted[0, :, column] = np.count_nonzero(concluded, axis=1)
        counted[1, :, column] = (concluded != baseline).sum(axis=1)

    def of(name: str) -> np.ndarray:
        return np.stack([getattr(cells[k].outcomes, name) for k in ks], axis=1).reshape(-1)

    label, condition = np.repeat(np.arange(n), len(ks)), np.tile(ks, n)
    codes = conditions.codes[condition]
    other = int(block.entry != design.baseline_entry)
    columns = {
        "universe": universe[:, ks].reshape(-1),
        "ranking": ranking[:, ks // conditions.tests].reshape(-1),
        design.first: named(0 * label, [labels.entry.text]),
        "thresholds": named(label, labels.cuts(block.start, block.stop)),
        **{
            COLUMN_OF.get(axis.name, axis.name): named(codes[:, a], axis.levels)
            for a, axis in enumerate(conditions.axes)
        },
        "changed_choices": design.differing[condition] + other,
        **{name: pa.array(of(name), from_pandas=True) for name in ("tau", "tau_ap", "rbo")},
        "first_system": named(of("first").astype(np.int64), sweep.systems),
        "moved": of("moved"),
        "farthest": of("farthest"),
        "significant_pairs": counted[0].reshape(-1),
        "changed_pairs": counted[1].reshape(-1),
    }
    schema = SCHEMAS["sweeps/universes"]
    none = pa.nulls(len(label))  # of an axis that this kind of sweep has not
    return pa.table({name: columns.get(name, none) for name in schema.names}).cast(schema)


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
