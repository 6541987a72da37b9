"""What measures are of the grades of a frame's documents.

Three kinds: sums Σ W(i)·gain, ratios of such a sum and its highest value, and average precision.
Each tells of one topic what is expected of each system, what each label moves that, and how much
each document's grade would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from regrade import formulas
from regrade.errors import ParameterError
from regrade.estimation.frame import UNRANKED, TopicLists
from regrade.estimation.kernels import (
    added_by_each,
    average_precision,
    capped_counts,
)
from regrade.measures import Measure, check_estimable, is_sum, parse_all

_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Guess:
    """What is known of the grades of a topic's n documents, m of them labelled.

    Attributes
    ----------
    lists
        Where they are ranked.
    labelled, levels
        (m,) int64 rows and their levels, 0 … L − 1.
    shares
        (n, L) probability of each level: of a labelled document without its own label.
    draws
        (n, B) int8 levels drawn; those of labelled documents are their labels.
    weights
        (m, B) of the draws without the label of each labelled document, adding up to 1.
    drawn_shares
        (m, L, B) of labelled documents, in each draw.
    """

    lists: TopicLists
    labelled: np.ndarray
    levels: np.ndarray
    shares: np.ndarray
    draws: np.ndarray
    weights: np.ndarray
    drawn_shares: np.ndarray

    def known(self, gains: np.ndarray) -> np.ndarray:
        """(n,) expected gains; of labelled documents their own."""
        expected = self.shares @ gains
        expected[self.labelled] = gains[self.levels]
        return expected

    def spread(self, gains: np.ndarray) -> np.ndarray:
        """(n,) standard deviations of gains."""
        return _spread(self.shares, gains)

    @property
    def known_shares(self) -> np.ndarray:
        """(n, L) probability of each level; of labelled documents 1 of their own."""
        return with_known(self.shares, self.labelled, self.levels)


def with_known(shares: np.ndarray, labelled: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """(n, L) probability of each level; of labelled rows 1 of their own, of (m,) levels."""
    known = shares.copy()
    known[labelled] = np.eye(shares.shape[1])[levels]
    return known


def _spread(shares: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(n,) standard deviations of values (L,) that have these probabilities."""
    return np.sqrt(np.maximum(shares @ values**2 - (shares @ values) ** 2, 0))


@dataclass(frozen=True, eq=False)
class TopicEstimate:
    """What is said of one topic.

    Attributes
    ----------
    expected
        (S,) values.
    moved
        (S, m) by how much each label moves the value beside what was expected of it.
    counted
        (c,) rows of the documents whose ranks count for some system.
    sway
        (S, c) the standard deviation that each of their grades gives the value.
    drawn
        (S, B) values in each draw; ``None`` where the value is a sum over documents.
    unseen
        (S, B) the part of each that rests on unlabelled documents in the ideal ranking; ``None``
        where there is none.
    """

    expected: np.ndarray
    moved: np.ndarray
    counted: np.ndarray
    sway: np.ndarray
    drawn: np.ndarray | None = None
    unseen: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Sum:
    """Σ W(i)·gain.

    Attributes
    ----------
    measure
        As it is written.
    gains
        (L,) gain of each level.
    """

    measure: Measure
    gains: np.ndarray
    is_sum = True

    def weights(self, ranks: np.ndarray) -> np.ndarray:
        """W of ranks, 0 of what is not ranked."""
        depth = self.measure["cutoff"] or int(ranks.max(initial=0))
        return _weights(self.measure, depth)[np.minimum(ranks, depth + 1)]

    def counted(self, lists: TopicLists) -> np.ndarray:
        """(c,) rows of the documents whose ranks count for some system."""
        return np.flatnonzero(lists.best <= (self.measure["cutoff"] or UNRANKED - 1))

    def value(self, levels: np.ndarray, lists: TopicLists) -> np.ndarray:
        """(S,) of documents that have these levels."""
        counted = self.counted(lists)
        return self.weights(lists.ranks[:, counted]) @ self.gains[levels[counted]]

    def of(self, guess: Guess) -> TopicEstimate:
        """What is said of a topic."""
        ranks, counted, m = guess.lists.ranks, self.counted(guess.lists), guess.labelled
        W = self.weights(ranks[:, counted])
        off = self.gains[guess.levels] - guess.shares[m] @ self.gains
        return TopicEstimate(
            W @ guess.known(self.gains)[counted],
            self.weights(ranks[:, m]) * off,
            counted,
            W * guess.spread(self.gains)[counted],
        )

    def expected_ideal(self, shares: np.ndarray) -> float:
        """What a sum is divided by: nothing."""
        return 1.0

    def of_shares(self, shares: np.ndarray, lists: TopicLists) -> np.ndarray:
        """(S,) of documents whose levels have these probabilities, (n, L)."""
        return self.weights(lists.ranks) @ (shares @ self.gains)

    def influence(self, shares: np.ndarray, lists: TopicLists) -> np.ndarray:
        """(S, n, L − 1) by how much each step up of a document moves the value."""
        W = self.weights(lists.ranks)
        return W[:, :, None] * np.diff(self.gains)


