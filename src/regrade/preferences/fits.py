"""Numbers for documents that fit comparisons of two best: least squares, Bradley–Terry, Thurstone.

All of them depend on differences only, so each component of the graph of comparisons (documents
that are joined by a chain of comparisons) is a problem of its own, in which the mean is 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy import sparse
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, log_expit, log_ndtr, ndtr, stdtrit

from regrade.errors import MethodError
from regrade.percentiles import CONFIDENCE
from regrade.preferences.posterior import upper_factor

PRIOR = 0.1
"""Comparisons won, and as many lost, that a document gets where no finite strengths are best."""


SMALL = 500
"""Up to so many documents our own Cholesky factors are faster than LAPACK's with its threads."""

_NO_RESIDUAL = 1e-24
"""Up to here squares of residuals, as a share of those of what was said, are rounding."""

_ITERATIONS = 200
_CONVERGED = 1e-10
_SUFFICIENT = 1e-4


@dataclass(frozen=True)
class LeastSquaresFit:
    """Numbers of n documents.

    Attributes
    ----------
    value, error
        (n,) float64: the numbers, and their standard errors (NaN where there is none).
    """

    value: np.ndarray
    error: np.ndarray


@dataclass(frozen=True)
class LikelyStrengths:
    """Strengths of n documents.

    Attributes
    ----------
    value
        (n,) float64: the strengths.
    finite
        Whether finite ones are best without a prior.
    """

    value: np.ndarray
    finite: bool


def components(n: int, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(n,) int: which documents are joined by comparisons, numbered from 0 in their order."""
    graph = sparse.coo_array((np.ones(len(first)), (first, second)), shape=(n, n))
    label = connected_components(graph, directed=False)[1]
    _, start, inverse = np.unique(label, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(start))[inverse]


def least_squares(
    n: int, first: np.ndarray, second: np.ndarray, difference: np.ndarray, weight: np.ndarray
) -> LeastSquaresFit:
    """The x that minimise Σ w (difference − (x_first − x_second))², with mean 0.

    With logs of ratios as differences these are the logs of yang2019's scores (§5.3.1): its
    iteration, which fills unseen ratios with S_u / S_v and takes geometric means until nothing
    moves, stands still exactly where the normal equations hold, L x = b with L the Laplacian of
    the graph of comparisons.
    """
    information = _laplacian(n, first, second, weight)
    pulled = weight * difference
    right = np.bincount(first, pulled, n) - np.bincount(second, pulled, n)
    factor = _factor(_regular(information))
    value = _solve(factor, right)
    value -= value.mean()
    residual = difference - (value[first] - value[second])
    free = len(first) - n + 1
    left = weight @ residual**2
    if free <= 0 or left <= _NO_RESIDUAL * (weight @ difference**2):
        return LeastSquaresFit(value, np.full(n, np.nan))
    variance = left / free * _centred_variances(factor, information)
    return LeastSquaresFit(value, np.sqrt(variance))


def strengths(
    n: int,
    first: np.ndarray,
    second: np.ndarray,
    wins: np.ndarray,
    losses: np.ndarray,
    model: str,
    prior: float = PRIOR,
) -> LikelyStrengths:
    """The strengths x under which comparisons are most likely; P(i beats j) = F(x_i − x_j).

    F is the logistic function (``bradley-terry``) or the normal distribution's (``thurstone``,
    case V, where the difference of two documents has the standard deviation 1).  Newton's method,
    on a concave function.

    No finite strengths are best where a group of documents always wins against all others (Ford's
    condition).  Only then each document gets `prior` comparisons won and `prior` lost against a
    document of strength 0.

    `regrade.power.plackett_luce.newton`, which says why there are two, fits probabilities of all
    pairs within kernels.
    """
    finite = have_finite_optimum(n, first, second, wins, losses)
    problem = _Likelihood(n, first, second, wins, losses, MODELS[model], 0.0 if finite else prior)
    value = problem.best()
    return LikelyStrengths(value - value.mean() if finite else value, finite)


def interval(fit: LeastSquaresFit, free: int) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper ends of 95 % intervals, by Student's t."""
    half = stdtrit(free, (1 + CONFIDENCE) / 2) * fit.error
    return fit.value - half, fit.value + half


