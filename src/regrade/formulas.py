"""The formulas of `regrade.measures`, and the weights that some of them give to ranks.

Formulas are written in sums over rankings (`regrade.run_arrays.JudgedLists`): i is the rank from
1, g the gain of the document there, R the number of relevant documents of the topic.  Unjudged
documents and TREC's junk, grades of −1 and −2, have no gain; other grades below
zero are refused (`check_grades`).  In all of them `lists` is a JudgedLists, `m` the measure; values
have the shape (S, T).

A measure that is a weighted mean of gains, M = Σ W(i)·g, has a function of its weights W(i) for
the ranks i of one ranking; those of adaptive measures look at the ranking's gains (yang2019
§2.3.2, after Moffat, Thomas and Scholer).
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

from regrade.criteria.errors import normalised_rank_error
from regrade.criteria.scores import (
    convex_mean,
    harmonic_mean,
    normalised_weighted_score,
    set_shares,
    set_weights,
)
from regrade.errors import ParameterError
from regrade.kendall import TOLERANCE

if TYPE_CHECKING:  # keeps numba out of whoever only reads measure names
    from regrade.run_arrays import JudgedLists


class MeasureLike(Protocol):
    """What formulas need of a `regrade.measures.Measure`: its name as text, its parameters."""

    by_topic: bool
    sets: tuple[str, ...]
    parts: tuple[MeasureLike, ...]

    def __getitem__(self, parameter: str) -> object:
        """The value of a parameter, given or default."""

    def why_not_below_zero(self, below: Sequence[float], of: str = "the qrels") -> str:
        """Why grades below 0 mean nothing to it; empty if they do."""


log = logging.getLogger(__name__)

FINEST = 1000 * TOLERANCE
"""A share of the highest gain that differs from 0, as scores are compared, down to rank 1,000."""

Weights = Callable[..., np.ndarray]
"""Of a measure, ranks i, and for adaptive measures the gains at these ranks and R."""


def _ratio(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """numerator / denominator, 0 where that is 0 / 0: no gain at all (as in trec_eval)."""
    zeros = np.zeros(np.broadcast_shapes(np.shape(numerator), np.shape(denominator)))
    return np.divide(numerator, denominator, out=zeros, where=denominator > 0)


def check_grades(measure: MeasureLike, grades: np.ndarray, of: str = "the qrels") -> None:
    """Refuse grades below 0 that mean nothing to a measure (`MeasureLike.refuses`).

    Whatever scores comes through here: by the measure's values, or by the gains of its grades.
    """
    below = grades[grades < 0]
    if below.size and (why := measure.why_not_below_zero(np.unique(below).tolist(), of)):
        raise ParameterError(f"{measure}: {why}")


# Sets and binary grades


def precision(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """P@k."""
    return _hits(lists, m, m["cutoff"]) / m["cutoff"]


def precision_residual(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """What P@k could rise by; ranks past the end of a short ranking count as unjudged."""
    k = m["cutoff"]
    unjudged = lists.weighted_sum(lists.unjudged, np.ones_like(lists.ranks), k)
    return (unjudged + (k - lists.lengths(k))) / k


def success(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """Success@k: 1 where one of the first k documents is relevant, else 0."""
    return (_hits(lists, m, m["cutoff"]) > 0).astype(np.float64)


def success_residual(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """1 where Success@k is 0 and one of the first k ranks is unjudged or past the end."""
    return ((success(lists, m) == 0) & (precision_residual(lists, m) > 0)).astype(np.float64)


def recall(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """Recall@k."""
    return _ratio(_hits(lists, m, m["cutoff"]), lists.topic_sum(lists.relevant(m["rel"])))


def f_measure(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """(1 + β²)·P·R / (β²·P + R), of counts."""
    hits = _hits(lists, m, m["cutoff"])
    retrieved = lists.lengths() if m["cutoff"] is None else m["cutoff"]
    R = lists.topic_sum(lists.relevant(m["rel"]))
    return _ratio((1 + m["beta"] ** 2) * hits, m["beta"] ** 2 * R + retrieved)


def set_precision(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """P of the whole ranking; relative, of as many documents as could be relevant."""
    retrieved = lists.lengths()
    if m["relative"]:
        retrieved = np.minimum(retrieved, lists.topic_sum(lists.relevant(m["rel"])))
    return _ratio(_hits(lists, m, None), retrieved)


def set_recall(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """Recall of the whole ranking."""
    return _ratio(_hits(lists, m, None), lists.topic_sum(lists.relevant(m["rel"])))


def set_f(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """(1 + b)·P·R / (b·P + R) of the whole ranking, of counts."""
    R = lists.topic_sum(lists.relevant(m["rel"]))
    return _ratio((1 + m["beta"]) * _hits(lists, m, None), m["beta"] * R + lists.lengths())


def set_average_precision(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """P · R of the whole ranking."""
    R = lists.topic_sum(lists.relevant(m["rel"]))
    return _ratio(_hits(lists, m, None) ** 2, R * lists.lengths())


def interpolated_precision(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """The highest P at a rank down to which at least a share of the relevant ones was found."""
    relevant = lists.relevant(m["rel"])
    share = m["recall"] * lists.topic_sum(relevant)
    if m["trec_eval"] == 9:  # rounds up all but the least shares of a document
        needed = np.floor(share + 0.9)
    else:  # to the nearest, halves up
        needed = np.floor(share) + (share - np.floor(share) >= 0.5)
    return lists.interpolated_precision(relevant, needed.astype(np.int64))


def judged_share(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """The share of judged documents among the first k, or among all of a shorter ranking."""
    ranked = lists.lengths(m["cutoff"])
    unjudged = lists.weighted_sum(lists.unjudged, np.ones_like(lists.ranks), m["cutoff"])
    return _ratio(ranked - unjudged, ranked)


def unjudged_share(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """The share of unjudged documents among the first k; missing ones count as judged."""
    unjudged = lists.weighted_sum(lists.unjudged, np.ones_like(lists.ranks), m["cutoff"])
    return unjudged / m["cutoff"]


def retrieved_count(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """Documents in the ranking; with `rel`, those among them with at least that grade."""
    counts = lists.lengths() if m["rel"] is None else _hits(lists, m, None)
    return counts.astype(np.float64)


def relevant_count(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """Relevant documents of the topic, retrieved or not."""
    R = lists.topic_sum(lists.relevant(m["rel"]))
    return np.broadcast_to(R, lists.starts.shape).copy()


def accuracy(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """The share of pairs, a relevant and another document, in which the relevant one is above."""
    relevant = lists.relevant(m["rel"])
    hits = _hits(lists, m, m["cutoff"])
    others = lists.lengths(m["cutoff"]) - hits
    # above a relevant document at rank i are i − 1, of which the relevant ones are no others
    above = lists.weighted_sum(relevant, lists.ranks - 1, m["cutoff"]) - hits * (hits - 1) / 2
    return np.where(others > 0, _ratio(hits * others - above, hits * others), hits > 0)


def r_precision(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """P at rank R."""
    R = lists.topic_sum(lists.relevant(m["rel"]))
    return _ratio(_hits(lists, m, R), R)


def _hits(lists: JudgedLists, m: MeasureLike, cutoff: int | np.ndarray | None) -> np.ndarray:
    """(S, T) relevant documents down to a cutoff, counted exactly."""
    return lists.weighted_sum(lists.relevant(m["rel"]), np.ones_like(lists.ranks), cutoff)


def average_precision(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """AP."""
    relevant = lists.relevant(m["rel"])
    return _ratio(lists.precision_sum(relevant, m["cutoff"]), lists.topic_sum(relevant))


def normalised_cumulative_precision(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """NCP: the precision where users stop, who do so at the j-th relevant document ∝ γ^(j−1)."""
    relevant = lists.relevant(m["rel"])
    R = lists.topic_sum(relevant).astype(np.int64)
    stopping = np.append(0.0, np.cumsum(_powers(m["gamma"], R.max(initial=0))))[R]
    return _ratio(lists.precision_sum(relevant, m["cutoff"], m["gamma"]), stopping)


def reciprocal_rank(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """RR."""
    # the user of the cascade stops for certain at the first relevant document
    return lists.cascade(lists.relevant(m["rel"]), m["cutoff"])


def inferred_average_precision(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """infAP: AP as it is expected where some of the pool is not judged."""
    relevant = lists.relevant(m["rel"])
    return _ratio(lists.inferred_precision_sum(relevant), lists.topic_sum(relevant))


def binary_preference(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """Bpref, with grades below zero as unjudged."""
    grades = lists.judged.grades
    relevant = lists.relevant(m["rel"])
    non_relevant = np.append((grades >= 0) & (grades < m["rel"]), False).astype(np.float64)
    return _ratio(lists.preference_sum(relevant, non_relevant), lists.topic_sum(relevant))


# Graded


def dcg(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """DCG."""
    return lists.weighted_sum(_dcg_gains(lists, m), 1 / dcg_discount(m, lists.ranks), m["cutoff"])


def ndcg(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """DCG / DCG of the ideal ranking."""
    gains = _dcg_gains(lists, m)
    weights = 1 / dcg_discount(m, lists.ranks)
    ideal = lists.ideal(gains).weighted_sum(gains, weights, m["cutoff"])
    return _ratio(lists.weighted_sum(gains, weights, m["cutoff"]), ideal)


def _dcg_gains(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    return np.append(dcg_gains(m, lists.judged.grades), 0.0)


def dcg_discount(measure: MeasureLike, ranks: np.ndarray) -> np.ndarray:
    """What a DCG or nDCG divides the gain at each rank by."""
    b = measure["base"]
    if b is None:
        return np.log2(1 + ranks)
    return np.where(ranks < b, 1.0, np.log2(ranks) / np.log2(b))


def dcg_gains(measure: MeasureLike, grades: np.ndarray) -> np.ndarray:
    """The gain that a DCG or nDCG gives to each grade."""
    gains = _listed_gains(measure, grades)
    if measure["dcg"] == "exp-log2":
        with np.errstate(over="ignore"):
            gains = _exponential_gains(gains)
    if not np.isfinite(gains.sum()):
        raise ParameterError(
            f"{measure}: with grades up to {grades.max():g} the sum of gains is too large to "
            "compute: use linear gains, or grades on a smaller scale"
        )
    return gains


def _listed_gains(m: MeasureLike, grades: np.ndarray) -> np.ndarray:
    """Grades from 0 up, or the gains that the measure lists for them."""
    check_grades(m, grades)
    gains = grades.clip(min=0)
    for grade, gain in m["gains"] or ():
        gains[grades == grade] = gain
    return gains


def q_measure(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """Q: AP with the blended ratio in place of precision; relevant is what has a gain."""
    gains = np.append(_listed_gains(m, lists.judged.grades), 0.0)
    R = lists.topic_sum((gains > 0).astype(np.float64))
    return _ratio(lists.blended_ratio_sum(gains, m["beta"], m["cutoff"]), R)


def compatibility(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """Compat: rank-biased overlap with the nearest ideal ranking, over the best overlap."""
    grades, offsets = lists.judged.grades, lists.judged.offsets
    levels = np.full(len(grades) + 1, -1)
    for start, stop in itertools.pairwise(offsets):
        best_first = np.sort(-grades[start:stop])
        levels[start:stop] = np.searchsorted(best_first, -grades[start:stop])
    levels[:-1][grades <= 0] = -1
    counts = lists.topic_sum((levels >= 0).astype(np.int64))
    overlap = lists.overlap(levels, counts, m["p"])
    if not m["normalize"]:
        return overlap
    # Σ pᵈ⁻¹ min(d, R) / d ÷ Σ pᵈ⁻¹ down to the same depth
    depths = np.maximum(lists.lengths(), counts)
    d = np.arange(1.0, depths.max(initial=0) + 1)
    users = _powers(m["p"], len(d))
    best = np.zeros(depths.shape)
    for t, R in enumerate(counts):
        of_depth = np.cumsum(users * np.minimum(d, R) / d) / np.cumsum(users)
        best[:, t] = np.append(0.0, of_depth)[depths[:, t]]
    return _ratio(overlap, best)


def expected_reciprocal_rank(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """ERR."""
    return lists.cascade(_stopping(lists, m), m["cutoff"])


def normalised_expected_reciprocal_rank(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """ERR / ERR of the ideal ranking."""
    stopping = _stopping(lists, m)
    ideal = lists.ideal(stopping).cascade(stopping, m["cutoff"])
    return _ratio(lists.cascade(stopping, m["cutoff"]), ideal)


def _stopping(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """(Q + 1,) probabilities to stop: (2^g - 1) / 2^highest, or the gain over the highest."""
    grades = lists.judged.grades
    is_linear = m["gains"] or m["dcg"] == "log2"
    if m.by_topic:
        gains = np.append(stopping_gains(m, grades), 0.0)
        shares = stopping_shares(m, gains, np.append(lists.highest_of_topic(gains), 0.0))
        if not is_linear:
            _tell_lost(m, gains, shares, "that of the topic's highest grade")
        return shares
    highest = _highest_grade(m, grades, lists.max_grade)
    if is_linear:
        return np.append(_listed_shares(m, grades, highest), 0.0)
    return np.append(_exponential(m, grades, highest), 0.0)


def stopping_gains(measure: MeasureLike, grades: np.ndarray) -> np.ndarray:
    """What an ERR or nERR takes the highest of and makes probabilities of: grades or their
    gains.
    """
    return _listed_gains(measure, grades)


def stopping_shares(
    measure: MeasureLike, gains: np.ndarray, highest: float | np.ndarray
) -> np.ndarray:
    """The probability that a user of ERR or nERR stops at a document of each gain."""
    if measure["gains"] or measure["dcg"] == "log2":
        return _ratio(gains, np.asarray(highest))
    return _exponential_shares(gains, highest)


# Weighted precision: M = Σ W(i)·g with Σ W(i) = 1, gains from 0 to 1


def sdcg(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """SDCG@k."""
    return _weighted_precision(lists, m, _gain_shares(lists, m), sdcg_weights)


def sdcg_residual(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """Σ W(i) over unjudged ranks and those below the n-th, down to rank k."""
    ranks = np.arange(1.0, max(m["cutoff"], len(lists.ranks)) + 1)
    from_here = np.cumsum(sdcg_weights(m, ranks)[::-1])[::-1]
    return _unjudged_weight(lists, m, sdcg_weights, np.append(from_here, 0.0))


def rbp(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """RBP."""
    return _weighted_precision(lists, m, _gain_shares(lists, m), rbp_weights)


def rbp_residual(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """Σ W(i) over unjudged ranks, and φⁿ for those below the n-th."""
    return _unjudged_weight(lists, m, rbp_weights, _powers(m["p"], len(lists.ranks) + 1))


def insq(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """INSQ."""
    return _weighted_precision(lists, m, _gain_shares(lists, m), insq_weights)


def insq_residual(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """Σ W(i) over unjudged ranks, and over those below the n-th."""
    from scipy.special import zeta

    after = np.append(0.0, lists.ranks) + 2 * m["T"]
    return _unjudged_weight(lists, m, insq_weights, zeta(2, after) / zeta(2, 2 * m["T"]))


def _weighted_precision(
    lists: JudgedLists, m: MeasureLike, gains: np.ndarray, weights: Weights
) -> np.ndarray:
    return lists.weighted_sum(gains, weights(m, lists.ranks), m["cutoff"])


def _unjudged_weight(
    lists: JudgedLists, m: MeasureLike, weights: Weights, below: np.ndarray
) -> np.ndarray:
    """Weight of the unjudged ranks; `below` is the weight of all ranks after the first 0, 1, …."""
    unjudged = lists.weighted_sum(lists.unjudged, weights(m, lists.ranks), m["cutoff"])
    return unjudged + below[lists.lengths(m["cutoff"])]


def nerr_8(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """NERR8: users look down to rank k."""
    k = m["cutoff"]
    return _of_survivors(lists, m, (lists.ranks <= k) * 1.0, k - lists.lengths(k))


def nerr_9(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """NERR9: a share i / (i + 1) of users goes on at rank i, down to rank k."""
    k = m["cutoff"]
    harmonic = np.append(0.0, np.cumsum(1 / np.arange(1.0, k + 1)))
    weights = (lists.ranks <= k) / lists.ranks
    return _of_survivors(lists, m, weights, harmonic[k] - harmonic[lists.lengths(k)])


def nerr_10(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """NERR10: a share p of users goes on, as with RBP."""
    powers = _powers(m["p"], len(lists.ranks) + 1)
    return _of_survivors(lists, m, powers[:-1], powers[lists.lengths()] / (1 - m["p"]))


def nerr_11(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """NERR11: as many users go on as with INSQ."""
    from scipy.special import zeta

    goal = 2 * m["T"]
    weights = (goal / (goal + lists.ranks - 1)) ** 2
    return _of_survivors(lists, m, weights, goal**2 * zeta(2, goal + lists.lengths()))


def _of_survivors(
    lists: JudgedLists, m: MeasureLike, weights: np.ndarray, below: np.ndarray
) -> np.ndarray:
    """Σ W(i)·g / Σ W(i) with W(i + 1) = W(i)·a(i)·(1 − g); nothing below a ranking has a gain.

    `weights` are the products of a down to each rank, `below` (S, T) their sums over all ranks
    below the rankings.
    """
    gained, looked, left = lists.survivors(_gain_shares(lists, m), weights)
    return gained / (looked + left * below)


def bejeweled_player(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """BPM: the gain of each document down to rank k, or until the goal T is reached."""
    gained, last = lists.until_goal(_gain_shares(lists, m), m["T"], m["cutoff"])
    return gained / last


def inst(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """INST; nothing below the ranking has a gain."""
    from scipy.special import zeta

    weighted_gain, weights, v, b = lists.goal_sums(_gain_shares(lists, m), m["T"], m["cutoff"])
    # v·(b² / b² + b² / (b+1)² + …) is the sum of the weights below
    return weighted_gain / (weights + v * b**2 * zeta(2, b))


def inst_residual(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """INST with the full gain for all unjudged documents and ranks below, less INST."""
    gains = np.maximum(_gain_shares(lists, m), lists.unjudged)
    weighted_gain, weights, v, b = lists.goal_sums(gains, m["T"], m["cutoff"])
    below = v * b**2 / (2 * b - 1)  # v·(1 + C + C² + …) for C = ((b-1) / b)²
    return (weighted_gain + below) / (weights + below) - inst(lists, m)


def _gain_shares(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """(Q + 1,) gains from 0 to 1."""
    return np.append(gain_shares(m, lists.judged.grades, lists.max_grade), 0.0)


def gain_shares(measure: MeasureLike, grades: np.ndarray, max_grade: float) -> np.ndarray:
    """The gains, as shares of the highest, that a mean of gains gives to grades.

    A gain is that of the measure's function or of its list (yang2019 Equation 2.4).
    """
    check_grades(measure, grades)
    if measure["rel"] is not None:
        return (grades >= measure["rel"]).astype(np.float64)
    highest = _highest_grade(measure, grades, max_grade)
    if measure["dcg"] == "exp-log2":
        return _exponential(measure, grades, highest) / (1 - np.exp2(-highest))
    return _listed_shares(measure, grades, highest)


def _exponential(m: MeasureLike, grades: np.ndarray, highest: float) -> np.ndarray:
    """(2^g - 1) / 2^highest, in a form that does not overflow on wide scales."""
    if m["max_rel"] is None and np.exp2(-highest) < FINEST:
        raise ParameterError(
            f"{m}: on a scale up to {highest:g} grades from {highest + np.log2(FINEST):.0f} down "
            f"count as nothing, since 2^g is less than {FINEST:g} of 2^{highest:g}: use linear "
            f"gains (dcg='log2'), list gains, or write max_rel={highest:g} if that is meant"
            f"{_or_topic(m)}"
        )
    grades = grades.clip(min=0)
    shares = _exponential_shares(grades, highest)
    _tell_lost(m, grades, shares, f"2^{highest:g}")
    return shares


def _exponential_shares(grades: np.ndarray, highest: float | np.ndarray) -> np.ndarray:
    # 2^highest alone would overflow from 1,024 on
    least = np.exp2(-np.asarray(highest))
    shares = np.exp2(grades - highest) - least
    return np.where(grades < 1, least * _exponential_gains(grades.clip(max=1)), shares)


def _exponential_gains(grades: np.ndarray) -> np.ndarray:
    """2^g − 1; of g below 1 as it is where 2^g is near 1."""
    return np.where(grades < 1, np.expm1(grades * np.log(2)), np.exp2(grades) - 1)


def _tell_lost(m: MeasureLike, grades: np.ndarray, shares: np.ndarray, highest: str) -> None:
    lost = (grades > 0) & (shares < FINEST)
    if lost.any():
        _warn(
            f"{m}: {lost.sum()} of {(grades > 0).sum()} judged documents with a grade above 0 "
            f"count as nothing: 2^{grades[lost].max():g} is less than {FINEST:g} of {highest}"
        )


@cache
def _warn(message: str) -> None:
    """Once for each message, to whoever listens to the library's log."""
    log.warning(message)