@dataclass(frozen=True, eq=False)
class Ratio(Sum):
    """Σ W(i)·gain over its highest value, of the frame's documents in their best order."""

    is_sum = False
    steps: np.ndarray = field(init=False)

    def __post_init__(self):
        """Note the distinct gains, by which ideal rankings are counted."""
        object.__setattr__(self, "steps", np.unique(np.append(0.0, self.gains)))

    def _cumulated(self, n: int) -> np.ndarray:
        """(k + 1,) Σ W(i) of the first 0 … k ranks that n documents can take."""
        depth = n if self.measure["cutoff"] is None else min(n, self.measure["cutoff"])
        return np.append(0.0, np.cumsum(self.weights(np.arange(1, depth + 1))))

    def _ideal(self, counts: np.ndarray, n: int) -> np.ndarray:
        """The highest value, of counts (G, …) of documents with at least each gain above 0."""
        cumulated = self._cumulated(n)
        within = np.minimum(counts, len(cumulated) - 1)
        return np.tensordot(np.diff(self.steps), cumulated[within], axes=1)

    def _reaches(self, levels: np.ndarray) -> np.ndarray:
        """(G, …) whether levels have at least each gain above 0."""
        return np.array([self.gains[levels] >= gain for gain in self.steps[1:]])

    def value(self, levels: np.ndarray, lists: TopicLists) -> np.ndarray:
        """(S,) of documents that have these levels."""
        ideal = self._ideal(self._reaches(levels).sum(axis=1), len(levels))
        return super().value(levels, lists) * _inverse(ideal)

    def of(self, guess: Guess) -> TopicEstimate:
        """What is said of a topic: the ideal from draws, the sum by the labels as well."""
        ranks, counted, m = guess.lists.ranks, self.counted(guess.lists), guess.labelled
        W, L = self.weights(ranks[:, counted]), len(self.gains)
        of_level = np.array([np.count_nonzero(guess.draws == level, axis=0) for level in range(L)])
        counts = self._reaches(np.arange(L)).astype(int) @ of_level
        ideal = self._ideal(counts, len(guess.shares))
        inverse = _inverse(ideal)
        drawn = (W @ self.gains[guess.draws[counted]]) * inverse
        of_labels = self._ideal(self._reaches(guess.levels).sum(axis=1), len(guess.shares))
        expected = np.tensordot(self.gains, guess.drawn_shares, axes=(0, 1))
        off = self.gains[guess.levels][:, None] - expected
        moved = self.weights(ranks[:, m]) * (guess.weights * inverse * off).sum(axis=1)
        sway = W * (guess.spread(self.gains)[counted] * inverse.mean())
        unseen = drawn * (1 - of_labels * inverse)
        return TopicEstimate(drawn.mean(axis=1), moved, counted, sway, drawn, unseen)

    def expected_ideal(self, shares: np.ndarray) -> float:
        """The expectation of the highest value, documents being independent.

        Σ over gains and ranks i of W(i) times the probability of at least i such documents: counts
        of independent events are Poisson-binomial.
        """
        cumulated = self._cumulated(len(shares))
        k = len(cumulated) - 1
        reached = [capped_counts(p, k) @ cumulated for p in self._reach_shares(shares)]
        return float(np.diff(self.steps) @ reached)

    def ideal_steps(self, shares: np.ndarray) -> np.ndarray:
        """(n, L − 1) by how much each step up of a document moves that."""
        cumulated = self._cumulated(len(shares))
        by_gain = [added_by_each(p, cumulated) for p in self._reach_shares(shares)]
        reached = self._reaches(np.arange(len(self.gains)))
        added = np.diff(reached.astype(float), axis=1) * np.diff(self.steps)[:, None]
        return np.array(by_gain).T @ added

    def _reach_shares(self, shares: np.ndarray) -> np.ndarray:
        """(G, n) probability of each gain above 0."""
        return self._reaches(np.arange(len(self.gains))).astype(float) @ shares.T

    def of_shares(self, shares: np.ndarray, lists: TopicLists) -> np.ndarray:
        """(S,) expected sums over the expected highest value."""
        return super().of_shares(shares, lists) * _inverse(np.array(self.expected_ideal(shares)))

    def influence(self, shares: np.ndarray, lists: TopicLists) -> np.ndarray:
        """(S, n, L − 1) by how much each step up of a document moves the value."""
        inverse = _inverse(np.array(self.expected_ideal(shares)))
        own, value = super().influence(shares, lists), self.of_shares(shares, lists)
        return (own - value[:, None, None] * self.ideal_steps(shares)) * inverse


