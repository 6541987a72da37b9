"""Measures of rankings with ties: exact expectations, and the best and worst orders.

The formulas of `regrade.measures` are written in three sums over rankings (`JudgedLists`).
Here are rankings whose sums are those of tied documents, so that each formula gives the score
with ties, with all its parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from regrade.choices import UNJUDGED_IN_RANGES
from regrade.compiled import njit
from regrade.errors import ParameterError, check_choice
from regrade.measures import Measure, parse_all
from regrade.run_arrays import NO_DOCUMENT, JudgedLists
from regrade.tied_scores.groups import TieGroups, sorted_in_groups

UTILITY_BASED = ("P", "RR", "DCG", "SDCG", "ERR", "RBP", "INSQ")
"""Measures that depend on the ranking's own documents only, and not on what else is relevant."""

RECALL_BASED = ("R", "F", "Rprec", "AP", "nDCG", "nERR")
"""Measures that divide by what a topic's relevant documents could give."""


@dataclass(frozen=True, eq=False)
class TiedLists(JudgedLists):
    """Rankings with ties; see `JudgedLists` for the other attributes.

    Attributes
    ----------
    group_starts
        (G + 1,) int64; as `TieGroups.starts`.
    """

    group_starts: np.ndarray

    @classmethod
    def of(cls, lists: JudgedLists, groups: TieGroups) -> TiedLists:
        """Rankings of judged documents with their ties."""
        groups.check(len(lists.rows), np.stack([lists.starts, lists.stops]))
        return cls(**_untied(lists), group_starts=groups.starts)

    def condensed(self):
        """The rankings without their unjudged documents; the others stay tied as they were."""
        plain = super().condensed()
        # documents of topics that are not judged are unjudged too
        kept = np.append(self.judged.grades >= 0, False)[self.rows]
        starts = np.concatenate([[0], np.cumsum(kept)])[self.group_starts]
        is_new = np.append(True, starts[1:] > starts[:-1])  # no empty groups
        return type(self)(**_untied(plain), group_starts=starts[is_new])


class ExpectedLists(TiedLists):
    """Each sum is its expectation over all orders of each group, all equally likely."""

    _independent = False
    """Whether AP takes relevance at a rank as independent of that above it."""

    def weighted_sum(self, gains, weights, cutoff=None):
        """Σ wᵢ·E[gᵢ]: a document at rank i has the mean gain of its group."""
        return _expected_weighted_sum(
            self.rows, self.starts, self.stops, self.group_starts, gains, weights,
            self._depths(cutoff),
        )  # fmt: skip

    def precision_sum(self, relevant, cutoff=None):
        """The expected sum of the precision at relevant documents (McSherry and Najork 2008)."""
        return _expected_precision_sum(
            self.rows, self.starts, self.stops, self.group_starts, relevant,
            self._depths(cutoff), self._independent,
        )  # fmt: skip

    def cascade(self, stopping, cutoff=None):
        """The expected 1/i of the rank at which a user stops, over orders and users."""
        return _expected_cascade(
            self.rows, self.starts, self.stops, self.group_starts, stopping, self._depths(cutoff)
        )


class MarginalLists(ExpectedLists):
    """`ExpectedLists` but for AP, which is that of yang2019 Eq. 3.3: Σᵢ E[P@i]·E[relᵢ]."""

    _independent = True


class BestLists(TiedLists):
    """Each sum is the largest of all orders: in each group the higher gain comes first."""

    def weighted_sum(self, gains, weights, cutoff=None):
        """As `JudgedLists.weighted_sum`; the weights may not rise."""
        return self._ordered(gains).weighted_sum(gains, weights, cutoff)

    def precision_sum(self, relevant, cutoff=None):
        """As `JudgedLists.precision_sum`."""
        return self._ordered(relevant).precision_sum(relevant, cutoff)

    def cascade(self, stopping, cutoff=None):
        """As `JudgedLists.cascade`."""
        return self._ordered(stopping).cascade(stopping, cutoff)

    def _ordered(self, gains: np.ndarray) -> JudgedLists:
        rows = sorted_in_groups(self.rows, self.group_starts, self._keys(gains))
        return JudgedLists(**(_untied(self) | {"rows": rows}))

    @staticmethod
    def _keys(gains: np.ndarray) -> np.ndarray:
        return -gains


