"""Magnitude estimation in plain Python, one value at a time."""

from __future__ import annotations

import math
from collections import defaultdict
from statistics import fmean, geometric_mean, median, median_low, pstdev

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

    def one(row):
        mine = [other["value"] + shift for other in units[of_key(row, UNIT)]]
        all_logs = [math.log(other["value"] + shift) for other in topics[of_key(row, ["topic"])]]
        logs, log = [math.log(value) for value in mine], math.log(row["value"] + shift)
        if how == "geometric":
            return math.exp(log - fmean(logs) + fmean(all_logs))
        if how == "z-score":
            z = 0 if len(set(mine)) == 1 else (log - fmean(logs)) / pstdev(logs)
            return math.exp(fmean(all_logs) + pstdev(all_logs) * z)
        if how == "rank":
            below = sum(value < row["value"] + shift for value in mine)
            same = sum(value == row["value"] + shift for value in mine)
            return (below + (same + 1) / 2 - 0.5) / len(mine)
        return row["value"] + shift

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
