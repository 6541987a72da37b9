"""The best cuts: which they are, which cuts tie with them, and how far near-best ones spread."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
from numba import njit

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS, columns_of
from regrade.choices import UNDEFINED
from regrade.cutsearch.search import CutSearch, SearchMeans
from regrade.percentiles import FIVE, five_numbers
from regrade.tables import encode
from regrade.wording import counted, first_few

TIED = 1e-12
"""Cuts whose criterion is this near the best share it."""

TOP = 10
"""How many of the highest values of α the ranges of near-best cuts cover."""

MANY = 4096
"""Of the highest values, how many are looked at first: most often they hold `TOP` distinct ones."""


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


def best_cuts(search: CutSearch, reference: str | None = None) -> pd.DataFrame:
    """The best cut of each topic, and the one cut for all topics.

    The best cut has the highest value among the cuts that rest on at least half of the topic's
    units; see `best_of` for the one that is reported of several.  The one cut for all topics
    has the highest mean of the topics' values (see `CutSearch.of_topics`).
    """
    rows = _rows_of_topics(search, _best_of_topics(search)) + _rows_over_topics(
        search, _best(search)
    )
    rows = sorted(rows, key=lambda row: (row["topic"] == ALL_TOPICS, row["topic"]))
    return _labelled(rows, search.method, reference)


def tied_cuts(search: CutSearch, reference: str | None = None) -> pd.DataFrame:
    """All cuts that share the best value, with the run that each is in."""
    best = _best_of_topics(search) | {ALL_TOPICS: _best(search)}
    return _tied(search.cuts, best, search.method, reference)


def _tied(
    cuts: np.ndarray, best: Mapping[str, Best | None], method: str, reference: str | None
) -> pd.DataFrame:
    parts = []
    for topic, of_topic in best.items():
        if of_topic is not None:
            columns = dict(zip(CUT_COLUMNS, cuts[of_topic.tied].T, strict=False))
            parts.append(pd.DataFrame({"topic": topic, "run": of_topic.run} | columns))
    names = ["topic", "run", *CUT_COLUMNS]
    frame = pd.concat(parts) if parts else pd.DataFrame(columns=names)
    frame = frame.reindex(columns=names).astype(dict.fromkeys(CUT_COLUMNS, float))
    return _named(frame.reset_index(drop=True), method, reference, "cuts/tied_cuts")


def places_of(cuts: np.ndarray) -> np.ndarray:
    """The cuts as places of their thresholds among all that were tried; (C, levels - 1)."""
    return np.searchsorted(np.unique(cuts), cuts)


def _best_of_topics(search: CutSearch) -> dict[str, Best | None]:
    places = places_of(search.cuts)
    return {topic: best_of(places, search.criterion(topic)) for topic in search.topics}


def _best(over: SearchMeans) -> Best | None:
    return best_of(places_of(over.cuts), over.single)


def _empty_row(topic: str, note: str | None) -> dict:
    empty = dict.fromkeys(columns_of("cuts/best_cuts"))
    return empty | {"topic": topic, "note": note, "tied": 0, "runs": 0, "n_defined": 0, "n": 0}


def _rows_of_topics(search: CutSearch, best: Mapping[str, Best | None]) -> list[dict]:
    """A row for each topic that was searched."""
    some_undefined = (search.n_defined < search.n).any()
    under = {rule: make() if some_undefined else search for rule, make in search.others.items()}
    rows = []
    for t, topic in enumerate(search.topics):
        chosen, criterion = best[topic], search.criterion(topic)
        row = _empty_row(topic, None if chosen else _why_none(search, t)) | {"n": int(search.n[t])}
        if chosen is not None:
            row |= _of_best(chosen, search.cuts, criterion, search.n_defined[:, t])
            all_defined = not (search.n_defined[:, t] < search.n[t]).any()
            for rule, other in under.items():
                of_rule = criterion if all_defined else other.criterion(topic)
                row[f"other_if_{rule}"] = _differs(chosen, of_rule)
        rows.append(row)
    return rows


def _rows_over_topics(over: SearchMeans, best: Best | None) -> list[dict]:
    """The row for all topics, and those of topics that were left out."""
    note = over.note or "; ".join(filter(None, [_of_left_out(over), over.grid])) or None
    row = _empty_row(ALL_TOPICS, note) | {"n": len(over.topics)}
    if best is not None:
        row |= _of_best(best, over.cuts, over.single, over.n_topics)
        for rule, single in over.singles.items():
            row[f"other_if_{rule}"] = _differs(best, single())
    return [row, *(_empty_row(topic, why) for topic, why in over.left_out.items())]


def _of_best(best: Best, cuts: np.ndarray, criterion: np.ndarray, n_defined: np.ndarray) -> dict:
    """What a row says of the cut."""
    return dict(zip(CUT_COLUMNS, map(float, cuts[best.index]), strict=False)) | {
        "value": criterion[best.index],
        "tied": len(best.tied),
        "runs": best.runs,
        "n_defined": int(n_defined[best.index]),
    }


def _why_none(search: CutSearch, t: int) -> str:
    """Why a topic has no best cut."""
    if search.n[t] == 0:
        return "nothing to compare"
    if np.isnan(search.values[:, t]).all():
        return "undefined for every cut"
    most = search.n_defined[:, t].max()
    return f"no cut is defined for half of the {search.n[t]} units, the best for {most}"


def _of_left_out(over: SearchMeans) -> str | None:
    """How many topics were left out, and why."""
    if not over.left_out:
        return None
    parts = []
    for reason in sorted(set(over.left_out.values())):
        names = sorted(topic for topic, why in over.left_out.items() if why == reason)
        parts.append(f"left out {counted(len(names), 'topic')} ({first_few(names)}): {reason}")
    return "; ".join(parts)


def _differs(best: Best, other: np.ndarray) -> bool:
    """Whether a cut is not among the best by another rule's criterion."""
    highest = np.max(other, where=~np.isnan(other), initial=-np.inf)
    return not other[best.index] >= highest - TIED