def _highest_grade(m: MeasureLike, grades: np.ndarray, max_grade: float) -> float:
    highest = max_grade if m["max_rel"] is None else m["max_rel"]
    if np.isinf(highest):
        raise ParameterError(
            f"{m}: takes shares of the highest grade, and the scale has none: give a max_rel"
            f"{_or_topic(m)}"
        )
    seen = grades.max(initial=0)
    if seen > highest:
        raise ParameterError(
            f"{m}: a document has the grade {seen:g}, above the highest of the scale, {highest:g}: "
            "give the scale's own, as max_grade or as the measure's max_rel"
        )
    return highest


def _or_topic(m: MeasureLike) -> str:
    takes_it = any(p.name == "max_rel" and p.kind.accepts("topic") for p in m.definition.parameters)
    return ", or max_rel='topic' for the highest of each topic" if takes_it else ""


def _listed_shares(m: MeasureLike, grades: np.ndarray, highest: float) -> np.ndarray:
    """`_listed_gains` over the highest: of the highest grade, or of a listed one on the scale."""
    gains = _listed_gains(m, grades)
    listed = {grade: gain for grade, gain in m["gains"] or () if grade <= highest}
    most = max({highest: highest, **listed}.values())
    if most == 0:
        raise ParameterError(f"{m}: no grade up to {highest:g} has a gain: list one above 0")
    if gains.max(initial=0) > most:
        raise ParameterError(
            f"{m}: a document has the gain {gains.max():g}, above that of the highest grade and of "
            f"all that are listed, {most:g}: list the gain of every grade"
        )
    return gains / most


