"""The sum over units of α for every cut: h2, h1_at and h1_ta.

A unit compares a worker's levels with other levels, document by document.  Its α depends only
on how many documents have which pair of levels, so two integers that hold those ten counts (the
*state*) name it, and a small table remembers the α of states: when a threshold moves on, the
state changes by what its documents change by, and α is most often looked up.

classes
    Where what the worker is compared with is cut as a value (h1_at; h1_ta by medians) or not at
    all (h2), a unit with g distinct values has C(g + 3, 3) classes of cuts, each a box in the
    grid of cuts.  Boxes are added by their differences, and one prefix sum over the grid adds up
    all units.
votes
    A majority or mean of levels depends on all three thresholds.  For given first and second
    thresholds, values of the others only move from level 3 to level 2 as the third rises, so
    the vote changes at most twice, where a known number of values has moved: at an order
    statistic.  A unit's line of cuts is made anew only where one of its votes or own levels
    changes.

A unit's α is rounded to a multiple of 2^-bits and summed as an integer, so that the sum is
exact whatever the order of units; the rounding is below the last bit of the mean.
"""

from __future__ import annotations

import numpy as np

from regrade.aggregation import MEDIAN, MEDIAN_HIGH
from regrade.agreement import NOMINAL, expected_disagreement, level_scores
from regrade.compiled import njit
from regrade.cutsearch.kernels import lines_of_cuts
from regrade.cutsearch.votes import cumulative, ordered_values, vote_changes
from regrade.errors import MethodError

MAX_UNIT = (1 << 12) - 1
"""Documents of one unit: a state has twelve bits for each of ten counts."""

SLOTS = 1 << 14
"""States whose α is remembered; the table (384 kB) stays in a core's own cache."""

NOT_COUNTED = np.iinfo(np.int64).min
"""Stands for an undefined α."""


def fixed_point_bits(n_units: int) -> int:
    """Bits after the point such that `n_units` values in −1 … 1 cannot overflow int64."""
    return 61 - max(1, n_units).bit_length()


def check_lengths(unit_offsets: np.ndarray) -> None:
    """Refuse a unit of more documents than a state can count, with `MethodError`."""
    longest = int(np.diff(unit_offsets).max(initial=0))
    if longest > MAX_UNIT:
        raise MethodError(
            f"a unit holds {longest} judgments, and at most {MAX_UNIT} can be compared: a "
            "unit is one HIT, the documents that one worker judged together"
        )


# --- α of a state ----------------------------------------------------------------------------


