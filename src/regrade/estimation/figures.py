"""The figure of what full human judging would conclude."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from regrade.show import style
from regrade.show.item_tables import TablePart, takes
from regrade.show.ranked import FIRST, OTHERS, of_measure
from regrade.show.style import Axes, Figure, Patch


def _of_first(pairs: pd.DataFrame, **_: object) -> pd.DataFrame:
    """The pairs of the system that comes first, as the best one does in the table."""
    return pairs[pairs["system"] == pairs["system"].iloc[0]]


@takes(pairs=TablePart(kept=_of_first))
@style.themed
def figure_estimate(
    labels: pd.DataFrame,
    systems: pd.DataFrame | None = None,
    pairs: pd.DataFrame | None = None,
    *,
    limit: int,
) -> Figure:
    """Draw estimated scores of the first systems, and their differences from the first."""
    ends = ["value", "low", "high"]
    if systems is None:  # the share of documents that would have had each grade
        own = labels[labels["quantity"] == "share"]
        if len(own) < style.FEWEST_DRAWN:
            return style.undrawn(len(own), "grade")
        names = [f"{grade:g}" for grade in own["grade"]]
        figure, axes = style.new_axes(style.SINGLE_COLUMN, 0.8 + 0.18 * len(names))
        _draw_ends(axes, own[ends].to_numpy(float), names, np.ones(len(own), bool))
        axes.set(ylabel="grade", xlabel="estimated share of documents (95% CI)")
        return figure
    own = of_measure(systems, None)
    if len(own) < style.FEWEST_DRAWN:
        return style.undrawn(len(own), "system")
    measure = str(own["measure"].iloc[0])
    first = str(own["system"].iloc[0])
    between = of_measure(pairs, measure)
    between = between[between["system"].astype(str) == first]
    behind = between.set_index(between["other"].astype(str))[["difference", "low", "high"]]
    rows = own.head(limit).astype({"system": str})
    names = rows["system"].tolist()
    behind = -behind.reindex(names).fillna({"difference": 0.0})
    behind.columns = ["difference", "high", "low"]
    figure = style.new_figure(style.DOUBLE_COLUMN, 1.1 + 0.125 * len(rows))
    panels = figure.subplots(1, 2, sharey=True)
    near = rows["may_be_first"].to_numpy(bool)
    values = rows[ends].to_numpy(float)
    for axes, numbers in zip(panels, (values, behind[["difference", "low", "high"]]), strict=True):
        _draw_ends(axes, np.asarray(numbers, float), names, near)
    panels[0].set_xlabel(f"estimated {measure}, mean over topics", parse_math=False)
    panels[1].set_xlabel(f"difference from {first}", parse_math=False)
    panels[1].axvline(0, color=style.GREY, lw=0.6)
    count = style.systems_text(len(rows), len(own))
    what = "estimated scores (95% CI)" if own["low"].notna().any() else "estimated scores"
    style.stacked_title(panels[0], f"(a)  {what}", count)
    style.stacked_title(panels[1], "(b)  differences from the first (95% CI)", "")
    return style.legend(figure, [
        Patch(fc=FIRST, label="may be best"), Patch(fc=OTHERS, label="significantly worse"),
    ])  # fmt: skip


def _draw_ends(axes: Axes, numbers: np.ndarray, names: Sequence[str], near: np.ndarray) -> None:
    """A dot for each value, (n, 3) with the ends of its interval, those that are near in blue."""
    for y, (value, low, high) in enumerate(numbers):
        color, label = FIRST if near[y] else OTHERS, f"{names[y]}: {value:.3f}"
        if pd.notna(low):
            (line,) = axes.plot([low, high], [y, y], color=color, lw=1.0)
            style.name(line, f"{label} ({low:.3f} to {high:.3f})")
        style.dots(axes, [value], [y], [label], marker="o", ms=2.8, color=color)
    style.name_rows(axes, names)