def _powers(base: float, n: int) -> np.ndarray:
    """base⁰, base¹, …: n of them."""
    # by products, because the last bit of numpy's power depends on the shape it is asked for
    return np.cumprod(np.append(1.0, np.full(max(n - 1, 0), base)))[:n]


# Weights W(i) and continuations C(i) of one ranking: `i` holds the ranks 1 … n; `g`, which only
# adaptive measures look at, the gains there; `R` is the number of relevant documents.


def precision_weights(m: MeasureLike, i: np.ndarray, *_) -> np.ndarray:
    """W of P@k (yang2019 Equation 2.9)."""
    return np.where(i <= m["cutoff"], 1 / m["cutoff"], 0.0)


def dcg_weights(m: MeasureLike, i: np.ndarray, *_) -> np.ndarray:
    """W of DCG (yang2019 Equation 2.12), which have no finite sum."""
    within = True if m["cutoff"] is None else i <= m["cutoff"]
    return np.where(within, 1 / dcg_discount(m, i), 0.0)


def sdcg_weights(m: MeasureLike, i: np.ndarray, *_) -> np.ndarray:
    """W of SDCG@k (yang2019 Equation 2.13)."""
    total = (1 / np.log2(1 + np.arange(1.0, m["cutoff"] + 1))).sum()
    return np.where(i <= m["cutoff"], 1 / np.log2(1 + i) / total, 0.0)


