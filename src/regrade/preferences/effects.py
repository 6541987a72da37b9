"""What has an influence on answers: mixed models with workers as a sample (yang2019 §5.3.5).

A worker's answers are alike, so that each worker has an intercept of its own, drawn from a normal
distribution.  Numbers (times, shares) take a linear mixed model, by statsmodels; answers that are
right or wrong can take a logistic one, whose likelihood is integrated by adaptive Gauss–Hermite
quadrature, as lme4's ``glmer`` with ``nAGQ`` does.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy import optimize, special

from regrade.catalogue import columns_of
from regrade.errors import MethodError
from regrade.preferences.agreement import answered_orders, signs
from regrade.preferences.label_comparison import by_document, of_side

INTERCEPT = "(Intercept)"
LINEAR, LOGISTIC = "linear", "logistic"

NODES = 15
"""Nodes of the quadrature over a worker's intercept."""

_SINGULAR = 1e-8
"""Of the residual variance: below it the variance of groups is 0."""

_NEWTON = 50

_SLOPE = 0.01
"""Of the deviance by an effect on columns of size 1, where the search has converged."""


def mixed_effects(
    table: pd.DataFrame,
    outcome: str,
    numbers: Sequence[str] = (),
    names: Sequence[str] = (),
    group: str = "worker",
    model: str = LINEAR,
) -> pd.DataFrame:
    """Fit outcome ~ numbers + names + (1 | group) by maximum likelihood.

    Parameters
    ----------
    table
        A row per observation; rows with an unknown value in a column that is used are left out.
    outcome
        The column to explain; 0 or 1 if the model is logistic.
    numbers, names
        Columns that explain it, as numbers and as categories, of which the first, sorted, is the
        baseline.  Those whose values are all unknown, or all the same, are left out, and the note
        says so.
    group
        The column whose values have intercepts of their own.
    model
        ``linear`` or ``logistic``.

    Returns
    -------
    DataFrame
        Columns of ``preferences/effects``: a row per coefficient (``level``: the category), and
        rows for the term ``variance`` with the levels `group` and, if linear, ``residual``.  ``z``
        is the estimate by its standard error and ``p`` two-sided, from the normal distribution.
        One row with a note, where there is nothing to fit.
    """
    used = [*numbers, *names]
    known = [column for column in used if table[column].notna().any()]
    rows = table.dropna(subset=[outcome, group, *known])
    kept = [column for column in known if rows[column].nunique() > 1]
    notes = [f"{column} does not vary" for column in used if column not in kept]
    found = {"model": model, "outcome": outcome, "group": group}
    found |= {"rows": len(rows), "groups": rows[group].nunique()}
    design = _Design.of(rows, outcome, [c for c in numbers if c in kept],
                        [c for c in names if c in kept], group)  # fmt: skip
    problem = design.problem()
    if problem:
        return pd.DataFrame(
            [found | {"note": "; ".join([*notes, problem])}],
            columns=columns_of("preferences/effects"),
        )
    fit = _linear(design) if model == LINEAR else _logistic(design)
    z = fit.estimate / fit.error
    coefficients = pd.DataFrame(
        {
            "term": design.terms,
            "level": design.levels,
            "estimate": fit.estimate,
            "std_error": fit.error,
            "z": z,
            "p": special.erfc(np.abs(z) / np.sqrt(2.0)),
        }
    )
    variances = pd.DataFrame(
        [("variance", level, value) for level, value in zip((group, "residual"), fit.variances,
                                                            strict=False)],
        columns=["term", "level", "estimate"],
    )  # fmt: skip
    result = pd.concat([coefficients, variances], ignore_index=True)
    notes += [fit.note] if fit.note else []
    return result.assign(**found, note="; ".join(notes) or None)[columns_of("preferences/effects")]


@dataclass(frozen=True)
class _Design:
    """N rows: what is explained, what explains it, and the group of each.

    Attributes
    ----------
    x
        (N, p) float64, the first column ones.
    y
        (N,) float64.
    group
        (N,) int64, sorted.
    terms, levels
        What the columns stand for.
    """

    x: np.ndarray
    y: np.ndarray
    group: np.ndarray
    terms: list[str]
    levels: list[str]

    @classmethod
    def of(
        cls,
        rows: pd.DataFrame,
        outcome: str,
        numbers: Sequence[str],
        names: Sequence[str],
        group: str,
    ) -> _Design:
        columns, terms, levels = [np.ones(len(rows))], [INTERCEPT], [""]
        for number in numbers:
            columns.append(rows[number].to_numpy(float))
            terms.append(number)
            levels.append("")
        for name in names:
            values = rows[name].astype(str).to_numpy()
            for level in np.unique(values)[1:]:
                columns.append((values == level).astype(float))
                terms.append(name)
                levels.append(str(level))
        groups = np.unique(rows[group].astype(str).to_numpy(), return_inverse=True)[1]
        x, y = np.column_stack(columns), rows[outcome].to_numpy(float)
        # the same sums whatever the order of rows
        order = np.lexsort((y, *x.T, groups))
        return cls(x[order], y[order], groups[order].astype(np.int64), terms, levels)

    def problem(self) -> str:
        """Why there is nothing to fit; empty if there is."""
        n, p = self.x.shape
        if n <= p + 1:
            return "no more rows than effects"
        if len(np.unique(self.group)) < 2 or len(np.unique(self.group)) == n:
            return "groups do not repeat: their variance cannot be told"
        if len(np.unique(self.y)) < 2:
            return "the outcome does not vary"
        if np.linalg.matrix_rank(self.x / np.linalg.norm(self.x, axis=0)) < p:
            return "effects cannot be told apart"
        return ""


