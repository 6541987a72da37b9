"""Mixed models of scores: pool depth and system fixed, topics a sample (yang2019 §2.4.4).

The covariance of the scores has one number for all rows (the residual variance), one for the rows
of a topic, and one for those of a topic under a system.  So its inverse and determinant are in
closed form, sums over rows become sums over topics and systems, and a likelihood takes
milliseconds.  With V in units of the residual variance, λ the ratios of the other two to it,
n_c the rows of cell c of topic t, and sums r_c over them:

    w_c = 1 / (1 + n_c λ_ts)      m_t = Σ_c n_c w_c      R_t = Σ_c w_c r_c
    a'V⁻¹b = Σ a b − λ_ts Σ_c w_c a_c b_c − Σ_t λ_t A_t B_t / (1 + λ_t m_t)
    log |V| = − Σ_c log w_c + Σ_t log(1 + λ_t m_t)
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from scipy import linalg, optimize, special

from regrade.choices import INTERCEPT, RANDOM_TERMS
from regrade.errors import MethodError, check_choice
from regrade.kendall import TOLERANCE
from regrade.significance.cells import Cells, by_measure, check_varied

TOPIC, TOPIC_SYSTEM = RANDOM_TERMS

_SLOPE = 1e-6
"""Of the deviance by the logarithm of a ratio of variances, where the search has converged."""

_STEP = 0.01
"""How far the logarithm of a ratio may be from the minimum that was found first."""

_FARTHEST = 18.0
"""How far from 0 the logarithm of a ratio is sought; beyond, the residual variance is none."""

_SMALL = 1e-3
"""A ratio of variances below which it may be 0."""

log = logging.getLogger(__name__)


class _NoResidual(Exception):
    """Nothing is left to estimate a residual variance from."""


@dataclass(frozen=True, eq=False)
class MixedModels:
    """Mixed models of score on depth and system, topics being random, one per measure.

    Attributes
    ----------
    coefficients
        ``model``, ``measure``, ``term`` ((Intercept), depth, system), ``level`` (the system, else
        empty), ``estimate``, ``std_error``, ``z``, ``p``.
    tests
        Wald tests of the fixed effects: ``model``, ``measure``, ``term``, ``chi2``, ``df``, ``p``.
    variances
        ``model``, ``measure``, ``topic_variance``, ``topic_system_variance`` (0 where the model
        has none), ``residual_variance``, ``intraclass`` (the topics' share of all),
        ``log_likelihood``, ``converged``.
    """

    coefficients: pd.DataFrame
    tests: pd.DataFrame
    variances: pd.DataFrame


def mixed_model(scores: pd.DataFrame, random: str = TOPIC, *, reml: bool = False) -> MixedModels:
    """Fit value ~ depth + system with random topics under each measure.

    Notes
    -----
    All numbers of a measure are NaN, and the log says so, where the model leaves no residual
    variance, as ``topic + topic:system`` where no score moves with depth.

    By maximum likelihood, and random topics, as yang2019 §2.4.4.
    """
    check_choice("random", random, RANDOM_TERMS)
    parts = []
    for measure, cells in by_measure(scores):
        check_varied(measure, cells)
        depths = np.unique(cells.depth)
        names = {
            "model": random if len(depths) > 1 else f"depth {depths[0]:g}",
            "measure": measure,
        }
        rows = _Rows.of(cells)
        _check_determined(measure, rows, random)
        try:
            fit = _Fit.search(rows, random == TOPIC_SYSTEM, reml)
        except _NoResidual:
            log.warning("%s, %s: the model leaves no residual variance: undefined", *names.values())
            fit = _Fit.undefined(rows)
        parts.append([t.assign(**names)[[*names, *t.columns]] for t in _tables(rows, fit)])
    return _concat(parts)


def mixed_models(scores: pd.DataFrame, depths: Iterable[int], at_depth: int) -> MixedModels:
    """`mixed_model` by every random term, and at one depth."""
    at_depths = scores[scores["depth"].isin(depths)]
    models = [mixed_model(at_depths, random) for random in RANDOM_TERMS]
    models.append(mixed_model(scores[scores["depth"] == at_depth]))
    return _concat([(m.coefficients, m.tests, m.variances) for m in models])


def _concat(parts: Iterable[Iterable[pd.DataFrame]]) -> MixedModels:
    """The coefficients, tests and variances of several fits, one after the other."""
    return MixedModels(*(pd.concat(p, ignore_index=True) for p in zip(*parts, strict=True)))


# --- the scores ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Rows:
    """N scores with what explains them, and their sums by cell.

    Attributes
    ----------
    design
        (N, p) float64: 1, depth unless all are the same, and an indicator of each system but the
        first.
    terms, levels
        What the p columns stand for.
    value
        (N,) float64.
    cell
        (N,) int64: a number for each topic and system that have scores, C in all.
    topic
        (C,) int64: the topic of each cell.
    n
        (C,) float64: rows of each cell.
    """

    design: np.ndarray
    terms: list[str]
    levels: list[str]
    value: np.ndarray
    cell: np.ndarray
    topic: np.ndarray
    n: np.ndarray

    @classmethod
    def of(cls, cells: Cells) -> _Rows:
        n_systems = cells.shape[1]
        occupied, cell = np.unique(cells.cell, return_inverse=True)
        has_depth = bool(np.ptp(cells.depth) > 0)
        system = cells.cell % n_systems
        columns = [np.ones((len(cell), 1)), system[:, None] == np.arange(1, n_systems)]
        columns[1:1] = [cells.depth[:, None]] * has_depth
        return cls(
            np.hstack(columns).astype(np.float64),
            [INTERCEPT] + ["depth"] * has_depth + ["system"] * (n_systems - 1),
            [""] * (1 + has_depth) + list(cells.systems[1:]),
            cells.value,
            cell,
            occupied // n_systems,
            np.bincount(cell).astype(np.float64),
        )

    def by_cell(self, values: np.ndarray) -> np.ndarray:
        """(C,) sums of (N,) values."""
        return np.bincount(self.cell, values)

    def by_topic(self, of_cells: np.ndarray) -> np.ndarray:
        """(T, …) sums of (C, …) values; the cells of a topic are one after the other."""
        return np.add.reduceat(of_cells, self.starts, axis=0)

    @cached_property
    def starts(self) -> np.ndarray:
        """(T,) the first cell of each topic."""
        return np.flatnonzero(np.diff(self.topic, prepend=-1))

    @cached_property
    def design_by_cell(self) -> np.ndarray:
        """(C, p)."""
        return np.column_stack([self.by_cell(column) for column in self.design.T])

    @cached_property
    def gram(self) -> np.ndarray:
        """(p, p) X'X."""
        return self.design.T @ self.design


def _check_determined(measure: str, rows: _Rows, random: str) -> None:
    n, p = rows.design.shape
    unit = rows.design / np.linalg.norm(rows.design, axis=0)
    if np.linalg.matrix_rank(unit.T @ unit) < p:
        raise MethodError(
            f"{measure}: the effect of depth is confounded with the effect of systems: "
            "each has scores at its own depth"
        )
    if random == TOPIC_SYSTEM and (rows.n == 1).all():
        raise MethodError(
            f"{measure}: no topic has two scores of a system, so topic:system is "
            f"confounded with the residual: use the random term {TOPIC}"
        )
    if n <= p + 1:
        raise MethodError(f"{measure}: there are no more scores than effects: give more topics")


# --- the likelihood --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Inverse:
    """V⁻¹ for ratios λ of the variances of topics and of cells to the residual variance."""

    rows: _Rows
    of_topics: float
    of_cells: float

    @cached_property
    def w(self) -> np.ndarray:
        """(C,) what is left of a sum over a cell."""
        return 1.0 / (1.0 + self.rows.n * self.of_cells)

    @cached_property
    def m(self) -> np.ndarray:
        """(T,) 1'W⁻¹1 of each topic, W being V without the variance of topics."""
        return self.rows.by_topic(self.rows.n * self.w)

    @property
    def log_determinant(self) -> float:
        """log |V|."""
        return float(np.log1p(self.of_topics * self.m).sum() - np.log(self.w).sum())

    def product(self, a: np.ndarray, b: np.ndarray, ab: np.ndarray) -> np.ndarray:
        """a'V⁻¹b from the sums over cells of both, and a'b."""
        within = (self.w * a.T) @ b
        topics = self.by_topic(a).T @ (self.by_topic(b).T / (1.0 + self.of_topics * self.m)).T
        return ab - self.of_cells * within - self.of_topics * topics

    def by_topic(self, of_cells: np.ndarray) -> np.ndarray:
        """(T, …) sums of W⁻¹a over topics, from a's sums over cells."""
        return self.rows.by_topic((self.w * of_cells.T).T)

    def solved(self, of_cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sums of V⁻¹a over topics and over cells, from a's sums over cells."""
        topics = (self.by_topic(of_cells).T / (1.0 + self.of_topics * self.m)).T
        taken = self.of_topics * topics[self.rows.topic]
        return topics, (self.w * (of_cells.T - self.rows.n * taken.T)).T

    def traces(self) -> tuple[float, float]:
        """Of V⁻¹ times the derivatives of V by both ratios."""
        per_topic = self.m / (1.0 + self.of_topics * self.m)
        weight = self.rows.n * self.w
        shrunk = self.of_topics / (1.0 + self.of_topics * self.m)
        per_cell = weight - shrunk[self.rows.topic] * weight**2
        return float(per_topic.sum()), float(per_cell.sum())


@dataclass(frozen=True, eq=False)
class _Fit:
    """Generalised least squares under given ratios, and their likelihood.

    Attributes
    ----------
    ratios
        λ of topics and of cells.
    estimate
        (p,) float64.
    precision
        (p, p) X'V⁻¹X.
    residual_variance
        σ².
    deviance
        −2 log L, restricted or not.
    slopes
        (2,) its derivatives by the ratios.
    converged
        Whether the search for the ratios ended at a minimum.
    """

    ratios: tuple[float, float]
    estimate: np.ndarray
    precision: np.ndarray
    residual_variance: float
    deviance: float
    slopes: np.ndarray
    converged: bool = False

    @classmethod
    def undefined(cls, rows: _Rows) -> _Fit:
        """What there is where no residual variance is."""
        p = rows.design.shape[1]
        nothing = np.full(2, np.nan)
        return cls(
            tuple(nothing), np.full(p, np.nan), np.full((p, p), np.nan), np.nan, np.nan, nothing
        )

    @classmethod
    def at(cls, rows: _Rows, ratios: tuple[float, float], reml: bool) -> _Fit:
        inverse = _Inverse(rows, *ratios)
        X, y = rows.design, rows.value
        X_c = rows.design_by_cell
        precision = inverse.product(X_c, X_c, rows.gram)
        moments = inverse.product(X_c, rows.by_cell(y), X.T @ y)
        estimate = linalg.solve(precision, moments, assume_a="pos")
        r = y - X @ estimate
        r_c = rows.by_cell(r)
        rss = float(inverse.product(r_c, r_c, r @ r))
        df = len(y) - X.shape[1] * reml
        if rss <= len(y) * TOLERANCE**2:
            raise _NoResidual
        deviance = inverse.log_determinant + df * (1.0 + np.log(2.0 * np.pi * rss / df))
        explained = [float((sums**2).sum()) for sums in inverse.solved(r_c)]
        slopes = np.array(inverse.traces()) - df * np.array(explained) / rss
        if reml:
            deviance += np.linalg.slogdet(precision)[1]
            slopes -= [
                np.trace(linalg.solve(precision, sums.T @ sums, assume_a="pos"))
                for sums in inverse.solved(X_c)
            ]
        return cls(ratios, estimate, precision, rss / df, float(deviance), slopes)

    @classmethod
    def search(cls, rows: _Rows, has_cells: bool, reml: bool) -> _Fit:
        """The ratios of the highest likelihood, and what follows from them.

        The deviance is flat to its rounding around its minimum, and its slope is not: so the
        minimum is sought first, then where the slope is 0.
        """

        def at(logarithms: np.ndarray) -> _Fit:
            ratios = np.zeros(2)
            ratios[: len(logarithms)] = np.exp(logarithms)
            return cls.at(rows, tuple(ratios.tolist()), reml)

        def deviance(logarithms: np.ndarray) -> tuple[float, np.ndarray]:
            fit = at(logarithms)
            return fit.deviance, fit.slopes_by_logarithm[: len(logarithms)]

        near = optimize.minimize(
            deviance,
            np.zeros(1 + has_cells),
            jac=True,
            method="L-BFGS-B",
            bounds=[(-_FARTHEST, _FARTHEST)] * (1 + has_cells),
            options={"ftol": 0.0, "gtol": _SLOPE},
        ).x
        if near.max() >= _FARTHEST - _STEP:
            raise _NoResidual
        for small in np.flatnonzero(near < np.log(_SMALL)):  # the logarithm never reaches 0
            without = _with(near, [small], -np.inf)
            if at(without).slopes[small] >= 0:
                near = without
        inside = np.isfinite(near)

        def slopes(logarithms: np.ndarray) -> np.ndarray:
            return at(_with(near, inside, logarithms)).slopes_by_logarithm[: len(near)][inside]

        if inside.any():
            root = optimize.root(slopes, near[inside], tol=1e-12).x
            if np.abs(root - near[inside]).max() < _STEP:
                near = _with(near, inside, root)
        fit = at(near)
        at_minimum = np.where(
            inside,
            np.abs(fit.slopes_by_logarithm[: len(near)]) <= _SLOPE,
            fit.slopes[: len(near)] >= 0,
        )
        return replace(fit, converged=bool(at_minimum.all()))

    @property
    def slopes_by_logarithm(self) -> np.ndarray:
        """(2,) derivatives of the deviance by the logarithms of the ratios."""
        return self.slopes * self.ratios


def _with(values: np.ndarray, chosen: Sequence, new: np.ndarray | float) -> np.ndarray:
    """The values, the chosen ones replaced."""
    changed = values.copy()
    changed[chosen] = new
    return changed


# --- tables ----------------------------------------------------------------------------------


def _tables(rows: _Rows, fit: _Fit) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Coefficients, tests and variances of a fit."""
    covariance = fit.residual_variance * np.linalg.inv(fit.precision)
    error = np.sqrt(np.diag(covariance))
    z = fit.estimate / error
    coefficients = pd.DataFrame(
        {
            "term": rows.terms,
            "level": rows.levels,
            "estimate": fit.estimate,
            "std_error": error,
            "z": z,
            "p": special.erfc(np.abs(z) / np.sqrt(2.0)),
        }
    )
    return coefficients, _wald_tests(rows.terms, fit.estimate, covariance), _variances(fit)


def _wald_tests(terms: list[str], estimate: np.ndarray, covariance: np.ndarray) -> pd.DataFrame:
    tests = []
    for term in dict.fromkeys(terms[1:]):
        own = np.flatnonzero(np.array(terms) == term)
        chi2 = estimate[own] @ np.linalg.solve(covariance[np.ix_(own, own)], estimate[own])
        tests.append((term, chi2, len(own), special.chdtrc(len(own), chi2)))
    return pd.DataFrame(tests, columns=["term", "chi2", "df", "p"])


def _variances(fit: _Fit) -> pd.DataFrame:
    of_topics, of_cells = (ratio * fit.residual_variance for ratio in fit.ratios)
    total = of_topics + of_cells + fit.residual_variance
    return pd.DataFrame(
        {
            "topic_variance": [of_topics],
            "topic_system_variance": [of_cells],
            "residual_variance": [fit.residual_variance],
            "intraclass": [of_topics / total],
            "log_likelihood": [-fit.deviance / 2.0],
            "converged": [fit.converged],
        }
    )