def _laplacian(n: int, first: np.ndarray, second: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """(n, n) float64; comparisons of the same two documents add up."""
    matrix = -np.bincount(first * n + second, weight, n * n).reshape(n, n)
    matrix += matrix.T
    matrix[np.diag_indices(n)] = -matrix.sum(axis=1)
    return matrix


def _regular(information: np.ndarray) -> np.ndarray:
    """A matrix that is singular along (1, …, 1) only, made regular there by something its size."""
    return information + _lift(information)


def _lift(information: np.ndarray) -> float:
    return np.trace(information) / len(information) ** 2


def _factor(matrix: np.ndarray) -> np.ndarray:
    """The upper Cholesky factor; not finite where the matrix is not positive definite."""
    if len(matrix) <= SMALL:
        return upper_factor(matrix.copy())
    try:
        return cholesky(matrix)
    except LinAlgError:
        return np.full_like(matrix, np.nan)


def _variances(factor: np.ndarray) -> np.ndarray:
    """The diagonal of the inverse of the matrix that has this factor."""
    if len(factor) <= SMALL:
        return _inverse_diagonal(factor)
    return (solve_triangular(factor, np.eye(len(factor))) ** 2).sum(axis=1)


def _centred_variances(factor: np.ndarray, information: np.ndarray) -> np.ndarray:
    """The diagonal of the pseudo-inverse, given the factor of the matrix made regular.

    With J the matrix of ones, M J = 0 and c > 0, (M + c J)⁻¹ = M⁺ + J / (c n²).
    """
    n = len(factor)
    return np.maximum(_variances(factor) - 1 / (_lift(information) * n**2), 0.0)


def have_finite_optimum(
    n: int, first: np.ndarray, second: np.ndarray, wins: np.ndarray, losses: np.ndarray
) -> bool:
    """Whether finite strengths are best: no group of documents always wins against all others."""
    return strong_groups(n, first, second, wins, losses)[0] == 1


def strong_groups(
    n: int, first: np.ndarray, second: np.ndarray, wins: np.ndarray, losses: np.ndarray
) -> tuple[int, int, int]:
    """How many groups of documents that are strongly connected there are, by who won.

    Of which so many are those of which no document lost to one outside, and of which none won.
    The larger of the two is the least number of answers that make one group of several (Eswaran
    and Tarjan 1976), and a tie, which counts for both sides, does no more: unless no group won or
    lost, which ties make one with an answer less.
    """
    won, lost = wins > 0, losses > 0
    winner, loser = (
        np.concatenate([first[won], second[lost]]),
        np.concatenate([second[won], first[lost]]),
    )
    graph = sparse.coo_array((np.ones(len(winner)), (winner, loser)), shape=(n, n))
    number, label = connected_components(graph, directed=True, connection="strong")
    is_between = label[winner] != label[loser]
    beaten, winning = (len(np.unique(label[ends[is_between]])) for ends in (loser, winner))
    return number, number - beaten, number - winning


def _logistic(d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Slope and curvature of log F."""
    slope = expit(-d)
    return slope, -slope * (1 - slope)


def _normal(d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    slope = np.exp(-(d**2) / 2 - np.log(2 * np.pi) / 2 - log_ndtr(d))
    return slope, -slope * (slope + d)


MODELS: dict[str, tuple[Callable, Callable]] = {
    "bradley-terry": (log_expit, _logistic),
    "thurstone": (log_ndtr, _normal),
}
"""Of each model log F, and its slope and curvature."""

PROBABILITIES: dict[str, Callable] = {"bradley-terry": expit, "thurstone": ndtr}
"""Of each model F: who is so much stronger is preferred with this probability."""


@dataclass(frozen=True)
class _Likelihood:
    """− log likelihood of comparisons, with the prior's."""

    n: int
    first: np.ndarray
    second: np.ndarray
    wins: np.ndarray
    losses: np.ndarray
    model: tuple[Callable, Callable]
    prior: float

    def loss(self, x: np.ndarray) -> float:
        log = self.model[0]
        d = x[self.first] - x[self.second]
        total = self.wins @ log(d) + self.losses @ log(-d)
        if self.prior:
            total += self.prior * (log(x).sum() + log(-x).sum())
        return -total

    def derivatives(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        slope, bend = self._of_differences(x[self.first] - x[self.second], self.wins, self.losses)
        gradient = np.bincount(self.first, slope, self.n) - np.bincount(self.second, slope, self.n)
        hessian = _laplacian(self.n, self.first, self.second, bend)
        if self.prior:
            slope, bend = self._of_differences(x, self.prior, self.prior)
            gradient += slope
            hessian[np.diag_indices(self.n)] += bend
        return gradient, hessian

    def _of_differences(self, d, wins, losses) -> tuple[np.ndarray, np.ndarray]:
        up, up_bend = self.model[1](d)
        down, down_bend = self.model[1](-d)
        return losses * down - wins * up, -(wins * up_bend + losses * down_bend)

    def best(self) -> np.ndarray:
        """The minimum, by Newton's method with steps halved until they gain enough."""
        x = np.zeros(self.n)
        value = self.loss(x)
        for _ in range(_ITERATIONS):
            gradient, hessian = self.derivatives(x)
            # without a prior singular along (1, …, 1), to which the gradient is orthogonal
            step = _solve(_factor(hessian if self.prior else _regular(hessian)), gradient)
            if not np.isfinite(step).all():
                break
            length = 1.0
            while length > 1e-9:
                reached = self.loss(x - length * step)
                # near the optimum the loss no longer tells steps apart
                enough = value - _SUFFICIENT * length * (gradient @ step)
                if reached <= enough + 1e-14 * abs(value):
                    break
                length /= 2
            x, value = x - length * step, reached
            if length == 1.0 and np.abs(step).max() < _CONVERGED * (1 + np.abs(x).max()):
                return x
        remedy = f"raise `prior` ({self.prior:g})" if self.prior else "give a `bias` above 0"
        raise MethodError(
            f"the strengths of {self.n} documents lie too far apart to be found: {remedy}"
        )


# --- kernels ------------------------------------------------------------------------------------


@njit(cache=True, nogil=True, error_model="numpy")
def _solve(factor, right):
    n = len(right)
    x = right.copy()
    for k in range(n):
        x[k] /= factor[k, k]
        for j in range(k + 1, n):
            x[j] -= factor[k, j] * x[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            x[k] -= factor[k, j] * x[j]
        x[k] /= factor[k, k]
    return x


@njit(cache=True, nogil=True, error_model="numpy")
def _inverse_diagonal(factor):
    """Sums of squares of the columns of the inverse of Uᵀ."""
    n = len(factor)
    total, row = np.zeros(n), np.zeros((n, n))
    for i in range(n):
        row[i, i] = 1.0
        for k in range(i):
            share = factor[k, i]
            for j in range(k + 1):
                row[i, j] -= share * row[k, j]
        for j in range(i + 1):
            row[i, j] /= factor[i, i]
            total[j] += row[i, j] ** 2
    return total
