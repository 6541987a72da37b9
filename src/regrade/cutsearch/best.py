"""The best cuts: which they are, which cuts tie with them, and how far near-best ones spread."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numba import njit

from regrade.choices import UNDEFINED
from regrade.cutsearch.search import CutSearch
from regrade.schemas import ALL_TOPICS, CUT_COLUMNS, SCHEMAS

TIED = 1e-12
"""Cuts whose criterion is this near the best share it."""

SHOWN = 5
"""How many of the topics that were left out a note names."""


@dataclass(frozen=True)
class Best:
    """The cuts that share the highest value of a criterion.

    Attributes
    ----------
    index
        The reported cut: the middle of the widest run.
    tied : array of int, shape (n,)
        Indices of all cuts within 1e-12 of the highest value, ascending.
    run : array of int, shape (n,)
        The run of each, from 1; the widest first, of equally wide ones the lexicographically
        first.
    """

    index: int
    tied: np.ndarray
    run: np.ndarray

    @property
    def runs(self) -> int:
        """Number of runs."""
        return int(self.run.max())


def best_of(cuts: np.ndarray, criterion: np.ndarray) -> Best | None:
    """The best cut by a criterion, and all that tie with it.

    A run is a set of tied cuts that are connected: one can go from each to each by moving one
    threshold by one place of the scale at a time, over tied cuts only.  With one threshold
    that is consecutive thresholds; with several, all cuts between the same values form one.
    The widest run has the most cuts; its middle is the one nearest its centroid, then the
    lexicographically first.

    Parameters
    ----------
    cuts : array of int, shape (C, thresholds)
        Places of the thresholds, in lexicographic order.
    criterion : array of float, shape (C,)
        NaN where a cut cannot be chosen.

    Returns
    -------
    Best or None
        ``None`` where no cut can be chosen.
    """
    tied = _highest_tied(criterion)
    if not len(tied):
        return None
    if len(tied) == 1:
        return Best(int(tied[0]), tied, np.ones(1, dtype=np.int64))
    points = cuts[tied].astype(np.int64)
    run = _runs(points)
    widest = tied[run == 1]
    points = points[run == 1]
    # n times the distance to the centroid, in integers: equal distances must be equal
    distance = ((points * len(points) - points.sum(axis=0)) ** 2).sum(axis=1)
    return Best(int(widest[np.argmin(distance)]), tied, run)


def best_index(cuts: np.ndarray, criterion: np.ndarray) -> int:
    """The index of the best cut; −1 where no cut can be chosen.  See `best_of`."""
    best = best_of(cuts, criterion)
    return -1 if best is None else best.index


@njit(cache=True, nogil=True)
def _highest_tied(criterion):
    """Indices of the values within `TIED` of the highest; none where all are NaN."""
    highest = -np.inf
    for value in criterion:
        if value > highest:
            highest = value
    return np.flatnonzero(criterion >= highest - TIED)


def _runs(points: np.ndarray) -> np.ndarray:
    """The number of each point's run, from 1, the widest first; (n,) for points (n, axes)."""
    label = _connected(points)
    # points are in lexicographic order: a run's first point says which of two comes first
    _, first, label, size = np.unique(
        label, return_index=True, return_inverse=True, return_counts=True
    )
    number = np.empty(len(size), dtype=np.int64)
    number[np.lexsort((first, -size))] = np.arange(1, len(size) + 1)
    return number[label]


@njit(cache=True, nogil=True)
def _connected(points):
    """The first point that each of the (n, axes) points is connected with; they are sorted."""
    n, axes = points.shape
    parent = np.arange(n)
    wanted = np.empty(axes, dtype=np.int64)
    for p in range(1, n):
        for axis in range(axes):
            wanted[:] = points[p]
            wanted[axis] -= 1
            low, high = 0, p
            while low < high:  # the first of the points before it that is not below
                middle = (low + high) // 2
                if _is_below(points[middle], wanted):
                    low = middle + 1
                else:
                    high = middle
            if low < p and (points[low] == wanted).all():
                a, b = _root(parent, low), _root(parent, p)
                parent[max(a, b)] = min(a, b)
    for p in range(n):
        parent[p] = _root(parent, p)
    return parent


