"""The figure beneath the answer about ties."""

from __future__ import annotations

import pandas as pd

import regrade.show.needed  # noqa: F401

# isort: split
from matplotlib.figure import Figure

from regrade.show import style
from regrade.show.ranked import draw_ranges


@style.themed
def figure_ties(ranks: pd.DataFrame, limit: int) -> Figure:
    """Draw the first systems with the range of score and rank over tie-breaking."""
    ends = {"pessimistic": "low", "optimistic": "high"}
    return draw_ranges(ranks.rename(columns=ends), limit, "range over tie-breaking")
