"""The tables that an item of a study shows, read as its function takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from regrade.tables import read_row_groups, read_table

Frame = pd.DataFrame
Frames = Mapping[str, pd.DataFrame]
"""A table that an item shows; several, by what they are of."""

Settings = Mapping[str, Mapping]
"""What an item is told of each transformation."""

Names = Sequence[str] | None
"""Which of several a user wants; ``None``: all."""

Tables = list[Frame | dict[str | tuple[str, ...], Frame]]


@dataclass(frozen=True)
class TablePart:
    """What a function takes of a table that may be too long to be held.

    Attributes
    ----------
    columns
        Which; ``None``: all.
    kept
        Takes a frame of some rows and the function's settings by name, gives the rows to keep.
    """

    columns: Sequence[str] | None = None
    kept: Callable[..., pd.DataFrame] = lambda frame, **_: frame


def takes(**parts: TablePart) -> Callable:
    """Say of which tables, by the last part of their path, a function takes a part only."""

    def told(function: Callable) -> Callable:
        function.takes = parts
        return function

    return told


def with_measures_named(table: Frame, names: Mapping[str, str]) -> Frame:
    """A table with other names in its column of measures."""
    if "measure" not in table or not names:
        return table
    return table.assign(measure=table["measure"].astype(str).replace(names))


def read_shown(
    tables: Iterable[tuple[str, str, Sequence | None]],
    paths: Mapping[str, Sequence[str]],
    rows: Mapping[str, Sequence],
    function: Callable,
    settings: Mapping[str, object],
) -> Tables:
    """Read what an item shows."""
    found: Tables = []
    for key, name, parts in tables:
        part = getattr(function, "takes", {}).get(key.rpartition("/")[2])
        frames = []
        for path in paths[name]:
            if part is None:
                frame = read_table(path, key).to_pandas()
            else:
                groups = (group.to_pandas() for group in read_row_groups(path, key, part.columns))
                kept = [part.kept(some, **settings) for some in groups]
                frame = pd.concat(kept, ignore_index=True)
            for column in rows.keys() & {*frame.columns}:
                frame = frame[frame[column].isin(rows[column])]
            frames.append(frame)
        if parts is None:
            found += frames
        else:
            keys = [tuple(part) if isinstance(part, list) else part for part in parts]
            found.append(dict(zip(keys, frames, strict=True)))
    return found
