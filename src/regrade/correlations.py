"""How alike two rankings of systems are: τ, τ_b, τ_ap, Spearman's ρ and rank-biased overlap.

Every function takes vectors of scores, float64 of shape (n,), one score per system, the higher the
better.  Scores tie by the one rule of `regrade.kendall`; no score may be NaN.  Kendall's τ_b lives
there too.  A τ or ρ is from −1 to 1, and NaN where it is undefined.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from regrade.compiled import njit
from regrade.kendall import TOLERANCE, expert_order, pair_orders, tau_b, tau_b_ordered

__all__ = [
    "competition_ranks",
    "fractional_ranks",
    "kendall_tau",
    "rbo_ext",
    "rbo_ext_a",
    "rbo_ext_b",
    "rbo_ext_many",
    "spearman_rho",
    "spearman_rho_a",
    "tau_ap",
    "tau_ap_b",
    "tau_b",
    "tau_b_many",
]


@njit(cache=True, nogil=True, small=True)
def tie_groups(scores):
    """Systems from the highest score down, and each system's tie group: first place and size.

    A group goes on as long as neighbouring scores tie.
    """
    n = scores.shape[0]
    order = np.argsort(-scores, kind="mergesort")
    first = np.empty(n, np.int64)
    size = np.empty(n, np.int64)
    start = 0
    for i in range(1, n + 1):
        if i == n or scores[order[i - 1]] - scores[order[i]] > TOLERANCE:
            for j in range(start, i):
                first[order[j]] = start
                size[order[j]] = i - start
            start = i
    return order, first, size


def competition_ranks(scores: np.ndarray) -> np.ndarray:
    """Ranks from 1; systems that tie share the highest that they occupy (yang2019 Table 2.5)."""
    order = np.argsort(-scores, kind="stable")
    follows = np.append(False, scores[order[:-1]] - scores[order[1:]] <= TOLERANCE)[: len(order)]
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.maximum.accumulate(np.where(follows, 0, np.arange(1, len(order) + 1)))
    return ranks


def fractional_ranks(scores: np.ndarray) -> np.ndarray:
    """Ranks from 1; systems that tie share the mean of the ranks that they occupy."""
    _, first, size = tie_groups(scores)
    return first + (size + 1) / 2


def kendall_tau(x: np.ndarray, y: np.ndarray) -> float:
    """Kendall's τ without correction for ties: (C − D) / (n(n − 1)/2).

    NaN for fewer than two systems.

    References
    ----------
    yang2019 §2.4.3.
    """
    n = x.shape[0]
    if n < 2:
        return np.nan
    return pair_orders(x, y)[0] / (n * (n - 1) / 2)


@njit(cache=True, nogil=True, small=True)
def tau_b_many(ranking, others):
    """τ_b of one ranking with each of many."""
    order, strictly_below = expert_order(ranking)
    values = np.empty(others.shape[0])
    for p in range(others.shape[0]):
        values[p] = tau_b_ordered(others[p][order], strictly_below, -1.0)
    return values


@njit(cache=True, nogil=True, small=True)
def tau_ap(truth, ranking):
    """τ_ap of a ranking against the true one: Kendall's τ weighted towards the top of `ranking`.

    Without ties 2/(n − 1) · Σ C(i)/(i − 1) − 1 over the ranks i from 2, where C(i) of the systems
    above rank i are above that system in `truth` too.  With ties, the mean of this over all
    orders of tied systems, in either ranking; where only `ranking` has ties, Urbano and Marrero's
    τ_ap,a.  Not symmetric.

    NaN for fewer than two systems.

    References
    ----------
    Yilmaz, Aslam and Robertson, A new rank correlation coefficient for information retrieval,
    SIGIR 2008.  Urbano and Marrero, The treatment of ties in AP correlation, ICTIR 2017.
    """
    n = truth.shape[0]
    if n < 2:
        return np.nan
    order, first, size = tie_groups(ranking)
    ordered = truth[order]
    total = 0.0
    for i in range(n):
        start = first[order[i]]
        if start == 0:
            continue
        # systems that tie are in either order equally often: their mean is 0
        higher = 0
        lower = 0
        for j in range(start):
            difference = ordered[j] - ordered[i]
            higher += difference > TOLERANCE
            lower += difference < -TOLERANCE
        concordant = higher - lower
        share = 0.0
        for place in range(start, start + size[order[i]]):
            share += 1 / place
        total += concordant * share / size[order[i]]
    return total / (n - 1)


@njit(cache=True, nogil=True, small=True)
def _tau_ap_b_one_way(truth, ranking):
    n = truth.shape[0]
    order, first, _ = tie_groups(ranking)
    total = 0.0
    counted = 0
    for i in range(n):
        start = first[order[i]]
        if start == 0:
            continue
        concordant = 0
        for j in range(start):
            concordant += truth[order[j]] - truth[order[i]] > TOLERANCE
        total += concordant / start
        counted += 1
    if counted == 0:
        return np.nan
    return 2 * total / counted - 1


def tau_ap_b(x: np.ndarray, y: np.ndarray) -> float:
    """τ_ap,b: agreement of two rankings, either of which may have ties; symmetric.

    The mean of both directions of τ_ap, where a system is compared with those above its tie group
    only, and the first group with none.

    NaN where all of either ranking tie.

    References
    ----------
    Urbano and Marrero, The treatment of ties in AP correlation, ICTIR 2017.
    """
    return (_tau_ap_b_one_way(x, y) + _tau_ap_b_one_way(y, x)) / 2


def spearman_rho(x: np.ndarray, y: np.ndarray) -> float:
    """Spearman's ρ: Pearson's correlation of fractional ranks.

    NaN where all of either ranking tie.

    References
    ----------
    yang2019 §2.4.3, Tables 2.7 and 2.8.
    """
    mean = (x.shape[0] + 1) / 2
    a = fractional_ranks(x) - mean
    b = fractional_ranks(y) - mean
    spread = (a * a).sum() * (b * b).sum()  # of halves, exact
    if spread == 0:
        return np.nan
    return float((a * b).sum() / sqrt(spread))


def spearman_rho_a(x: np.ndarray, y: np.ndarray) -> float:
    """Spearman's ρ by distances of ranks, without correction for ties: 1 − 6Σd²/(n(n² − 1)).

    The same as `spearman_rho` where nothing ties.

    NaN for fewer than two systems.

    References
    ----------
    yang2019 §2.4.3, the examples of Tables 2.4 and 2.5.
    """
    n = x.shape[0]
    if n < 2:
        return np.nan
    d = fractional_ranks(x) - fractional_ranks(y)
    return float(1 - 6 * (d * d).sum() / (n * (n * n - 1.0)))


@njit(cache=True, nogil=True, inline="always")
def _extrapolated(agreement, p):
    """(1 − p) Σ p^(d−1)·A(d) over depths, and p^k·A(k) for what is below the last depth k."""
    total = 0.0
    weight = 1 - p
    for d in range(agreement.shape[0]):
        total += weight * agreement[d]
        weight *= p
    return total + weight / (1 - p) * agreement[-1]


def _evaluation_depth(n: int, depth: int | None) -> int:
    return n if depth is None else min(n, depth)


@njit(cache=True, nogil=True, inline="always")
def _agreement_w(first_x, first_y, k):
    """2·|X ∩ Y| / (|X| + |Y|) at the depths 1 … k; sets hold whole tie groups."""
    n = first_x.shape[0]
    both = np.zeros(n, np.int64)
    either = np.zeros(n, np.int64)
    for e in range(n):
        both[max(first_x[e], first_y[e])] += 1
        either[first_x[e]] += 1
        either[first_y[e]] += 1
    agreement = np.empty(k)
    overlap = 0
    sizes = 0
    for d in range(k):
        overlap += both[d]
        sizes += either[d]
        agreement[d] = 2 * overlap / sizes
    return agreement


def rbo_ext(x: np.ndarray, y: np.ndarray, p: float, depth: int | None = None) -> float:
    """Extrapolated rank-biased overlap of two rankings of the same systems.

    Tied systems all have the highest rank that they occupy, as in sports: RBO^w.  The agreement at
    depth d is 2·|X ∩ Y| / (|X| + |Y|) of the systems with at most that rank; without ties this is
    |X ∩ Y| / d.

    References
    ----------
    yang2019 Equation 2.28; Webber, Moffat and Zobel, A similarity measure for indefinite rankings,
    TOIS 28(4), 2010, Equations 30 and 32; Corsi and Urbano, The treatment of ties in rank-biased
    overlap, SIGIR 2024.
    """
    return rbo_w(x, y, float(p), _evaluation_depth(len(x), depth))


@njit(cache=True, nogil=True, small=True)
def rbo_w(x, y, p, k):
    """`rbo_ext` to depth k, at most the number of systems."""
    if k < 1:
        return np.nan
    return _extrapolated(_agreement_w(tie_groups(x)[1], tie_groups(y)[1], k), p)


def rbo_ext_many(
    ranking: np.ndarray, others: np.ndarray, p: float, depth: int | None = None
) -> np.ndarray:
    """`rbo_ext` of one ranking with each of many."""
    return _rbo_w_many(ranking, others, float(p), _evaluation_depth(len(ranking), depth))


@njit(cache=True, nogil=True, small=True)
def _rbo_w_many(ranking, others, p, k):
    values = np.full(others.shape[0], np.nan)
    if k < 1:
        return values
    first = tie_groups(ranking)[1]
    for r in range(others.shape[0]):
        values[r] = _extrapolated(_agreement_w(first, tie_groups(others[r])[1], k), p)
    return values


@njit(cache=True, nogil=True, inline="always")
def _share_within(first, size, d):
    """How much of a system's tie group is within depth d: how often it is, over all orders."""
    return min(max((d - first) / size, 0.0), 1.0)


