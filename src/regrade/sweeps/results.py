"""A whole sweep: its parts put together, and all tables of what came out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pyarrow as pa

from regrade.sweeps.answer import answer
from regrade.sweeps.counts import pair_counts
from regrade.sweeps.curve import curve_tables
from regrade.sweeps.parts import SweepPart
from regrade.sweeps.shares import difference_shares, outcome_arrays, outcome_shares
from regrade.sweeps.store import Store
from regrade.sweeps.sums import Sums
from regrade.sweeps.sweep import Block, Sweep, level_tables
from regrade.sweeps.totals import Totals, conclusion_table, fact_table


def result_tables(
    sweep: Sweep, sums: Sums, universes: Iterable[tuple[Block, pa.Table]], store: Store
) -> dict[str, pd.DataFrame]:
    """What came out of a sweep whose parts are done."""
    outcomes = outcome_arrays(sweep, universes)
    totals = Totals(sweep, sums)
    pairs = totals.pairs()
    means = ((block, store.means(sweep, block)) for block in sweep.blocks())
    axes = [
        outcome_shares(sweep, outcomes),
        difference_shares(sweep, means),
        conclusion_table(totals),
    ]
    tables = {
        "systems": totals.systems(),
        "pairs": pairs,
        "axes": pd.concat([table for table in axes if len(table)] or axes[:1], ignore_index=True),
        "examples": totals.examples(),
        **curve_tables(sweep, outcomes),
        "facts": fact_table(totals, pairs),
    }
    more = pair_counts(sweep, tables)
    tables["facts"] = pd.concat([tables["facts"], more], ignore_index=True)
    tables["answer"] = answer(sweep, tables).to_frame()
    return tables


def swept(
    sweep: Sweep, folder: str | os.PathLike, threads: int = 1
) -> Mapping[str, pa.Table | pd.DataFrame]:
    """All tables of a sweep, made here."""
    store = Store(folder)
    parts = [SweepPart(sweep, blocks, store) for blocks in sweep.parts(4 * threads) if blocks]
    with ThreadPoolExecutor(threads) as pool:
        tables = list(pool.map(lambda part: list(part.universes()), parts))
    total = Sums.nothing(sweep)
    for part in parts:
        total.add(part.sums)
    rows = [table for of_part in tables for table in of_part]
    results = result_tables(sweep, total, zip(sweep.blocks(), rows, strict=True), store)
    every = pa.concat_tables(rows, promote_options="default").unify_dictionaries()
    files = [row for part in parts for row in part.files]
    return {
        **level_tables(sweep),
        "universes": every,
        "manifest": manifest(sweep, files),
        **results,
    }


def manifest(sweep: Sweep, files: Iterable[tuple[str, str, int]]) -> pd.DataFrame:
    """The table ``sweeps/manifest``."""
    table = pd.DataFrame(list(files), columns=["file", "measure", "universes"])
    return table.assign(rows=table["universes"] * len(sweep.systems))


def blocks_of(sweep: Sweep, tables: Iterable[pa.Table]) -> Iterator[tuple[Block, pa.Table]]:
    """The blocks of a sweep with their rows of consecutive tables of universes."""
    tables = iter(tables)
    table = next(tables, None)
    at = 0
    for block in sweep.blocks():
        count = len(block) * int(sweep.possible[block.entry].sum())
        if table is not None and at == len(table):
            table, at = next(tables, None), 0
        yield block, table.slice(at, count)
        at += count
