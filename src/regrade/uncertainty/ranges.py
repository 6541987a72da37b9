"""Exact ranges of scores over what the unjudged documents may turn out to be.

yang2019 §4.1 holds that the uncertainty of AP and nDCG can be found only by scoring every
assignment of relevance to the unjudged documents.  Exchange arguments leave few of them:

*AP and binary nDCG.*  With m unjudged documents of the ranking relevant, R is known to rise by m
and moving a relevant document up never lowers the score.  So the first m are the best and the
last m the worst case; the range follows from one sweep over m.

*Graded nDCG.*  With levels of gains 0 = g₀ < g₁ < … < g_L, let m_l unjudged documents have at
least level l.  Both DCG and ideal DCG are sums over levels, Σ_l N_l(m_l) and Σ_l I_l(m_l), and
m₁ ≥ m₂ ≥ … ≥ m_L is all that ties the levels together.  The lowest ratio has m₁ = … = m_L: only
the highest level, for the last m.  In the highest, at its own value λ, every m_l maximises
N_l(m) − λ I_l(m) by itself: Dinkelbach's iteration finds λ.  The proofs are in
docs/methods/residuals.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from regrade.compiled import njit
from regrade.errors import ParameterError, check_choice
from regrade.formulas import dcg_discount, dcg_gains, gain_shares
from regrade.measures import Measure, parse
from regrade.run_arrays import Judged, JudgedLists, RankedLists
from regrade.scoring import score

JUDGED_TO = 10
"""k of Judged@k."""


@dataclass(frozen=True, eq=False)
class Ranges:
    """The ranges of S systems on T topics by M measures.

    Attributes
    ----------
    systems, topics, measures
        What the axes stand for.
    values
        (S, T, M) float64: the scores, unjudged documents being without gain.
    low, high
        (S, T, M) float64: the lowest and highest score that any assignment gives.
    unjudged
        (S, T) int64: unjudged documents in each ranking.
    judged_share
        (S, T) float64: share of its first `JUDGED_TO` documents that are judged; NaN: it has none.
    relevant_low, relevant_high
        (S, T, M) int64: how many of them have a gain where the score is lowest and highest (the
        fewest that reach it).
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: np.ndarray
    low: np.ndarray
    high: np.ndarray
    unjudged: np.ndarray
    judged_share: np.ndarray
    relevant_low: np.ndarray
    relevant_high: np.ndarray

    def to_frame(self) -> pd.DataFrame:
        """One row per system, topic and measure.

        Columns of ``ranges/ranges``.
        """
        names = self.systems, self.topics, [str(m) for m in self.measures]
        places = np.indices(self.values.shape).reshape(3, -1)
        columns = {
            axis: np.array(of, dtype=object)[place]
            for axis, of, place in zip(("system", "topic", "measure"), names, places, strict=True)
        }
        columns |= {
            "value": self.values.ravel(),
            "low": self.low.ravel(),
            "high": self.high.ravel(),
        }
        for name in ("unjudged", "judged_share"):
            columns[name] = getattr(self, name).repeat(len(self.measures))
        columns["judged_to"] = JUDGED_TO
        columns |= {n: getattr(self, n).ravel() for n in ("relevant_low", "relevant_high")}
        return pd.DataFrame(columns)


def exact_ranges(
    ranked: RankedLists,
    judged: Judged,
    measures: Sequence[str | Measure],
    *,
    levels: Sequence[float] | None = None,
) -> Ranges:
    """The lowest and highest score of every ranking over what its unjudged documents may be."""
    levels = possible_levels(levels, judged)
    scores = score(ranked, judged, measures, max_grade=levels[-1])
    lists = JudgedLists.match(ranked, judged.select(scores.topics), levels[-1])
    ends = []
    for m, measure in enumerate(scores.measures):
        value, residual = scores.values[:, :, m], scores.residuals[:, :, m]
        ends.append(_ends(lists, measure, levels, value, residual))
    low, high, *relevant = (np.stack(of, axis=2) for of in zip(*ends, strict=True))
    # the value is one of the cases, though its sums may have run in another order
    values = scores.values, np.minimum(low, scores.values), np.maximum(high, scores.values)
    first = np.minimum(lists.stops - lists.starts, JUDGED_TO)
    with np.errstate(invalid="ignore"):
        judged_share = np.where(first > 0, 1 - _unjudged(lists, JUDGED_TO) / first, np.nan)
    names = scores.systems, scores.topics, scores.measures
    return Ranges(*names, *values, _unjudged(lists, None), judged_share, *relevant)


