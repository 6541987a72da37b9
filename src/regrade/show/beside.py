"""A published table as two files: a tidy CSV for programs, Markdown for reading."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd

from regrade.tables import atomic_path


def read_published(path: str | os.PathLike) -> pd.DataFrame:
    """Numbers that a paper printed: columns that identify them, then ``published``."""
    kept_as_text = {"source": str, "reference": str, "expert": str, "threshold": str}
    return pd.read_csv(path, dtype=kept_as_text, keep_default_na=False, na_values={"published": ""})


def read_tidy(path: str | os.PathLike) -> pd.DataFrame:
    """A tidy table that `write_csv` wrote; empty numbers are NaN, empty text is text."""
    return pd.read_csv(path, keep_default_na=False, na_values={"published": "", "ours": ""})


def beside(ours: pd.DataFrame, published: pd.DataFrame | None, keys: list[str]) -> pd.DataFrame:
    """Our values with the published ones beside them.

    Parameters
    ----------
    ours
        Columns `keys` and ``ours``, one value per row.
    published
        Columns `keys` and ``published``; ``None`` where the paper's data were others.
    keys
        What identifies a value; empty text where a key does not apply.

    Returns
    -------
    DataFrame
        `keys`, ``published`` (NaN where the paper has no such value), ``ours``.
    """
    if published is None:
        table = ours.assign(published=np.nan)
    else:
        printed = published[[*keys, "published"]]
        table = ours.merge(printed, on=keys, how="left", validate="many_to_one")
    return table[[*keys, "published", "ours"]]


def write_csv(table: pd.DataFrame, path: str | os.PathLike) -> None:
    """Write a tidy table atomically, numbers to 12 significant digits."""
    with atomic_path(path) as temporary:
        table.to_csv(temporary, index=False, float_format="%.12g", lineterminator="\n")


def write_markdown(table: pd.DataFrame, path: str | os.PathLike, title: str, notes: str) -> None:
    """Write a table for reading: a title, the table, and what must be said about the data."""
    escaped = table.map(_escaped).rename(columns=_escaped)
    body = escaped.to_markdown(index=False, disable_numparse=True)
    text = "\n\n".join(part for part in (f"**{title}**", body, notes) if part)
    with atomic_path(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")


def _escaped(cell: object) -> object:
    """A bar in a name is no border of a cell."""
    return cell.replace("|", r"\|") if isinstance(cell, str) else cell
