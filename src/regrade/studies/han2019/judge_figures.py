"""Figures of cuts per judge and of cuts used elsewhere, which go past han2019."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from natsort import natsorted

from regrade.catalogue import ALL_TOPICS
from regrade.errors import ParameterError
from regrade.show import style
from regrade.show.item_tables import Names
from regrade.studies.han2019.trust_figures import CHOICE_LOOKS, draw_curves_with_ends, search_title
from regrade.studies.han2019.trust_tables import searched
from regrade.wording import counted

NAMED = 24
"""As many rows and columns of a matrix have their names beside them."""

COLUMNS = 3
"""Panels beside each other, at most."""

SHOWN = ("per-topic", "single", "best")
LOOKS = {**CHOICE_LOOKS, "best": {"color": style.BLACK, "marker": "x"}}
CALLED = {
    "per-topic": "each topic's own cut, chosen by these",
    "single": "one cut, chosen by these",
    "best": "the cut that all judgments choose",
}


@style.themed
def figure_transfer(
    transfer: pd.DataFrame,
    *,
    by: str,
    searches: Names = None,
    source: str = "",
    levels: int | None = None,
) -> Figure:
    """What a row's cut loses in α on a column's judgments, a panel for each search.

    Of searches that are not named all that have the matrix.
    """
    rows = searched(transfer, searches)
    rows = rows[(rows["by"] == by) & (rows["quantity"] == "alpha") & rows["note"].isna()]
    rows = rows[(rows["used_on"] != ALL_TOPICS) & rows["lost"].notna()]
    if by in ("transformations", "collections"):
        rows = rows[rows["selection"] == "single"]
    names = list(dict.fromkeys(rows["search"]))
    if not names:
        raise ParameterError(
            f"no cuts of {by} to draw: ask for them under `per_judge`, or name other `searches`"
        )
    figure, panels = _panels(names, 0.4, 2.35)
    shades = Normalize(0, max(float(rows["lost"].max()), 1e-9))
    image = None
    for search, axes in panels.items():
        image = _matrix(axes, rows[rows["search"] == search], shades, by)
        style.stacked_title(axes, search_title(search, source, levels), "")
    label = "α of the own best cut − α of this cut"
    figure.colorbar(image, ax=figure.axes, shrink=0.8, aspect=30, label=label)
    return figure


def _panels(
    names: Sequence[str], above: float, height: float, **shared: bool
) -> tuple[Figure, dict[str, Axes]]:
    """A figure with a panel for each name, each line of panels so many inches high."""
    columns = min(COLUMNS, len(names))
    lines = -(-len(names) // columns)
    figure = style.new_figure(style.DOUBLE_COLUMN, above + height * lines)
    panels = figure.subplots(lines, columns, squeeze=False, **shared).flat
    for axes in panels[len(names) :]:
        axes.set_axis_off()
    return figure, dict(zip(names, panels, strict=False))


def _matrix(axes: Axes, cells: pd.DataFrame, shades: Normalize, by: str):
    used = natsorted(set(cells["used_on"].astype(str)))
    chosen = natsorted(set(cells["chosen_on"].astype(str)) - {ALL_TOPICS})
    chosen = [ALL_TOPICS, *chosen] if (cells["chosen_on"] == ALL_TOPICS).any() else chosen
    lost = np.full((len(chosen), len(used)), np.nan)
    for cell in cells.itertuples():
        lost[chosen.index(str(cell.chosen_on)), used.index(str(cell.used_on))] = cell.lost
    axes.set_facecolor("#eeeeee")
    image = axes.imshow(lost, cmap="cividis_r", norm=shades, aspect="auto", interpolation="none")
    labels = ["all" if name == ALL_TOPICS else name for name in chosen]
    axes.set_yticks(range(len(chosen)), labels, fontsize=5)
    axes.set_xticks(range(len(used)), used, fontsize=5, rotation=90)
    axes.tick_params(length=0)
    if len(chosen) > NAMED:
        axes.set_yticks([i for i, name in enumerate(chosen) if name == ALL_TOPICS], ["all"])
    if len(used) > NAMED:
        axes.set_xticks([])
    one = by.removesuffix("s")
    axes.set_xlabel(f"used on {one} (n = {len(used)})")
    axes.set_ylabel(f"cut of {one}")
    return image


@style.themed
def figure_judges(
    judges: pd.DataFrame, *, searches: Names = None, source: str = "", levels: int | None = None
) -> Figure:
    """Each judge's own cut against that of all others, both on judgments that did not choose."""
    rows = searched(judges, searches)
    known = rows[(rows["judge"] != ALL_TOPICS) & rows["held_out"].notna()]
    names = list(dict.fromkeys(known["search"]))
    if not names:
        raise ParameterError("no judge has a cut: lower the `minimum` under `per_judge`")
    figure, panels = _panels(names, 0.5, 2.2, sharex=True, sharey=True)
    look = CHOICE_LOOKS["single"]
    ends = known[["held_out", "held_out_others"]].to_numpy(dtype=float)
    ends = [np.nanmin(ends), np.nanmax(ends)]
    for i, (search, axes) in enumerate(panels.items()):
        own = known[known["search"] == search]
        axes.plot(ends, ends, color=style.BLACK, lw=0.7, ls=":")
        axes.plot(own["held_out_others"], own["held_out"], "o", ms=3, color=look["color"], mew=0)
        axes.set_aspect("equal")
        style.stacked_title(axes, search_title(search, source, levels), counted(len(own), "judge"))
        if i + COLUMNS >= len(names):
            axes.set_xlabel("α of the others' cut")
            axes.tick_params(labelbottom=True)
        if i % COLUMNS == 0:
            axes.set_ylabel("α of the own cut")
    return figure


