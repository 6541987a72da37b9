"""Whether a reference is made of the judges that are compared with it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import value_column

FEWEST = 30
"""Documents about which judges disagree; on fewer a reference may be their vote by chance."""


def vote_that_is(reference: pa.Table, judges: Sequence[pa.Table]) -> str:
    """``majority`` or ``median``, if the reference is that of the judges; else empty.

    It is where every document that three of them labelled, not all alike, has a label that most of
    them give, or one from their lower to their upper median.
    """
    keys = ["topic", "docno"]
    labels = _values(reference).set_index(keys)["value"].rename("label")
    parts = [
        _values(table).join(labels, on=keys, how="inner").assign(judge=place)
        for place, table in enumerate(judges)
    ]
    # a judge that has the reference's labels is said to be it, and makes any vote its own
    parts = [part for part in parts if (part["value"] != part["label"]).any()]
    if len(parts) < 3:
        return ""
    values = pd.concat(parts, ignore_index=True)
    of = values.groupby(keys)["value"]
    values = values[(of.transform("size") >= 3) & (of.transform("nunique") > 1)]
    of = values.groupby(keys)
    if len(of) < FEWEST:
        return ""
    label = of["label"].first()
    votes = values.groupby([*keys, "value"]).size()
    index = pd.MultiIndex.from_arrays([*map(label.index.get_level_values, keys), label])
    most = votes.groupby(level=keys).max().reindex(label.index)
    if (votes.reindex(index).to_numpy() == most.to_numpy()).all():
        return "majority"
    low, high = (of["value"].quantile(0.5, interpolation=end) for end in ("lower", "higher"))
    return "median" if np.all((low <= label) & (label <= high)) else ""


def _values(table: pa.Table) -> pd.DataFrame:
    """``topic``, ``docno`` and ``value``, once for each document that one judge labelled."""
    value = value_column(table)
    frame = table.select(["topic", "docno", value]).to_pandas()
    frame = frame.astype({"topic": str, "docno": str}).rename(columns={value: "value"})
    return frame.drop_duplicates(["topic", "docno"])
