"""Rankings of documents that are only somewhat sure: Plackett–Luce scores and their entropy.

A ranking π of n documents with scores s has the probability

    p(π) = Π_i exp(s_π(i)) / Σ_{j ≥ i} exp(s_π(j))                            (chu2021 Eq. 4)

and a topic's pairwise discriminative power (PDP) is the entropy of p over all n! rankings (Eq. 3),
0 where one ranking is certain and log n! where all are alike.  The scores are those that fit
probabilities of preference best (Eq. 5), a convex problem: Newton's method ends at the one optimum.

Documents that nothing tells apart (the same probabilities against all others) share a score.  They
are one *class* with a count, which is also what makes the exact entropy cheap: of the documents
that are left, only how many of each class matters.

Not said by the paper: where a document always wins or always loses no finite scores are optimal.
Probabilities are therefore kept within ``doubt`` … 1 − ``doubt``, as the authors' program does
with 0.01; results say how many pairs that changed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regrade.cholesky import solve, upper_factor
from regrade.compiled import njit
from regrade.errors import MethodError, ParameterError

DOUBT = 0.01
"""Least probability that either of two documents is preferred."""

WIDEST = 1400.0
"""Scores further apart have no finite quotient of exponentials."""

_STATE = 2
"""Pairs of points of the integral that take as long as a state: 4 where documents are alone in
their classes, 1 to 2 where they are not."""

_STEP = 0.15
_NEGLIGIBLE = 1e-14
_FIRST = -3.36
"""Where x − e^−x is log `_NEGLIGIBLE`."""

_ITERATIONS = 200
_CONVERGED = 1e-10
_SUFFICIENT = 1e-4


@dataclass(frozen=True)
class PlackettLuceFit:
    """Plackett–Luce scores that fit probabilities of preference best.

    Attributes
    ----------
    scores
        (n,) float64; their mean, each class counted as often as it has documents, is 0.
    clipped
        Pairs of documents whose probability was outside ``doubt`` … 1 − ``doubt``.
    finite
        Whether finite scores are optimal without that bound.
    """

    scores: np.ndarray
    clipped: int
    finite: bool


@dataclass(frozen=True)
class Entropy:
    """Entropy of a Plackett–Luce distribution over rankings, in nats.

    Attributes
    ----------
    value
        The entropy.
    way
        ``states``: over all states; ``integral``: exact to 1e-8.
    """

    value: float
    way: str


def fit_scores(
    preferences: np.ndarray, counts: np.ndarray | None = None, doubt: float = DOUBT
) -> PlackettLuceFit:
    """The scores s that minimise − Σ_{i≠j} p(i > j) log σ(s_i − s_j) (chu2021 Eq. 5)."""
    preferences = np.ascontiguousarray(preferences, dtype=float)
    n = len(preferences)
    counts = np.ones(n, dtype=np.int64) if counts is None else np.asarray(counts, dtype=np.int64)
    if not 0 < doubt < 0.5:
        raise ParameterError(f"doubt {doubt} is not between 0 and 1/2: 0.01 is the usual value")
    off = preferences[~np.eye(n, dtype=bool)]
    if not ((off >= 0) & (off <= 1)).all():
        raise ParameterError("probabilities of preference are numbers from 0 to 1")
    outside = (preferences < doubt) | (preferences > 1 - doubt)
    np.fill_diagonal(outside, False)
    pairs = (outside | outside.T) * np.outer(counts, counts)
    scores = np.empty(n)
    if not newton(np.clip(preferences, doubt, 1 - doubt), counts.astype(float), scores):
        raise MethodError("the fit of Plackett–Luce scores did not converge: raise `doubt`")
    return PlackettLuceFit(scores, int(pairs.sum()) // 2, has_finite_optimum(preferences))


def ranking_entropy(
    scores: np.ndarray, counts: np.ndarray | None = None, *, states: int | None = None
) -> Entropy:
    """Entropy of the Plackett–Luce distribution over the rankings of documents (chu2021 Eq. 3).

    Exactly, by dynamic programming over what is left of each class: the entropy of a choice plus
    the expected entropy of the rest,

        H(S) = log W(S) + Σ_{i ∈ S} (w_i / W(S)) (H(S without i) − s_i),   W(S) = Σ w_i, w_i = e^s_i

    Where there are more than `states` sets S, numerically as an integral (`integral_entropy`); the
    paper draws rankings (Eq. 6).
    """
    scores = np.asarray(scores, dtype=float)
    n = len(scores)
    counts = np.ones(n, dtype=np.int64) if counts is None else np.asarray(counts, dtype=np.int64)
    if n and np.ptp(scores) > WIDEST:
        raise ParameterError(f"scores are {np.ptp(scores):g} apart, more than {WIDEST:g}")
    few = np.prod(counts + 1.0) <= states if states else has_few_states(scores, counts)
    if few:
        return Entropy(float(exact_entropy(scores, counts)), "states")
    return Entropy(float(integral_entropy(scores, counts)), "integral")


# --- kernels ------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def has_finite_optimum(preferences):
    """Whether finite scores are optimal: no group of documents always wins against all others.

    Ford's condition: the graph with an edge from i to j where p(i > j) > 0 is strongly connected,
    so that from the first document all can be reached, forwards and backwards.
    """
    n = len(preferences)
    for backwards in (False, True):
        reached = np.zeros(n, dtype=np.bool_)
        waiting = np.zeros(n, dtype=np.int64)
        reached[:1] = True
        stop, seen = min(n, 1), 0
        while seen < stop:
            i = waiting[seen]
            seen += 1
            for j in range(n):
                p = preferences[j, i] if backwards else preferences[i, j]
                if i != j and p > 0 and not reached[j]:
                    reached[j] = True
                    waiting[stop] = j
                    stop += 1
        if stop < n:
            return False
    return True


@njit(cache=True, nogil=True)
def newton(preferences, counts, scores):
    """Minimise Eq. 5 over classes; writes (n,) `scores` of mean 0 and says whether it converged.

    The Hessian is singular along (1, …, 1), to which the gradient is orthogonal; a one added to
    each of its entries takes that away and leaves the step alone.

    `regrade.preferences.fits.strengths` minimises the same, and a test holds both to it, but one
    cannot serve for the other.  This one runs within kernels, on half a million dense problems of a
    few classes that stand for many documents.  That one takes the pairs that were compared, of
    hundreds of documents, another model and a prior, and needs the curvature for standard errors.
    """
    n = len(scores)
    scores[:] = 0.0
    gradient, hessian = np.empty(n), np.empty((n, n))
    value = _loss(preferences, counts, scores)
    done = n < 2
    for _ in range(_ITERATIONS):
        if done:
            break
        _derivatives(preferences, counts, scores, gradient, hessian)
        step = solve(upper_factor(hessian), gradient)
        slope = np.dot(gradient, step)
        length = 1.0
        while True:
            tried = scores - length * step
            reached = _loss(preferences, counts, tried)
            enough = value - _SUFFICIENT * length * slope
            # near the optimum the loss no longer tells steps apart
            if reached <= enough + 1e-14 * abs(value) or length < 1e-9:
                break
            length /= 2
        scores[:] = tried
        value = reached
        done = length == 1.0 and np.max(np.abs(step)) < _CONVERGED
    scores -= np.dot(scores, counts) / np.sum(counts)
    return done


@njit(cache=False, nogil=True)
def _loss(preferences, counts, scores):
    total = 0.0
    n = len(scores)
    for i in range(n):
        for j in range(i):
            d = scores[i] - scores[j]
            tail = np.log1p(np.exp(-abs(d)))
            to_i, to_j = tail + max(-d, 0.0), tail + max(d, 0.0)
            weighted = preferences[i, j] * to_i + preferences[j, i] * to_j
            total += counts[i] * counts[j] * weighted
    return total


@njit(cache=False, nogil=True)
def _derivatives(preferences, counts, scores, gradient, hessian):
    n = len(scores)
    gradient[:] = 0.0
    hessian[:] = 1.0
    for i in range(n):
        for j in range(i):
            weight = counts[i] * counts[j]
            both = preferences[i, j] + preferences[j, i]
            d = scores[i] - scores[j]
            p = 1.0 / (1.0 + np.exp(-d)) if d >= 0 else np.exp(d) / (1.0 + np.exp(d))
            slope = weight * (both * p - preferences[i, j])
            gradient[i] += slope
            gradient[j] -= slope
            bend = weight * both * p * (1.0 - p)
            hessian[i, i] += bend
            hessian[j, j] += bend
            hessian[i, j] -= bend
            hessian[j, i] -= bend


@njit(cache=True, nogil=True)
def has_few_states(scores, counts):
    """Whether `exact_entropy` takes less time than `integral_entropy`, or about as long."""
    states = np.prod(counts + 1.0)
    # the integral is of one document at least
    return states == 1 or _STATE * states <= _grid(scores, counts)[0] ** 2


@njit(cache=True, nogil=True)
def exact_entropy(scores, counts):
    """H of the full set; the state is the number left of each class, in mixed radix."""
    n = len(scores)
    if n == 0:
        return 0.0
    middle = (scores.max() + scores.min()) / 2
    s = scores - middle
    w = np.exp(s)
    stride = np.empty(n, dtype=np.int64)
    states = 1
    for c in range(n):
        stride[c] = states
        states *= counts[c] + 1
    entropy = np.zeros(states)
    left = np.zeros(n, dtype=np.int64)
    for state in range(1, states):
        c = 0
        while left[c] == counts[c]:
            left[c] = 0
            c += 1
        left[c] += 1
        total, rest = 0.0, 0.0
        for c in range(n):
            if left[c]:
                weight = left[c] * w[c]
                total += weight
                rest += weight * (entropy[state - stride[c]] - s[c])
        entropy[state] = np.log(total) + rest / total
    return entropy[states - 1]


@njit(cache=True, nogil=True, error_model="numpy")
def integral_entropy(scores, counts):
    """H of any number of documents, as an integral that is exact to 1e-8.

    Let document i leave at a time T_i, exponential with rate w_i = e^s_i: documents leave in the
    order of a Plackett–Luce ranking, and W(t) = Σ w_i [T_i > t] is what is left.  The ranking's
    surprise is Σ_j log W(T_j −) − Σ_i s_i, and some document leaves at the rate W(t), so that

        H = ∫₀^∞ E[W log W] dt − Σ s_i
        log W = ∫₀^∞ (e^−u − e^−uW) / u du
        E[e^−uW] = Π_i (1 − e^−t w_i (1 − e^−u w_i)),   E[W e^−uW] its derivative by −u.

    With t = exp(x − e^−x) over Σ w_i, and u likewise, both integrands are analytic in a strip
    around the real line and vanish at its ends, where the trapezoidal rule converges exponentially
    (Trefethen, Weideman 2014).  On the left, where they fall no faster than t does, e^−x has them
    vanish within a few steps (Takahasi, Mori 1974).
    """
    # loops, as numba compiles expressions of arrays for a second each
    classes, n = len(scores), counts.sum()
    middle = (scores.max() + scores.min()) / 2
    s, w = np.empty(classes), np.empty(classes)
    for c in range(classes):
        s[c] = scores[c] - middle
        w[c] = np.exp(s[c])
    nodes, scale = _grid(s, counts)
    at, rate = np.empty(nodes), np.empty(nodes)
    left, gone = np.empty((classes, nodes)), np.empty((classes, nodes))
    for u in range(nodes):
        x = _FIRST + _STEP * u
        at[u] = np.exp(scale + x - np.exp(-x))
        rate[u] = _STEP * (1.0 + np.exp(-x))
        for c in range(classes):
            left[c, u] = np.exp(-w[c] * at[u])
            gone[c, u] = -np.expm1(-w[c] * at[u])
    laplace = np.zeros(nodes)  # ∫ E[W e^−uW] dt
    room = np.empty((3, nodes))
    some = 0
    for t in range(nodes):
        # the product falls with u and rises with t: further points add nothing
        while some < nodes and _product(gone, left, t, some, counts) > 1e-30:
            some += 1
        product, slope, power = room[0, :some], room[1, :some], room[2, :some]
        for u in range(some):
            product[u], slope[u] = 1.0, 0.0
        for c in range(classes):
            of_class = left[c, :some], w[c], counts[c]
            _multiply(gone[c, t], left[c, t], of_class, product, slope, power)
        for u in range(some):
            laplace[u] += slope[u] * (at[t] * rate[t])
    total = 0.0
    for u in range(nodes):
        total += (n * np.exp(-at[u]) - laplace[u]) * rate[u]
    for c in range(classes):
        total -= counts[c] * s[c]
    return total


@njit(cache=True, nogil=True, inline="always")
def _product(gone, left, t, u, counts):
    """E[e^−uW] of what is left at a time."""
    product = 1.0
    for c in range(len(counts)):
        product *= (gone[c, t] + left[c, t] * left[c, u]) ** counts[c]
    return product


@njit(cache=False, nogil=True)
def _multiply(gone, left_t, of_class, product, slope, power):
    """Multiply by the factors of a class of documents, for many u at once."""
    left_u, w, count = of_class
    some = len(left_u)
    for u in range(some):
        power[u] = 1.0  # to the count less one
    exponent = count - 1
    bit = 1
    while bit <= exponent:
        bit *= 2
    while bit > 1:
        bit //= 2
        for u in range(some):
            power[u] *= power[u]
        if exponent & bit:
            for u in range(some):
                power[u] *= gone + left_t * left_u[u]
    weight = count * w * left_t
    for u in range(some):
        each = gone + left_t * left_u[u]
        slope[u] = power[u] * (slope[u] * each + product[u] * weight * left_u[u])
        product[u] *= power[u] * each


@njit(cache=False, nogil=True)
def _grid(scores, counts):
    """How many points x there are in `integral_entropy`, and the logarithm of their scale."""
    n, highest, total = counts.sum(), scores.max(), 0.0
    for c in range(len(counts)):
        total += counts[c] * np.exp(scores[c] - highest)
    scale = -np.log(total) - highest
    high = np.log(-np.log(_NEGLIGIBLE)) - scores.min() + np.log(1.0 + np.log(n + 1.0)) - scale
    return int((high - _FIRST) / _STEP) + 2, scale
