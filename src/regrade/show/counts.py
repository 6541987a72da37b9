"""Maps of how many points lie where, for more than can be told apart."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.collections import PolyCollection
from matplotlib.colors import LogNorm

from regrade.show import style
from regrade.show.panels import Grid

COUNT_COLORMAP = style.ALPHA_COLORMAP + "_r"
"""The more, the darker."""

HEXAGONS = {"mincnt": 1, "linewidths": 0, "cmap": COUNT_COLORMAP, "rasterized": True}
"""How `Axes.hexbin` draws such a map."""


def count_bar(grid: Grid, maps: Sequence[PolyCollection], what: str) -> None:
    """One logarithmic scale of counts for all hexagons of a figure."""
    counts = [hexagons.get_array() for hexagons in maps]
    highest = max((of_map.max() for of_map in counts if len(of_map)), default=1)
    norm = LogNorm(1, max(10.0, float(highest)))
    for hexagons in maps:
        hexagons.set_norm(norm)
    grid.figure.colorbar(
        maps[0], ax=grid.axes, label=f"{what} in a hexagon", aspect=25, pad=0.01, fraction=0.05
    ).outline.set_visible(False)
