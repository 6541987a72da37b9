"""The tables that an item of a study shows, read as its function takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from regrade.provenance import notes_of
from regrade.tables import read_row_groups, read_table
from regrade.wording import about_items

Frame = pd.DataFrame
Frames = Mapping[str, pd.DataFrame]
"""A table that an item shows; several, by what they are of."""

Settings = Mapping[str, Mapping]
"""What an item is told of each transformation."""

Names = Sequence[str] | None
"""Which of several a user wants; ``None``: all."""

OF_ITEMS = "of items"
"""The attribute of a frame that says so."""

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

    def decorated(function: Callable) -> Callable:
        function.takes = parts
        return function

    return decorated


def with_measures_named(table: Frame, names: Mapping[str, str]) -> Frame:
    """A table with other names in its column of measures."""
    if "measure" not in table or not names:
        return table
    return table.assign(measure=table["measure"].astype(str).replace(names))


def of_items(table: Frame) -> Frame:
    """A table that says of itself that it is of scores by item: figures speak of items then."""
    table = table.copy(deep=False)
    table.attrs = {**table.attrs, OF_ITEMS: True}
    return table


def is_of_items(tables: Iterable[object]) -> bool:
    """Whether some of these tables say so; several tables of one kind are in a dict."""
    parts = (table.values() if isinstance(table, dict) else [table] for table in tables)
    return any(getattr(one, "attrs", {}).get(OF_ITEMS) for some in parts for one in some)


def items_named(readable: Frame) -> Frame:
    """A table for readers that speaks of items in place of topics."""
    cells = readable.map(lambda cell: about_items(cell) if isinstance(cell, str) else cell)
    return cells.rename(columns=lambda head: about_items(head) if isinstance(head, str) else head)


def _is_file_of_items(path: str) -> bool:
    """Whether a table was made of scores by item."""
    made_by = notes_of(path).get("parameters", {})
    of_stage = (made_by.get("design") or {}).get("sets")
    return bool(of_stage or (made_by.get("sweep") or made_by).get("scores"))


def read_item(
    tables: Iterable[tuple[str, str, Sequence | None]],
    paths: Mapping[str, Sequence[str]],
    rows: Mapping[str, Sequence],
    function: Callable,
    settings: Mapping[str, object],
) -> Tables:
    """Read what an item shows."""
    read: Tables = []
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
            frames.append(of_items(frame) if _is_file_of_items(path) else frame)
        if parts is None:
            read += frames
        else:
            keys = [tuple(part) if isinstance(part, list) else part for part in parts]
            read.append(dict(zip(keys, frames, strict=True)))
    return read