@dataclass(frozen=True)
class _Fit:
    estimate: np.ndarray
    error: np.ndarray
    variances: tuple[float, ...]
    log_likelihood: float
    note: str = ""


def _linear(design: _Design) -> _Fit:
    """By statsmodels' MixedLM."""
    from statsmodels.regression.mixed_linear_model import MixedLM  # slow to import

    model = MixedLM(design.y, design.x, groups=design.group)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = model.fit(reml=False, method=["bfgs", "lbfgs", "powell"], gtol=1e-8)
    variance = float(fit.cov_re[0, 0])
    at_edge = variance < _SINGULAR * fit.scale
    note = "" if fit.converged or at_edge else "the search for the variances did not converge"
    return _Fit(
        np.asarray(fit.fe_params),
        _linear_errors(design, variance, fit.scale),
        (0.0 if at_edge else variance, float(fit.scale)),
        float(fit.llf),
        note,
    )


def _linear_errors(design: _Design, variance: float, residual: float) -> np.ndarray:
    """Of generalised least squares with these variances, as lme4's."""
    n = np.bincount(design.group)
    sums = np.column_stack([np.bincount(design.group, column) for column in design.x.T])
    shrunk = variance / (residual + n * variance)
    precision = (design.x.T @ design.x - sums.T @ (sums * shrunk[:, None])) / residual
    return np.sqrt(np.diag(np.linalg.inv(precision)))


def _logistic(design: _Design) -> _Fit:
    """Maximum likelihood of a logistic model with normal intercepts of groups."""
    if not np.isin(design.y, (0.0, 1.0)).all():
        raise MethodError("a logistic model explains answers that are 0 or 1")
    likelihood = _LogisticLikelihood(design)
    # columns near each other in size, for the search
    size = np.sqrt((design.x**2).mean(axis=0))
    start = np.zeros(design.x.shape[1] + 1)
    share = design.y.mean()
    start[0] = np.log(share / (1 - share))

    def deviance(parameters: np.ndarray) -> float:
        return -2 * likelihood.at(parameters[:-1] / size, np.exp(parameters[-1]))

    found = optimize.minimize(deviance, start, method="BFGS", options={"gtol": 1e-5})
    hessian = _second_differences(deviance, found.x)
    with np.errstate(invalid="ignore"):
        error = np.sqrt(np.diag(np.linalg.inv(hessian / 2)))[:-1] / size
    flat = np.abs(found.jac).max() < _SLOPE
    note = "" if flat else "the search for the most likely effects did not converge"
    sigma = float(np.exp(found.x[-1]))
    return _Fit(found.x[:-1] / size, error, (sigma**2,), -found.fun / 2, note)


@dataclass(frozen=True)
class _LogisticLikelihood:
    """log Π_g ∫ Π_i P(y_i | x_i'β + σ u) φ(u) du, each integral around its own mode."""

    design: _Design

    def at(self, beta: np.ndarray, sigma: float) -> float:
        fixed = self.design.x @ beta
        mode, curvature = self._modes(fixed, sigma)
        spread = 1 / np.sqrt(curvature)
        nodes, weights = special.roots_hermite(NODES)
        terms = np.empty((NODES, len(mode)))
        for k, (node, weight) in enumerate(zip(nodes, weights, strict=True)):
            u = mode + np.sqrt(2.0) * spread * node
            terms[k] = np.log(weight) + node**2 + self._joint(fixed, sigma, u)
        scale = np.log(np.sqrt(2.0) * spread) - np.log(2 * np.pi) / 2
        return float((special.logsumexp(terms, axis=0) + scale).sum())

    def _joint(self, fixed: np.ndarray, sigma: float, u: np.ndarray) -> np.ndarray:
        """(G,) log of what is integrated, but for the constant of φ."""
        eta = fixed + sigma * u[self.design.group]
        return self._sums(special.log_expit(np.where(self.design.y > 0, eta, -eta))) - u**2 / 2

    def _sums(self, values: np.ndarray) -> np.ndarray:
        return np.bincount(self.design.group, values)

    def _modes(self, fixed: np.ndarray, sigma: float) -> tuple[np.ndarray, np.ndarray]:
        """Where each group's integrand is highest, and its curvature there: Newton's method."""
        u = np.zeros(self.design.group[-1] + 1)
        for _ in range(_NEWTON):
            share = special.expit(fixed + sigma * u[self.design.group])
            slope = sigma * self._sums(self.design.y - share) - u
            curvature = 1 + sigma**2 * self._sums(share * (1 - share))
            step = slope / curvature
            u = u + step
            if np.abs(step).max() < 1e-10:
                break
        return u, curvature


