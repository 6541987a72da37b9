"""Which documents people label: with what probability each is chosen, and the choice.

A document matters as much as its grade may move the systems' values: the root mean square over
systems of the standard deviation that its grade gives to each.  How far a grade may be off is
guessed from the model's value alone, as no label is there yet, and hedged against that guess being
wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import expit, ndtri

from regrade.errors import ParameterError
from regrade.estimation.frame import Frame
from regrade.estimation.functionals import Functional
from regrade.estimation.grades import middle_places
from regrade.estimation.posterior import level_shares

SLOPE = 1.5
"""By how much the guessed logit rises with a standard deviation of the model's value."""

HEDGE = 0.3
"""The part of a guess that is the same for all documents."""

FLOOR = 0.1
"""No document has less than this part of the mean importance."""

_HIGHEST_PLACE = 0.995


def guessed_shares(values: np.ndarray, levels: int) -> np.ndarray:
    """(N, L) what the grades may be, before any label.

    Half of the documents are taken to reach each step of those that reach the one before, more of
    those with higher values.

    Parameters
    ----------
    values
        (N,) the model's; where it has none (NaN), the middle of all.
    levels
        L.
    """
    places = np.clip(middle_places(values), 1 - _HIGHEST_PLACE, _HIGHEST_PLACE)
    normal = np.nan_to_num(ndtri(places))
    normal = (normal - normal.mean()) / (normal.std() or 1.0)
    reached = np.column_stack([_of_mean(normal, 0.5**step) for step in range(1, levels)])
    return level_shares((1 - HEDGE) * reached + HEDGE * reached.mean(axis=0))


def _of_mean(normal: np.ndarray, mean: float) -> np.ndarray:
    """Logistic shares that rise with a value and have a given mean, by bisection."""
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        shares = expit(SLOPE * normal + middle)
        low, high = (middle, high) if shares.mean() < mean else (low, middle)
    return shares


def importance(frame: Frame, shares: np.ndarray, functionals: Sequence[Functional]) -> np.ndarray:
    """(N,) how much each document's grade may move the systems' values.

    The root of the sum over measures of the mean square over systems, each measure's adding up to
    1 over the documents.

    Parameters
    ----------
    frame
        The documents.
    shares
        (N, L) what their grades may be.
    functionals
        The measures.
    """
    reached = np.cumsum(shares[:, ::-1], axis=1)[:, -2::-1]
    steps = np.arange(reached.shape[1])
    higher, lower = np.maximum.outer(steps, steps), np.minimum.outer(steps, steps)
    covariance = reached[:, higher] * (1 - reached[:, lower])
    found = np.zeros(len(frame))
    for functional in functionals:
        squares = np.zeros(len(frame))
        for t, lists in enumerate(frame.by_topic):
            rows = frame.rows(t)
            by_step = functional.influence(shares[rows], lists)
            moved = np.matmul(by_step.transpose(1, 0, 2), covariance[rows]).transpose(1, 0, 2)
            squares[rows] = (moved * by_step).sum(axis=2).mean(axis=0)
        found += squares / (squares.sum() or 1.0)
    return np.sqrt(found)


def inclusion_probabilities(importance: np.ndarray, budget: float) -> np.ndarray:
    """(N,) probabilities proportional to importance, at most 1, that add up to the budget.

    Parameters
    ----------
    importance
        (N,) from 0; what has less than `FLOOR` of the mean is raised to that.
    budget
        How many documents people are to label on average.

    Raises
    ------
    ParameterError
        If the budget is not above 0, or above the number of documents.
    """
    n = len(importance)
    if not 0 < budget <= n:
        raise ParameterError(
            f"the budget is {budget:g} and the frame has {n:,} documents: it is to be above 0 "
            "and at most as many"
        )
    if importance.mean() == 0:
        return np.full(n, budget / n)
    weight = np.maximum(importance, FLOOR * importance.mean())
    certain = np.zeros(n, bool)
    while True:
        left = budget - certain.sum()
        found = np.where(certain, 1.0, weight * (left / max(weight[~certain].sum(), 1e-300)))
        if not (over := ~certain & (found >= 1)).any():
            return found
        certain |= over


def draw_sample(inclusion: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(N,) whether each document is chosen, independently of the others (Poisson sampling)."""
    return rng.random(len(inclusion)) < inclusion
