"""Which of two systems is surely better, whatever the unjudged documents are.

An unjudged document has one label for both systems, and a topic one ideal ranking: two systems that
share documents, or leave few unjudged, are told apart where their own ranges overlap.

For nDCG with a cutoff, a topic's difference is D / I.  D is a sum over documents of a gain times
the difference of the two discounts: its least value has every unjudged document of the two first
parts at the highest grade where that favours the second system, and at none elsewhere.  I lies
between the ideal of the known grades and that with every ranked unjudged document at the highest
grade.  So D / I is at least D_min over the greatest ideal (D_min ≥ 0), or over the least (D_min <
0).  The ends may not be reached at once: this is a bound, and so is the least score of the one less
the highest of the other, which holds for any measure; the nearer of both is taken for each topic.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from regrade.formulas import dcg_discount, dcg_gains
from regrade.measures import Measure
from regrade.run_arrays import Judged, JudgedLists, RankedLists
from regrade.uncertainty.ranges import Ranges

DEEPEST = 100
"""Measures that look deeper have the bound of the scores' own ranges alone."""


def least_differences(
    ranked: RankedLists,
    judged: Judged,
    ranges: Ranges,
    highest: float,
    before: np.ndarray | None = None,
) -> np.ndarray:
    """Sums over topics of bounds from below of the differences of all systems.

    Parameters
    ----------
    ranked, judged
        As for `regrade.uncertainty.ranges.exact_ranges`.
    ranges
        What that gives.
    highest
        The highest grade that a document may have.
    before
        What this gave for the topics before, which is added to topic by topic, so that the sum
        does not depend on how topics are shared out.

    Returns
    -------
    array of float64, shape (M, S, S)
        The row's system less the column's is at least that, summed over the topics.
    """
    lists = JudgedLists.match(ranked, judged.select(ranges.topics), highest)
    shape = len(ranges.measures), len(ranges.systems), len(ranges.systems)
    found = np.zeros(shape) if before is None else before.copy()
    for m, measure in enumerate(ranges.measures):
        is_shared = measure.name == "nDCG" and (measure["cutoff"] or DEEPEST + 1) <= DEEPEST
        for t in range(len(ranges.topics)):
            least = ranges.low[:, t, m][:, None] - ranges.high[:, t, m][None, :]
            if is_shared:
                shared = _of_topic(ranked, lists, measure, highest, t)
                least = np.maximum(least, shared)
            found[m] += least
    return found


def _of_topic(
    ranked: RankedLists, lists: JudgedLists, measure: Measure, highest: float, t: int
) -> np.ndarray:
    """(S, S) bounds on one topic, from what two systems share."""
    cutoff, unjudged = measure["cutoff"], len(lists.judged.grades)
    known = dcg_gains(measure, lists.judged.grades)
    top = float(dcg_gains(measure, np.array([highest]))[0])
    weights = 1 / dcg_discount(measure, np.arange(1.0, cutoff + 1))
    gains = np.append(known, 0.0)
    S = len(lists.starts)
    base, places, retrieved = np.zeros(S), [], []
    for s in range(S):
        start, stop = lists.starts[s, t], lists.stops[s, t]
        rows, documents = lists.rows[start:stop], _documents(ranked, lists, s, t)
        first = rows[:cutoff]
        base[s] = (weights[: len(first)] * gains[first]).sum()
        is_open = np.flatnonzero(first == unjudged)
        places.append((documents[is_open], weights[is_open]))
        retrieved.append(documents[rows == unjudged])
    every = np.unique(np.concatenate([documents for documents, _ in places]))
    W = np.zeros((S, len(every)))
    for s, (documents, weight) in enumerate(places):
        W[s, np.searchsorted(every, documents)] = weight
    # Σ min(0, a − b) = Σ min(a, b) − Σ b
    shared = np.array([np.minimum(W[s], W).sum(axis=1) for s in range(S)])
    own = W.sum(axis=1)
    least = base[:, None] - base[None, :] + top * (shared - own[None, :])
    offsets = lists.judged.offsets
    of_topic = np.sort(known[offsets[t] : offsets[t + 1]])[::-1]
    open_ones = len(np.unique(np.concatenate(retrieved)))
    low, high = (
        _ideal(gains, weights) for gains in (of_topic, np.append(of_topic, np.full(open_ones, top)))
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        below = np.where(low > 0, least / low, -np.inf)
        above = np.where(high > 0, least / high, 0.0)
    return np.where(least < 0, below, above)


def _documents(ranked: RankedLists, lists: JudgedLists, s: int, t: int) -> np.ndarray:
    """The documents of a ranking, in the order of the rows of `lists`."""
    return ranked.documents[lists.starts[s, t] : lists.stops[s, t]]


def _ideal(gains: np.ndarray, weights: np.ndarray) -> float:
    first = np.sort(gains)[::-1][: len(weights)]
    return float((weights[: len(first)] * np.maximum(first, 0)).sum())


def pair_table(
    systems: Sequence[str], measures: Sequence[Measure], least: np.ndarray, topics: int
) -> pd.DataFrame:
    """Ranges of the differences of mean scores: ``ranges/pairs``.

    Parameters
    ----------
    systems, measures
        What the axes of `least` stand for.
    least
        As `least_differences` gives, of all topics.
    topics
        How many there are.
    """
    first, second = np.triu_indices(len(systems), 1)
    names = np.array(systems, dtype=object)
    parts = [
        pd.DataFrame(
            {
                "measure": str(measure),
                "system": names[first],
                "other": names[second],
                "low": of[first, second] / topics,
                "high": -of[second, first] / topics,
            }
        )
        for measure, of in zip(measures, least, strict=True)
    ]
    return pd.concat(parts, ignore_index=True)
