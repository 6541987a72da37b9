"""How a file of scores is written, and lines of measure, item and number."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from regrade.errors import InputError
from regrade.readers.encodings import check_text, is_workbook, read_head, read_lines
from regrade.readers.formats import TOTALS
from regrade.readers.lines import Problems, is_number, quoted
from regrade.readers.records import is_array
from regrade.readers.scores.layouts import is_measure
from regrade.readers.scores.rows import (
    NAMES,
    OVER_ALL,
    Coded,
    Notation,
    ScoreRows,
    coded_names,
    file_name,
    is_score,
    is_score_or_none,
    numbers,
)
from regrade.readers.spellings import SCORES, called

LOOKED_AT = 20
"""Lines by which it is told how a file is written."""


def score_format(path: str | os.PathLike) -> str:
    """How a file of scores is written, told by how it begins: ``lines`` name no columns."""
    if is_workbook(path):
        return "xlsx"
    data = read_head(path)
    if data.startswith(b"PAR1"):
        return "parquet"
    check_text(path, data)
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
    if first[0].strip() in NO_SCORES:
        return False
    if any(called([name], ours, SCORES) for name in first for ours in (*NAMES, "value")):
        return not is_number(first[-1].strip())
    below = [line for line in below if len(line) == len(first)]
    return any(
        not is_number(name.strip()) and bool(column) and all(map(is_score_or_none, column))
        for name, *column in zip(first, *below, strict=True)
    )


NO_SCORES = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret")
"""What trec_eval lists that are counts, or no numbers at all."""


def plain_score_lines(path: str | os.PathLike, notation: Notation) -> ScoreRows:
    """Lines of a measure, an item and a number, and of several systems of these too."""
    text = read_lines(path).decode("utf-8", "replace")
    fields = [(number, line.split()) for number, line in enumerate(text.splitlines(), 1)]
    fields = [(number, line) for number, line in fields if line]
    order = _order(path, [line for _, line in fields], notation)
    wrong, left_out = [], Counter()
    rows, lines, name = [], [], None
    for number, line in fields:
        if len(line) != len(order):
            if len(line) == len(order) - 1 and "topic" in order and is_score(line[-1]):
                left_out[OVER_ALL] += 1
            else:
                should = f"columns where there should be {len(order)} ({' '.join(order)})"
                wrong.append((number, f"has {len(line)} {should}: {quoted(' '.join(line))}"))
            continue
        row = dict(zip(order, line, strict=True))
        if row["measure"] == "runid":
            name = row["value"]
        elif row["topic"] in TOTALS:
            left_out[OVER_ALL] += 1
        elif row["measure"] in NO_SCORES:
            left_out["counts of documents"] += 1
        else:
            rows.append(row)
            lines.append(number)
    if wrong:
        raise InputError(path, wrong)
    if not rows:
        remedy = "Score by item: trec_eval -q, ir_measures -q."
        raise InputError(path, [(None, "holds means over all items only")], remedy)
    problems, line = Problems(path), np.array(lines, dtype=np.int32)
    columns = {n: pa.chunked_array([pa.array([row[n] for row in rows])]) for n in order}
    names = {n: coded_names(columns[n], line, n, problems) for n in order if n != "value"}
    value = numbers(columns["value"], line, "value", problems)
    problems.raise_if_any()
    if "system" not in names:
        names["system"] = Coded.lone(name or file_name(path), len(rows))
    return ScoreRows(names, value, line, str(path), (), left_out)


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
