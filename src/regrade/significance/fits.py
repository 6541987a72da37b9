"""Least squares for scores on pool depth, topic and system, from two numbers per cell.

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

from abc import ABC, abstractmethod
from collections.abc import Iterable

import numpy as np
from scipy import linalg, sparse

from regrade.errors import MethodError
from regrade.significance.cells import Cells

Term = tuple[str, ...]

MAIN_EFFECTS: tuple[Term, ...] = (("depth",), ("topic",), ("system",))
"""The terms of the model of main effects, as their variables."""

TWO_WAY: tuple[Term, ...] = (
    *MAIN_EFFECTS,
    ("depth", "topic"),
    ("depth", "system"),
    ("topic", "system"),
)
"""The terms of the model with all interactions of two."""

ALL_EFFECTS: tuple[Term, ...] = (*TWO_WAY, ("depth", "topic", "system"))
"""The terms of the model with all interactions."""

WITHOUT_DEPTH: tuple[Term, ...] = (("topic",), ("system",))
"""The terms of the analysis at one depth."""

_TOPICS, _SYSTEMS = frozenset(("topic",)), frozenset(("system",))
_CELLS = frozenset(("topic", "system"))
_ALL = frozenset()


class CellFit(ABC):
    """Least squares on the two weighted rows of each cell: √n · mean, √S_xx · slope.

    Depth counts from its mean, which changes no model that holds a term with all parts of it.

    Attributes
    ----------
    terms
        Of the model.
    residual_ss, residual_df
        Residual sum of squares and degrees of freedom of the model.
    """

    terms: tuple[Term, ...]
    residual_ss: float
    residual_df: int

    def __init__(self, cells: Cells):
        self.cells = cells
        self.centre = cells.depth.mean()
        self.root_n = np.sqrt(cells.n).ravel()
        self.root_ss = np.sqrt(cells.depth_ss).ravel()
        self.level_rows = self.root_n * (cells.value_mean - cells.value.mean()).ravel()
        self.slope_rows = self.root_ss * cells.slope.ravel()

    @property
    def residual_variance(self) -> float:
        """The residual mean square."""
        return self.residual_ss / self.residual_df

    def type_ii(self, term: Term) -> tuple[float, int]:
        """Sum of squares of a term after all that do not contain it, and its df."""
        others = [other for other in self.terms if not set(term) <= set(other)]
        with_it = self._fitted([*others, term]) - self._fitted(others)
        return float(with_it @ with_it), self._term_df(term)

    @abstractmethod
    def type_iii(self, term: Term, contrasts: str) -> tuple[float, int]:
        """Sum of squares of a term after all others, and its df; ``()`` is the intercept."""

    @abstractmethod
    def fitted_rows(self) -> np.ndarray:
        """(N,) the fitted value of each row of scores."""

    @abstractmethod
    def leverage(self) -> np.ndarray:
        """(N,) the diagonal of the hat matrix."""

    def _term_df(self, term: Term) -> int:
        sizes = dict(zip(("topic", "system"), self.cells.shape, strict=True))
        return int(np.prod([sizes[factor] - 1 for factor in term if factor != "depth"], dtype=int))

    def _fitted(self, terms: Iterable[Term]) -> np.ndarray:
        """The fitted rows of a model with an intercept and these terms.

        Terms come with all their parts.
        """
        level = {frozenset(term) for term in terms if "depth" not in term}
        slope = {frozenset(term) - {"depth"} for term in terms if "depth" in term}
        slopes = sparse.diags_array(self.root_ss) @ self._indicators(slope)
        if _CELLS in level:  # absorbed: the level rows fit whatever the slopes are
            fitted = self.slope_rows if _CELLS in slope else _project(slopes, self.slope_rows)
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
                    sparse.diags_array(self.root_n) @ self._indicators(level | {_ALL}),
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
        if _TOPICS in factors:
            columns.append(_kron(sparse.eye_array(n_topics), np.ones((n_systems, 1))))
        if _SYSTEMS in factors:
            systems = _kron(np.ones((n_topics, 1)), sparse.eye_array(n_systems))
            columns.append(systems[:, 1:] if len(columns) > 1 else systems)
        if len(columns) == 1 and _ALL in factors:
            columns.append(sparse.csr_array(np.ones((n_topics * n_systems, 1))))
        return sparse.hstack(columns, format="csr")

    def _away(self) -> np.ndarray:
        """(N,) how far each row's depth is from the mean of its cell."""
        return self.cells.depth - self.cells.depth_mean.ravel()[self.cells.cell]

    def _averages(self, factors: set[str], contrasts: str) -> sparse.csr_array:
        """(k, T·S) weights of the cells: what a term of type III is about.

        A row for each level of the factors.  The other factors are averaged over (``sum``), or are
        at their baseline (``treatment``).
        """
        parts = []
        for factor, size in zip(("topic", "system"), self.cells.shape, strict=True):
            if factor in factors:
                parts.append(sparse.eye_array(size))
            elif contrasts == "sum":
                parts.append(sparse.csr_array(np.full((1, size), 1.0 / size)))
            else:
                parts.append(sparse.eye_array(1, size))
        return _kron(*parts)


