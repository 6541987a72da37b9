"""The cut explorer: a part of the report that finds the criteria of any cut as it is moved.

The page holds what `regrade.cutsearch.explorer` made of the judgments, packed, and finds α, nDCG
and τ_b by itself (``explorer-engine.js``): no server, no network.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

import numpy as np
import pandas as pd
import pyarrow as pa
from matplotlib import colormaps
from matplotlib.colors import to_hex

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.cutsearch.cut_scores import CutScores, scores_of_every_cut
from regrade.cutsearch.explorer import comparisons_of
from regrade.cutsearch.labels import of_search
from regrade.cutsearch.means import topics_needed
from regrade.cutsearch.search import SearchPlan
from regrade.cutsearch.system_tau import TAU, scores_by_topic
from regrade.cutsearch.thresholds import Thresholds
from regrade.errors import MethodError
from regrade.evaluations.tie_orders import TieOrders, tie_range
from regrade.kendall import tau_b
from regrade.measures import Measure, parse
from regrade.run_arrays import Judged, RankedLists
from regrade.scales import Scale
from regrade.tables import label_frame

MOST = 1_000_000
"""Comparisons of a search, and cuts, that a page takes."""

MOST_SCORES = 2_000_000
"""Numbers of which the scores of systems under all cuts are made, that a page takes."""

SHADES = 255
"""Steps of a criterion that the map of all cuts shows; numbers beside it are exact."""

Best = tuple[Sequence[int], float]
"""Places of a cut's thresholds, and the criterion there."""


@dataclass(frozen=True)
class ExploredSearch:
    """A search of cuts by one method.

    Attributes
    ----------
    label
        Its name, ``d2_at@NIST``.
    about
        What it compares, in words.
    comparisons
        See `regrade.cutsearch.explorer.comparisons_of`.
    topics
        All of its topics, sorted.
    unit_wise
        Whether α is found in units and averaged.
    needed
        How many topics a cut must be defined for to be the one for all.
    best
        Topic (``*`` for all) → places of the best cut's thresholds, and its value.
    every : array of float64, shape (C,)
        The criterion of the one cut for all topics, for every cut in lexicographic order.
    plateau : array of bool, shape (C,), or None
        Which cuts cannot be told from the best one; ``None`` where this was not asked.
    """

    label: str
    about: str
    comparisons: pd.DataFrame
    topics: Sequence[str]
    unit_wise: bool
    needed: int
    best: Mapping[str, Best]
    every: np.ndarray
    plateau: np.ndarray | None = None


@dataclass(frozen=True)
class ExploredSystems:
    """The systems whose ranking under a cut is compared with experts'.

    Attributes
    ----------
    names
        S systems.
    measure
        It ranks the systems.
    lookups
        How a cut's scores are found among those that `scores` is made of (see
        `regrade.measures.Measure.of_thresholds`), and for ``one`` which level it looks at.
    scores
        Of all systems under every cut.
    labels
        Every topic's documents with the number of thresholds that each exceeds: topic → docnos
        and codes.
    experts
        Name → topic → the systems' scores under that expert's labels.
    best
        Name of the expert → the cuts whose ranking is most like that expert's, as for a search.
    ties
        Name of the expert → the lowest and the highest τ_b of the best of these for all topics,
        over the usual orders of tied documents; NaN where none is tied.
    """

    names: Sequence[str]
    measure: str
    lookups: tuple[str | None, int]
    scores: CutScores
    labels: Mapping[str, tuple[Sequence[str], np.ndarray]]
    experts: Mapping[str, Mapping[str, np.ndarray]]
    best: Mapping[str, Mapping[str, Best]]
    ties: Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class Explored:
    """What the explorer of one transformation shows.

    Attributes
    ----------
    name
        Of the transformation, ``S100-to-4``.
    levels
        Of the target scale.
    metric, undefined
        Of α, and what an undefined α counts as.
    scale
        The source scale.
    thresholds
        Those that were searched.
    searches
        Of these the page finds α.
    start
        Places of the thresholds of the cut that is shown first, the recommended one; ``None``:
        levels of even widths.
    systems
        ``None`` where there is nothing to rank.
    left_out
        What the page cannot show, and why.
    """

    name: str
    levels: int
    metric: str
    undefined: str
    scale: Scale
    thresholds: Thresholds
    searches: Sequence[ExploredSearch]
    start: Sequence[int] | None = None
    systems: ExploredSystems | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)