def rbp_weights(m: MeasureLike, i: np.ndarray, *_) -> np.ndarray:
    """W of RBP (yang2019 Equation 2.14)."""
    return (1 - m["p"]) * _powers(m["p"], len(i))


def rbp_continuation(m: MeasureLike, i: np.ndarray, *_) -> np.ndarray:
    """C of RBP."""
    return np.full(len(i), float(m["p"]))


def insq_weights(m: MeasureLike, i: np.ndarray, *_) -> np.ndarray:
    """W of INSQ; the sum of 1/j² from j = 2T on is a Hurwitz zeta function."""
    from scipy.special import zeta

    return 1 / (i + 2 * m["T"] - 1) ** 2 / zeta(2, 2 * m["T"])


def insq_continuation(m: MeasureLike, i: np.ndarray, *_) -> np.ndarray:
    """C of INSQ."""
    return ((i + 2 * m["T"] - 1) / (i + 2 * m["T"])) ** 2


def inst_weights(m: MeasureLike, i: np.ndarray, g: np.ndarray, R: float) -> np.ndarray:
    """W of INST: W(1) makes the sum of all weights 1, then W(i+1) = W(i)·C(i)."""
    from scipy.special import zeta

    v = np.cumprod(np.append(1.0, inst_continuation(m, i, g, R)))
    b = len(i) + 2 * m["T"] - g.sum()
    return v[:-1] / (v[:-1].sum() + v[-1] * b**2 * zeta(2, b))


