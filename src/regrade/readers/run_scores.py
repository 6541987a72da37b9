"""Scores of runs in lines without a header, as ir_measures and AutoJudge (``tot``) write them."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

import numpy as np
import pyarrow as pa

from regrade.readers.encodings import read_head
from regrade.readers.lines import Problems, blank_separated
from regrade.readers.shapes import TOTALS

LAYOUTS = (("run", "topic", "measure", "value"), ("run", "measure", "topic", "value"))
"""What the fields are: of ir_measures, and of ``tot``."""

_ITERATIONS = ("0", "Q0", "q0")
"""What stands in the second field of qrels."""


def layout(head: bytes) -> tuple[str, ...] | None:
    """What the fields of lines are, told by how a file begins.

    Parameters
    ----------
    head
        The beginning of the file.

    Returns
    -------
    tuple of str or None
        One of `LAYOUTS`, that of which a topic stands for all of them; ``None`` where none does,
        as of qrels.
    """
    lines = (line.split() for line in head.decode("utf-8", "replace").splitlines())
    lines = list(filter(None, lines))
    if not head.endswith(b"\n"):
        lines = lines[:-1]  # it may be cut
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
    """Read such lines: columns run, topic, measure and value as text, and the lines' numbers.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    names = layout(read_head(path)) or LAYOUTS[0]
    table = blank_separated(path, dict.fromkeys(names, pa.string()), problems)
    return table.drop_columns("line"), table["line"].to_numpy()
