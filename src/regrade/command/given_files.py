"""What the files that a user has hold: kinds, columns, scales and units, found by looking.

Every set is read at the end by the workflow's own reader with the options that were found, so that
what is written for it is what a run can read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.api.sets import documents_of
from regrade.choices import ASKED, COARSE, JUNK
from regrade.errors import InputError, ParameterError
from regrade.readers.encodings import COMPRESSED
from regrade.readers.formats import format_of_pairs, headed_format
from regrade.readers.labels import read_judgments, read_qrels
from regrade.readers.lines import Problems
from regrade.readers.mixed import RowsOfSets
from regrade.readers.preferences import read_preferences
from regrade.readers.rows import MISSING, Rows
from regrade.readers.sources import opened
from regrade.readers.spellings import COLUMNS, VALUES, spelled
from regrade.readers.values import highest_level, likely_scale
from regrade.scales import Scale
from regrade.wording import counted

FINEST = 1000
"""Whole numbers are levels up to so high, else a range."""

_READERS = {"qrels": read_qrels, "judgments": read_judgments, "preferences": read_preferences}
_ENDING = re.compile(r"\.(tsv|csv|jsonl|json|parquet|xlsx)$")
_SHOWN = 5
_ENDS = {"range": "the ends that occur: are they the scale's?"}


@dataclass(frozen=True)
class GivenSet:
    """A set that a file holds, as a configuration says it, and the table that a run will read.

    `options` are what the configuration says of it beside the file (format, columns, scale, …), and
    `notes` what was assumed, by the option that says it.
    """

    kind: str
    name: str
    file: Path
    options: Mapping[str, object]
    notes: Mapping[str, str]
    scale: Scale
    table: pa.Table

    @property
    def levels(self) -> int | None:
        """How many levels from 0 on its scale has; ``None`` where it holds other numbers."""
        return self.scale.levels if self.scale.finite and self.scale.low == 0 else None

    @property
    def is_coarse(self) -> bool:
        """Whether its values are grades: few, and below 0 none but TREC's junk."""
        scale = self.scale
        is_junk = all(value in JUNK for value in scale.values if value < 0)
        return scale.finite and scale.levels <= COARSE and scale.low <= 0 and is_junk

    @property
    def values(self) -> pa.ChunkedArray:
        """All of them, on the scale."""
        return self.table[VALUES[self.kind]]

    @cached_property
    def topics(self) -> set[str]:
        """Their names."""
        return set(pc.unique(self.table["topic"].cast(pa.string())).to_pylist())

    @cached_property
    def documents(self) -> set[tuple[str, str]]:
        """Topic and docno of all that has a value."""
        return documents_of(self.table)

    def judges(self, most: int) -> Iterator[GivenSet]:
        """A set for each worker, where these are at most so many and each judged most documents."""
        if self.kind != "judgments" or self.table["worker"].null_count:
            return
        counts = self.table["worker"].value_counts().to_pylist()
        half = len(self.documents) / 2
        if not 2 <= len(counts) <= most or min(one["counts"] for one in counts) < half:
            return
        column = self.options.get("columns", {}).get("worker", "worker")
        for name in sorted(one["values"] for one in counts):
            where = {**self.options.get("where", {}), column: name}
            rows = self.table.filter(pc.equal(self.table["worker"], name))
            options = {**self.options, "where": where}
            yield replace(self, name=name, options=options, table=rows)

    @property
    def summary(self) -> str:
        """How much it holds, in a line."""
        values = self.values.to_numpy()
        what = {"qrels": "label", "judgments": "judgment", "preferences": "preference"}[self.kind]
        worker = self.table["worker"] if "worker" in self.table.column_names else None
        is_named = worker is not None and not worker.null_count
        by = f" by {counted(len(pc.unique(worker)), 'worker')}" if is_named else ""
        span = f"{VALUES[self.kind]} {values.min():g} to {values.max():g}"
        topics = counted(len(self.topics), "topic")
        return f"{counted(len(self.table), what)}{by} of {topics}, {span}"


def sets_of(file: Path, kind: str) -> Iterator[GivenSet]:
    """The sets that a file holds: one, or one for each scale that a column tells apart."""
    format = headed_format(file)
    name = file.stem if file.suffix in COMPRESSED else file.name
    if format is None:
        written = {"format": format_of_pairs(file)} if kind == "preferences" else {}
        yield _read(kind, Path(name).stem, file, written, {})
        return
    columns = opened(file, str(file)).raw.column_names
    required, optional = COLUMNS[kind]
    optional = [name for name in optional if name != "seconds"]  # which runs find by themselves
    if kind == "preferences" and spelled(columns, str(file), (), ("loser",)):
        required, optional = ("topic", "winner", "loser"), ("worker", "unit")
    names = spelled(columns, str(file), required, optional)
    if "loser" in names:
        names |= {"left": names.pop("winner"), "right": names.pop("loser")}
    elif "winner" in names:
        names["preferred"] = names.pop("winner")
    rows = RowsOfSets.of(Rows.headed(format, names, (), Problems(file)), kind)
    rows = rows.accepted().identified()
    for part in [rows] if kind == "preferences" else rows.by_scale():
        options, notes = _reading(part, kind, format)
        yield _read(kind, f"{_ENDING.sub('', name)}{part.suffix}", file, options, notes)


def mixed_rows(
    file: Path, where: Mapping | None = None, columns: Mapping | None = None, *, one_scale: bool
) -> str:
    """That rows of labels or judgments differ which are read together, and how to choose."""
    if headed_format(file, columns) is None:
        return ""
    rows, where = opened(file, str(file), (), columns), where or {}
    for kind in ("judgments", "qrels"):
        with suppress(ParameterError):  # what it is, its columns tell
            of_sets = RowsOfSets.of(rows.named(*COLUMNS[kind], columns), kind)
            break
    else:
        return ""
    return of_sets.chosen(where).mixed(where, _option, one_scale=str(file) if one_scale else "")