def system_ranges(
    ranges: pd.DataFrame, residual: str | Measure | None = "RBP(p=0.98)"
) -> pd.DataFrame:
    """Ranges of the systems' mean scores, beside the residual of RBP.

    Topics do not share assignments, so the extremes of a mean are the means of the extremes.
    """
    groups = ranges.groupby(["system", "measure"], sort=False, observed=True)
    means = groups[["value", "low", "high"]].mean().reset_index()
    if residual is None:
        return means.assign(residual=np.nan)
    name = str(parse(residual))
    check_choice("measure", name, list(dict.fromkeys(ranges["measure"])))
    own = means[means["measure"] == name].set_index("system")
    residuals = means["system"].astype(str).map(own["high"] - own["value"])
    return means.assign(residual=residuals)


def possible_levels(levels: Sequence[float] | None, judged: Judged) -> np.ndarray:
    """Grades that an unjudged document may have: ascending float64, the last above 0."""
    if levels is None:
        # where no grade is above 0, unjudged documents may still be relevant
        highest = max(float(judged.grades.max(initial=0)), 1.0)
        return np.append(np.arange(np.ceil(highest)), highest)
    ascending = np.unique(np.asarray(levels, dtype=np.float64))
    if not (ascending.size and np.isfinite(ascending).all() and ascending[-1] > 0):
        raise ParameterError(f"levels are {levels}: give finite grades, at least one above 0")
    return ascending


def _unjudged(lists: JudgedLists, cutoff: int | None) -> np.ndarray:
    """(S, T) int64: unjudged documents of each ranking, down to a cutoff."""
    ones = np.ones_like(lists.ranks)
    return lists.weighted_sum(lists.unjudged, ones, cutoff).astype(np.int64)


def _unjudged_below(lists: JudgedLists, cutoff: int | None) -> np.ndarray:
    """(S, T) int64: those below a cutoff, which count in R and the ideal ranking only."""
    return _unjudged(lists, None) - _unjudged(lists, cutoff)


def check_ranged(measure: Measure) -> None:
    """Refuse a measure of which no exact range is known."""
    if measure.judged_only:
        raise ParameterError(
            f"{measure}: no exact range of measures that take unjudged documents out: "
            "leave judged_only out"
        )
    has_weights = measure.definition.residual is not None and not measure.definition.adaptive
    if measure.name not in ("AP", "nDCG") and not has_weights:
        raise ParameterError(
            f"{measure}: there are exact ranges of AP, nDCG, and measures with fixed "
            "weights and a residual, such as RBP"
        )


def _ends(lists, measure, levels, value, residual):
    """(S, T) lowest and highest scores, and how many unjudged documents have a gain there."""
    check_ranged(measure)
    if measure.name == "AP":
        relevant, cutoff = lists.relevant(measure["rel"]), measure["cutoff"]
        unjudged, below = lists.unjudged, _unjudged_below(lists, cutoff)
        if levels[-1] < measure["rel"]:  # no document can turn out to be relevant
            unjudged, below = np.zeros(len(relevant)), np.zeros(lists.starts.shape, np.int64)
        R, depth = lists.topic_sum(relevant), len(lists.ranks) if cutoff is None else cutoff
        return _ap_ends(lists.rows, lists.starts, lists.stops, relevant, unjudged, R, below, depth)
    if measure.name == "nDCG":
        return _ndcg_range(lists, measure, levels)
    # the residual is of documents with the full gain, which none of the levels may have
    share = gain_shares(measure, levels, levels[-1]).max()
    most = _unjudged(lists, measure["cutoff"])
    return value, value + share * residual, np.zeros_like(most), most * int(share > 0)


