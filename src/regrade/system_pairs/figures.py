"""The figure beneath the answer about two systems."""

from __future__ import annotations

import pandas as pd

from regrade.show import style
from regrade.show.panels import panel_grid
from regrade.show.ranked import of_measure
from regrade.show.style import Figure, Patch
from regrade.wording import counted

GAIN, LOSS = style.CUT_COLORS[:2]
"""Of topics on which the first system scores higher, and lower."""


@style.themed
def figure_system_pair(
    topics: pd.DataFrame, tests: pd.DataFrame, *, measure: str | None = None
) -> Figure:
    """A bar for each topic, the largest difference first, with the mean and its interval."""
    rows, (test,) = of_measure(topics, measure), of_measure(tests, measure).itertuples()
    if len(rows) < style.FEWEST_DRAWN:
        return style.undrawn(len(rows), "topic")
    grid = panel_grid(["topics"], len(rows), pitch=6, height=2.6)
    axes = grid.axes[0]
    colors = [GAIN if difference > 0 else LOSS for difference in rows["difference"]]
    bars = axes.bar(range(len(rows)), rows["difference"], 0.8, color=colors)
    for bar, row in zip(bars, rows.itertuples(), strict=True):
        style.name(bar, f"topic {row.topic}: {row.first:.3f} − {row.second:.3f} = "
                   f"{style.number(row.difference, 3)}")  # fmt: skip
    if pd.notna(test.low):
        axes.axhspan(test.low, test.high, color=style.GREY, alpha=0.25, lw=0)
    axes.axhline(test.difference, color=style.BLACK, lw=1.0, ls="--")
    axes.axhline(0, color=style.BLACK, lw=0.6)
    names = [str(topic) for topic in rows["topic"]]
    style.label_positions(axes, names, range(len(names)), grid.pitch)
    axes.set_xlim(-0.7, len(rows) - 0.3)
    axes.grid(axis="y")
    axes.set_xlabel("topic, by difference")
    axes.set_ylabel(f"difference in {test.measure}", parse_math=False)
    axes.set_title(f"{test.first} − {test.second}", parse_math=False)
    axes.set_title(counted(len(rows), "topic"), loc="right", size=style.FONT_SIZE, color=style.GREY)
    handles = [
        Patch(fc=GAIN, label=f"{test.first} higher ({test.better:,})"),
        Patch(fc=LOSS, label=f"{test.second} higher ({test.worse:,})"),
        style.mark("mean difference", color=style.BLACK, ls="--", lw=1.0),
    ]
    if pd.notna(test.low):
        handles.append(Patch(fc=style.GREY, alpha=0.25, label="95% CI of the mean"))
    figure = style.legend(grid.figure, handles)
    for text in figure.legends[0].get_texts():
        text.set_parse_math(False)
    return figure
