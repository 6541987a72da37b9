"""How sure Bradley–Terry strengths are: fitted again to preferences drawn anew.

Unlike an interval from the curvature, this one does not take strengths for normally distributed
around the best ones, which they are not where a document wins nearly always.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pyarrow as pa
from numba import njit

from regrade.errors import MethodError, ParameterError
from regrade.percentiles import interval
from regrade.preferences.fits import PRIOR, strengths
from regrade.preferences.scores import compared_answers
from regrade.randomness import generator

INTERVALS = ("topic", "docno", "low", "high")

_STEPS = 100
_NEAR = 1e-6
"""Steps, of the strengths, that are the last."""

_FAR = 4.0
"""The most that a strength moves in one step."""

_SOLVED = 1e-3
"""How exactly each of Newton's steps is solved for."""
_ROWS = 4_000_000
"""Drawn answers that are held at once."""


def strength_intervals(
    preferences: pa.Table | pd.DataFrame,
    resamples: int = 1000,
    *,
    bias: float = 0.0,
    even_sides: bool = False,
    prior: float = PRIOR,
    seed: int = 0,
    threads: int = 1,
) -> pd.DataFrame:
    """Percentile intervals of Bradley–Terry strengths, by drawing preferences with replacement.

    In each component of a topic's comparisons as many preferences are drawn as there are, and
    strengths fitted to them by the rule of `regrade.preferences.score_documents`: where no finite
    ones are best, with the prior, else with mean 0.  Weights of sides are those of all preferences.

    Parameters
    ----------
    preferences
        Schema ``preferences``.
    resamples
        How often they are drawn.
    bias, even_sides, prior
        As in `regrade.preferences.score_documents`.
    seed
        Of the draws; those of a component depend on its topic and its first document.
    threads
        How many; results do not depend on it.

    Returns
    -------
    DataFrame
        Columns `INTERVALS`, by topic and docno: the 2.5 and 97.5 % quantiles.

    Raises
    ------
    MethodError
        If the strengths of some draw lie too far apart to be found: the prior is too small.
    ParameterError
        If there are fewer than two resamples.
    """
    if resamples < 2:
        raise ParameterError(f"resamples {resamples}: an interval needs two or more")
    compared, pair, share, weight = compared_answers(preferences, bias, even_sides)
    lower, upper = (np.empty(len(compared.docno)) for _ in range(2))

    def one(part: tuple[np.ndarray, ...]) -> None:
        documents, pairs, first, second = part
        fit = strengths(
            len(documents),
            first,
            second,
            compared.wins[pairs],
            compared.losses[pairs],
            "bradley-terry",
            prior,
        )
        rows = np.flatnonzero(np.isin(pair, pairs))
        of_rows = np.searchsorted(pairs, pair[rows]), share[rows], weight[rows]
        cell = compared.topic[documents[0]], compared.docno[documents[0]]
        draw = generator(seed, "strength-intervals", *cell)
        # half way to the best ones: from there on strengths that have to turn soon do
        drawn = _refitted(first, second, of_rows, fit.value / 2, prior, resamples, draw)
        if np.isnan(drawn).any():
            raise MethodError(
                f"topic {cell[0]}: the strengths of preferences drawn anew lie too far apart to be "
                f"found: raise `prior` ({prior:g})"
            )
        lower[documents], upper[documents] = interval(drawn)

    longest_first = sorted(compared.each(), key=lambda part: -len(part[0]))
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(one, longest_first))
    columns = {"topic": compared.topic, "docno": compared.docno, "low": lower, "high": upper}
    return pd.DataFrame(columns, columns=list(INTERVALS))