class WorstLists(BestLists):
    """Each sum is the smallest of all orders: in each group the lower gain comes first."""

    @staticmethod
    def _keys(gains: np.ndarray) -> np.ndarray:
        return gains


def expected(
    lists: JudgedLists, groups: TieGroups, measures: Sequence[str | Measure]
) -> np.ndarray:
    """The mean score over all orders of each group, exactly."""
    return score_lists(ExpectedLists.of(lists, groups), _supported(measures))


def marginal_ap(lists: JudgedLists, groups: TieGroups, measure: str | Measure = "AP") -> np.ndarray:
    """The averaged AP of yang2019 Eq. 3.3, (S, T) float64: *not* the expectation of AP.

    It multiplies the expected precision at a rank with the probability that the document there is
    relevant.  The two are dependent: given that it is, it counts itself, and fewer others are left.
    """
    measures = _supported([measure])
    if measures[0].name != "AP":
        raise ParameterError(f"{measures[0]}: Eq. 3.3 is of AP: give an AP")
    return score_lists(MarginalLists.of(lists, groups), measures)[:, :, 0]


def limits(
    lists: JudgedLists,
    groups: TieGroups,
    measures: Sequence[str | Measure],
    *,
    unjudged: str = "non-relevant",
) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and the highest score of any order of tied documents (yang2019 §3.1)."""
    check_choice("unjudged", unjudged, UNJUDGED_IN_RANGES)
    measures = _supported(measures)
    pessimistic = score_lists(WorstLists.of(lists, groups), measures)
    best = BestLists.of(lists, groups)
    optimistic = np.empty_like(pessimistic)
    for m, measure in enumerate(measures):
        is_open = unjudged == "relevant" and measure.name in UTILITY_BASED
        orders = _unjudged_relevant(best, measure) if is_open and not measure.judged_only else best
        optimistic[:, :, m] = score_lists(orders, [measure])[:, :, 0]
    return pessimistic, optimistic


def _untied(lists: JudgedLists) -> dict[str, object]:
    """The attributes that rankings have with ties and without."""
    return {field.name: getattr(lists, field.name) for field in fields(JudgedLists)}


def check_tied(measure: Measure) -> None:
    """Refuse a measure whose expectation over the orders of tied documents is not known."""
    known = (*UTILITY_BASED, *RECALL_BASED)
    if measure.name not in known:
        raise ParameterError(
            f"{measure}: not available for tied documents; there is {', '.join(known)}"
        )


def _supported(measures: Sequence[str | Measure]) -> tuple[Measure, ...]:
    measures = parse_all(measures)
    for measure in measures:
        check_tied(measure)
    return measures


def score_lists(lists: JudgedLists, measures: Sequence[Measure]) -> np.ndarray:
    """(S, T, M) float64: the measures' formulas of rankings with or without ties."""
    values = np.empty((*lists.starts.shape, len(measures)))
    for m, measure in enumerate(measures):
        scored = lists.condensed() if measure.judged_only else lists
        values[:, :, m] = measure.values(scored)
    return values


def _unjudged_relevant(lists: TiedLists, measure: Measure) -> TiedLists:
    """The rankings with unjudged documents as judged ones of the highest grade.

    Their row is the one after the last of the qrels: a row put there is theirs.  It is of no topic,
    which only measures could tell that look at documents out of the ranking.
    """
    judged = lists.judged
    own = dict(measure.settings).get("max_rel")
    if measure.by_topic:
        raise ParameterError(
            f"{measure}: an unjudged document that counts as one of the highest grade needs a "
            "scale that has one: give max_rel a number"
        )
    highest = lists.max_grade if own is None else own
    opened = replace(
        judged,
        documents=np.append(judged.documents, np.int32(NO_DOCUMENT)),
        grades=np.append(judged.grades, highest),
    )
    return replace(lists, judged=opened)


# Kernels.  Each ranking is rows[starts[s, t]:stops[s, t]], down to the depth of its topic; its
# groups are consecutive in group_starts.  A cutoff may cut a group: ranks below it do not
# count, but the documents there may stand above it as well.