def _option(where: Mapping[str, list[str]]) -> str:
    """As a shell takes it."""
    return "--where " + ",".join(f"{name}={value}" for name in where for value in where[name])


def _reading(rows: RowsOfSets, kind: str, format: str) -> tuple[dict[str, object], dict[str, str]]:
    """What a configuration says of rows of one set, the scale aside, and what was assumed."""
    notes, unit = dict(rows.notes), rows.names.get("unit")
    renamed = {ours: theirs for ours, theirs in rows.names.items() if ours != theirs}
    options: dict[str, object] = {"format": format, "columns": renamed}
    if rows.where:
        options["where"] = {n: v[0] if len(v) == 1 else v for n, v in rows.where.items()}
    if unit and "worker" in rows.names:
        documents = ("docno",) if kind == "judgments" else ("left", "right")
        keys = [rows.names[name] for name in ("topic", *documents, "worker", "unit")]
        named = rows.frame[~rows.frame[unit].isin(MISSING)].drop_duplicates()

        def again(*others: str) -> int:
            """How many rows judge again what one before judges in the same unit, copies aside."""
            return int(named.duplicated([*keys, *others]).sum())

        if again():
            renamed.pop("unit", None)
            other = next((name for name in rows.others if not again(name)), None)
            if other is None:
                options["unit"] = None
                some = f"{again():,} of {len(rows.frame):,} rows"
                notes["unit"] = f"{some} judge a document again in one: units are not identified"
            else:
                options["unit"] = [other, unit]
                notes["unit"] = f"{unit} alone names several units of a worker"
    return {name: value for name, value in options.items() if value != {}}, notes


def _read(
    kind: str, name: str, file: Path, options: dict[str, object], notes: Mapping[str, str]
) -> GivenSet:
    """A set as a run will read it, with the scale that its values seem to be on."""
    notes = dict(notes)
    reading = {key: options[key] for key in ("format", "columns", "where") if key in options}
    if "unit" in options:
        reading["unit"] = options["unit"] or []
    if kind == "preferences":
        reading["itself"] = "drop"
    left_out: Counter = Counter()
    try:
        table = _READERS[kind](file, **reading, left_out=left_out)
    except InputError as error:
        remedy = _order_remedy(str(error))
        if not remedy:
            raise
        raise InputError(error.path, error.problems, remedy, error.total) from error
    values = table[VALUES[kind]].to_numpy()
    own, assumed = _signed(values) if kind == "preferences" else _scale_options(values, kind)
    options = {**options, **own}
    broken = {why: count for why, count in left_out.items() if not why.endswith(ASKED)}
    if broken and kind == "preferences":
        options["itself"] = "drop"
        notes["itself"] = "; ".join(f"{count:,}: {why}" for why, count in broken.items())
    scale = Scale.of(options)
    if kind != "preferences" and not scale.contains(values).all():
        off_scale = {key: options[key] for key in ("off_scale",) if key in options}
        table = _READERS[kind](file, scale=scale, **reading, **off_scale)
    return GivenSet(kind, name, file, options, {**notes, **assumed}, scale, table)


def _order_remedy(problems: str) -> str:
    """How to say the order of names that are no numbers; empty where there are none."""
    words = dict.fromkeys(re.findall(r"'([^'\d]*)' is not a number", problems))
    if absent := [word for word in words if word in MISSING]:
        return f"Delete the rows without a value ({' or '.join(map(repr, absent))})."
    named = ", ".join([*words][:_SHOWN])
    return named and (
        "If they are names of levels, their order is unknown to init: write them as "
        f"numbers, or write the set by hand, with values: [{named}, …], in ascending order"
    )


def _scale_options(values: np.ndarray, kind: str) -> tuple[dict[str, object], dict[str, str]]:
    """The scale that values seem to be on, as a configuration says it, and what was assumed."""
    whole = bool((values == np.rint(values)).all())
    scale = likely_scale(values)
    if not scale.finite or (whole and scale.high > FINEST):
        ends = [float(values.min()), float(values.max())]
        return {"range": [scale.low, scale.high] if ends[0] == ends[1] else ends}, _ENDS
    highest = max(highest_level(values), 1)
    held = np.unique(values)
    levels = sum(0 <= value <= highest for value in scale.values)
    occur = f"{((held >= 0) & (held <= highest)).sum()} of them occur: is that the scale?"
    options: dict[str, object] = {"levels": levels}
    notes = {"levels": f"0 to {highest}, {occur}"}
    below = int((values < 0).sum())
    if below and kind == "qrels":
        notes["levels"] += f" {below:,} below 0, TREC's junk, are read as 0"
    elif below:
        options = {"values": [int(value) for value in scale.values if value <= highest]}
        notes = {"values": f"{below:,} values are below 0: do they mean a missing value? {occur}"}
    if stray := int((values > highest).sum()):
        listed = ", ".join(f"{value:g}" for value in held[held > highest][:_SHOWN])
        options["off_scale"] = "drop"
        notes["off_scale"] = f"{stray} of {len(values):,} values are above ({listed})"
    return options, notes


def _signed(values: np.ndarray) -> tuple[dict[str, object], dict[str, str]]:
    """The same of preferences, around 0."""
    most = float(np.abs(values).max())
    if (values == np.rint(values)).all() and most <= COARSE:
        ends = int(max(most, 1))
        listed = list(range(-ends, ends + 1))
        return {"values": listed}, {"values": "below 0 for the left document, 0 for a tie"}
    return {"range": [-most, most]}, _ENDS