class FullFit(CellFit):
    """depth * topic * system: a line for each cell."""

    terms = ALL_EFFECTS

    def __init__(self, cells: Cells):
        super().__init__(cells)
        flat = np.argwhere(cells.depth_ss == 0)
        if flat.size:
            topic, system = flat[0]
            raise MethodError(
                f"topic {cells.topics[topic]} has scores of system {cells.systems[system]} at "
                f"fewer than two depths (and {len(flat) - 1} more such): the model with all "
                "interactions needs two; leave topics or systems out, or take another model"
            )
        self.residual_ss = float(cells.residual_ss.sum())
        self.residual_df = len(cells.value) - 2 * cells.n.size
        if self.residual_df < 1:
            raise MethodError(
                "every topic has each system's scores at two depths only: with a line through "
                "two points nothing is left to test against; give more depths"
            )

    def type_iii(self, term: Term, contrasts: str) -> tuple[float, int]:
        """A test of the cells' lines.

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
        if factors == _CELLS:
            weight = 1.0 / np.sqrt(variance).ravel()
            rows = weight * estimate.ravel()
            additive = self._indicators({_TOPICS, _SYSTEMS})
            rest = rows - _project(sparse.diags_array(weight) @ additive, rows)
            return float(rest @ rest), self._term_df(term)
        # what the term is about are averages of cells, each cell in one of them
        weights = self._averages(factors, contrasts)
        estimate, variance = weights @ estimate.ravel(), weights.power(2) @ variance.ravel()
        middle = np.average(estimate, weights=1.0 / variance) if factors else 0.0
        return float(((estimate - middle) ** 2 / variance).sum()), self._term_df(term)

    def fitted_rows(self) -> np.ndarray:
        """(N,) the fitted value of each row of scores."""
        cells, at = self.cells, self.cells.cell
        return cells.value_mean.ravel()[at] + cells.slope.ravel()[at] * self._away()

    def leverage(self) -> np.ndarray:
        """(N,) the diagonal of the hat matrix."""
        cells, at = self.cells, self.cells.cell
        return 1.0 / cells.n.ravel()[at] + self._away() ** 2 / cells.depth_ss.ravel()[at]


class TwoWayFit(CellFit):
    """(depth + topic + system)²: a level for each cell, and slopes that add up."""

    terms = TWO_WAY

    def __init__(self, cells: Cells):
        super().__init__(cells)
        empty = np.argwhere(cells.n == 0)
        if empty.size:
            topic, system = empty[0]
            raise MethodError(
                f"topic {cells.topics[topic]} has no score of system {cells.systems[system]} (and "
                f"{len(empty) - 1} more such): the interaction of topic and system needs all; "
                "leave topics or systems out, or take the model of main effects"
            )
        _check_connected(cells.depth_ss > 0, "scores at two depths", "slopes")
        self.additive = self._indicators({_TOPICS, _SYSTEMS})
        design = sparse.diags_array(self.root_ss) @ self.additive
        self.inverse = linalg.inv((design.T @ design).toarray())
        self.estimate = self.inverse @ (design.T @ self.slope_rows)
        lack = self.slope_rows - design @ self.estimate
        self.residual_ss = float(cells.residual_ss.sum() + lack @ lack)
        self.residual_df = len(cells.value) - cells.n.size - len(self.estimate)
        if self.residual_df < 1:
            raise MethodError("there are no more scores than effects: give more depths")

    def type_iii(self, term: Term, contrasts: str) -> tuple[float, int]:
        """A test of the fitted lines: of their mean slope, or of their values at depth 0.

        A term that is part of no other is tested as by type II.
        """
        if not any(set(term) < set(other) for other in self.terms):
            return self.type_ii(term)
        cells = self.cells
        weights = self._averages(set(term) - {"depth"}, contrasts)
        if "depth" in term:
            slopes = weights @ self.additive
            return _hypothesis(slopes @ self.estimate, slopes @ (slopes @ self.inverse).T, False)
        depth = sparse.diags_array(cells.depth_mean.ravel())
        at_0 = cells.value_mean.ravel() - depth @ self.additive @ self.estimate
        slopes = weights @ depth @ self.additive
        variance = weights @ sparse.diags_array(1.0 / cells.n.ravel()) @ weights.T
        covariance = variance.toarray() + slopes @ (slopes @ self.inverse).T
        return _hypothesis(weights @ at_0, covariance, bool(term))

    def fitted_rows(self) -> np.ndarray:
        """(N,) the fitted value of each row of scores."""
        at = self.cells.cell
        slope = self.additive @ self.estimate
        return self.cells.value_mean.ravel()[at] + slope[at] * self._away()

    def leverage(self) -> np.ndarray:
        """(N,) the diagonal of the hat matrix."""
        of_slopes = (self.additive * (self.additive @ self.inverse)).sum(axis=1)
        at = self.cells.cell
        return 1.0 / self.cells.n.ravel()[at] + self._away() ** 2 * of_slopes[at]


class MainEffectsFit(CellFit):
    """depth + topic + system: parallel lines."""

    terms = MAIN_EFFECTS

    def __init__(self, cells: Cells):
        super().__init__(cells)
        _check_connected(cells.n > 0, "score", "effects")
        has_depth = ("depth",) in self.terms
        if has_depth and not cells.depth_ss.any():
            raise MethodError(
                "no topic has a system's scores at two depths: the effect of depth is "
                "confounded with the effects of topics and systems"
            )
        level = {_TOPICS, _SYSTEMS}
        self.columns = self._indicators(level)
        design = self._design(level, {_ALL} if has_depth else set())
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
            return self.type_ii(term)
        weights = np.zeros(len(self.estimate))
        at_depth = self.columns.shape[1]
        weights[:at_depth] = (self._averages(set(), contrasts) @ self.columns).toarray()
        weights[at_depth:] = -self.centre
        estimate = weights @ self.estimate + self.cells.value.mean()
        return float(estimate**2 / (weights @ self.inverse @ weights)), 1

    def fitted_rows(self) -> np.ndarray:
        """(N,) the fitted value of each row of scores."""
        at_depth = self.columns.shape[1]
        level = self.columns @ self.estimate[:at_depth] + self.cells.value.mean()
        return level[self.cells.cell] + self._depth_columns() @ self.estimate[at_depth:]

    def leverage(self) -> np.ndarray:
        """(N,) the diagonal of the hat matrix."""
        rows = sparse.hstack([self.columns[self.cells.cell], self._depth_columns()], format="csr")
        return (rows * (rows @ self.inverse)).sum(axis=1)

    def _depth_columns(self) -> sparse.csr_array:
        """(N, 1) depth, counted from its mean, or no column where it has no effect."""
        n_columns = len(self.estimate) - self.columns.shape[1]
        return sparse.csr_array((self.cells.depth - self.centre)[:, None][:, :n_columns])


class OneDepthFit(MainEffectsFit):
    """topic + system: the scores at one depth; what interacts is the residual."""

    terms = WITHOUT_DEPTH


def _hypothesis(estimate: np.ndarray, covariance: np.ndarray, equal: bool) -> tuple[float, int]:
    """Sum of squares of k estimates' being 0, or all equal, and its df; covariance in σ²."""
    if equal:
        contrast = np.eye(len(estimate))[1:] - np.eye(len(estimate))[0]
        estimate, covariance = contrast @ estimate, contrast @ covariance @ contrast.T
    return float(estimate @ linalg.solve(covariance, estimate, assume_a="pos")), len(estimate)


def _check_connected(shared: np.ndarray, what: str, compared: str) -> None:
    """Whether topics and systems, (T, S) bool, hang together by the cells that they share."""
    cells = sparse.csr_array(shared)
    parts, _ = sparse.csgraph.connected_components(
        sparse.block_array([[None, cells], [cells.T, None]])
    )
    if parts > 1:
        raise MethodError(
            f"topics and systems fall into {parts} sets that share no {what}: their "
            f"{compared} cannot be compared; analyse the sets separately"
        )


def _kron(left, right) -> sparse.csr_array:
    return sparse.csr_array(sparse.kron(left, right))


def _project(design: sparse.csr_array, rows: np.ndarray) -> np.ndarray:
    """The point nearest `rows` in the space of the design's columns."""
    if design.shape[1] == 0:
        return np.zeros_like(rows)
    gram = (design.T @ design).toarray()
    return design @ linalg.solve(gram, design.T @ rows, assume_a="pos")