@njit(cache=True, nogil=True, small=True)
def _rbo_of_ties(x, y, p, k, is_corrected):
    """RBO^a, or RBO^b, to depth k: A(d) = Σ a·b / d, or Σ a·b / √(Σ a² · Σ b²)."""
    if k < 1:
        return np.nan
    _, first_x, size_x = tie_groups(x)
    _, first_y, size_y = tie_groups(y)
    agreement = np.empty(k)
    for d in range(1, k + 1):
        both, own_x, own_y = 0.0, 0.0, 0.0
        for e in range(x.shape[0]):
            a = _share_within(first_x[e], size_x[e], d)
            b = _share_within(first_y[e], size_y[e], d)
            both += a * b
            own_x += a * a
            own_y += b * b
        agreement[d - 1] = both / (sqrt(own_x * own_y) if is_corrected else float(d))
    return _extrapolated(agreement, p)


def rbo_ext_a(x: np.ndarray, y: np.ndarray, p: float, depth: int | None = None) -> float:
    """RBO^a: the mean of `rbo_ext` over all orders of the systems that tie.

    Parameters and what is returned are those of `rbo_ext`; the source is Corsi and Urbano.
    """
    return _rbo_of_ties(x, y, float(p), _evaluation_depth(len(x), depth), False)


def rbo_ext_b(x: np.ndarray, y: np.ndarray, p: float, depth: int | None = None) -> float:
    """RBO^b: RBO^a corrected for what ties leave open; 1 for a ranking with itself.

    Parameters and what is returned are those of `rbo_ext`; the source is Corsi and Urbano.
    """
    return _rbo_of_ties(x, y, float(p), _evaluation_depth(len(x), depth), True)
