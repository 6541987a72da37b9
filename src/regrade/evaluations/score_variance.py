"""Which matters more for systems' scores: the judge, how its values are cut, topic or system.

Judges on a finer scale than the reference's are held together with the ways to cut that all of them
have, on the topics that all of them have: an array judge × cut × topic × system of scores, whose
variance is split exactly (`regrade.variance_shares`); so is that of systems' means over topics,
which rank them.  Nothing is a sample here: shares are of these judges and these ways.  What moves
the ranking is in the shares of pairs with the system; a judge's or a cut's own share is of scores
that are higher or lower for all systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.variance_shares import variance_shares

AXES = ("judge", "cut", "topic", "system")
OF_MEANS = ("judge", "cut", "system")
SCORES, MEANS = "scores", "means"


@dataclass(frozen=True, eq=False)
class Scored:
    """Systems' scores under one judge's labels, cut in one way.

    Attributes
    ----------
    key
        The columns that identify it: judge, cut, held_out, measure.
    topics
        On which.
    values
        (S, T) float64.
    """

    key: dict[str, object]
    topics: tuple[str, ...]
    values: np.ndarray


def variance_table(scored: Sequence[Scored]) -> pd.DataFrame:
    """Shares of the variance of scores (table ``judges/variance``)."""
    rows = []
    for measure in dict.fromkeys(way.key["measure"] for way in scored):
        values = _array([way for way in scored if way.key["measure"] == measure])
        if not values.size:
            continue
        rows += [
            _shares(measure, SCORES, values, AXES),
            _shares(measure, MEANS, values.mean(axis=AXES.index("topic")), OF_MEANS),
        ]
    columns = columns_of("judges/variance")
    return pd.concat(rows)[columns] if rows else pd.DataFrame(columns=columns)


def _shares(measure: str, of: str, values: np.ndarray, axes: Sequence[str]) -> pd.DataFrame:
    shares = variance_shares(values, axes)
    count = dict(zip(axes, values.shape, strict=True))
    both = zip(shares["axis"], shares["other"], strict=True)
    levels = [count[axis] * count.get(other, 1) for axis, other in both]
    return shares.assign(measure=measure, of=of, levels=levels)


def _array(scored: Sequence[Scored]) -> np.ndarray:
    """Scores by judge, cut, topic and system, of the ways and topics that all judges have."""
    judges: dict[str, dict[str, pd.DataFrame]] = {}
    for way in sorted(scored, key=lambda way: way.key["held_out"]):  # held out stays
        own = judges.setdefault(way.key["judge"], {})
        own[way.key["cut"]] = pd.DataFrame(way.values.T, index=way.topics)
    cuts = [cut for cut in next(iter(judges.values())) if all(cut in of for of in judges.values())]
    own = [[of[cut] for cut in cuts] for of in judges.values()]
    if not cuts:
        return np.empty(0)
    topics = sorted(set.intersection(*(set(way.index) for row in own for way in row)))
    return np.array([[way.loc[topics].to_numpy() for way in row] for row in own])
