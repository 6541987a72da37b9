"""How alike rankings by other topics are: halves of the topics, and what follows for more topics.

Two halves of n topics each are two independent measurements of the systems.  Were the systems'
scores normal, a τ between them would be one of a correlation r = sin(π τ / 2) (Greiner), which is
the reliability of n topics; of m topics it is (m/n) r / (1 + (m/n − 1) r) (Spearman and Brown).
A ranking by m topics and that by endless ones correlate by √r, whose τ is (2/π) arcsin √r.

τ follows how the bulk of the systems lies, Eρ² follows the systems that lie far off: a few very bad
ones make Eρ² high and τ not.  docs/methods/ranking.md has how far this is from the truth.
"""

from __future__ import annotations

from math import asin, ceil, pi, sin, sqrt

import numpy as np

from regrade.randomness import generator
from regrade.rankings import tau_b

FEWEST_SYSTEMS = 5
"""Of fewer, τ has so few values that no correlation can be told from it."""

FEWEST_TOPICS = 10


def tau_of_halves(scores: np.ndarray, size: int, splits: int, seed: int) -> np.ndarray:
    """τ_b of rankings by two samples of topics that share none.

    Parameters
    ----------
    scores
        (S, T) float64.
    size
        Topics of each; T has twice as many.
    splits, seed
        How many twos are drawn.

    Returns
    -------
    array of float64, shape (splits,)
        NaN where all systems tie.
    """
    rng = generator(seed, "halves of topics", str(scores.shape[1]), str(size))
    found = np.empty(splits)
    for split in range(splits):
        order = rng.permutation(scores.shape[1])
        one, other = order[:size], order[size : 2 * size]
        found[split] = tau_b(scores[:, one].mean(axis=1), scores[:, other].mean(axis=1))
    return found


def reliability_of(tau: float, topics: int, more: float) -> float:
    """The reliability of `more` topics, by τ between halves of so many `topics`."""
    r = max(0.0, sin(pi * tau / 2))
    times = more / topics
    return times * r / (1 + (times - 1) * r)


def tau_between(reliability: float) -> float:
    """τ between rankings by two samples of topics of that reliability."""
    return 2 / pi * asin(min(1.0, reliability))


def tau_with_truth(reliability: float) -> float:
    """τ between a ranking by topics of that reliability and that by endless topics."""
    return tau_between(sqrt(reliability))


def topics_for_tau(tau: float, topics: int, target: float) -> float:
    """Topics with which τ with the truth reaches a target below 1, by τ between halves.

    Returns
    -------
    float
        NaN where no number is enough.
    """
    r, wanted = reliability_of(tau, topics, topics), sin(pi * target / 2) ** 2
    if not r > 0:
        return np.nan
    return float(max(1, ceil(topics * wanted * (1 - r) / (r * (1 - wanted)) * (1 - 1e-12))))
