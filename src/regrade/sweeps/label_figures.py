"""The figures of a sweep of labels."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from regrade.show import style
from regrade.sweeps.curve_figures import OUTCOMES, figure_curve
from regrade.sweeps.figures import draw_shares
from regrade.sweeps.label_tables import SHARED
from regrade.sweeps.options import LABEL_AXES
from regrade.sweeps.tables import in_order

figure_label_curve = figure_curve


@style.themed
def figure_label_shares(axes: pd.DataFrame) -> Figure:
    """A panel for each outcome: bars of shares by axis; beneath, what two axes do together."""
    titles = {name: OUTCOMES[name] for name in SHARED}
    return draw_shares(in_order(axes, SHARED, LABEL_AXES), titles, LABEL_AXES)