def _labelled(rows: list[dict], method: str, reference: str | None) -> pd.DataFrame:
    """Rows of ``best_cuts`` with their method and reference."""
    frame = pd.DataFrame(rows, columns=columns_of("cuts/best_cuts"))
    frame = frame.astype(dict.fromkeys(CUT_COLUMNS, float))
    frame = frame.astype({f"other_if_{rule}": "boolean" for rule in UNDEFINED})
    frame["value"] = frame["value"].astype(float)
    return _named(frame, method, reference, "cuts/best_cuts")


def _named(frame: pd.DataFrame, method: str, reference: str | None, schema: str) -> pd.DataFrame:
    references = pd.Series([reference] * len(frame), dtype=object)
    frame = frame.assign(method=method, reference=references)
    return frame[columns_of(schema)]


def top_cuts(search: CutSearch, reference: str | None = None) -> pd.DataFrame:
    """How far each threshold ranges over the cuts with the highest values (han2019 Figures 6–9)."""
    topics = (*search.topics, ALL_TOPICS)
    criteria = ((topic, search.criterion(topic)) for topic in topics)  # one at a time
    return _top(search.cuts, criteria, search.method, reference)


def _top(
    cuts: np.ndarray,
    criteria: Iterable[tuple[str, np.ndarray]],
    method: str,
    reference: str | None,
) -> pd.DataFrame:
    rows = []
    for topic, criterion in criteria:
        covered = cuts[_highest(criterion)]
        for threshold, positions in zip(CUT_COLUMNS, covered.T, strict=False):
            row = {"topic": topic, "threshold": threshold, "n_cuts": len(positions)}
            if len(positions):
                row |= five_numbers(positions)
            rows.append(row)
    names = ["topic", "threshold", "n_cuts", *FIVE]
    frame = pd.DataFrame(rows, columns=names).assign(values=TOP)
    return _named(frame, method, reference, "cuts/top_cuts")


def _highest(criterion: np.ndarray) -> np.ndarray:
    """Indices of the cuts that share one of the highest `TOP` distinct values."""
    defined = np.flatnonzero(~np.isnan(criterion))
    values = criterion[defined]
    for few in (min(MANY, len(values)), len(values)):
        ordered = np.sort(np.partition(values, len(values) - few)[len(values) - few :])[::-1]
        steps = np.flatnonzero(-np.diff(ordered) > TIED)  # last place of each distinct value
        if len(steps) >= TOP:
            return defined[values >= ordered[steps[TOP - 1]]]
    return defined


def cut_tables(search: CutSearch, reference: str | None) -> dict[str, pd.DataFrame]:
    """What is kept of a search beside its α: ``best_cuts``, ``tied_cuts`` and ``top_cuts``."""
    return {
        "best_cuts": best_cuts(search, reference),
        "tied_cuts": tied_cuts(search, reference),
        "top_cuts": top_cuts(search, reference),
    }


def tables_of_topics(search: CutSearch, reference: str | None) -> dict[str, pd.DataFrame]:
    """Of `cut_tables` what concerns single topics that were searched."""
    best = _best_of_topics(search)
    criteria = ((topic, search.criterion(topic)) for topic in search.topics)  # one at a time
    return {
        "best_cuts": _labelled(_rows_of_topics(search, best), search.method, reference),
        "tied_cuts": _tied(search.cuts, best, search.method, reference),
        "top_cuts": _top(search.cuts, criteria, search.method, reference),
    }


def tables_over_topics(over: SearchMeans, reference: str | None) -> dict[str, pd.DataFrame]:
    """Of `cut_tables` what concerns all topics together, and topics that were left out."""
    best = _best(over)
    single = [(ALL_TOPICS, over.single)]
    return {
        "best_cuts": _labelled(_rows_over_topics(over, best), over.method, reference),
        "tied_cuts": _tied(over.cuts, {ALL_TOPICS: best}, over.method, reference),
        "top_cuts": _top(over.cuts, single, over.method, reference),
    }


def concat(parts: Sequence[pa.Table]) -> pa.Table:
    """The rows of some parts of ``best_cuts``, ``tied_cuts`` or ``top_cuts``."""
    table = pa.concat_tables(parts).unify_dictionaries().combine_chunks()
    names, codes = encode(table["topic"])
    star = [names.index(ALL_TOPICS).as_py()]
    return table.take(np.argsort(np.where(np.isin(codes, star), len(names), codes), kind="stable"))
