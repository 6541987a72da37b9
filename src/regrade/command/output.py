"""What commands print and write."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from regrade.answers.table import BAR, POINT, AnswerTable, lines_of
from regrade.blocks import Blocks
from regrade.catalogue import CUT_COLUMNS
from regrade.command.streams import print_json_text
from regrade.errors import ParameterError, check_choice
from regrade.scales import exactly
from regrade.stages.library import StageTables
from regrade.writers import PAPER_ENDINGS, write_answer_table, write_frame

if TYPE_CHECKING:  # a few lines need no pandas
    import pandas as pd

    from regrade.answers.shape import Answer
    from regrade.api.results import Result
    from regrade.api.scores import ScoreTable

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
    if hasattr(one, "to_json"):  # a frame
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
    from pandas.api.types import is_numeric_dtype
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title or None, title_justify="left")
    for name in frame.columns:
        right = is_numeric_dtype(frame[name])
        table.add_column(str(name), justify="right" if right else "left")
    for row in frame.itertuples(index=False):
        table.add_row(*map(_cell, row))
    Console().print(table)


def _text_of(frame: pd.DataFrame, header: bool = True) -> str:
    return frame.to_string(index=False, header=header, na_rep="", float_format=_text)


def print_result(result: Result, printing: Mapping) -> None:
    """Print the answer of a result, or one of its tables; as JSON all of them or that one.

    `printing` are the options ``table``, ``json``, ``cite``, and the files ``out`` and ``plot``.
    """
    tables, table, out = result.tables, printing["table"], printing.get("out")
    if table is not None:
        check_choice("table", table, tables)
    if out is not None:
        write_result(result, table, out, result.answer)
        table = None
    if printing["plot"] is not None:
        save_plot(result, printing["plot"])
    if printing["cite"]:
        print(result.methods_sentence())
        return
    if printing["json"] and table is None:
        tables = tables.served() if isinstance(tables, StageTables) else tables
        print_json({**tables, "answer": result.answer.to_dict()})
    elif printing["json"]:
        print_json(tables[table])
    elif table is not None:
        print_frame(tables[table])
    else:
        print_answer(result.answer)


def save_plot(result: object, path: str) -> None:
    """Save the figure of a result."""
    figure = result.plot()  # which says what to install where matplotlib is missing
    from regrade.show.style import save

    save(figure, path)


def without_answer(printing: Mapping, remedy: str) -> None:
    """Refuse the figure and the method of an answer where none is printed."""
    for name in ("plot", "cite"):
        if printing[name]:
            raise ParameterError(f"--{name} belongs to an answer: {remedy}")


def write_result(result: Result, table: str | None, out: str, answer: Answer) -> None:
    """Write a table of a result, by default its main one; for a paper that of an answer."""
    if Path(out).suffix not in PAPER_ENDINGS:
        write_frame(result.tables[table or result.main_table], out)
        return
    rows = answer.rows if table is None else AnswerTable.of_frame(result.to_frame(table))
    if rows is None:
        raise ParameterError(f"--out {out}: this answer has no table: choose one with --table")
    write_answer_table(rows, out)


def print_answer(answer: Answer) -> None:
    """Print an answer: on a terminal with its intervals drawn, as plain text elsewhere."""
    if not sys.stdout.isatty():
        print(answer)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    if answer.rows is not None:
        title, header, *lines = lines_of(answer.rows, console.width, bars=True)
        console.print(Text(title, "bold"), Text(header, "dim"), sep="\n")
        for line in lines:
            text = Text(line, no_wrap=True, overflow="ellipsis")
            text.highlight_regex(f"[{BAR}{POINT}]+", "cyan")
            console.print(text)
    verdict, *others = answer.lines()
    console.print(Text(verdict, "bold"))
    for line in others:
        console.print(Text(line, "dim" if line.startswith(("Method:", "Note:")) else ""))


def score_lines(table: ScoreTable, format: str, per_topic: bool) -> str:
    """Scores as ir_measures or trec_eval print them."""
    measures, topics = table.measures, [*table.scores.topics, "all"]
    values = dict(zip(table.scores.systems, table.with_means().tolist(), strict=True))
    ranked = {
        system: [
            (topic, measure, f"{value:.4f}")
            for topic, of_topic in zip(topics, of, strict=True)
            if per_topic or topic is topics[-1]
            for measure, value in zip(measures, of_topic, strict=True)
            if isfinite(value)
        ]
        for system, of in values.items()
    }
    ranked = {system: rows for system, rows in sorted(ranked.items()) if rows}
    lines = []
    for system, rows in ranked.items():
        if format == "trec_eval":
            lines.append(f"{'runid':<22}\tall\t{system}")
            lines += [f"{measure:<22}\t{topic}\t{value}" for topic, measure, value in rows]
            continue
        for topic, measure, value in rows:
            parts = [system] * (len(ranked) > 1) + [topic] * per_topic + [measure, value]
            lines.append("\t".join(parts))
    return "\n".join(lines)


def _text(value: float) -> str:
    if abs(value) < 1:
        return f"{value:.{DECIMALS}g}"
    return f"{value:,.{DECIMALS}f}".rstrip("0").rstrip(".")


def _cell(value: object) -> str:
    if value is None or (isinstance(value, float) and value != value):
        return ""
    return _text(value) if isinstance(value, float) else str(value)
