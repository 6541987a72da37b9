"""A search whose topics are shared out: each part by itself, then all together in bounded memory.

What concerns one topic is found with the topic.  What concerns all of them, the mean and the one
cut for all, rests on one row of α at a time; so the parts are gone through side by side, some
thousand cuts at a time, by the same functions whether there is one part or a hundred.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa

from regrade.catalogue import ALL_TOPICS
from regrade.catalogue.arrow import SCHEMAS, per_cut_schema
from regrade.choices import CUT_METHODS, UNDEFINED
from regrade.cutsearch.best import concat, cut_tables
from regrade.cutsearch.means import mean_of_defined, where_enough
from regrade.cutsearch.search import (
    SearchMeans,
    SearchPlan,
    TopicAlpha,
    UnservedError,
    what_they_hold,
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
        What all topics of the part hold, searched or not (`what_they_hold`).
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
        `regrade.cutsearch.best.cut_tables` of its topics, each in its schema.
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
    data = what_they_hold(plan.topics)
    # without units there is nothing to do; without shared documents another part may have some
    if plan.method.unit_wise and not data[1]:
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
        data=data,
        some_undefined=not alpha.all_defined,
    )
    tables = {
        name: pa.Table.from_pandas(table, SCHEMAS[f"cuts/{name}"], preserve_index=False)
        for name, table in cut_tables(search, reference, search.topics).items()
    }

    def block(b: int) -> tuple[np.ndarray, np.ndarray]:
        rows = slice(b * ROWS, (b + 1) * ROWS)
        return alpha.alpha[rows], alpha.n_defined[rows]

    return SearchedPart(facts, tables, block)


def write_search(
    parts: Sequence[SearchedPart],
    paths: Mapping[str, str | os.PathLike],
    reference: str | None,
    about: Mapping[str, object],
    *,
    required: bool = True,
) -> None:
    """Put the parts of a search together, in the order of their topics: α of every cut, and tables.

    Where the data cannot serve the method the parts count for nothing, unless that is `required`
    (`UnservedError`).
    """
    facts = parts[0].facts
    topics, units, shared = zip(*(part.facts.data for part in parts), strict=True)
    reason = why_unserved(CUT_METHODS[facts.method], sum(topics), any(units), any(shared))
    if reason and required:
        raise UnservedError(reason)
    searched, left_out, grid = [], {}, None
    if reason:
        log.warning("left out: %s", reason)
    else:
        searched = [part for part in parts if part.facts.topics]
        left_out = dict(chain(*(part.facts.left_out.items() for part in parts)))
        grid = facts.of.note
    about = {**about, "thresholds": grid or "all"}
    over = _write_alpha(facts, searched, paths["alpha"], about)
    over = replace(over, left_out=left_out, note=reason, grid=grid)
    last = cut_tables(over, reference, (ALL_TOPICS,))
    for name in TABLES:
        schema = SCHEMAS[f"cuts/{name}"]
        tables = [part.tables[name] for part in searched]
        tables.append(pa.Table.from_pandas(last[name], schema, preserve_index=False))
        whole = concat([table.cast(schema) for table in tables])
        write_table(whole, paths[name], f"cuts/{name}", about)


def _write_alpha(
    facts: PartFacts,
    searched: Sequence[SearchedPart],
    path: str | os.PathLike,
    about: Mapping[str, object],
) -> SearchMeans:
    """Write α of every cut; what it says of all topics together."""
    cuts = facts.of.cuts(facts.levels)
    topics = tuple(topic for part in searched for topic in part.facts.topics)
    n = np.array([n for part in searched for n in part.facts.n], dtype=np.int32)
    others = dict.fromkeys(rule for rule in UNDEFINED if rule != facts.undefined)
    differ = any(part.facts.some_undefined for part in searched)
    rules = (facts.undefined, *(others if differ else ()))
    means = np.empty((len(rules), len(cuts)))
    counts = np.empty(means.shape, dtype=np.int32)
    served = np.zeros((len(rules), len(topics)), dtype=bool)
    schema = per_cut_schema("cuts/alpha", facts.levels, topics, len(cuts))
    kind = schema.field(facts.levels - 1).type.to_pandas_dtype()  # of the first topic
    size = GROUP_ROWS
    if len(cuts) * len(topics) > MAX_VALUES:
        size = max(1, GROUP_VALUES // len(topics) // ROWS) * ROWS
    with table_writer(path, schema, about) as write:
        for b, start in enumerate(range(0, len(cuts), ROWS)):
            rows = slice(start, min(start + ROWS, len(cuts)))
            nothing = np.empty((rows.stop - start, 0)), np.empty((rows.stop - start, 0), np.int32)
            blocks = zip(nothing, *(part.block(b) for part in searched), strict=True)
            alpha = TopicAlpha(*(np.concatenate(block, axis=1) for block in blocks), n)
            for r in reversed(range(len(rules))):  # the chosen rule last, whose values are kept
                values, eligible = alpha.eligible(rules[r])
                means[r, rows] = mean_of_defined(np.where(eligible, values, np.nan))
                counts[r, rows] = eligible.sum(axis=1)
                served[r] |= eligible.any(axis=0)
            if start % size == 0:  # a row group, in the precision that the table has
                group = slice(start, min(start + size, len(cuts)))
                kept = np.empty((len(topics), group.stop - start), dtype=kind)
            kept[:, start - group.start : rows.stop - group.start] = values.T
            if rows.stop == group.stop:
                columns = [*cuts[group].T, *kept, means[0, group], counts[0, group]]
                arrays = [
                    pa.array(np.ascontiguousarray(column), field.type, from_pandas=True)
                    for column, field in zip(columns, schema, strict=True)
                ]
                write(pa.table(arrays, schema=schema))
                log.info("%s: %d of %d cuts", facts.method, group.stop, len(cuts))
    singles = [
        where_enough(*of_rule, facts.coverage, own.sum())
        for *of_rule, own in zip(means, counts, served, strict=True)
    ]
    over = SearchMeans(
        method=facts.method,
        cuts=cuts,
        topics=topics,
        mean=means[0],
        n_topics=counts[0],
        single=singles[0],
    )
    makers = [partial(replace, over, single=single) for single in singles]
    return replace(over, others=others | dict(zip(rules[1:], makers[1:], strict=True)))
