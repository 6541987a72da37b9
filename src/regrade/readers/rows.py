"""Rows of text with named columns: what the readers of labels, judgments and preferences share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.choices import ASKED, NAMED_COLUMNS, RELEVANCE_SCALES
from regrade.errors import InputError, InputErrors, check_choice, did_you_mean
from regrade.readers.lines import (
    Problems,
    blank_separated,
    check_names,
    comma_separated,
    numbers,
    tab_separated,
)
from regrade.readers.records import json_records, parquet_records, xlsx_records
from regrade.readers.run_scores import run_scores
from regrade.readers.shapes import reshaped

HEADED = {
    "tsv": tab_separated,
    "csv": comma_separated,
    "jsonl": json_records,
    "parquet": parquet_records,
    "xlsx": xlsx_records,
    "scores": run_scores,
    RELEVANCE_SCALES: comma_separated,
}
"""Formats that name their columns, and what reads them."""

MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "None", "null", "NULL", "<NA>")
"""Texts that stand for no value in an optional column."""

YES = ("yes", "true", "t", "y", "1", "1.0", "wahr", "vrai", "verdadero", "vero", "waar")
NO = ("no", "false", "f", "n", "0", "0.0", "falsch", "faux", "falso", "onwaar")
"""Texts that stand for yes and no, in small letters, also those that spreadsheets write for true
and false in German, French, Spanish, Italian and Dutch."""

Where = Mapping[str, object]
"""Column and the value, or list of values, that a row must have to be read."""


@dataclass(frozen=True)
class Rows:
    """The rows of a file as text.

    Attributes
    ----------
    path
        The file.
    raw
        Every column of the file, n texts each.
    line
        (n,) line numbers.
    names
        What the file calls our columns.
    problems
        Takes what is wrong with the file.
    """

    path: str | PathLike
    raw: pa.Table
    line: np.ndarray
    names: Mapping[str, str]
    problems: Problems

    @classmethod
    def headed(
        cls,
        path: str | PathLike,
        format: str,
        names: Mapping[str, str],
        required: Iterable[str],
        problems: Problems,
    ) -> Rows:
        """Read a file whose first line names the columns; `required` are our names."""
        needed = [names[name] for name in required]
        raw, line = headed_rows(path, format, needed, problems)
        problems.read(names.values())
        return cls(path, raw, line, names, problems)

    @classmethod
    def blank_separated(
        cls,
        path: str | PathLike,
        fields: Sequence[str],
        names: Mapping[str, str],
        problems: Problems,
    ) -> Rows:
        """Read lines of so many `fields`, separated by any blanks."""
        table = blank_separated(path, dict.fromkeys(fields, pa.string()), problems)
        return cls(path, table.drop_columns("line"), table["line"].to_numpy(), names, problems)

    def by_worker(self, worker: str) -> Rows:
        """The same, all by one worker."""
        raw = self.raw.append_column("worker", pa.array([worker] * len(self.raw), pa.string()))
        return replace(self, raw=raw, names={**self.names, "worker": "worker"})

    def __contains__(self, name: str) -> bool:
        """Whether the file has one of our columns."""
        return self.names[name] in self.raw.column_names

    def text(self, name: str) -> pa.ChunkedArray:
        """A column, without blanks around each text."""
        return pc.utf8_trim_whitespace(self.raw[self.names[name]])

    def identifiers(self, name: str) -> pa.ChunkedArray:
        """A column of names, where an empty or an odd one is a problem (`check_names`)."""
        text = self.text(name)
        empty = self.line[pc.equal(text, "").to_numpy()]
        self.problems.add(empty, (f"{self.names[name]} is empty" for _ in empty))
        check_names(text, self.line, self.names[name], self.problems)
        return text

    def optional(self, name: str, kind: pa.DataType, *, signed: bool = False) -> pa.Array:
        """A column of numbers or names; null where it is empty, or the file has no such column.

        One without end is a problem, and so is one below 0 of counts and times, which have no sign.
        """
        if name not in self:
            return pa.nulls(len(self.raw), kind)
        text = self.text(name)
        if pa.types.is_string(kind):
            check_names(text, self.line, self.names[name], self.problems)
            return pc.if_else(pc.is_in(text, pa.array(MISSING)), None, text)
        found = numbers(text, self.line, self.names[name], kind, self.problems, missing=MISSING)
        value = found.to_numpy(zero_copy_only=False).astype(np.float64)
        wrong = np.flatnonzero(np.isinf(value) | (value < (-np.inf if signed else 0)))
        called, rule = self.names[name], "finite number" if signed else "number from 0 on"
        self.problems.add(
            self.line[wrong],
            (f"{called} {text[row].as_py()} is no {rule}" for row in wrong.tolist()),
        )
        return found

    def flags(self, name: str) -> pa.Array:
        """A column of yes and no; null where it is empty, or the file has no such column."""
        if name not in self:
            return pa.nulls(len(self.raw), pa.bool_())
        text = pc.utf8_lower(self.text(name))
        said = [
            pc.is_in(text, pa.array(words)) for words in (YES, NO, [w.lower() for w in MISSING])
        ]
        wrong = ~np.logical_or.reduce([part.to_numpy(zero_copy_only=False) for part in said])
        given = self.text(name).filter(pa.array(wrong)).to_pylist()
        name = self.names[name]
        self.problems.add(
            self.line[wrong], (f"{name} {word!r} is neither yes nor no" for word in given)
        )
        return pc.if_else(pc.or_(said[0], said[1]), said[0], None).combine_chunks()

    def units(self, unit: str | Sequence[str] | None) -> pa.ChunkedArray | pa.Array:
        """The HIT of each row; null where one of its columns is empty, or there is no column.

        `unit` names the file's columns whose values together, joined with ``/``, name the HIT;
        ``None``: our column ``unit``, where the file has it.
        """
        if unit is None:
            columns = [self.names["unit"]] if "unit" in self else []
        else:
            columns = [unit] if isinstance(unit, str) else list(unit)
        parts = []
        for name in columns:
            self._check_column(name, "unit")
            text = pc.utf8_trim_whitespace(self.raw[name])
            check_names(text, self.line, name, self.problems)
            parts.append(pc.if_else(pc.is_in(text, pa.array(MISSING)), None, text))
        if not parts:
            return pa.nulls(len(self.raw), pa.string())
        return pc.binary_join_element_wise(*parts, "/")

    def where(self, wanted: Where, left_out: Counter) -> Rows:
        """The rows that have the values wanted; `left_out` takes how many have not."""
        kept = np.ones(len(self.raw), dtype=bool)
        for name, values in wanted.items():
            self._check_column(name, "where")
            if isinstance(values, str) or not isinstance(values, Collection):
                values = [values]
            values = [str(value) for value in values]
            found = pc.unique(self.raw[name]).to_pylist()
            for value in values:
                if value not in found:
                    near = did_you_mean(value, sorted(found))
                    self._refuse(f"no row has {name} '{value}' (asked by `where`){near}")
            kept &= pc.is_in(self.raw[name], pa.array(values, pa.string())).to_numpy()
        if not kept.any():
            self.problems.raise_if_any()
            asked = f"has all that `where` asks for: {dict(wanted)}"
            self._refuse(f"no row {asked if wanted else 'follows the header'}")
        if not kept.all():
            left_out[other_than(wanted)] += int((~kept).sum())
        return Rows(
            self.path, self.raw.filter(pa.array(kept)), self.line[kept], self.names, self.problems
        )

    def _check_column(self, name: str, asked_by: str) -> None:
        if name not in self.raw.column_names:
            near = did_you_mean(name, self.raw.column_names)
            self._refuse(f"has no column '{name}' (asked by `{asked_by}`){near}")

    def _refuse(self, reason: str) -> None:
        raise InputError(self.path, [(None, reason)])


def other_than(wanted: Where) -> str:
    """Why rows without the values wanted are left out."""
    lists = {
        name: [values] if isinstance(values, str) or not isinstance(values, Collection) else values
        for name, values in wanted.items()
    }
    said = (f"{name} {' or '.join(map(str, values))}" for name, values in lists.items())
    return f"other than {', '.join(said)}{ASKED}"


def headed_rows(
    path: str | PathLike, format: str, needed: Sequence[str], problems: Problems
) -> tuple[pa.Table, np.ndarray]:
    """Every column of a file as text, and the rows' lines; a row for each judge's value."""
    if format not in NAMED_COLUMNS:
        return HEADED[format](path, needed, problems)
    wanted = needed if format == "jsonl" else []  # which name a reading
    try:
        table, line = HEADED[format](path, wanted, problems)
    except InputError:
        if not wanted:
            raise
        table, line = HEADED[format](path, [], problems)
    if set(needed) <= set(table.column_names) and needed:
        return table, line
    made, line = reshaped(table, line, str(path), needed)
    if set(needed) <= set(made.column_names):
        problems.read(set(table.column_names) - set(made.column_names))
        return made, line
    return HEADED[format](path, needed, Problems(path))  # says what is missing


def renamed(names: Mapping[str, str], columns: Mapping[str, str] | None) -> dict[str, str]:
    """What a file calls our columns: `names`, and `columns` where the user says otherwise."""
    for name in columns or {}:
        check_choice("columns", name, names)
    return {**names, **(columns or {})}


def all_or_errors(results: Iterable) -> list:
    """The results, unless some are `InputError`: these raised as one."""
    results = list(results)
    errors = [result for result in results if isinstance(result, InputError)]
    if errors:
        raise errors[0] if len(errors) == 1 else InputErrors(errors)
    return results


def repeats(table: pa.Table, columns: Sequence[str]) -> np.ndarray:
    """For each row, the first row with the same text in `columns`; -1 if it is that one."""
    key = np.zeros(len(table), dtype=np.int64)
    for name in columns:
        column = table[name].combine_chunks()
        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode(null_encoding="encode")
        pair = key * max(len(column.dictionary), 1) + column.indices.to_numpy()
        # numbered anew after each column, so that the product of a few cannot overflow
        key = np.unique(pair, return_inverse=True)[1]
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    earlier = first[inverse]
    return np.where(earlier == np.arange(len(key)), -1, earlier)


def keep_topics(table: pa.Table, topics: Iterable[str] | None, path: str | PathLike) -> pa.Table:
    """Rows of the wanted topics (``None``: all)."""
    if topics is not None:
        wanted = pa.array(sorted(set(map(str, topics))), pa.string())
        table = table.filter(pc.is_in(table["topic"].cast(pa.string()), wanted))
    if not len(table):
        raise InputError(path, [(None, "holds no row of the topics wanted")])
    return table


COPIES = "copies of a row before"
"""Why rows are left out that say in all columns what another says."""


def once_in_units(
    table: pa.Table,
    key: Sequence[str],
    reason: str,
    counts: Counter,
    problems: Problems,
    written: Callable[[pa.Table], pa.Table] = lambda table: table,
) -> pa.Table:
    """Rows without those that say again, in a unit and in all columns, what one before says.

    Every other row that a worker gives again in one unit is a problem.
    """
    of_unit = (*key, "unit")
    known = np.logical_and.reduce([pc.is_valid(table[name]).to_numpy() for name in of_unit])
    rows = written(table.filter(pa.array(known)))
    earlier = repeats(rows, of_unit)
    again = np.flatnonzero(earlier >= 0)
    if not len(again):
        return table
    said = [name for name in table.column_names if name != "line"]
    copies = known & (repeats(table, said) >= 0)
    if copies.any():
        counts[COPIES] += int(copies.sum())
        left = table.filter(pa.array(~copies))
        return once_in_units(left, key, reason, counts, problems, written)
    problems.remedy = "Say with `unit` which columns together name the HIT, such as run and unit."
    line = rows["line"].to_numpy()
    problems.add(
        line[again],
        (
            f"{reason.format(**rows.slice(row, 1).to_pylist()[0])}: "
            f"line {line[earlier[row]]} has it"
            for row in again.tolist()
        ),
    )
    return table
