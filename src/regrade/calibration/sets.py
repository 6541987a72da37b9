"""Sets of neighbouring grades that hold a new document's as often as said.

Levels enter a document's set one by one: the likeliest first, then always the likelier neighbour
(as in ordinal adaptive prediction sets: Lu, Angelopoulos and Pomerantz, MICCAI 2022).  A level is
in the set if those before it have a share of at most q.  q is what documents of topics that had no
part in the map needed for their own level: the quantile over documents, every topic weighing the
same and one more topic taken for endless (Dunn, Wasserman and Ramdas, JASA 118, 2023).  For topics
that are drawn alike, and a random document of a new one, such a set holds the level at least as
often as said, whatever the map.
"""

from __future__ import annotations

import numpy as np

TARGETS = (0.8, 0.9, 0.95)
"""How often sets are to hold the level."""


def shares_before(shares: np.ndarray) -> np.ndarray:
    """(N, L) the share of the levels that enter each document's set before each level."""
    n, count = shares.shape
    rows = np.arange(n)
    beyond = np.pad(shares, ((0, 0), (1, 1)), constant_values=-1.0)
    low = high = np.argmax(shares, axis=1)
    before, total = np.zeros((n, count)), shares[rows, low]
    for _ in range(count - 1):
        below, above = beyond[rows, low], beyond[rows, high + 2]
        is_below = below >= above
        low, high = np.where(is_below, low - 1, low), np.where(is_below, high, high + 1)
        before[rows, np.where(is_below, low, high)] = total
        total = total + np.where(is_below, below, above)
    return before


def threshold(needed: np.ndarray, topic: np.ndarray, target: float) -> float:
    """q of a new topic."""
    _, place, counts = np.unique(topic, return_inverse=True, return_counts=True)
    order = np.argsort(needed, kind="stable")
    weight = np.cumsum(1 / counts[place][order]) / (len(counts) + 1)
    enough = np.flatnonzero(weight >= target - 1e-12)
    return float(needed[order[enough[0]]]) if len(enough) else np.inf
