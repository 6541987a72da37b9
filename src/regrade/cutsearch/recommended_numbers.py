"""The numbers of a recommended cut, by what they are and what they are compared with."""

from __future__ import annotations

import pandas as pd

EQUAL = "equal widths"
"""What the cut is compared with, as the tables call it: levels that are equally wide."""

GIVEN = "given"
"""Thresholds that a user gave, beside the chosen ones."""

CHANGED = ("appears", "disappears", "reverses")
"""What happens to a pair of systems whose significance does not stay."""


class Numbers:
    """Rows of the table ``cuts/recommended`` by quantity and what it is compared with.

    Parameters
    ----------
    numbers
        The table.
    """

    def __init__(self, numbers: pd.DataFrame):
        beside = numbers["beside"].astype(object).where(numbers["beside"].notna(), "")
        keys = zip(numbers["quantity"].astype(str), beside, strict=True)
        self.rows = dict(zip(keys, numbers.itertuples(), strict=True))

    def __getitem__(self, key: tuple[str, str]):
        """The row of a quantity and what it is compared with (empty: nothing)."""
        return self.rows[key]

    def __contains__(self, key: tuple[str, str]) -> bool:
        """Whether there is such a row."""
        return key in self.rows

    def count(self, quantity: str, beside: str = "") -> int:
        """A value that counts something."""
        return int(self.rows[quantity, beside].value)
