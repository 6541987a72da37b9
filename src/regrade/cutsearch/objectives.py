"""How good labels are beside a reference's, from how often each pair of levels occurs.

han2019 chooses cuts by Krippendorff's α and leaves other criteria to future work (§5).  Here each
criterion is a function of the joint counts of one topic, N documents with level a = 0 … k − 1 under
a cut and level b of the reference, J_ab of them.  Marginals are n_a = Σ_b J_ab and m_b = Σ_a J_ab.
All criteria are the higher the better, and NaN where they are 0/0: undefined stays undefined.

The counts of every cut are differences of the cumulative counts of value × reference level, so
that all criteria of a cut cost a few look-ups and some sums over k² cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan, sqrt

import numpy as np

from regrade.choices import CUT_CRITERIA
from regrade.compiled import njit
from regrade.errors import check_choice

CODES = {name: code for code, name in enumerate(CUT_CRITERIA)}
(
    ALPHA_NOMINAL,
    ALPHA_ORDINAL,
    ALPHA_INTERVAL,
    KAPPA,
    KAPPA_LINEAR,
    KAPPA_QUADRATIC,
    ACCURACY,
    F1_MACRO,
    F1_TOP,
    SPEARMAN,
    GAMMA,
    PREVALENCE,
) = range(len(CUT_CRITERIA))


def criterion_codes(names: Sequence[str]) -> np.ndarray:
    """The codes by which kernels know criteria; `ParameterError` for an unknown name."""
    for name in names:
        check_choice("criterion", name, tuple(CUT_CRITERIA))
    return np.array([CODES[name] for name in names], dtype=np.int64)


def measured(joint: np.ndarray, names: Sequence[str] = tuple(CUT_CRITERIA)) -> dict[str, float]:
    """Criteria of one matrix of joint counts.

    Examples
    --------
    >>> found = measured(np.array([[40, 10], [5, 45]]))
    >>> round(found["kappa"], 3), found["accuracy"], found["prevalence"]
    (0.7, 0.85, 0.95)
    """
    joint = np.ascontiguousarray(joint, dtype=np.int64)
    sides = joint.sum(axis=1), joint.sum(axis=0)
    codes = criterion_codes(names)
    return {name: criterion(joint, *sides, code) for name, code in zip(names, codes, strict=True)}


# --- one criterion of one matrix -----------------------------------------------------------------


@njit(cache=True, nogil=True)
def criterion(joint, own, theirs, code):
    """A criterion, by its code, of joint counts J (k, k) and their marginals n, m; all int64."""
    total = own.sum()
    if total == 0:
        return nan
    if code == ALPHA_NOMINAL:
        return alpha_nominal(joint, own, theirs, total)
    if code == ALPHA_ORDINAL:
        return alpha_ordinal(joint, own, theirs, total)
    if code == ALPHA_INTERVAL:
        return alpha_interval(joint)
    if code in (KAPPA, KAPPA_LINEAR, KAPPA_QUADRATIC):
        return kappa(joint, own, theirs, total, code)
    if code == ACCURACY:
        return accuracy(joint, total)
    if code == F1_MACRO:
        return f1_macro(joint, own, theirs, total)
    if code == F1_TOP:
        return f1_top(joint, own, theirs, total)
    if code == SPEARMAN:
        return spearman(joint, own, theirs, total)
    if code == GAMMA:
        return gamma(joint)
    return prevalence(joint, own, theirs, total)


@njit(cache=True, nogil=True, inline="always")
def alpha_nominal(joint, own, theirs, total):
    """Nominal α of two coders: 1 − (n − 1) Σ_{a≠b} J_ab / Σ_{a<b} n_a n_b, pooled counts."""
    n, disagreeing, squares = 2.0 * total, float(total), 0.0
    for a in range(joint.shape[0]):
        disagreeing -= joint[a, a]
        squares += float(own[a] + theirs[a]) ** 2
    expected = (n * n - squares) / 2
    return 1 - (n - 1) * disagreeing / expected if expected > 0 else nan


@njit(cache=True, nogil=True, inline="always")
def alpha_ordinal(joint, own, theirs, total):
    """Ordinal α: interval α of the mid-ranks of the pooled levels (`regrade.agreement`)."""
    n, first, second, apart, below = 2.0 * total, 0.0, 0.0, 0.0, 0
    for a in range(joint.shape[0]):
        both = own[a] + theirs[a]
        x = float(2 * below + both)
        first += both * x
        second += both * x * x
        below += both
        lower = 0
        for b in range(joint.shape[0]):
            both = own[b] + theirs[b]
            gap = x - (2 * lower + both)
            apart += joint[a, b] * gap * gap
            lower += both
    expected = n * second - first * first
    return 1 - (n - 1) * apart / expected if expected > 0 else nan


@njit(cache=True, nogil=True, inline="always")
def alpha_interval(joint):
    """Interval α of two coders."""
    n, first, second, apart = 0.0, 0.0, 0.0, 0.0
    for a in range(joint.shape[0]):
        for b in range(joint.shape[1]):
            count, x, y = float(joint[a, b]), float(a), float(b)
            n += 2 * count
            first += count * (x + y)
            second += count * (x * x + y * y)
            apart += count * (x - y) * (x - y)
    # whole numbers: where all values are equal both products are the same
    expected = n * second - first * first
    return 1 - (n - 1) * apart / expected if expected > 0 else nan


@njit(cache=True, nogil=True, inline="always")
def kappa(joint, own, theirs, total, code):
    """Cohen's κ: 1 − N Σ w_ab J_ab / Σ w_ab n_a m_b, the weights w of a disagreement."""
    size, observed, expected = joint.shape[0], 0.0, 0.0
    for a in range(size):
        for b in range(size):
            weight = abs(a - b)
            if code == KAPPA:
                weight = min(weight, 1)
            elif code == KAPPA_QUADRATIC:
                weight *= weight
            observed += weight * joint[a, b]
            expected += weight * float(own[a]) * float(theirs[b])
    return 1 - total * observed / expected if expected > 0 else nan