@njit(cache=True, nogil=True, inline="always")
def _root(parent, p):
    while parent[p] != p:
        parent[p] = parent[parent[p]]
        p = parent[p]
    return p


@njit(cache=True, nogil=True, inline="always")
def _is_below(point, other):
    """Whether a point comes before another in lexicographic order."""
    for axis in range(point.shape[0]):
        if point[axis] != other[axis]:
            return point[axis] < other[axis]
    return False


def best_cuts(found: CutSearch, reference: str | None = None) -> pd.DataFrame:
    """The best cut of each topic, and the one cut for all topics.

    The best cut has the highest value among the cuts that rest on at least half of the topic's
    units; see `best_of` for the one that is reported of several.  The one cut for all topics
    has the highest mean of the topics' values (see `CutSearch.of_topics`).

    Parameters
    ----------
    found
        A criterion of C cuts for T topics.
    reference
        The reference's label, for the table.

    Returns
    -------
    DataFrame in schema ``best_cuts``: one row for each of the source's topics, that for all
    topics (``*``) last.
    """
    best = _best_of_topics(found)
    rows = {topic: _row(found, topic, best[topic]) for topic in best}
    rows |= {topic: _empty_row(topic, note) for topic, note in found.left_out.items()}
    for rule, under in found.others.items():
        for topic, differs in _differing(found, under, best).items():
            rows[topic][f"other_if_{rule}"] = differs
    return _labelled([rows[topic] for topic in _last(rows)], found.method, reference)


def tied_cuts(found: CutSearch, reference: str | None = None) -> pd.DataFrame:
    """All cuts that share the best value, with the run that each is in.

    Parameters
    ----------
    found, reference
        As in `best_cuts`.

    Returns
    -------
    DataFrame in schema ``tied_cuts``, sorted by topic (``*`` last) and cut.
    """
    parts = []
    for topic, best in _best_of_topics(found).items():
        if best is not None:
            columns = dict(zip(CUT_COLUMNS, found.cuts[best.tied].T, strict=False))
            parts.append(pd.DataFrame({"topic": topic, "run": best.run} | columns))
    names = ["topic", "run", *CUT_COLUMNS]
    frame = pd.concat(parts) if parts else pd.DataFrame(columns=names)
    frame = frame.reindex(columns=names).astype(dict.fromkeys(CUT_COLUMNS, float))
    return _named(frame.reset_index(drop=True), found.method, reference, "cuts/tied_cuts")


def _best_of_topics(found: CutSearch) -> dict[str, Best | None]:
    places = found.places
    topics = (*found.topics, ALL_TOPICS)
    return {topic: best_of(places, found.criterion(topic)) for topic in topics}


def _empty_row(topic: str, note: str | None) -> dict:
    empty = dict.fromkeys(SCHEMAS["cuts/best_cuts"].names)
    return empty | {"topic": topic, "note": note, "tied": 0, "runs": 0, "n_defined": 0, "n": 0}


def _row(found: CutSearch, topic: str, best: Best | None) -> dict:
    if topic == ALL_TOPICS:
        n_defined, n = found.n_topics, len(found.topics)
        note = found.note or "; ".join(filter(None, [_of_left_out(found), found.grid])) or None
    else:
        t = found.topics.index(topic)
        n_defined, n = found.n_defined[:, t], found.n[t]
        note = None if best else _why_none(found, t)
    row = _empty_row(topic, note) | {"n": int(n)}
    if best is None:
        return row
    row |= dict(zip(CUT_COLUMNS, map(float, found.cuts[best.index]), strict=False))
    return row | {
        "value": found.criterion(topic)[best.index],
        "tied": len(best.tied),
        "runs": best.runs,
        "n_defined": int(n_defined[best.index]),
    }


def _why_none(found: CutSearch, t: int) -> str:
    """Why a topic has no best cut."""
    if found.n[t] == 0:
        return "nothing to compare"
    if np.isnan(found.values[:, t]).all():
        return "undefined for every cut"
    most = found.n_defined[:, t].max()
    return f"no cut is defined for half of the {found.n[t]} units, the best for {most}"


