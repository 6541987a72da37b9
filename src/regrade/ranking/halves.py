"""How alike rankings by other topics are: halves of the topics, and what follows for more topics.

A pair of systems differs by δ standard deviations of what one topic makes of it.  Over pairs δ is
taken for a mixture of normal distributions about 0, with standard deviations s of a grid and
weights w (Stephens 2017).  Two halves of m topics are two independent measurements, and the means
of m topics and of the population of topics go together, so that the τ of rankings are

    between two halves of m topics        Σ w (2/π) arcsin(m s² / (1 + m s²))
    of m topics and of the population   Σ w (2/π) arctan(s √m)

by Greiner's formula for each component.  The weights are those by which the first line is nearest
to τ of halves of all sizes.  One component alone is what Spearman and Brown extrapolate; it says
too much where a few systems lie far off and the others are nearly alike.

τ follows how the bulk of the systems lies, Eρ² follows the systems that lie far off: a few very bad
ones make Eρ² high and τ not.  docs/methods/ranking.md has how far this is from the truth.

References
----------
Stephens, False discovery rates: a new deal, Biostatistics 18(2), 2017.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, pi

import numpy as np

from regrade.kendall import tau_b
from regrade.randomness import generator
from regrade.ranking.draws import covariance
from regrade.ranking.moments import MANY

FEWEST_SYSTEMS = 10
"""Of fewer, chance in the few pairs there are is too much for what is said of them."""

FEWEST_TOPICS = 10

CHANCE = 0.5
"""Of all pairs are in the true order in an order drawn at random."""

SIZES = (2, 3, 5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500)
"""Topics of halves, beside the largest."""

FURTHEST = 5
"""Numbers of topics beyond so many times those of the collection are not reported."""

SPREADS = np.geomspace(0.01, 10, 30)
"""Standard deviations of δ."""

_FIRM = 100.0
"""How much more than a τ counts that the weights have a sum of 1."""


def tau_of_halves(scores: np.ndarray, size: int, splits: int, seed: int) -> np.ndarray:
    """τ_b of rankings by two samples of topics that share none."""
    n = scores.shape[1]
    rng = generator(seed, "halves of topics", str(n), str(size))
    if n > MANY:
        some = _drawn_means if 4 * size < n else _normal_means
        first, second = some(scores, rng, size, splits)
    else:
        orders = [rng.permutation(n) for _ in range(splits)]
        starts = (0, size)
        first, second = (_means(scores, [o[i : i + size] for o in orders]) for i in starts)
    return np.array([tau_b(x, y) for x, y in zip(first, second, strict=True)])


def _drawn_means(
    scores: np.ndarray, rng: np.random.Generator, size: int, splits: int
) -> np.ndarray:
    """(2, B, S) means on two samples of few of many topics."""
    of_topics = np.ascontiguousarray(scores.T)
    chosen = (rng.choice(len(of_topics), 2 * size, replace=False) for _ in range(splits))
    means = [of_topics[some].reshape(2, size, -1).mean(axis=1) for some in chosen]
    return np.stack(means, axis=1)


def _normal_means(
    scores: np.ndarray, rng: np.random.Generator, size: int, splits: int
) -> np.ndarray:
    """(2, B, S) means on two samples without replacement that are many topics, taken for normal.

    Their covariances with T topics are Σ (1/m − 1/T) of each and −Σ/T of both.
    """
    n = scores.shape[1]
    values, vectors = np.linalg.eigh(covariance(scores))
    root = vectors * np.sqrt(np.maximum(0.0, values))
    own, other = rng.standard_normal((2, splits, len(scores))) @ root.T
    # of the sum of both, and of the difference
    together, apart = np.sqrt(max(0.0, 1 / (2 * size) - 1 / n)) * own, other / np.sqrt(2 * size)
    means = scores.mean(axis=1)
    return np.stack([means + together + apart, means + together - apart])


def _means(scores: np.ndarray, samples: list[np.ndarray]) -> np.ndarray:
    """(B, S) the systems' means on each of B samples of topics."""
    is_in = np.zeros((len(samples), scores.shape[1]))
    np.put_along_axis(is_in, np.array(samples), 1.0, axis=1)
    return is_in @ scores.T / len(samples[0])


def weights_of(taus: Mapping[int, float]) -> np.ndarray:
    """How much of each of `SPREADS` makes such τ of halves."""
    from scipy.optimize import nnls  # slow to import

    sizes = np.array(list(taus))[:, None]
    each = np.vstack([_between(sizes), np.full(len(SPREADS), _FIRM)])
    weights, _ = nnls(each, np.append(list(taus.values()), _FIRM))
    return weights / weights.sum()


def tau_between(weights: np.ndarray, topics: int) -> float:
    """τ between rankings by two samples of so many topics."""
    return float(_between(topics) @ weights)


def _between(topics: int | np.ndarray) -> np.ndarray:
    signal = topics * SPREADS**2
    return 2 / pi * np.arcsin(signal / (1 + signal))


def tau_with_truth(weights: np.ndarray, topics: float) -> float:
    """τ between a ranking by so many topics and that by the population of topics."""
    return float(2 / pi * np.arctan(SPREADS * np.sqrt(topics)) @ weights)


def in_order(tau: float) -> tuple[float, float]:
    """Pairs ordered as by the population of topics: an estimated share, and a lower bound.

    Up to twice as many may be out of order (the claim "in order" of docs/coverage.md): the least is
    as large as τ, and NaN where that is no more than an order drawn at random has.
    """
    return (1 + tau) / 2, tau if tau > CHANCE else np.nan


def topics_for_tau(weights: np.ndarray, most: int, target: float) -> float:
    """Topics with which τ with the truth reaches a target below 1."""
    if tau_with_truth(weights, most) < target:
        return np.nan
    if tau_with_truth(weights, 1) >= target:
        return 1.0
    few, enough = 1, ceil(most)
    while enough - few > 1:
        middle = (few + enough) // 2
        if tau_with_truth(weights, middle) < target:
            few = middle
        else:
            enough = middle
    return float(enough)