def _second_differences(function, at: np.ndarray) -> np.ndarray:
    """The Hessian by central differences."""
    n, h = len(at), 1e-3
    steps = h * np.eye(n)
    hessian = np.empty((n, n))
    for i in range(n):
        for j in range(i + 1):
            corners = [
                sign * function(at + a * steps[i] + b * steps[j])
                for a, b, sign in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))
            ]
            hessian[i, j] = hessian[j, i] = sum(corners) / (4 * h**2)
    return hessian


# --- of answers about pairs ----------------------------------------------------------------------


def worker_effects(answers: pa.Table, workers: pd.DataFrame) -> pd.DataFrame:
    """What time and consistency have to do with position, question, topic and how much is done.

    Parameters
    ----------
    answers
        Schema ``preferences``: those that count.
    workers
        As `regrade.preferences.workers.worker_table` gives.

    Returns
    -------
    DataFrame
        Columns of ``preferences/effects``, of two linear models: ``log seconds`` of an answer on
        its position in the unit and the topic; ``inconsistency`` of a worker for a topic (a share
        of documents, of preferences the mean of its two ends) on question, documents shown, the log
        of seconds per document, and the topic.
    """
    frame = answers.to_pandas()
    seconds = frame["seconds"].to_numpy(float)
    frame["log seconds"] = np.log(np.where(seconds > 0, seconds, np.nan))
    times = mixed_effects(frame, "log seconds", ["position"], ["topic"])
    ends = workers[["inconsistent_low", "inconsistent_high"]].mean(axis=1, skipna=False)
    shares = {"preference": ends, "absolute": workers["inconsistent_absolute"]}
    per_document = workers["per_document"].to_numpy(float)
    log_seconds = np.log(np.where(per_document > 0, per_document, np.nan))
    rows = pd.concat(
        workers[["topic", "worker", "shown"]].assign(
            **{
                "question": question,
                "inconsistency": share,
                "log seconds per document": log_seconds,
            }
        )
        for question, share in shares.items()
    )
    numbers = ["shown", "log seconds per document"]
    shares = mixed_effects(rows, "inconsistency", numbers, ["question", "topic"])
    return _together([times, shares])


def label_effects(
    answers: pa.Table, labels: pd.DataFrame, reference: str = "reference", *,
    logistic: bool = False,
) -> pd.DataFrame:  # fmt: skip
    """What it has to do with position, question, side and time whether answers agree with labels.

    Parameters
    ----------
    answers
        Schema ``preferences``: those that count.
    labels
        Schema ``qrels``.
    reference
        What the labels are called.
    logistic
        Whether a logistic mixed model stands beside the linear one.

    Returns
    -------
    DataFrame
        ``reference`` and the columns of ``preferences/effects``; the outcome ``agrees`` is 1 where
        an answer puts the document with the higher label first, of answers about documents with
        different labels. The term ``higher`` is its side, left being the baseline.
    """
    frame = answers.to_pandas()
    known = by_document(labels)
    said = signs(*(of_side(frame, side, known) for side in ("left", "right")))
    seconds = frame["seconds"].to_numpy(float)
    frame = frame[["topic", "worker", "position", "sides"]].assign(
        **{"log seconds": np.log(np.where(seconds > 0, seconds, np.nan))},
        higher=np.where(frame["sides"], np.where(said < 0, "left", "right"), None),
    )
    parts = []
    for question, order in answered_orders(answers).items():
        here = (np.abs(said) == 1) & ~np.isnan(order)
        agrees = (order == said).astype(float)
        parts.append(frame.assign(question=question, agrees=agrees)[here])
    rows = pd.concat(parts, ignore_index=True)
    models = [LINEAR, LOGISTIC] if logistic else [LINEAR]
    made = [
        mixed_effects(rows, "agrees", ["position", "log seconds"], ["question", "higher", "topic"],
                      model=model)
        for model in models
    ]  # fmt: skip
    return _together(made).assign(reference=reference)[
        ["reference", *columns_of("preferences/effects")]
    ]


def partition_effects(topics: pd.DataFrame) -> pd.DataFrame:
    """What α has to do with partitions, documents and methods (yang2019 §5.3.6).

    Parameters
    ----------
    topics
        As `regrade.preferences.partitions.partition_topics` gives.

    Returns
    -------
    DataFrame
        Columns of ``preferences/effects``, of a linear model of ``alpha`` with topics as a sample.
    """
    return mixed_effects(topics, "alpha", ["used", "documents"], ["method"], group="topic")


def _together(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    text = ["term", "level", "note"]
    return pd.concat([part.astype(dict.fromkeys(text, object)) for part in parts],
                     ignore_index=True)  # fmt: skip
