"""A table beside the one that a study printed, as two files: a tidy CSV for programs, Markdown.

The tidy table has one value per row: the columns that identify it (the item's keys), then
``published`` (NaN where the study has none, or for other data) and ``ours``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import pandas as pd

from regrade.tables import atomic_path
from regrade.wording import number

Tables = tuple[pd.DataFrame, pd.DataFrame]
"""The tidy table, and the one for reading."""

Beside = pd.DataFrame | None
"""What a study printed; nothing where its data were others."""


class Printed(Protocol):
    """What of an item says how its numbers are printed, and which they are."""

    keys: tuple[str, ...]
    decimals: int
    decimals_of: Mapping[str, int]
    has_bounds: bool


# --- files ---------------------------------------------------------------------------------------


def read_published(
    path: str | os.PathLike, collection: bool | str | None = None
) -> pd.DataFrame | None:
    """Numbers that a study printed: columns that identify them, then ``published``."""
    kept_as_text = {"topic": str, "source": str, "reference": str, "expert": str, "threshold": str}
    table = pd.read_csv(
        path, dtype=kept_as_text, keep_default_na=False, na_values={"published": ""}
    )
    if "collection" in table:
        table = table[table["collection"] == collection]
    return table


def read_beside(
    path: str | os.PathLike | None, collection: bool | str | None = None
) -> dict[str, pd.DataFrame]:
    """What an item's function takes as ``published``; nothing without a file."""
    return {"published": read_published(path, collection)} if path else {}


def read_tidy(path: str | os.PathLike) -> pd.DataFrame:
    """A tidy table that `write_csv` wrote; empty numbers are NaN, empty text is text."""
    return pd.read_csv(path, keep_default_na=False, na_values={"published": "", "ours": ""})