def inst_continuation(m: MeasureLike, i: np.ndarray, g: np.ndarray, R: float) -> np.ndarray:
    """C of INST, ((i + T + Tᵢ − 1) / (i + T + Tᵢ))² with Tᵢ = T − Σⱼ≤ᵢ gⱼ."""
    b = i + 2 * m["T"] - np.cumsum(g)
    return ((b - 1) / b) ** 2


def average_precision_weights(m: MeasureLike, i: np.ndarray, g: np.ndarray, R: float) -> np.ndarray:
    """W of AP (yang2019 Equation 2.10): the gains from each rank down, over their ranks, over R."""
    counted = np.where(_within(m, i), g, 0.0)
    return _ratio(np.cumsum((counted / i)[::-1])[::-1], np.asarray(float(R)))


def normalised_cumulative_precision_weights(
    m: MeasureLike, i: np.ndarray, g: np.ndarray, R: float
) -> np.ndarray:
    """W of NCP: Σ p(j) / j over the relevant ranks j from each rank down."""
    relevant = g > 0
    p = np.zeros(len(i))
    p[relevant] = _powers(m["gamma"], relevant.sum())
    p = np.where(_within(m, i), p, 0.0)
    total = _powers(m["gamma"], int(R)).sum()
    return _ratio(np.cumsum((p / i)[::-1])[::-1], np.asarray(total))


