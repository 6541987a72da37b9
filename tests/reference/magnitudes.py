"""Magnitude estimation in plain Python, one value at a time."""

from __future__ import annotations

import math
from collections import defaultdict
from decimal import Decimal, localcontext
from functools import cache
from itertools import product
from statistics import fmean, geometric_mean, mean, median, median_low, pstdev

UNIT = ("topic", "worker", "unit")


def of_key(row, names):
    return tuple(row[name] for name in names)


def grouped(rows, names):
    """The rows of each key."""
    groups = defaultdict(list)
    for row in rows:
        groups[of_key(row, names)].append(row)
    return groups


def normalised(rows, how, shift=0.0):
    """The normalised value of each row: turpin2015 §3.3, and the other three ways."""
    units, topics = grouped(rows, UNIT), grouped(rows, ["topic"])

    @cache
    def ln(value):
        return Decimal(value).ln()

    def one(row):
        mine = [other["value"] + shift for other in units[of_key(row, UNIT)]]
        all_logs = [ln(other["value"] + shift) for other in topics[of_key(row, ["topic"])]]
        logs, log = [ln(value) for value in mine], ln(row["value"] + shift)
        if how == "geometric":
            return float((log - mean(logs) + mean(all_logs)).exp())
        if how == "z-score":
            z = 0 if len(set(mine)) == 1 else (log - mean(logs)) / pstdev(logs)
            return float((mean(all_logs) + pstdev(all_logs) * z).exp())
        if how == "rank":
            below = sum(value < row["value"] + shift for value in mine)
            same = sum(value == row["value"] + shift for value in mine)
            return (below + (same + 1) / 2 - 0.5) / len(mine)
        return row["value"] + shift

    # logs of nearly equal values differ in their last digits
    with localcontext(prec=60):
        return [one(row) for row in rows]


def documents(rows):
    """Workers, median and geometric mean of each document's values, each worker once."""
    found = {}
    for document, given in grouped(rows, ["topic", "docno"]).items():
        once = [
            median_low([row["value"] for row in mine])
            for mine in grouped(given, ["worker"]).values()
        ]
        found[document] = (len(once), median(once), geometric_mean(once))
    return dict(sorted(found.items()))


def units(rows, known, least_seconds, leave_out, extremes=False):
    """What each unit says and fails, by its key; `known` maps topics to H_k and N_k."""
    found = {}
    for key, mine in sorted(grouped(rows, UNIT).items()):
        values = {row["docno"]: row["value"] for row in mine}
        pair = [values.get(docno) for docno in known.get(key[0], ())]
        times = [row["seconds"] for row in mine if row["seconds"] is not None]
        problems = []
        if len(pair) == 2 and None not in pair and pair[0] <= pair[1]:
            problems.append("order")
        if any(time < least_seconds for time in times):
            problems.append("time")
        if None in pair:
            problems.append("known")
        high, low = pair or (None, None)
        wide = [max(values.values()), min(values.values())] if extremes else [high, low]
        found[key] = {
            "documents": len(mine),
            "high": high,
            "low": low,
            "width": None if None in wide else wide[0] / wide[1],
            "width_of": "greatest / smallest" if extremes else "H_k / N_k",
            "seconds": min(times, default=None),
            "problems": ",".join(problems) or None,
            "kept": not set(problems) & set(leave_out),
        }
    return found


def order(x, y):
    """-1, 0 or 1: whether y is below, as, or above x."""
    return (y > x) - (y < x)


def pair_orders(by, first, second, lower, upper):
    """Pairs of documents that `by` gives `lower` and `upper`: concordant, tied, discordant.

    Each set is a dict from docno to value; documents that one of them lacks are left out.
    """
    shared = [docno for docno in by if docno in first and docno in second]
    low = [docno for docno in shared if by[docno] == lower]
    high = [docno for docno in shared if by[docno] == upper]
    counts = [0, 0, 0]
    for a, b in product(low, high):
        counts[1 - order(first[a], first[b]) * order(second[a], second[b])] += 1
    return counts


def mean_or_none(values):
    """The mean of the values that are not None; None where there is none."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def discordant(magnitude, label, levels, least):
    """Topic, docno, nearest level and distance of documents that are nearer another level.

    `magnitude` and `label` are dicts by (topic, docno).
    """
    found = []
    for topic in sorted({topic for topic, _ in magnitude}):
        logs = {d: math.log(m) for (t, d), m in magnitude.items() if t == topic and (t, d) in label}
        medians = {}
        for level in levels:
            own = [log for docno, log in logs.items() if label[topic, docno] == level]
            if len(own) >= least:
                medians[level] = median(own)
        for docno, log in logs.items():
            own = label[topic, docno]
            if own in medians:
                nearest = min(medians, key=lambda level: (abs(log - medians[level]), level != own))
                if nearest != own:
                    found.append((topic, docno, nearest, log - medians[own]))
    return sorted(found, key=lambda row: (-abs(row[3]), row[:2]))


# --- judgments drawn: documents are lists of (value, unit, width), units numbered from 0 -------


def gains_of(judgments, times, aggregate=median):
    """By all, narrow and wide units; `times` says how often each judgment counts."""
    drawn = [j for j, n in zip(judgments, times, strict=True) for _ in range(n)]
    if not drawn:
        return (0.0, 0.0, 0.0)
    values = [value for value, _, _ in drawn]
    narrow = [value for value, _, width in drawn if width == "narrow"]
    wide = [value for value, _, width in drawn if width == "wide"]
    return (
        aggregate(values),
        aggregate(narrow) if narrow else min(values),
        aggregate(wide) if wide else max(values),
    )


def judgments_drawn_again(rng, documents, aggregate=median):
    """One draw of each document's judgments with replacement."""
    found = []
    for judgments in documents:
        times = [0] * len(judgments)
        for _ in judgments:
            times[int(rng.random() * len(judgments))] += 1
        found.append(gains_of(judgments, times, aggregate))
    return found


def units_drawn_again(rng, documents, n_units, aggregate=median):
    """One draw of units with replacement."""
    times = [0] * n_units
    for _ in range(n_units):
        times[int(rng.random() * n_units)] += 1
    return [
        gains_of(judgments, [times[unit] for _, unit, _ in judgments], aggregate)
        for judgments in documents
    ]
