"""What has an influence on answers: mixed models with workers as a sample (yang2019 §5.3.5).

A worker's answers are alike, so that each worker has an intercept of its own, drawn from a normal
distribution.  The models are linear, and the likelihood of their one
ratio of variances has a closed form.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy import optimize, special

from regrade.catalogue import columns_of
from regrade.preferences.agreement import answered_orders, signs
from regrade.preferences.label_comparison import by_document, of_side

INTERCEPT = "(Intercept)"
LINEAR = "linear"

_LOG_RATIOS = np.log(np.logspace(-8, 8, 129))
"""Where the variance of groups over that of residuals is looked for; below the first it is 0."""

_NOTHING = 1e-12
"""Of the variance: less than that is no residual."""


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
    problem, fit = _problem(x, y, groups), None
    if not problem:
        fit = _linear(x, y, groups)
        problem = "" if fit else "effects and groups explain all: no variance is left"
    if fit is None:
        coefficients = coefficients.iloc[:0].reindex([0])
        notes.append(problem)
    else:
        estimate, error, variances = fit
        z = estimate / error
        p = special.erfc(np.abs(z) / np.sqrt(2.0))
        coefficients = coefficients.assign(estimate=estimate, std_error=error, z=z, p=p)
        of = {"term": "variance", "level": [group, "residual"], "estimate": variances}
        coefficients = pd.concat([coefficients, pd.DataFrame(of)], ignore_index=True)
    result = coefficients.reindex(columns=columns_of("preferences/effects"))
    return result.assign(**about, note="; ".join(notes) or None)


def _problem(x: np.ndarray, y: np.ndarray, group: np.ndarray) -> str:
    """Why there is nothing to fit; empty if there is."""
    n, p = x.shape
    if n <= p + 1:
        return "no more rows than effects"
    if len(np.unique(group)) in (0, 1, n):
        return "groups do not repeat: their variance is not identifiable"
    if len(np.unique(y)) < 2:
        return "the outcome does not vary"
    if np.linalg.matrix_rank(x / np.linalg.norm(x, axis=0)) < p:
        return "effects are confounded"
    return ""


def _linear(
    x: np.ndarray, y: np.ndarray, group: np.ndarray
) -> tuple[np.ndarray, np.ndarray, tuple[float, float]] | None:
    """Estimates and their errors, variances of groups and residuals; none where nothing is left.

    With ρ the variance of groups over that of residuals, n_g the rows of a group and sums over them
    in capitals, a'V⁻¹b = a'b − Σ ρ / (1 + ρ n_g) A_g B_g, log |V| = Σ log(1 + ρ n_g).
    """
    n = np.bincount(group)
    sums = np.column_stack([np.bincount(group, column) for column in x.T])

    def fitted(ratio: float) -> tuple[np.ndarray, np.ndarray, float]:
        shrunk = ratio / (1 + ratio * n)
        gram = x.T @ x - sums.T @ (sums * shrunk[:, None])
        estimate = np.linalg.solve(gram, x.T @ y - sums.T @ (np.bincount(group, y) * shrunk))
        left = y - x @ estimate
        return estimate, gram, left @ left - shrunk @ np.bincount(group, left) ** 2

    def loss(log_ratio: float) -> float:
        ratio = np.exp(log_ratio)
        return len(y) * np.log(fitted(ratio)[2]) + np.log1p(ratio * n).sum()

    least = fitted(np.exp(_LOG_RATIOS[-1]))[2]
    if not least > _NOTHING * ((y - y.mean()) ** 2).sum():
        return None
    losses = np.array([*map(loss, _LOG_RATIOS)])
    best = int(losses.argmin())
    around = _LOG_RATIOS[[max(best - 1, 0), min(best + 1, len(losses) - 1)]]
    optimum = optimize.minimize_scalar(
        loss, bounds=tuple(around), method="bounded", options={"xatol": 1e-9}
    )
    # below the least ratio the likelihood is that of none, but for rounding
    ratio = 0.0 if best == 0 else float(np.exp(optimum.x))
    estimate, gram, left = fitted(ratio)
    residual = float(left / len(y))
    errors = np.sqrt(np.diag(np.linalg.inv(gram)) * residual)
    return estimate, errors, (ratio * residual, residual)


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
