"""The figure of judges' favour for families of systems."""

from __future__ import annotations

import numpy as np
import pandas as pd

from regrade.favours.family_favour import ALL, EQUAL, NOT_COMPARABLE, REFERENCE, baseline_of
from regrade.show import style
from regrade.show.style import Axes, Figure

JUDGE, OWN, PEOPLE = "judge", "own family", "control, beside the reference"
LOOKS = {
    JUDGE: {"color": "#0072B2", "marker": "o"},
    OWN: {"color": "#D55E00", "marker": "D"},
    PEOPLE: {"color": style.GREY, "marker": "s"},
}
WIDEST = 4
"""Panels in a row."""


@style.themed
def figure_favour(effects: pd.DataFrame) -> Figure:
    """Draw favour with simultaneous intervals: a panel for each family, a row for each judge.

    Judges at equal quality, less the control if any; controls beside the reference.
    """
    texts = {"measure": str, "judge": str, "family": str, "beside": str, "peers": str}
    rows = effects.astype(texts)
    rows = rows[rows["measure"] == rows["measure"].iloc[0]]
    beside = baseline_of(rows)
    is_control = rows["is_control"].astype(bool)
    drawn = rows[(rows["beside"] == beside) & (rows["peers"] == EQUAL) & ~is_control]
    if drawn["favour"].isna().all():
        drawn = rows[(rows["beside"] == beside) & (rows["peers"] == ALL) & ~is_control]
    people = rows[(rows["beside"] == REFERENCE) & (rows["peers"] == EQUAL) & is_control]
    people = people[people["favour"].notna()]
    drawn = pd.concat([drawn, people])
    judges, families = (list(dict.fromkeys(drawn[c])) for c in ("judge", "family"))
    figure, panels = family_panels(len(families), 0.55 + 0.15 * len(judges), 0.5)
    for axes, family in zip(panels, families, strict=True):
        own = drawn[drawn["family"] == family]
        _draw(axes, own, judges)
        apart = (own["verdict"].astype(object) == NOT_COMPARABLE).any()
        axes.set_title(f"{family} ({NOT_COMPARABLE})" if apart else family)
    panels[0].locator_params(axis="x", nbins=4)
    metric = f"favour in {rows['measure'].iloc[0]}, simultaneous 95% CI"
    figure.supxlabel(metric, size=style.FONT_SIZE, parse_math=False)
    used = [JUDGE]
    used += [OWN] * bool(drawn["is_own"].astype(bool).any()) + [PEOPLE] * bool(len(people))
    style.legend(figure, style.marks({name: LOOKS[name] for name in used}, ms=3.5, lw=0.9))
    return figure


def family_panels(families: int, height: float, more: float) -> tuple[Figure, list[Axes]]:
    """A figure with a panel for each family; heights in inches, of a line and of the rest."""
    columns = min(families, WIDEST)
    lines = -(-families // columns)
    figure = style.new_figure(style.DOUBLE_COLUMN, lines * height + more)
    grid = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    for axes in grid.flat[families:]:
        axes.set_visible(False)
    panels = [*grid.flat[:families]]
    for axes in panels[-columns:]:  # the last of each column
        axes.tick_params(labelbottom=True)
    return figure, panels


def _draw(axes: Axes, rows: pd.DataFrame, judges: list[str]) -> None:
    place = {judge: y for y, judge in enumerate(judges)}
    axes.axvline(0, color="black", lw=0.6)
    for row in rows.itertuples():
        look = LOOKS[PEOPLE if row.is_control else OWN if row.is_own else JUDGE]
        y = place[row.judge]
        if np.isfinite(row.low):
            axes.plot([row.low, row.high], [y, y], color=look["color"], lw=0.9)
        is_clear = np.isfinite(row.low) and (row.low > 0 or row.high < 0)
        is_clear = is_clear and row.verdict != NOT_COMPARABLE
        fill = "full" if is_clear else "none"
        axes.plot([row.favour], [y], **look, ms=3.5, ls="", fillstyle=fill, mew=0.8)
    style.name_rows(axes, judges)
    axes.grid(axis="x")
