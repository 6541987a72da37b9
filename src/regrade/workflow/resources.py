"""How much memory jobs ask for: by what they read, and more when they are tried again.

Jobs go through what is large by chunks, so that the least that a rule names goes far; how it grows
was measured ([docs/scale.md](../../../docs/scale.md)).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

OF_TABLES = 0.2
"""Megabytes for each that is read of tables and arrays: of 8,100 in codes, 600 more than of 84."""

OF_TEXT = 10
"""For each of files of labels and judgments, which are held whole: of 82, 830."""

OF_ALPHA = 1
"""For each of what is told of every cut, where all topics are looked at: of 3,300, 2,000."""

PACKED = (".gz", ".bz2", ".xz", ".zst")
UNPACKED = 5
"""How much larger a packed text is than its file."""


def memory(least: int, each: float = OF_TABLES) -> Callable[..., int]:
    """A function for ``mem_mb``: at least so much, and so much for each megabyte that is read."""

    def memory(wildcards, input, attempt: int) -> int:
        return megabytes(least, input, attempt, each)

    return memory


def megabytes(least: int, paths: Iterable[str], attempt: int, each: float = OF_TABLES) -> int:
    """Megabytes for a job that reads these files, half as much again in each further attempt.

    What is not there yet counts nothing: Snakemake asks again before the job starts.
    """
    return round((least + each * sum(map(_size, paths)) / 1e6) * (attempt + 1) / 2)


def _size(path: str) -> int:
    """Bytes of a file's content; none of one that is not there."""
    try:
        size = os.stat(path).st_size  # noqa: PTH116  of many files, at each start
    except OSError:
        return 0
    return size * UNPACKED if path.endswith(PACKED) else size
