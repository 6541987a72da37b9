"""α of every cut of one topic by the methods that look at a topic as a whole: tw1, d2_at, d2_ta.

All kernels work on four levels and three thresholds.  A transformation to fewer levels is one
to four whose lower levels stay empty: its missing thresholds lie below every value (`NONE`),
and α does not notice empty levels.  Cuts come line by line: those of a line share all
thresholds but the last, which takes every place above them.

tw1, d2_at
    A cut's counts are sums of blocks of one matrix (coincidences, or value × reference level),
    so prefix sums give them with a few look-ups.
d2_ta
    Along a line, a document's vote changes at most twice (`regrade.cutsearch.votes`).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from regrade.aggregation import histogram_aggregate
from regrade.agreement import NOMINAL, expected_disagreement, level_scores
from regrade.cutsearch.votes import cumulative, ordered_values, vote_changes

NONE = -1
"""A threshold that every value exceeds."""


# --- the cuts --------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def lines_of_cuts(size, levels):
    """Every cut of a scale of `size` values, as lines, in lexicographic order.

    Returns
    -------
    lines : array of int64, shape (lines, 4)
        The first and the second threshold, and the places of the line's cuts among all: that
        of the third threshold t + 1 (t the second), and one after that of the last, size − 2.
    """
    end = size - 1
    lines = np.empty((max(1, end * (end + 1) // 2), 4), dtype=np.int64)
    n = start = 0
    for first in range(0 if levels == 4 else NONE, end - 2 if levels == 4 else 0):
        for second in range(first + 1 if levels >= 3 else NONE, end - 1 if levels >= 3 else 0):
            lines[n] = first, second, start, start + end - 1 - second
            start = lines[n, 3]
            n += 1
    return lines[:n]


# --- α of two coders from their joint counts -------------------------------------------------


@njit(cache=True, nogil=True, inline="always")
def _score(level, scores):
    """The number that stands for a level."""
    if level < 2:
        return scores[0] if level == 0 else scores[1]
    return scores[2] if level == 2 else scores[3]


@njit(cache=True, nogil=True)
def _alpha_of_blocks(counts, disagreeing, metric):
    """α from how often each level occurs and from coincidences of different levels.

    Parameters
    ----------
    counts
        The four counts, as floats: the fourth powers of large collections do not fit integers.
    disagreeing : array of float64, shape (4, 4)
        Coincidences; the diagonal is not read.
    metric
        Its code (`regrade.agreement`).
    """
    n0, n1, n2, n3 = counts
    if (n0 > 0) + (n1 > 0) + (n2 > 0) + (n3 > 0) < 2:
        return np.nan
    scores = level_scores(n0, n1, n2, n3, metric)
    s0, s1, s2, s3 = scores
    expected = expected_disagreement(n0, n1, n2, n3, s0, s1, s2, s3, metric)
    observed = 0.0
    for a in range(4):
        for b in range(4):
            if a != b:
                gap = 1.0 if metric == NOMINAL else _score(a, scores) - _score(b, scores)
                observed += disagreeing[a, b] * gap * gap
    return 1.0 - (n0 + n1 + n2 + n3 - 1.0) * observed / expected


# --- tw1 and d2_at: block sums ---------------------------------------------------------------


@njit(cache=True, nogil=True)
def topic_wide(coincidence, marginals, levels, metric):
    """tw1: α of the worker × document matrix of a topic for every cut.

    Parameters
    ----------
    coincidence : array of float64, shape (V, V)
        Coincidences of the source values (`regrade.agreement.coincidences`).
    marginals : array of int64, shape (V,)
        How often each source value occurs in documents with two values or more.
    levels
        Of the target scale.
    metric
        Its code (`regrade.agreement`).

    Returns
    -------
    alpha : array of float64, shape (C,)
        In the order of the cuts; NaN where undefined.
    """
    size = marginals.shape[0]
    prefix = _block_sums(coincidence)
    below = np.zeros(size + 1)
    below[1:] = np.cumsum(marginals)
    lines = lines_of_cuts(size, levels)
    alpha = np.empty(lines[-1, 3])
    blocks = np.zeros((4, 4))
    for i in range(lines.shape[0]):
        t1, t2, start, stop = lines[i]
        for cut in range(start, stop):
            edges = (0, t1 + 1, t2 + 1, t2 + 2 + cut - start, size)
            for a in range(3):
                for b in range(a + 1, 4):
                    blocks[a, b] = (
                        prefix[edges[a + 1], edges[b + 1]]
                        - prefix[edges[a], edges[b + 1]]
                        - prefix[edges[a + 1], edges[b]]
                        + prefix[edges[a], edges[b]]
                    )
            counts = (
                below[edges[1]],
                below[edges[2]] - below[edges[1]],
                below[edges[3]] - below[edges[2]],
                below[size] - below[edges[3]],
            )
            alpha[cut] = _alpha_of_blocks(counts, blocks, metric)
    return alpha


@njit(cache=True, nogil=True)
def _block_sums(matrix):
    """prefix[i, j]: the sum over rows below i and columns below j; shape (V + 1, V + 1)."""
    size = matrix.shape[0]
    prefix = np.zeros((size + 1, size + 1))
    for i in range(size):
        row = 0.0
        for j in range(size):
            row += matrix[i, j]
            prefix[i + 1, j + 1] = prefix[i, j + 1] + row
    return prefix


@njit(cache=True, nogil=True)
def _alpha_of_joint(joint, metric):
    """α of two coders from how often each pair of levels occurs, (4, 4) of int64.

    The coincidences count each pair in both orders, the sum over a ≠ b once.
    """
    n = joint.sum(axis=0) + joint.sum(axis=1)
    counts = (float(n[0]), float(n[1]), float(n[2]), float(n[3]))
    return _alpha_of_blocks(counts, joint, metric)


@njit(cache=True, nogil=True)
def document_aggregate_first(codes, reference, size, levels, metric):
    """d2_at: α of the transformed aggregates against the reference for every cut.

    Parameters
    ----------
    codes : array of int64, shape (D,)
        ⌈aggregate⌉ of each document's values.
    reference : array of int64, shape (D,)
        Level of each document, counted so that the highest is 3; −1 where there is none.
    size
        Number of values of the source scale.
    levels, metric
        As in `topic_wide`.

    Returns
    -------
    alpha : array of float64, shape (C,)
    """
    lines = lines_of_cuts(size, levels)
    alpha = np.full(lines[-1, 3], np.nan)
    if not (reference >= 0).any():
        return alpha
    below = np.zeros((size + 1, 4), dtype=np.int64)
    for i in range(codes.shape[0]):
        if reference[i] >= 0:
            below[codes[i] + 1, reference[i]] += 1
    for value in range(size):
        below[value + 1] += below[value]
    joint = np.zeros((4, 4), dtype=np.int64)
    for i in range(lines.shape[0]):
        t1, t2, start, stop = lines[i]
        for cut in range(start, stop):
            t3 = t2 + 1 + cut - start
            joint[0] = below[t1 + 1]
            joint[1] = below[t2 + 1] - below[t1 + 1]
            joint[2] = below[t3 + 1] - below[t2 + 1]
            joint[3] = below[size] - below[t3 + 1]
            alpha[cut] = _alpha_of_joint(joint, metric)
    return alpha


# --- d2_ta: votes that change with the cut ---------------------------------------------------


@njit(cache=True, nogil=True)
def document_transform_first(histograms, reference, levels, how, metric):
    """d2_ta: α of the votes of transformed values against the reference for every cut.

    Parameters
    ----------
    histograms : array of int64, shape (D, V)
        How often each document got each source value, at least one each.
    reference : array of int64, shape (D,)
        As in `document_aggregate_first`.
    levels, metric
        As in `topic_wide`.
    how
        The aggregation's code.

    Returns
    -------
    alpha : array of float64, shape (C,)
    """
    size = histograms.shape[1]
    lines = lines_of_cuts(size, levels)
    alpha = np.full(lines[-1, 3], np.nan)
    if not (reference >= 0).any():
        return alpha
    ordered, offsets = ordered_values(histograms)
    upto = cumulative(histograms)
    changes = np.zeros((size + 1, 4, 4), dtype=np.int64)
    joint = np.zeros((4, 4), dtype=np.int64)
    for i in range(lines.shape[0]):
        t1, t2, start, stop = lines[i]
        changes[t2 + 1 :] = 0
        for d in range(histograms.shape[0]):
            if reference[d] >= 0:
                values = ordered[offsets[d] : offsets[d + 1]]
                n0 = upto[d, t1] if t1 >= 0 else 0
                below = upto[d, t2] if t2 >= 0 else 0
                first, middle, last, k1, k2 = vote_changes(n0, below - n0, values.size - 1, how)
                p1 = max(values[k1 - 1], t2 + 1) if k1 > 0 else t2 + 1
                p2 = max(values[k2 - 1], t2 + 1) if k2 > 0 else t2 + 1
                level = reference[d]
                changes[t2 + 1, first, level] += 1
                changes[p1, first, level] -= 1
                changes[p1, middle, level] += 1
                changes[p2, middle, level] -= 1
                changes[p2, last, level] += 1
        joint[:] = 0
        for cut in range(start, stop):
            joint += changes[t2 + 1 + cut - start]
            alpha[cut] = _alpha_of_joint(joint, metric)
    return alpha


# --- the others ------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def others_aggregated(value, rows, table, values, how):
    """The aggregate of the other workers' values of each judgment's document; NaN where none.

    Parameters
    ----------
    value : array of int32, shape (J,)
        The judgments' own values, as places among `values`.
    rows, table
        See `regrade.cutsearch.data.TopicJudgments.with_own_value`.
    values : array of float64, shape (V,)
        Ascending.
    how
        The aggregation's code.

    Returns
    -------
    aggregates : array of float64, shape (J,)
    """
    aggregates = np.full(value.shape[0], np.nan)
    for j in range(value.shape[0]):
        counts = table[rows[j]].copy()
        counts[value[j]] -= 1
        total = counts.sum()
        if total > 0:
            aggregates[j] = histogram_aggregate(counts, total, values, how)
    return aggregates
