"""The documents on which magnitudes and a reference differ most (turpin2015 §4.3)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.kendall import TOLERANCE
from regrade.magnitudes.label_comparison import (
    DOCUMENT,
    MAGNITUDES,
    KnownLabels,
    References,
    document_magnitudes,
    framed,
    plain,
)

LEAST = 3
"""Documents of a topic that a level needs, so that its median is not the one in question."""


def discordant_documents(
    documents: pa.Table | pd.DataFrame,
    normalised: pa.Table | pd.DataFrame,
    known: KnownLabels,
    *,
    count: int = 34,
    aggregate: str = "median",
    least: int = LEAST,
) -> pd.DataFrame:
    """Documents whose magnitude is nearer to another level's than to that of their own label.

    The magnitude of a level is the median of the logs of its documents' magnitudes, topic by topic.
    A document is discordant where ln of its magnitude is nearer to that of another level than to
    that of its own; the farther from its own, the more so.  The paper chose 34 such documents by
    hand, and has no formula.

    Levels with fewer than `least` documents in a topic have no median there: none of their
    documents is examined, and none is found to be nearest to them.  ``magnitudes/levels`` tells
    which these are.
    """
    reference, labels, scale = known
    frame = document_magnitudes(documents, aggregate).merge(labels, on=DOCUMENT)
    parts = [_examined(rows, scale, least) for _, rows in frame.groupby("topic", sort=True)]
    if not parts:
        return framed([], "magnitudes/discordant")
    table = pd.concat(parts, ignore_index=True)
    # distances that differ in their last bits are equal, and ordered by name
    table["order"] = -table["distance"].abs().round(9)
    table = table.sort_values(["order", *DOCUMENT], ignore_index=True).head(count)
    table = table.assign(reference=reference, place=np.arange(1, len(table) + 1))
    table = table.rename(columns={"magnitude": "median"})
    spans = plain(normalised).groupby(DOCUMENT)["normalised"].agg(low="min", high="max")
    table = table.merge(spans.reset_index(), on=DOCUMENT, how="left")
    return table[framed([], "magnitudes/discordant").columns]


def statements_of(
    discordant: pa.Table | pd.DataFrame,
    normalised: pa.Table | pd.DataFrame,
    labels: References,
) -> pd.DataFrame:
    """Everything that was said of some documents."""
    chosen = plain(discordant)[["reference", "place", *DOCUMENT]]
    parts = [
        chosen.merge(plain(table).rename(columns={"grade": "value"}), on=DOCUMENT).assign(
            by=label, order=order, worker=None, unit=None, normalised=np.nan
        )
        for order, (label, table) in enumerate(labels.items())
    ]
    judged = chosen.merge(plain(normalised), on=DOCUMENT)
    parts.append(judged.assign(by=MAGNITUDES, order=len(labels)))
    statements = pd.concat([part.astype({"worker": object, "unit": object}) for part in parts])
    keys = ["reference", "place", "order", "normalised", "worker", "unit"]
    statements = statements.sort_values(keys, ignore_index=True)
    return statements[framed([], "magnitudes/said").columns]


def _examined(rows: pd.DataFrame, scale: np.ndarray, least: int) -> pd.DataFrame:
    """A topic's discordant documents, with what they are nearest to and how far from their own."""
    logs, code = np.log(rows["magnitude"].to_numpy()), rows["code"].to_numpy()
    medians = np.full(len(scale), np.nan)
    for place in range(len(scale)):
        own = logs[code == place]
        if len(own) >= least:
            medians[place] = np.median(own)
    away = np.abs(logs[:, None] - medians)  # NaN: a level without a median
    places = np.arange(len(scale))
    # the level with the least distance, of equal ones that with the fewest steps, then the lowest
    least_away = np.fmin.reduce(away, axis=1)[:, None]
    steps = np.where(away <= least_away + TOLERANCE, np.abs(places - code[:, None]), len(scale))
    nearest = steps.argmin(axis=1)
    distance = logs - medians[code]
    reachable = ~np.isnan(distance)
    gap = np.full(len(rows), np.nan)
    gap[reachable] = np.abs(distance[reachable]) - away[reachable, nearest[reachable]]
    table = rows.assign(nearest=scale[nearest], distance=distance)
    return table[gap > TOLERANCE]
