"""Rows that a configuration leaves out on purpose, among the facts of an import."""

from __future__ import annotations

import pyarrow as pa

from regrade.choices import ASKED

LEFT_OUT = "left out: "
"""How facts begin that say why rows of files are not read."""


def rows_unwanted(summary: pa.Table) -> list[tuple[str, str]]:
    """How many rows of each set a configuration leaves out on purpose, by which condition."""
    return [
        (row["source"], f"{row['value']:,.0f} of {row['total']:,.0f} rows: {reason}")
        for row in summary.to_pylist()
        if row["fact"].startswith(LEFT_OUT) and row["fact"].endswith(ASKED)
        for reason in [row["fact"].removeprefix(LEFT_OUT).removesuffix(ASKED)]
    ]
