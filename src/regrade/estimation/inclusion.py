"""Which documents people label: with what probability each is chosen, and the choice.

A document matters as much as its grade may move the systems' values: the root mean square over
systems of the standard deviation that its grade gives to each, or over differences of systems where
these are what is asked.  How far a grade may be off is guessed from the model's value alone where
no label is there yet, and hedged against that guess being wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import expit, ndtri

from regrade.choices import LEAST_INCLUSION
from regrade.errors import ParameterError
from regrade.estimation.frame import Frame
from regrade.estimation.functionals import Functional
from regrade.estimation.grades import middle_places
from regrade.estimation.posterior import level_shares
from regrade.wording import counted

SLOPE = 1.5
"""By how much the guessed logit rises with a standard deviation of the model's value."""

HEDGE = 0.3
"""The part of a guess that is the same for all documents."""

FLOOR = 0.1
"""No document has less than this part of the mean importance."""

_HIGHEST_PLACE = 0.995

_IS_SURE = LEAST_INCLUSION
"""A probability so near to 0 or 1 is that, but for the last bits of sums."""


def guessed_shares(values: np.ndarray, levels: int) -> np.ndarray:
    """(N, L) what the grades may be, before any label.

    Half of the documents are taken to reach each step of those that reach the one before, more of
    those with higher values.
    """
    places = np.clip(middle_places(values), 1 - _HIGHEST_PLACE, _HIGHEST_PLACE)
    normal = np.nan_to_num(ndtri(places))
    normal = (normal - normal.mean()) / (normal.std() or 1.0)
    reached = np.empty((len(values), levels - 1))
    for step in range(1, levels):  # logistic shares with the step's mean, by bisection
        low, high = -20.0, 20.0
        for _ in range(60):
            middle = (low + high) / 2
            shares = expit(SLOPE * normal + middle)
            low, high = (middle, high) if shares.mean() < 0.5**step else (low, middle)
        reached[:, step - 1] = shares
    return level_shares((1 - HEDGE) * reached + HEDGE * reached.mean(axis=0))


def importance(
    frame: Frame,
    shares: np.ndarray,
    functionals: Sequence[Functional],
    aims: Sequence[np.ndarray] | None = None,
) -> np.ndarray:
    """(N,) how much each document's grade may move what is asked.

    The root of the sum over measures of the mean square over what is asked, each measure's adding
    up to 1 over the documents.
    """
    reached = np.cumsum(shares[:, ::-1], axis=1)[:, -2::-1]
    steps = np.arange(reached.shape[1])
    higher, lower = np.maximum.outer(steps, steps), np.minimum.outer(steps, steps)
    covariance = reached[:, higher] * (1 - reached[:, lower])
    total = np.zeros(len(frame))
    for k, functional in enumerate(functionals):
        squares = np.zeros(len(frame))
        for t, lists in enumerate(frame.by_topic):
            rows = frame.rows(t)
            by_step = functional.influence(shares[rows], lists)
            if aims is not None:
                by_step = np.tensordot(aims[k], by_step, axes=1)
            moved = np.matmul(by_step.transpose(1, 0, 2), covariance[rows]).transpose(1, 0, 2)
            squares[rows] = (moved * by_step).sum(axis=2).mean(axis=0)
        total += squares / (squares.sum() or 1.0)
    return np.sqrt(total)


