"""What drives scores: pool depth (a covariate), topic, system, and their interactions.

Analysis of covariance as yang2019 §4.9 runs it (Table 4.9), with types II and III of sums of
squares, on the fits of `regrade.significance.fits`.  Mixed models are in
`regrade.significance.mixed`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from scipy import special

from regrade.choices import CONTRASTS, INTERCEPT, RESIDUALS, SS_TYPES
from regrade.errors import ParameterError, check_choice
from regrade.kendall import TOLERANCE
from regrade.significance.cells import by_measure, check_varied
from regrade.significance.fits import (
    CellFit,
    FullFit,
    MainEffectsFit,
    OneDepthFit,
    Term,
    TwoWayFit,
)

ONE_DEPTH = "one-depth"
"""The model of topic and system, of the scores at a single depth."""

MODELS: dict[str, type[CellFit]] = {
    "main": MainEffectsFit,
    "two-way": TwoWayFit,
    "full": FullFit,
    ONE_DEPTH: OneDepthFit,
}
"""depth + topic + system; with all interactions of two; with all interactions; without depth."""


def ancova(
    scores: pd.DataFrame,
    model: str = "full",
    *,
    ss_type: str = "III",
    contrasts: str = "sum",
) -> pd.DataFrame:
    """Analysis of covariance of the scores under each measure.

    Notes
    -----
    Agrees with ``car::Anova(aov(value ~ depth * topic * system), type=…)`` in R, and so for the
    other models.  All but ``one-depth`` take scores at several depths as independent: see
    `regrade.choices.REPLICATES`.
    """
    check_choice("ss_type", ss_type, SS_TYPES)
    check_choice("contrasts", contrasts, CONTRASTS)
    tables = []
    for measure, name, fit in _fits(scores, model):
        if ss_type == "II":
            squares = {term: fit.type_ii(term) for term in fit.terms}
        else:
            squares = {term: fit.type_iii(term, contrasts) for term in ((), *fit.terms)}
        tables.append(_table(squares, fit).assign(model=name, measure=measure))
    table = pd.concat(tables, ignore_index=True)
    return table[["model", "measure", *table.columns.drop(["model", "measure"])]]


def ancova_of_models(scores: pd.DataFrame, depths: Iterable[int], at_depth: int) -> pd.DataFrame:
    """`ancova` by every model, and at one depth."""
    at_depths = scores[scores["depth"].isin(depths)]
    tables = [ancova(at_depths, model) for model in MODELS if model != ONE_DEPTH]
    tables.append(ancova(scores[scores["depth"] == at_depth], ONE_DEPTH))
    return pd.concat(tables, ignore_index=True)


def residual_diagnostics(scores: pd.DataFrame, model: str = "full") -> pd.DataFrame:
    """Residuals of the model: what its assumptions are checked by."""
    tables = []
    for measure, _, fit in _fits(scores, model):
        cells = fit.cells
        fitted, leverage = fit.fitted_rows(), fit.leverage()
        residual = cells.value - fitted
        spread = np.sqrt(fit.residual_variance * np.maximum(1.0 - leverage, 0.0))
        standardised = np.full(len(residual), np.nan)
        np.divide(residual, spread, out=standardised, where=spread > TOLERANCE)
        topic, system = np.divmod(cells.cell, cells.shape[1])
        columns = {
            "measure": measure,
            "depth": cells.depth,
            "topic": pd.Categorical.from_codes(topic, cells.topics),
            "system": pd.Categorical.from_codes(system, cells.systems),
            "fitted": fitted,
            "residual": residual,
            "leverage": leverage,
            "standardised": standardised,
            "quantile": _normal_quantiles(standardised),
        }
        tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)


def _fits(scores: pd.DataFrame, model: str) -> Iterable[tuple[str, str, CellFit]]:
    """Each measure, the model's name in tables, and its fit."""
    check_choice("model", model, MODELS)
    for measure, cells in by_measure(scores):
        check_varied(measure, cells)
        name = model
        if model == ONE_DEPTH:
            depths = np.unique(cells.depth)
            if len(depths) > 1:
                raise ParameterError(f"{measure}: scores at depths {depths.tolist()}: choose one")
            name = f"depth {depths[0]:g}"
        yield measure, name, MODELS[model](cells)


def _table(squares: Mapping[Term, tuple[float, int]], fit: CellFit) -> pd.DataFrame:
    """Sums of squares with what follows from them."""
    sum_sq, df = (np.array(column) for column in zip(*squares.values(), strict=True))
    n, total = len(fit.cells.value), fit.cells.total_ss
    error, variance = fit.residual_ss, fit.residual_variance
    if error <= n * TOLERANCE**2:
        error = variance = 0.0
    is_effect = np.array([bool(term) for term in squares])
    with np.errstate(divide="ignore", invalid="ignore"):
        f = sum_sq / df / variance if variance else np.full(len(df), np.nan)
        p = special.fdtrc(df, fit.residual_df, f)
        beyond_chance = sum_sq - df * variance
        sizes = {
            "eta_sq": sum_sq / total,
            "omega_sq": beyond_chance / (total + variance),
            "partial_eta_sq": sum_sq / (sum_sq + error),
            "partial_omega_sq": beyond_chance / (sum_sq + (n - df) * variance),
        }
    effects = pd.DataFrame(
        {"term": [":".join(term) or INTERCEPT for term in squares]}
        | {"sum_sq": sum_sq, "df": df, "f": f, "p": p}
        | {name: np.where(is_effect, size, np.nan) for name, size in sizes.items()}
    )
    residuals = pd.DataFrame([{"term": RESIDUALS, "sum_sq": error, "df": fit.residual_df}])
    return pd.concat([effects, residuals], ignore_index=True)


def _normal_quantiles(values: np.ndarray) -> np.ndarray:
    """Each value's place in its order as a quantile of the normal distribution; NaN for NaN."""
    quantiles = np.full(len(values), np.nan)
    defined = np.flatnonzero(~np.isnan(values))
    order = defined[np.argsort(values[defined], kind="stable")]
    quantiles[order] = special.ndtri((np.arange(len(order)) + 0.5) / len(order))
    return quantiles