@njit(cache=True, nogil=True, inline="always")
def accuracy(joint, total):
    """The share of documents that have the reference's level."""
    same = 0
    for a in range(joint.shape[0]):
        same += joint[a, a]
    return same / total


@njit(cache=True, nogil=True, inline="always")
def f1_macro(joint, own, theirs, total):
    """Mean over levels of 2 J_aa / (n_a + m_a); a level that neither side has does not count."""
    mean, known = 0.0, 0
    for a in range(joint.shape[0]):
        both = own[a] + theirs[a]
        if both > 0:
            mean += 2 * joint[a, a] / both
            known += 1
    return mean / known


@njit(cache=True, nogil=True, inline="always")
def f1_top(joint, own, theirs, total):
    """F1 of the levels from ⌊k / 2⌋ on: 1 of two, 1 and 2 of three, 2 and 3 of four."""
    same, both = 0, 0
    for a in range(joint.shape[0] // 2, joint.shape[0]):
        both += own[a] + theirs[a]
        for b in range(joint.shape[0] // 2, joint.shape[0]):
            same += joint[a, b]
    return 2 * same / both if both > 0 else nan


@njit(cache=True, nogil=True, inline="always")
def spearman(joint, own, theirs, total):
    """Spearman's ρ with ties: Pearson's r of the mid-ranks, which are taken twice, less N."""
    together, variance, variance_of_theirs, below = 0.0, 0.0, 0.0, 0
    for a in range(joint.shape[0]):
        x = float(2 * below + own[a] - total)
        variance += own[a] * x * x
        below += own[a]
        below_theirs = 0
        for b in range(joint.shape[0]):
            y = float(2 * below_theirs + theirs[b] - total)
            together += joint[a, b] * x * y
            variance_of_theirs += joint[a, b] * y * y
            below_theirs += theirs[b]
    if variance == 0 or variance_of_theirs == 0:
        return nan
    return together / sqrt(variance * variance_of_theirs)


@njit(cache=True, nogil=True, inline="always")
def gamma(joint):
    """Goodman and Kruskal's γ: (C − D) / (C + D) of concordant and discordant pairs."""
    size, concordant, discordant = joint.shape[0], 0.0, 0.0
    above = np.zeros(size)
    for a in range(size - 1, -1, -1):
        higher = above.sum()
        lower = 0.0
        for b in range(size):
            higher -= above[b]
            concordant += joint[a, b] * higher
            discordant += joint[a, b] * lower
            lower += above[b]
        for b in range(size):
            above[b] += joint[a, b]
    pairs = concordant + discordant
    return (concordant - discordant) / pairs if pairs > 0 else nan


@njit(cache=True, nogil=True, inline="always")
def prevalence(joint, own, theirs, total):
    """1 − ½ Σ |n_a − m_a| / N: the share of documents that level shares have in common."""
    apart = 0
    for a in range(joint.shape[0]):
        apart += abs(own[a] - theirs[a])
    return 1 - apart / (2 * total)


# --- criteria of many cuts -----------------------------------------------------------------------


@njit(cache=True, nogil=True)
def of_cuts(places, below, codes):
    """Criteria of cuts of one topic."""
    values = np.empty((codes.shape[0], places.shape[0]))
    size = below.shape[1]
    joint = np.zeros((size, size), dtype=np.int64)
    own = np.zeros(size, dtype=np.int64)
    theirs = below[-1] - below[0]
    # thresholds that no document lies between make the same levels: their criteria are found once
    same = np.zeros(below.shape[0], dtype=np.int64)
    for i in range(1, below.shape[0]):
        same[i] = same[i - 1] + (below[i] != below[i - 1]).any()
    n_same = same[-1] + 1
    few = float(n_same) ** places.shape[1] <= 8 * places.shape[0]
    known = np.full(n_same ** places.shape[1] if few else 1, -1, dtype=np.int64)
    for i in range(places.shape[0]):
        key = 0
        for j in range(places.shape[1] if few else 0):
            key = key * n_same + same[places[i, j] + 1]
        if known[key] >= 0:
            for w in range(codes.shape[0]):
                values[w, i] = values[w, known[key]]
            continue
        if few:
            known[key] = i
        fill_joint(places[i], below, joint, own)
        for w in range(codes.shape[0]):
            values[w, i] = criterion(joint, own, theirs, codes[w])
    return values


@njit(cache=True, nogil=True, inline="always")
def fill_joint(cut, below, joint, own):
    """Put the joint counts under one cut into `joint` (k, r), the levels' into `own` (k,)."""
    start = 0
    for a in range(joint.shape[0]):
        end = cut[a] + 1 if a < cut.shape[0] else below.shape[0] - 1
        own[a] = 0
        for b in range(joint.shape[1]):
            joint[a, b] = below[end, b] - below[start, b]
            own[a] += joint[a, b]
        start = end