def of_pairs(systems: int, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(S, S) whose product with systems' values has the square sum of some differences."""
    graph = np.zeros((systems, systems))
    np.add.at(graph, (first, second), 1.0)
    graph += graph.T
    laplacian = np.diag(graph.sum(axis=1)) - graph
    values, vectors = np.linalg.eigh(laplacian)
    return np.sqrt(np.maximum(values, 0))[:, None] * vectors.T


def inclusion_probabilities(
    importance: np.ndarray, budget: float, cost: np.ndarray | None = None
) -> np.ndarray:
    """(N,) probabilities for which an estimate is off least, at most 1, that spend the budget.

    They are proportional to importance over the root of the cost (Neyman's allocation; Cochran,
    Sampling Techniques, 3rd edition, 1977, §5.5).
    """
    n = len(importance)
    # in parts of the highest, so that no sum is endless
    unit = 1.0 if cost is None else float(cost.max())
    price = np.ones(n) if cost is None else cost / unit
    all_of_it = float(price.sum()) * unit
    # so that all that is left can be asked for, whatever sums of costs are in their last bits
    if not 0 < budget <= all_of_it * (1 + 1e-12):
        that_cost = "" if cost is None else f" that cost {all_of_it:,g}"
        raise ParameterError(
            f"the budget is {budget:.10g} and the frame has "
            f"{counted(n, 'document')}{that_cost}: the budget must be above 0 and at most "
            "that number"
        )
    budget = budget / unit
    weight = np.maximum(importance, FLOOR * importance.mean()) if importance.any() else np.ones(n)
    weight = weight / np.sqrt(price)
    certain = np.zeros(n, bool)
    while True:
        left = max(budget - price[certain].sum(), 0.0)
        probability = np.where(
            certain, 1.0, weight * (left / max((weight * price)[~certain].sum(), 1e-300))
        )
        if not (over := ~certain & (probability >= 1)).any():
            return probability
        certain |= over


def in_each_topic(
    importance: np.ndarray, budget: float, topic: np.ndarray, cost: np.ndarray | None = None
) -> np.ndarray:
    """(N,) probabilities as of `inclusion_probabilities`, each topic having the same budget.

    What a topic cannot spend goes to the others.
    """
    price = np.ones(len(topic)) if cost is None else cost
    inclusion_probabilities(importance, budget, cost)  # says what is wrong with the budget
    most = np.bincount(topic, price)
    spent = np.zeros(len(most))
    while budget - spent.sum() > 1e-9 * budget and (left := spent < most).any():
        spent = np.minimum(most, spent + left * (budget - spent.sum()) / left.sum())
    probability = np.empty(len(topic))
    for t in np.flatnonzero(most):
        own = topic == t
        probability[own] = inclusion_probabilities(
            importance[own], spent[t], None if cost is None else cost[own]
        )
    return probability


def check_chance(inclusion: np.ndarray, budget: float, topics: np.ndarray, docnos: np.ndarray):
    """Refuse a budget of less than a label, and what would never be chosen."""
    if inclusion.sum() < 1 - 1e-9:
        raise ParameterError(
            f"the budget is {budget:.10g}, which is for {inclusion.sum():.2g} labels: give "
            "at least the cost of one label"
        )
    if (inclusion < LEAST_INCLUSION).any():
        row = int(np.argmin(inclusion))
        raise ParameterError(
            f"{docnos[row]} for topic {topics[row]} would be chosen with probability "
            f"{inclusion[row]:.2g}, which is practically never: raise the budget, or lower "
            "the document's cost"
        )


def draw_sample(inclusion: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(N,) whether each document is chosen, independently of the others (Poisson sampling)."""
    return rng.random(len(inclusion)) < inclusion


def draw_fixed_sample(
    inclusion: np.ndarray, topic: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """(N,) whether each document is chosen, as many of each topic, and of all, as can be.

    Documents in random order meet the one that is left over from those before them (Deville and
    Tillé, Unequal probability sampling without replacement through a splitting method, Biometrika
    85(1), 1998, the pivotal method), first those of a topic, then what is left of the topics.  Each
    is chosen with its own probability; numbers are what the probabilities add up to, rounded up or
    down.  With labels that are off independently of each other the expected variance is that of
    independent choices: it rests on the single probabilities alone.
    """
    chosen = inclusion.copy()
    order = rng.permutation(len(chosen))
    order = order[np.argsort(topic[order], kind="stable")]
    ends = np.flatnonzero(np.diff(topic[order], append=-1)) + 1
    left_over = []
    for of_topic in np.split(order, ends[:-1]):
        left_over += _decide(chosen, of_topic, rng)
    for i in _decide(chosen, rng.permutation(np.array(left_over, np.int64)), rng):
        chosen[i] = rng.random() < chosen[i]
    return chosen > 0.5


def _decide(p: np.ndarray, order: np.ndarray, rng: np.random.Generator) -> list[int]:
    """Decide on documents one after the other, in place; the one that is left over, if any."""
    left, uniform = -1, rng.random(len(order))
    for i, u in zip(order.tolist(), uniform, strict=True):
        if not _IS_SURE < p[i] < 1 - _IS_SURE:
            p[i] = round(p[i])
            continue
        if left < 0:
            left = i
            continue
        total = p[i] + p[left]
        if total < 1:
            stays, goes = (i, left) if u < p[i] / total else (left, i)
            p[stays], p[goes] = total, 0.0
        else:
            stays, goes = (i, left) if u < (1 - p[i]) / (2 - total) else (left, i)
            p[stays], p[goes] = total - 1, 1.0
        left = stays
        if not _IS_SURE < p[left] < 1 - _IS_SURE:
            p[left] = round(p[left])
            left = -1
    return [left] if left >= 0 else []
