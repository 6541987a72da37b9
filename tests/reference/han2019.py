"""The methods of han2019 written down plainly, one cut at a time: an oracle for the search.

α comes from the `krippendorff` package; everything else is lists and numpy, with none of the
library's code.
"""

from __future__ import annotations

import math
import statistics
import warnings
from collections import Counter
from fractions import Fraction
from functools import cache

import krippendorff
import numpy as np
import pandas as pd


def level(value, cut):
    return sum(value > c for c in cut)


def aggregated(values, how):
    if how == "median":
        return float(np.median(values))
    if how in ("median_low", "median_high"):
        return getattr(statistics, how)(values)
    if how == "mean":
        return sum(values) / len(values)
    counts = Counter(values)
    most = max(counts.values())
    return min(value for value, count in counts.items() if count == most)


def on_scale(value):
    """The nearest level, halves to the lower one."""
    return math.ceil(round(value, 9) - 0.5)


def alpha(columns, metric):
    """Krippendorff's α of documents given as lists of values; None where undefined."""
    return _alpha(tuple(tuple(column) for column in columns if len(column) >= 2), metric)


@cache
def _alpha(columns, metric):
    if len({value for column in columns for value in column}) < 2:
        return None
    coders = max(len(column) for column in columns)
    ratings = np.full((coders, len(columns)), np.nan)
    for i, column in enumerate(columns):
        ratings[: len(column), i] = column
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return krippendorff.alpha(ratings, level_of_measurement=metric)


def settled(value, undefined):
    if value is not None:
        return value
    return {"drop": None, "one": 1.0, "zero": 0.0}[undefined]


def once(rows, keys):
    """One value for each combination of `keys`: a worker counts once per document."""
    kept = []
    for key, group in rows.groupby(keys):
        values = list(group["value"])
        kept.append((*key, statistics.median_low(values)))
    return pd.DataFrame(kept, columns=[*keys, "value"])


class Votes:
    """What was judged of one topic, for every cut of it: documents, and units of their workers.

    `rows` has docno, worker, unit, value.
    """

    def __init__(self, rows: pd.DataFrame) -> None:
        self.documents = {
            docno: list(zip(group["worker"], group["value"], strict=True))
            for docno, group in once(rows, ["docno", "worker"]).groupby("docno")
        }
        self.units = [
            (worker, list(zip(unit["docno"], unit["value"], strict=True)))
            for (worker, _), unit in once(rows, ["docno", "worker", "unit"]).groupby(
                ["worker", "unit"]
            )
        ]


def topic_alpha(
    judged: Votes,
    cut,
    method,
    reference: dict | None,
    *,
    metric,
    undefined,
    unjudged,
    at,
    ta,
):
    """α of one topic for one cut; NaN where undefined.

    `reference` maps docno to level.
    """

    def labelled(document):
        if document in reference:
            return reference[document]
        return 0 if unjudged == "non-relevant" else None

    if method == "tw1":
        columns = [[level(value, cut) for _, value in votes] for votes in judged.documents.values()]
        if not any(len(column) >= 2 for column in columns):
            return np.nan
        value = settled(alpha(columns, metric), undefined)
        return np.nan if value is None else value
    if method in ("d2_at", "d2_ta"):
        columns = []
        for document, votes in judged.documents.items():
            label = labelled(document)
            if label is None:
                continue
            values = [value for _, value in votes]
            if method == "d2_at":
                own = level(aggregated(values, at), cut)
            else:
                own = on_scale(aggregated([level(v, cut) for v in values], ta))
            columns.append([own, label])
        if not columns:
            return np.nan
        value = settled(alpha(columns, metric), undefined)
        return np.nan if value is None else value
    units = []
    for worker, unit in judged.units:
        columns = []
        for document, own in unit:
            if method == "h2":
                label = labelled(document)
                if label is not None:
                    columns.append([level(own, cut), label])
                continue
            others = [value for other, value in judged.documents[document] if other != worker]
            if not others:
                continue
            if method == "h1_at":
                crowd = level(aggregated(others, at), cut)
            else:
                crowd = on_scale(aggregated([level(v, cut) for v in others], ta))
            columns.append([level(own, cut), crowd])
        if columns:
            value = settled(alpha(columns, metric), undefined)
            if value is not None:
                units.append(value)
    return float(np.mean(units)) if units else np.nan


def runs(cuts):
    """Tied cuts (tuples) in runs: from each to each by steps of one threshold by one place."""
    left = set(cuts)
    found = []
    while left:
        run, front = set(), [min(left)]
        while front:
            cut = front.pop()
            if cut not in left:
                continue
            left.discard(cut)
            run.add(cut)
            for axis in range(len(cut)):
                front += [(*cut[:axis], cut[axis] + step, *cut[axis + 1 :]) for step in (-1, 1)]
        found.append(sorted(run))
    return sorted(found, key=lambda run: (-len(run), run[0]))


def middle(run):
    """The cut of a run nearest its centroid, then the first."""
    centre = [Fraction(sum(axis), len(run)) for axis in zip(*run, strict=True)]

    def distance(cut):
        return sum((c - m) ** 2 for c, m in zip(cut, centre, strict=True))

    return min(run, key=lambda cut: (distance(cut), cut))


def single_cut(values, counts, units, coverage):
    """Index of the one cut for all topics; None where there is none.

    `values` holds, for each cut, α of each topic (None where undefined); `counts` the units
    that have one, `units` how many there are of each topic.
    """
    enough = [
        [v if v is not None and 2 * k >= n else None for v, k, n in zip(vs, ks, units, strict=True)]
        for vs, ks in zip(values, counts, strict=True)
    ]
    anywhere = sum(any(vs[t] is not None for vs in enough) for t in range(len(units)))
    means = {}
    for index, vs in enumerate(enough):
        defined = [v for v in vs if v is not None]
        if defined and len(defined) >= Fraction(str(coverage)) * anywhere:
            means[index] = sum(defined) / len(defined)
    return max(means, key=means.get) if means else None
