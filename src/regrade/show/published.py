"""A table beside the one that a study printed, as two files: a tidy CSV for programs, Markdown.

The tidy table has one value per row: the columns that identify it (the item's keys), then
``published`` (NaN where the study has none, or for other data) and ``ours``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from regrade.studies.items import Item
from regrade.tables import atomic_path

Tables = tuple[pd.DataFrame, pd.DataFrame]
"""The tidy table, and the one for reading."""


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
    item: Item,
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
        relation = "" if published is None else _relations(tidy[keys], published)
        tidy.insert(len(keys), "relation", relation)
    return tidy.assign(**{column: ours[column].to_numpy() for column in extra})


def _relations(keys: pd.DataFrame, published: pd.DataFrame) -> np.ndarray:
    """``=`` or ``<`` for each row that has a printed number, else empty."""
    found = keys.merge(published, on=list(keys), how="left")["relation"]
    return found.fillna("").to_numpy()


def melted(table: pd.DataFrame, keys: list[str], name: str, columns: list[str]) -> pd.DataFrame:
    """One row per line of the table and column, line by line, with the values in ``ours``."""
    long = table.reset_index(drop=True).melt(keys, columns, name, "ours", ignore_index=False)
    return long.sort_index(kind="stable").reset_index(drop=True)


# --- the table for reading -----------------------------------------------------------------------


def cells(item: Item, tidy: pd.DataFrame) -> list[str]:
    """Ours, then the study's number in brackets, both with as many decimals as it prints."""
    decimals = _decimals(tidy, item.decimals, item.decimals_of)
    return [
        cell(number(ours, digits), number(published, digits))
        for ours, published, digits in zip(tidy["ours"], tidy["published"], decimals, strict=True)
    ]


def cell(ours: str, published: str) -> str:
    """Ours, then the study's in brackets."""
    return f"{ours or '–'} ({published})" if published else ours


def number(value: float, decimals: int) -> str:
    """A number as text; empty where there is none."""
    return "" if pd.isna(value) else f"{value:z.{decimals}f}"


def tie_range_said(value: float, low: float, high: float) -> str:
    """The range over orders of tied documents, where a digit that is printed depends on them."""
    if pd.isna(low) or f"{low:.3f}" == f"{high:.3f}" == f"{value:.3f}":
        return ""
    return f"{low:.3f}–{high:.3f} by the order of tied documents"


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


def formatted(tidy: pd.DataFrame, formats: Mapping[str, str]) -> pd.DataFrame:
    """Numbers as text, empty where there are none."""
    texts = {
        column: ["" if pd.isna(value) else form.format(value) for value in tidy[column]]
        for column, form in formats.items()
    }
    return tidy.assign(**texts)


def laid_out(
    tidy: pd.DataFrame,
    cells: Iterable[str],
    rows: list[str],
    columns: list[str],
    titles: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """A line for each value of `rows`, a column for each of `columns`, in order of appearance."""
    titles = titles or {}
    shown = {
        key: [titles.get(str(value), str(value)) for value in tidy[key]] for key in rows + columns
    }
    lines: dict[tuple[str, ...], dict[str, str]] = {}
    line_keys = zip(*(shown[key] for key in rows), strict=True)
    names = zip(*(shown[key] for key in columns), strict=True)
    for line, name, text in zip(line_keys, names, cells, strict=True):
        lines.setdefault(line, {})[", ".join(name)] = text
    table = [dict(zip(rows, line, strict=True)) | values for line, values in lines.items()]
    return pd.DataFrame(table).fillna("")


# --- how much of a study comes out ---------------------------------------------------------------


def reproduced(
    tables: Mapping[str, pd.DataFrame],
    decimals: Mapping[str, tuple[int, Mapping[str, int]]],
) -> pd.DataFrame:
    """How many of a study's numbers come out to the last printed digit."""
    rows = []
    for name, tidy in tables.items():
        both = tidy.dropna(subset=["published", "ours"])
        if both.empty:
            continue
        is_bound = _is_bound(both)
        difference = (both["ours"] - both["published"]).abs().to_numpy()
        half = 0.5 * 10.0 ** -_decimals(both, *decimals[name])
        # published and ours have rounding errors of their own, far below what is printed
        comes_out = np.where(is_bound, both["ours"] < both["published"], difference <= half + 1e-9)
        rows.append(
            {
                "table": name,
                "values": len(both),
                "reproduced": int(comes_out.sum()),
                "largest_difference": difference[~is_bound].max(initial=0.0),
            }
        )
    return pd.DataFrame(rows, columns=["table", "values", "reproduced", "largest_difference"])


def readable_reproduced(table: pd.DataFrame) -> pd.DataFrame:
    """`reproduced` for reading."""
    return pd.DataFrame(
        {
            "table": table["table"],
            "printed numbers": table["values"].astype(str),
            "come out": table["reproduced"].astype(str),
            "largest difference": table["largest_difference"].map("{:.4g}".format),
        }
    )


def _decimals(tidy: pd.DataFrame, usual: int, of_quantity: Mapping[str, int]) -> np.ndarray:
    """How many decimals the study prints of each value of a tidy table."""
    if "quantity" not in tidy:
        return np.full(len(tidy), usual)
    return np.array([of_quantity.get(quantity, usual) for quantity in tidy["quantity"]], int)


def _is_bound(tidy: pd.DataFrame) -> np.ndarray:
    if "relation" not in tidy:
        return np.zeros(len(tidy), dtype=bool)
    return (tidy["relation"] == "<").to_numpy()