def write_markdown(table: pd.DataFrame, path: str | os.PathLike, title: str, notes: str) -> None:
    """Write a table for reading: a title, the table, and what must be said about the data."""
    escaped = table.map(_escaped).rename(columns=_escaped)
    body = escaped.to_markdown(index=False, disable_numparse=True)
    text = "\n\n".join(part for part in (f"**{title}**", body, notes) if part)
    with atomic_path(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")


def _escaped(cell: object) -> object:
    """A bar in a name is no border of a cell, and what looks like a tag is none."""
    if not isinstance(cell, str):
        return cell
    return _TAG.sub("&lt;", cell.replace("|", r"\|"))


_TAG = re.compile(r"<(?=[A-Za-z/!?])")
"""Where a tag of HTML begins."""


# --- the tidy table ------------------------------------------------------------------------------


def beside(ours: pd.DataFrame, published: pd.DataFrame | None, keys: list[str]) -> pd.DataFrame:
    """Our values with the published ones beside them."""
    if published is None:
        table = ours.assign(published=np.nan)
    else:
        printed = published[[*keys, "published"]]
        table = ours.merge(printed, on=keys, how="left", validate="many_to_one")
    return table[[*keys, "published", "ours"]]


def tidy_beside(
    item: Printed,
    ours: pd.DataFrame,
    published: pd.DataFrame | None = None,
    *,
    extra: Sequence[str] = (),
) -> pd.DataFrame:
    """Our values beside the published ones, by the keys of an item."""
    keys = list(item.keys)
    names = [key for key in keys if not pd.api.types.is_numeric_dtype(ours[key])]
    ours = ours.astype(dict.fromkeys(names, str)).astype({"ours": float})
    tidy = beside(ours, published, keys)
    if item.has_bounds:
        relation = ""  # "=" or "<" for each row that has a printed number
        if published is not None:
            printed = tidy[keys].merge(published, on=keys, how="left")["relation"]
            relation = printed.fillna("").to_numpy()
        tidy.insert(len(keys), "relation", relation)
    return tidy.assign(**{column: ours[column].to_numpy() for column in extra})


def melted(table: pd.DataFrame, keys: list[str], name: str, columns: list[str]) -> pd.DataFrame:
    """One row per line of the table and column, line by line, with the values in ``ours``."""
    long = table.reset_index(drop=True).melt(keys, columns, name, "ours", ignore_index=False)
    return long.sort_index(kind="stable").reset_index(drop=True)


# --- the table for reading -----------------------------------------------------------------------


def cells(item: Printed, tidy: pd.DataFrame) -> list[str]:
    """Ours, then the study's number in brackets, both with as many decimals as it prints."""
    decimals = _decimals(tidy, item.decimals, item.decimals_of)
    return [
        cell(number(ours, digits, ""), number(published, digits, ""))
        for ours, published, digits in zip(tidy["ours"], tidy["published"], decimals, strict=True)
    ]


def cell(ours: str, published: str) -> str:
    """Ours, then the study's in brackets."""
    return f"{ours or '–'} ({published})" if published else ours


def tie_range_text(value: float, low: float, high: float) -> str:
    """The range over orders of tied documents, where a digit that is printed depends on them."""
    if pd.isna(low) or f"{low:.3f}" == f"{high:.3f}" == f"{value:.3f}":
        return ""
    return f"{low:.3f}–{high:.3f} over orders of tied documents"


def significance_text(p: float, significance: float) -> str:
    """``***`` for p below the level, else p to three decimals, empty where it is undefined."""
    if np.isnan(p):
        return ""
    return "***" if p < significance else f"{p:.3f}"


def p_text(p: float) -> str:
    """p to three decimals, or that it is below; empty where it is undefined."""
    return "" if pd.isna(p) else ("< 0.001" if p < 0.001 else f"{p:.3f}")


def in_order(names: pd.Series) -> pd.Series:
    """The place of each name among those that occur, in order of appearance."""
    return pd.Series(pd.factorize(names)[0], index=names.index)


def laid_out(
    tidy: pd.DataFrame,
    cells: Iterable[str],
    rows: list[str],
    columns: list[str],
    titles: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """A line for each value of `rows`, a column for each of `columns`, in order of appearance."""
    titles = titles or {}
    titled = {
        key: [titles.get(str(value), str(value)) for value in tidy[key]] for key in rows + columns
    }
    lines: dict[tuple[str, ...], dict[str, str]] = {}
    line_keys = zip(*(titled[key] for key in rows), strict=True)
    names = zip(*(titled[key] for key in columns), strict=True)
    for line, name, text in zip(line_keys, names, cells, strict=True):
        lines.setdefault(line, {})[", ".join(name)] = text
    table = [dict(zip(rows, line, strict=True)) | values for line, values in lines.items()]
    return pd.DataFrame(table).fillna("")


def crossed(
    item: Printed,
    table: pd.DataFrame,
    published: pd.DataFrame | None = None,
    *,
    value: str = "ours",
    melt: Iterable[str] = (),
    extra: Sequence[str] = (),
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    titles: Mapping[str, str] | None = None,
    prepare: Callable[[pd.DataFrame], pd.DataFrame] = lambda tidy: tidy,
    texts: Callable[[pd.DataFrame, list[str]], Iterable[str]] = lambda _, texts: texts,
) -> Tables:
    """Ours beside the printed, tidy; and a line for each of `rows`, a column for each of `columns`.

    Ours are the column `value`, or the columns `melt`, each a row of its own under the last key.
    Without `rows` and `columns` the last key goes across.  `shown` makes of the tidy table what is
    laid out, `texts` of it and its cells what the cells say.
    """
    *first, last = item.keys
    if melt:
        ours = melted(table, [*first, *extra], last, [*melt])
    else:
        ours = table.rename(columns={value: "ours"})
    tidy = tidy_beside(item, ours, published, extra=extra)
    across, down = [*(columns or [last])], [*(rows or first)]
    return tidy, laid_out(prepare(tidy), texts(tidy, cells(item, tidy)), down, across, titles)


class Column(NamedTuple):
    """A column of a table for reading: its title, and its cells of the rows."""

    title: str
    cells: Callable[[pd.DataFrame], Iterable]


def listing(rows: pd.DataFrame, *columns: Column) -> pd.DataFrame:
    """A line for each row, a cell for each column."""
    table = {column.title: list(column.cells(rows)) for column in columns}
    return pd.DataFrame(table, index=rows.index).reset_index(drop=True)


def by_line(
    rows: pd.DataFrame, keys: Sequence[str], line: Callable[[pd.DataFrame], Mapping[str, object]]
) -> pd.DataFrame:
    """A line for each value of some columns: these, then what a function makes of its rows."""
    groups = rows.groupby([*keys], sort=False, observed=True)
    lines = [dict(zip(keys, key, strict=True)) | line(own) for key, own in groups]
    return pd.DataFrame(lines).fillna("")


def col(name: str, spec: str = "", title: str = "") -> Column:
    """The values of a column, formatted."""
    return Column(title or name, lambda rows: [text(value, spec) for value in rows[name]])


def each(title: str, cell: Callable[..., str]) -> Column:
    """What a function makes of each row, a named tuple."""
    return Column(title, lambda rows: map(cell, rows.itertuples()))


def interval(low: str, high: str, spec: str, title: str, form: str = "{} to {}") -> Column:
    """Both ends of an interval; empty without either."""

    def cell(row: tuple) -> str:
        ends = [text(getattr(row, end), spec) for end in (low, high)]
        return form.format(*ends) if all(ends) else ""

    return each(title, cell)


def estimate(
    value: str, low: str, high: str, spec: str, title: str, form: str = " ({} … {})"
) -> Column:
    """A value and its interval."""
    names = (value, low, high)
    return each(title, lambda row: with_ends(*(getattr(row, n) for n in names), spec, form))


def text(value: object, spec: str = "") -> str:
    """A value as text; empty where there is none."""
    return "" if pd.isna(value) else format(value, spec) if spec else str(value)


def with_ends(
    value: float, low: float, high: float, spec: str = ".3f", form: str = " ({} … {})"
) -> str:
    """A value and the ends of its interval, where it has one."""
    ends = "" if pd.isna(value) or pd.isna(low) else form.format(text(low, spec), text(high, spec))
    return text(value, spec) + ends


def as_text(table: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    """The table with columns as text, empty where they are null."""
    some = table[[*columns]].astype(object)
    return table.assign(**some.where(some.notna(), "").astype(str))


# --- how much of a study comes out ---------------------------------------------------------------


def reproduced(
    tables: Mapping[str, pd.DataFrame], decimals: Mapping[str, tuple[int, Mapping[str, int]]]
) -> pd.DataFrame:
    """How many of a study's numbers come out to the last printed digit."""
    rows = []
    for name, tidy in tables.items():
        both = tidy.dropna(subset=["published", "ours"])
        if both.empty:
            continue
        is_bound = (both.get("relation", pd.Series("", both.index)) == "<").to_numpy()
        difference = (both["ours"] - both["published"]).abs().to_numpy()
        half = 0.5 * 10.0 ** -_decimals(both, *decimals[name])
        # published and ours have rounding errors of their own, far below what is printed
        comes_out = np.where(is_bound, both["ours"] < both["published"], difference <= half + 1e-9)
        largest = difference[~is_bound].max(initial=0.0)
        rows.append((name, len(both), int(comes_out.sum()), largest))
    return pd.DataFrame(rows, columns=["table", "values", "reproduced", "largest_difference"])


def readable_reproduced(table: pd.DataFrame) -> pd.DataFrame:
    """`reproduced` for reading."""
    return listing(
        table, col("table"), col("values", title="printed numbers"), col("reproduced"),
        col("largest_difference", ".4g", "largest difference"),
    )  # fmt: skip


def _decimals(tidy: pd.DataFrame, usual: int, of_quantity: Mapping[str, int]) -> np.ndarray:
    """How many decimals the study prints of each value of a tidy table."""
    if "quantity" not in tidy:
        return np.full(len(tidy), usual)
    return np.array([of_quantity.get(quantity, usual) for quantity in tidy["quantity"]], int)
