"""Matrices of pairs of systems: one thing above the diagonal, a share below it."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colorbar import Colorbar
from matplotlib.colors import Colormap, LinearSegmentedColormap, Normalize

from regrade.show import style

BLUES = LinearSegmentedColormap.from_list("blues", ["#FFFFFF", "#7FB2DA", "#0B3A66"])
GREYS = LinearSegmentedColormap.from_list("greys", ["#FFFFFF", "#404040"])
"""Of shares, from 0 to 1."""


def two_triangles(
    axes: Axes, above: np.ndarray, colors: Colormap, norm: Normalize, below: np.ndarray, label: str
) -> Colorbar:
    """Draw values in colours above, shares in greys below, and a bar of these."""
    look = {"interpolation": "nearest", "aspect": "equal"}
    axes.imshow(above, cmap=colors, norm=norm, **look)
    shares = axes.imshow(below, cmap=GREYS, norm=Normalize(0, 1), **look)
    bar = axes.figure.colorbar(shares, cax=style.beside(axes), label=label)
    style.percents(bar.ax.yaxis)
    return bar
