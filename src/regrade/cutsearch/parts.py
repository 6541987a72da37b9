"""A search whose topics are shared out: each part by itself, then all together in bounded memory.

What concerns one topic is found with the topic.  What concerns all of them, the mean and the one
cut for all, rests on one row of α at a time; so the parts are gone through side by side, some
thousand cuts at a time, by the same functions whether there is one part or a hundred.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial, reduce
from operator import add
from pathlib import Path

import numpy as np
import pyarrow as pa

from regrade.catalogue.arrow import SCHEMAS, per_cut_schema
from regrade.choices import CUT_METHODS, UNDEFINED
from regrade.cutsearch.best import concat, tables_of_topics, tables_over_topics
from regrade.cutsearch.means import mean_of_defined, where_enough
from regrade.cutsearch.search import (
    SearchMeans,
    SearchPlan,
    TopicAlpha,
    TopicFacts,
    UnservedError,
    why_unserved,
)
from regrade.cutsearch.thresholds import MAX_VALUES, Thresholds
from regrade.errors import InputError
from regrade.tables import atomic_path, read_table, table_writer, write_table

ROWS = 1 << 12
"""Cuts that are read of every part, and put together, at a time."""

GROUP_ROWS = 1 << 20
"""Cuts in a row group of the table of α …"""

GROUP_VALUES = 1 << 24
"""… and about how many values, where they are more than a search in one part may have."""

TABLES = ("best_cuts", "tied_cuts", "top_cuts")

WRITTEN = ("alpha", *TABLES)
"""What is kept of a search."""

log = logging.getLogger(__name__)

_KEY = b"regrade"


@dataclass(frozen=True)
class PartFacts:
    """What a part of a search is about.

    Attributes
    ----------
    method, levels, undefined, coverage
        Of the search.
    thresholds
        The values of the thresholds, and how many there could be (`Thresholds`).
    topics, n, left_out
        As in `regrade.cutsearch.search.CutSearch`, of the part.
    data
        What all topics of the part hold, searched or not.
    some_undefined
        Whether a unit's α is undefined, so that another rule for these has another mean.
    """

    method: str
    levels: int
    undefined: str
    coverage: float
    thresholds: tuple[list[float], int]
    topics: list[str]
    n: list[int]
    left_out: dict[str, str]
    data: tuple[int, bool, bool]
    some_undefined: bool

    @property
    def of(self) -> Thresholds:
        """The thresholds."""
        values, possible = self.thresholds
        return Thresholds(np.array(values, dtype=float), possible)


@dataclass(frozen=True)
class SearchedPart:
    """Some topics, searched.

    Attributes
    ----------
    facts
        What the part is about.
    tables
        `tables_of_topics`, each in its schema.
    block
        Gives rows ``b * ROWS`` to ``(b + 1) * ROWS`` of α, before the rule for undefined ones, and
        of the units that have one; (R, T) each, C-contiguous or not.
    """

    facts: PartFacts
    tables: Mapping[str, pa.Table]
    block: Callable[[int], tuple[np.ndarray, np.ndarray]]

    def write(self, path: str | os.PathLike) -> None:
        """Keep it in a file, and its tables beside that, for `read_part`."""
        fields = [pa.field("alpha", pa.float64()), pa.field("n_defined", pa.int32())]
        schema = pa.schema(fields, metadata={_KEY: json.dumps(asdict(self.facts))})
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        n_cuts = self.facts.of.count(self.facts.levels)
        with (
            atomic_path(path) as temporary,
            pa.ipc.new_file(str(temporary), schema, options=options) as writer,
        ):
            for b in range(-(-n_cuts // ROWS)):
                # topic by topic: neighbouring cuts are alike
                columns = [np.ascontiguousarray(values.T).ravel() for values in self.block(b)]
                writer.write_batch(pa.record_batch(columns, schema=schema))
        for name, table in self.tables.items():
            write_table(table, table_path(path, name), f"cuts/{name}")


def table_path(path: str | os.PathLike, table: str) -> Path:
    """Where a table of a part is."""
    path = Path(path)
    return path.with_name(f"{path.stem}.{table}.parquet")


def read_part(path: str | os.PathLike) -> SearchedPart:
    """A part that `SearchedPart.write` wrote; α is read as it is asked for."""
    try:
        reader = pa.ipc.open_file(pa.memory_map(str(path)))
        facts = PartFacts(**json.loads(reader.schema.metadata[_KEY]))
    except (pa.ArrowInvalid, KeyError, TypeError, ValueError) as error:
        problem = f"is no part of a search: {error}"
        raise InputError(path, [(None, problem)], "Delete it and run again.") from error
    n_topics = len(facts.topics)

    def block(b: int) -> tuple[np.ndarray, np.ndarray]:
        batch = reader.get_batch(b)
        return tuple(column.to_numpy().reshape(n_topics, -1).T for column in batch.columns)

    tables = {name: read_table(table_path(path, name), f"cuts/{name}") for name in TABLES}
    return SearchedPart(facts, tables, block)


def searched_part(plan: SearchPlan, reference: str | None, threads: int = 1) -> SearchedPart:
    """Search the topics of a part."""
    data = TopicFacts.of(plan.topics)
    # without units there is nothing to do; without shared documents another part may have some
    if plan.method.unit_wise and not data.units:
        plan = replace(plan, topics=())
    alpha = plan.results(threads)
    search = plan.cut_search(alpha, over=False)  # with the other parts
    facts = PartFacts(
        method=plan.method.name,
        levels=plan.levels,
        undefined=plan.options.undefined,
        coverage=plan.options.coverage,
        thresholds=(plan.thresholds.values.tolist(), plan.thresholds.possible),
        topics=list(search.topics),
        n=alpha.n.tolist(),
        left_out=dict(plan.left_out),
        data=(data.topics, data.units, data.shared),
        some_undefined=not alpha.all_defined,
    )
    tables = {
        name: pa.Table.from_pandas(table, SCHEMAS[f"cuts/{name}"], preserve_index=False)
        for name, table in tables_of_topics(search, reference).items()
    }

    def block(b: int) -> tuple[np.ndarray, np.ndarray]:
        rows = slice(b * ROWS, (b + 1) * ROWS)
        return alpha.alpha[rows], alpha.n_defined[rows]

    return SearchedPart(facts, tables, block)


@dataclass(frozen=True)
class MergedSearch:
    """The parts of a search, side by side.

    Attributes
    ----------
    parts
        In the order of their topics.
    reason
        Why the data cannot serve the method; the parts count for nothing then.
    """

    parts: Sequence[SearchedPart]
    reason: str | None = None

    @classmethod
    def of(cls, parts: Sequence[SearchedPart], required: bool = True) -> MergedSearch:
        """All parts of a search."""
        data = reduce(add, (TopicFacts(*part.facts.data) for part in parts))
        reason = why_unserved(CUT_METHODS[parts[0].facts.method], data)
        if reason and required:
            raise UnservedError(reason)
        if reason:
            log.warning("left out: %s", reason)
        return cls(parts, reason)

    @property
    def about(self) -> PartFacts:
        """The facts that all parts share."""
        return self.parts[0].facts

    @property
    def searched(self) -> Sequence[SearchedPart]:
        """The parts that have topics."""
        return [] if self.reason else [part for part in self.parts if part.facts.topics]

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """All T topics that were searched, sorted."""
        return tuple(topic for part in self.searched for topic in part.facts.topics)

    @cached_property
    def cuts(self) -> np.ndarray:
        """Every cut; (C, levels - 1)."""
        return self.about.of.cuts(self.about.levels)

    @property
    def grid(self) -> str | None:
        """Which thresholds were tried where these are not all."""
        return None if self.reason else self.about.of.note

    def blocks(self) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        """Some cuts after the other: which, α and units that have one; (R, T), C-contiguous."""
        for b, start in enumerate(range(0, len(self.cuts), ROWS)):
            rows = slice(start, min(start + ROWS, len(self.cuts)))
            alpha = np.empty((rows.stop - start, len(self.topics)))
            n_defined = np.empty(alpha.shape, dtype=np.int32)
            first = 0
            for part in self.searched:
                columns = slice(first, first + len(part.facts.topics))
                alpha[:, columns], n_defined[:, columns] = part.block(b)
                first = columns.stop
            yield rows, alpha, n_defined

    def write(
        self,
        paths: Mapping[str, str | os.PathLike],
        reference: str | None,
        about: Mapping[str, object],
    ) -> None:
        """Write α of every cut, and the tables of cuts."""
        over = self.write_alpha(paths["alpha"], about)
        rest = tables_over_topics(over, reference)
        for name in TABLES:
            schema = SCHEMAS[f"cuts/{name}"]
            last = pa.Table.from_pandas(rest[name], schema, preserve_index=False)
            tables = [part.tables[name] for part in self.searched] + [last]
            tables = [table.cast(schema) for table in tables]
            write_table(concat(tables), paths[name], f"cuts/{name}", about)

    def write_alpha(self, path: str | os.PathLike, about: Mapping[str, object]) -> SearchMeans:
        """Write α of every cut; what it says of all topics together."""
        n_cuts = len(self.cuts)
        schema = per_cut_schema("cuts/alpha", self.about.levels, self.topics, n_cuts)
        rules = _Rules.of(self, n_cuts)
        with table_writer(path, schema, about) as write:
            for rows, values in _groups(rules.go_through(self.blocks()), self, schema):
                columns = [*self.cuts[rows].T, *values, rules.mean[rows], rules.n_topics[rows]]
                arrays = [
                    pa.array(np.ascontiguousarray(column), field.type, from_pandas=True)
                    for column, field in zip(columns, schema, strict=True)
                ]
                write(pa.table(arrays, schema=schema))
                log.info("%s: %d of %d cuts", self.about.method, rows.stop, n_cuts)
        return rules.over_topics(self)


def _groups(
    blocks: Iterable[tuple[slice, np.ndarray]], of: MergedSearch, schema: pa.Schema
) -> Iterator[tuple[slice, np.ndarray]]:
    """Values (T, R) for one row group of the table after the other, as exact as it keeps them."""
    n_cuts, n_topics = len(of.cuts), len(of.topics)
    size = GROUP_ROWS
    if n_cuts * n_topics > MAX_VALUES:
        size = max(1, GROUP_VALUES // n_topics // ROWS) * ROWS
    kind = schema.field(of.about.levels - 1).type.to_pandas_dtype()  # of the first topic
    for rows, values in blocks:
        if rows.start % size == 0:
            start, stop = rows.start, min(rows.start + size, n_cuts)
            group = np.empty((n_topics, stop - start), dtype=kind)
        group[:, rows.start - start : rows.stop - start] = values.T
        if rows.stop == stop:
            yield slice(start, stop), group


@dataclass(frozen=True)
class _Rules:
    """The mean over topics under each rule for undefined α, cut by cut; the chosen rule first."""

    undefined: tuple[str, ...]
    coverage: float
    n: np.ndarray
    means: np.ndarray
    counts: np.ndarray
    served: np.ndarray

    @classmethod
    def of(cls, merged: MergedSearch, n_cuts: int) -> _Rules:
        about, searched = merged.about, merged.searched
        others = [rule for rule in UNDEFINED if rule != about.undefined]
        differ = any(part.facts.some_undefined for part in searched)
        rules = (about.undefined, *(others if differ else ()))
        n = np.array([n for part in searched for n in part.facts.n], dtype=np.int32)
        return cls(
            rules,
            about.coverage,
            n,
            means=np.empty((len(rules), n_cuts)),
            counts=np.empty((len(rules), n_cuts), dtype=np.int32),
            served=np.zeros((len(rules), len(n)), dtype=bool),
        )

    @property
    def mean(self) -> np.ndarray:
        """Under the chosen rule."""
        return self.means[0]

    @property
    def n_topics(self) -> np.ndarray:
        """How many topics it averages."""
        return self.counts[0]

    def go_through(
        self, blocks: Iterable[tuple[slice, np.ndarray, np.ndarray]]
    ) -> Iterator[tuple[slice, np.ndarray]]:
        """Keep the means of some cuts after the other, and give the values that they average."""
        for rows, alpha, n_defined in blocks:
            for r, rule in reversed(list(enumerate(self.undefined))):
                values, eligible = TopicAlpha(alpha, n_defined, self.n).eligible(rule)
                self.means[r, rows] = mean_of_defined(np.where(eligible, values, np.nan))
                self.counts[r, rows] = eligible.sum(axis=1)
                self.served[r] |= eligible.any(axis=0)
            yield rows, values

    def single(self, r: int) -> np.ndarray:
        """What the one cut for all topics maximises under rule `r`."""
        served = self.served[r].sum()
        return where_enough(self.means[r], self.counts[r], self.coverage, served)

    def over_topics(self, of: MergedSearch) -> SearchMeans:
        """What was found of all topics together, when all cuts have been gone through."""
        left_out = {}
        for part in () if of.reason else of.parts:
            left_out |= part.facts.left_out
        singles = {
            rule: partial(self.single, self.undefined.index(rule) if rule in self.undefined else 0)
            for rule in UNDEFINED
            if rule != self.undefined[0] and not of.reason
        }
        return SearchMeans(
            method=of.about.method,
            cuts=of.cuts,
            topics=of.topics,
            mean=self.mean,
            n_topics=self.n_topics,
            single=self.single(0),
            singles=singles,
            left_out=left_out,
            note=of.reason,
            grid=of.grid,
        )
