"""The best cuts: which they are, which cuts tie with them, and how far near-best ones spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS, columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import UNDEFINED
from regrade.compiled import njit
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


def _highest_tied(criterion: np.ndarray) -> np.ndarray:
    """Indices of the values within `TIED` of the highest; none where all are NaN."""
    highest = np.fmax.reduce(criterion, initial=-np.inf, dtype=np.float64)
    return np.flatnonzero(criterion >= highest - TIED)


def _runs(points: np.ndarray) -> np.ndarray:
    """The number of each point's run, from 1, the widest first; (n,) for points (n, axes)."""
    if len(points) == comb(int(np.ptp(points)) + 1, points.shape[1]):
        return np.ones(len(points), dtype=np.int64)  # all cuts from a place to another
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
    # by axis the first point that is not below the wanted one, which never comes before the last
    place = np.zeros(axes, dtype=np.int64)
    for p in range(1, n):
        for axis in range(axes):
            for other in range(axes):
                wanted[other] = points[p, other] - int(other == axis)
            low = place[axis]
            while low < p and _is_below(points[low], wanted):
                low += 1
            place[axis] = low
            if low < p and not _is_below(wanted, points[low]):
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
    return _best_table(search, _bests(search, (*search.topics, ALL_TOPICS)), reference)


def cut_tables(
    search: SearchMeans, reference: str | None = None, topics: Sequence[str] | None = None
) -> dict[str, pd.DataFrame]:
    """What is kept of a search beside its α: ``best_cuts``, ``tied_cuts`` and ``top_cuts``.

    Those are the best cuts (`best_cuts`), all cuts that share the best value, with the run that
    each is in, and how far each threshold ranges over the cuts with the highest values (han2019
    Figures 6–9); of some topics, or of all and of all together.
    """
    topics = (*search.topics, ALL_TOPICS) if topics is None else topics
    best = _bests(search, topics)
    return {
        "best_cuts": _best_table(search, best, reference),
        "tied_cuts": _tied_table(search, best, reference),
        "top_cuts": _top_table(search, topics, reference),
    }


def places_of(cuts: np.ndarray) -> np.ndarray:
    """The cuts as places of their thresholds among all that were tried; (C, levels - 1)."""
    return np.searchsorted(np.unique(cuts), cuts)


def _bests(search: SearchMeans, topics: Sequence[str]) -> dict[str, Best | None]:
    places = places_of(search.cuts)
    return {topic: best_of(places, search.criterion(topic)) for topic in topics}


def _best_table(
    search: SearchMeans, best: Mapping[str, Best | None], reference: str | None
) -> pd.DataFrame:
    others = {rule: make() if make else search for rule, make in search.others.items()}
    rows = []
    for topic, chosen in best.items():
        criterion = search.criterion(topic)
        if topic == ALL_TOPICS:
            n, n_defined, all_defined = len(search.topics), search.n_topics, False
            note = search.note or "; ".join(filter(None, [_of_left_out(search), search.grid]))
        else:
            t = search.topics.index(topic)
            n, n_defined = int(search.n[t]), search.n_defined[:, t]
            all_defined = not (n_defined < n).any()
            note = None if chosen else _why_none(search, t)
        row = _empty_row(topic, note or None) | {"n": n}
        if chosen is not None:
            cut = map(float, search.cuts[chosen.index])
            row |= dict(zip(CUT_COLUMNS, cut, strict=False)) | {"value": criterion[chosen.index]}
            row |= {"tied": len(chosen.tied), "runs": chosen.runs}
            row |= {"n_defined": int(n_defined[chosen.index])}
            for rule, other in others.items():
                of_rule = criterion if all_defined else other.criterion(topic)
                highest = np.max(of_rule, where=~np.isnan(of_rule), initial=-np.inf)
                row[f"other_if_{rule}"] = not of_rule[chosen.index] >= highest - TIED
        rows.append(row)
    if ALL_TOPICS in best:
        rows += [_empty_row(topic, why) for topic, why in search.left_out.items()]
    rows.sort(key=lambda row: (row["topic"] == ALL_TOPICS, row["topic"]))
    frame = pd.DataFrame(rows, columns=columns_of("cuts/best_cuts"))
    frame = frame.astype(dict.fromkeys((*CUT_COLUMNS, "value"), float))
    frame = frame.astype({f"other_if_{rule}": "boolean" for rule in UNDEFINED})
    return _named(frame, search, reference, "cuts/best_cuts")


