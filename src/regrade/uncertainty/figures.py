"""The figure beneath the answer about unjudged documents."""

from __future__ import annotations

import pandas as pd

import regrade.show.needed  # noqa: F401

# isort: split
from matplotlib.figure import Figure

from regrade.show import style
from regrade.show.ranked import draw_ranges


@style.themed
def figure_unjudged(ranks: pd.DataFrame, shown: int) -> Figure:
    """Draw what unjudged documents leave open of the first systems' scores and ranks.

    By the first measure of which bounds say something of ranks, as the answer has it.
    """
    measures = ranks["measure"].astype(str)
    every = measures.map(measures.value_counts())
    is_open = (ranks["rank_low"] == 1) & (ranks["rank_high"] == every)
    informative = measures[~is_open]
    return draw_ranges(ranks[measures == informative.iloc[0]] if len(informative) else ranks, shown)
