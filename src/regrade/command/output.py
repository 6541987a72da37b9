"""What commands print and write."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from regrade.catalogue import CUT_COLUMNS
from regrade.errors import ParameterError, check_choice
from regrade.scales import exactly
from regrade.tables import atomic_path

if TYPE_CHECKING:
    from regrade.api.results import Result

FORMATS = ("ir_measures", "trec_eval", "table", "csv", "jsonl", "parquet")
"""How scores are printed."""

DECIMALS = 4


def records(frame: pd.DataFrame) -> list[dict]:
    """A frame's rows as JSON has them: no NaN, no numpy."""
    return json.loads(frame.to_json(orient="records", double_precision=15))


def print_json(value: object) -> None:
    """Print a value as JSON; frames are lists of objects."""

    def plain(one: object) -> object:
        if isinstance(one, pd.DataFrame):
            return records(one)
        if isinstance(one, Mapping):
            return {str(key): plain(part) for key, part in one.items()}
        if isinstance(one, list | tuple):
            return [plain(part) for part in one]
        return one

    print(json.dumps(plain(value), ensure_ascii=False, indent=2))


def print_frame(frame: pd.DataFrame, title: str = "") -> None:
    """Print a table: with lines on a terminal, plain where something reads it.

    Thresholds are not rounded.
    """
    cuts = [name for name in CUT_COLUMNS if name in frame]
    frame = frame.assign(**{name: frame[name].map(exactly, na_action="ignore") for name in cuts})
    if not sys.stdout.isatty():
        if title:
            print(title)
        print(frame.to_string(index=False, na_rep="", float_format=_text))
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


def print_result(found: Result, table: str | None, as_json: bool) -> None:
    """Print what a result says, or one of its tables; as JSON all of them or that one.

    Raises
    ------
    ParameterError
        If there is no such table.
    """
    if table is not None:
        check_choice("table", table, found.tables)
    if as_json:
        whole = {**found.tables, "answer": found.answer.to_dict()}
        print_json(whole if table is None else found.tables[table])
    elif table is not None:
        print_frame(found.tables[table])
    else:
        print(found.summary())


def write_frame(frame: pd.DataFrame, path: str) -> None:
    """Write a table as its path's ending says: .csv, .tsv, .jsonl or .parquet.

    Raises
    ------
    ParameterError
        If the ending is another one.
    """
    ending = Path(path).suffix
    writers = {
        ".csv": lambda out: frame.to_csv(out, index=False),
        ".tsv": lambda out: frame.to_csv(out, index=False, sep="\t"),
        ".jsonl": lambda out: frame.to_json(out, orient="records", lines=True),
        ".parquet": lambda out: frame.to_parquet(out, index=False),
    }
    if ending not in writers:
        raise ParameterError(f"{path}: tables are written as {', '.join(writers)}")
    with atomic_path(path) as temporary:
        writers[ending](temporary)


def score_lines(frame: pd.DataFrame, format: str, per_topic: bool) -> str:
    """Scores as ir_measures or trec_eval print them.

    Parameters
    ----------
    frame
        ``system``, ``topic``, ``measure``, ``value``.
    format
        ``ir_measures``: measure and value, with the topic before them if wanted, and the system
        where there are several; ``trec_eval``: measure, topic, value, for each system.
    per_topic
        Whether each topic has a line.
    """
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


def target_lines(found: Mapping, most: int | None = None) -> list[str]:
    """What can be asked for, group by group.

    Parameters
    ----------
    found
        As `regrade.command.workflow.targets` gives it.
    most
        How many of a group are shown, but for the targets' names; ``None``: all.
    """
    groups: dict[str, list[Mapping]] = {}
    for target in found["targets"]:
        groups.setdefault(target["group"], []).append(target)
    lines = [f"collection {found['collection']}"]
    for group, of in groups.items():
        width = max(len(target["name"]) for target in of[:most])
        lines += ["", group]
        lines += [f"  {target['name']:<{width}}  {target['said']}" for target in of[:most]]
        if len(of) > len(of[:most]):
            lines.append(f'  … and {len(of) - most} more: --group "{group}"')
    if found["not asked for"]:
        lines += ["", "not asked for: add them under `studies`, with the stages that they show"]
        lines += [f"  {name}: {', '.join(of)}" for name, of in found["not asked for"].items()]
    return lines


def _text(value: float) -> str:
    if abs(value) < 1:
        return f"{value:.{DECIMALS}g}"
    return f"{value:,.{DECIMALS}f}".rstrip("0").rstrip(".")


def _cell(value: object) -> str:
    if value is None or (isinstance(value, float) and pd.isna(value)):
        return ""
    return _text(value) if isinstance(value, float) else str(value)