def _ndcg_range(lists, measure, levels):
    cutoff = measure["cutoff"]
    below = _unjudged_below(lists, cutoff)
    unjudged = _unjudged(lists, None)
    known = dcg_gains(measure, lists.judged.grades)
    possible = np.unique(np.append(dcg_gains(measure, levels), 0.0))

    depth = len(lists.ranks) if cutoff is None else cutoff
    deepest = int(unjudged.max(initial=0) + np.diff(lists.judged.offsets).max(initial=0))
    weights = 1 / dcg_discount(measure, np.arange(1.0, max(deepest, len(lists.ranks)) + 1))
    ideal_weights = weights.copy()
    if cutoff is not None:
        ideal_weights[cutoff:] = 0
    totals = np.append(0.0, np.cumsum(ideal_weights))  # of the first n ranks
    gains = np.append(known, 0.0)

    shape, offsets = lists.starts.shape, lists.judged.offsets
    ends = np.empty(shape), np.empty(shape), np.empty(shape, np.int64), np.empty(shape, np.int64)
    by_topic = (of.T.copy() for of in (lists.starts, lists.stops, below))
    for t, (starts, stops, below_first) in enumerate(zip(*by_topic, strict=True)):
        most = int(unjudged[:, t].max(initial=0))
        of_topic = known[offsets[t] : offsets[t + 1]]
        fixed, by_level = ideal_by_level(of_topic, possible, totals, most)
        ideals = np.diff(possible), fixed, by_level, by_level.sum(axis=0) + fixed
        rankings = lists.rows, starts, stops
        own = _ndcg_ends(rankings, gains, weights, depth, ideals, below_first)
        for end, of_rankings in zip(ends, own, strict=True):
            end[:, t] = of_rankings
    return ends


def ideal_by_level(known, possible, totals, most):
    """The ideal DCG as a sum over the levels that unjudged documents may reach.

    A gain is a sum of steps between consecutive distinct gains, and R(x) documents with a gain of
    at least x give the step that ends in x the first R(x) ranks.  m more documents of at least
    level l add m to R(x) for all x in (g_{l−1}, g_l].
    """
    ends = np.unique(np.append(known[known > 0], possible[1:]))
    steps = np.diff(ends, prepend=0.0)
    level = np.searchsorted(possible[1:], ends)
    R = len(known) - np.searchsorted(np.sort(known), ends)
    by_level = np.zeros((len(possible) - 1, most + 1))
    fixed = 0.0
    for step, reached, r in zip(steps, level, R, strict=True):
        if reached < len(by_level):
            by_level[reached] += step * totals[r : r + most + 1]
        else:
            fixed += step * totals[r]
    return fixed, by_level


@njit(cache=True, nogil=True)
def _ap_ends(rows, starts, stops, relevant, unjudged, R, below, depth):
    """Lowest and highest AP of every ranking, and how many unjudged are relevant there."""
    low, high = np.empty(starts.shape), np.empty(starts.shape)
    m_low = np.zeros(starts.shape, np.int64)
    m_high = np.zeros(starts.shape, np.int64)
    for s in range(starts.shape[0]):
        for t in range(starts.shape[1]):
            ranking = rows[starts[s, t] : min(stops[s, t], starts[s, t] + depth)]
            is_relevant, is_open = relevant[ranking] > 0, unjudged[ranking] > 0
            high[s, t], m_high[s, t] = _ap_high(is_relevant, is_open, R[t])
            low[s, t], m_low[s, t] = _ap_low(is_relevant, is_open, R[t] + below[s, t])
    return low, high, m_low, m_high


@njit(cache=True, nogil=True, inline="always")
def _ap_high(is_relevant, is_open, R):
    """Highest AP, and the m with which the first m open documents give it."""
    above, total, below = _precisions(is_relevant)
    best, best_m = total / R if R > 0 else 0.0, 0
    above, m = 0, 0
    # each adds its own precision, and 1/i to every relevant rank i below
    for i in range(is_open.size):
        if is_relevant[i]:
            above += 1
            below -= 1 / (i + 1)
        elif is_open[i]:
            m += 1
            total += (above + m) / (i + 1) + below
            if total / (R + m) > best:
                best, best_m = total / (R + m), m
    return best, best_m


