"""α of every cut of one topic, one kernel per method.

All kernels work on four levels and three thresholds.  A transformation to fewer levels is one
to four whose upper levels stay empty: its missing thresholds are infinite (`FREE`), their axes
of the grid of cuts have length one, and α does not notice empty levels.

How each method avoids computing α of 161,700 cuts from scratch:

tw1, d2_at
    A cut's counts are sums of blocks of one matrix (coincidences, or value × reference level),
    so prefix sums give them with a few look-ups.
h2, h1_at
    A unit's transformed values change only where a threshold passes one of its values: a unit
    with g distinct values has C(g + 3, 3) classes of cuts, each a box in the grid.  α is
    computed once per class, added to the box by differences, and one prefix sum over the grid
    sums all units.
h1_ta, d2_ta
    A document's vote depends on all thresholds.  Level counts come from cumulative tables, for
    one c1 and c2 at a time; while c3 moves on, a unit's α is computed again only where a vote
    or an own level changes.

A unit's α is rounded to a multiple of 2^-bits and summed as an integer, so that the sum is
exact whatever the order of units; the rounding is below the last bit of the mean.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from regrade.aggregation import histogram_aggregate, vote
from regrade.agreement import NOMINAL, expected_disagreement, level_scores

FREE = 1 << 30
"""An infinite threshold: no value exceeds it."""

DROP, ONE, ZERO = range(3)
"""Codes of `regrade.choices.UNDEFINED`."""


def grid_shape(source_levels: int, levels: int) -> tuple[int, int, int]:
    """Length of the three threshold axes: the possible thresholds, or one where it is infinite."""
    used = levels - 1
    return tuple(source_levels - 1 if axis < used else 1 for axis in range(3))


def fixed_point_bits(n_units: int) -> int:
    """Bits after the point such that `n_units` values in −1 … 1 cannot overflow int64."""
    return 61 - max(1, n_units).bit_length()


def read_grid(grid: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """The cells of a grid of cuts that belong to `cuts` (n_cuts, levels - 1)."""
    index = np.zeros((3, len(cuts)), dtype=np.intp)
    index[: cuts.shape[1]] = cuts.T
    return grid[tuple(index)]


# --- α of two coders from a topic's or a unit's integer counts -----------------------------


@njit(cache=True, nogil=True, inline="always")
def _threshold(position, axis_length):
    """The threshold at a position of an axis; infinite on an axis of length one that is free."""
    return position if axis_length > 1 else FREE


@njit(cache=True, nogil=True)
def _pair_alpha(first, second, count, metric):
    """α of two coders over `count` documents, and whether it is defined.

    `first` and `second` hold levels 0..3.  With both orders of each pair, the coincidences'
    factor two cancels against the expected disagreement's.
    """
    n0 = n1 = n2 = n3 = 0
    for i in range(count):
        for level in (first[i], second[i]):
            if level == 0:
                n0 += 1
            elif level == 1:
                n1 += 1
            elif level == 2:
                n2 += 1
            else:
                n3 += 1
    s0, s1, s2, s3 = level_scores(n0, n1, n2, n3, metric)
    expected = expected_disagreement(n0, n1, n2, n3, s0, s1, s2, s3, metric)
    if expected == 0:
        return 0.0, False
    observed = 0
    for i in range(count):
        a, b = first[i], second[i]
        if a != b:
            if metric == NOMINAL:
                observed += 1
            else:
                difference = _pick(a, s0, s1, s2, s3) - _pick(b, s0, s1, s2, s3)
                observed += difference * difference
    return 1.0 - (2 * count - 1) * observed / expected, True


@njit(cache=True, nogil=True, inline="always")
def _pick(level, s0, s1, s2, s3):
    if level == 0:
        return s0
    if level == 1:
        return s1
    return s2 if level == 2 else s3


@njit(cache=True, nogil=True, inline="always")
def _resolve(value, defined, undefined):
    """An α and how much it counts (1 or 0), after the rule for undefined ones."""
    if defined:
        return value, 1
    if undefined == ONE:
        return 1.0, 1
    return 0.0, 1 if undefined == ZERO else 0


# --- tw1 and d2_at: block sums ---------------------------------------------------------------


@njit(cache=True, nogil=True)
def topic_wide(coincidence, marginals, axes, metric, undefined):
    """tw1: α of the worker × document matrix of a topic for every cut.

    Parameters
    ----------
    coincidence : array of float64, shape (V, V)
        Coincidences of the source values (`regrade.agreement.coincidences`).
    marginals : array of int64, shape (V,)
        How often each source value occurs in documents with two values or more.
    axes
        `grid_shape`.
    metric, undefined
        Codes.

    Returns
    -------
    alpha : array of float64, shape `axes`
        NaN where undefined; cells that are no cut (c1 ≥ c2, …) hold NaN too.
    """
    size = marginals.shape[0]
    # prefix[i, j]: coincidences of values below i with values below j
    prefix = np.zeros((size + 1, size + 1))
    below = np.zeros(size + 1)
    for i in range(size):
        row = 0.0
        below[i + 1] = below[i] + marginals[i]
        for j in range(size):
            row += coincidence[i, j]
            prefix[i + 1, j + 1] = prefix[i, j + 1] + row
    alpha = np.full(axes, np.nan)
    edges = np.zeros(5, dtype=np.int64)
    edges[4] = size
    for c1 in range(axes[0]):
        edges[1] = min(_threshold(c1, axes[0]), size - 1) + 1
        for c2 in range(c1 + 1 if axes[1] > 1 else 0, axes[1]):
            edges[2] = min(_threshold(c2, axes[1]), size - 1) + 1
            for c3 in range(c2 + 1 if axes[2] > 1 else 0, axes[2]):
                edges[3] = min(_threshold(c3, axes[2]), size - 1) + 1
                n0 = below[edges[1]]
                n1 = below[edges[2]] - below[edges[1]]
                n2 = below[edges[3]] - below[edges[2]]
                n3 = below[size] - below[edges[3]]
                s0, s1, s2, s3 = level_scores(n0, n1, n2, n3, metric)
                defined = (n0 > 0) + (n1 > 0) + (n2 > 0) + (n3 > 0) > 1
                value = 0.0
                if defined:
                    expected = expected_disagreement(n0, n1, n2, n3, s0, s1, s2, s3, metric)
                    observed = 0.0
                    for a in range(3):
                        for b in range(a + 1, 4):
                            block = (
                                prefix[edges[a + 1], edges[b + 1]]
                                - prefix[edges[a], edges[b + 1]]
                                - prefix[edges[a + 1], edges[b]]
                                + prefix[edges[a], edges[b]]
                            )
                            if metric == NOMINAL:
                                observed += block
                            else:
                                gap = _pick(a, s0, s1, s2, s3) - _pick(b, s0, s1, s2, s3)
                                observed += block * gap * gap
                    value = 1.0 - (n0 + n1 + n2 + n3 - 1.0) * observed / expected
                value, counts = _resolve(value, defined, undefined)
                if counts:
                    alpha[c1, c2, c3] = value
    return alpha


@njit(cache=True, nogil=True)
def _joint_alpha(joint, metric, undefined):
    """α of two coders from their joint counts (4, 4) of levels; NaN where it does not count."""
    n0 = joint[0, :].sum() + joint[:, 0].sum()
    n1 = joint[1, :].sum() + joint[:, 1].sum()
    n2 = joint[2, :].sum() + joint[:, 2].sum()
    n3 = joint[3, :].sum() + joint[:, 3].sum()
    defined = (n0 > 0) + (n1 > 0) + (n2 > 0) + (n3 > 0) > 1
    value = 0.0
    if defined:
        # as floats: the fourth powers of large collections do not fit integers
        f0, f1, f2, f3 = float(n0), float(n1), float(n2), float(n3)
        s0, s1, s2, s3 = level_scores(f0, f1, f2, f3, metric)
        expected = expected_disagreement(f0, f1, f2, f3, s0, s1, s2, s3, metric)
        observed = 0.0
        for a in range(4):
            for b in range(4):
                if a != b:
                    if metric == NOMINAL:
                        observed += joint[a, b]
                    else:
                        gap = _pick(a, s0, s1, s2, s3) - _pick(b, s0, s1, s2, s3)
                        observed += joint[a, b] * gap * gap
        value = 1.0 - (f0 + f1 + f2 + f3 - 1.0) * observed / expected
    value, counts = _resolve(value, defined, undefined)
    return value if counts else np.nan


@njit(cache=True, nogil=True)
def document_aggregate_first(codes, reference, size, axes, metric, undefined):
    """d2_at: α of the transformed aggregates against the reference for every cut.

    Parameters
    ----------
    codes : array of int64, shape (D,)
        ⌈aggregate⌉ of each document's values.
    reference : array of int64, shape (D,)
        Level of each document, −1 where there is none.
    size
        Number of values of the source scale.
    axes, metric, undefined
        As in `topic_wide`.

    Returns
    -------
    alpha : array of float64, shape `axes`
    """
    below = np.zeros((size + 1, 4), dtype=np.int64)
    for i in range(codes.shape[0]):
        if reference[i] >= 0:
            below[codes[i] + 1, reference[i]] += 1
    for value in range(size):
        for level in range(4):
            below[value + 1, level] += below[value, level]
    alpha = np.full(axes, np.nan)
    if below[size].sum() == 0:
        return alpha
    joint = np.zeros((4, 4), dtype=np.int64)
    for c1 in range(axes[0]):
        e1 = min(_threshold(c1, axes[0]), size - 1) + 1
        for c2 in range(c1 + 1 if axes[1] > 1 else 0, axes[1]):
            e2 = min(_threshold(c2, axes[1]), size - 1) + 1
            for c3 in range(c2 + 1 if axes[2] > 1 else 0, axes[2]):
                e3 = min(_threshold(c3, axes[2]), size - 1) + 1
                for level in range(4):
                    joint[0, level] = below[e1, level]
                    joint[1, level] = below[e2, level] - below[e1, level]
                    joint[2, level] = below[e3, level] - below[e2, level]
                    joint[3, level] = below[size, level] - below[e3, level]
                alpha[c1, c2, c3] = _joint_alpha(joint, metric, undefined)
    return alpha


# --- h2 and h1_at: classes of cuts per unit --------------------------------------------------


@njit(cache=True, nogil=True)
def others_aggregated(document, value, worker, histograms, how):
    """⌈aggregate⌉ of the other workers' values of each judgment's document; −1 where none.

    All of the worker's own values of the document are left out, also those of other units.

    Returns
    -------
    codes : array of int64, shape (J,)
    """
    own = _own_repeats(document, worker)
    codes = np.full(document.shape[0], -1, dtype=np.int64)
    for j in range(document.shape[0]):
        counts = histograms[document[j]].copy()
        for other in own[own[:, 0] == j, 1]:
            counts[value[other]] -= 1
        counts[value[j]] -= 1
        total = counts.sum()
        if total > 0:
            codes[j] = histogram_aggregate(counts, total, how)
    return codes


@njit(cache=True, nogil=True)
def _own_repeats(document, worker):
    """Pairs (j, other) of judgments that one worker made of one document, j ≠ other.

    Judgments are sorted by worker, so a worker's lie together.
    """
    pairs = []
    start = 0
    n = document.shape[0]
    while start < n:
        stop = start
        while stop < n and worker[stop] == worker[start]:
            stop += 1
        for j in range(start, stop):
            for other in range(start, stop):
                if j != other and document[j] == document[other]:
                    pairs.append((j, other))  # noqa: PERF401 (numba compiles no generator)
        start = stop
    result = np.empty((len(pairs), 2), dtype=np.int64)
    for i in range(len(pairs)):
        result[i, 0], result[i, 1] = pairs[i]
    return result


@njit(cache=True, nogil=True)
def unit_classes(value, other, moves, unit_offsets, axes, bits, metric, undefined):
    """h2 and h1_at: the sum over units of α for every cut.

    Parameters
    ----------
    value : array of int32, shape (J,)
        The units' own values on the source scale.
    other : array of int64, shape (J,)
        What each is compared with: a level if not `moves` (h2), else a source value that the
        cut transforms too (h1_at); −1 where there is none.
    moves
        Whether `other` is transformed.
    unit_offsets : array of int64, shape (units + 1,)
    axes, metric, undefined
        As in `topic_wide`.
    bits
        Of the fixed point.

    Returns
    -------
    total, defined : arrays of int64, shape `axes`
        Σ of α · 2^bits, and the number of units that count.
    n_units
        The number of units with at least one pair of values.
    """
    d0, d1, d2 = axes[0] + 1, axes[1] + 1, axes[2] + 1
    total = np.zeros((d0, d1, d2), dtype=np.int64)
    defined = np.zeros((d0, d1, d2), dtype=np.int64)
    one = float(1 << bits)
    longest = 0
    for u in range(unit_offsets.shape[0] - 1):
        longest = max(longest, unit_offsets[u + 1] - unit_offsets[u])
    own_rank = np.empty(longest, dtype=np.int64)
    other_rank = np.empty(longest, dtype=np.int64)
    first = np.empty(longest, dtype=np.int64)
    second = np.empty(longest, dtype=np.int64)
    points = np.empty(2 * longest, dtype=np.int64)
    n_units = 0
    for u in range(unit_offsets.shape[0] - 1):
        count = 0
        n_points = 0
        for j in range(unit_offsets[u], unit_offsets[u + 1]):
            if other[j] >= 0:
                own_rank[count] = value[j]
                other_rank[count] = other[j]
                count += 1
                points[n_points] = value[j]
                n_points += 1
                if moves:
                    points[n_points] = other[j]
                    n_points += 1
        if count == 0:
            continue
        n_units += 1
        gaps = np.unique(points[:n_points])
        g = gaps.shape[0]
        for i in range(count):
            own_rank[i] = np.searchsorted(gaps, own_rank[i])
            if moves:
                other_rank[i] = np.searchsorted(gaps, other_rank[i])
        # class a of a threshold: a of the distinct values do not exceed it
        for a in range(g + 1):
            lo1, hi1 = _class_bounds(a, gaps, axes[0])
            if lo1 >= hi1:
                continue
            for b in range(a, g + 1):
                lo2, hi2 = _class_bounds(b, gaps, axes[1])
                if lo2 >= hi2 or (axes[1] > 1 and hi2 - 1 <= lo1):
                    continue
                for c in range(b, g + 1):
                    lo3, hi3 = _class_bounds(c, gaps, axes[2])
                    if lo3 >= hi3 or (axes[2] > 1 and hi3 - 1 <= lo2):
                        continue
                    for i in range(count):
                        r = own_rank[i]
                        first[i] = (r >= a) + (r >= b) + (r >= c)
                        r = other_rank[i]
                        second[i] = (r >= a) + (r >= b) + (r >= c) if moves else r
                    alpha, known = _pair_alpha(first, second, count, metric)
                    alpha, counts = _resolve(alpha, known, undefined)
                    if counts:
                        scaled = np.int64(np.rint(alpha * one))
                        _add_box(total, lo1, hi1, lo2, hi2, lo3, hi3, scaled)
                        _add_box(defined, lo1, hi1, lo2, hi2, lo3, hi3, 1)
    _prefix_sums(total)
    _prefix_sums(defined)
    return (
        total[: axes[0], : axes[1], : axes[2]],
        defined[: axes[0], : axes[1], : axes[2]],
        n_units,
    )


@njit(cache=True, nogil=True, inline="always")
def _class_bounds(index, gaps, axis_length):
    """Positions lo..hi−1 of an axis whose thresholds exceed or equal just `index` of `gaps`."""
    g = gaps.shape[0]
    if axis_length == 1:  # the free, infinite threshold
        return (0, 1) if index == g else (0, 0)
    lo = 0 if index == 0 else gaps[index - 1]
    hi = axis_length if index == g else min(gaps[index], axis_length)
    return lo, hi


@njit(cache=True, nogil=True, inline="always")
def _add_box(grid, lo1, hi1, lo2, hi2, lo3, hi3, amount):
    grid[lo1, lo2, lo3] += amount
    grid[hi1, lo2, lo3] -= amount
    grid[lo1, hi2, lo3] -= amount
    grid[lo1, lo2, hi3] -= amount
    grid[hi1, hi2, lo3] += amount
    grid[hi1, lo2, hi3] += amount
    grid[lo1, hi2, hi3] += amount
    grid[hi1, hi2, hi3] -= amount


@njit(cache=True, nogil=True)
def _prefix_sums(grid):
    """Turn differences into values, in place, along all three axes."""
    n0, n1, n2 = grid.shape
    for i in range(n0):
        for j in range(n1):
            for k in range(1, n2):
                grid[i, j, k] += grid[i, j, k - 1]
        for j in range(1, n1):
            for k in range(n2):
                grid[i, j, k] += grid[i, j - 1, k]
    for i in range(1, n0):
        for j in range(n1):
            for k in range(n2):
                grid[i, j, k] += grid[i - 1, j, k]


# --- h1_ta and d2_ta: votes that change with the cut -----------------------------------------


@njit(cache=True, nogil=True)
def document_transform_first(histograms, reference, axes, how, metric, undefined):
    """d2_ta: α of the votes of transformed values against the reference for every cut.

    Parameters
    ----------
    histograms : array of int64, shape (D, V)
        How often each document got each source value, at least one each.
    reference : array of int64, shape (D,)
        Level of each document, −1 where there is none.
    axes, metric, undefined
        As in `topic_wide`.
    how
        The aggregation's code.

    Returns
    -------
    alpha : array of float64, shape `axes`
    """
    alpha = np.full(axes, np.nan)
    if (reference >= 0).sum() == 0:
        return alpha
    size = histograms.shape[1]
    upto = _cumulative(histograms)
    joint = np.zeros((axes[2], 4, 4), dtype=np.int64)
    for c1 in range(axes[0]):
        t1 = min(_threshold(c1, axes[0]), size - 1)
        for c2 in range(c1 + 1 if axes[1] > 1 else 0, axes[1]):
            t2 = min(_threshold(c2, axes[1]), size - 1)
            from3 = c2 + 1 if axes[2] > 1 else 0
            joint[:] = 0
            for d in range(histograms.shape[0]):
                if reference[d] < 0:
                    continue
                n = upto[d, size - 1]
                n0 = upto[d, t1]
                n1 = upto[d, t2] - n0
                for c3 in range(from3, axes[2]):
                    upper = upto[d, min(_threshold(c3, axes[2]), size - 1)]
                    level = vote(n0, n1, upper - n0 - n1, n - upper, how)
                    joint[c3, level, reference[d]] += 1
            for c3 in range(from3, axes[2]):
                alpha[c1, c2, c3] = _joint_alpha(joint[c3], metric, undefined)
    return alpha


@njit(cache=True, nogil=True)
def _cumulative(histograms):
    upto = histograms.copy()
    for d in range(upto.shape[0]):
        for value in range(1, upto.shape[1]):
            upto[d, value] += upto[d, value - 1]
    return upto


def voters(document, value, worker, histograms):
    """Histograms from which leaving out one own value gives the other workers' values.

    A document's own histogram serves each worker who judged it once.  Where a worker judged it
    more often, each such judgment gets a row of its own that lacks the worker's other values.

    Returns
    -------
    rows : array of int64, shape (J,)
        The row of `table` for each judgment.
    table : array of int64, shape (D + repeats, V)
    """
    rows = document.astype(np.int64)
    pairs = _own_repeats(document, worker)
    extra = []
    for j in np.unique(pairs[:, 0]):
        counts = histograms[document[j]].copy()
        np.subtract.at(counts, value[pairs[pairs[:, 0] == j, 1]], 1)
        rows[j] = len(histograms) + len(extra)
        extra.append(counts)
    table = np.vstack([histograms, *extra]) if extra else histograms
    return rows, table


@njit(cache=True, nogil=True)
def unit_transform_first(value, rows, table, unit_offsets, axes, bits, how, metric, undefined):
    """h1_ta: the sum over units of α between own levels and the others' vote for every cut.

    Parameters
    ----------
    value : array of int32, shape (J,)
        The units' own values.
    rows, table
        See `voters`.
    unit_offsets, axes, bits, metric, undefined
        As in `unit_classes`.
    how
        The aggregation's code.

    Returns
    -------
    total, defined, n_units
        As in `unit_classes`.
    """
    size = table.shape[1]
    upto = _cumulative(table)
    n_units = 0
    longest = 0
    kept = np.empty(value.shape[0], dtype=np.int64)
    kept_offsets = np.zeros(unit_offsets.shape[0], dtype=np.int64)
    n_kept = 0
    for u in range(unit_offsets.shape[0] - 1):
        for j in range(unit_offsets[u], unit_offsets[u + 1]):
            if upto[rows[j], size - 1] > 1:  # somebody else judged it
                kept[n_kept] = j
                n_kept += 1
        kept_offsets[u + 1] = n_kept
        longest = max(longest, kept_offsets[u + 1] - kept_offsets[u])
        n_units += kept_offsets[u + 1] > kept_offsets[u]
    total = np.zeros(axes, dtype=np.int64)
    defined = np.zeros(axes, dtype=np.int64)
    one = float(1 << bits)
    votes = np.empty((table.shape[0], 4, axes[2]), dtype=np.uint8)
    changes = np.empty((table.shape[0], 4, axes[2]), dtype=np.uint8)
    first = np.empty(longest, dtype=np.int64)
    second = np.empty(longest, dtype=np.int64)
    for c1 in range(axes[0]):
        t1 = min(_threshold(c1, axes[0]), size - 1)
        for c2 in range(c1 + 1 if axes[1] > 1 else 0, axes[1]):
            t2 = min(_threshold(c2, axes[1]), size - 1)
            from3 = c2 + 1 if axes[2] > 1 else 0
            _votes_of_others(upto, t1, t2, from3, how, votes, changes)
            for u in range(unit_offsets.shape[0] - 1):
                start = kept_offsets[u]
                count = kept_offsets[u + 1] - start
                c3 = from3 if count > 0 else axes[2]
                while c3 < axes[2]:
                    t3 = _threshold(c3, axes[2])
                    until = axes[2]
                    for i in range(count):
                        j = kept[start + i]
                        own = (value[j] > t1) + (value[j] > t2) + (value[j] > t3)
                        first[i] = own
                        second[i] = votes[rows[j], own, c3]
                        until = min(until, changes[rows[j], own, c3])
                        if own == 3:
                            until = min(until, value[j])
                    alpha, known = _pair_alpha(first, second, count, metric)
                    alpha, counts = _resolve(alpha, known, undefined)
                    if counts:
                        scaled = np.int64(np.rint(alpha * one))
                        total[c1, c2, c3] += scaled
                        defined[c1, c2, c3] += 1
                        if until < axes[2]:
                            total[c1, c2, until] -= scaled
                            defined[c1, c2, until] -= 1
                    c3 = until
            for c3 in range(from3 + 1, axes[2]):
                total[c1, c2, c3] += total[c1, c2, c3 - 1]
                defined[c1, c2, c3] += defined[c1, c2, c3 - 1]
    return total, defined, n_units


@njit(cache=True, nogil=True)
def _votes_of_others(upto, t1, t2, from3, how, votes, changes):
    """The vote without one own level, and the next c3 where it changes, for given c1 and c2.

    Parameters
    ----------
    upto : array of int64, shape (rows, V)
        Cumulative counts of each row's values.
    t1, t2
        The first two thresholds.
    from3
        The first position of the third.
    how
        The aggregation's code.
    votes, changes : arrays of uint8, shape (rows, 4, axes[2])
        Filled from `from3` on; the second axis is the own level that is left out, which
        matters only where somebody has it.
    """
    size = upto.shape[1]
    length = votes.shape[2]
    for row in range(upto.shape[0]):
        n = upto[row, size - 1]
        if n < 2:
            continue
        n0 = upto[row, t1]
        n1 = upto[row, t2] - n0
        for own in range(4):
            others0 = n0 - (own == 0)
            others1 = n1 - (own == 1)
            until = length
            for c3 in range(length - 1, from3 - 1, -1):
                upper = upto[row, min(_threshold(c3, length), size - 1)]
                others2 = upper - n0 - n1 - (own == 2)
                votes[row, own, c3] = vote(others0, others1, others2, n - upper - (own == 3), how)
                if c3 + 1 < length and votes[row, own, c3 + 1] != votes[row, own, c3]:
                    until = c3 + 1
                changes[row, own, c3] = until
