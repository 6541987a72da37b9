"""The data of a sweep's explorer, a part of the report in which one picks an entry of each axis.

The page holds, of each combination of entries that stand for one choice, how the systems rank and
which pairs differ significantly; of one that stands for many, how the outcomes are distributed.
It asks no server and no network.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from regrade.correlations import competition_ranks
from regrade.packing import Buffer
from regrade.sweeps.parts import COLUMN_OF
from regrade.sweeps.store import Store, pack
from regrade.sweeps.sweep import Block, Sweep

MOST = 5000
"""Combinations of entries that a page takes."""

MOST_CONCLUSIONS = 20_000_000
"""Conclusions about pairs that a page takes."""

OUTCOMES = ("tau", "significant_pairs", "changed_pairs")

QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)

READ = {
    "universes": ["labels", "unjudged_as", "pool", "tie_order", "scores", "average", "measure",
                  "topics", "test", *OUTCOMES],
    "curve": None,
    "facts": None,
}  # fmt: skip
"""Of the tables that are needed, the columns; ``None``: all."""


@dataclass(frozen=True, eq=False)
class Combinations:
    """The combinations of entries of a sweep.

    Attributes
    ----------
    entries
        The names of each axis's entries, and which is the baseline's.
    codes
        (n, A) the entry on each axis, those nearest to the baseline first.
    conditions
        Of each the conditions that it stands for.
    """

    entries: Mapping[str, tuple[list[str], int]]
    codes: np.ndarray
    conditions: list[np.ndarray]

    @classmethod
    def of(cls, sweep: Sweep) -> Combinations:
        """All that can be."""
        design, axes = sweep.design, sweep.design.conditions.axes
        at = design.conditions.codes[design.baseline_condition]
        entries = {design.first: ([one.entry.text for one in sweep.labels], design.baseline_entry)}
        columns = []
        for axis, place in zip(axes, at, strict=True):
            names = list(dict.fromkeys(axis.entries))
            entries[axis.name] = (names, names.index(axis.entries[place]))
            of_level = np.array([names.index(entry) for entry in axis.entries])
            columns.append(of_level[design.conditions.codes[:, len(columns)]])
        every, of = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
        order = np.argsort(of.reshape(-1), kind="stable")
        starts = np.searchsorted(of.reshape(-1)[order], np.arange(len(every)))
        members = np.split(order, starts[1:])
        can_be = np.logical_and.reduceat(sweep.possible[:, order], starts, axis=1)
        label, group = np.nonzero(can_be)
        places = np.column_stack([label, every[group]])
        differing = (places != np.array([place for _, place in entries.values()])).sum(axis=1)
        nearest = np.argsort(differing, kind="stable")
        return cls(entries, places[nearest], [members[group[i]] for i in nearest])


def packed_sweep(
    name: str, sweep: Sweep, tables: Mapping[str, pd.DataFrame], store: Store | None = None
) -> str:
    """The explorer's data as JSON that can stand within a ``script`` element."""
    combinations = Combinations.of(sweep)
    n_pairs = len(sweep.baseline.conclusions)
    most = min(MOST, max(1, MOST_CONCLUSIONS // max(n_pairs, 1)))
    kept = range(min(most, len(combinations.codes)))
    # whether each stands for one universe
    counts = np.array([len(conditions) for conditions in combinations.conditions])
    is_one = (sweep.counts[combinations.codes[:, 0]] == 1) & (counts == 1)
    buffer = Buffer()
    facts = tables["facts"].astype({"quantity": str}).set_index("quantity")["value"]
    conditions = sweep.design.conditions.axes

    def choices(axis: str, names: list[str]) -> list[int]:
        """How many choices each entry stands for."""
        place = sweep.design.axes.index(axis)
        if place == 0:
            return sweep.counts.tolist()
        own = conditions[place - 1].entries
        return [own.count(name) for name in names]

    places = ["start", "stop", "low", "high"]
    page = {
        "name": name,
        "unit": "item" if sweep.design.first == "scores" else "topic",
        "axes": [
            {"name": axis, "entries": names, "choices": choices(axis, names), "baseline": baseline}
            for axis, (names, baseline) in combinations.entries.items()
        ],
        "systems": list(sweep.systems),
        "universes": sweep.universes,
        "combinations": len(combinations.codes),
        "halves": None if pd.isna(facts["halves"]) else float(facts["halves"]),
        "curve": {
            str(outcome): rows[places].astype(float).to_dict("list")
            for outcome, rows in tables["curve"].groupby("outcome", observed=True, sort=False)
        },
        "baselineRanks": competition_ranks(sweep.baseline.means).astype(int).tolist(),
        "baselineConclusions": buffer.add(pack(sweep.baseline.conclusions[None])[0], "u1"),
        "codes": buffer.add(combinations.codes[: len(kept)].reshape(-1)),
        "one": buffer.add(is_one[: len(kept)], "u1"),
        **_of_one(sweep, combinations, [i for i in kept if is_one[i]], store or Store(), buffer),
        **_of_many(sweep, combinations, [i for i in kept if not is_one[i]], tables, buffer),
    }
    return buffer.with_page(page)


def _of_one(
    sweep: Sweep, combinations: Combinations, which: list[int], store: Store, buffer: Buffer
) -> dict[str, int]:
    """Means, ranks, outcomes and conclusions of combinations of one universe, in their order."""
    n, n_systems = len(which), len(sweep.systems)
    means, ranks = np.empty((n, n_systems)), np.empty((n, n_systems), dtype=np.int64)
    tau = np.empty(n)
    packed = np.empty((n, (len(sweep.baseline.conclusions) + 3) // 4), dtype=np.uint8)
    by_entry: dict[int, dict[int, int]] = {}
    for row, i in enumerate(which):
        own = by_entry.setdefault(int(combinations.codes[i, 0]), {})
        own[int(combinations.conditions[i][0])] = row
    for entry, rows in by_entry.items():
        for condition, cell in store.cells(sweep, Block(entry, 0, 1), rows).items():
            row = rows[condition]
            means[row], ranks[row] = cell.outcomes.means[0], cell.outcomes.ranks[0]
            tau[row], packed[row] = cell.outcomes.tau[0], cell.packed[0]
    return {
        "means": buffer.add(means.reshape(-1), "f4"),
        "ranks": buffer.add(ranks.reshape(-1)),
        "tau": buffer.add(tau, "f8"),
        "conclusions": buffer.add(packed.reshape(-1), "u1"),
    }


def _of_many(
    sweep: Sweep,
    combinations: Combinations,
    which: list[int],
    tables: Mapping[str, pd.DataFrame],
    buffer: Buffer,
) -> dict[str, int]:
    """Universes, and quantiles of outcomes, of combinations of many, in their order."""
    counts = [
        int(sweep.counts[combinations.codes[i, 0]]) * len(combinations.conditions[i]) for i in which
    ]
    quantiles = np.full((len(which), len(OUTCOMES), len(QUANTILES)), np.nan)
    if which:
        codes = []  # the entry on each axis of each row of ``universes``
        for place, (axis, (names, _)) in enumerate(combinations.entries.items()):
            own = tables["universes"][COLUMN_OF.get(axis, axis)].astype("category")
            of = {name: code for code, name in enumerate(names)}
            if place:
                levels = sweep.design.conditions.axes[place - 1]
                pairs = zip(levels.levels, levels.entries, strict=True)
                of = {level: names.index(entry) for level, entry in pairs}
            known = np.array([of[str(level)] for level in own.cat.categories], dtype=np.int64)
            codes.append(known[own.cat.codes.to_numpy()])
        shape = [len(names) for names, _ in combinations.entries.values()]
        key = np.ravel_multi_index(codes, shape)
        order = np.argsort(key, kind="stable")
        starts = np.searchsorted(key[order], np.arange(int(np.prod(shape)) + 1))
        for row, i in enumerate(which):
            own = int(np.ravel_multi_index(combinations.codes[i], shape))
            rows = order[starts[own] : starts[own + 1]]
            for o, outcome in enumerate(OUTCOMES):
                values = tables["universes"][outcome].to_numpy(dtype=float)[rows]
                values = values[np.isfinite(values)]
                if len(values):
                    quantiles[row, o] = np.quantile(values, QUANTILES)
    return {
        "counts": buffer.add(np.array(counts, dtype=np.int64)),
        "quantiles": buffer.add(quantiles.reshape(-1), "f8"),
    }
