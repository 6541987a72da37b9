"""Which pairs to ask next, given the answers so far: the policies of `next_pairs`, going on.

A topic's questions are chosen one after the other, each among the pairs of its documents that were
neither answered nor chosen before.  No answer comes in between, so that a batch is chosen as if
each answer would be as likely as the strengths make it: they stay where they are, and what is not
known of them shrinks as it will whatever is answered (`regrade.preferences.posterior`).

Questions go to the topic that has fewest per document, answers so far counting: what a policy wins
was measured after equally many per document.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
import pandas as pd

from regrade.choices import ASKING_POLICIES, PAIR_POLICIES
from regrade.errors import ParameterError, check_choice
from regrade.preferences.next_pairs import (
    TOP,
    best_pair,
    how_open,
    values_by_counts,
    values_by_strengths,
)
from regrade.preferences.pairing import balanced_sides
from regrade.preferences.posterior import (
    SPREAD,
    Recorded,
    answer_update,
    logistic,
    posterior,
)
from regrade.randomness import generator


@dataclass(frozen=True)
class Asking:
    """How the next pairs are chosen.

    Attributes
    ----------
    policy
        One of `regrade.choices.ASKING_POLICIES`.
    top
        k of ``top``.
    spread
        Of strengths before the answers.
    per_topic
        Whether each topic is asked the same number of questions.
    seed
        Of the choice among equal pairs, and of sides.
    """

    policy: str = "information"
    top: int = TOP
    spread: float = SPREAD
    per_topic: bool = False
    seed: int = 1

    def __post_init__(self):
        """Refuse what cannot be asked."""
        if self.policy == "tournament":
            raise ParameterError(
                "policy 'tournament' needs each answer before the next pair, and can only be "
                f"replayed: choose one of {', '.join(ASKING_POLICIES)}"
            )
        check_choice("policy", self.policy, ASKING_POLICIES)
        if self.top < 1 or not self.spread > 0:
            raise ParameterError(f"top is {self.top}, spread {self.spread}: name numbers above 0")


@dataclass(frozen=True, eq=False)
class Topic:
    """A topic's D documents, and which P of their pairs were answered.

    Attributes
    ----------
    topic
        Its name.
    docnos
        D docnos, ascending.
    first, second, wins, losses
        (P,): the documents of each answered pair by number, and answers for each; a tie is half.
    """

    topic: str
    docnos: tuple[str, ...]
    first: np.ndarray
    second: np.ndarray
    wins: np.ndarray
    losses: np.ndarray

    @classmethod
    def of(cls, topic: str, recorded: Recorded | None, documents: Sequence[str] = ()) -> Topic:
        """A topic with its answers, if there are any, and further documents."""
        known = () if recorded is None else recorded.docnos
        docnos = tuple(sorted({*known, *documents}))
        if recorded is None:
            none = np.empty(0, dtype=np.int64)
            return cls(topic, docnos, none, none, np.empty(0), np.empty(0))
        number = np.searchsorted(np.array(docnos, dtype=object), np.array(known, dtype=object))
        ends = (number[recorded.first], number[recorded.second])
        return cls(topic, docnos, *ends, recorded.wins, recorded.losses)

    @property
    def n_answers(self) -> int:
        """Answers."""
        return round(float((self.wins + self.losses).sum()))

    @property
    def n_open(self) -> int:
        """Pairs that nobody was asked about."""
        return comb(len(self.docnos), 2) - len(self.first)

    def next_pairs(self, count: int, how: Asking) -> np.ndarray:
        """(count, 2) int64 numbers of documents, in the order in which they are to be asked."""
        n, rng = len(self.docnos), generator(how.seed, "next pairs", how.policy, self.topic)
        first, second = map(np.ascontiguousarray, np.triu_indices(n, 1))
        times = np.zeros(len(first), dtype=np.int64)
        low, high = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        times[low * (2 * n - low - 1) // 2 + high - low - 1] = 1
        answers = np.rint(self.wins + self.losses).astype(np.int64)
        appearances = np.zeros(n, dtype=np.int64)
        np.add.at(appearances, np.r_[self.first, self.second], np.tile(answers, 2))
        now = posterior(n, self.first, self.second, self.wins, self.losses, how.spread)
        x, covariance = now.mean, now.covariance
        of_each = np.diag(covariance)
        variances = np.maximum(of_each[first] + of_each[second] - 2 * covariance[first, second], 0)
        policy, values, open_for = PAIR_POLICIES.index(how.policy), np.empty(len(first)), np.ones(n)
        order, once = rng.permutation(len(first)), np.arange(len(first) + 1)
        chosen = np.empty(count, dtype=np.int64)
        for place in range(count):
            if how.policy in ("random", "even"):
                values_by_counts(values, first, second, times, appearances, policy)
            else:
                if how.policy == "top":
                    how_open(x, covariance, how.top, open_for)
                values_by_strengths(values, first, second, x, variances, open_for, policy)
            p = chosen[place] = best_pair(once, order, times, values)
            i, j = first[p], second[p]
            times[p] = 1
            appearances[[i, j]] += 1
            # as likely as strengths have it: these stay
            along, less = answer_update(x, covariance, i, j, logistic(x[i] - x[j]))
            variances -= less * (along[first] - along[second]) ** 2
        return np.column_stack([first[chosen], second[chosen]])


def topics_of(
    recorded: Sequence[Recorded], documents: Mapping[str, Sequence[str]] | None = None
) -> list[Topic]:
    """The topics that have answers or documents, sorted."""
    known, documents = {topic.topic: topic for topic in recorded}, documents or {}
    return [
        Topic.of(name, known.get(name), documents.get(name, ()))
        for name in sorted({*known, *documents})
    ]


def places(topics: Sequence[Topic], count: int, per_topic: bool = False) -> list[int]:
    """Which topic each of the next questions goes to."""
    assigned = [0] * len(topics)

    def state(t: int) -> tuple[float, int]:
        before = 0 if per_topic else topics[t].n_answers
        return (before + assigned[t]) / (1 if per_topic else len(topics[t].docnos)), t

    def is_open(t: int) -> bool:
        return assigned[t] < (min(topics[t].n_open, count) if per_topic else topics[t].n_open)

    left = [state(t) for t in range(len(topics)) if is_open(t)]
    heapq.heapify(left)
    chosen: list[int] = []
    while left and (per_topic or len(chosen) < count):
        t = heapq.heappop(left)[1]
        chosen.append(t)
        assigned[t] += 1
        if is_open(t):
            heapq.heappush(left, state(t))
    return chosen


def next_questions(topics: Sequence[Topic], count: int, how: Asking) -> pd.DataFrame:
    """The next pairs to ask, in the order in which they are to be asked."""
    if count < 1:
        raise ParameterError(f"{count} pairs are asked for: name a number of 1 or more")
    to = np.array(places(topics, count, how.per_topic), dtype=np.int64)
    rows = np.empty((len(to), 3), dtype=object)
    for t, topic in enumerate(topics):
        here = np.flatnonzero(to == t)
        if not len(here):
            continue
        pairs = topic.next_pairs(len(here), how)
        rng = generator(how.seed, "sides of next pairs", topic.topic)
        turned = balanced_sides(pairs, np.zeros(len(pairs), dtype=np.int64), rng)
        names = np.array(topic.docnos, dtype=object)[
            np.where(turned[:, None], pairs[:, ::-1], pairs)
        ]
        rows[here, 0], rows[here, 1:] = topic.topic, names
    return pd.DataFrame(rows, columns=["topic", "left", "right"])
