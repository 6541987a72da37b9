"""Which of two systems is better for any grades of the unjudged documents.

An unjudged document has one label for both systems, and a topic one number of relevant documents
and one ideal ranking: what others retrieved counts there as well.

*AP and nDCG* are a sum over the ranking by an ideal I, in which is every unjudged document that any
system retrieved.  With those of the two alone, the one's least score has the other's in I, and the
other's highest is its own.  The least less the highest is a bound L.  Further ones are in I alone:
a difference of at least L > 0 comes no nearer to 0 than L times the least I over the greatest.

*nDCG with a cutoff* has another.  A topic's difference is D / I.  D is a sum over documents of a
gain times the difference of the two discounts: its least value has every unjudged document of the
two first parts at the highest gain where that favours the second system, and at none elsewhere.  So
D / I is at least D_min over the greatest ideal (D_min ≥ 0), or over the least (D_min < 0).

The ends may not be reached at once: these are bounds, and the nearer of both is taken for each
topic.  Of any other measure the least score of the one less the highest of the other is one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.lib.stride_tricks import sliding_window_view

from regrade.catalogue import columns_of
from regrade.formulas import dcg_discount, dcg_gains
from regrade.measures import Measure
from regrade.ranking.possible_ranks import of_pairs, order_numbers, rank_ranges
from regrade.run_arrays import Judged, JudgedLists, RankedLists
from regrade.uncertainty.ranges import Ranges, ideal_by_level, possible_levels

DEEPEST = 100
"""The second bound is for measures that look no deeper."""


def least_differences(
    ranked: RankedLists,
    judged: Judged,
    ranges: Ranges,
    levels: Sequence[float] | None = None,
    before: np.ndarray | None = None,
) -> np.ndarray:
    """Sums over topics of bounds from below of the differences of all systems."""
    levels = possible_levels(levels, judged)
    lists = JudgedLists.match(ranked, judged.select(ranges.topics), levels[-1])
    shape = len(ranges.measures), len(ranges.systems), len(ranges.systems)
    bounds = np.zeros(shape) if before is None else before.copy()
    for t in range(len(ranges.topics)):
        topic = _Topic(ranked, lists, levels, t)
        for m, measure in enumerate(ranges.measures):
            bounds[m] += topic.least(measure, ranges.low[:, t, m], ranges.high[:, t, m])
    return bounds


class _Topic:
    """The rankings of one topic, and their unjudged documents."""

    def __init__(self, ranked: RankedLists, lists: JudgedLists, levels: np.ndarray, t: int) -> None:
        spans = [*map(slice, lists.starts[:, t], lists.stops[:, t])]
        self.lists, self.levels = lists, levels
        self.judged = slice(*lists.judged.offsets[t : t + 2])
        self.rows = [lists.rows[span] for span in spans]
        self.open = [rows == len(lists.judged.grades) for rows in self.rows]
        self.documents = [ranked.documents[span] for span in spans]
        retrieved = [of[is_open] for of, is_open in zip(self.documents, self.open, strict=True)]
        is_in = _placed(retrieved, [np.ones(len(of), np.float32) for of in retrieved])
        self.all = is_in.shape[1]
        # (S, S) those of the column's system that the row's did not retrieve
        self.beside = (is_in.sum(axis=1) - is_in @ is_in.T).astype(np.int64)

    def least(self, measure: Measure, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """(S, S) bounds by a measure, of which the systems' own ranges are given."""
        if measure.name == "AP":
            return self._by_scores(*self._average_precision(measure), high)
        if measure.name != "nDCG":
            return low[:, None] - high
        known, top, weights, ideals = self._ndcg(measure)
        gains = [known[rows[: len(weights)]] * weights[: len(rows)] for rows in self.rows]
        base = np.array([of.sum() for of in gains])
        is_open = [of[: len(weights)] for of in self.open]
        own = [weights[: len(of)][of] for of in is_open]
        numerators = [dcg + top * _sums(of[::-1]) for dcg, of in zip(base, own, strict=True)]
        least = self._by_scores(numerators, ideals, high)
        if (measure["cutoff"] or DEEPEST + 1) > DEEPEST:
            return least
        W = _placed([d[: len(of)][of] for d, of in zip(self.documents, is_open, strict=True)], own)
        # Σ min(0, a − b) = Σ min(a, b) − Σ b
        shared = np.array([np.minimum(of, W).sum(axis=1) for of in W])
        D = base[:, None] - base + top * (shared - W.sum(axis=1))
        with np.errstate(divide="ignore", invalid="ignore"):
            by_documents = np.where(D < 0, D / ideals[0], D / max(ideals[-1], np.finfo(float).tiny))
        return np.maximum(least, by_documents)

    def _average_precision(self, measure: Measure) -> tuple[list[np.ndarray], np.ndarray]:
        """Numerators and ideals, as `_by_scores` takes them."""
        relevant = self.lists.relevant(measure["rel"]) > 0
        possible = bool(self.levels[-1] >= measure["rel"])
        numerators = []
        for rows, is_open in zip(self.rows, self.open, strict=True):
            is_relevant = relevant[rows[: measure["cutoff"]]]
            may_be = is_open[: measure["cutoff"]] & possible
            ranks = np.arange(1.0, len(is_relevant) + 1)
            precision = np.cumsum(is_relevant) / ranks
            # one more adds its own precision, and 1/i for every relevant rank i from there on
            added = precision + np.cumsum(((is_relevant | may_be) / ranks)[::-1])[::-1]
            numerators.append(precision[is_relevant].sum() + _sums(added[may_be][::-1]))
        return numerators, relevant[self.judged].sum() + possible * np.arange(self.all + 1.0)

    def _ndcg(self, measure: Measure) -> tuple[np.ndarray, float, np.ndarray, np.ndarray]:
        """Gains by row, the highest of an unjudged document, weights of ranks, and ideals."""
        known = np.append(dcg_gains(measure, self.lists.judged.grades), 0.0)
        possible = np.unique(np.append(dcg_gains(measure, self.levels), 0.0))
        of_topic = known[self.judged]
        deepest = max(len(of_topic) + self.all, *map(len, self.rows))
        ranks = np.arange(1.0, (measure["cutoff"] or deepest) + 1)
        weights = 1 / dcg_discount(measure, ranks)
        totals = _sums(np.append(weights, np.zeros(deepest)))
        fixed, by_level = ideal_by_level(of_topic, possible, totals, self.all)
        return known, possible[-1], weights, fixed + by_level.sum(axis=0)

    def _by_scores(
        self, numerators: list[np.ndarray], ideals: np.ndarray, high: np.ndarray
    ) -> np.ndarray:
        """(S, S) bounds from the one's least score and the other's highest."""
        least = np.zeros(self.beside.shape)
        for s, of in enumerate(numerators):
            elsewhere = self.open[s].sum() - (len(of) - 1) + self.beside[s]
            by = sliding_window_view(ideals, len(of))[elsewhere]
            least[s] = np.divide(of, by, out=np.zeros(by.shape), where=by > 0).min(axis=1) - high
        nearer = ideals[0] / ideals[-1] if ideals[-1] > 0 else 1.0
        return np.where(least > 0, least * nearer, least)


