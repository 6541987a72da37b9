"""The top k systems under two sets: how many both have, and how alike both rank them.

The overlap of the top k is a whole number of systems, and neither smooth nor normal: Student's t
times the standard deviation over bootstrap samples of topics holds its mean in as few as 20 % of
samples, for all bootstrap samples may have the same overlap.  With half a step added at either end,
half a system for the overlap and half a swapped pair for τ_b, it holds in 93 % or more from 25
topics on (docs/coverage.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from regrade.correlations import competition_ranks, tau_b
from regrade.drawn_intervals import around
from regrade.kendall import TOLERANCE


def top_k(
    first: np.ndarray, second: np.ndarray, tops: Sequence[int], topics: int = 0
) -> Iterator[dict[str, float]]:
    """What two rankings share of the first k, and τ_b of the first's first k, with their intervals.

    Systems that tie at the last place are all among the first k; of one system alone τ_b is NaN.

    Parameters
    ----------
    first, second : arrays of float64, shape (1 + B, S)
        Mean scores under each set over all topics, then in B bootstrap samples of topics.
    tops
        Numbers k.
    topics
        How many there are.
    """
    before, after = competition_ranks(first[0]), competition_ranks(second[0])
    for k in tops:
        is_first, is_second = before <= k, after <= k
        shared, either = (is_first & is_second).sum(), (is_first | is_second).sum()
        many, both = int(is_first.sum()), int(shared + either)
        jaccard = shared / either
        tau = tau_b(first[0, is_first], second[0, is_first]) if many > 1 else np.nan
        drawn = drawn_shares(first[1:], second[1:], k), drawn_taus(first[1:], second[1:], many)
        of_system = [_jaccard(shared + half, both) for half in (-0.5, 0.5)]
        of_swap = 2 / (many * (many - 1)) if many > 1 else np.nan
        step = (jaccard - of_system[0], of_system[1] - jaccard), (of_swap, of_swap)
        yield {
            "k": k,
            "first": many,
            "second": int(is_second.sum()),
            "shared": int(shared),
            "jaccard": jaccard,
            **_ends("jaccard", jaccard, drawn[0], topics, step[0], 0.0),
            "tau": tau,
            **_ends("tau", tau, drawn[1], topics, step[1], -1.0),
        }


def overlap_ends(
    first: np.ndarray,
    second: np.ndarray,
    tops: Sequence[int],
    values: np.ndarray,
    drawn: np.ndarray,
    topics: int,
) -> np.ndarray:
    """(2, 2, K) ends of intervals of the overlap of the first k: on average, and on new topics.

    Parameters
    ----------
    first, second : arrays of float64, shape (S,)
        Mean scores under each set.
    tops
        K numbers k.
    values, drawn : arrays of float64, shapes (K,) and (B, K)
        The overlap 2 |A ∩ B| / (|A| + |B|), of all topics and of bootstrap samples.
    topics
        How many there are.
    """
    ranks = competition_ranks(first), competition_ranks(second)
    step = np.array([1 / sum((of <= k).sum() for of in ranks) for k in tops])
    names = ("top_systems", "top_systems_of_new_topics")
    ends = [around(values, drawn, topics, name, new=name != names[0]) for name in names]
    return np.clip(np.stack(ends) + step * np.array([[-1.0], [1.0]]), 0.0, 1.0)


def _ends(
    name: str,
    value: float,
    drawn: np.ndarray,
    topics: int,
    step: tuple[float, float],
    least: float,
) -> dict[str, float]:
    low, high = around(value, drawn, topics, "top_systems")
    ends = np.clip([low - step[0], high + step[1]], least, 1.0)
    return {f"{name}_low": float(ends[0]), f"{name}_high": float(ends[1])}


def _jaccard(shared: float, both: int) -> float:
    """Of so many common systems, of which the two sets have so many together."""
    shared = min(max(shared, 0.0), both / 2)
    return shared / (both - shared)


def drawn_shares(first: np.ndarray, second: np.ndarray, k: int) -> np.ndarray:
    """(B,) Jaccard coefficients of the first k of (B, S) means."""
    one, other = (_among(means, k) for means in (first, second))
    return (one & other).sum(axis=1) / (one | other).sum(axis=1)


def _among(means: np.ndarray, k: int) -> np.ndarray:
    """(B, S) whether a system is among the first k, with those that tie."""
    kth = max(0, means.shape[1] - k)
    return means >= np.partition(means, kth, axis=1)[:, [kth]] - TOLERANCE


def drawn_taus(first: np.ndarray, second: np.ndarray, many: int) -> np.ndarray:
    """(B,) τ_b of the first so many systems of the first of (B, S) means."""
    places = np.argsort(-first, axis=1, kind="stable")[:, :many]
    pairs = np.triu_indices(places.shape[1], 1)
    one, other = (
        _signs(np.take_along_axis(means, places, axis=1), *pairs) for means in (first, second)
    )
    size = np.sqrt((one != 0).sum(axis=1) * (other != 0).sum(axis=1))
    signs = (one * other).sum(axis=1)
    return np.divide(signs, size, out=np.full(len(first), np.nan), where=size > 0)


def _signs(means: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    apart = means[:, i] - means[:, j]
    return np.where(np.abs(apart) > TOLERANCE, np.sign(apart), 0.0)