def explored_search(
    plan: SearchPlan,
    reference: str | None,
    alpha: pd.DataFrame,
    best_cuts: pd.DataFrame,
    plateau: pd.DataFrame | None = None,
) -> ExploredSearch:
    """What the page shows of a search that was made."""
    if len(alpha) > MOST:
        raise MethodError(f"there are {len(alpha):,} cuts, and a page takes {MOST:,}")
    comparisons = comparisons_of(plan)
    if len(comparisons) > MOST:
        raise MethodError(f"it has {len(comparisons):,} comparisons, and a page takes {MOST:,}")
    method = plan.method
    best = _bests(best_cuts, method.name, reference, plan.thresholds)
    needed = topics_needed(plan.options.coverage, sum(topic != ALL_TOPICS for topic in best))
    return ExploredSearch(
        label=f"{method.name}@{reference}" if reference else method.name,
        about=method.summary,
        comparisons=comparisons,
        topics=[topic.topic for topic in plan.topics],
        unit_wise=method.unit_wise,
        needed=needed,
        best=best,
        every=alpha["mean"].where(alpha["n_topics"] >= needed).to_numpy(),
        plateau=_on_plateau(alpha, plateau, method.name, reference),
    )


def places_of_best(
    best_cuts: pd.DataFrame, method: str, reference: str | None, thresholds: Thresholds
) -> Sequence[int] | None:
    """Places of the thresholds of a search's best cut for all topics; ``None`` without one."""
    best = _bests(best_cuts, method, reference, thresholds)
    return best[ALL_TOPICS][0] if ALL_TOPICS in best else None


def _on_plateau(
    alpha: pd.DataFrame, plateau: pd.DataFrame | None, method: str, reference: str | None
) -> np.ndarray | None:
    """Which of all cuts are on the plateau of a search."""
    if plateau is None:
        return None
    rows = of_search(plateau, method, reference)
    if rows.empty:
        return None
    names = [name for name in CUT_COLUMNS if name in alpha]
    known = pd.MultiIndex.from_frame(rows[names].astype(float))
    return pd.MultiIndex.from_frame(alpha[names].astype(float)).isin(known)


def _bests(
    best_cuts: pd.DataFrame, method: str, reference: str | None, thresholds: Thresholds
) -> dict[str, Best]:
    """The best cuts of one search as places; topics without one are left out."""
    found = {}
    for row in of_search(best_cuts, method, reference).to_dict("records"):
        cut = [row[name] for name in CUT_COLUMNS if pd.notna(row[name])]
        if cut:
            found[str(row["topic"])] = (np.searchsorted(thresholds.values, cut), row["value"])
    return found


def explored_systems(
    ranked: RankedLists,
    labels: pa.Table,
    experts: Mapping[str, tuple[pa.Table, float | None]],
    thresholds: Thresholds,
    levels: int,
    measure: str | Measure,
    best_cuts: pd.DataFrame,
    score_precision: str = "float64",
) -> ExploredSystems:
    """What the page needs to rank systems under any cut."""
    measure = parse(measure)
    judged = Judged.from_table(labels, ranked)
    scores = scores_of_every_cut(ranked, judged, measure, thresholds, levels)
    if scores.parts.size > MOST_SCORES:
        raise MethodError(
            f"the scores by {measure} under all cuts are made of {scores.parts.size:,} numbers, "
            f"and a page takes {MOST_SCORES:,}"
        )
    scored = {
        name: scores_by_topic(ranked, qrels, measure, highest)
        for name, (qrels, highest) in experts.items()
    }
    kind = measure.of_thresholds(levels)
    best = {name: _bests(best_cuts, TAU, name, thresholds) for name in experts}
    orders = TieOrders.of(ranked, score_precision)
    ties = {}
    for name, expert in experts.items():
        ties[name] = np.nan, np.nan
        if ALL_TOPICS in best[name]:
            places, value = best[name][ALL_TOPICS]
            cut = _cut(labels, thresholds.values[places]), float(levels - 1)
            ties[name] = _tie_range(value, (cut, expert), ranked, orders, measure)
    return ExploredSystems(
        names=ranked.systems,
        measure=str(measure),
        lookups=(kind, ceil(measure["rel"]) - 1 if kind == "one" else 0),
        scores=scores,
        labels=_coded_labels(labels, judged.topics, thresholds),
        experts=scored,
        best=best,
        ties=ties,
    )


