"""The data of the cut explorer, a part of the report that finds the criteria of any cut.

The page holds what `regrade.cutsearch.explorer` made of the judgments, packed, and finds α, nDCG
and τ_b by itself as a cut is moved (``show/explorer-engine.js``): no server, no network.  What is
packed of each search, and of the systems, goes into one buffer and is JSON beside it; arrays stand
there by their places in the buffer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

import numpy as np
import pandas as pd
import pyarrow as pa
from matplotlib import colormaps
from matplotlib.colors import to_hex

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.cutsearch.cut_scores import scores_of_every_cut
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
from regrade.packing import Buffer
from regrade.run_arrays import Judged, RankedLists
from regrade.scales import Scale
from regrade.tables import label_frame

MOST = 1_000_000
"""Comparisons of a search, and cuts, that a page takes."""

MOST_SCORES = 2_000_000
"""Numbers of which the scores of systems under all cuts are made, that a page takes."""

SHADES = 255
"""Steps of a criterion that the map of all cuts shows; numbers beside it are exact."""


def packed_page(
    buffer: Buffer,
    searches: Sequence[dict],
    systems: dict | None,
    *,
    name: str,
    levels: int,
    metric: str,
    undefined: str,
    scale: Scale,
    thresholds: Thresholds,
    start: Sequence[int] | None = None,
    left_out: Mapping[str, str] | None = None,
) -> str:
    """The explorer's data as JSON that can stand within a ``script`` element.

    Parameters
    ----------
    buffer
        What `searches` and `systems` are packed into.
    searches, systems
        See `packed_search` and `packed_systems`; ``None`` where there is nothing to rank.
    name, levels, metric, undefined, scale, thresholds
        The transformation, ``S100-to-4``: levels of the target scale, metric of α and what an
        undefined α counts as, the source scale, the thresholds that were searched.
    start
        Places of the thresholds of the cut that is shown first, the recommended one; ``None``:
        levels of even widths.
    left_out
        What the page cannot show, and why.
    """
    has_end = bool(np.isfinite(scale.high))
    ends = np.linspace(scale.low, scale.high if has_end else scale.low, levels + 1)[1:-1]
    even = np.searchsorted(thresholds.values, ends, side="right") - 1
    rising = has_end and (np.diff(even, prepend=-1) > 0).all()
    page = {
        "name": name,
        "palette": [to_hex(color) for color in colormaps["cividis"](np.linspace(0, 1, SHADES + 1))],
        "levels": levels,
        "metric": metric,
        "undefined": undefined,
        "thresholds": thresholds.values.tolist(),
        "scale": [float(scale.low), float(scale.high) if has_end else None],
        "leftOut": dict(left_out or {}),
        "named": {"levels of equal width": even.tolist()} if rising else {},
        "start": None if start is None else [int(place) for place in start],
        "searches": searches,
        "systems": systems,
    }
    return buffer.with_page(page)


def packed_search(
    buffer: Buffer,
    plan: SearchPlan,
    reference: str | None,
    alpha: pd.DataFrame,
    best_cuts: pd.DataFrame,
    plateau: pd.DataFrame | None = None,
) -> dict:
    """What the page shows of a search that was made; `plateau` where it was asked for."""
    if len(alpha) > MOST:
        raise MethodError(f"there are {len(alpha):,} cuts, and a page takes {MOST:,}")
    comparisons = comparisons_of(plan)
    if len(comparisons) > MOST:
        raise MethodError(f"it has {len(comparisons):,} comparisons, and a page takes {MOST:,}")
    method = plan.method
    best = bests(best_cuts, method.name, reference, plan.thresholds)
    needed = topics_needed(plan.options.coverage, sum(topic != ALL_TOPICS for topic in best))
    of_topics = dict(list(comparisons.groupby(comparisons["topic"].astype(str))))
    names = [topic.topic for topic in plan.topics]
    topics = [_packed_topic(buffer, of_topics.get(name, comparisons.iloc[:0])) for name in names]
    # the criterion of the one cut for all topics, in steps from 1 on; 0 where there is none
    every = alpha["mean"].where(alpha["n_topics"] >= needed).to_numpy()
    known = every[~np.isnan(every)]
    lowest, highest = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    steps = 1 + np.round((every - lowest) / (highest - lowest or 1.0) * (SHADES - 1))
    shades = buffer.add(np.where(np.isnan(every), 0, steps), "d1")
    on_plateau = None
    if plateau is not None and len(rows := of_search(plateau, method.name, reference)):
        cuts = [name for name in CUT_COLUMNS if name in alpha]
        those = pd.MultiIndex.from_frame(rows[cuts].astype(float))
        is_on = pd.MultiIndex.from_frame(alpha[cuts].astype(float)).isin(those)
        on_plateau = buffer.add(is_on, "u1")
    return {
        "label": f"{method.name}@{reference}" if reference else method.name,
        "about": method.summary,
        "unitWise": method.unit_wise,
        "within": method.name.startswith("tw1"),
        "needed": needed,
        "names": names,
        "topics": topics,
        "best": best,
        "shades": shades,
        "ends": [lowest, highest],
        "plateau": on_plateau,
    }


def bests(
    best_cuts: pd.DataFrame, method: str, reference: str | None, thresholds: Thresholds
) -> dict[str, dict]:
    """The best cuts of a search by topic: places of the thresholds, and the value there."""
    cuts = {}
    for row in of_search(best_cuts, method, reference).to_dict("records"):
        cut = [row[name] for name in CUT_COLUMNS if pd.notna(row[name])]
        if cut:
            places = np.searchsorted(thresholds.values, cut).tolist()
            cuts[str(row["topic"])] = {"cut": places, "value": float(row["value"])}
    return cuts


def _packed_topic(buffer: Buffer, rows: pd.DataFrame) -> dict:
    """Comparisons of a topic, unit by unit; ends that are the same everywhere once."""
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


def packed_systems(
    buffer: Buffer,
    ranked: RankedLists,
    labels: pa.Table,
    experts: Mapping[str, tuple[pa.Table, float | None]],
    thresholds: Thresholds,
    levels: int,
    measure: str | Measure,
    best_cuts: pd.DataFrame,
    score_precision: str = "float64",
) -> dict:
    """What the page needs to rank systems under any cut, and to compare that with experts'."""
    measure = parse(measure)
    judged = Judged.from_table(labels, ranked)
    scores = scores_of_every_cut(ranked, judged, measure, thresholds, levels)
    if scores.parts.size > MOST_SCORES:
        raise MethodError(
            f"the scores by {measure} under all cuts are made of {scores.parts.size:,} numbers, "
            f"and a page takes {MOST_SCORES:,}"
        )
    # how a cut's scores are found among the parts: for "one" the measure looks at one threshold,
    # which one part serves
    kind = measure.of_thresholds(levels)
    level = ceil(measure["rel"]) - 1 if kind == "one" else 0
    part = np.zeros(int(scores.cuts.max()) + 1)
    if kind == "one" and level < scores.cuts.shape[1]:
        part[scores.cuts[:, level]] = scores.lookups[:, 0]
    page = {
        "names": list(ranked.systems),
        "measure": str(measure),
        "lookups": {"kind": kind, "level": level, "part": buffer.add(part)},
        "weights": scores.weights.tolist(),
        "parts": buffer.add(scores.parts.ravel(), "f8"),
        "count": scores.parts.shape[1],
        "ideal": None if scores.ideal is None else buffer.add(scores.ideal.ravel(), "f8"),
    }
    frame = label_frame(labels)
    frame["code"] = thresholds.codes(frame["grade"].to_numpy())
    of_topics = dict(list(frame.groupby("topic")))
    page["topics"] = [
        {"name": topic, "docnos": own["docno"].tolist(), "labels": buffer.add(own["code"])}
        for topic in judged.topics
        for own in [of_topics[topic]]
    ]
    orders, page["experts"] = TieOrders.of(ranked, score_precision), []
    for name, expert in experts.items():
        scored = scores_by_topic(ranked, expert[0], measure, expert[1])
        best, ties = bests(best_cuts, TAU, name, thresholds), None
        if ALL_TOPICS in best:
            cut = _cut(labels, thresholds.values[best[ALL_TOPICS]["cut"]]), float(levels - 1)
            ties = _tie_range(best[ALL_TOPICS]["value"], (cut, expert), ranked, orders, measure)
        of_topics = np.concatenate([np.empty(0), *(scored[topic] for topic in sorted(scored))])
        page["experts"].append(
            {
                "name": name,
                "topics": sorted(scored),
                "best": best,
                "ties": ties,
                "scores": buffer.add(of_topics, "f8"),
            }
        )
    return page


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
) -> list[float] | None:
    """What the order of tied documents makes of τ_b under two sets of labels, on shared topics."""
    judged = [Judged.from_table(table, ranked) for table, _ in sides]
    shared = sorted(set(judged[0].topics) & set(judged[1].topics))
    under = [
        [scores[:, :, 0] for scores in orders.scores(one, [measure], high, shared)]
        for one, (_, high) in zip(judged, sides, strict=True)
    ]
    ends = tie_range(value, *under, tau_b)
    return None if np.isnan(ends[0]) else [float(end) for end in ends]
