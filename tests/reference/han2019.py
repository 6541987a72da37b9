"""The methods of han2019 written down plainly, one cut at a time: an oracle for the search.

α comes from the `krippendorff` package; everything else is lists and numpy, with none of the
library's code.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter

import krippendorff
import numpy as np
import pandas as pd


def level(value, cut):
    return sum(value > c for c in cut)


def aggregated(values, how):
    if how == "median":
        return float(np.median(values))
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
    columns = [column for column in columns if len(column) >= 2]
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


def topic_alpha(
    rows: pd.DataFrame,
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

    `rows` has docno, worker, unit, value; `reference` maps docno to level.
    """
    by_document = dict(iter(rows.groupby("docno")))

    def labelled(document):
        if document in reference:
            return reference[document]
        return 0 if unjudged == "non-relevant" else None

    if method == "tw1":
        columns = [[level(v, cut) for v in group["value"]] for group in by_document.values()]
        value = settled(alpha(columns, metric), undefined)
        return np.nan if value is None else value
    if method in ("d2_at", "d2_ta"):
        columns = []
        for document, group in by_document.items():
            label = labelled(document)
            if label is None:
                continue
            values = list(group["value"])
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
    for (worker, _), unit in rows.groupby(["worker", "unit"]):
        columns = []
        for document, own in zip(unit["docno"], unit["value"], strict=True):
            if method == "h2":
                label = labelled(document)
                if label is not None:
                    columns.append([level(own, cut), label])
                continue
            group = by_document[document]
            others = list(group["value"][group["worker"] != worker])
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
