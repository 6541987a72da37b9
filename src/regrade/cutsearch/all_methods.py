"""The cuts of all methods together, and the rows that say why a method has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import pyarrow as pa

from regrade.catalogue import ALL_TOPICS
from regrade.catalogue.arrow import SCHEMAS


def unserved_cuts(reasons: Mapping[str, str]) -> pa.Table:
    """One row for each method that was not searched at all."""
    counts = dict.fromkeys(("tied", "runs", "n_defined", "n"), 0)
    rows = [
        {"method": method, "topic": ALL_TOPICS, "note": reason} | counts
        for method, reason in reasons.items()
    ]
    return pa.Table.from_pylist(rows, SCHEMAS["cuts/best_cuts"])


def all_cuts(
    parts: Mapping[str, Sequence[pd.DataFrame]], reasons: Mapping[str, str]
) -> dict[str, pd.DataFrame]:
    """The tables of all searches of a transformation, one after the other."""
    last = {"best_cuts": [unserved_cuts(reasons).to_pandas()] if reasons else []}
    empty = {name: SCHEMAS[f"cuts/{name}"].empty_table().to_pandas() for name in parts}
    return {
        name: pd.concat([empty[name], *tables, *last.get(name, [])], ignore_index=True)
        for name, tables in parts.items()
    }
