"""What has an influence on answers: mixed models with workers as a sample (yang2019 §5.3.5).

A worker's answers are alike, so that each worker has an intercept of its own, drawn from a normal
distribution.  The models are linear, fitted by statsmodels.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

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
    design = _Design.of(rows, outcome, [c for c in numbers if c in kept],
                        [c for c in names if c in kept], group)  # fmt: skip
    problem = design.problem()
    if problem:
        return pd.DataFrame(
            [about | {"note": "; ".join([*notes, problem])}],
            columns=columns_of("preferences/effects"),
        )
    fit = _linear(design)
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
    return result.assign(**about, note="; ".join(notes) or None)[columns_of("preferences/effects")]


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
        note,
    )


def _linear_errors(design: _Design, variance: float, residual: float) -> np.ndarray:
    """Of generalised least squares with these variances, as lme4's."""
    n = np.bincount(design.group)
    sums = np.column_stack([np.bincount(design.group, column) for column in design.x.T])
    shrunk = variance / (residual + n * variance)
    precision = (design.x.T @ design.x - sums.T @ (sums * shrunk[:, None])) / residual
    return np.sqrt(np.diag(np.linalg.inv(precision)))


# --- of answers about pairs ----------------------------------------------------------------------


def worker_effects(answers: pa.Table, workers: pd.DataFrame) -> pd.DataFrame:
    """What time and consistency have to do with position, question, topic and how much is done."""
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
    seconds = frame["seconds"].to_numpy(float)
    frame = frame[["topic", "worker", "position", "sides"]].assign(
        **{"log seconds": np.log(np.where(seconds > 0, seconds, np.nan))},
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
