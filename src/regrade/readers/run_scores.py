"""Scores of runs in lines without a header, as ir_measures and AutoJudge (``tot``) write them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from os import PathLike

import numpy as np
import pyarrow as pa

from regrade.readers.encodings import read_bytes, read_head
from regrade.readers.lines import Problems, blank_separated
from regrade.readers.shapes import TOTALS

LAYOUTS = (("run", "topic", "measure", "value"), ("run", "measure", "topic", "value"))
"""What the fields are: of ir_measures, and of ``tot``."""

_ITERATIONS = ("0", "Q0", "q0")
"""What stands in the second field of qrels."""


_TOTAL = re.compile(rb"[ \t](?:%s)[ \t]" % "|".join(TOTALS).encode())
"""A field that may stand for all topics."""


def layout_of(path: str | PathLike, head: bytes | None = None) -> tuple[str, ...] | None:
    """What the fields of a file's lines are, as `layout` tells it of the whole file.

    More than the beginning is read only where that is neither of qrels nor of another width: the
    first line for all topics may follow thousands of others.
    """
    head = read_head(path) if head is None else head
    found = layout(head)
    if found or not _may_be_scores(head):
        return found
    data = read_bytes(path)
    total = _TOTAL.search(data)
    if not total:
        return None
    start, stop = data.rfind(b"\n", 0, total.start()) + 1, data.find(b"\n", total.end())
    return layout(data[start : stop if stop >= 0 else None] + b"\n")


def _may_be_scores(head: bytes) -> bool:
    """Whether lines have as many fields as scores of runs, the second unlike that of qrels."""
    lines = _fields(head)
    is_wide = all(len(line) == len(LAYOUTS[0]) for line in lines)
    return bool(lines) and is_wide and not any(line[1] in _ITERATIONS for line in lines)


def _fields(head: bytes) -> list[list[str]]:
    """The fields of the lines that a beginning holds whole."""
    lines = (line.split() for line in head.decode("utf-8", "replace").splitlines())
    lines = list(filter(None, lines))
    return lines if head.endswith(b"\n") else lines[:-1]


def layout(head: bytes) -> tuple[str, ...] | None:
    """What the fields of lines are, told by how a file begins."""
    lines = _fields(head)
    if any(len(line) != len(LAYOUTS[0]) for line in lines):
        return None
    for names in LAYOUTS:
        topic = names.index("topic")
        if any(line[topic] in TOTALS and line[1] not in _ITERATIONS for line in lines):
            return names
    return None


def run_scores(
    path: str | PathLike, required: Sequence[str], problems: Problems
) -> tuple[pa.Table, np.ndarray]:
    """Read such lines: columns run, topic, measure and value as text, and the lines' numbers."""
    names = layout_of(path) or LAYOUTS[0]
    table = blank_separated(path, dict.fromkeys(names, pa.string()), problems)
    return table.drop_columns("line"), table["line"].to_numpy()
