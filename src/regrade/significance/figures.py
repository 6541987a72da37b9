"""The figure of all pairs' p-values under whole sets of judgments."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from regrade.show import style
from regrade.show.forms import TEST_LABELS, draw_curves
from regrade.show.panels import rows_by


@style.themed
def figure_significance(curve: pd.DataFrame, *, significance: float) -> Figure:
    """Draw the achieved significance levels of all pairs of systems, a panel for each set."""
    panels = [
        (f"{name}, {TEST_LABELS.get(test, test)}", rows)
        for (name, test), rows in rows_by(curve, ["qrels", "test"])
    ]
    return draw_curves(panels, significance)
