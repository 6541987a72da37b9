"""Boxes of quartiles, all with one look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cbook import boxplot_stats

from regrade.show import style

QUARTILES = "low q1 median q3 high"
"""Columns of a box: its whiskers' ends, its own and its middle."""

OUTLIERS = {"marker": "o", "ms": 1.3, "mew": 0, "alpha": 0.35, "rasterized": True}


def quartile_boxes(
    axes: Axes,
    rows: pd.DataFrame,
    places: Sequence[float],
    width: float,
    color: str,
    **options: object,
) -> None:
    """Draw a box for each row that has a median, without caps."""
    boxes = [
        {"whislo": low, "q1": q1, "med": median, "q3": q3, "whishi": high}
        for low, q1, median, q3, high in rows[QUARTILES.split()].astype(float).to_numpy()
    ]
    known = [(box, at) for box, at in zip(boxes, places, strict=True) if not np.isnan(box["med"])]
    options = {"showcaps": False, "showfliers": False} | options
    _draw(axes, [box for box, _ in known], [at for _, at in known], width, color, **options)


def tukey_boxes(
    axes: Axes, groups: Sequence[pd.Series], places: Sequence[float], width: float, color: str
) -> None:
    """Draw boxes whose whiskers reach to the last value within 1.5 times their height, dots
    beyond.
    """
    boxes = boxplot_stats([group.dropna().to_numpy(dtype=float) for group in groups])
    outliers = OUTLIERS | {"mfc": color}
    _draw(axes, boxes, places, width, color, showcaps=False, flierprops=outliers)


def mean_boxes(
    axes: Axes, groups: Sequence[pd.Series], places: Sequence[float], width: float, color: str
) -> None:
    """Draw boxes with whiskers as `tukey_boxes`, without dots, the mean dashed; none of no
    values.
    """
    known = [(np.asarray(group), x) for group, x in zip(groups, places, strict=True) if len(group)]
    if not known:
        return
    values, places = zip(*known, strict=True)
    _draw(
        axes, boxplot_stats(values), places, width, color, lw=0.7, showfliers=False,
        showmeans=True, meanline=True, medianprops={"color": style.BLACK, "lw": 1.0},
        meanprops={"color": style.BLACK, "lw": 0.8, "ls": "--"},
    )  # fmt: skip


def _draw(
    axes: Axes,
    boxes: Sequence[Mapping],
    places: Sequence[float],
    width: float,
    color: str,
    lw: float = 0.8,
    **options: object,
) -> None:
    line = {"color": color, "lw": lw}
    look = {"whiskerprops": line, "capprops": line, "medianprops": line | {"lw": 1.4}}
    look |= {"boxprops": {"fc": style.tint(color), "ec": color, "lw": lw}}
    look |= {"patch_artist": True, "manage_ticks": False}
    axes.bxp(boxes, positions=places, widths=width, **look | options)
