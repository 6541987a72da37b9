"""The figure beneath the answer about ties."""

from __future__ import annotations

import pandas as pd

import regrade.show.needed  # noqa: F401

# isort: split
from matplotlib.figure import Figure

from regrade.show import style
from regrade.show.ranked import draw_ranges


@style.themed
def figure_ties(ranks: pd.DataFrame, shown: int) -> Figure:
    """Draw what the order of ties leaves open of the first systems' scores and ranks."""
    return draw_ranges(ranks.rename(columns={"pessimistic": "low", "optimistic": "high"}), shown)