def _pair_weights() -> np.ndarray:
    """What a document with levels a and b adds to the two halves of a state; (16, 2) by 4a + b."""
    weights = np.zeros((16, 2), dtype=np.int64)
    pairs = [(a, b) for a in range(4) for b in range(a, 4)]
    for i, (a, b) in enumerate(pairs):
        weights[4 * a + b, i // 5] = weights[4 * b + a, i // 5] = 1 << 12 * (i % 5)
    return weights


PAIR = _pair_weights()


@njit(cache=True, nogil=True, inline="always")
def _alpha_of_state(low, high, metric):
    """α of two coders from the counts of their ten unordered pairs of levels; and if defined.

    With both orders of each pair, the coincidences' factor two cancels against the expected
    disagreement's.
    """
    p00, p01, p02 = low & MAX_UNIT, (low >> 12) & MAX_UNIT, (low >> 24) & MAX_UNIT
    p03, p11 = (low >> 36) & MAX_UNIT, low >> 48
    p12, p13, p22 = high & MAX_UNIT, (high >> 12) & MAX_UNIT, (high >> 24) & MAX_UNIT
    p23, p33 = (high >> 36) & MAX_UNIT, high >> 48
    n0 = 2 * p00 + p01 + p02 + p03
    n1 = 2 * p11 + p01 + p12 + p13
    n2 = 2 * p22 + p02 + p12 + p23
    n3 = 2 * p33 + p03 + p13 + p23
    counts = n0, n1, n2, n3
    scores = level_scores(counts, metric)
    s0, s1, s2, s3 = scores
    expected = expected_disagreement(counts, scores, metric)
    if expected == 0:
        return 0.0, False
    if metric == NOMINAL:
        observed = p01 + p02 + p03 + p12 + p13 + p23
    else:
        observed = p01 * (s0 - s1) ** 2 + p02 * (s0 - s2) ** 2 + p03 * (s0 - s3) ** 2
        observed += p12 * (s1 - s2) ** 2 + p13 * (s1 - s3) ** 2 + p23 * (s2 - s3) ** 2
    return 1.0 - (n0 + n1 + n2 + n3 - 1) * observed / expected, True


@njit(cache=False, nogil=True)
def _remember(low, high, memo, slot):
    """Put α of a state, as fixed point, into its slot of the table, and return it."""
    states, one, metric = memo
    alpha, defined = _alpha_of_state(low, high, metric)
    scaled = np.int64(np.rint(alpha * one)) if defined else np.int64(NOT_COUNTED)
    states[slot, 0] = low
    states[slot, 1] = high
    states[slot, 2] = scaled
    return scaled


@njit(cache=True, nogil=True, inline="always")
def _scaled_alpha(low, high, memo):
    """α of a state as fixed point, or `NOT_COUNTED`."""
    states = memo[0]
    mixed = low * 0x9E3779B97F4A7C1 + high * 0x2545F4914F6CDD1D
    slot = (mixed >> 40) & (SLOTS - 1)
    if states[slot, 0] == low and states[slot, 1] == high:
        return states[slot, 2]
    return _remember(int(low), int(high), memo, slot)  # no literals


@njit(cache=False, nogil=True)
def _empty_memo(bits, metric):
    """The table of states, what 1 is as fixed point, and the metric."""
    states = np.zeros((SLOTS, 3), dtype=np.int64)
    states[:, 0] = -1  # no state
    return states, float(1 << bits), metric


# --- classes of cuts: h2, h1_at, and h1_ta by medians ---------------------------------------


@njit(cache=True, nogil=True)
def unit_classes(value, others, unit_offsets, size, levels, bits, metric):
    """The sum over units of α between own levels and others that are cut as values, or fixed."""
    low, high, moves = others
    end = size - 1
    axes = (end if levels == 4 else 0, end if levels > 2 else 0, end)
    lines = lines_of_cuts(size, levels)
    grid = _first_cells(lines, axes), axes
    total = np.zeros(lines[-1, 3], dtype=np.int64)
    defined = np.zeros(lines[-1, 3], dtype=np.int32)
    memo = _empty_memo(bits, metric)
    n_units = 0
    for u in range(unit_offsets.shape[0] - 1):
        compared = np.empty(unit_offsets[u + 1] - unit_offsets[u], dtype=np.int64)
        count = 0
        for row in range(unit_offsets[u], unit_offsets[u + 1]):
            if low[row] >= 0:
                compared[count] = row
                count += 1
        if count == 0:
            continue
        n_units += 1
        gaps, places = _places(value, low, high, moves, compared[:count])
        _add_unit(total, defined, grid, gaps, places, moves, memo)
    _prefix_sums(total, grid)
    _prefix_sums(defined, grid)
    return total, defined, n_units


@njit(cache=False, nogil=True)
def _places(own, low, high, moves, rows):
    """The distinct values of some rows that thresholds can pass, and the place of each there."""
    highest = 0
    for row in rows:
        highest = max(highest, own[row])
        if moves:
            highest = max(highest, low[row], high[row])
    passed = np.zeros(highest + 1, dtype=np.bool_)
    for row in rows:
        passed[own[row]] = True
        if moves:
            passed[low[row]] = True
            passed[high[row]] = True
    gaps = np.empty(highest + 1, dtype=np.int64)
    n_gaps = 0
    for value in range(highest + 1):
        if passed[value]:
            gaps[n_gaps] = value
            n_gaps += 1
    gaps = gaps[:n_gaps]
    places = np.empty((rows.shape[0], 3), dtype=np.int64)
    for d in range(rows.shape[0]):
        row = rows[d]
        places[d, 0] = _place(gaps, np.int64(own[row]))
        places[d, 1] = _place(gaps, low[row]) if moves else low[row]
        places[d, 2] = _place(gaps, high[row]) if moves else high[row]
    return gaps, places


@njit(cache=False, nogil=True)
def _place(gaps, value):
    """How many of some ascending values are lower than one."""
    low, high = 0, gaps.shape[0]
    while low < high:
        middle = (low + high) // 2
        if gaps[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True, inline="always")
def _passed_at(places, g, moves):
    """Which documents change when a threshold passes the i-th distinct value."""
    columns = 3 if moves else 1
    offsets = np.zeros(g + 1, dtype=np.int64)
    documents = np.empty(columns * places.shape[0], dtype=np.int64)
    filled = 0
    for i in range(g):
        for d in range(places.shape[0]):
            if places[d, 0] == i or (moves and (places[d, 1] == i or places[d, 2] == i)):
                documents[filled] = d
                filled += 1
        offsets[i + 1] = filled
    return offsets, documents


@njit(cache=True, nogil=True, inline="always")
def _level(place, a, b, c):
    return int(place >= a) + int(place >= b) + int(place >= c)


@njit(cache=True, nogil=True, inline="always")
def _pair_at(places, d, a, b, c, moves):
    """The document's pair of levels, 4 · own + other, for thresholds in classes a, b and c."""
    own = _level(places[d, 0], a, b, c)
    if not moves:
        return 4 * own + places[d, 1]
    return 4 * own + (_level(places[d, 1], a, b, c) + _level(places[d, 2], a, b, c)) // 2


@njit(cache=False, nogil=True)
def _add_unit(total, defined, grid, gaps, places, moves, memo):
    """Add the differences of one unit's boxes: α once for each class of cuts.

    A threshold is of class a where a of the distinct values do not exceed it.
    """
    g, axes = gaps.shape[0], grid[1]
    offsets, documents = _passed_at(places, g, moves)
    for a in range(g + 1 if axes[0] > 0 else 1):
        lo1, hi1 = _class_bounds(a, gaps, axes[0])
        if lo1 >= hi1:
            continue
        for b in range(a, g + 1 if axes[1] > 0 else 1):
            lo2, hi2 = _class_bounds(b, gaps, axes[1])
            if lo2 >= hi2 or (axes[1] > 0 and hi2 - 1 <= lo1 and axes[0] > 0):
                continue
            low = high = 0
            for d in range(places.shape[0]):
                pair = _pair_at(places, d, a, b, b, moves)
                low += PAIR[pair, 0]
                high += PAIR[pair, 1]
            before, counted_before = 0, 0
            start, stop = (lo1, lo2), (hi1, hi2)
            for c in range(b, g + 1):
                if c > b:
                    for i in range(offsets[c - 1], offsets[c]):
                        old = _pair_at(places, documents[i], a, b, c - 1, moves)
                        new = _pair_at(places, documents[i], a, b, c, moves)
                        low += PAIR[new, 0] - PAIR[old, 0]
                        high += PAIR[new, 1] - PAIR[old, 1]
                lo3, hi3 = _class_bounds(c, gaps, axes[2])
                if lo3 >= hi3:
                    continue
                scaled = _scaled_alpha(low, high, memo)
                counted = 0 if scaled == NOT_COUNTED else 1
                scaled = scaled if counted else 0
                if scaled != before:
                    change = scaled - before
                    _add_corners(total, grid, start, stop, lo3, change)
                if counted != counted_before:
                    change = counted - counted_before
                    _add_corners(defined, grid, start, stop, lo3, change)
                before, counted_before = scaled, counted


@njit(cache=True, nogil=True, inline="always")
def _class_bounds(index, gaps, axis):
    """Positions lo..hi−1 of an axis whose thresholds exceed or equal just `index` of `gaps`."""
    if axis == 0:  # no threshold on this axis
        return 0, 1
    lo = 0 if index == 0 else gaps[index - 1]
    hi = axis if index == gaps.shape[0] else min(gaps[index], axis)
    return lo, hi


@njit(cache=True, nogil=True, inline="always")
def _first_cells(lines, axes):
    """Where the line of cuts (t1, t2, ·) would start had it a cut with third threshold 0."""
    first = np.zeros((max(axes[0], 1), max(axes[1], 1)), dtype=np.int64)
    for i in range(lines.shape[0]):
        t1, t2, start, _ = lines[i]
        first[max(t1, 0), max(t2, 0)] = start - (t2 + 1)
    return first


@njit(cache=True, nogil=True, inline="always")
def _add_corners(cells, grid, start, stop, k, amount):
    """The differences of a box of two axes that reaches from `k` to the end of the last one."""
    _add_corner(cells, grid, start[0], start[1], k, amount)
    _add_corner(cells, grid, stop[0], start[1], k, -amount)
    _add_corner(cells, grid, start[0], stop[1], k, -amount)
    _add_corner(cells, grid, stop[0], stop[1], k, amount)


@njit(cache=False, nogil=True)
def _add_corner(cells, grid, i, j, k, amount):
    """What counts from a corner (i, j, k) on, where thresholds ascend: from the first cut there."""
    first, axes = grid
    j = max(j, i + 1) if axes[0] > 0 else j
    k = max(k, j + 1) if axes[1] > 0 else k
    if i < first.shape[0] and j < first.shape[1] and k < axes[2]:
        cells[first[i, j] + k] += amount


@njit(cache=False, nogil=True)
def _prefix_sums(cells, grid):
    """Turn differences into values, in place, along all three axes, where thresholds ascend."""
    first, axes = grid
    n0, n1 = first.shape
    end = axes[2]
    for i in range(n0):
        for j in range(i + 1 if axes[0] > 0 else 0, n1):
            row = first[i, j]
            start = j + 1 if axes[1] > 0 else 0
            for k in range(start + 1, end):
                cells[row + k] += cells[row + k - 1]
            if j > (i + 1 if axes[0] > 0 else 0):
                before = first[i, j - 1]
                for k in range(start, end):
                    cells[row + k] += cells[before + k]
        if i > 0:
            for j in range(i + 1, n1):
                row, before = first[i, j], first[i - 1, j]
                for k in range(j + 1, end):
                    cells[row + k] += cells[before + k]


# --- the others ------------------------------------------------------------------------------


def others_middle(value, rows, table):
    """The two middle values of the others (equal for an odd number of them), −1 where none."""
    ordered, offsets = ordered_values(table)
    others = np.diff(offsets)[rows] - 2  # a row ends with a sentinel, and one value is the own
    own = np.cumsum(table, axis=1)[rows, value] - 1

    def nth(place):
        place = np.maximum(place, 0)
        middle = ordered[offsets[rows] + place + (place >= own)]
        return np.where(others > 0, middle, -1).astype(np.int64)

    return nth((others - 1) // 2), nth(others // 2)


def middle_of_vote(low, high, how):
    """Which of the two middle values tell a vote: it is the mean of their levels, rounded down."""
    if how == MEDIAN_HIGH:
        return high, high
    return low, high if how == MEDIAN else low


# --- votes that change with the cut: h1_ta by majority or mean ------------------------------


@njit(cache=True, nogil=True)
def unit_votes(value, rows, table, unit_offsets, levels, bits, how, metric):
    """The sum over units of α between own levels and the vote of the others' levels."""
    size = table.shape[1]
    ordered, offsets = ordered_values(table)
    upto = cumulative(table)
    others = upto, ordered, offsets
    value, rows, unit_offsets = _judged_by_others(value, rows, upto, unit_offsets)
    n_units = unit_offsets.shape[0] - 1
    lines = lines_of_cuts(size, levels)
    total = np.empty(lines[-1, 3], dtype=np.int64)
    defined = np.empty(lines[-1, 3], dtype=np.int32)
    votes = np.empty((table.shape[0], 3, 7), dtype=np.int32)
    changed = np.empty((table.shape[0], 3), dtype=np.bool_)
    # each unit's steps along its line: position, change of Σα, change of the number
    steps = np.empty((3 * value.shape[0] + n_units, 3), dtype=np.int64)
    n_steps = np.zeros(n_units, dtype=np.int64)
    line = np.zeros((size, 2), dtype=np.int64)
    state = np.zeros((size, 2), dtype=np.int64)
    marked = np.zeros((size >> 6) + 1, dtype=np.int64)
    memo = _empty_memo(bits, metric)
    for i in range(lines.shape[0]):
        t1, t2, start, stop = lines[i]
        fresh = i == 0 or lines[i - 1, 0] != t1
        if fresh:
            line[:] = 0
            n_steps[:] = 0
        _update_votes(others, t1, t2, fresh, how, votes, changed)
        for u in range(n_units):
            first, last = unit_offsets[u], unit_offsets[u + 1]
            if not fresh and not _is_changed(value, rows, first, last, t1, t2, changed):
                continue
            of_unit = steps[3 * first + u :]
            _add_steps(line, of_unit, n_steps[u], -1)
            low, high = _mark_changes(
                value[first:last], rows[first:last], t1, t2, votes, state, marked
            )
            n_steps[u] = _walk(low, high, t2 + 1, state, marked, of_unit, memo)
            _add_steps(line, of_unit, n_steps[u], 1)
        _sum_line(line, t2 + 1, total[start:stop], defined[start:stop])
    return total, defined, n_units


@njit(cache=True, nogil=True, inline="always")
def _judged_by_others(value, rows, upto, unit_offsets):
    """The judgments whose document somebody else judged too, and the units that have any."""
    kept = np.empty(value.shape[0], dtype=np.int64)
    offsets = np.zeros(unit_offsets.shape[0], dtype=np.int64)
    n_kept = n_units = 0
    for u in range(unit_offsets.shape[0] - 1):
        for j in range(unit_offsets[u], unit_offsets[u + 1]):
            if upto[rows[j], -1] > 1:
                kept[n_kept] = j
                n_kept += 1
        if n_kept > offsets[n_units]:
            n_units += 1
            offsets[n_units] = n_kept
    return value[kept[:n_kept]], rows[kept[:n_kept]], offsets[: n_units + 1]


@njit(cache=False, nogil=True)
def _update_votes(others, t1, t2, fresh, how, votes, changed):
    """The others' votes along the line of cuts (t1, t2, ·), and which of them are new."""
    upto, ordered, offsets = others
    for row in range(upto.shape[0]):
        below2 = upto[row, t2] if t2 >= 0 else 0
        if not fresh and below2 == (upto[row, t2 - 1] if t2 > 0 else 0):
            changed[row, :] = False  # nobody gave the value that the threshold has passed
            continue
        below1 = upto[row, t1] if t1 >= 0 else 0
        total = upto[row, -1] - 1
        for own in range(3):
            n0 = below1 - (own == 0)
            below = below2 - (own < 2)
            if n0 < 0 or below < n0 or total < max(below, 1):
                changed[row, own] = False  # nobody has this level, or there are no others
                continue
            first, middle, last, k1, k2 = vote_changes(n0, below - n0, total, how)
            values = ordered[offsets[row] : offsets[row + 1]]
            here = votes[row, own]
            if k1 <= below:
                first = middle
            if k2 <= below:
                first = middle = last
            x1, y1 = _reached(values, k1, below, own)
            x2, y2 = _reached(values, k2, below, own)
            _forget_past(here, t2)
            changed[row, own] = _replace(here, first, middle, last, x1, y1, x2, y2)


@njit(cache=True, nogil=True, inline="always")
def _reached(values, k, below, own):
    """Third thresholds from which on k of the others' values do not exceed it.

    For an own value above the first of them, and for one that is not; −1 where the second
    threshold is enough.
    """
    if k <= below:
        return -1, -1
    if own < 2:  # the own value comes before the k-th of the others
        return values[k], values[k]
    return values[k - 1], values[k]


@njit(cache=True, nogil=True, inline="always")
def _forget_past(votes, t2):
    """Say of changes that lie before the line's beginning that they have happened."""
    if votes[3] <= t2:
        votes[0] = votes[1]
        votes[3] = votes[4] = -1
    if votes[5] <= t2:
        votes[0] = votes[1] = votes[2]
        votes[5] = votes[6] = -1


@njit(cache=True, nogil=True, inline="always")
def _replace(votes, first, middle, last, x1, y1, x2, y2):
    """Write the new votes, and say whether they differ."""
    same = votes[0] == first and votes[1] == middle and votes[2] == last
    same = same and votes[3] == x1 and votes[4] == y1 and votes[5] == x2 and votes[6] == y2
    votes[0], votes[1], votes[2] = first, middle, last
    votes[3], votes[4], votes[5], votes[6] = x1, y1, x2, y2
    return not same


@njit(cache=True, nogil=True, inline="always")
def _is_changed(value, rows, first, last, t1, t2, changed):
    """Whether a unit's line differs from the one of the second threshold before."""
    for j in range(first, last):
        if value[j] == t2 or changed[rows[j], int(value[j] > t1) + int(value[j] > t2)]:
            return True
    return False


@njit(cache=False, nogil=True)
def _mark_changes(value, rows, t1, t2, votes, state, marked):
    """The state of a unit where its line of cuts begins, and where and how it changes."""
    begin, end = t2 + 1, state.shape[0] - 1
    low = high = np.int64(0)
    for j in range(value.shape[0]):
        v = value[j]
        own = int(v > t1) + int(v > t2)
        vote = votes[rows[j], own]
        first, middle, last = vote[0], vote[1], vote[2]
        p1 = vote[4] if v <= vote[3] else vote[3]
        p2 = vote[6] if v <= vote[5] else vote[5]
        at_begin = last if p2 <= begin else middle if p1 <= begin else first
        upper = own == 2
        pair = 4 * (own + (upper and v > begin)) + at_begin
        low += PAIR[pair, 0]
        high += PAIR[pair, 1]
        if begin < p1 < end and first != middle:
            level = own + (upper and v >= p1)
            _mark(state, marked, p1, 4 * level + first, 4 * level + middle)
        if begin < p2 < end and middle != last:
            level = own + (upper and v >= p2)
            _mark(state, marked, p2, 4 * level + middle, 4 * level + last)
        if upper and begin < v < end:  # after the votes that change here
            now = last if p2 <= v else middle if p1 <= v else first
            _mark(state, marked, v, 12 + now, 8 + now)
    return low, high


@njit(cache=True, nogil=True, inline="always")
def _mark(state, marked, position, old, new):
    state[position, 0] += PAIR[new, 0] - PAIR[old, 0]
    state[position, 1] += PAIR[new, 1] - PAIR[old, 1]
    marked[position >> 6] |= np.int64(1) << (position & 63)


@njit(cache=False, nogil=True)
def _walk(low, high, begin, state, marked, steps, memo):
    """α of a unit along its line, as steps; leaves `state` and `marked` as zeros."""
    scaled = _scaled_alpha(low, high, memo)
    counted = scaled != NOT_COUNTED
    n = 0
    if counted:
        steps[0, 0], steps[0, 1], steps[0, 2] = begin, scaled, 1
        n = 1
    before, counted_before = scaled if counted else 0, counted
    for word in range(begin >> 6, marked.shape[0]):
        left = marked[word]
        marked[word] = 0
        while left != 0:
            position = (word << 6) + BIT_OF[((left & -left) * DE_BRUIJN >> 58) & 63]
            left &= left - 1
            low += state[position, 0]
            high += state[position, 1]
            state[position, 0] = state[position, 1] = 0
            scaled = _scaled_alpha(low, high, memo)
            counted = scaled != NOT_COUNTED
            scaled = scaled if counted else 0
            if scaled != before or counted != counted_before:
                steps[n, 0] = position
                steps[n, 1] = scaled - before
                steps[n, 2] = np.int64(counted) - np.int64(counted_before)
                n += 1
            before, counted_before = scaled, counted
    return n


DE_BRUIJN = 0x03F79D71B4CB0A89
"""Multiplied by a power of two, its upper six bits are different for each power."""

BIT_OF = np.empty(64, dtype=np.int64)
BIT_OF[[(DE_BRUIJN << bit & (1 << 64) - 1) >> 58 for bit in range(64)]] = np.arange(64)


@njit(cache=True, nogil=True, inline="always")
def _add_steps(line, steps, n, sign):
    for s in range(n):
        line[steps[s, 0], 0] += sign * steps[s, 1]
        line[steps[s, 0], 1] += sign * steps[s, 2]


@njit(cache=True, nogil=True, inline="always")
def _sum_line(line, begin, total, defined):
    """Turn the steps of all units into the values from `begin` on."""
    summed = counted = np.int64(0)
    for position in range(begin):
        summed += line[position, 0]
        counted += line[position, 1]
    for i in range(total.shape[0]):
        summed += line[begin + i, 0]
        counted += line[begin + i, 1]
        total[i] = summed
        defined[i] = counted
