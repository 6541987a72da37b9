"""The figure beneath the answer about magnitudes."""

from __future__ import annotations

import pandas as pd

from regrade.show import style
from regrade.show.panels import panel_grid, rows_by
from regrade.show.style import Figure

HOLLOW = {"color": style.BLACK, "mfc": "white", "lw": 1}


GAIN_PROFILES = {
    "linear": {"marker": "o", "ms": 4.5, "ls": "--", **HOLLOW},
    "exponential": {"marker": "^", "ms": 5, "ls": ":", **HOLLOW},
    "fitted": {"marker": "s", "color": style.CUT_COLORS[5], "ms": 4, "ls": "-", "lw": 1},
}
"""How gains are drawn, by the profile that has them."""


@style.themed
def figure_magnitudes(numbers: pd.DataFrame) -> Figure:
    """Draw the gains that magnitudes imply for levels beside the usual ones, by reference."""
    gains = numbers[numbers["level"].notna() & numbers["value"].notna()]
    if gains.empty:
        return style.words("No unit compares all levels, so there are no gains.")
    if gains["level"].nunique() < style.FEWEST_DRAWN:
        return style.undrawn(gains["level"].nunique(), "level")
    drawn = gains["quantity"].isin([f"{profile} gain" for profile in GAIN_PROFILES])
    most = gains.loc[drawn, "value"].max()
    grid = panel_grid(rows_by(gains, ["reference"]), pitch=110, height=2.2, share="y")
    for panel, ((reference,), of) in grid:
        axes = panel.axes
        for profile, look in GAIN_PROFILES.items():
            line = of[of["quantity"] == f"{profile} gain"].sort_values("level")
            axes.plot(line["level"], line["value"], **look, gid=profile)
        axes.set_xticks(sorted(of["level"].unique()))
        style.tick_texts(axes.xaxis)
        axes.set_ylim(0, 1.05 * most)
        panel.finish(style.dataset_label(reference), "", "level", "gain (lowest level: 1)")
    return grid.with_legend(style.marks(GAIN_PROFILES))