@dataclass(frozen=True, eq=False)
class AveragePrecision:
    """Average precision; the frame's relevant documents are all that there are.

    Attributes
    ----------
    measure
        As it is written.
    gains
        (L,) 1 of levels that are relevant, else 0.
    """

    measure: Measure
    gains: np.ndarray
    is_sum = False

    def _all(
        self,
        relevant: np.ndarray,
        lists: TopicLists,
        weights: np.ndarray | None = None,
        labelled: np.ndarray = _NONE,
    ) -> tuple:
        cutoff = self.measure["cutoff"] or int(np.iinfo(np.int32).max)
        place = np.full(len(relevant), -1, np.int64)
        place[labelled] = np.arange(len(labelled))
        if weights is None:
            weights = np.zeros((0, relevant.shape[1]))
        inverse = _inverse(relevant.sum(axis=0))
        return average_precision(*lists.rankings, cutoff, relevant, inverse, weights, place)

    def value(self, levels: np.ndarray, lists: TopicLists) -> np.ndarray:
        """(S,) of documents that have these levels."""
        return self._all(self.gains[levels][:, None], lists)[0][:, 0]

    def of(self, guess: Guess) -> TopicEstimate:
        """What is said of a topic: the number of relevant documents from draws."""
        expected = np.tensordot(self.gains, guess.drawn_shares, axes=(0, 1))
        off = self.gains[guess.levels][:, None] - expected
        drawn, moved, added = self._all(
            self.gains[guess.draws], guess.lists, guess.weights * off, guess.labelled
        )
        counted = np.flatnonzero(guess.lists.best < UNRANKED)
        sway = (added * guess.spread(self.gains))[:, counted]
        return TopicEstimate(drawn.mean(axis=1), moved, counted, sway, drawn)

    def influence(self, shares: np.ndarray, lists: TopicLists) -> np.ndarray:
        """(S, n, L − 1) by how much each step up of a document moves the value."""
        relevant = (shares @ self.gains)[:, None]
        values, _, added = self._all(relevant, lists)
        centred = added - values * _inverse(relevant.sum(axis=0))
        return centred[:, :, None] * np.diff(self.gains)


Functional = Sum | Ratio | AveragePrecision


def sways_of_unlabelled(functional: Ratio | AveragePrecision, guess: Guess) -> np.ndarray:
    """(S, n) by how much a standard deviation of each document's gain moves the value, linearised.

    Up or down, as a document counts in ideal rankings too; 0 of labelled ones.
    """
    shares, gains = guess.known_shares, functional.gains
    steps = functional.influence(shares, guess.lists)
    centred = shares * (gains - (shares @ gains)[:, None])
    # a step counts for the levels above it
    above = centred[:, :0:-1].cumsum(axis=1)[:, ::-1]
    return np.einsum("snl,nl->sn", steps, above) * _inverse(_spread(shares, gains))


def functionals(measures: Sequence[str | Measure], levels: Sequence[float]) -> list[Functional]:
    """What measures are of grades."""
    levels, of_measures = np.array(levels, float), []
    for measure in parse_all(measures):
        check_estimable(measure)
        if measure.name in ("P", "AP"):
            gains = (levels >= measure["rel"]).astype(float)
        elif measure.name in ("DCG", "nDCG"):
            gains = formulas.dcg_gains(measure, levels)
        else:
            gains = formulas.gain_shares(measure, levels, float(levels[-1]))
        if not gains.any():
            raise ParameterError(
                f"{measure} gives no grade of the scale a gain: every value would be 0"
            )
        kind = Sum if is_sum(measure) else Ratio
        of_measures.append((AveragePrecision if measure.name == "AP" else kind)(measure, gains))
    return of_measures


def _inverse(values: np.ndarray) -> np.ndarray:
    """1 / values, 0 of 0."""
    return np.divide(1.0, values, out=np.zeros(np.shape(values)), where=values > 0)


@lru_cache
def _weights(measure: Measure, depth: int) -> np.ndarray:
    """(depth + 2,) W of ranks, 0 of rank 0 and of the last."""
    i = np.arange(1.0, depth + 1)
    # an nDCG has those of its DCG
    of_ranks = formulas.dcg_weights if measure.name == "nDCG" else Measure.weights
    weights = of_ranks(measure, i, i, 0.0) if depth else np.zeros(0)
    return np.concatenate([[0.0], weights, [0.0]])
