"""Numbers for documents that fit comparisons of two best: least squares, Bradley–Terry, Thurstone.

All of them depend on differences only, so each component of the graph of comparisons (documents
that are joined by a chain of comparisons) is a problem of its own, in which the mean is 0.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, log_expit, log_ndtr, ndtr

from regrade.cholesky import inverse_diagonal, solve, upper_factor
from regrade.errors import MethodError

PRIOR = 0.1
"""Comparisons won, and as many lost, that a document gets where no finite strengths are best."""


SMALL = 500
"""Up to so many documents our own Cholesky factors are faster than LAPACK's with its threads."""

_NO_RESIDUAL = 1e-24
"""Up to here squares of residuals, as a share of those of what was said, are rounding."""

_ITERATIONS = 200
_CONVERGED = 1e-10
_SUFFICIENT = 1e-4


def components(n: int, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(n,) int: which documents are joined by comparisons, numbered from 0 in their order."""
    graph = sparse.coo_array((np.ones(len(first)), (first, second)), shape=(n, n))
    label = connected_components(graph, directed=False)[1]
    _, start, inverse = np.unique(label, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(start))[inverse]


def least_squares(
    n: int, first: np.ndarray, second: np.ndarray, difference: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The x that minimise Σ w (difference − (x_first − x_second))², with mean 0.

    With logs of ratios as differences these are the logs of yang2019's scores (§5.3.1): its
    iteration, which fills unseen ratios with S_u / S_v and takes geometric means until nothing
    moves, stands still exactly where the normal equations hold, L x = b with L the Laplacian of
    the graph of comparisons.

    Returns
    -------
    x, error
        (n,) float64: the numbers, and their standard errors (NaN where there is none).
    """
    information = _laplacian(n, first, second, weight)
    pulled = weight * difference
    right = np.bincount(first, pulled, n) - np.bincount(second, pulled, n)
    lift = _lift(information)
    factor = _factor(information + lift)
    value = solve(factor, right)
    value -= value.mean()
    residual = difference - (value[first] - value[second])
    free = len(first) - n + 1
    left = weight @ residual**2
    if free <= 0 or left <= _NO_RESIDUAL * (weight @ difference**2):
        return value, np.full(n, np.nan)
    # with J the matrix of ones, M J = 0 and c > 0, (M + c J)⁻¹ = M⁺ + J / (c n²)
    if n <= SMALL:
        diagonal = inverse_diagonal(factor)
    else:
        diagonal = (solve_triangular(factor, np.eye(n)) ** 2).sum(axis=1)
    variances = np.maximum(diagonal - 1 / (lift * n**2), 0.0)
    return value, np.sqrt(left / free * variances)


def strengths(
    n: int,
    first: np.ndarray,
    second: np.ndarray,
    wins: np.ndarray,
    losses: np.ndarray,
    model: str,
    prior: float = PRIOR,
) -> tuple[np.ndarray, bool]:
    """The strengths x under which comparisons are most likely; P(i beats j) = F(x_i − x_j).

    F is the logistic function (``bradley-terry``) or the normal distribution's (``thurstone``,
    case V, where the difference of two documents has the standard deviation 1).  Newton's method,
    on a concave function.

    No finite strengths are best where a group of documents always wins against all others (Ford's
    condition).  Only then each document gets `prior` comparisons won and `prior` lost against a
    document of strength 0.

    `regrade.power.plackett_luce.newton`, which says why there are two, fits probabilities of all
    pairs within kernels.

    Returns
    -------
    x, is_finite
        (n,) float64: the strengths; whether finite ones are best without a prior.
    """
    log_share, derivatives = _MODELS[model]
    is_finite = have_finite_optimum(n, first, second, wins, losses)
    prior = 0.0 if is_finite else prior

    def loss(x: np.ndarray) -> float:
        d = x[first] - x[second]
        total = wins @ log_share(d) + losses @ log_share(-d)
        if prior:
            total += prior * (log_share(x).sum() + log_share(-x).sum())
        return -total

    def slope_and_bend(d: np.ndarray, won, lost) -> tuple[np.ndarray, np.ndarray]:
        (up, up_bend), (down, down_bend) = derivatives(d), derivatives(-d)
        return lost * down - won * up, -(won * up_bend + lost * down_bend)

    def newton_step(x: np.ndarray) -> tuple[np.ndarray, float]:
        """The step, and how much the loss falls along it at first."""
        slope, bend = slope_and_bend(x[first] - x[second], wins, losses)
        gradient = np.bincount(first, slope, n) - np.bincount(second, slope, n)
        hessian = _laplacian(n, first, second, bend)
        if prior:
            slope, bend = slope_and_bend(x, prior, prior)
            gradient += slope
            hessian[np.diag_indices(n)] += bend
        else:  # singular along (1, …, 1), to which the gradient is orthogonal
            hessian += _lift(hessian)
        step = solve(_factor(hessian), gradient)
        return step, gradient @ step

    x = np.zeros(n)
    value = loss(x)
    for _ in range(_ITERATIONS):
        step, gain = newton_step(x)
        if not np.isfinite(step).all():
            break
        length = 1.0
        while length > 1e-9:
            reached = loss(x - length * step)
            # near the optimum the loss no longer tells steps apart
            if reached <= value - _SUFFICIENT * length * gain + 1e-14 * abs(value):
                break
            length /= 2
        x, value = x - length * step, reached
        if length == 1.0 and np.abs(step).max() < _CONVERGED * (1 + np.abs(x).max()):
            return x - x.mean() if is_finite else x, is_finite
    remedy = f"raise `prior` ({prior:g})" if prior else "give a `bias` above 0"
    raise MethodError(f"the strengths of {n} documents lie too far apart to be found: {remedy}")


def _laplacian(n: int, first: np.ndarray, second: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """(n, n) float64; comparisons of the same two documents add up."""
    matrix = -np.bincount(first * n + second, weight, n * n).reshape(n, n)
    matrix += matrix.T
    matrix[np.diag_indices(n)] = -matrix.sum(axis=1)
    return matrix


def _lift(information: np.ndarray) -> float:
    """What makes a matrix regular that is singular along (1, …, 1) only, of its size."""
    return np.trace(information) / len(information) ** 2


def _factor(matrix: np.ndarray) -> np.ndarray:
    """The upper Cholesky factor; not finite where the matrix is not positive definite."""
    if len(matrix) <= SMALL:
        return upper_factor(matrix.copy())
    try:
        return np.ascontiguousarray(cholesky(matrix))
    except LinAlgError:
        return np.full_like(matrix, np.nan)


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


_MODELS: dict[str, tuple[Callable, Callable]] = {
    "bradley-terry": (log_expit, _logistic),
    "thurstone": (log_ndtr, _normal),
}
"""Of each model log F, and its slope and curvature."""

PROBABILITIES: dict[str, Callable] = {"bradley-terry": expit, "thurstone": ndtr}
"""Of each model F: who is so much stronger is preferred with this probability."""
