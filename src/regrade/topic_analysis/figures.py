"""The figure beneath the answer about topics."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from regrade.show import style
from regrade.show.ranked import of_measure
from regrade.show.style import Axes, Figure, Normalize
from regrade.wording import counted

DIVERGING = "RdBu_r"
"""Of changes: legible without telling red from green."""

ROW, HIGHEST = 0.1, 6.4
"""Inches of a system, and of all of them at most."""


@style.themed
def figure_topics(scores: pd.DataFrame, *, measure: str | None = None) -> Figure:
    """A cell for each system and topic, the best systems on top, the hardest topics first.

    With a second set of labels, beside it what these change.
    """
    rows = of_measure(scores, measure).astype({"system": str, "topic": str})
    systems, topics = (list(dict.fromkeys(rows[name])) for name in ("system", "topic"))
    if len(rows) < style.FEWEST_DRAWN:
        return style.undrawn(len(rows), "score")
    shape = len(systems), len(topics)
    first = rows["value"].to_numpy(float).reshape(shape)
    change = rows["second"].to_numpy(float).reshape(shape) - first
    both = bool(np.isfinite(change).any())
    height = min(HIGHEST, max(1.2, ROW * len(systems)))
    figure = style.new_figure(style.DOUBLE_COLUMN, height + 1.1)
    axes = figure.subplots(1, 1 + both, sharey=True, squeeze=False)[0]
    name = rows["measure"].astype(str).iloc[0]
    pitch = style.POINTS * (1.9 if both else 5.0) / len(topics)
    limits = Normalize(min(0.0, first.min()), max(1.0, first.max()))
    _draw_cells(axes[0], first, "viridis", limits, name)
    axes[0].set_title(
        f"{style.panel_letter(0, 1 + both)}{counted(len(systems), 'system')}, "
        f"{counted(len(topics), 'topic')}"
    )
    if both:
        most = max(np.nanmax(np.abs(change)), 1e-9)
        _draw_cells(axes[1], change, DIVERGING, Normalize(-most, most), f"change of {name}")
        axes[1].set_title(f"{style.panel_letter(1, 2)}change under the second labels")
    for one in axes:
        style.label_positions(one, topics, range(len(topics)), pitch)
        one.set_xlabel("topic, hardest first")
        one.tick_params(axis="y", length=0)
    _name_systems(axes[0], systems, style.POINTS * height / len(systems))
    return figure


def _draw_cells(axes: Axes, values: np.ndarray, colors: str, limits: Normalize, label: str) -> None:
    cells = axes.imshow(values, cmap=colors, norm=limits, aspect="auto", interpolation="nearest")
    axes.set_facecolor(style.LIGHT_GREY)
    bar = axes.figure.colorbar(cells, ax=axes, pad=0.02, aspect=40, fraction=0.06)
    bar.outline.set_visible(False)
    bar.set_label(label, parse_math=False)


def _name_systems(axes: Axes, names: list[str], pitch: float) -> None:
    """Every name where they are legible, else every nth."""
    step = max(1, math.ceil(0.95 * style.FONT_SIZE / pitch))
    axes.set_yticks(range(0, len(names), step), names[::step])
    for label in axes.get_yticklabels():
        label.set_parse_math(False)
    axes.set_ylabel("system, best first")
