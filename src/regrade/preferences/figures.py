"""The figure beneath the answer about pairs."""

from __future__ import annotations

import numpy as np
import pandas as pd

import regrade.show.needed  # noqa: F401

# isort: split
from matplotlib.figure import Figure

from regrade.preferences.pair_numbers import CHANCE
from regrade.show import style
from regrade.wording import counted


@style.themed
def figure_pairs(circles: pd.DataFrame) -> Figure:
    """Draw how many triples of documents go round in circles, topic by topic."""
    known = circles[circles["share"].notna()].sort_values("share")
    if known.empty:
        return style.words("No three documents were all compared without a tie.")
    figure, axes = style.new_axes(style.SINGLE_COLUMN, 2.2)
    at = np.arange(1, len(known) + 1)
    style.dots(axes, at, known["share"], known["topic"], color=style.CUT_COLORS[0])
    axes.axhline(CHANCE, color=style.GREY, ls="--", lw=0.8)
    axes.set_ylim(bottom=-0.01)
    style.percents(axes.yaxis)
    style.whole_numbers(axes.xaxis, fewest=1)
    axes.grid(axis="y")
    axes.set(xlabel="topics, the most consistent first", ylabel="share of triples")
    total = counted(int(known["triples"].sum()), "triple")
    count = f"{counted(len(known), 'topic')}, {total}"
    style.stacked_title(axes, "triples of documents that go round", count)
    return style.legend(figure, [style.mark("tosses of a coin", color=style.GREY, ls="--", lw=0.8)])
