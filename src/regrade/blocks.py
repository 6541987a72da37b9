"""Tables of more rows than are held at once, such as those of all pairs of many systems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # tables are written without pandas too
    import pandas as pd

MOST_ROWS = 2**19
"""Rows of a table that are held together: those of a thousand systems' pairs by one measure."""

Part = tuple[int, "Callable[[int, int], pd.DataFrame]"]
"""How many rows there are, and what makes those from one on and before another."""


class Blocks:
    """A table that is made some rows at a time, anew each time it is gone through.

    Parameters
    ----------
    parts
        In order; a block has rows of one of them.
    """

    def __init__(self, parts: Sequence[Part]):
        self._parts = list(parts)

    def __len__(self) -> int:
        """How many rows there are."""
        return sum(rows for rows, _ in self._parts)

    def __iter__(self) -> Iterator[pd.DataFrame]:
        """Frames of `MOST_ROWS` rows at most, one at least."""
        for rows, make in self._parts:
            for start, stop in ranges(rows):
                yield make(start, stop)

    def concat(self) -> pd.DataFrame:
        """All rows in one frame, for those who can hold it."""
        import pandas as pd

        return pd.concat(self, ignore_index=True)


def ranges(rows: int) -> Iterator[tuple[int, int]]:
    """From where on and up to where rows are made together."""
    for start in range(0, rows, MOST_ROWS):
        yield start, min(start + MOST_ROWS, rows)


def table_of(parts: Sequence[Part]) -> pd.DataFrame | Blocks:
    """A frame, or `Blocks` where there are more than `MOST_ROWS` rows."""
    import pandas as pd

    blocks = Blocks(parts)
    if len(blocks) > MOST_ROWS:
        return blocks
    return pd.concat([make(0, rows) for rows, make in parts], ignore_index=True)


def blocks_of(table: pd.DataFrame | Blocks) -> Iterable[pd.DataFrame]:
    """The frames that a table consists of: itself, where it is one."""
    return table if isinstance(table, Blocks) else [table]


def concat(table: pd.DataFrame | Blocks) -> pd.DataFrame:
    """A table in one frame."""
    return table.concat() if isinstance(table, Blocks) else table
