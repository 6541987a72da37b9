"""The tables that an item of a study shows, read as its function takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from regrade.tables import read_table

Tables = list[pd.DataFrame | dict[str | tuple[str, ...], pd.DataFrame]]


def read_shown(
    tables: Iterable[tuple[str, str, Sequence | None]],
    paths: Mapping[str, Sequence[str]],
    rows: Mapping[str, Sequence],
) -> Tables:
    """Read what an item shows.

    Parameters
    ----------
    tables
        Of each table its path in the catalogue, its name in `paths`, and what tells its files
        apart, ``None`` where there is one file.
    paths
        The files, by name.
    rows
        Values by column: the rows to keep of the tables that have the column.

    Returns
    -------
    list
        A frame for a table of one file, else a mapping of frames.
    """
    found: Tables = []
    for key, name, parts in tables:
        frames = [_kept(read_table(path, key).to_pandas(), rows) for path in paths[name]]
        if parts is None:
            [frame] = frames
            found.append(frame)
        else:
            keys = [tuple(part) if isinstance(part, list) else part for part in parts]
            found.append(dict(zip(keys, frames, strict=True)))
    return found


def _kept(frame: pd.DataFrame, rows: Mapping[str, Sequence]) -> pd.DataFrame:
    for column, values in rows.items():
        if column in frame:
            frame = frame[frame[column].isin(values)]
    return frame
