"""The figure beneath the answer about ties."""

from __future__ import annotations

import pandas as pd

from regrade.show import style
from regrade.show.ranked import draw_ranges
from regrade.show.style import Figure


@style.themed
def figure_ties(ranks: pd.DataFrame, limit: int) -> Figure:
    """Draw the first systems with the range of score and rank over tie-breaking."""
    ends = {"pessimistic": "low", "optimistic": "high"}
    return draw_ranges(ranks.rename(columns=ends), limit, "range over tie-breaking")
