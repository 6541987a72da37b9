"""Rows of one file that are of several sets: some that somebody refused, or on other scales."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, Self

import numpy as np

from regrade.choices import COARSE, NAMED_COLUMNS
from regrade.readers.lines import Problems
from regrade.readers.rows import headed_rows

if TYPE_CHECKING:
    import pandas as pd

PARTS = 8
"""A column of at most so many different values may say which scale, or whose state, a row is of."""

FINER = 4
"""Parts of a file are on different scales where the one goes so many times as high as the other."""

_VALUE = {"qrels": "grade", "judgments": "value"}
_REFUSED = re.compile(r"reject|not[ _-]?accepted|unapproved|invalid|refused", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class RowsOfSets:
    """Rows of a file with named columns, as text, and which of them are of one set.

    Attributes
    ----------
    names
        What the file calls our columns.
    value
        What it calls that of values; empty where there is none.
    frame
        The rows.
    where
        Column and values of the rows that are of the set, as far as others were left out.
    notes
        What was assumed, by the option that says it.
    suffix
        Ends the name of a part of several.
    """

    names: Mapping[str, str]
    value: str
    frame: pd.DataFrame
    where: Mapping[str, list[str]] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    suffix: str = ""

    @property
    def others(self) -> list[str]:
        """The columns that are none of ours and hold few different values."""
        known = {*self.names.values(), "position", "seconds"}
        counts = {n: self.frame[n].nunique() for n in self.frame.columns if n not in known}
        return sorted((n for n, count in counts.items() if 1 < count <= PARTS), key=counts.get)

    def chosen(self, where: Mapping[str, Iterable[str]]) -> Self:
        """The rows with these values, without the columns that hold them, if none of ours."""
        frame = self.frame
        for name, values in where.items():
            frame = frame[frame[name].isin(list(values))]
        return replace(self, frame=frame.drop(columns={*where} - {*self.names.values()}))

    def accepted(self) -> Self:
        """The rows that nobody has rejected, where a column says so."""
        for name in self.others:
            said = self.frame[name]
            refused = sorted({one for one in said if _REFUSED.search(one)})
            left = sorted({*said} - {*refused})
            if refused and left:
                count = said.isin(refused).sum()
                note = f"{name} {', '.join(refused)}: {count:,} of {len(said):,} rows are left out"
                return self._where(name, left, note)
        return self

    def identified(self) -> Self:
        """The rows that have a topic and a document, where another column tells them apart."""
        for ours in ("topic", "docno"):
            empty = self.frame[self.names[ours]] == "" if ours in self.names else None
            if empty is None or not empty.any():
                continue
            for name in [*self.others, *({self.names["topic"]} - {self.names[ours]})]:
                said = self.frame[name]
                left = {*said[~empty]}
                if 0 < len(left) <= PARTS and not left & {"", *said[empty]}:
                    note = f"{empty.sum():,} of {len(said):,} rows have no {self.names[ours]}"
                    return self._where(name, sorted(left), note)
        return self

    def _where(self, name: str, kept: list[str], note: str, suffix: str = "") -> Self:
        notes = {"where": "; ".join([*filter(None, [self.notes.get("where")]), note])}
        return replace(
            self,
            frame=self.frame[self.frame[name].isin(kept)],
            where={**self.where, name: kept},
            notes={**self.notes, **notes},
            suffix=self.suffix + suffix,
        )

    def by_scale(self) -> list[Self]:
        """A part for each scale, where a column tells scales apart that others do not hold."""
        import pandas as pd  # slow to import

        for name in self.others:
            values = pd.to_numeric(self.frame[self.value], errors="coerce")
            highest = values.groupby(self.frame[name]).max().sort_values()
            is_whole = (values == values.round()).groupby(self.frame[name]).all()
            if highest.isna().any() or not is_whole.all() or (highest <= 0).any():
                continue
            ends = highest.to_numpy()
            cuts = np.flatnonzero((ends[1:] >= FINER * ends[:-1]) & (ends[1:] > COARSE - 1))
            if not cuts.size:
                continue
            groups = np.split(highest.index.to_numpy(), cuts + 1)
            return [
                self._where(
                    name,
                    sorted(group),
                    f"{name} {', '.join(sorted(group))}: the rows on this scale",
                    f"-S{int(highest[group].max()) + 1}",
                )
                for group in groups
            ]
        return [self]

    def choices(self) -> list[Mapping[str, list[str]]]:
        """By which values the rows can be told apart that are of several sets; else nothing."""
        return [part.where for part in self.accepted().by_scale() if part.where]


def mixed_said(choices: Iterable[Mapping[str, list[str]]], written: str) -> str:
    """That rows differ which are read together; `written` says how to choose. Empty if none do."""
    names = " and ".join(dict.fromkeys(name for choice in choices for name in choice))
    if not names:
        return ""
    return (
        f"rows differ by {names} (refused ones, or other scales), and all are read: choose some, "
        f"{written}"
    )


def mixed_in(path: str | PathLike, kind: str, reading: Mapping[str, object]) -> str:
    """That rows of labels or judgments differ which a set of a configuration reads together."""
    format = reading.get("format", "trec")
    if kind not in _VALUE or format not in NAMED_COLUMNS:
        return ""
    names = {name: name for name in ("topic", "docno", "worker", "unit", _VALUE[kind])}
    names |= reading.get("columns") or {}
    needed = [names[name] for name in ("topic", "docno", _VALUE[kind])]
    raw, _ = headed_rows(path, format, needed, Problems(path))
    frame = raw.to_pandas().apply(lambda column: column.astype(str).str.strip())
    where = {
        name: [str(one) for one in (values if isinstance(values, list) else [values])]
        for name, values in (reading.get("where") or {}).items()
    }
    rows = RowsOfSets(names=names, value=names[_VALUE[kind]], frame=frame).chosen(where)
    choices = rows.choices()
    told = " or ".join(f"`where: {{{_written({**where, **choice})}}}`" for choice in choices)
    return mixed_said(choices, told)


def _written(where: Mapping[str, list[str]]) -> str:
    """As a configuration writes it."""
    listed = {name: ", ".join(values) for name, values in where.items()}
    return ", ".join(
        f"{name}: {listed[name]}" if len(values) == 1 else f"{name}: [{listed[name]}]"
        for name, values in where.items()
    )
