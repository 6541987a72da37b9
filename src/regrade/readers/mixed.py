"""Rows of one file that are of several sets: some that somebody refused, or on other scales."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, Self

import numpy as np

from regrade.choices import COARSE, NAMED_COLUMNS
from regrade.errors import ParameterError
from regrade.readers.lines import Problems
from regrade.readers.rows import Rows, listed, text_of
from regrade.readers.spellings import VALUES

if TYPE_CHECKING:
    import pandas as pd

PARTS = 8
"""A column of at most so many different values may say which scale, or whose state, a row is of."""

FINER = 4
"""Parts of a file are on different scales where the one goes so many times as high as the other."""

_REFUSED = re.compile(r"reject|not[ _-]?accepted|unapproved|invalid|refused", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class RowsOfSets:
    """Rows of a file with named columns, as text, and which of them are of one set.

    `names` and `value` are what the file calls our columns, and that of values; `where` has column
    and values of the rows of the set, as far as others were left out; `notes` what was assumed, by
    the option that says it; `suffix` ends the name of a part of several.
    """

    names: Mapping[str, str]
    value: str
    frame: pd.DataFrame
    where: Mapping[str, list[str]] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    suffix: str = ""

    @classmethod
    def of(cls, rows: Rows, kind: str, /, **about: str) -> Self:
        """Of the rows of a file, labels, judgments or preferences."""
        import pandas as pd  # slow to import

        raw = {name: text_of(rows.raw[name]).to_pandas() for name in rows.raw.column_names}
        frame = pd.DataFrame(raw).fillna("")
        value = rows.names.get(VALUES[kind], "")
        return cls(names=rows.names, value=value, frame=frame, **about)

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
            states = self.frame[name]
            refused = sorted(filter(_REFUSED.search, {*states}))
            left = sorted({*states} - {*refused})
            if refused and left:
                out = f"{states.isin(refused).sum():,} of {len(states):,} rows are left out"
                return self._where(name, left, f"{name} {', '.join(refused)}: {out}")
        return self

    def identified(self) -> Self:
        """The rows with a topic and a document, where another column identifies the others."""
        for ours in ("topic", "docno"):
            empty = self.frame[self.names[ours]] == "" if ours in self.names else None
            if empty is None or not empty.any():
                continue
            for name in [*self.others, *({self.names["topic"]} - {self.names[ours]})]:
                values = self.frame[name]
                left = {*values[~empty]}
                if 0 < len(left) <= PARTS and not left & {"", *values[empty]}:
                    note = f"{empty.sum():,} of {len(values):,} rows have no {self.names[ours]}"
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
            if cuts.size:
                groups = map(sorted, np.split(highest.index.to_numpy(), cuts + 1))
                return [
                    self._where(
                        name,
                        group,
                        f"{name} {', '.join(group)}: the rows on this scale",
                        f"-S{int(highest[group].max()) + 1}",
                    )
                    for group in groups
                ]
        return [self]

    def choices(self) -> list[Mapping[str, list[str]]]:
        """Values that select the rows of each of several sets; else nothing."""
        return [part.where for part in self.accepted().by_scale() if part.where]

    def mixed(
        self, where: Mapping[str, list[str]], written: Callable[..., str], *, one_scale: str = ""
    ) -> str:
        """That rows differ which are read together, and how to choose; empty if none do.

        `where` has chosen some already, and `written` writes what chooses fewer.  Those on several
        scales are refused where all have to be on one, of the file `one_scale`.
        """
        choices = self.choices()
        names = " and ".join(dict.fromkeys(name for choice in choices for name in choice))
        ways = " or ".join(written({**where, **choice}) for choice in choices)
        if one_scale and len(choices) > 1:
            raise ParameterError(
                f"{one_scale}: values look like {len(choices)} scales, by {names}, which "
                f"are meaningless together: choose one, {ways}; if it is one scale, name "
                "every value"
            )
        return names and (
            f"rows differ by {names} (refused ones, or other scales), and all are read: choose "
            f"some, {ways}"
        )


def mixed_in(path: str | PathLike, kind: str, reading: Mapping[str, object]) -> str:
    """That rows of labels or judgments differ which a set of a configuration reads together."""
    format = reading.get("format", "trec")
    if kind == "preferences" or format not in NAMED_COLUMNS:
        return ""
    names = {name: name for name in ("topic", "docno", "worker", "unit", VALUES[kind])}
    names |= reading.get("columns") or {}
    rows = Rows.headed(format, names, ("topic", "docno", VALUES[kind]), Problems(path))
    where = {name: listed(values) for name, values in (reading.get("where") or {}).items()}
    return RowsOfSets.of(rows, kind).chosen(where).mixed(where, _configured)


def _configured(where: Mapping[str, list[str]]) -> str:
    """As a configuration writes it."""
    values = {n: v[0] if len(v) == 1 else f"[{', '.join(v)}]" for n, v in where.items()}
    return f"`where: {{{', '.join(f'{name}: {value}' for name, value in values.items())}}}`"