def _cut(labels: pa.Table, cut: np.ndarray) -> pa.Table:
    """Labels as levels under a cut."""
    grades = np.searchsorted(cut, labels["grade"].to_numpy(), side="left").astype(float)
    return labels.set_column(labels.column_names.index("grade"), "grade", pa.array(grades))


def _tie_range(
    value: float,
    sides: Sequence[tuple[pa.Table, float | None]],
    ranked: RankedLists,
    orders: TieOrders,
    measure: Measure,
) -> tuple[float, float]:
    """What the order of tied documents makes of τ_b under two sets of labels, on shared topics."""
    judged = [Judged.from_table(table, ranked) for table, _ in sides]
    shared = sorted(set(judged[0].topics) & set(judged[1].topics))
    under = [
        [scores[:, :, 0] for scores in orders.scores(one, [measure], high, shared)]
        for one, (_, high) in zip(judged, sides, strict=True)
    ]
    return tie_range(value, *under, tau_b)


def _coded_labels(
    labels: pa.Table, topics: Sequence[str], thresholds: Thresholds
) -> dict[str, tuple[list[str], np.ndarray]]:
    """Docnos and codes of each topic, in the topics' order."""
    frame = label_frame(labels)
    frame["code"] = thresholds.codes(frame["grade"].to_numpy())
    known = dict(list(frame.groupby("topic")))
    return {topic: (known[topic]["docno"].tolist(), known[topic]["code"]) for topic in topics}


class Buffer:
    """Arrays one after the other, each at a multiple of eight bytes."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.length = 0
        self.arrays: list[tuple[str, int, int]] = []

    def add(self, values: Sequence[float] | np.ndarray, kind: str | None = None) -> int:
        """Put an array into the buffer; where it stands in `arrays`."""
        values = np.asarray(values)
        values = np.ascontiguousarray(values, dtype=f"<{kind or _smallest(values)}")
        data = values.tobytes()
        self.arrays.append((values.dtype.str[-2:], self.length, len(values)))
        padding = -len(data) % 8
        self.parts.append(data + bytes(padding))
        self.length += len(data) + padding
        return len(self.arrays) - 1

    def with_page(self, page: Mapping) -> str:
        """A page's data as JSON for a script, with all of this, deflated."""
        data = base64.b64encode(zlib.compress(b"".join(self.parts), 9)).decode("ascii")
        page = {**page, "arrays": self.arrays, "data": data}
        return json.dumps(page, ensure_ascii=True).replace("<", "\\u003c")


def _smallest(values: np.ndarray) -> str:
    """The smallest type of whole numbers that holds them."""
    highest = int(values.max(initial=0))
    return "u1" if highest < 1 << 8 else "u2" if highest < 1 << 16 else "i4"


def packed(explored: Explored) -> str:
    """The explorer's data as JSON that can stand within a ``script`` element."""
    buffer = Buffer()
    page = {
        "name": explored.name,
        "palette": [to_hex(color) for color in colormaps["cividis"](np.linspace(0, 1, SHADES + 1))],
        "levels": explored.levels,
        "metric": explored.metric,
        "undefined": explored.undefined,
        "thresholds": explored.thresholds.values.tolist(),
        "scale": [float(explored.scale.low), float(explored.scale.high)],
        "leftOut": dict(explored.left_out),
        "named": _named_cuts(explored),
        "start": None if explored.start is None else [int(place) for place in explored.start],
        "searches": [_packed_search(search, buffer) for search in explored.searches],
        "systems": explored.systems and _packed_systems(explored.systems, buffer),
    }
    return buffer.with_page(page)


def _named_cuts(explored: Explored) -> dict[str, list[int]]:
    """Cuts that people may want to see whatever the best ones are."""
    ends = np.linspace(explored.scale.low, explored.scale.high, explored.levels + 1)[1:-1]
    places = np.searchsorted(explored.thresholds.values, ends, side="right") - 1
    rising = (np.diff(places, prepend=-1) > 0).all()
    return {"levels of equal width": places.tolist()} if rising else {}


