"""The lines of a verdict in bootstrap samples of topics, so that collections can be pooled."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from regrade.catalogue import ALL_TOPICS, columns_of
from regrade.replacement.margins import JudgedLine, Line

LOG_SPREAD = "log spread"
"""The spread, as samples have it: on a scale where costs add up."""

SECOND, EQUAL, REFERENCE = "a second person", "equal labels", "the reference"
"""What a line is beside."""

LINE_NAMES = {
    "alpha": "α with people",
    "epsilon": "advantage over people",
    "tau": "τ_b",
    "tau_ap": "τ_ap",
    "top": "first systems in common",
    "level": "level",
    LOG_SPREAD: "log spread",
    "pairs": "pairs changed",
}
"""As sentences and figures name them."""


def sample_rows(judged: Iterable[JudgedLine], topics: int) -> pd.DataFrame:
    """Table ``replace/samples``.

    Parameters
    ----------
    judged
        The lines beside their margins; those without samples have no rows, and those of too few
        topics for an interval have their value alone.
    topics
        How many there are.
    """
    parts = [_rows(one, topics) for one in judged if len(one.line.drawn)]
    columns = columns_of("replace/samples")
    return pd.concat(parts)[columns] if parts else pd.DataFrame(columns=columns)


def _rows(judged: JudgedLine, topics: int) -> pd.DataFrame:
    line, margin, name, value = judged.line, judged.margin, judged.line.name, judged.line.value
    low, high = (end if np.isfinite(end) else np.nan for end in margin)
    if name == "spread":
        name, value, high = LOG_SPREAD, np.log(value), np.log(high)
        low = -high  # the margin is a factor and its inverse
    has_interval = np.isfinite(judged.interval).all()
    values = np.append(value, line.drawn) if has_interval else np.array([value])
    return pd.DataFrame({
        "measure": line.measure or ALL_TOPICS, "quantity": name,
        "replicate": np.arange(len(values)), "topics": topics, "value": values,
        "beside": _beside(line), "margin_low": low, "margin_high": high, "passes": line.also,
    })  # fmt: skip


def _beside(line: Line) -> str:
    if line.name in ("level", "spread"):
        return REFERENCE
    return EQUAL if np.isnan(line.second) else SECOND
