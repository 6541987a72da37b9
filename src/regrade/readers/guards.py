"""Names that spreadsheets take for formulas, in files that people fill in: guarded, and read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:  # readers need no pandas
    import pandas as pd

_FORMULA = r"^('*[=+@-])"
"""What a spreadsheet takes for a formula, behind any signs that say that it is none."""


def guarded(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """A frame for spreadsheets, in which no name is a formula: ``=1+1`` is ``'=1+1``.

    `unguarded` takes the sign off again; names that have one already get another.
    """
    held = [name for name in names if name in frame]
    made = {name: frame[name].astype(str).str.replace(_FORMULA, r"'\1", regex=True)
            for name in held}  # fmt: skip
    return frame.assign(**{name: text.where(frame[name].notna()) for name, text in made.items()})


def unguarded(names: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Names as they were before `guarded`."""
    return pc.replace_substring_regex(names, f"^'{_FORMULA[1:]}", r"\1")
