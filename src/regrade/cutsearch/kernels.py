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

from regrade.aggregation import histogram_aggregate
from regrade.agreement import NOMINAL, expected_disagreement, level_scores
from regrade.compiled import njit
from regrade.cutsearch.votes import cumulative, ordered_values, vote_changes

NONE = -1
"""A threshold that every value exceeds."""


# --- the cuts --------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def lines_of_cuts(size, levels):
    """Every cut of a scale of `size` values, as lines, in lexicographic order."""
    end = size - 1
    lines = np.empty((max(1, end * (end + 1) // 2), 4), dtype=np.int64)
    n = start = 0
    for first in range(0 if levels == 4 else NONE, end - 2 if levels == 4 else 0):
        for second in range(first + 1 if levels >= 3 else NONE, end - 1 if levels >= 3 else 0):
            # one by one: what refuses a tuple of another length takes a second to be compiled
            lines[n, 0], lines[n, 1], lines[n, 2] = first, second, start
            start += end - 1 - second
            lines[n, 3] = start
            n += 1
    return lines[:n]


# --- α of two coders from their joint counts -------------------------------------------------


@njit(cache=True, nogil=True, inline="always", error_model="numpy")
def _alpha_of_pairs(counts, coincidences, metric):
    """α from how often each level occurs and from the coincidences of different levels."""
    n0, n1, n2, n3 = counts
    o01, o02, o03, o12, o13, o23 = coincidences
    scores = level_scores(counts, metric)
    s0, s1, s2, s3 = scores
    expected = expected_disagreement(counts, scores, metric)
    if metric == NOMINAL:
        observed = o01 + o02 + o03 + o12 + o13 + o23
    else:
        observed = o01 * (s0 - s1) ** 2 + o02 * (s0 - s2) ** 2 + o03 * (s0 - s3) ** 2
        observed += o12 * (s1 - s2) ** 2 + o13 * (s1 - s3) ** 2 + o23 * (s2 - s3) ** 2
    alpha = 1.0 - (n0 + n1 + n2 + n3 - 1.0) * observed / expected
    # chosen at the end, so that a line of cuts is computed without a branch
    return alpha if int(n0 > 0) + int(n1 > 0) + int(n2 > 0) + int(n3 > 0) >= 2 else np.nan


# --- tw1 and d2_at: block sums ---------------------------------------------------------------


@njit(cache=True, nogil=True, error_model="numpy")
def topic_wide(coincidence, marginals, levels, metric):
    """tw1: α of the worker × document matrix of a topic for every cut."""
    size = marginals.shape[0]
    prefix = _block_sums(coincidence)
    below = np.zeros(size + 1)
    for value in range(size):
        below[value + 1] = below[value] + marginals[value]
    lines = lines_of_cuts(size, levels)
    alpha = np.empty(lines[-1, 3])
    for i in range(lines.shape[0]):
        t1, t2, start, stop = lines[i]
        e1, e2 = t1 + 1, t2 + 1
        # what all cuts of the line share: the block of levels 0 and 1, and what both start from
        p12, p22, p1, p2 = prefix[e1, e2], prefix[e2, e2], prefix[e1, size], prefix[e2, size]
        o01 = p12 - prefix[e1, e1]
        n0, n1 = below[e1], below[e2] - below[e1]
        for cut in range(start, stop):
            e3 = e2 + 1 + cut - start
            p13, p23, p33, p3 = prefix[e1, e3], prefix[e2, e3], prefix[e3, e3], prefix[e3, size]
            counts = n0, n1, below[e3] - below[e2], below[size] - below[e3]
            o12, o13, o23 = p23 - p13 - p22 + p12, p2 - p1 - p23 + p13, p3 - p2 - p33 + p23
            pairs = o01, p13 - p12, p1 - p13, o12, o13, o23
            alpha[cut] = _alpha_of_pairs(counts, pairs, metric)
    return alpha


@njit(cache=True, nogil=True, inline="always")
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


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _alpha_of_joint(joint, metric):
    """α of two coders from how often each pair of levels occurs, (4, 4) of int64.

    The coincidences count each pair in both orders.
    """
    o01, o02, o03 = joint[0, 1] + joint[1, 0], joint[0, 2] + joint[2, 0], joint[0, 3] + joint[3, 0]
    o12, o13, o23 = joint[1, 2] + joint[2, 1], joint[1, 3] + joint[3, 1], joint[2, 3] + joint[3, 2]
    counts = (
        float(2 * joint[0, 0] + o01 + o02 + o03),
        float(2 * joint[1, 1] + o01 + o12 + o13),
        float(2 * joint[2, 2] + o02 + o12 + o23),
        float(2 * joint[3, 3] + o03 + o13 + o23),
    )
    pairs = float(o01), float(o02), float(o03), float(o12), float(o13), float(o23)
    return _alpha_of_pairs(counts, pairs, metric)


@njit(cache=True, nogil=True, error_model="numpy")
def document_aggregate_first(codes, reference, size, levels, metric):
    """d2_at: α of the transformed aggregates against the reference for every cut."""
    lines = lines_of_cuts(size, levels)
    alpha = np.full(lines[-1, 3], np.nan)
    # how many of the values below each have which reference level; integers, as floats
    below = np.zeros((size + 1, 4))
    for i in range(codes.shape[0]):
        if reference[i] >= 0:
            below[codes[i] + 1, reference[i]] += 1.0
    whole = np.zeros(size + 1)
    for value in range(size):
        for level in range(4):
            below[value + 1, level] += below[value, level]
            whole[value + 1] += below[value + 1, level]
    if whole[size] == 0:
        return alpha
    r0, r1, r2, r3 = below[size, 0], below[size, 1], below[size, 2], below[size, 3]
    for i in range(lines.shape[0]):
        t1, t2, start, stop = lines[i]
        low, middle = below[t1 + 1], below[t2 + 1]
        n0 = r0 + whole[t1 + 1]
        n1 = r1 + whole[t2 + 1] - whole[t1 + 1]
        o01 = low[1] + middle[0] - low[0]
        for cut in range(start, stop):
            e3 = t2 + 2 + cut - start
            h0, h1, h2, h3 = below[e3, 0], below[e3, 1], below[e3, 2], below[e3, 3]
            counts = n0, n1, r2 + whole[e3] - whole[t2 + 1], r3 + whole[size] - whole[e3]
            o12, o13 = middle[2] - low[2] + h1 - middle[1], middle[3] - low[3] + r1 - h1
            o02, o03, o23 = low[2] + h0 - middle[0], low[3] + r0 - h0, h3 - middle[3] + r2 - h2
            alpha[cut] = _alpha_of_pairs(counts, (o01, o02, o03, o12, o13, o23), metric)
    return alpha


# --- d2_ta: votes that change with the cut ---------------------------------------------------


@njit(cache=True, nogil=True, error_model="numpy")
def document_transform_first(histograms, reference, levels, how, metric):
    """d2_ta: α of the votes of transformed values against the reference for every cut."""
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
    """The aggregate of the other workers' values of each judgment's document; NaN where none."""
    aggregates = np.full(value.shape[0], np.nan)
    for j in range(value.shape[0]):
        counts = table[rows[j]].copy()
        counts[value[j]] -= 1
        total = counts.sum()
        if total > 0:
            aggregates[j] = histogram_aggregate(counts, total, values, how)
    return aggregates
