"""Krippendorff's α: nominal, ordinal and interval, by coincidences.

    α = 1 − D_o / D_e = 1 − (n − 1) Σ o_vv' δ²_vv' / Σ n_v n_v' δ²_vv'

(yang2019 Eq. 2.29–2.33; Krippendorff, *Computing Krippendorff's alpha-reliability*).  Units
(documents) with fewer than two values do not count.  Where all counted values are equal the
expected disagreement is zero and α is undefined: NaN.

For the ordinal metric δ²_vv' = (Σ_{g=v..v'} n_g − (n_v + n_v')/2)² is the squared difference
of the values' mid-ranks, so ordinal α is interval α of the mid-ranks.
"""

from __future__ import annotations

import numpy as np

from regrade.choices import METRICS
from regrade.compiled import njit
from regrade.errors import check_choice

NOMINAL, ORDINAL, INTERVAL = range(3)


def metric_code(name: str) -> int:
    """The code by which kernels know a metric; `ParameterError` for an unknown one."""
    check_choice("metric", name, METRICS)
    return METRICS.index(name)


def alpha(ratings: np.ndarray, metric: str = "ordinal") -> float:
    """Krippendorff's α of any number of coders.

    Examples
    --------
    The worked example of yang2019, Table 2.10 (N, R, H = 0, 1, 2):

    >>> ratings = np.array([[1, 0, 2, 1], [1, 0, 1, 2], [2, 0, 2, 1]], float)
    >>> round(alpha(ratings, "nominal"), 3)
    0.298
    """
    metric_code(metric)
    ratings = np.asarray(ratings, dtype=float)
    present = ~np.isnan(ratings)
    paired = present & (present.sum(axis=0) >= 2)
    values, codes = np.unique(ratings[paired], return_inverse=True)
    documents = np.nonzero(paired)[1]
    counts = np.zeros((ratings.shape[1], len(values)), dtype=np.int64)
    np.add.at(counts, (documents, codes), 1)
    return alpha_from_coincidences(coincidences(counts), counts.sum(axis=0), values, metric)


def coincidences(counts: np.ndarray) -> np.ndarray:
    """Coincidence matrix o_vv' of documents whose values are given as counts."""
    counts = np.ascontiguousarray(counts, dtype=np.int64)
    return _coincidences(counts, np.argsort(counts.sum(axis=1), kind="stable"))


@njit(cache=True, nogil=True)
def _coincidences(counts, order):
    """The same, the documents in an order of rising numbers of values."""
    size = counts.shape[1]
    result = np.zeros((size, size))
    pairs = np.zeros((size, size), dtype=np.int64)
    there = np.empty(size, dtype=np.int64)
    for place in range(order.shape[0]):
        row = counts[order[place]]
        total = n = 0
        for v in range(size):
            if row[v] > 0:
                there[n] = v
                n += 1
                total += row[v]
        if total < 2:
            continue
        for a in range(n):
            v = there[a]
            for b in range(n):
                pairs[v, there[b]] += row[v] * row[there[b]]
            pairs[v, v] -= row[v]
        last = place + 1 == order.shape[0]
        if last or counts[order[place + 1]].sum() != total:
            for v in range(size):
                for w in range(size):
                    result[v, w] += pairs[v, w] / (total - 1)
                    pairs[v, w] = 0
    return result


def alpha_from_coincidences(
    coincidence: np.ndarray, marginals: np.ndarray, values: np.ndarray, metric: str
) -> float:
    """α of a coincidence matrix (V, V), its integer marginals (V,) and the V sorted values."""
    n = marginals.sum()
    if np.count_nonzero(marginals) < 2:
        return np.nan
    delta = squared_differences(marginals, values, metric)
    observed = (coincidence * delta).sum()
    expected = (np.outer(marginals, marginals) * delta).sum()
    return float(1 - (n - 1) * observed / expected)


def squared_differences(marginals: np.ndarray, values: np.ndarray, metric: str) -> np.ndarray:
    """δ² between each two of the V values, shape (V, V)."""
    if metric == "nominal":
        return 1.0 - np.eye(len(values))
    if metric == "ordinal":
        values = np.cumsum(marginals) - marginals / 2
    return np.subtract.outer(values, values).astype(float) ** 2


@njit(cache=True, nogil=True, inline="always")
def level_scores(counts, metric):
    """Numbers whose squared differences are δ² between four levels that occur so often.

    Twice the mid-ranks if ordinal: scaling δ² leaves α alone.  The nominal metric has no such
    numbers, and does not use them.
    """
    n0, n1, n2, n3 = counts
    if metric == ORDINAL:
        return n0, 2 * n0 + n1, 2 * (n0 + n1) + n2, 2 * (n0 + n1 + n2) + n3
    return 0, 1, 2, 3


@njit(cache=True, nogil=True, inline="always")
def expected_disagreement(counts, scores, metric):
    """Σ_{v<v'} n_v n_v' δ²_vv' over four levels with scores s; zero ⟺ α is undefined."""
    n0, n1, n2, n3 = counts
    s0, s1, s2, s3 = scores
    n = n0 + n1 + n2 + n3
    if metric == NOMINAL:
        return (n * n - n0 * n0 - n1 * n1 - n2 * n2 - n3 * n3) // 2
    first = n0 * s0 + n1 * s1 + n2 * s2 + n3 * s3
    second = n0 * s0 * s0 + n1 * s1 * s1 + n2 * s2 * s2 + n3 * s3 * s3
    return n * second - first * first