@njit(cache=True, nogil=True)
def _expected_weighted_sum(rows, starts, stops, group_starts, gains, weights, depths):
    sums = np.zeros(starts.shape)
    for s in range(starts.shape[0]):
        for t in range(starts.shape[1]):
            first = starts[s, t]
            stop = min(stops[s, t], first + depths[t])
            g = np.searchsorted(group_starts, first)
            total = 0.0
            while group_starts[g] < stop:
                begin, end = group_starts[g], group_starts[g + 1]
                g += 1
                gain = 0.0
                for i in range(begin, end):
                    gain += gains[rows[i]]
                if gain == 0:
                    continue
                weight = 0.0
                for i in range(begin, min(end, stop)):
                    weight += weights[i - first]
                total += weight * gain / (end - begin)
            sums[s, t] = total
    return sums


@njit(cache=True, nogil=True)
def _expected_precision_sum(rows, starts, stops, group_starts, relevant, depths, independent):
    sums = np.zeros(starts.shape)
    for s in range(starts.shape[0]):
        for t in range(starts.shape[1]):
            first = starts[s, t]
            stop = min(stops[s, t], first + depths[t])
            g = np.searchsorted(group_starts, first)
            above = 0.0
            total = 0.0
            while group_starts[g] < stop:
                begin, end = group_starts[g], group_starts[g + 1]
                g += 1
                R = 0.0
                for i in range(begin, end):
                    R += relevant[rows[i]]
                if R == 0:
                    continue
                share = R / (end - begin)
                # of the others in the group, given that this one is relevant
                others = (R - 1) / max(end - begin - 1, 1)
                for i in range(begin, min(end, stop)):
                    if independent:
                        expected = above + share * (i - begin + 1)
                    else:
                        expected = above + 1 + (i - begin) * others
                    total += share * expected / (i - first + 1)
                above += R
            sums[s, t] = total
    return sums


@njit(cache=True, nogil=True)
def _expected_cascade(rows, starts, stops, group_starts, stopping, depths):
    largest = 0
    for g in range(group_starts.size - 1):
        largest = max(largest, group_starts[g + 1] - group_starts[g])
    reading = np.empty(largest + 1)
    expected = np.zeros(starts.shape)
    for s in range(starts.shape[0]):
        for t in range(starts.shape[1]):
            first = starts[s, t]
            stop = min(stops[s, t], first + depths[t])
            g = np.searchsorted(group_starts, first)
            still_reading = 1.0  # after the groups so far, whatever their order
            total = 0.0
            while group_starts[g] < stop and still_reading > 0:
                begin, end = group_starts[g], group_starts[g + 1]
                g += 1
                group = rows[begin:end]
                if group.size == 1:
                    stops_here = stopping[group[0]]
                    total += still_reading * stops_here / (begin - first + 1)
                    still_reading *= 1 - stops_here
                    continue
                seen = min(end, stop) - begin
                after_all = _still_reading(group, stopping, seen, reading)
                if after_all < 1:
                    for m in range(seen):
                        stops_here = reading[m] - reading[m + 1]
                        total += still_reading * stops_here / (begin - first + 1 + m)
                    still_reading *= after_all
            expected[s, t] = total
    return expected


@njit(cache=True, nogil=True, inline="always")
def _still_reading(group, stopping, seen, reading):
    """Put E[Πⱼ≤ₘ qⱼ] of the first m documents into ``reading[:seen + 1]``, qⱼ = 1 − stoppingⱼ.

    It is the mean product of all choices of m of the group's l documents, the elementary symmetric
    polynomial e_m(q) / (l over m).  With one document more a choice holds it with probability m/l:
    all terms are positive and nothing overflows.  Returns the product of all q.
    """
    size = 0
    product = 1.0
    for row in group:
        if stopping[row] == 0:
            size += 1
    for m in range(min(size, seen) + 1):
        reading[m] = 1.0
    for row in group:
        if stopping[row] == 0:
            continue
        q = 1 - stopping[row]
        product *= q
        size += 1
        if size <= seen:
            reading[size] = 0.0
        for m in range(min(size, seen), 0, -1):
            holds = m / size
            reading[m] = holds * q * reading[m - 1] + (1 - holds) * reading[m]
    return product