def reciprocal_rank_weights(m: MeasureLike, i: np.ndarray, g: np.ndarray, R: float) -> np.ndarray:
    """W of RR (yang2019 Equation 2.11)."""
    first = i[(g > 0) & _within(m, i)].min(initial=np.inf)
    return np.where(i <= first, 1 / first, 0.0)


def reciprocal_rank_continuation(
    m: MeasureLike, i: np.ndarray, g: np.ndarray, R: float
) -> np.ndarray:
    """C of RR: 1 before the first relevant document, 0 from there on."""
    cutoff = np.inf if m["cutoff"] is None else m["cutoff"]
    return ((np.cumsum(g > 0) == 0) & (i < cutoff)).astype(np.float64)


def _within(m: MeasureLike, i: np.ndarray) -> np.ndarray:
    return np.ones(len(i), dtype=bool) if m["cutoff"] is None else i <= m["cutoff"]


# Several sets: a ranking's grades by each criterion; unjudged documents have the grade 0


def normalised_local_rank_error(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """NLRE of the ranked documents, down to rank k."""
    return _rank_error(lists, m, "local")


def normalised_global_rank_error(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """NGRE of the ranked documents, down to rank k."""
    return _rank_error(lists, m, "global")


def _rank_error(lists: JudgedLists, m: MeasureLike, kind: str) -> np.ndarray:
    weights = set_weights(m["mu"], m["nu"], 1 + len(m.sets))
    if not sum(weights) > 0:
        raise ParameterError(f"{m}: all weights are 0: give one of mu and nu a number above 0")
    return _of_rankings(
        lists, m, lambda grades: normalised_rank_error(grades, weights, kind, m["ties"])
    )


def normalised_weighted_cumulative_score(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """NWCS of the ranked documents, down to rank k."""
    shares = np.array(set_shares(m["share"], 1 + len(m.sets)))
    if m["scaled"]:
        shares = shares / [_finite_scale(m, each) for each in _all_lists(lists, m)]
    return _of_rankings(lists, m, lambda grades: normalised_weighted_score(grades, shares))


def _finite_scale(m: MeasureLike, lists: JudgedLists) -> float:
    if np.isinf(lists.max_grade):
        raise ParameterError(f"{m}: a scale has no highest grade to scale by: leave out scaled")
    return lists.max_grade


def convex_aggregating_measure(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """CAM."""
    return convex_mean(_values_of_parts(lists, m), set_shares(m["share"], 1 + len(m.sets)))


def weighted_harmonic_mean_aggregating_measure(lists: JudgedLists, m: MeasureLike) -> np.ndarray:
    """WHAM."""
    return harmonic_mean(_values_of_parts(lists, m), set_shares(m["share"], 1 + len(m.sets)))


def _all_lists(lists: JudgedLists, m: MeasureLike) -> list[JudgedLists]:
    return [lists, *(lists.others[name] for name in m.sets)]


def _values_of_parts(lists: JudgedLists, m: MeasureLike) -> list[np.ndarray]:
    """(S, T) of each set, by the measure that is taken of it."""
    return [
        part.values(each.condensed() if part.judged_only else each)
        for part, each in zip(m.parts, _all_lists(lists, m), strict=True)
    ]


def _of_rankings(
    lists: JudgedLists, m: MeasureLike, value: Callable[[np.ndarray], float]
) -> np.ndarray:
    """(S, T) of what `value` makes of the (K, n) grades of each ranking, down to rank k."""
    for each in _all_lists(lists, m):
        check_grades(m, each.judged.grades)
    grades = [
        np.append(each.judged.grades, 0.0).clip(min=0)[each.rows] for each in _all_lists(lists, m)
    ]
    starts = [each.starts for each in _all_lists(lists, m)]
    lengths = lists.lengths(m["cutoff"])
    values = np.zeros(lengths.shape)
    for place in zip(*np.nonzero(lengths), strict=True):
        n = lengths[place]
        values[place] = value(
            np.array([g[s[place] : s[place] + n] for g, s in zip(grades, starts, strict=True)])
        )
    return values