def _of_left_out(found: CutSearch) -> str | None:
    """How many topics were left out, and why."""
    if not found.left_out:
        return None
    parts = []
    for reason in sorted(set(found.left_out.values())):
        names = sorted(topic for topic, why in found.left_out.items() if why == reason)
        shown = ", ".join(names[:SHOWN]) + (", …" if len(names) > SHOWN else "")
        parts.append(f"left out {len(names)} topics ({shown}): {reason}")
    return "; ".join(parts)


def _differing(
    found: CutSearch, under: Callable[[], CutSearch], best: dict[str, Best | None]
) -> dict[str, bool]:
    """For each topic that has a cut, whether it is not among the best under another rule."""
    other = under() if (found.n_defined < found.n).any() else found
    differing = {}
    for topic, chosen in best.items():
        if chosen is not None:
            criterion = other.criterion(topic)
            differing[topic] = not criterion[chosen.index] >= np.nanmax(criterion) - TIED
    return differing


def _last(topics: Iterable[str]) -> list[str]:
    """Topics sorted by name, `ALL_TOPICS` last."""
    return sorted(topics, key=lambda topic: (topic == ALL_TOPICS, topic))


def _labelled(rows: list[dict], method: str, reference: str | None) -> pd.DataFrame:
    """Rows of ``best_cuts`` with their method and reference."""
    frame = pd.DataFrame(rows).astype(dict.fromkeys(CUT_COLUMNS, float))
    frame = frame.astype({f"other_if_{rule}": "boolean" for rule in UNDEFINED})
    frame["value"] = frame["value"].astype(float)
    return _named(frame, method, reference, "cuts/best_cuts")


def _named(frame: pd.DataFrame, method: str, reference: str | None, schema: str) -> pd.DataFrame:
    references = pd.Series([reference] * len(frame), dtype=object)
    frame = frame.assign(method=method, reference=references)
    return frame[SCHEMAS[schema].names]


def top_cuts(found: CutSearch, reference: str | None = None, values: int = 10) -> pd.DataFrame:
    """How far each threshold ranges over the cuts with the highest values (han2019 Figures 6–9).

    Parameters
    ----------
    found
        A criterion of C cuts for T topics.
    reference
        The reference's label, for the table.
    values
        How many of the highest distinct values are covered; all cuts that share one of them
        count, since cuts between the same two observed values have the same α.

    Returns
    -------
    DataFrame in schema ``top_cuts``, one row per topic (and ``*``) and threshold.
    """
    rows = []
    for topic in (*found.topics, ALL_TOPICS):
        covered = found.cuts[_highest(found.criterion(topic), values)]
        for threshold, positions in zip(CUT_COLUMNS, covered.T, strict=False):
            row = {"topic": topic, "threshold": threshold, "n_cuts": len(positions)}
            if len(positions):
                quartiles = np.percentile(positions, [0, 25, 50, 75, 100])
                row |= dict(zip(("low", "q1", "median", "q3", "high"), quartiles, strict=True))
            rows.append(row)
    names = ["topic", "threshold", "n_cuts", "low", "q1", "median", "q3", "high"]
    frame = pd.DataFrame(rows, columns=names).assign(values=values)
    return _named(frame, found.method, reference, "cuts/top_cuts")


def _highest(criterion: np.ndarray, values: int) -> np.ndarray:
    """Indices of the cuts that share one of the highest `values` distinct values."""
    defined = np.flatnonzero(~np.isnan(criterion))
    ordered = np.sort(criterion[defined])[::-1]
    steps = np.flatnonzero(-np.diff(ordered) > TIED)  # last place of each distinct value
    lowest = ordered[steps[values - 1]] if len(steps) >= values else -np.inf
    return defined[criterion[defined] >= lowest]


def cut_tables(found: CutSearch, reference: str | None, top: int) -> dict[str, pd.DataFrame]:
    """What is kept of a search beside its α: ``best_cuts``, ``tied_cuts`` and ``top_cuts``.

    Parameters
    ----------
    found, reference
        As for `best_cuts`.
    top
        As for `top_cuts`.
    """
    return {
        "best_cuts": best_cuts(found, reference),
        "tied_cuts": tied_cuts(found, reference),
        "top_cuts": top_cuts(found, reference, top),
    }