def _placed(documents: list[np.ndarray], values: list[np.ndarray]) -> np.ndarray:
    """(S, n) values of all the documents, 0 where a system has none."""
    every = np.unique(np.concatenate(documents))
    placed = np.zeros((len(documents), len(every)), values[0].dtype)
    for row, of, value in zip(placed, documents, values, strict=True):
        row[np.searchsorted(every, of)] = value
    return placed


def _sums(values: np.ndarray) -> np.ndarray:
    """Sums of the first 0, 1, … values."""
    return np.append(0.0, np.cumsum(values))


def pair_table(
    systems: Sequence[str], measures: Sequence[Measure], least: np.ndarray, topics: int
) -> pd.DataFrame:
    """Ranges of the differences of mean scores: ``ranges/pairs``."""
    first, second = np.triu_indices(len(systems), 1)
    names = np.array(systems, dtype=object)
    parts = []
    for measure, of in zip(measures, least, strict=True):
        columns = {"measure": str(measure), "system": names[first], "other": names[second]}
        columns |= {"low": of[first, second] / topics, "high": -of[second, first] / topics}
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def rank_tables(
    ranges: pd.DataFrame, systems: pd.DataFrame, pairs: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """The ranks that systems can have: ``ranges/ranks``, ``ranges/numbers``."""
    judged = ranges.groupby(["system", "topic"], observed=True)["judged_share"].first()
    by_system = judged.groupby("system", observed=True).mean()
    least = of_pairs(pairs)
    ranks = rank_ranges(systems, least)
    ranks["judged_share"] = ranks["system"].map(by_system).astype(float)
    rows = [*order_numbers(ranks, least, "low", "high")]
    for measure, of in ranges.groupby("measure", sort=False, observed=True):
        rows.append((measure, "judged share", by_system.mean()))
        rows.append((measure, "judged to", of["judged_to"].max()))
        rows.append((measure, "topics", of["topic"].nunique()))
    numbers = pd.DataFrame(rows, columns=columns_of("ranges/numbers"))
    return {"ranks": ranks[columns_of("ranges/ranks")], "numbers": numbers}
