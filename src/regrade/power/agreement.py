"""Agreement of assessors beside discriminative power: Fleiss' and weighted κ, and Φ.

Krippendorff's α is in `regrade.agreement`.  All take (D, A) values of D documents by A assessors,
NaN where there is none.

Φ (Checco et al. 2017) fits Beta distributions: a document's values, put into (0, 1), follow
Beta(μ_d p, (1 − μ_d) p) with a mean of its own and one precision p for all, and

    Φ = 1 − 2 · 2^(−p / 2)

which is 0 for uniform values (μ = 1/2, p = 2), 1 for values that are all alike (p → ∞) and −1 for
values at both ends (p → 0).  Values are put into the open interval as there: (x (m − 1) + 1/2) / m
for the m values of a document.  The paper samples the posterior under priors that are almost flat;
here p and μ are those of the highest likelihood, which is concave in them.

References
----------
Checco, Roitero, Maddalena, Mizzaro, Demartini: Let's Agree to Disagree: Fixing Agreement Measures
for Crowdsourcing. HCOMP 2017.
"""

from __future__ import annotations

from math import lgamma, log

import numpy as np
from scipy.optimize import minimize_scalar

from regrade.compiled import njit
from regrade.errors import ParameterError

_PRECISIONS = (1e-3, 1e3)
"""Between which p is sought: Φ is −1 + 7e-4 at the least, and 1 to the last digit at the most."""

_STEPS = 60
"""The most steps to a document's mean."""


def fleiss_kappa(values: np.ndarray) -> float:
    """Fleiss' κ; documents may have different numbers of values, those with one do not count."""
    values = values[(~np.isnan(values)).sum(axis=1) >= 2]
    if not len(values):
        return np.nan
    grades = np.unique(values[~np.isnan(values)])
    counts = (values[:, :, None] == grades).sum(axis=1)
    n_values = counts.sum(axis=1)
    if len(grades) < 2:
        return np.nan
    observed = ((counts * (counts - 1)).sum(axis=1) / (n_values * (n_values - 1))).mean()
    by_chance = ((counts.sum(axis=0) / n_values.sum()) ** 2).sum()
    return float((observed - by_chance) / (1 - by_chance))


def weighted_kappa(values: np.ndarray) -> float:
    """Cohen's κ with linear weights, the mean over all pairs of assessors where it is defined."""
    grades = np.unique(values[~np.isnan(values)])
    codes = np.searchsorted(grades, values)
    codes[np.isnan(values)] = -1
    return float(_mean_kappa(codes.T.copy(), grades))


def phi(values: np.ndarray, low: float, high: float) -> float:
    """Φ of Checco et al. 2017, by maximum likelihood."""
    n_values = (~np.isnan(values)).sum(axis=1)
    values, n_values = values[n_values >= 2], n_values[n_values >= 2]
    if not len(values):
        return np.nan
    if not low < high or np.nanmin(values) < low or np.nanmax(values) > high:
        raise ParameterError(f"values are not on a scale from {low:g} to {high:g}")
    x = ((values - low) / (high - low) * (n_values - 1)[:, None] + 0.5) / n_values[:, None]
    # a document counts by its means of log x and log (1 - x): equal ones are one row
    rows, times = np.unique(
        np.round(
            np.column_stack([np.nanmean(np.log(x), 1), np.nanmean(np.log1p(-x), 1), n_values]), 12
        ),
        axis=0,
        return_counts=True,
    )
    logs, others, counts = np.ascontiguousarray(rows.T)
    weight = counts * times
    mu = np.clip(1 / (1 + np.exp(others - logs)), 1e-6, 1 - 1e-6)

    def loss(log_precision: float) -> float:
        return _loss(np.exp(log_precision), logs, others, weight, mu)

    bounds = tuple(np.log(_PRECISIONS))
    optimum = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-6})
    return float(1 - 2 * 2 ** (-np.exp(optimum.x) / 2))


@njit(cache=True, nogil=True)
def _loss(p, logs, others, weight, mu):
    """− log likelihood of precision p at the best means, which start from `mu` and end there."""
    total = 0.0
    for d in range(len(mu)):
        mu[d] = m = _mean(p, logs[d] - others[d], mu[d])
        a, b = m * p, (1.0 - m) * p
        normal = lgamma(a) + lgamma(b) - lgamma(p)
        total -= weight[d] * ((a - 1.0) * logs[d] + (b - 1.0) * others[d] - normal)
    return total


@njit(cache=True, nogil=True, inline="always")
def _mean(p, logit, start):
    """The root μ of ψ(μp) − ψ((1 − μ)p) = mean logit, by Newton's method kept in a bracket."""
    low, high, mu = 0.0, 1.0, start
    for _ in range(_STEPS):
        a, b = mu * p, (1.0 - mu) * p
        excess = digamma(a) - digamma(b) - logit
        if excess < 0:
            low = mu
        else:
            high = mu
        tried = mu - excess / (p * (trigamma(a) + trigamma(b)))
        if not low < tried < high:
            tried = (low + high) / 2
        moved = abs(tried - mu)
        mu = tried
        if moved < 1e-12:
            break
    return mu


@njit(cache=True, nogil=True, inline="always")
def digamma(x):
    """ψ(x), x > 0: recurrence up to 8, then its asymptotic series."""
    shifted = 0.0
    while x < 8.0:
        shifted -= 1.0 / x
        x += 1.0
    y = 1.0 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132)))))
    return shifted + log(x) - 0.5 / x - series


@njit(cache=True, nogil=True, inline="always")
def trigamma(x):
    """ψ′(x), x > 0: recurrence up to 8, then its asymptotic series."""
    shifted = 0.0
    while x < 8.0:
        shifted += 1.0 / (x * x)
        x += 1.0
    y = 1.0 / (x * x)
    series = y * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y * (1 / 30 - y * (5 / 66)))))
    return shifted + (1.0 + series) / x + 0.5 * y


@njit(cache=True, nogil=True)
def _mean_kappa(codes, grades):
    """Mean over pairs of rows of 1 − Σ|v − v'| observed / expected from their marginals."""
    assessors, documents = codes.shape
    size = len(grades)
    total, pairs = 0.0, 0
    own, other = np.empty(size), np.empty(size)
    for a in range(assessors):
        for b in range(a):
            own[:], other[:] = 0.0, 0.0
            observed, both = 0.0, 0
            for d in range(documents):
                g, h = codes[a, d], codes[b, d]
                if g >= 0 and h >= 0:
                    observed += abs(grades[g] - grades[h])
                    own[g] += 1
                    other[h] += 1
                    both += 1
            expected = 0.0
            for g in range(size):
                if both and own[g]:
                    for h in range(size):
                        expected += own[g] * other[h] * abs(grades[g] - grades[h])
            if expected > 0:
                total += 1.0 - observed * both / expected
                pairs += 1
    return total / pairs if pairs else np.nan
