"""Intervals of most likely strengths: where the profile likelihood has fallen far enough.

The end of a document's interval is the value at which no strengths that give the document this
value are likely enough.  Unlike an interval from the curvature this one takes the likelihood as it
is: it need not be symmetric, and where a document wins nearly always it reaches farther up.
"""

from __future__ import annotations

from math import erfc, exp, isfinite, log, log1p, pi, sqrt

import numpy as np
from scipy.special import fdtri

from regrade.compiled import njit
from regrade.percentiles import CONFIDENCE

_CODES = {"bradley-terry": 0, "thurstone": 1}

_STEPS = 100
"""Steps, of an end or of strengths, before it counts as not found."""

_NEAR = 1e-9
"""The step of an end, of its distance, that is the last; and the fall that steps still gain."""

_SOLVED = 1e-8
"""How exactly each of Newton's steps is solved for."""

_FAR = 4.0
"""The most that a strength moves in one step."""


def fall_of(dispersion: float, free: float) -> float:
    """By how much 2 log L falls to the ends of an interval."""
    return dispersion * float(fdtri(1, free if isfinite(free) else 1e12, CONFIDENCE))


def profile_ends(
    first: np.ndarray,
    second: np.ndarray,
    wins: np.ndarray,
    losses: np.ndarray,
    best: np.ndarray,
    model: str,
    fall: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper ends of intervals of strengths, by profile likelihood."""
    lower, upper = np.full((2, len(best)), np.nan)
    if fall > 0:
        first, second = (np.ascontiguousarray(part, dtype=np.int64) for part in (first, second))
        numbers = (np.ascontiguousarray(part, dtype=np.float64) for part in (wins, losses, best))
        wins, losses, best = numbers
        _ends((first, second, wins, losses, _CODES[model]), best, fall, lower, upper)
    return lower, upper


# --- kernels ------------------------------------------------------------------------------------


@njit(cache=True, nogil=True, error_model="numpy")
def _ends(data, best, fall, lower, upper):
    """Fill both ends of each document; `data` are the arrays of the pairs, and the model's code."""
    n, (first, second) = best.size, data[:2]
    bend, diagonal, gradient = np.empty(first.size), np.empty(n), np.empty(n)
    most = _derivatives(best, data, gradient, bend, diagonal)
    contrast, along = np.empty(n), np.empty(n)
    # loops, as numba compiles expressions of arrays for a second each
    for i in range(n):
        _set_apart(contrast, i)
        _conjugate(along, first, second, bend, diagonal, contrast)
        variance = along[i]
        for j in range(n):
            along[j] /= variance
        lower[i] = _end(i, -1.0, best, along, sqrt(fall * variance), most, fall, data)
        upper[i] = _end(i, 1.0, best, along, sqrt(fall * variance), most, fall, data)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _set_apart(contrast, i):
    """What adds to one of n numbers, and takes as much from all."""
    for j in range(contrast.size):
        contrast[j] = -1.0 / contrast.size
    contrast[i] += 1.0


@njit(cache=False, nogil=True, error_model="numpy")
def _end(i, side, best, along, distance, most, fall, data):
    """Newton's method for the root of the fall, which is nearly a straight line of the distance."""
    target = sqrt(fall)
    n, x = best.size, best.copy()
    for j in range(n):
        x[j] += side * distance * along[j]
    away = distance
    for _ in range(_STEPS):
        loss, slope = _held(i, x, data)
        root = sqrt(max(2.0 * (loss - most), 0.0))
        # by the envelope theorem the multiplier is the slope of the profile
        step = (target - root) * root / (side * slope)
        if not isfinite(step):
            return np.nan
        step = min(max(step, -0.5 * away), max(away, _FAR))
        for j in range(n):
            x[j] += side * step * along[j]
        away += step
        if abs(step) < _NEAR * away:
            return best[i] + side * away
    return np.nan


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _held(i, x, data):
    """Move x, by Newton's method, to the best strengths with mean 0 and this x_i.

    Gives − log likelihood there, and its derivative by x_i.
    """
    n, (first, second) = x.size, data[:2]
    gradient, bend, diagonal = np.empty(n), np.empty(first.size), np.empty(n)
    spare = np.empty(n), np.empty(first.size), np.empty(n)
    contrast, trial = np.empty(n), np.empty(n)
    free, along, step = np.empty(n), np.empty(n), np.empty(n)
    _set_apart(contrast, i)
    value = _derivatives(x, data, gradient, bend, diagonal)
    slope = np.nan
    for _ in range(_STEPS):
        _conjugate(free, first, second, bend, diagonal, gradient)
        _conjugate(along, first, second, bend, diagonal, contrast)
        slope = free[i] / along[i]
        gain, farthest = 0.0, 0.0
        for j in range(n):
            step[j] = free[j] - slope * along[j]
            gain += gradient[j] * step[j]
            farthest = max(farthest, abs(step[j]))
        if not gain > _NEAR * 1e-3:
            break
        length = min(1.0, _FAR / farthest)
        while length > 1e-9:
            for j in range(n):
                trial[j] = x[j] - length * step[j]
            reached = _derivatives(trial, data, *spare)
            if reached <= value - 1e-4 * length * gain:
                break
            length /= 2
        for j in range(n):
            x[j] -= length * step[j]
        value = _derivatives(x, data, gradient, bend, diagonal)
    return value, slope


@njit(cache=False, nogil=True, error_model="numpy")
def _derivatives(x, data, gradient, bend, diagonal):
    """− log likelihood; fills its gradient, the curvature of each pair, and on the diagonal."""
    first, second, wins, losses, model = data
    for i in range(x.size):
        gradient[i], diagonal[i] = 0.0, 0.0
    total = 0.0
    for k in range(first.size):
        a, b = first[k], second[k]
        up, up_slope, up_bend = _log_share(x[a] - x[b], model)
        down, down_slope, down_bend = _log_share(x[b] - x[a], model)
        total -= wins[k] * up + losses[k] * down
        slope = losses[k] * down_slope - wins[k] * up_slope
        bend[k] = wins[k] * up_bend + losses[k] * down_bend
        gradient[a] += slope
        gradient[b] -= slope
        diagonal[a] += bend[k]
        diagonal[b] += bend[k]
    return total


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _log_share(d, model):
    """log F(d), its slope, and − its second derivative."""
    if model == 0:
        slope = 1.0 / (1.0 + exp(d))
        return min(d, 0.0) - log1p(exp(-abs(d))), slope, slope * (1.0 - slope)
    if d > -30.0:
        value = log(0.5 * erfc(-d / sqrt(2.0)))
    else:
        value = -d * d / 2 - log(-d) - log(2 * pi) / 2 + log1p(-1.0 / (d * d))
    slope = exp(-d * d / 2 - log(2 * pi) / 2 - value)
    return value, slope, max(slope * (slope + d), 0.0)


@njit(cache=False, nogil=True, error_model="numpy")
def _conjugate(step, first, second, bend, diagonal, right):
    """Put the s of mean 0 with H s = right (of sum 0), by conjugate gradients over the pairs.

    H is never laid out: with some ten pairs a document a product costs far less than a factor.
    """
    n = right.size
    product, residual, along = np.empty(n), np.empty(n), np.empty(n)
    energy = 0.0
    for i in range(n):
        step[i] = 0.0
        residual[i] = right[i]
        along[i] = residual[i] / diagonal[i]
        energy += residual[i] * along[i]
    first_energy = energy
    for _ in range(10 * n):
        if not energy > _SOLVED**2 * first_energy:
            break
        for i in range(n):
            product[i] = diagonal[i] * along[i]
        for k in range(first.size):
            product[first[k]] -= bend[k] * along[second[k]]
            product[second[k]] -= bend[k] * along[first[k]]
        curved = 0.0
        for i in range(n):
            curved += along[i] * product[i]
        length = energy / curved
        for i in range(n):
            step[i] += length * along[i]
            residual[i] -= length * product[i]
        before, energy = energy, 0.0
        for i in range(n):
            energy += residual[i] ** 2 / diagonal[i]
        for i in range(n):
            along[i] = residual[i] / diagonal[i] + energy / before * along[i]
    mean = 0.0
    for i in range(n):
        mean += step[i] / n
    for i in range(n):
        step[i] -= mean
