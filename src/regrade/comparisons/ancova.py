"""What drives scores: pool depth (a covariate), topic, system, and their interactions.

Analysis of covariance as yang2019 §4.9 runs it (Table 4.9), with types II and III of sums of
squares, and the mixed model of its §2.4.4.

The model with all interactions gives every cell, a topic under a system, a line of its own: value =
a_ts + b_ts · depth.  It has as many columns as two times the cells, and need never be written down.
What a cell's rows say of any smaller model is in two numbers, its mean and its slope:

    Σ_i (y_i − a − b x_i)² = RSS_cell + n (ȳ − a − b x̄)² + S_xx (b̂ − b)²

so N rows become two per cell, weighted by √n and √S_xx, and the residual sum of squares of all
cells' lines is known before anything is solved.  A model whose level is free in every cell loses
its first rows (absorption, after Frisch, Waugh and Lovell); what is left has at most 2 (T + S)
columns, all of them indicators.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy import linalg, sparse, special

from regrade.choices import CONTRASTS, INTERCEPT, RESIDUALS, SS_TYPES
from regrade.errors import MethodError, ParameterError, check_choice
from regrade.rankings import TOLERANCE
from regrade.scoring import Scores

COLUMNS = ("depth", "system", "topic", "measure", "value")
"""What the functions here read of a table of scores."""

MAIN_EFFECTS = (("depth",), ("topic",), ("system",))
"""The terms of the model of main effects, as their variables."""

ALL_EFFECTS = (
    *MAIN_EFFECTS,
    ("depth", "topic"),
    ("depth", "system"),
    ("topic", "system"),
    ("depth", "topic", "system"),
)
"""The terms of the model with all interactions."""

Term = tuple[str, ...]


def stack_depths(scores: Mapping[int, Scores]) -> pd.DataFrame:
    """One long table of scores under pools of several depths.

    Parameters
    ----------
    scores
        By pool depth.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`; one row per depth, system, topic and measure.
    """
    tables = [
        at_depth.to_table().drop("residual").to_pandas().assign(depth=depth)
        for depth, at_depth in scores.items()
    ]
    return pd.concat(tables, ignore_index=True)[list(COLUMNS)]


def ancova(
    scores: pd.DataFrame,
    *,
    interactions: bool = True,
    ss_type: str = "III",
    contrasts: str = "sum",
    baseline: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Analysis of covariance of the scores under each measure.

    Parameters
    ----------
    scores
        Columns `COLUMNS`; any number of rows per cell.
    interactions
        ``True``: ``depth * topic * system``; ``False``: ``depth + topic + system``.
    ss_type
        ``II``: each term beside all terms that do not contain it; ``III``: each term beside all
        others, with an intercept, where the meaning of a term that is part of another depends on
        the contrasts and on depth 0.
    contrasts
        For type III. ``sum``: effects are deviations from the mean over topics and systems.
        ``treatment``, R's default: effects are those of the baseline topic or system.
    baseline
        ``{"topic": …, "system": …}`` of the treatment contrasts; by default the first of each,
        sorted bytewise (R sorts by its locale).

    Returns
    -------
    DataFrame
        For each measure a row per term, and last ``Residuals``: ``measure``, ``term``, ``sum_sq``,
        ``df``, ``f``, ``p``, ``eta_sq`` (of the total sum of squares), ``omega_sq``,
        ``partial_eta_sq``, ``partial_omega_sq``.  f and p are NaN where no residual variation is
        left; effect sizes are NaN for the intercept.

    Raises
    ------
    ParameterError
        If a choice or a baseline does not exist, or a value is not finite.
    MethodError
        If the rows do not determine the model: with interactions, a topic under a system has
        scores at fewer than two depths, or none has them at three; without, topics and systems are
        not connected by scores, or all depths are the same.

    Notes
    -----
    Agrees with ``car::Anova(aov(value ~ depth * topic * system), type=…)`` in R.
    """
    check_choice("ss_type", ss_type, SS_TYPES)
    check_choice("contrasts", contrasts, CONTRASTS)
    terms = ALL_EFFECTS if interactions else MAIN_EFFECTS
    tables = []
    for measure, cells in _by_measure(scores, baseline):
        fit = _fit(cells, interactions)
        if ss_type == "II":
            squares = {term: fit.type_ii(term, terms) for term in terms}
        else:
            squares = {term: fit.type_iii(term, contrasts) for term in ((), *terms)}
        tables.append(_table(squares, fit).assign(measure=measure))
    table = pd.concat(tables, ignore_index=True)
    return table[["measure", *table.columns.drop("measure")]]


def effects_by_measure(effects: pd.DataFrame, *, significance: float = 0.05) -> pd.DataFrame:
    """p-values as yang2019 Table 4.9 prints them.

    Parameters
    ----------
    effects
        As `ancova` makes it.
    significance
        The level of the tests.

    Returns
    -------
    DataFrame
        A row per term (neither intercept nor residuals), named in the column ``term``, and a column
        per measure, in their order in `effects`: ``***`` for p below the level, else p to
        three decimals, empty where undefined.
    """
    tested = effects[~effects["term"].isin([INTERCEPT, RESIDUALS])]
    wide = tested.assign(text=[format_p(p, significance) for p in tested["p"]]).pivot(
        index="term", columns="measure", values="text"
    )
    rows, columns = tested["term"].drop_duplicates(), tested["measure"].drop_duplicates()
    return wide.loc[rows, columns].rename_axis(columns=None).reset_index()


def format_p(p: float, significance: float = 0.05) -> str:
    """``***`` for p below the level, else p to three decimals, empty where undefined."""
    if np.isnan(p):
        return ""
    return "***" if p < significance else f"{p:.3f}"


def residual_diagnostics(scores: pd.DataFrame, *, interactions: bool = True) -> pd.DataFrame:
    """Residuals of the model: what its assumptions are checked by.

    Parameters
    ----------
    scores, interactions
        As for `ancova`.

    Returns
    -------
    DataFrame
        One row per row of `scores`, measure by measure: ``measure``, ``depth``, ``topic``,
        ``system``, ``fitted``, ``residual``, ``leverage``, ``standardised`` (residual over its
        standard error, NaN where that is zero) and ``quantile``, that of the standard normal
        distribution at (i − ½)/N for the i-th smallest standardised residual.

    Raises
    ------
    ParameterError, MethodError
        As `ancova`.
    """
    tables = []
    for measure, cells in _by_measure(scores, None):
        fit = _fit(cells, interactions)
        fitted, leverage = fit.fitted_rows(), fit.leverage()
        residual = cells.value - fitted
        spread = np.sqrt(fit.residual_variance * np.maximum(1.0 - leverage, 0.0))
        standardised = np.full(len(residual), np.nan)
        np.divide(residual, spread, out=standardised, where=spread > TOLERANCE)
        tables.append(
            pd.DataFrame(
                {
                    "measure": measure,
                    "depth": cells.depth,
                    "topic": pd.Categorical.from_codes(cells.cell // cells.shape[1], cells.topics),
                    "system": pd.Categorical.from_codes(cells.cell % cells.shape[1], cells.systems),
                    "fitted": fitted,
                    "residual": residual,
                    "leverage": leverage,
                    "standardised": standardised,
                    "quantile": _normal_quantiles(standardised),
                }
            )
        )
    return pd.concat(tables, ignore_index=True)


def cell_lines(scores: pd.DataFrame) -> pd.DataFrame:
    """The line of each topic under each system: what the model with all interactions fits.

    Parameters
    ----------
    scores
        Columns `COLUMNS`.

    Returns
    -------
    DataFrame
        One row per measure, topic and system that have scores: ``measure``, ``topic``, ``system``,
        ``n`` (rows), ``mean``, ``intercept`` (at depth 0) and ``slope`` (NaN at a single depth),
        and ``residual_sd``, the standard deviation around the line (NaN for fewer than three rows).
    """
    tables = []
    for measure, cells in _by_measure(scores, None):
        topic, system = np.nonzero(cells.n)
        occupied = topic, system
        with np.errstate(invalid="ignore", divide="ignore"):
            slope = np.where(cells.depth_ss > 0, cells.slope, np.nan)[occupied]
            variance = np.where(cells.n > 2, cells.residual_ss / (cells.n - 2.0), np.nan)[occupied]
        tables.append(
            pd.DataFrame(
                {
                    "measure": measure,
                    "topic": pd.Categorical.from_codes(topic, cells.topics),
                    "system": pd.Categorical.from_codes(system, cells.systems),
                    "n": cells.n[occupied].astype(np.int64),
                    "mean": cells.value_mean[occupied],
                    "intercept": cells.value_mean[occupied] - slope * cells.depth_mean[occupied],
                    "slope": slope,
                    "residual_sd": np.sqrt(variance),
                }
            )
        )
    return pd.concat(tables, ignore_index=True)


@dataclass(frozen=True, eq=False)
class MixedModels:
    """Mixed models of score on depth and system, topics being random, one per measure.

    Attributes
    ----------
    coefficients
        ``measure``, ``term`` ((Intercept), depth, system), ``level`` (the system, else empty),
        ``estimate``, ``std_error``, ``z``, ``p``.
    tests
        Wald tests of the fixed effects: ``measure``, ``term``, ``chi2``, ``df``, ``p``.
    variances
        ``measure``, ``topic_variance``, ``residual_variance``, ``intraclass`` (the topics' share of
        the two), ``log_likelihood``, ``converged``.
    """

    coefficients: pd.DataFrame
    tests: pd.DataFrame
    variances: pd.DataFrame


def mixed_model(scores: pd.DataFrame, *, reml: bool = False) -> MixedModels:
    """Fit value ~ depth + system + (1 | topic) under each measure, by statsmodels' MixedLM.

    Parameters
    ----------
    scores
        Columns `COLUMNS`; depth is left out of the model where all are the same.
    reml
        Restricted maximum likelihood; by default maximum likelihood, as yang2019 §2.4.4.

    Returns
    -------
    MixedModels
        The first system, sorted bytewise, is the baseline of the others' coefficients.  Standard
        errors are those of generalised least squares with the fitted variances, as in lme4.

    Raises
    ------
    ParameterError
        If a value is not finite.
    MethodError
        If there are fewer than two topics or two systems.
    """
    from statsmodels.regression.mixed_linear_model import MixedLM  # slow to import

    coefficients, tests, variances = [], [], []
    for measure, cells in _by_measure(scores, None):
        if min(cells.shape) < 2:
            raise MethodError(f"{measure}: a mixed model needs at least two topics and two systems")
        topic, system = np.divmod(cells.cell, cells.shape[1])
        has_depth = bool(np.ptp(cells.depth) > 0)
        terms = [INTERCEPT] + ["depth"] * has_depth + ["system"] * (cells.shape[1] - 1)
        levels = [""] * (1 + has_depth) + list(cells.systems[1:])
        design = np.column_stack(
            [np.ones(len(system))]
            + [cells.depth] * has_depth
            + [system[:, None] == np.arange(1, cells.shape[1])]
        ).astype(np.float64)
        # at the default gradient the topics' variance can still be 0.3 % from its optimum
        fit = MixedLM(cells.value, design, groups=topic).fit(reml=reml, method="bfgs", gtol=1e-8)
        estimate = np.asarray(fit.fe_params)
        of_topics = float(np.asarray(fit.cov_re)[0, 0])
        covariance = _fixed_covariance(design, topic, of_topics, fit.scale)
        error = np.sqrt(np.diag(covariance))
        coefficients.append(
            pd.DataFrame(
                {
                    "measure": measure,
                    "term": terms,
                    "level": levels,
                    "estimate": estimate,
                    "std_error": error,
                    "z": estimate / error,
                    "p": special.erfc(np.abs(estimate / error) / np.sqrt(2.0)),
                }
            )
        )
        for term in dict.fromkeys(terms[1:]):
            rows = np.flatnonzero(np.array(terms) == term)
            wald = estimate[rows] @ linalg.solve(covariance[np.ix_(rows, rows)], estimate[rows])
            tests.append((measure, term, wald, len(rows), special.chdtrc(len(rows), wald)))
        share = of_topics / (of_topics + fit.scale)
        variances.append((measure, of_topics, fit.scale, share, fit.llf, bool(fit.converged)))
    return MixedModels(
        pd.concat(coefficients, ignore_index=True),
        pd.DataFrame(tests, columns=["measure", "term", "chi2", "df", "p"]),
        pd.DataFrame(
            variances,
            columns=[
                "measure",
                "topic_variance",
                "residual_variance",
                "intraclass",
                "log_likelihood",
                "converged",
            ],
        ),
    )


def _fixed_covariance(
    design: np.ndarray, topic: np.ndarray, of_topics: float, residual: float
) -> np.ndarray:
    """(Xᵀ V⁻¹ X)⁻¹, where V has the residual variance and, within a topic, that of topics."""
    n = np.bincount(topic)
    totals = np.zeros((len(n), design.shape[1]))
    np.add.at(totals, topic, design)
    shrunk = totals * (of_topics / (residual + n * of_topics))[:, None]
    return residual * linalg.inv(design.T @ design - totals.T @ shrunk)


# --- cells -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Cells:
    """N rows in T × S cells; the baseline topic and system come first.

    ``cell`` is topic · S + system of each row.  The (T, S) arrays are each cell's number of rows,
    mean depth, sum of squares of depth, mean value, slope, and residual sum of squares of its line;
    0 where there is nothing to take it from.
    """

    topics: list[str]
    systems: list[str]
    cell: np.ndarray
    depth: np.ndarray
    value: np.ndarray
    n: np.ndarray
    depth_mean: np.ndarray
    depth_ss: np.ndarray
    value_mean: np.ndarray
    slope: np.ndarray
    residual_ss: np.ndarray

    @classmethod
    def of(cls, rows: pd.DataFrame, baseline: Mapping[str, str]) -> _Cells:
        topics, topic = _codes(rows, "topic", baseline)
        systems, system = _codes(rows, "system", baseline)
        depth = rows["depth"].to_numpy(dtype=np.float64)
        value = rows["value"].to_numpy(dtype=np.float64)
        if not (np.isfinite(depth).all() and np.isfinite(value).all()):
            raise ParameterError("scores: a depth or value is not finite; leave such rows out")
        shape = len(topics), len(systems)
        cell = topic * shape[1] + system

        def per_cell(weights: np.ndarray) -> np.ndarray:
            return np.bincount(cell, weights, minlength=shape[0] * shape[1])

        n = per_cell(np.ones(len(cell)))
        depth_mean = _ratio(per_cell(depth), n)
        value_mean = _ratio(per_cell(value), n)
        x, y = depth - depth_mean[cell], value - value_mean[cell]
        depth_ss = per_cell(x**2)
        depth_ss[depth_ss <= n * (TOLERANCE * np.abs(depth).max()) ** 2] = 0.0
        slope = _ratio(per_cell(x * y), depth_ss)
        residual_ss = per_cell((y - slope[cell] * x) ** 2)
        return cls(
            topics,
            systems,
            cell,
            depth,
            value,
            *(a.reshape(shape) for a in (n, depth_mean, depth_ss, value_mean, slope, residual_ss)),
        )

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.topics), len(self.systems)


def _by_measure(
    scores: pd.DataFrame, baseline: Mapping[str, str] | None
) -> Iterable[tuple[str, _Cells]]:
    missing = sorted(set(COLUMNS) - set(scores.columns))
    if missing:
        raise ParameterError(f"scores: columns missing: {missing}")
    if scores.empty:
        raise MethodError("there are no scores to analyse")
    for measure, rows in scores.groupby("measure", sort=False, observed=True):
        yield str(measure), _Cells.of(rows, baseline or {})


def _codes(
    rows: pd.DataFrame, column: str, baseline: Mapping[str, str]
) -> tuple[list[str], np.ndarray]:
    """Names, sorted but for the baseline, which is first, and each row's code."""
    column_codes, found = pd.factorize(rows[column])
    names = sorted(map(str, found))
    if column in baseline:
        check_choice(f"baseline {column}", baseline[column], names)
        names.sort(key=lambda name: (name != baseline[column], name))
    place = {name: code for code, name in enumerate(names)}
    return names, np.array([place[str(name)] for name in found])[column_codes]


def _ratio(total: np.ndarray, weight: np.ndarray) -> np.ndarray:
    return np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)


# --- least squares ---------------------------------------------------------------------------


def _fit(cells: _Cells, interactions: bool) -> _AllEffects | _MainEffects:
    return (_AllEffects if interactions else _MainEffects)(cells)


class _Fit:
    """Least squares on the two weighted rows of each cell: √n · mean, √S_xx · slope.

    Depth counts from its mean, which changes no model that holds a term with all parts of it.
    """

    residual_ss: float
    residual_df: int

    def __init__(self, cells: _Cells):
        self.cells = cells
        self.centre = cells.depth.mean()
        self.root_n = np.sqrt(cells.n).ravel()
        self.root_ss = np.sqrt(cells.depth_ss).ravel()
        self.level_rows = self.root_n * (cells.value_mean - cells.value.mean()).ravel()
        self.slope_rows = self.root_ss * cells.slope.ravel()

    @property
    def residual_variance(self) -> float:
        return self.residual_ss / self.residual_df

    @cached_property
    def total_ss(self) -> float:
        value = self.cells.value
        return float(((value - value.mean()) ** 2).sum())

    def type_ii(self, term: Term, terms: Iterable[Term]) -> tuple[float, int]:
        """Sum of squares of a term after all that do not contain it, and its df."""
        others = [other for other in terms if not set(term) <= set(other)]
        with_it = self._fitted([*others, term]) - self._fitted(others)
        return float(with_it @ with_it), self._term_df(term)

    def _term_df(self, term: Term) -> int:
        sizes = dict(zip(("topic", "system"), self.cells.shape, strict=True))
        return int(np.prod([sizes[factor] - 1 for factor in term if factor != "depth"], dtype=int))

    def _fitted(self, terms: Iterable[Term]) -> np.ndarray:
        """The fitted rows of a model with an intercept and these terms.

        Terms come with all their parts.
        """
        level = {frozenset(term) for term in terms if "depth" not in term}
        slope = {frozenset(term) - {"depth"} for term in terms if "depth" in term}
        every_cell = frozenset(("topic", "system"))
        slopes = sparse.diags_array(self.root_ss) @ self._indicators(slope)
        if every_cell in level:  # absorbed: the level rows fit whatever the slopes are
            fitted = self.slope_rows if every_cell in slope else _project(slopes, self.slope_rows)
            return np.concatenate([self.level_rows, fitted])
        design = self._design(level, slope)
        return _project(design, np.concatenate([self.level_rows, self.slope_rows]))

    def _design(self, level: set[frozenset], slope: set[frozenset]) -> sparse.csr_array:
        """Both weighted rows of all cells; the columns of the level, then those of the slope."""
        slopes = self._indicators(slope)
        depth = self.cells.depth_mean.ravel() - self.centre
        return sparse.block_array(
            [
                [
                    sparse.diags_array(self.root_n) @ self._indicators(level | {frozenset()}),
                    sparse.diags_array(self.root_n * depth) @ slopes,
                ],
                [None, sparse.diags_array(self.root_ss) @ slopes],
            ],
            format="csr",
        )

    def _indicators(self, factors: set[frozenset]) -> sparse.csr_array:
        """(T·S, …) columns that span constant, topics, systems, or topics and systems."""
        n_topics, n_systems = self.cells.shape
        columns = [sparse.csr_array((n_topics * n_systems, 0))]
        if frozenset(("topic",)) in factors:
            columns.append(_kron(sparse.eye_array(n_topics), np.ones((n_systems, 1))))
        if frozenset(("system",)) in factors:
            systems = _kron(np.ones((n_topics, 1)), sparse.eye_array(n_systems))
            columns.append(systems[:, 1:] if len(columns) > 1 else systems)
        if len(columns) == 1 and frozenset() in factors:
            columns.append(sparse.csr_array(np.ones((n_topics * n_systems, 1))))
        return sparse.hstack(columns, format="csr")


class _AllEffects(_Fit):
    """depth * topic * system: a line for each cell."""

    def __init__(self, cells: _Cells):
        super().__init__(cells)
        flat = np.argwhere(cells.depth_ss == 0)
        if flat.size:
            topic, system = flat[0]
            raise MethodError(
                f"topic {cells.topics[topic]} has scores of system {cells.systems[system]} at "
                f"fewer than two depths (and {len(flat) - 1} more such): the model with all "
                "interactions needs two; leave topics or systems out, or interactions=False"
            )
        self.residual_ss = float(cells.residual_ss.sum())
        self.residual_df = len(cells.value) - 2 * cells.n.size
        if self.residual_df < 1:
            raise MethodError(
                "every topic has each system's scores at two depths only: with a line through "
                "two points nothing is left to test against; give more depths"
            )

    def type_iii(self, term: Term, contrasts: str) -> tuple[float, int]:
        """Sum of squares of a term after all others, as a test of the cells' lines.

        Terms without depth are about the lines' values at depth 0, the others about their slopes;
        each with its variance in units of σ².
        """
        cells = self.cells
        slope_variance = 1.0 / cells.depth_ss
        if "depth" in term:
            estimate, variance = cells.slope, slope_variance
        else:
            estimate = cells.value_mean - cells.slope * cells.depth_mean
            variance = 1.0 / cells.n + cells.depth_mean**2 * slope_variance
        factors = set(term) - {"depth"}
        if factors == {"topic", "system"}:
            additive = self._indicators({frozenset(("topic",)), frozenset(("system",))})
            weight = 1.0 / np.sqrt(variance).ravel()
            rows = weight * estimate.ravel()
            rest = rows - _project(sparse.diags_array(weight) @ additive, rows)
            return float(rest @ rest), self._term_df(term)
        # what the term is about is averaged over the other factors, or theirs is the baseline
        axes = tuple(
            axis for axis, factor in enumerate(("topic", "system")) if factor not in factors
        )
        if contrasts == "sum":
            size = np.prod([cells.shape[axis] for axis in axes])
            estimate, variance = estimate.mean(axes), variance.sum(axes) / size**2
        else:
            baseline = tuple(0 if axis in axes else slice(None) for axis in (0, 1))
            estimate, variance = estimate[baseline], variance[baseline]
        middle = np.average(estimate, weights=1.0 / variance) if factors else 0.0
        return float(((estimate - middle) ** 2 / variance).sum()), self._term_df(term)

    def fitted_rows(self) -> np.ndarray:
        cells, at = self.cells, self.cells.cell
        away = cells.depth - cells.depth_mean.ravel()[at]
        return cells.value_mean.ravel()[at] + cells.slope.ravel()[at] * away

    def leverage(self) -> np.ndarray:
        cells, at = self.cells, self.cells.cell
        away = cells.depth - cells.depth_mean.ravel()[at]
        return 1.0 / cells.n.ravel()[at] + away**2 / cells.depth_ss.ravel()[at]


class _MainEffects(_Fit):
    """depth + topic + system: parallel lines."""

    def __init__(self, cells: _Cells):
        super().__init__(cells)
        parts, _ = sparse.csgraph.connected_components(
            sparse.block_array(
                [[None, sparse.csr_array(cells.n)], [sparse.csr_array(cells.n.T), None]]
            )
        )
        if parts > 1:
            raise MethodError(
                f"topics and systems fall into {parts} sets that share no score: their effects "
                "cannot be compared; analyse the sets one by one"
            )
        if not cells.depth_ss.any():
            raise MethodError(
                "no topic has a system's scores at two depths: the effect of depth cannot be told "
                "from theirs"
            )
        level = {frozenset(("topic",)), frozenset(("system",))}
        self.columns = self._indicators(level)
        design = self._design(level, {frozenset()})
        rows = np.concatenate([self.level_rows, self.slope_rows])
        self.inverse = linalg.inv((design.T @ design).toarray())
        self.estimate = self.inverse @ (design.T @ rows)
        lack = rows - design @ self.estimate
        self.residual_ss = float(cells.residual_ss.sum() + lack @ lack)
        self.residual_df = len(cells.value) - design.shape[1]
        if self.residual_df < 1:
            raise MethodError("there are no more scores than effects: give more depths")

    def type_iii(self, term: Term, contrasts: str) -> tuple[float, int]:
        """Sum of squares of a term after all others: but for the intercept, type II."""
        if term:
            return self.type_ii(term, MAIN_EFFECTS)
        n_topics, n_systems = self.cells.shape
        weights = np.zeros(len(self.estimate))
        if contrasts == "sum":
            weights[:n_topics] = 1.0 / n_topics
            weights[n_topics:-1] = 1.0 / n_systems
        else:
            weights[0] = 1.0
        weights[-1] = -self.centre
        estimate = weights @ self.estimate + self.cells.value.mean()
        return float(estimate**2 / (weights @ self.inverse @ weights)), 1

    def fitted_rows(self) -> np.ndarray:
        level = self.columns @ self.estimate[:-1] + self.cells.value.mean()
        return level[self.cells.cell] + self.estimate[-1] * (self.cells.depth - self.centre)

    def leverage(self) -> np.ndarray:
        spread = self.columns @ self.inverse[:-1, :-1]
        level = (self.columns * spread).sum(axis=1)
        mixed = self.columns @ self.inverse[:-1, -1]
        depth = self.cells.depth - self.centre
        at = self.cells.cell
        return level[at] + 2.0 * mixed[at] * depth + self.inverse[-1, -1] * depth**2


def _kron(left, right) -> sparse.csr_array:
    return sparse.csr_array(sparse.kron(left, right))


def _project(design: sparse.csr_array, rows: np.ndarray) -> np.ndarray:
    """The point nearest `rows` in the space of the design's columns."""
    if design.shape[1] == 0:
        return np.zeros_like(rows)
    gram = (design.T @ design).toarray()
    return design @ linalg.solve(gram, design.T @ rows, assume_a="pos")


def _table(squares: Mapping[Term, tuple[float, int]], fit: _Fit) -> pd.DataFrame:
    """Sums of squares with what follows from them."""
    sum_sq, df = (np.array(column) for column in zip(*squares.values(), strict=True))
    n = len(fit.cells.value)
    error, variance = fit.residual_ss, fit.residual_variance
    if error <= n * TOLERANCE**2:
        error = variance = 0.0
    is_effect = np.array([bool(term) for term in squares])
    with np.errstate(divide="ignore", invalid="ignore"):
        f = sum_sq / df / variance if variance else np.full(len(df), np.nan)
        p = special.fdtrc(df, fit.residual_df, f)
        beyond_chance = sum_sq - df * variance
        sizes = {
            "eta_sq": sum_sq / fit.total_ss,
            "omega_sq": beyond_chance / (fit.total_ss + variance),
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