@njit(cache=True, nogil=True, inline="always")
def _ap_low(is_relevant, is_open, R):
    """Lowest AP, and the m with which the last m open documents give it; R has all below."""
    above, total, _ = _precisions(is_relevant)
    worst, worst_m = total / R if R > 0 else 0.0, 0
    below, m = 0.0, 0
    for i in range(is_open.size - 1, -1, -1):
        if is_relevant[i]:
            above -= 1
            below += 1 / (i + 1)
        elif is_open[i]:
            m += 1
            total += (above + 1) / (i + 1) + below
            below += 1 / (i + 1)
            if total / (R + m) < worst:
                worst, worst_m = total / (R + m), m
    return worst, worst_m


@njit(cache=False, nogil=True)
def _precisions(is_relevant):
    """Relevant documents, Σ of the precisions at them, and Σ 1/i over their ranks i."""
    n_relevant, total, reciprocals = 0, 0.0, 0.0
    for i in range(is_relevant.size):
        if is_relevant[i]:
            n_relevant += 1
            total += n_relevant / (i + 1)
            reciprocals += 1 / (i + 1)
    return n_relevant, total, reciprocals


@njit(cache=True, nogil=True)
def _ndcg_ends(rankings, gains, weights, depth, ideals, below):
    """`_ap_ends` for nDCG on one topic."""
    rows, starts, stops = rankings
    steps, fixed, by_level, ideal = ideals  # the last of m documents of the highest level
    S = starts.size
    low, high = np.empty(S), np.empty(S)
    m_low = np.zeros(S, np.int64)
    m_high = np.zeros(S, np.int64)
    for s in range(S):
        ranking = rows[starts[s] : min(stops[s], starts[s] + depth)]
        dcg, first = _dcg_and_open_weights(ranking, gains, weights)
        low[s], m_low[s] = _ndcg_low(dcg, steps.sum(), first, ideal[below[s] :])
        value = dcg / ideal[0] if ideal[0] > 0 else 0.0
        high[s], m_high[s] = _ndcg_high(value, dcg, first, steps, fixed, by_level)
    return low, high, m_low, m_high


@njit(cache=True, nogil=True, inline="always")
def _dcg_and_open_weights(ranking, gains, weights):
    """DCG as judged, and the sums of the weights of the first 0, 1, … unjudged documents."""
    dcg = 0.0
    first = np.zeros(ranking.size + 1)
    q = 0
    for i in range(ranking.size):
        if ranking[i] == gains.size - 1:
            first[q + 1] = first[q] + weights[i]
            q += 1
        else:
            dcg += weights[i] * gains[ranking[i]]
    return dcg, first[: q + 1]


@njit(cache=True, nogil=True, inline="always")
def _ndcg_low(dcg, highest, first, ideal):
    """Lowest nDCG, and its m: the last m unjudged documents have the highest gain."""
    q = first.size - 1
    worst, worst_m = dcg / ideal[0] if ideal[0] > 0 else 0.0, 0
    for m in range(1, q + 1):
        ratio = (dcg + highest * (first[q] - first[q - m])) / ideal[m]
        if ratio < worst:
            worst, worst_m = ratio, m
    return worst, worst_m


@njit(cache=True, nogil=True, inline="always")
def _ndcg_high(value, dcg, first, steps, fixed, by_level):
    """Highest nDCG by Dinkelbach's iteration from the value, and how many have a gain."""
    best, n_relevant = value, 0
    while first.size > 1:
        numerator, denominator, relevant = dcg, fixed, 0
        for level in range(steps.size):
            m = _most_gained(steps[level] * first, best * by_level[level])
            numerator += steps[level] * first[m]
            denominator += by_level[level, m]
            relevant = max(relevant, m)
        if denominator <= 0 or numerator / denominator <= best:
            break
        best, n_relevant = numerator / denominator, relevant
    return best, n_relevant


@njit(cache=True, nogil=True, inline="always")
def _most_gained(gained, lost):
    """The first m at which the one less the other is highest."""
    best = 0
    for m in range(1, gained.size):
        if gained[m] - lost[m] > gained[best] - lost[best]:
            best = m
    return best
