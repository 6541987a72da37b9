"""Scores by item: read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import pyarrow as pa

from regrade.catalogue.arrow import SCHEMAS
from regrade.errors import ParameterError
from regrade.item_scores.scores import ItemScores
from regrade.readers.rows import completed


def read_scores(
    source: object,
    *,
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, object] | None = None,
    name: str | None = None,
    lower: Sequence[str] = (),
    measures: Sequence[str] | None = None,
) -> ItemScores:
    """Stand-in until the readers are there."""
    if isinstance(source, ItemScores):
        return source
    if isinstance(source, (list, tuple)):
        frame = pd.concat([pd.read_csv(one) for one in source])
    else:
        frame = source if isinstance(source, pd.DataFrame) else pd.read_csv(source)
    frame = frame.rename(columns={theirs: ours for ours, theirs in (columns or {}).items()})
    for key, value in (where or {}).items():
        wanted = [value] if isinstance(value, str) else value
        frame = frame[frame[key].astype(str).isin(wanted)]
    if not {"system", "topic", "value"} <= {*frame}:
        raise ParameterError("no scores")
    frame = frame.assign(**({} if "measure" in frame else {"measure": "score"}))
    low = frame["measure"].isin(lower)
    frame.loc[low, "value"] *= -1
    frame.loc[low, "measure"] = "-" + frame.loc[low, "measure"]
    known = [c for c in ("system", "topic", "measure", "judge", "dataset", "cluster", "repeat") if c in frame]
    data = {c: pa.array(frame[c].astype(str)) for c in known} | {"value": pa.array(frame["value"], pa.float64())}
    table = completed(data, SCHEMAS["item-scores"], ("system", "topic"))
    return ItemScores(name or "scores", table, lower=tuple(f"-{one}" for one in lower))
