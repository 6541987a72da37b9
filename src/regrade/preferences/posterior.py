"""What answers say of documents' strengths: Bradley and Terry's model with a normal prior.

Few answers have no finite best strengths, so that nothing could be said of them by likelihood alone
(`regrade.preferences.fits`).  Here strengths x are normal with mean 0 and standard deviation
`spread` before the first answer, and P(i beats j) = F(x_i − x_j) with F the logistic function.  The
posterior has one mode; around it, it is taken for normal (Laplace), with the inverse of the
curvature H = I / spread² + Σ F (1 − F) a aᵀ over answers as covariance, a = e_i − e_j.

An answer more is a rank-one update of that covariance (Sherman and Morrison), and what it says of
all strengths together, the entropy that it takes away, is ½ log(1 + F (1 − F) aᵀ H⁻¹ a)
(the matrix determinant lemma): both exact for the normal distribution at hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erf, exp, log, sqrt

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.cholesky import upper_factor
from regrade.compiled import njit
from regrade.errors import MethodError
from regrade.ordering import group_starts
from regrade.tables import as_table, encode

SPREAD = 2.0
"""Standard deviation of strengths, unless said otherwise: one above the mean wins 88 % there."""

LEAST_SPREAD, MOST_SPREAD = 0.05, 20.0
"""Ends of an estimated spread."""

_NEWTON = 100
_CONVERGED = 1e-9
_SPREAD_WITHIN = 1e-5
"""How near an estimated spread is to the best one, as a share of it."""


@dataclass(frozen=True, eq=False)
class Recorded:
    """The answers that were recorded for one topic: D documents, P pairs, J answers.

    Attributes
    ----------
    topic
        Its name.
    docnos
        D docnos, ascending.
    first, second
        (P,) int64: the documents of each pair, the first before the second; no pair twice.
    offsets
        (P + 1,) int64; the answers to pair p are ``offsets[p]:offsets[p + 1]``, at least one.
    answers
        (J,) float64, ascending within a pair: 1 where the first document was preferred, 0 where
        the second was, ½ for a tie.
    """

    topic: str
    docnos: tuple[str, ...]
    first: np.ndarray
    second: np.ndarray
    offsets: np.ndarray
    answers: np.ndarray

    @property
    def n_documents(self) -> int:
        """D."""
        return len(self.docnos)

    @property
    def n_pairs(self) -> int:
        """P."""
        return len(self.first)

    @property
    def n_answers(self) -> int:
        """J."""
        return len(self.answers)

    @property
    def wins(self) -> np.ndarray:
        """(P,) float64: answers for the first document, a tie half."""
        return np.add.reduceat(self.answers, self.offsets[:-1])

    @property
    def losses(self) -> np.ndarray:
        """(P,) float64: answers for the second document, a tie half."""
        return np.diff(self.offsets) - self.wins

    @property
    def counts(self) -> tuple[np.ndarray, ...]:
        """The pairs, and the answers for the first and the second document of each."""
        return self.first, self.second, self.wins, self.losses


def recorded(preferences: pa.Table | pd.DataFrame) -> tuple[Recorded, ...]:
    """The answers of each topic."""
    if not isinstance(preferences, pa.Table):
        preferences = preferences[["topic", "left", "right", "strength"]]
    table = as_table(preferences)
    if not len(table):
        raise MethodError("there is no preference to learn from")
    topics, topic = encode(table["topic"])
    names = [chunk for side in ("left", "right") for chunk in table[side].cast(pa.string()).chunks]
    docnos, documents = encode(pa.chunked_array(names))
    topics, docnos = (np.array(part.to_pylist(), dtype=object) for part in (topics, docnos))
    left, right = np.split(documents.astype(np.int64), 2)
    strength = table["strength"].to_numpy()
    bad = (left == right) | ~np.isfinite(strength)
    if bad.any():
        row = int(np.argmax(bad))
        raise MethodError(
            f"topic {topics[topic[row]]}: {docnos[left[row]]} and {docnos[right[row]]} with a "
            f"strength of {strength[row]:g}: give two documents and a finite strength"
        )
    share = left_shares(strength)
    share = np.where(left < right, share, 1 - share)
    low, high = np.minimum(left, right), np.maximum(left, right)
    parts = []
    for code, name in enumerate(topics):
        rows = np.flatnonzero(topic == code)
        if len(rows):
            rows = rows[np.lexsort((share[rows], high[rows], low[rows]))]
            own, number = np.unique(np.append(low[rows], high[rows]), return_inverse=True)
            first, second = np.split(number, 2)
            new = group_starts(first, second)
            offsets = np.append(new, len(rows)).astype(np.int64)
            pairs = first[new], second[new], offsets
            parts.append(Recorded(name, tuple(docnos[own]), *pairs, share[rows]))
    return tuple(parts)


def left_shares(strength: np.ndarray) -> np.ndarray:
    """What of a win each answer is for its left document."""
    return (1 - np.clip(strength, -1.0, 1.0)) / 2


@dataclass(frozen=True, eq=False)
class Posterior:
    """A normal distribution of the strengths of n documents.

    Attributes
    ----------
    mean
        (n,) float64.
    covariance
        (n, n) float64.
    spread
        Standard deviation of the prior.
    """

    mean: np.ndarray
    covariance: np.ndarray
    spread: float

    def tau_expected(self) -> float:
        """Kendall's τ to be expected between the order by `mean` and that of the strengths.

        The mean over pairs of 2 Φ(|x_i − x_j| / s) − 1 with s² the variance of the difference; NaN
        for less than two documents.
        """
        return expected_tau(self.mean, self.covariance)


def posterior(
    n: int,
    first: np.ndarray,
    second: np.ndarray,
    wins: np.ndarray,
    losses: np.ndarray,
    spread: float | None = SPREAD,
) -> Posterior:
    """Strengths after answers."""
    pairs = [np.ascontiguousarray(part, dtype=np.int64) for part in (first, second)]
    counts = [np.ascontiguousarray(part, dtype=np.float64) for part in (wins, losses)]
    answers = (*pairs, *counts)
    if spread is None:
        spread = estimate_spread([(n, *answers)])
    mean = np.zeros(n)
    find_mode(mean, answers, spread)
    return Posterior(mean, inverse_curvature(mean, answers, spread), spread)


def estimate_spread(
    topics: Sequence[tuple], start: float = SPREAD, within: float = _SPREAD_WITHIN
) -> float:
    """The standard deviation of strengths that answers speak for, one for all topics.

    It makes the answers most probable, strengths integrated out by Laplace's approximation,
    log p(answers | x̂) + log p(x̂) − ½ log |H|, as generalised linear mixed models are fitted; not
    outside `LEAST_SPREAD` … `MOST_SPREAD`: where every answer agrees with one order, ever larger
    spreads would fit better.  Rounds of spread² ← mean of E x² under the normal posteriors leave
    out that H depends on x̂, and end too low where documents have few answers.
    """
    n, *columns = zip(*topics, strict=True)
    documents, pairs = (
        np.append(0, np.cumsum(counts)).astype(np.int64) for counts in (n, [*map(len, columns[0])])
    )
    kinds = (np.int64, np.int64, np.float64, np.float64)
    answers = tuple(np.concatenate(of).astype(k) for of, k in zip(columns, kinds, strict=True))
    return most_likely_spread(np.zeros(documents[-1]), (documents, pairs), answers, start, within)


# --- kernels ------------------------------------------------------------------------------------


@njit(cache=False, nogil=True)
def logistic(d):
    """1 / (1 + e^−d), without overflow."""
    if d >= 0:
        return 1 / (1 + exp(-d))
    e = exp(d)
    return e / (1 + e)


@njit(cache=True, nogil=True, inline="always")
def normal_below(z):
    """Φ(z)."""
    return (1 + erf(z / sqrt(2.0))) / 2


@njit(cache=True, nogil=True, inline="always")
def pair_variance(covariance, i, j):
    """The variance of x_i − x_j."""
    return max(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j], 0.0)


@njit(cache=False, nogil=True, error_model="numpy")
def _loss(x, answers, precision):
    """− log posterior, but for a constant; not finite where e^x is not, and no step leads there."""
    first, second, wins, losses = answers
    e = np.exp(x)
    total = 0.0
    for i in range(x.size):
        total += precision * x[i] * x[i] / 2
    for k in range(first.size):
        i, j = first[k], second[k]
        # −log F(x_i − x_j) = log(e_i + e_j) − x_i
        total += (wins[k] + losses[k]) * log(e[i] + e[j]) - wins[k] * x[i] - losses[k] * x[j]
    return total


@njit(cache=False, nogil=True, error_model="numpy")
def _derivatives(x, answers, precision, gradient, diagonal, weights):
    first, second, wins, losses = answers
    e = np.exp(x)
    for i in range(x.size):
        gradient[i] = precision * x[i]
        diagonal[i] = precision
    for k in range(first.size):
        i, j = first[k], second[k]
        n = wins[k] + losses[k]
        p = e[i] / (e[i] + e[j])
        slope = n * p - wins[k]
        gradient[i] += slope
        gradient[j] -= slope
        weights[k] = n * p * (1 - p)
        diagonal[i] += weights[k]
        diagonal[j] += weights[k]


@njit(cache=True, nogil=True, inline="always")
def _conjugate_gradients(first, second, weights, diagonal, right, x):
    """Solve H x = right for the curvature H, given by its entries, to 7 digits.

    Newton's steps then still reach the mode to rounding error, each 10⁷ times nearer.
    """
    n = right.size
    x[:] = 0.0
    residual = right.copy()
    z = residual / diagonal
    direction = z.copy()
    rho = 0.0
    for i in range(n):
        rho += residual[i] * z[i]
    stop = rho * 1e-14
    product = np.empty(n)
    for _ in range(4 * n + 20):
        if rho <= stop or rho == 0.0:
            break
        for i in range(n):
            product[i] = diagonal[i] * direction[i]
        for k in range(first.size):
            product[first[k]] -= weights[k] * direction[second[k]]
            product[second[k]] -= weights[k] * direction[first[k]]
        curved = 0.0
        for i in range(n):
            curved += direction[i] * product[i]
        step = rho / curved
        new = 0.0
        for i in range(n):
            x[i] += step * direction[i]
            residual[i] -= step * product[i]
            z[i] = residual[i] / diagonal[i]
            new += residual[i] * z[i]
        for i in range(n):
            direction[i] = z[i] + new / rho * direction[i]
        rho = new


@njit(cache=True, nogil=True)
def find_mode(x, answers, spread):
    """Move x to the mode, by Newton's method with steps halved until they gain enough.

    x holds where to begin, and the mode afterwards; near the mode a few steps are enough.
    `answers` are (first, second, wins, losses) as for `posterior`, here and in all kernels.
    """
    first, second = answers[:2]
    precision = 1 / (spread * spread)
    n = x.size
    gradient, diagonal, step, new = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    weights = np.empty(first.size)
    value = _loss(x, answers, precision)
    for _ in range(_NEWTON):
        _derivatives(x, answers, precision, gradient, diagonal, weights)
        _conjugate_gradients(first, second, weights, diagonal, gradient, step)
        drop, longest = 0.0, 0.0
        for i in range(n):
            drop += gradient[i] * step[i]
            longest = max(longest, abs(step[i]))
        length = 1.0
        while length > 1e-9:
            for i in range(n):
                new[i] = x[i] - length * step[i]
            reached = _loss(new, answers, precision)
            if reached <= value - 1e-4 * length * drop + 1e-13 * abs(value):
                break
            length /= 2
        x[:] = new
        value = reached
        if longest < _CONVERGED:
            return


@njit(cache=True, nogil=True)
def inverse_curvature(x, answers, spread):
    """(n, n): the covariance of strengths around x."""
    curvature = _curvature(x, answers, spread)
    _invert(curvature)
    return curvature


@njit(cache=False, nogil=True)
def _curvature(x, answers, spread):
    """(n, n): H."""
    first, second, wins, losses = answers
    n = x.size
    curvature = np.zeros((n, n))
    for i in range(n):
        curvature[i, i] = 1 / (spread * spread)
    for k in range(first.size):
        i, j = first[k], second[k]
        p = logistic(x[i] - x[j])
        weight = (wins[k] + losses[k]) * (p * (1 - p))
        curvature[i, i] += weight
        curvature[j, j] += weight
        curvature[i, j] -= weight
        curvature[j, i] -= weight
    return curvature


@njit(cache=False, nogil=True, error_model="numpy")
def _invert(matrix):
    """A positive definite matrix becomes its inverse, by Gauss and Jordan's steps."""
    n = len(matrix)
    for k in range(n):
        pivot = 1 / matrix[k, k]
        matrix[k, k] = 1.0
        for j in range(n):
            matrix[k, j] *= pivot
        for i in range(n):
            if i == k or matrix[i, k] == 0:
                continue
            share = matrix[i, k]
            matrix[i, k] = 0.0
            for j in range(n):
                matrix[i, j] -= share * matrix[k, j]


