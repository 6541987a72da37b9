"""The best cuts: which they are, how many tie, and how far the near-best ones spread."""

from __future__ import annotations

import numpy as np
import pandas as pd

from regrade.cutsearch.search import CutSearch
from regrade.schemas import ALL_TOPICS, CUT_COLUMNS

TIED = 1e-12
"""Cuts whose criterion is this near the best share it."""


def best_cuts(found: CutSearch, reference: str | None = None) -> pd.DataFrame:
    """The best cut of each topic, and the one cut for all topics.

    The best cut has the highest α.  Of the cuts within 1e-12 of it the one nearest the
    centroid of all of them is reported, then the lexicographically first, with their number.
    The one cut for all topics has the highest mean of the topics' α (see `CutSearch.single`).

    Parameters
    ----------
    found
        α of C cuts for T topics.
    reference
        The reference's label, for the table.

    Returns
    -------
    DataFrame in schema ``best_cuts``, T + 1 rows, that for all topics (``*``) last.
    """
    rows = [
        _row(found.cuts, topic, found.alpha[:, t], found.n_defined[:, t], found.n[t])
        for t, topic in enumerate(found.topics)
    ]
    rows.append(_row(found.cuts, ALL_TOPICS, found.single, found.n_topics, len(found.topics)))
    frame = pd.DataFrame(rows)
    frame.insert(0, "method", found.method)
    frame.insert(1, "reference", pd.Series([reference] * len(frame), dtype=object))
    for column in CUT_COLUMNS:
        frame[column] = frame[column].astype("Int16")
    return frame


def _row(cuts: np.ndarray, topic: str, alpha: np.ndarray, n_defined: np.ndarray, n: int) -> dict:
    row = dict.fromkeys(CUT_COLUMNS) | {"topic": topic, "n": int(n)}
    index, tied = best_index(cuts, alpha)
    if index is None:
        return row | {"alpha": None, "tied": 0, "n_defined": 0}
    row |= dict(zip(CUT_COLUMNS, map(int, cuts[index]), strict=False))
    return row | {"alpha": alpha[index], "tied": tied, "n_defined": int(n_defined[index])}


def best_index(cuts: np.ndarray, criterion: np.ndarray) -> tuple[int | None, int]:
    """Index of the reported best cut, and how many cuts tie for it.

    Parameters
    ----------
    cuts : array of int, shape (C, thresholds)
        In lexicographic order.
    criterion : array of float, shape (C,)
        NaN where undefined.

    Returns
    -------
    index
        ``None`` where the criterion is undefined for every cut.
    tied
        Cuts within 1e-12 of the highest.
    """
    if np.isnan(criterion).all():
        return None, 0
    tied = np.flatnonzero(criterion >= np.nanmax(criterion) - TIED)
    # n times the distance to the centroid, in integers: equal distances must be equal
    points = cuts[tied].astype(np.int64)
    distance = ((points * len(tied) - points.sum(axis=0)) ** 2).sum(axis=1)
    return int(tied[np.argmin(distance)]), len(tied)


def top_cuts(found: CutSearch, reference: str | None = None, values: int = 10) -> pd.DataFrame:
    """How far each threshold ranges over the cuts with the highest α (han2019 Figures 6–9).

    Parameters
    ----------
    found
        α of C cuts for T topics.
    reference
        The reference's label, for the table.
    values
        How many of the highest distinct values of α are covered; all cuts that share one of
        them count, since cuts between the same two observed values have the same α.

    Returns
    -------
    DataFrame in schema ``top_cuts``, one row per topic (and ``*``) and threshold.
    """
    columns = [*zip(found.topics, found.alpha.T, strict=True), (ALL_TOPICS, found.single)]
    rows = []
    for topic, alpha in columns:
        covered = found.cuts[_highest(alpha, values)]
        for threshold, positions in zip(CUT_COLUMNS, covered.T, strict=False):
            row = {"topic": topic, "threshold": threshold, "n_cuts": len(positions)}
            if len(positions):
                quartiles = np.percentile(positions, [0, 25, 50, 75, 100])
                row |= dict(zip(("low", "q1", "median", "q3", "high"), quartiles, strict=True))
            rows.append(row)
    names = ["topic", "threshold", "n_cuts", "low", "q1", "median", "q3", "high"]
    frame = pd.DataFrame(rows, columns=names)
    frame.insert(0, "method", found.method)
    frame.insert(1, "reference", pd.Series([reference] * len(frame), dtype=object))
    frame.insert(4, "values", values)
    return frame


def _highest(alpha: np.ndarray, values: int) -> np.ndarray:
    """Indices of the cuts that share one of the highest `values` distinct values of α."""
    defined = np.flatnonzero(~np.isnan(alpha))
    ordered = np.sort(alpha[defined])[::-1]
    steps = np.flatnonzero(-np.diff(ordered) > TIED)  # last place of each distinct value
    lowest = ordered[steps[values - 1]] if len(steps) >= values else -np.inf
    return defined[alpha[defined] >= lowest]
