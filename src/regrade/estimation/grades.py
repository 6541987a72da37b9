"""What people would say of a document: learned from their labels, the model's values and the runs.

Each step up of the scale has a logistic model (a continuation ratio), fitted to the labels that
reach the step below.  Its features are the model's value and where runs rank the document.  A topic
adds τ·z, z standard normal and correlated from step to step (`regrade.estimation.chains`); spread
and correlation are estimated too (empirical Bayes).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from regrade.estimation.chains import NODES, likely_correlation, prior
from regrade.estimation.frame import Frame
from regrade.estimation.kernels import evidence, fit_step

FEW_VALUES = 8
"""Up to so many values of the model have a coefficient each."""

BENDS = (0.0, 0.25, 0.5, 0.75, 0.9)
"""At which shares of the frame the line through more values may bend."""

TOP = 10
"""The ranks in which being found by many runs counts."""

LEVEL_SPREAD = 3.0
"""The standard deviation that is expected of the mean logit of a step."""

FEATURE_SPREAD = 1.5
"""And of the coefficient of a feature."""

TAUS = np.array([0.3, 0.6, 0.9, 1.2, 1.5, 1.8, 2.2, 2.7])
"""Standard deviations of topics that are compared."""

LIKELY_TAU = 1.4
"""The one that labels have to speak against; log τ counts like one of spread 1/√2 around it."""

ROUNDS = 2
"""How often τ is chosen anew under the features' coefficients."""

FOLDS = 5
"""Parts of the documents whose labels are left out in turn."""


def features(frame: Frame, values: np.ndarray) -> np.ndarray:
    """What is known of each document before any label by people."""
    models = values.reshape(len(values), -1).T
    columns = [column for of_model in models for column in of_values(of_model)]
    ranks = frame.ranks
    if len(ranks):  # the best rank, whether it is a top one, how many tops, the mean discount
        ranked, deepest = ranks > 0, int(ranks.max(initial=0))
        best = np.where(ranked, ranks, 2 * deepest + 1).min(axis=0)
        top = (ranked & (ranks <= TOP)).mean(axis=0)
        discounts = np.append(0.0, 1 / np.log2(1 + np.arange(1.0, deepest + 1)))[ranks].mean(axis=0)
        of_ranks = np.log(best), (best > TOP).astype(float), np.sqrt(top), np.sqrt(discounts)
        columns += [(of - of.mean()) / of.std() for of in of_ranks if of.std() > 0]
    return scaled(columns, len(values))


def scaled(columns: Sequence[np.ndarray], documents: int) -> np.ndarray:
    """(N, 1 + P): a constant and columns, so that each coefficient is expected to have spread 1."""
    spread = [LEVEL_SPREAD, *[FEATURE_SPREAD] * len(columns)]
    return np.column_stack([np.ones(documents), *columns]) * spread


def with_inclusion(X: np.ndarray, inclusion: np.ndarray) -> np.ndarray:
    """Features and 1 / π, so that what is learned from chosen documents is right of all.

    A logistic model whose features have 1 / π leaves no Σ_chosen (y − ŷ) / π over, but for what its
    prior holds back (Firth and Bennett, Robust models in probability sampling, Journal of the Royal
    Statistical Society B 60(1), 1998).
    """
    inverse = 1 / inclusion
    if np.ptp(inverse) == 0:
        return X
    return np.column_stack([X, FEATURE_SPREAD * (inverse - inverse.mean()) / inverse.std()])


def of_values(values: np.ndarray) -> list[np.ndarray]:
    """(N,) columns: few values have a step each, of many their places may bend the line."""
    missing = np.isnan(values)
    known = np.unique(values[~missing])
    if len(known) <= FEW_VALUES:
        columns = [(values >= value).astype(float) for value in known[1:]]
    else:
        place = middle_places(values)
        columns = [2 * np.where(missing, 0, np.maximum(place - bend, 0)) for bend in BENDS]
    return columns + ([missing.astype(float)] if missing.any() else [])


def middle_places(values: np.ndarray) -> np.ndarray:
    """(N,) the share of known values below each, equal ones counting half; NaN of what is none."""
    known = np.sort(values[~np.isnan(values)])
    sides = [np.searchsorted(known, values, side) for side in ("left", "right")]
    return np.where(np.isnan(values), np.nan, sum(sides) / (2 * max(len(known), 1)))


@dataclass(frozen=True, eq=False)
class GradeModel:
    """What was learned.

    Attributes
    ----------
    logits
        (N, L − 1) of each step by the features, each document's own label left out: that of the
        labels of the other folds.
    tau
        (L − 1,) standard deviations of topics.
    rho
        Correlation of a topic's z from step to step.
    scatter
        L − 1 matrices (P, P), whose products with standard normal numbers are how coefficients
        may be off.
    """

    logits: np.ndarray
    tau: np.ndarray
    rho: float
    scatter: tuple[np.ndarray, ...]


def learn(
    X: np.ndarray,
    topic: np.ndarray,
    chosen: np.ndarray,
    levels: np.ndarray,
    steps: int,
    rng: np.random.Generator,
) -> GradeModel:
    """Fit a model to labels."""
    fold = rng.integers(0, FOLDS, len(X))
    T = int(topic.max()) + 1
    logits, tau, scatter = np.empty((len(X), steps)), np.empty(steps), []
    for step in range(steps):
        reached = levels >= step
        rows, y = chosen[reached], (levels[reached] > step).astype(float)
        spread = LIKELY_TAU
        spreads = []
        for k in range(FOLDS):
            others = fold[rows] != k
            beta, spread, _ = _fit(X[rows[others]], topic[rows[others]], y[others], T, spread)
            logits[fold == k, step] = X[fold == k] @ beta
            spreads.append(spread)
        tau[step] = np.mean(spreads)
        covariance = fit_step(X[rows], topic[rows], y, tau[step], np.zeros(X.shape[1]), np.zeros(T))
        scatter.append(np.linalg.cholesky(covariance))
    rho = likely_correlation(logits[chosen], topic[chosen], levels, tau)
    return GradeModel(logits, tau, rho, tuple(scatter))


def _fit(
    X: np.ndarray, topic: np.ndarray, y: np.ndarray, T: int, tau: float
) -> tuple[np.ndarray, float, np.ndarray]:
    """Coefficients, the standard deviation of topics, and their z."""
    beta, z = np.zeros(X.shape[1]), np.zeros(T)
    for _ in range(ROUNDS):
        fit_step(X, topic, y, tau, beta, z)
        # a prior on log τ keeps few labels from saying 0 or endless
        against = np.log(TAUS / LIKELY_TAU) ** 2
        of_nodes = TAUS, NODES, np.log(prior(NODES))
        log_evidence = evidence(X @ beta, topic, y.astype(np.int64), *of_nodes)
        better = TAUS[np.argmax(log_evidence - against)]
        if better == tau:
            break
        z *= tau / better
        tau = float(better)
    fit_step(X, topic, y, tau, beta, z)
    return beta, tau, z