@njit(cache=False, nogil=True)
def _log_evidence(x, offsets, answers, spread):
    """How probable the answers are, but for a constant; x holds modes, and the new ones after."""
    documents, pairs = offsets
    first, second, wins, losses = answers
    total = 0.0
    for t in range(documents.size - 1):
        mode = x[documents[t] : documents[t + 1]]
        own = slice(pairs[t], pairs[t + 1])
        of_topic = first[own], second[own], wins[own], losses[own]
        find_mode(mode, of_topic, spread)
        total -= _loss(mode, of_topic, 1 / (spread * spread)) + mode.size * log(spread)
        total -= np.log(np.diag(upper_factor(_curvature(mode, of_topic, spread)))).sum()
    return total


_GOLDEN = (sqrt(5.0) - 1) / 2
_STRIDE = log(2.0)


@njit(cache=True, nogil=True)
def most_likely_spread(x, offsets, answers, start, within):
    """See `estimate_spread`: by golden sections, once the best of three spreads is the middle
    one.
    """
    least, most = log(LEAST_SPREAD), log(MOST_SPREAD)
    middle = min(max(log(start), least), most)
    value = _log_evidence(x, offsets, answers, exp(middle))
    for step in (-_STRIDE, _STRIDE):
        while least < middle < most:
            there = min(max(middle + step, least), most)
            new = _log_evidence(x, offsets, answers, exp(there))
            if new <= value:
                break
            middle, value = there, new
    low, high = max(middle - _STRIDE, least), min(middle + _STRIDE, most)
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    of_left = _log_evidence(x, offsets, answers, exp(left))
    of_right = _log_evidence(x, offsets, answers, exp(right))
    while high - low > within:
        if of_left >= of_right:
            high, right, of_right = right, left, of_left
            left = high - _GOLDEN * (high - low)
            of_left = _log_evidence(x, offsets, answers, exp(left))
        else:
            low, left, of_left = left, right, of_right
            right = low + _GOLDEN * (high - low)
            of_right = _log_evidence(x, offsets, answers, exp(right))
    return exp((low + high) / 2)


