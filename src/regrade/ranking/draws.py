"""Deviations of differences in draws of topics: what all pairs, and what the best, are tested by.

The differences of S systems on T topics are means d with variances s²/T.  In a draw of T topics
with replacement a pair deviates by (d* − d) √T / √(s*² + σ*²), where σ² is the residual variance of
systems × topics, half of the mean of all s².  That is the studentised statistic of Mogstad, Romano,
Shaikh and Wilhelm (2024), but for σ²: they divide by the pair's own standard error alone.  Of two
runs that differ on one topic of fifty a third of the draws have nothing of that topic, and no
interval of such a width holds (docs/methods/ranking.md has what was measured).  With σ² the pairs
that differ on hardly any topic get a width that the others' residuals warrant.

References
----------
Romano and Wolf, Exact and approximate stepdown methods for multiple hypothesis testing, Journal of
the American Statistical Association 100(469), 2005; Hsu, Multiple comparisons: theory and methods,
1996, chapter 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from regrade.compiled import njit
from regrade.kendall import TOLERANCE
from regrade.progress import tracked
from regrade.randomness import generator, with_replacement
from regrade.resources import one_blas_thread

HELD = 2**23
"""Numbers that an array has at most, whatever the systems and draws: 64 MB."""

NOTHING = 1e-10
"""A smaller part of the residual variance is none."""

DIGITS = 10
"""Of largest deviations: BLAS may add in another order with another number of threads."""

AS_FAR = 1 - 1e-9
"""A deviation of this part of another is as far."""


@dataclass(frozen=True, eq=False)
class Deviations:
    """What B draws of topics say of S systems and their P pairs.

    Attributes
    ----------
    largest : array of float64, shape (B,)
        The largest deviation over all pairs, ascending.
    p_pairs : array of float64, shape (P,)
        p of each difference, two-sided, all pairs at once: Romano and Wolf's stepdown.
    p_best : array of float64, shape (S,)
        p of each system's being the best: beside the S − 1 others at once (Hsu), or the least p of
        a pair in which another is better.
    """

    largest: np.ndarray
    p_pairs: np.ndarray
    p_best: np.ndarray


def drawn_times(topics: int, draws: int, seed: int) -> np.ndarray:
    """How often each draw has each topic."""
    rng = generator(seed, "draws of topics", str(topics))
    return with_replacement(rng, topics, draws).astype(np.float64)


def deviations(
    scores: np.ndarray, times: np.ndarray, statistic: np.ndarray, threads: int = 1
) -> Deviations:
    """How often differences deviate as far in draws of topics as they do from 0.

    Parameters
    ----------
    scores : array of float64, shape (S, T)
        Of at least two systems and topics.
    times : array of float64, shape (B, T)
        How often each draw has each topic.
    statistic : array of float64, shape (P,)
        d √T / √(s² + σ²) of the pairs in the order of `numpy.triu_indices`.
    threads
        At once; the result does not depend on it.
    """
    systems, n = scores.shape
    centred = scores - scores.mean(axis=1, keepdims=True)
    means = times @ centred.T / n
    steady = _residuals(centred, times, means)
    undrawn = _residuals(centred, np.ones((1, n)), np.zeros((1, systems)))[0]
    first, second = np.triu_indices(systems, 1)
    below = np.zeros(systems)  # how far each system lies below another
    np.maximum.at(below, second, statistic)
    np.maximum.at(below, first, -statistic)
    # the smallest statistic first: what deviates as far then is it or one with a smaller one
    order = np.argsort(np.abs(statistic), kind="stable")
    first, second, reach = first[order], second[order], (np.abs(statistic)[order] * AS_FAR) ** 2
    largest, over = np.zeros(len(times)), np.zeros((len(times), systems))
    # no difference is reached in each draw, also where no draw deviates
    reached = np.where(reach > 0, 0, len(times))
    # of small matrices, for which threads of a product wait more than work
    with one_blas_thread(), ThreadPoolExecutor(threads) as pool:
        for pairs in _chunks(len(order) if undrawn > TOLERANCE**2 else 0, n):
            squares = np.ascontiguousarray((centred[first[pairs]] - centred[second[pairs]]).T ** 2)

            def counts(draws: slice, pairs: slice = pairs, of: np.ndarray = squares) -> np.ndarray:
                return _count_reached(
                    largest[draws], over[draws], means[draws], times[draws] @ of, steady[draws],
                    first[pairs], second[pairs], reach[pairs], NOTHING * undrawn, n,
                )  # fmt: skip

            blocks = [*_draw_blocks(len(times), squares.shape[1], threads)]
            each = pool.map(counts, blocks)
            reached[pairs] = sum(tracked(each, "blocks of draws", len(blocks)))
    p = np.empty(len(order))
    p[order] = np.maximum.accumulate((reached[::-1] + 1) / (len(times) + 1))[::-1]
    as_far = (over >= (below * AS_FAR) ** 2).sum(axis=0)
    p_best = (as_far + 1) / (len(times) + 1)
    # whoever is significantly worse than another is not the best
    np.minimum.at(p_best, np.where(statistic > 0, *np.triu_indices(systems, 1)[::-1]), p)
    return Deviations(np.sort(_rounded(np.sqrt(largest))), p, p_best)


def _chunks(pairs: int, topics: int) -> Iterator[slice]:
    """Pairs whose squared differences on all topics are held together."""
    size = max(1, HELD // topics)
    return (slice(start, min(start + size, pairs)) for start in range(0, pairs, size))


def _residuals(centred: np.ndarray, times: np.ndarray, means: np.ndarray) -> np.ndarray:
    """(B,) the residual variance in each draw: half of the mean variance of a difference."""
    systems, n = centred.shape
    of_each = (times @ (centred**2).T - n * means**2).sum(axis=1)
    mean_system = centred.mean(axis=0)
    of_mean = times @ mean_system**2 - n * means.mean(axis=1) ** 2
    return np.maximum(0.0, of_each - systems * of_mean) / (n - 1) / (systems - 1)


def _draw_blocks(draws: int, pairs: int, threads: int) -> Iterator[slice]:
    size = max(1, min(256, 2 * HELD // pairs // threads))
    return (slice(start, start + size) for start in range(0, draws, size))


def _rounded(values: np.ndarray) -> np.ndarray:
    """To `DIGITS` significant digits."""
    with np.errstate(divide="ignore", invalid="ignore"):
        places = np.floor(np.log10(values))
        unit = 10.0 ** (np.where(np.isfinite(places), places, 0.0) - (DIGITS - 1))
    return np.round(values / unit) * unit


@njit(cache=True, nogil=True, error_model="numpy")
def _count_reached(
    largest, over, means, squares, steady, first, second, reach, nothing, n
):  # fmt: skip
    """In how many draws the largest squared deviation so far reaches each pair's own."""
    reached = np.zeros(len(first), dtype=np.int64)
    square = np.empty(len(first))
    apart = np.empty(len(first))
    for b in range(means.shape[0]):
        # without a branch, so that several are divided at once
        for p in range(len(first)):
            difference = means[b, first[p]] - means[b, second[p]]
            over_n = n * difference * difference
            width = max(0.0, (squares[b, p] - over_n) / (n - 1)) + steady[b]
            of_steady = np.inf if abs(difference) > TOLERANCE else 0.0
            apart[p] = difference
            square[p] = over_n / width if width > nothing else of_steady
        most = largest[b]
        for p in range(len(first)):
            most = max(most, square[p])
            reached[p] += most >= reach[p]
            beside = second[p] if apart[p] > 0 else first[p]  # whom the draw puts too far down
            over[b, beside] = max(over[b, beside], square[p])
        largest[b] = most
    return reached
