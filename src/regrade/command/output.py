"""What commands print and write."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING

import pandas as pd

from regrade.blocks import Blocks
from regrade.catalogue import CUT_COLUMNS
from regrade.command.streams import print_json_text
from regrade.errors import check_choice
from regrade.scales import exactly
from regrade.stages.library import StageTables
from regrade.writers import write_frame

if TYPE_CHECKING:
    from regrade.api.results import Result

DECIMALS = 4

PAGE = 10_000
"""Rows of a long table that are made text together; columns are as wide as these need."""


def records(frame: pd.DataFrame) -> list[dict]:
    """A frame's rows as JSON has them: no NaN, no numpy."""
    return json.loads(frame.to_json(orient="records", double_precision=15))


def print_json(value: object) -> None:
    """Print a value as JSON; frames are lists of objects."""
    for text in _json(value):
        print_json_text(text, end="")
    print()


def _json(value: object, margin: str = "\n") -> Iterator[str]:
    """The text of a value, with the lines after its first behind a margin."""
    if isinstance(value, Blocks):
        pages = (_indented(records(some)) for some in _pages(value))
        # of each page the objects, without the list's brackets
        items = ([page[1:-2].replace("\n", margin)] for page in pages)
        yield from _enclosed("[]", items, margin)
    elif isinstance(value, Mapping) and any(isinstance(one, Blocks) for one in value.values()):
        inner = margin + "  "
        items = (
            chain([f"{inner}{json.dumps(str(key), ensure_ascii=False)}: "], _json(one, inner))
            for key, one in value.items()
        )
        yield from _enclosed("{}", items, margin)
    else:
        yield _indented(_plain(value)).replace("\n", margin)


def _enclosed(brackets: str, items: Iterable[Iterable[str]], margin: str) -> Iterator[str]:
    for place, item in enumerate(items):
        yield "," if place else brackets[0]
        yield from item
    yield margin + brackets[1]


def _indented(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _plain(one: object) -> object:
    if isinstance(one, pd.DataFrame):
        return records(one)
    if isinstance(one, Mapping):
        return {str(key): _plain(part) for key, part in one.items()}
    if isinstance(one, list | tuple):
        return [_plain(part) for part in one]
    return one


def _pages(table: Blocks) -> Iterator[pd.DataFrame]:
    """Rows that are made text together."""
    for some in table:
        for start in range(0, len(some), PAGE):
            yield some.iloc[start : start + PAGE]


def print_frame(frame: pd.DataFrame | Blocks, title: str = "") -> None:
    """Print a table: with lines on a terminal, plain where something reads it or it is long.

    Thresholds are not rounded.
    """
    if isinstance(frame, Blocks):
        for place, some in enumerate(_pages(frame)):
            print(_text_of(some, header=not place))
        return
    cuts = [name for name in CUT_COLUMNS if name in frame]
    frame = frame.assign(**{name: frame[name].map(exactly, na_action="ignore") for name in cuts})
    if not sys.stdout.isatty():
        if title:
            print(title)
        print(_text_of(frame))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title or None, title_justify="left")
    for name in frame.columns:
        right = pd.api.types.is_numeric_dtype(frame[name])
        table.add_column(str(name), justify="right" if right else "left")
    for row in frame.itertuples(index=False):
        table.add_row(*map(_cell, row))
    Console().print(table)


def _text_of(frame: pd.DataFrame, header: bool = True) -> str:
    return frame.to_string(index=False, header=header, na_rep="", float_format=_text)


def print_result(result: Result, printing: Mapping) -> None:
    """Print what a result says, or one of its tables; as JSON all of them or that one.

    `printing` are the options ``table`` and ``json``; with ``out`` that table, or the main one, is
    written there.
    """
    tables, table, out = result.tables, printing["table"], printing.get("out")
    if table is not None:
        check_choice("table", table, tables)
    if out is not None:
        write_frame(tables[table or result.main_table], out)
        table = None
    if printing["json"] and table is None:
        tables = tables.served() if isinstance(tables, StageTables) else tables
        print_json({**tables, "answer": result.answer.to_dict()})
    elif printing["json"]:
        print_json(tables[table])
    elif table is not None:
        print_frame(tables[table])
    else:
        print(result.summary())


def score_lines(frame: pd.DataFrame, format: str, per_topic: bool) -> str:
    """Scores as ir_measures or trec_eval print them."""
    means = frame.groupby(["system", "measure"], sort=False)["value"].mean().reset_index()
    means.insert(1, "topic", "all")
    shown = pd.concat([frame, means], ignore_index=True) if per_topic else means
    many = frame["system"].nunique() > 1
    lines = []
    for system, of in shown.groupby("system", sort=True):
        if format == "trec_eval":
            lines.append(f"{'runid':<22}\tall\t{system}")
            lines += [f"{r.measure:<22}\t{r.topic}\t{r.value:.4f}" for r in of.itertuples()]
            continue
        for r in of.itertuples():
            parts = [system] * many + [r.topic] * per_topic + [r.measure, f"{r.value:.4f}"]
            lines.append("\t".join(parts))
    return "\n".join(lines)


def _text(value: float) -> str:
    if abs(value) < 1:
        return f"{value:.{DECIMALS}g}"
    return f"{value:,.{DECIMALS}f}".rstrip("0").rstrip(".")


def _cell(value: object) -> str:
    if value is None or (isinstance(value, float) and pd.isna(value)):
        return ""
    return _text(value) if isinstance(value, float) else str(value)
