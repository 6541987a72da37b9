"""Cuts by name, which a chosen cut is compared with: equal widths, the middle, and a user's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import comb, factorial

import numpy as np

from regrade.aggregation import exceeds
from regrade.cutsearch.thresholds import Thresholds
from regrade.errors import ParameterError
from regrade.scales import Scale

EQUAL_WIDTHS = "equal_widths"
MIDDLE = "middle"


def place_of(thresholds: Thresholds, cut: Sequence[float]) -> np.ndarray:
    """Places of a cut: of each number, the highest threshold that does not exceed it.

    Values between two thresholds have one place.  Where there is too little room, places move apart
    as little as needed.
    """
    known = thresholds.values
    places = [int((~exceeds(known, number)).sum()) - 1 for number in cut]
    return moved_apart(places, len(known))


def moved_apart(places: Sequence[int], count: int) -> np.ndarray:
    """Places in 0 … `count` − 1, the nearest that ascend strictly: up from the left, then down."""
    places = np.maximum(np.asarray(places, dtype=np.int64), 0)
    steps = np.arange(len(places))
    places = np.maximum.accumulate(places - steps) + steps
    return np.minimum(places, count - len(places) + steps)


def cut_index(places: np.ndarray, count: int, levels: int) -> np.ndarray:
    """The index among all cuts, in lexicographic order, of cuts given by their places."""
    left = np.arange(levels - 1, 0, -1)  # thresholds from each on
    above = count - 1 - np.asarray(places, dtype=np.int64)
    # cuts that come later differ first in this threshold, which is then one of those above
    later = [_choose(above[:, j], k) for j, k in enumerate(left)]
    return comb(count, levels - 1) - 1 - np.sum(later, axis=0)


def _choose(n: np.ndarray, k: int) -> np.ndarray:
    return np.prod([n - i for i in range(k)], axis=0) // factorial(k)


def ends_of(scale: Scale, values: np.ndarray) -> tuple[float, float]:
    """The lowest and the highest value of a scale; of magnitudes, which have no end, of the set."""
    low = np.min(values) if scale.ratio else scale.low
    high = np.max(values) if scale.ratio else scale.high
    return float(low), float(high)


def named_cuts(
    thresholds: Thresholds,
    levels: int,
    scale: Scale,
    values: np.ndarray,
    own: Mapping[str, Sequence[float]] | None = None,
) -> dict[str, np.ndarray]:
    """Places of the cuts that have a name."""
    low, high = ends_of(scale, values)
    shares = np.arange(1, levels) / levels
    count = len(thresholds.values)
    places = {
        EQUAL_WIDTHS: place_of(thresholds, low + (high - low) * shares),
        MIDDLE: moved_apart(np.floor((count + 1) * shares).astype(int) - 1, count),
    }
    for name, cut in (own or {}).items():
        ascending = all(a < b for a, b in pairwise(cut))
        if len(cut) != levels - 1 or not ascending:
            raise ParameterError(
                f"named cut '{name}' {list(cut)}: a cut into {levels} levels has {levels - 1} "
                "thresholds, ascending"
            )
        if name in (*places, "single", "per-topic", "best"):
            raise ParameterError(f"named cut '{name}': the name is taken: choose another")
        places[name] = place_of(thresholds, cut)
    return places