def _empty_row(topic: str, note: str | None) -> dict:
    empty = dict.fromkeys(columns_of("cuts/best_cuts"))
    return empty | {"topic": topic, "note": note, "tied": 0, "runs": 0, "n_defined": 0, "n": 0}


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


def _tied_table(
    search: SearchMeans, best: Mapping[str, Best | None], reference: str | None
) -> pd.DataFrame:
    parts = []
    for topic, chosen in best.items():
        if chosen is not None:
            columns = dict(zip(CUT_COLUMNS, search.cuts[chosen.tied].T, strict=False))
            parts.append(pd.DataFrame({"topic": topic, "run": chosen.run} | columns))
    names = ["topic", "run", *CUT_COLUMNS]
    frame = pd.concat(parts) if parts else pd.DataFrame(columns=names)
    frame = frame.reindex(columns=names).astype(dict.fromkeys(CUT_COLUMNS, float))
    return _named(frame.reset_index(drop=True), search, reference, "cuts/tied_cuts")


def _top_table(search: SearchMeans, topics: Sequence[str], reference: str | None) -> pd.DataFrame:
    rows = []
    for topic in topics:
        covered = search.cuts[_highest(search.criterion(topic))]
        for threshold, positions in zip(CUT_COLUMNS, covered.T, strict=False):
            row = {"topic": topic, "threshold": threshold, "n_cuts": len(positions)}
            rows.append(row | (five_numbers(positions) if len(positions) else {}))
    names = ["topic", "threshold", "n_cuts", *FIVE]
    frame = pd.DataFrame(rows, columns=names).assign(values=TOP)
    return _named(frame, search, reference, "cuts/top_cuts")


def _named(
    frame: pd.DataFrame, search: SearchMeans, reference: str | None, schema: str
) -> pd.DataFrame:
    references = pd.Series([reference] * len(frame), dtype=object)
    return frame.assign(method=search.method, reference=references)[columns_of(schema)]


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


def concat(parts: Sequence[pa.Table]) -> pa.Table:
    """The rows of some parts of ``best_cuts``, ``tied_cuts`` or ``top_cuts``."""
    table = pa.concat_tables(parts).unify_dictionaries().combine_chunks()
    names, codes = encode(table["topic"])
    star = [names.index(ALL_TOPICS).as_py()]
    return table.take(np.argsort(np.where(np.isin(codes, star), len(names), codes), kind="stable"))


def unserved_cuts(reasons: Mapping[str, str]) -> pa.Table:
    """One row for each method that was not searched at all."""
    counts = dict.fromkeys(("tied", "runs", "n_defined", "n"), 0)
    rows = [
        {"method": method, "topic": ALL_TOPICS, "note": reason} | counts
        for method, reason in reasons.items()
    ]
    return pa.Table.from_pylist(rows, SCHEMAS["cuts/best_cuts"])


def all_cuts(
    parts: Mapping[str, Sequence[pd.DataFrame]], reasons: Mapping[str, str]
) -> dict[str, pd.DataFrame]:
    """The tables of all searches of a transformation, one after the other."""
    last = {"best_cuts": [unserved_cuts(reasons).to_pandas()] if reasons else []}
    empty = {name: SCHEMAS[f"cuts/{name}"].empty_table().to_pandas() for name in parts}
    return {
        name: pd.concat([empty[name], *tables, *last.get(name, [])], ignore_index=True)
        for name, tables in parts.items()
    }
