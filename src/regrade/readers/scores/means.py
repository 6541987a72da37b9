"""Rows of means that tables have among their items or systems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regrade.readers.scores.rows import KEY, OVER_ALL, ScoreRows

_CALLED = ("mean", "average", "avg", "overall", "macro avg", "macro average", "all")
"""What people call a mean, in small letters, without signs."""

_ROUNDED = 1e-3
"""How far a mean may be from that of the others, as a share of the largest value."""


def without_means(part: ScoreRows, over: str) -> ScoreRows:
    """A part without the items, or systems, that are means of the others by name and by value.

    One of such a name that is no mean of the others stays, and that is said.
    """
    held = part.columns.get(over)
    if held is None:
        return part
    plain = pc.utf8_trim(pc.replace_substring_regex(pc.utf8_lower(held.names), "[^a-z]+", " "), " ")
    named = np.flatnonzero(pc.is_in(plain, pa.array(_CALLED)).to_numpy(zero_copy_only=False))
    if not len(named) or len(held.names) - len(named) < _FEWEST:
        return part
    of_mean = np.isin(held.codes, named)
    group = _groups(part, over)
    known = ~of_mean & ~np.isnan(part.value)
    count = np.bincount(group[known], minlength=group.max() + 1)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(group[known], part.value[known], len(count)) / count
    kept, notes = np.ones(len(part), dtype=bool), []
    tolerance = _ROUNDED * np.nanmax(np.abs(part.value))
    for code in named:
        own = held.codes == code
        off = np.abs(part.value[own] - mean[group[own]])
        if np.nanmax(off, initial=0) <= tolerance:
            kept &= ~own
            continue
        noun = "an item" if over == "topic" else "a system"
        name = held.names[int(code)].as_py()
        notes.append(
            f"{part.path}: '{name}' is taken for {noun}, as it is not the mean of the others."
        )
    return _of_rows(replace(part, notes=(*part.notes, *notes)), kept)


_FEWEST = 2
"""Items or systems besides, with fewer of which a mean is like one of them."""


def _groups(part: ScoreRows, over: str) -> np.ndarray:
    """Which rows have all other names in common, as numbers from 0."""
    group = np.zeros(len(part), dtype=np.int64)
    for name in KEY:
        if name != over and name in part.columns:
            own = part.columns[name]
            group = group * (len(own.names) + 1) + own.codes + 1
    return np.unique(group, return_inverse=True)[1]


def _of_rows(part: ScoreRows, kept: np.ndarray) -> ScoreRows:
    """Some rows, each with its line."""
    if kept.all():
        return part
    line = np.resize(part.line, len(part))[kept]
    columns = {name: one.take(kept) for name, one in part.columns.items()}
    left_out = part.left_out + type(part.left_out)({OVER_ALL: int((~kept).sum())})
    return replace(part, columns=columns, value=part.value[kept], line=line, left_out=left_out)
