"""What has an influence on answers: mixed models with workers as a sample (yang2019 §5.3.5).

A worker's answers are alike, so that each worker has an intercept of its own, drawn from a normal
distribution.  The models are linear, fitted by statsmodels.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy import special

from regrade.catalogue import columns_of
from regrade.preferences.agreement import answered_orders, signs
from regrade.preferences.label_comparison import by_document, of_side

INTERCEPT = "(Intercept)"
LINEAR = "linear"

_SINGULAR = 1e-8
"""Of the residual variance: below it the variance of groups is 0."""


def mixed_effects(
    table: pd.DataFrame,
    outcome: str,
    numbers: Sequence[str] = (),
    names: Sequence[str] = (),
    group: str = "worker",
) -> pd.DataFrame:
    """Fit outcome ~ numbers + names + (1 | group) by maximum likelihood."""
    used = [*numbers, *names]
    known = [column for column in used if table[column].notna().any()]
    rows = table.dropna(subset=[outcome, group, *known])
    kept = [column for column in known if rows[column].nunique() > 1]
    notes = [f"{column} does not vary" for column in used if column not in kept]
    about = {"model": LINEAR, "outcome": outcome, "group": group}
    about |= {"rows": len(rows), "groups": rows[group].nunique()}
    columns, terms = [np.ones(len(rows))], [(INTERCEPT, "")]
    for column in kept:
        if column in numbers:
            columns.append(rows[column].to_numpy(float))
            terms.append((column, ""))
            continue
        values = rows[column].astype(str).to_numpy()
        for level in np.unique(values)[1:]:
            columns.append((values == level).astype(float))
            terms.append((column, str(level)))
    groups = np.unique(rows[group].astype(str).to_numpy(), return_inverse=True)[1]
    x, y = np.column_stack(columns), rows[outcome].to_numpy(float)
    # the same sums whatever the order of rows
    order = np.lexsort((y, *x.T, groups))
    x, y, groups = x[order], y[order], groups[order].astype(np.int64)
    coefficients = pd.DataFrame(terms, columns=["term", "level"])
    problem = _problem(x, y, groups)
    if problem:
        coefficients = coefficients.iloc[:0].reindex([0])
        notes.append(problem)
    else:
        estimate, error, variances, note = _linear(x, y, groups)
        z = estimate / error
        p = special.erfc(np.abs(z) / np.sqrt(2.0))
        coefficients = coefficients.assign(estimate=estimate, std_error=error, z=z, p=p)
        of = {"term": "variance", "level": [group, "residual"], "estimate": variances}
        coefficients = pd.concat([coefficients, pd.DataFrame(of)], ignore_index=True)
        notes += [note] if note else []
    result = coefficients.reindex(columns=columns_of("preferences/effects"))
    return result.assign(**about, note="; ".join(notes) or None)


def _problem(x: np.ndarray, y: np.ndarray, group: np.ndarray) -> str:
    """Why there is nothing to fit; empty if there is."""
    n, p = x.shape
    if n <= p + 1:
        return "no more rows than effects"
    if len(np.unique(group)) in (0, 1, n):
        return "groups do not repeat: their variance cannot be told"
    if len(np.unique(y)) < 2:
        return "the outcome does not vary"
    if np.linalg.matrix_rank(x / np.linalg.norm(x, axis=0)) < p:
        return "effects cannot be told apart"
    return ""


def _linear(
    x: np.ndarray, y: np.ndarray, group: np.ndarray
) -> tuple[np.ndarray, np.ndarray, tuple[float, float], str]:
    """Estimates and their errors, variances of groups and residuals, a note; by MixedLM."""
    from statsmodels.regression.mixed_linear_model import MixedLM  # slow to import

    model = MixedLM(y, x, groups=group)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = model.fit(reml=False, method=["bfgs", "lbfgs", "powell"], gtol=1e-8)
    variance, residual = float(fit.cov_re[0, 0]), fit.scale
    at_edge = variance < _SINGULAR * residual
    note = "" if fit.converged or at_edge else "the search for the variances did not converge"
    # of generalised least squares with these variances, as lme4's
    n = np.bincount(group)
    sums = np.column_stack([np.bincount(group, column) for column in x.T])
    shrunk = variance / (residual + n * variance)
    precision = (x.T @ x - sums.T @ (sums * shrunk[:, None])) / residual
    errors = np.sqrt(np.diag(np.linalg.inv(precision)))
    variances = (0.0 if at_edge else variance, float(residual))
    return np.asarray(fit.fe_params), errors, variances, note


# --- of answers about pairs ----------------------------------------------------------------------


def _log_of_positive(seconds: pd.Series) -> np.ndarray:
    """NaN of what is not above 0."""
    seconds = seconds.to_numpy(float)
    return np.log(np.where(seconds > 0, seconds, np.nan))


def worker_effects(answers: pa.Table, workers: pd.DataFrame) -> pd.DataFrame:
    """What time and consistency have to do with position, question, topic and how much is done."""
    frame = answers.to_pandas()
    frame["log seconds"] = _log_of_positive(frame["seconds"])
    times = mixed_effects(frame, "log seconds", ["position"], ["topic"])
    ends = workers[["inconsistent_low", "inconsistent_high"]].mean(axis=1, skipna=False)
    shares = {"preference": ends, "absolute": workers["inconsistent_absolute"]}
    number = "log seconds per document"
    known = workers[["topic", "worker", "shown"]]
    known = known.assign(**{number: _log_of_positive(workers["per_document"])})
    rows = pd.concat(
        known.assign(question=question, inconsistency=share) for question, share in shares.items()
    )
    numbers = ["shown", number]
    shares = mixed_effects(rows, "inconsistency", numbers, ["question", "topic"])
    return _concat([times, shares])


def label_effects(
    answers: pa.Table, labels: pd.DataFrame, reference: str = "reference"
) -> pd.DataFrame:
    """What it has to do with position, question, side and time whether answers agree with
    labels.
    """
    frame = answers.to_pandas()
    known = by_document(labels)
    label_order = signs(*(of_side(frame, side, known) for side in ("left", "right")))
    frame = frame[["topic", "worker", "position", "sides"]].assign(
        **{"log seconds": _log_of_positive(frame["seconds"])},
        higher=np.where(frame["sides"], np.where(label_order < 0, "left", "right"), None),
    )
    parts = []
    for question, order in answered_orders(answers).items():
        here = (np.abs(label_order) == 1) & ~np.isnan(order)
        agrees = (order == label_order).astype(float)
        parts.append(frame.assign(question=question, agrees=agrees)[here])
    rows = pd.concat(parts, ignore_index=True)
    numbers, names = ["position", "log seconds"], ["question", "higher", "topic"]
    return _concat([mixed_effects(rows, "agrees", numbers, names)]).assign(reference=reference)[
        ["reference", *columns_of("preferences/effects")]
    ]


def partition_effects(topics: pd.DataFrame) -> pd.DataFrame:
    """What α has to do with partitions, documents and methods (yang2019 §5.3.6)."""
    return mixed_effects(topics, "alpha", ["used", "documents"], ["method"], group="topic")


def _concat(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    text = ["term", "level", "note"]
    return pd.concat([part.astype(dict.fromkeys(text, object)) for part in parts],
                     ignore_index=True)  # fmt: skip
