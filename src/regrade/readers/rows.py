"""Rows of text with named columns: what the readers of labels, judgments and preferences share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.choices import ASKED, NAMED_COLUMNS, RELEVANCE_SCALES
from regrade.conversions import to_numpy
from regrade.errors import InputError, InputErrors, check_choice, did_you_mean
from regrade.readers import records
from regrade.readers.formats import letor_lines, run_scores
from regrade.readers.lines import Column, Problems, blank_separated
from regrade.readers.shapes import reshaped
from regrade.wording import rows_text

if TYPE_CHECKING:  # readers need no pandas
    import pandas as pd

HEADED = {
    "tsv": records.tab_separated,
    "csv": records.comma_separated,
    "jsonl": records.json_records,
    "parquet": records.parquet_records,
    "xlsx": records.xlsx_records,
    "scores": run_scores,
    "letor": letor_lines,
    RELEVANCE_SCALES: records.comma_separated,
}
"""Formats that name their columns, and what reads them."""

MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "None", "null", "NULL", "<NA>")
"""Texts that stand for no value in an optional column."""

YES = ("yes", "true", "t", "y", "1", "1.0", "wahr", "vrai", "verdadero", "vero", "waar")
NO = ("no", "false", "f", "n", "0", "0.0", "falsch", "faux", "falso", "onwaar")
"""Texts that stand for yes and no, in small letters, also those that spreadsheets write for true
and false in German, French, Spanish, Italian and Dutch."""


@dataclass(frozen=True)
class Rows:
    """The columns of a file or a frame as they came, and what ours are called there.

    `line` are numbers of lines, or of rows from 1; `names` are ours → the file's; `problems` takes
    what is wrong.
    """

    raw: pa.Table
    line: np.ndarray
    names: Mapping[str, str]
    problems: Problems

    @classmethod
    def headed(
        cls, format: str, names: Mapping[str, str], required: Iterable[str], problems: Problems
    ) -> Self:
        """Read a file that names its columns, every one as text; `required` are our names.

        Where those are not there, rows may hold several judges' values (`reshaped`).
        """
        read, needed = HEADED[format], [names[name] for name in required]
        may_be_others = format in NAMED_COLUMNS
        # of JSON the columns name a reading
        wanted = needed if format == "jsonl" or not may_be_others else []
        try:
            raw, line = read(wanted, problems)
        except InputError:
            if not (wanted and may_be_others):
                raise
            raw, line = read([], problems)
        if may_be_others and not (needed and set(needed) <= set(raw.column_names)):
            held = set(raw.column_names)
            raw, line = reshaped(raw, line, str(problems.path), needed)
            if set(needed) <= set(raw.column_names):
                problems.read(held - set(raw.column_names))
            else:
                raw, line = read(needed, Problems(problems.path))  # says what is missing
        problems.read(names.values())
        return cls(raw, line, names, problems)

    @classmethod
    def blank_separated(
        cls, fields: Sequence[str], names: Mapping[str, str], problems: Problems
    ) -> Self:
        """Read lines of so many `fields`, separated by any blanks."""
        table = blank_separated(dict.fromkeys(fields, pa.string()), problems)
        return cls(table.drop_columns("line"), table["line"].to_numpy(), names, problems)

    @property
    def path(self) -> str | PathLike:
        """The file, or what messages call a frame."""
        return self.problems.path

    def by_worker(self, worker: str) -> Self:
        """The same, all by one worker."""
        raw = self.raw.append_column("worker", pa.array([worker] * len(self), pa.string()))
        return replace(self, raw=raw, names={**self.names, "worker": "worker"})

    def __contains__(self, name: str) -> bool:
        """Whether one of our columns is there."""
        return self.names.get(name) in self.raw.column_names

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.line)

    def text(self, name: str) -> pa.ChunkedArray | pa.Array:
        """A column as text, without blanks around each; empty where there is none."""
        return pc.fill_null(text_of(self.raw[self.names[name]]), "")

    def column(self, name: str) -> Column:
        """A column as text, with what says where it stands."""
        return Column(self.text(name), self.line, self.names[name], self.problems)

    def identifiers(self, name: str) -> pa.ChunkedArray | pa.Array:
        """A column of names, where an empty or an odd one is a problem."""
        column = self.column(name)
        column.report(mask(pc.equal(column.values, "")), lambda row: f"{column.name} is empty")
        column.check_names()
        return column.values

    def optional_names(self, name: str) -> pa.Array:
        """A column of names; null where it is empty, or the file has no such column."""
        return self._named(self.names[name]) if name in self else pa.nulls(len(self), pa.string())

    def _named(self, name: str) -> pa.Array:
        """Names of a column of the file; null where there is none."""
        text = pc.fill_null(text_of(self.raw[name]), "")
        Column(text, self.line, name, self.problems).check_names()
        return pc.if_else(pc.is_in(text, pa.array(MISSING)), None, text)

    def optional(self, name: str, kind: pa.DataType, *, signed: bool = False) -> pa.Array:
        """A column of numbers; null where it is empty, or the file has no such column.

        One without end is a problem, and so is one below 0 of counts and times, which have no sign.
        """
        if name not in self:
            return pa.nulls(len(self), kind)
        column = self.column(name)
        numbers = column.numbers(kind, MISSING)
        value = numbers.to_numpy(zero_copy_only=False).astype(np.float64)
        rule = "finite number" if signed else "number from 0 on"
        column.report(
            np.isinf(value) | (value < (-np.inf if signed else 0)),
            lambda row: f"{column.name} {column.values[row].as_py()} is not a {rule}",
        )
        return numbers

    def flags(self, name: str) -> pa.Array:
        """A column of yes and no; null where it is empty, or the file has no such column."""
        if name not in self:
            return pa.nulls(len(self), pa.bool_())
        column = self.column(name)
        lower, missing = pc.utf8_lower(column.values), [word.lower() for word in MISSING]
        yes, no, absent = (pc.is_in(lower, pa.array(words)) for words in (YES, NO, missing))
        column.report(
            ~(mask(yes) | mask(no) | mask(absent)),
            lambda row: f"{column.name} {column.values[row].as_py()!r} is neither yes nor no",
        )
        return pc.if_else(pc.or_(yes, no), yes, None)

    def units(self, unit: str | Sequence[str] | None) -> pa.Array:
        """The HIT of each row; null where one of its columns is empty, or there is no column.

        `unit` names the file's columns whose values together, joined with ``/``, name the HIT;
        ``None``: our column ``unit``, where the file has it.
        """
        if unit is None:
            return self.optional_names("unit")
        columns = [unit] if isinstance(unit, str) else list(unit)
        for name in columns:
            self._check_column(name, "unit")
        if not columns:
            return pa.nulls(len(self), pa.string())
        return pc.binary_join_element_wise(*map(self._named, columns), "/")

    def where(self, wanted: Mapping[str, object], left_out: Counter) -> Self:
        """The rows that have the values wanted, by column; `left_out` takes how many have not."""
        kept = self.matching(wanted)
        if not kept.any():
            self.problems.raise_if_any()
            reason = f"has all that `where` asks for: {dict(wanted)}"
            problem = f"no row {reason if wanted else 'follows the header'}"
            raise InputError(self.path, [(None, problem)])
        if kept.all():
            return self
        left_out[other_than(wanted)] += int((~kept).sum())
        return self.only(kept)

    def matching(self, wanted: Mapping[str, object]) -> np.ndarray:
        """Which rows have the values wanted, of which each must be there."""
        kept = np.ones(len(self), dtype=bool)
        for name, values in wanted.items():
            self._check_column(name, "where")
            text, values = text_of(self.raw[name]), listed(values)
            held = pc.unique(text.drop_null()).to_pylist()
            for value in values:
                if value not in held:
                    near = did_you_mean(value, sorted(held))
                    self._refuse(f"has {name} '{value}'", "where", near, "no row")
            kept &= mask(pc.is_in(text, pa.array(values, pa.string())))
        return kept

    def only(self, kept: np.ndarray) -> Self:
        """The rows of a mask."""
        return replace(self, raw=self.raw.filter(pa.array(kept)), line=self.line[kept])

    def _check_column(self, name: str, option: str) -> None:
        if name not in self.raw.column_names:
            near = did_you_mean(name, self.raw.column_names)
            self._refuse(f"has no column '{name}'", option, near)

    def _refuse(self, reason: str, option: str, near: str, subject: str = "") -> None:
        problem = f"{subject} {reason}".strip()
        raise InputError(self.path, [(None, f"{problem} (asked by `{option}`){near}")])


def mask(flags: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """Arrow's truths as NumPy's."""
    return flags.to_numpy(zero_copy_only=False)


def listed(values: object) -> list[str]:
    """A value, or a list of values, as a list of texts."""
    one = isinstance(values, str) or not isinstance(values, Collection)
    return [str(value) for value in ([values] if one else values)]


def text_of(column: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
    """Names as text; a whole number has no point, be it that pandas made it a float."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
        column = column.cast(kind)
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        kind, column = pa.string(), records.decoded(column)
    if pa.types.is_floating(kind):
        values = column.to_pylist()
        texts = [None if v is None or v != v else str(int(v) if v == v // 1 else v) for v in values]
        return pa.array(texts, pa.string())
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    if is_text or pa.types.is_integer(kind) or pa.types.is_null(kind):
        return pc.utf8_trim_whitespace(column.cast(pa.string()))  # as Python would write it
    texts = [None if value is None else str(value) for value in column.to_pylist()]
    return pc.utf8_trim_whitespace(pa.array(texts, pa.string()))


def other_than(wanted: Mapping[str, object]) -> str:
    """Why rows without the values wanted are left out."""
    choices = (f"{name} {' or '.join(listed(values))}" for name, values in wanted.items())
    return f"other than {', '.join(choices)}{ASKED}"


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
        pair = key * max(len(column.dictionary), 1) + to_numpy(column.indices)
        # numbered anew after each column, so that the product of a few cannot overflow
        key = np.unique(pair, return_inverse=True)[1]
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    earlier = first[inverse]
    return np.where(earlier == np.arange(len(key)), -1, earlier)


def keep_topics(
    table: pa.Table,
    topics: Iterable[str] | None,
    path: str | PathLike,
    left_out: Mapping[str, int] | None = None,
) -> pa.Table:
    """Rows of the wanted topics (``None``: all); `left_out` are the rows gone before, by reason."""
    if not len(table):
        reasons = [rows_text(count, reason) for reason, count in (left_out or {}).items()]
        problem = f"no row is left: {'; '.join(reasons)}" if reasons else "holds no row"
        raise InputError(path, [(None, problem)])
    if topics is not None:
        wanted = pa.array(sorted(set(map(str, topics))), pa.string())
        table = table.filter(pc.is_in(table["topic"].cast(pa.string()), wanted))
    if not len(table):
        raise InputError(path, [(None, "holds no row of the requested topics")])
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
    if not (repeats(rows, of_unit) >= 0).any():
        return table
    columns = [name for name in table.column_names if name != "line"]
    copies = known & (repeats(table, columns) >= 0)
    if copies.any():
        counts[COPIES] += int(copies.sum())
        left = table.filter(pa.array(~copies))
        return once_in_units(left, key, reason, counts, problems, written)
    problems.remedy = "Say with `unit` which columns together name the HIT, such as run and unit."
    report_again(rows, of_unit, reason, problems)
    return table


def report_again(table: pa.Table, key: Sequence[str], message: str, problems: Problems) -> bool:
    """Report the rows whose key an earlier one has, if any; a message names columns in braces."""
    line, earlier = table["line"].to_numpy(), repeats(table, key)

    def reason(row: int) -> str:
        (own,) = table.slice(row, 1).to_pylist()
        return f"{message.format(**own)}: line {line[earlier[row]]} has it"

    problems.report(line, earlier >= 0, reason)
    return bool((earlier >= 0).any())


def completed(
    columns: Mapping[str, object], schema: pa.Schema, keys: Sequence[str] = ()
) -> pa.Table:
    """A table in a schema, of some of its columns, sorted by keys; other columns are empty."""
    n = len(next(iter(columns.values())))
    kinds = {
        f.name: f.type.value_type if pa.types.is_dictionary(f.type) else f.type for f in schema
    }
    table = pa.table({name: columns.get(name, pa.nulls(n, kind)) for name, kind in kinds.items()})
    table = table.sort_by([(key, "ascending") for key in keys]) if keys else table
    return table.cast(schema)


def read_panel(
    read: Callable[..., pa.Table], files: Mapping[str, str | PathLike], **options
) -> pa.Table:
    """Read one set from several files, one for each judge, as if one file named them all."""
    tables = []
    for worker, path in files.items():
        try:
            tables.append(read(path, worker=worker, **options))
        except InputError as error:
            tables.append(error)
    schema = all_or_errors(tables)[0].schema
    # text in place of codes, each table's own
    fields = [
        field.with_type(pa.string()) if pa.types.is_dictionary(field.type) else field
        for field in schema
    ]
    everything = pa.concat_tables([table.cast(pa.schema(fields)) for table in tables])
    return everything.sort_by([(name, "ascending") for name in schema.names]).cast(schema)


_FORMULA = r"^('*[=+@-])"
"""What a spreadsheet takes for a formula, behind any signs that say that it is none."""


def guarded(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """A frame for spreadsheets, in which no name is a formula: ``=1+1`` is ``'=1+1``.

    `unguarded` takes the sign off again; names that have one already get another.
    """
    for name in (name for name in names if name in frame):
        text = frame[name].astype(str).str.replace(_FORMULA, r"'\1", regex=True)
        frame = frame.assign(**{name: text.where(frame[name].notna())})
    return frame


def unguarded(names: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Names as they were before `guarded`."""
    return pc.replace_substring_regex(names, f"^'{_FORMULA[1:]}", r"\1")
