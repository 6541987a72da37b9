"""The figure of a panel of judges: correlations of errors, and panels of every size."""

from __future__ import annotations

import numpy as np
import pandas as pd

from regrade.panels.panel import CHOSEN, EFFECTIVE, RANDOM
from regrade.show import style
from regrade.show.style import Axes, Figure

LOOKS = {
    RANDOM: {"color": "#0072B2", "marker": "o"},
    CHOSEN: {"color": "#D55E00", "marker": "D"},
}
NAMES = {RANDOM: "random panels, 95% CI", CHOSEN: "panels chosen on other topics, 95% CI"}

TITLES = {EFFECTIVE: r"$n_{eff}$", "alpha": "α", "tau": r"$\tau_b$"}
"""Of what there is a curve."""


@style.themed
def figure_panel(correlations: pd.DataFrame, sizes: pd.DataFrame) -> Figure:
    """Draw the correlations of label errors within topics, and the growth of panels."""
    texts = {"kind": str, "judge": str, "other": str}
    own = correlations.astype(texts)
    own = own[own["kind"] == own["kind"].iloc[0]]
    count = int(own["place"].max())
    if count < 2:
        return style.words("One judge: no correlations and no larger panels.")
    curves = sizes.astype({"kind": str, "quantity": str})
    drawn = [quantity for quantity in TITLES if (curves["quantity"] == quantity).any()]
    height = max(3.2, 1.9 + 0.11 * count)
    figure = style.new_figure(style.DOUBLE_COLUMN, height)
    grid = figure.add_gridspec(len(drawn), 2, width_ratios=(1.5, 1))
    _draw_matrix(figure, figure.add_subplot(grid[:, 0]), own, count)
    first = None
    for line, quantity in enumerate(drawn):
        axes = first = figure.add_subplot(grid[line, 1], sharex=first)
        _draw_curve(axes, curves[curves["quantity"] == quantity], quantity)
        if line == len(drawn) - 1:
            axes.set_xlabel("judges of the panel")
    handles = {NAMES[kind]: LOOKS[kind] for kind in LOOKS if (curves["kind"] == kind).any()}
    style.legend(figure, style.marks(handles, ms=3, lw=1.0))
    return figure


def _draw_matrix(figure: Figure, axes: Axes, rows: pd.DataFrame, count: int) -> None:
    """Correlations, similar judges side by side."""
    matrix = np.full((count, count), np.nan)
    matrix[rows["place"] - 1, rows["other_place"] - 1] = rows["error_correlation"]
    names = rows.drop_duplicates("place").sort_values("place")["judge"].map(style.set_signs)
    image = axes.imshow(np.ma.masked_invalid(matrix), cmap="RdBu_r", vmin=-1, vmax=1)
    numbers = range(1, count + 1)
    # the names of rows are those of columns
    axes.set_xticks(range(count), numbers, rotation=90 if count > 12 else 0)
    axes.set_yticks(range(count), [f"{name}  {n}" for name, n in zip(names, numbers, strict=True)])
    axes.tick_params(length=0, labelsize=5.5 if count > 12 else 7)
    axes.grid(visible=False)
    bar = figure.colorbar(image, ax=axes, shrink=0.6, pad=0.02)
    bar.set_label("correlation of label errors")


def _draw_curve(axes: Axes, rows: pd.DataFrame, quantity: str) -> None:
    """One quantity by size, with bands of intervals; of rankings the first measure."""
    measures = rows["measure"].dropna()
    if len(measures):
        rows = rows[rows["measure"] == measures.iloc[0]]
    for kind, look in LOOKS.items():
        of = rows[(rows["kind"] == kind) & rows["value"].notna()].sort_values("panel_size")
        if len(of):
            axes.fill_between(of["panel_size"], of["low"].astype(float), of["high"].astype(float),
                              color=look["color"], alpha=0.15, lw=0)  # fmt: skip
            axes.plot(of["panel_size"], of["value"], **look, ms=2.5, lw=1.0)
    title = TITLES[quantity]
    axes.set_ylabel(f"{title}, {measures.iloc[0]}" if len(measures) else title)
    style.whole_numbers(axes.xaxis)