@njit(cache=True, nogil=True)
def answer_update(x, covariance, i, j, answer):
    """One answer more, in place: `answer` is 1 for i, 0 for j, ½ for a tie."""
    n = x.size
    p = logistic(x[i] - x[j])
    weight = p * (1 - p)
    along = np.empty(n)
    for k in range(n):
        along[k] = covariance[k, i] - covariance[k, j]
    scale = 1 + weight * (along[i] - along[j])
    for k in range(n):
        x[k] += along[k] * (answer - p) / scale
        share = weight * along[k] / scale
        for m in range(n):
            covariance[k, m] -= share * along[m]
    return along, weight / scale


@njit(cache=True, nogil=True)
def expected_tau(x, covariance):
    """See `Posterior.tau_expected`."""
    n = x.size
    if n < 2:
        return np.nan
    total = 0.0
    for i in range(n):
        for j in range(i):
            variance = pair_variance(covariance, i, j)
            if x[i] != x[j]:
                z = abs(x[i] - x[j]) / sqrt(variance) if variance > 0 else np.inf
                total += 2 * normal_below(z) - 1
    return 2 * total / (n * (n - 1))


@njit(cache=True, nogil=True, small=True, error_model="numpy")
def expected_wins(strengths):
    """Of (B, n) strengths, the share of the others that each is expected to win against.

    ½ for one document by itself.
    """
    n = strengths.shape[1]
    shares = np.full(strengths.shape, 0.5)
    if n < 2:
        return shares
    for b in range(strengths.shape[0]):
        x = strengths[b]
        e = np.exp(x - x.max())
        is_far = x.max() - x.min() > 700  # where e has no number for the lowest
        for i in range(n):
            total = -0.5
            for j in range(n):
                total += logistic(x[i] - x[j]) if is_far else e[i] / (e[i] + e[j])
            shares[b, i] = total / (n - 1)
    return shares


@njit(cache=False, nogil=True)
def top_shares(x, k):
    """(n,): whether each of n documents is among the k highest.

    Those that tie at the edge share its places: what each is on average over all orders of them.
    """
    n = x.size
    shares = np.zeros(n)
    for i in range(n):
        above, tied = 0, 0
        for j in range(n):
            above += x[j] > x[i]
            tied += x[j] == x[i]
        shares[i] = min(max((k - above) / tied, 0.0), 1.0)
    return shares


@njit(cache=True, nogil=True)
def top_overlap(x, y, k):
    """The share of the k highest of x that are among the k highest of y, ties at random."""
    return (top_shares(x, k) * top_shares(y, k)).sum() / k
