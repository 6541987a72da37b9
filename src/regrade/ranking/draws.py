"""Differences of all pairs of systems at once: how far any of them deviates when topics are drawn.

The differences of S systems on T topics are means d with variances s²/T.  In a draw of T topics
with replacement a pair deviates by |d* − d| √T / √(s*² + σ*²), where σ² is the residual variance of
systems × topics, half of the mean of all s²; the largest over all pairs is what 95 % of draws
stay below.  That is the studentised maximum of Mogstad, Romano, Shaikh and Wilhelm (2024), but for
σ²: they divide by the pair's own standard error alone.  Of two runs that differ on one topic of
fifty a third of the draws have nothing of that topic, and no interval of such a width holds
(docs/methods/ranking.md has what was measured).  With σ² the pairs that differ on hardly any topic
get a width that the others' residuals warrant, and all pairs one critical value.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba import njit

from regrade.kendall import TOLERANCE
from regrade.randomness import generator, with_replacement

HELD = 2**23
"""Numbers that an array has at most, whatever the systems and draws: 64 MB."""

NOTHING = 1e-10
"""A smaller part of the residual variance is none."""

DIGITS = 10
"""Of largest deviations: BLAS may add in another order with another number of threads."""


def drawn_times(topics: int, draws: int, seed: int) -> np.ndarray:
    """How often each draw has each topic."""
    rng = generator(seed, "draws of topics", str(topics))
    return with_replacement(rng, topics, draws).astype(np.float64)


def largest_deviations(scores: np.ndarray, times: np.ndarray, threads: int = 1) -> np.ndarray:
    """The largest deviation over all pairs of systems, in each draw of topics."""
    n = scores.shape[1]
    centred = scores - scores.mean(axis=1, keepdims=True)
    means = times @ centred.T / n
    steady = _residuals(centred, times, means)
    undrawn = _residuals(centred, np.ones((1, n)), np.zeros((1, len(scores))))[0]
    largest = np.zeros(len(times))
    if undrawn <= TOLERANCE**2:
        return largest
    with ThreadPoolExecutor(threads) as pool:
        for rows in _rows(len(scores), n):
            squares = _squares(centred, rows)
            blocks = _blocks(len(times), squares.shape[1], threads)

            def update(block: slice, first: int = rows.start, of: np.ndarray = squares) -> None:
                drawn = times[block] @ of
                _update_largest(
                    largest[block], means[block], drawn, steady[block], NOTHING * undrawn, first, n
                )

            list(pool.map(update, blocks))
    return _rounded(np.sqrt(largest))


def _rows(systems: int, topics: int) -> Iterator[slice]:
    """First systems whose pairs with all later ones are held together."""
    start = 0
    while start < systems - 1:
        stop, pairs = start, 0
        while stop < systems - 1 and (stop == start or pairs * topics <= HELD):
            pairs += systems - 1 - stop
            stop += 1
        yield slice(start, stop)
        start = stop


def _squares(centred: np.ndarray, rows: slice) -> np.ndarray:
    """(T, P) squared centred differences of those systems from all later ones."""
    apart = [centred[i + 1 :] - centred[i] for i in range(rows.start, rows.stop)]
    return np.ascontiguousarray((np.concatenate(apart) ** 2).T)


def _residuals(centred: np.ndarray, times: np.ndarray, means: np.ndarray) -> np.ndarray:
    """(B,) the residual variance in each draw: half of the mean variance of a difference."""
    systems, n = centred.shape
    of_each = (times @ (centred**2).T - n * means**2).sum(axis=1)
    mean_system = centred.mean(axis=0)
    of_mean = times @ mean_system**2 - n * means.mean(axis=1) ** 2
    return np.maximum(0.0, of_each - systems * of_mean) / (n - 1) / (systems - 1)


def _blocks(draws: int, pairs: int, threads: int) -> Iterator[slice]:
    size = max(1, min(256, 2 * HELD // pairs // threads))
    return (slice(start, start + size) for start in range(0, draws, size))


def _rounded(values: np.ndarray) -> np.ndarray:
    """To `DIGITS` significant digits."""
    with np.errstate(divide="ignore", invalid="ignore"):
        places = np.floor(np.log10(values))
        unit = 10.0 ** (np.where(np.isfinite(places), places, 0.0) - (DIGITS - 1))
    return np.round(values / unit) * unit


@njit(cache=True, nogil=True)
def _update_largest(largest, means, squares, steady, nothing, first, n):
    """Raise squared largest deviations by those of some pairs."""
    systems = means.shape[1]
    for b in range(means.shape[0]):
        p, i, most = 0, first, largest[b]
        while p < squares.shape[1]:
            for j in range(i + 1, systems):
                apart = means[b, i] - means[b, j]
                variance = max(0.0, (squares[b, p] - n * apart * apart) / (n - 1))
                width = variance + steady[b]
                if width > nothing:
                    most = max(most, n * apart * apart / width)
                elif abs(apart) > TOLERANCE:
                    most = np.inf
                p += 1
            i += 1
        largest[b] = most