def _refitted(
    first: np.ndarray,
    second: np.ndarray,
    of_rows: Sequence[np.ndarray],
    start: np.ndarray,
    prior: float,
    resamples: int,
    draw: np.random.Generator,
) -> np.ndarray:
    """(resamples, n) strengths; NaN where they were not found."""
    pair, share, weight = of_rows
    result = np.empty((resamples, len(start)))
    chunk = max(1, _ROWS // len(pair))
    for begin in range(0, resamples, chunk):
        part = result[begin : begin + chunk]
        drawn = draw.integers(len(pair), size=(len(part), len(pair)), dtype=np.int32)
        _fit_all(
            first, second, pair, share * weight, (1 - share) * weight, drawn, start, prior, part
        )
    return result


# --- kernels ------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _fit_all(first, second, pair, win, loss, drawn, start, prior, result):
    """Strengths of each line of drawn rows, from those of all rows on."""
    n, m = len(start), len(first)
    wins, losses = np.empty(m), np.empty(m)
    for s in range(len(drawn)):
        wins[:] = 0.0
        losses[:] = 0.0
        for row in drawn[s]:
            wins[pair[row]] += win[row]
            losses[pair[row]] += loss[row]
        own = 0.0 if _is_strong(n, first, second, wins, losses) else prior
        result[s] = _best(n, first, second, wins, losses, own, start)


@njit(cache=True, nogil=True)
def _is_strong(n, first, second, wins, losses):
    """Whether every document wins, over others, against every other one (Ford's condition)."""
    return _reaches(n, first, second, wins, losses) and _reaches(n, first, second, losses, wins)


@njit(cache=True, nogil=True)
def _reaches(n, first, second, forward, backward):
    """Whether the first document reaches all others."""
    reached = np.zeros(n, np.bool_)
    reached[0] = True
    count, before = 1, 0
    while count > before:
        before = count
        for k in range(len(first)):
            a, b = first[k], second[k]
            if forward[k] > 0 and reached[a] and not reached[b]:
                reached[b] = True
                count += 1
            elif backward[k] > 0 and reached[b] and not reached[a]:
                reached[a] = True
                count += 1
    return count == n


@njit(cache=True, nogil=True, error_model="numpy")
def _loss(x, first, second, wins, losses, prior):
    """− log likelihood, with the prior's."""
    total = 0.0
    for k in range(len(first)):
        d = x[first[k]] - x[second[k]]
        # log(1 + e^−d) = log(1 + e^−|d|) + max(−d, 0)
        base = np.log1p(np.exp(-abs(d)))
        total += wins[k] * (base + max(-d, 0.0)) + losses[k] * (base + max(d, 0.0))
    if prior > 0:
        for i in range(len(x)):
            total += prior * (2 * np.log1p(np.exp(-abs(x[i]))) + abs(x[i]))
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _derivatives(x, first, second, wins, losses, prior, gradient, bend, diagonal):
    """Gradient; curvature of each pair, and on the diagonal."""
    gradient[:] = 0.0
    diagonal[:] = 0.0
    for k in range(len(first)):
        a, b = first[k], second[k]
        number = wins[k] + losses[k]
        p = 1 / (1 + np.exp(x[b] - x[a]))
        slope = number * p - wins[k]
        bend[k] = number * p * (1 - p)
        gradient[a] += slope
        gradient[b] -= slope
        diagonal[a] += bend[k]
        diagonal[b] += bend[k]
    if prior > 0:
        for i in range(len(x)):
            p = 1 / (1 + np.exp(-x[i]))
            gradient[i] += prior * (2 * p - 1)
            diagonal[i] += 2 * prior * p * (1 - p)


@njit(cache=True, nogil=True, error_model="numpy")
def _conjugate(first, second, bend, diagonal, right):
    """The step s with H s = right, by conjugate gradients over the pairs.

    H is never laid out: with some ten pairs a document a product costs far less than a factor.
    """
    n = len(right)
    step, product = np.zeros(n), np.empty(n)
    residual = right.copy()
    along = residual / diagonal
    energy = first_energy = residual @ along
    for _ in range(4 * n):
        if energy <= _SOLVED**2 * first_energy:
            break
        for i in range(n):
            product[i] = diagonal[i] * along[i]
        for k in range(len(first)):
            product[first[k]] -= bend[k] * along[second[k]]
            product[second[k]] -= bend[k] * along[first[k]]
        length = energy / (along @ product)
        for i in range(n):
            step[i] += length * along[i]
            residual[i] -= length * product[i]
        before, energy = energy, 0.0
        for i in range(n):
            energy += residual[i] ** 2 / diagonal[i]
        for i in range(n):
            along[i] = residual[i] / diagonal[i] + energy / before * along[i]
    return step


@njit(cache=True, nogil=True, error_model="numpy")
def _best(n, first, second, wins, losses, prior, start):
    """Newton's method, with steps halved until they gain enough; NaN where that does not end."""
    x = start.copy()
    gradient, bend, diagonal = np.empty(n), np.empty(len(first)), np.empty(n)
    value = _loss(x, first, second, wins, losses, prior)
    for _ in range(_STEPS):
        _derivatives(x, first, second, wins, losses, prior, gradient, bend, diagonal)
        step = _conjugate(first, second, bend, diagonal, gradient)
        slope = gradient @ step
        if not np.isfinite(slope):
            break
        if np.abs(step).max() < _NEAR * (1 + np.abs(x).max()):
            # the loss no longer tells steps apart
            x -= step
            return x if prior > 0 else x - x.mean()
        # far steps end where nothing bends
        length = min(1.0, _FAR / np.abs(step).max())
        while length > 1e-9:
            reached = _loss(x - length * step, first, second, wins, losses, prior)
            if reached <= value - 1e-4 * length * slope:
                break
            length /= 2
        x, value = x - length * step, reached
    return np.full(n, np.nan)
