"""How sure the comparison of systems under magnitudes is, and what its draws scatter by.

Three things are drawn anew, with replacement: the *topics*, on which both rankings are then made;
the judgments of each of the *documents*; and the *units* of each topic.  The last two change the
magnitudes, not the reference.  A topic's draws come from a stream of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.compiled import njit
from regrade.correlations import tau_b_many
from regrade.drawn_intervals import around, spread_of
from regrade.kendall import TOLERANCE
from regrade.magnitudes.resampling import GAINS, drawn_gains, judgments_again, units_again
from regrade.magnitudes.systems import Cell, GainComparison
from regrade.randomness import generator
from regrade.significance.discrimination import (
    SIGNIFICANCE,
    signed_rank_test,
    untied_signed_ranks,
)

RESAMPLES = 1000
"""How often to draw, unless told."""

INTERVAL = "rankings_alike"
"""Of `regrade.intervals.INTERVALS`."""

QUANTITIES = ("tau", "overlap")
RESAMPLED = TOPICS, DOCUMENTS, UNITS = ("topics", "documents", "units")


@dataclass(frozen=True, eq=False)
class _Drawn:
    """What draws make of one cell.

    Attributes
    ----------
    reference
        (N, T') scores under the reference.
    own
        (3, N, T') scores by each of `GAINS`.
    statistics
        By what is drawn: (2, 3, B) τ and overlaps of some draws.
    """

    cell: Cell
    reference: np.ndarray
    own: np.ndarray
    statistics: dict[str, list[np.ndarray]] = field(
        default_factory=lambda: {resampled: [] for resampled in RESAMPLED}
    )


def interval_table(
    comparison: GainComparison,
    resamples: int = RESAMPLES,
    significance: float = SIGNIFICANCE,
    threads: int = 1,
) -> pd.DataFrame:
    """95 % intervals of every τ of ``magnitudes/rankings``; of overlaps the estimates only.

    Notes
    -----
    The scatter says how much an estimate moves when such things are drawn again.  τ has an interval
    over topics (`INTERVAL`).  Drawn judgments and units are fewer different ones, so that their
    magnitudes are noisier than the estimate's and agree less with the reference: no interval over
    these is known to hold.

    Overlaps of top sets have none either: they change by whole systems, and topics drawn with
    replacement make top sets larger.  Percentiles held the mean of such samples in all of 300
    simulated ones.
    """
    scores, seed, aggregate = comparison.scores, comparison.seed, comparison.aggregate
    by_all = comparison.values(threads)
    every = [
        _Drawn(cell, cell.over.of(cell.scores), cell.over.of(by_all[:, cell.m]))
        for cell in comparison.cells
    ]
    some = [of for of in every if of.reference.size]

    def topics_again(of: _Drawn) -> np.ndarray:
        n = of.reference.shape[1]
        rng = generator(seed, "topics again", of.cell.under.labels.name, of.cell.over.name)
        drawn = rng.integers(0, n, (resamples, n))
        return _of_topics(of.own, of.reference, drawn, significance)

    with ThreadPoolExecutor(threads) as pool:

        def add(what: str, draw: Callable[[_Drawn], np.ndarray]) -> None:
            for of, statistics in zip(some, pool.map(draw, some), strict=True):
                of.statistics[what].append(statistics)

        add(TOPICS, topics_again)
        for what, again in ((DOCUMENTS, judgments_again), (UNITS, units_again)):
            how = {"seed": seed, "what": f"{what} again"}
            for gains in drawn_gains(scores.judgments, again(aggregate), resamples, pool, **how):
                # by each of the gains, scores of a batch of draws
                values = np.stack(
                    [scores.values([of_topic[:, :, g] for of_topic in gains], pool)
                     for g in range(len(GAINS))]
                )  # fmt: skip
                add(what, lambda of, v=values: _of_gains(of, v[:, of.cell.m], significance))
    rows = [row for of in every for row in _rows(of, resamples, significance)]
    return pd.DataFrame(rows, columns=columns_of("magnitudes/intervals"))


def _of_gains(of: _Drawn, values: np.ndarray, significance: float) -> np.ndarray:
    """(2, 3, B) τ and overlaps of (3, B, S, T) scores of the runs."""
    averages, top = _means_and_top(of.reference, significance)
    taus = [tau_b_many(averages, of.cell.over.means(own)) for own in values]
    overlaps = [_overlaps(of.cell.over.of(own), top, significance) for own in values]
    return np.array([taus, overlaps])


def _rows(of: _Drawn, resamples: int, significance: float) -> list[dict]:
    """One for each of the gains, each quantity and thing that is drawn."""
    estimates = np.full((2, len(GAINS), 1), np.nan)
    drawn = {what: np.full((2, len(GAINS), resamples), np.nan) for what in RESAMPLED}
    topics = 0
    if of.reference.size:
        topics = of.reference.shape[1]
        estimates = _of_topics(of.own, of.reference, np.arange(topics)[None], significance)
        drawn = {what: np.concatenate(parts, axis=2) for what, parts in of.statistics.items()}
    rows = []
    for g, gains in enumerate(GAINS):
        for q, quantity in enumerate(QUANTITIES):
            for resampled, values in drawn.items():
                estimate, own = estimates[q, g, 0], values[q, g]
                low, high = np.nan, np.nan
                # top sets change by whole systems; judgments drawn anew are fewer different ones
                if (quantity, resampled) == ("tau", TOPICS):
                    low, high = np.clip(around(estimate, own, topics, INTERVAL), -1, 1)
                row = {"gains": gains, "quantity": quantity, "resampled": resampled}
                row |= {"estimate": estimate, "low": low, "high": high, "scatter": spread_of(own)}
                undefined = int(np.isnan(own).sum())
                rows.append(of.cell.key | row | {"resamples": resamples, "undefined": undefined})
    return rows


# Kernels.  `values` (N, T) are scores of systems on topics.


@njit(cache=False, nogil=True)
def _mean_of_each(values):
    """As `regrade.magnitudes.systems.Over.means`, to the last bit."""
    means = np.empty(values.shape[0])
    for n in range(values.shape[0]):
        total = 0.0
        for t in range(values.shape[1]):
            total += values[n, t]
        means[n] = total / values.shape[1]
    return means


@njit(cache=True, nogil=True)
def _means_and_top(values, significance):
    """Of (N, T) scores."""
    averages = _mean_of_each(values)
    return averages, _top(values, averages, significance, untied_signed_ranks(values.shape[1]))


@njit(cache=False, nogil=True)
def _top(values, averages, significance, untied):
    """`regrade.magnitudes.systems.top_set`; `untied` is `untied_signed_ranks` of T."""
    highest = averages.max()
    best = 0
    while averages[best] < highest - TOLERANCE:
        best += 1
    top = np.empty(values.shape[0], np.bool_)
    for n in range(values.shape[0]):
        _, p = signed_rank_test(values[best] - values[n], untied)
        top[n] = not p < significance
    return top


@njit(cache=True, nogil=True, inline="always")
def _overlap(top, other):
    both = 0
    either = 0
    for n in range(top.size):
        both += top[n] and other[n]
        either += top[n] or other[n]
    return both / either


@njit(cache=True, nogil=True)
def _overlaps(values, top, significance):
    """Of the top sets under many (B, N, T) scores with another one."""
    overlaps = np.empty(values.shape[0])
    untied = untied_signed_ranks(values.shape[2])
    for b in range(values.shape[0]):
        own = _top(values[b], _mean_of_each(values[b]), significance, untied)
        overlaps[b] = _overlap(own, top)
    return overlaps


@njit(cache=True, nogil=True)
def _of_topics(own, reference, drawn, significance):
    """(2, 3, B) τ and overlaps of (3, N, T) scores, on each (B, T) choice of topics."""
    statistics = np.empty((2, own.shape[0], drawn.shape[0]))
    untied = untied_signed_ranks(drawn.shape[1])
    for b in range(drawn.shape[0]):
        others = reference[:, drawn[b]]
        other_means = _mean_of_each(others)
        other_top = _top(others, other_means, significance, untied)
        for g in range(own.shape[0]):
            values = own[g][:, drawn[b]]
            means = _mean_of_each(values)
            statistics[0, g, b] = tau_b_many(other_means, means.reshape(1, -1))[0]
            statistics[1, g, b] = _overlap(_top(values, means, significance, untied), other_top)
    return statistics