def _packed_search(search: ExploredSearch, buffer: Buffer) -> dict:
    known = dict(list(search.comparisons.groupby(search.comparisons["topic"].astype(str))))
    nothing = search.comparisons.iloc[:0]
    topics = [_packed_topic(known.get(topic, nothing), buffer) for topic in search.topics]
    lowest, highest = _ends(search.every)
    return {
        "label": search.label,
        "about": search.about,
        "unitWise": search.unit_wise,
        "within": search.label.startswith("tw1"),
        "needed": search.needed,
        "names": list(search.topics),
        "topics": topics,
        "best": _packed_best(search.best),
        "shades": buffer.add(_shades(search.every, lowest, highest), "u1"),
        "ends": [lowest, highest],
        "plateau": None if search.plateau is None else buffer.add(search.plateau, "u1"),
    }


def _packed_best(best: Mapping[str, Best]) -> dict:
    return {
        topic: {"cut": list(map(int, cut)), "value": float(value)}
        for topic, (cut, value) in best.items()
    }


def _packed_range(ends: tuple[float, float]) -> list[float] | None:
    return None if np.isnan(ends[0]) else [float(end) for end in ends]


def _packed_topic(rows: pd.DataFrame, buffer: Buffer) -> dict:
    rows = rows.sort_values("unit", kind="stable")
    starts = np.flatnonzero(np.diff(rows["unit"].to_numpy(), prepend=-1))
    fixed = bool((rows["level"] >= 0).any())
    first = buffer.add(rows["first_low"])
    same = (rows["first_low"] == rows["first_high"]).all()
    topic = {
        "fixed": fixed,
        "offsets": buffer.add(np.append(starts, len(rows))),
        "firstLow": first,
        "firstHigh": first if same else buffer.add(rows["first_high"]),
    }
    if fixed:
        return topic | {"level": buffer.add(rows["level"])}
    if (rows["low"] < 0).any():  # all values of each document are compared
        return topic
    low = buffer.add(rows["low"])
    same = (rows["low"] == rows["high"]).all()
    return topic | {"low": low, "high": low if same else buffer.add(rows["high"])}


def _ends(every: np.ndarray) -> tuple[float, float]:
    known = every[~np.isnan(every)]
    return (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)


def _shades(every: np.ndarray, lowest: float, highest: float) -> np.ndarray:
    """The criterion in `SHADES` steps, from 1; 0 where there is none."""
    span = highest - lowest or 1.0
    steps = 1 + np.round((every - lowest) / span * (SHADES - 1))
    return np.where(np.isnan(every), 0, steps)


def _packed_systems(systems: ExploredSystems, buffer: Buffer) -> dict:
    scores = systems.scores
    kind, level = systems.lookups
    # which part serves a threshold, where the measure looks at one of them
    part = np.zeros(int(scores.cuts.max()) + 1)
    if kind == "one" and level < scores.cuts.shape[1]:
        part[scores.cuts[:, level]] = scores.lookups[:, 0]
    return {
        "names": list(systems.names),
        "measure": systems.measure,
        "lookups": {"kind": kind, "level": level, "part": buffer.add(part)},
        "weights": scores.weights.tolist(),
        "parts": buffer.add(scores.parts.ravel(), "f8"),
        "count": scores.parts.shape[1],
        "ideal": None if scores.ideal is None else buffer.add(scores.ideal.ravel(), "f8"),
        "topics": [
            {"name": topic, "docnos": list(docnos), "labels": buffer.add(codes)}
            for topic, (docnos, codes) in systems.labels.items()
        ],
        "experts": [
            {
                "name": name,
                "topics": sorted(scored),
                "best": _packed_best(systems.best[name]),
                "ties": _packed_range(systems.ties[name]),
                "scores": buffer.add(_by_topic(scored), "f8"),
            }
            for name, scored in systems.experts.items()
        ],
    }


def _by_topic(scores: Mapping[str, np.ndarray]) -> np.ndarray:
    return np.concatenate([np.empty(0), *(scores[topic] for topic in sorted(scores))])