@style.themed
def figure_fewer(
    fewer: pd.DataFrame,
    *,
    drawn: str = "documents",
    searches: Names = None,
    source: str = "",
    levels: int | None = None,
) -> Figure:
    """α, and τ_b beside each expert, by how many judgments are paid for."""
    rows = searched(fewer, searches)
    rows = rows[rows["note"].isna() & rows["selection"].isin(SHOWN)]
    rows = rows[rows["quantity"].isin(("alpha", "tau")) & (rows["drawn"] == drawn)]
    rows = rows.assign(expert=rows["expert"].astype(object).where(rows["expert"].notna(), ""))
    names = list(dict.fromkeys(rows["search"]))
    if not names:
        raise ParameterError(
            f"no fewer judges of {drawn} to draw: ask for them by `fewer` and `fewer_of` under "
            "`per_judge`; documents need two judges"
        )
    quantities = list(dict.fromkeys(zip(rows["quantity"], rows["expert"], strict=True)))
    looks = {selection: LOOKS[selection] for selection in SHOWN}
    figure = style.new_figure(style.DOUBLE_COLUMN, 0.7 + 1.7 * len(names))
    panels = figure.subplots(len(names), len(quantities), squeeze=False, sharex=True)
    for line, search in enumerate(names):
        for column, (quantity, expert) in enumerate(quantities):
            axes = panels[line, column]
            own = rows[(rows["search"] == search) & (rows["quantity"] == quantity)]
            own = own[own["expert"] == expert]
            draw_curves_with_ends(axes, own, "cost", "estimate", looks)
            axes.xaxis.set_major_formatter("{x:,.0f}")
            axes.grid(axis="y")
            beside = f", {style.dataset_label(expert)}" if expert else ""
            axes.set_ylabel("α" if quantity == "alpha" else f"{style.TAU}{beside}")
            if column == 0:
                style.stacked_title(axes, search_title(search, source, levels), "")
            if line + 1 == len(names):
                axes.set_xlabel("judgments")
    named = {CALLED[name]: look | {"ls": "-"} for name, look in looks.items()}
    style.legend(figure, style.marks(named, ms=3.5))
    return figure
