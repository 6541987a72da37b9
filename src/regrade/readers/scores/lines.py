"""How a file of scores is written, and lines of measure, item and number."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from regrade.errors import InputError
from regrade.readers.encodings import (
    read_utf8,
    without_comments,
)
from regrade.readers.formats import TOTALS, table_or_text
from regrade.readers.lines import Problems, is_number, quoted
from regrade.readers.records import is_array
from regrade.readers.rows import MISSING
from regrade.readers.scores.layouts import is_measure
from regrade.readers.scores.rows import (
    COUNTS,
    NAMES,
    NO_SCORES,
    OVER_ALL,
    Notation,
    ScoreRows,
    coded_names,
    file_name,
    is_score,
    may_be_score,
    numbers,
)
from regrade.readers.spellings import SCORES, called

LOOKED_AT = 20
"""Lines by which it is told how a file is written."""


def score_format(path: str | os.PathLike) -> str:
    """How a file of scores is written, told by how it begins: ``lines`` name no columns."""
    format, data = table_or_text(path)
    if format is not None:
        return format
    head = data.decode("utf-8", "replace").lstrip()
    if head.startswith("{") or is_array(data):
        return "jsonl"
    lines = [line for line in head.splitlines()[:LOOKED_AT] if line.strip()]
    if not lines:
        raise InputError(path, [(None, "is empty")])
    for ending, mark in (("tsv", "\t"), ("csv", ","), ("csv", ";")):
        if mark in lines[0] and _has_header([line.split(mark) for line in lines], mark):
            return ending
    return "lines"


def _has_header(lines: Sequence[Sequence[str]], mark: str) -> bool:
    """Whether the first line has names; lines between commas always have some."""
    first, *below = lines
    if mark != "\t":
        return True
    if first[0].strip() in (RUN_ID, *NO_SCORES):
        return False
    if any(called([name], ours, SCORES) for name in first for ours in (*NAMES, "value")):
        return not is_number(first[-1].strip())
    below = [line for line in below if len(line) == len(first)]
    return any(
        not is_number(name.strip())
        and bool(column)
        and all(one.strip() in MISSING or may_be_score(one) for one in column)
        for name, *column in zip(first, *below, strict=True)
    )


def plain_score_lines(path: str | os.PathLike, notation: Notation, ending: str = "") -> ScoreRows:
    """Lines of a measure, an item and a number, and of several systems of these too.

    A system that nothing names is called as the file without known endings and `ending`.
    """
    text = without_comments(read_utf8(path).encode()).decode()
    fields = [(number, line.split()) for number, line in enumerate(text.splitlines(), 1)]
    fields = [(number, line) for number, line in fields if line]
    order = _named_order(fields[0][1]) if fields else None
    if order:
        del fields[0]
    if not fields:
        raise InputError(path, [(None, "is empty, or has comments or names of columns only")])
    order = order or _order(path, [line for _, line in fields], notation)
    systems = [None] * len(fields) if "system" in order else _systems(fields, order)
    wrong, left_out, kept = [], Counter(), []
    for (number, line), system in zip(fields, systems, strict=True):
        if len(line) != len(order):
            if len(line) == len(order) - 1 and is_score(line[-1]):
                left_out[OVER_ALL] += 1
                continue
            should = f"columns where there should be {len(order)} ({' '.join(order)})"
            wrong.append((number, f"has {len(line)} {should}: {quoted(' '.join(line))}"))
            continue
        measure, topic = (line[order.index(name)] for name in ("measure", "topic"))
        if measure == RUN_ID and topic in TOTALS:
            continue
        if topic in TOTALS:
            left_out[OVER_ALL] += 1
        elif measure in NO_SCORES:
            left_out[COUNTS] += 1
        else:
            kept.append((number, line, system))
    if wrong:
        raise InputError(path, wrong)
    if not kept:
        remedy = "Score by item: trec_eval -q, ir_measures -q."
        raise InputError(path, [(None, "holds means over all items only")], remedy)
    problems, line = Problems(path), np.array([number for number, _, _ in kept], dtype=np.int32)
    columns = {n: [line[place] for _, line, _ in kept] for place, n in enumerate(order)}
    if "system" not in order:
        columns["system"] = [system or file_name(path, ending) for _, _, system in kept]
    columns = {n: pa.chunked_array([pa.array(of, pa.string())]) for n, of in columns.items()}
    value = numbers(columns.pop("value"), line, "value", problems)
    names = {n: coded_names(of, line, n, problems) for n, of in columns.items()}
    problems.raise_if_any()
    return ScoreRows(names, value, line, str(path), (), left_out)


RUN_ID = "runid"
"""What trec_eval calls a line that names the run."""


def _systems(fields: Sequence[tuple[int, Sequence[str]]], order: Sequence[str]) -> list[str | None]:
    """The run that each line is of, where lines of trec_eval name some.

    trec_eval names a run among its means, behind the topics; where the first line does so, names
    stand before.
    """
    topic = order.index("topic")
    names_first = fields[0][1][0] == RUN_ID
    blocks, was_total = [], False
    for _, line in fields:
        is_total = len(line) == len(order) and line[topic] in TOTALS
        is_name = is_total and line[0] == RUN_ID
        begins = is_name if names_first else was_total and not is_total
        if not blocks or begins:
            blocks.append([0, None])
        blocks[-1][0] += 1
        if is_name:
            blocks[-1][1] = line[-1]
        was_total = is_total
    return [name for size, name in blocks for _ in range(size)]


def _named_order(line: Sequence[str]) -> tuple[str, ...] | None:
    """What fields are, where a first line of names says so."""
    names = [next((n for n in _FIELDS if called([one], n, SCORES)), None) for one in line]
    is_order = {"topic", "measure", "value"} <= {*names} and len({*names}) == len(line)
    return tuple(names) if is_order else None


_FIELDS = ("measure", "value", "system", "topic")


ORDERS = {
    3: (("measure", "topic", "value"), ("topic", "measure", "value")),
    4: (
        ("system", "topic", "measure", "value"),
        ("system", "measure", "topic", "value"),
        ("topic", "system", "measure", "value"),
    ),
}
"""What fields are: of trec_eval and ir_measures; of leaderboards as AutoJudge writes them."""


def _order(
    path: str | os.PathLike, lines: Sequence[Sequence[str]], notation: Notation
) -> tuple[str, ...]:
    """What the fields of lines are."""
    size = max((len(line) for line in lines if is_score(line[-1])), default=0)
    lines = [line for line in lines if len(line) == size]
    orders = ORDERS.get(size)
    if orders is None:
        raise InputError(
            path,
            [(1, "is no line of scores: topic measure value, or system topic measure value")],
            "Give the file a first line that names its columns, as system,topic,measure,value.",
        )

    def fits(order: Sequence[str]) -> float:
        """How many fields are measures, where measures should stand."""
        place, total = order.index("measure"), order.index("topic")
        names = {line[place] for line in lines}
        is_total = sum(line[total] in TOTALS for line in lines)
        known = sum(is_measure(name, notation) or name in NO_SCORES for name in names) / len(names)
        return 2 * bool(is_total) + known - len(names) / (len(lines) + 1) / 2

    return max(orders, key=fits)
