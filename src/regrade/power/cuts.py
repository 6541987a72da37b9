"""The cut that keeps the most discrimination: PDP as an objective of the search of cuts.

A cut makes levels of a set's values; its PDP is that of the set on these levels, under the same
tests of preference (`regrade.power.topics`).  Two steps make every cut of a search affordable:

1. *Pairwise entropy*, of every cut.  The mean over pairs of documents of the entropy of which of
   the two is preferred, − p log p − q log q with p = p(level > level), log 2 for documents of one
   level.  It is a sum over pairs of levels: wins, tests and pairs of documents by value are counted
   once, and two-dimensional prefix sums give those of any two levels, so that a cut costs k² sums
   whatever the topics and documents.
2. *PDP*, of those cuts alone that have the least pairwise entropy, as many as are asked for: of all
   cuts, if they are not more.

Step 1 only decides what step 2 looks at.  Pairwise entropy is not monotone in PDP, it is close to
it: `cut_choices` reports how many cuts step 2 looked at, and their order in both.

Above four levels the cuts are too many to enumerate.  They are then enumerated over a grid of
thresholds, and the best of them are improved by moving one threshold at a time, to wherever
pairwise entropy is least, until no move helps.
"""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import comb

import numpy as np

from regrade.compiled import njit
from regrade.cutsearch.thresholds import Thresholds
from regrade.errors import ParameterError
from regrade.power.plackett_luce import (
    DOUBT,
    exact_entropy,
    has_few_states,
    integral_entropy,
    newton,
)
from regrade.power.preferences import Graded, PreferenceTests, count_preferences
from regrade.power.topics import Lists, list_codes

ENUMERATED = 4
"""Levels up to which every cut is tried."""

STARTS = 50
"""Cuts of a grid that are improved by moving thresholds."""

_GRID_CUTS = 200_000


@dataclass(frozen=True)
class CutPower:
    """What PDP of any cut of a set needs, by numbers of thresholds that values exceed.

    Attributes
    ----------
    wins, tests
        (G + 2, G + 2) float64: prefix sums of the tests of preference that a code wins against
        another one, and of the tests.
    pairs
        (G + 2, G + 2) float64: prefix sums of the share of pairs of documents with two codes, mean
        over a topic's lists, then over topics.
    lists
        (L, G + 2) int64: prefix sums of the number of a list's documents with a code; lists that
        are equal stand once.
    weights
        (L,) float64: what a list's PDP counts for in the mean over topics.
    is_exact
        Whether documents with one code are always each other's equals, so that `powers` serves.
    """

    wins: np.ndarray
    tests: np.ndarray
    pairs: np.ndarray
    lists: np.ndarray
    weights: np.ndarray
    is_exact: bool

    @classmethod
    def of(
        cls,
        graded: Graded,
        tests: PreferenceTests,
        lists: Lists,
        thresholds: Thresholds,
    ) -> CutPower:
        """Count, once, what every cut is made of."""
        place = np.append(thresholds.codes(graded.values), -1).astype(np.int64)
        codes, size = place[graded.codes], len(thresholds.values) + 1
        first, second, signal = tests.compared(graded)
        wins, counts = count_preferences(codes[first], codes[second], signal, size)
        pairs, histograms, weights = np.zeros((size, size)), [], []
        served = [[c for c in of if len(c) > 1] for of in list_codes(graded, lists).values()]
        served = [of for of in served if of]
        for of in served:
            weight = 1.0 / (len(of) * len(served))
            for some in of:
                levels = place[some]
                _add_pairs(levels, weight, pairs)
                histograms.append(np.bincount(levels[:, 0][levels[:, 0] >= 0], minlength=size))
                weights.append(weight)
        unique, inverse = np.unique(np.array(histograms), axis=0, return_inverse=True)
        return cls(
            _prefix(wins),
            _prefix(counts),
            _prefix(pairs),
            np.pad(unique.cumsum(axis=1), ((0, 0), (1, 0))),
            np.bincount(inverse.ravel(), weights),
            graded.codes.shape[1] == 1,
        )

    def pair_entropies(self, places: np.ndarray) -> np.ndarray:
        """(C,) pairwise entropy of (C, k − 1) cuts, each the places of its thresholds."""
        return _pair_entropies(_ascending(places), self.wins, self.tests, self.pairs)

    def powers(self, places: np.ndarray, threads: int = 1) -> np.ndarray:
        """(C,) PDP over all topics of cuts, where `is_exact`.

        Documents of one level are one class; over all states, or as an integral where that is
        cheaper.
        """
        places = _ascending(places)
        powers = np.empty(len(places))
        part = -(-len(places) // (8 * threads)) or 1

        def some(start: int) -> None:
            of = slice(start, start + part)
            counted = (self.wins, self.tests, self.lists, self.weights)
            _powers(places[of], *counted, powers[of])

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(some, range(0, len(places), part)))
        return powers

    def candidates(self, n_thresholds: int, levels: int) -> np.ndarray:
        """(C, levels − 1) the cuts to choose from, as places of thresholds, lexicographic order.

        All of them up to four levels; with more, those of a grid improved one threshold at a time.
        """
        if levels - 1 > n_thresholds:
            raise ParameterError(
                f"{n_thresholds + 1} values cannot be cut into {levels} levels: use fewer levels"
            )
        if levels <= ENUMERATED or comb(n_thresholds, levels - 1) <= _GRID_CUTS:
            return _combinations(n_thresholds, levels - 1)
        size = levels - 1  # the most thresholds that make at most so many cuts
        while size < n_thresholds and comb(size + 1, levels - 1) <= _GRID_CUTS:
            size += 1
        grid = (2 * np.arange(size) + 1) * n_thresholds // (2 * size)
        starts = grid[_combinations(size, levels - 1)]
        order = np.argsort(self.pair_entropies(starts), kind="stable")
        moved = [
            improved(places, n_thresholds, self.wins, self.tests, self.pairs)
            for places in _ascending(starts[order[:STARTS]])
        ]
        return np.unique(np.vstack([moved, starts[order]]), axis=0)


def _combinations(n: int, k: int) -> np.ndarray:
    """(C, k) int64: every k of the numbers 0 … n − 1, in lexicographic order."""
    chosen = itertools.chain.from_iterable(itertools.combinations(range(n), k))
    return np.fromiter(chosen, dtype=np.int64).reshape(-1, k)


def _ascending(places: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(places, dtype=np.int64)


def _prefix(matrix: np.ndarray) -> np.ndarray:
    return np.pad(matrix.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))


# --- kernels ------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _add_pairs(codes, weight, pairs):
    """Add the share of a list's pairs with each two codes; an assessor's share of a pair is equal.

    Pairs that nobody graded both count as alike, with the codes 0 and 0.
    """
    n, assessors = codes.shape
    each = weight / (n * (n - 1) / 2)
    for i in range(n):
        for j in range(i):
            both = 0
            for a in range(assessors):
                if codes[i, a] >= 0 and codes[j, a] >= 0:
                    both += 1
            if not both:
                pairs[0, 0] += each
            for a in range(assessors):
                g, h = codes[i, a], codes[j, a]
                if g >= 0 and h >= 0:
                    pairs[g, h] += each / both / 2
                    pairs[h, g] += each / both / 2


@njit(cache=True, nogil=True, inline="always")
def _block(prefix, top, bottom, left, right):
    return prefix[bottom, right] - prefix[top, right] - prefix[bottom, left] + prefix[top, left]


@njit(cache=True, nogil=True, inline="always")
def _edges(cut, size, edges):
    """Level g of a cut is the codes ``edges[g]`` … ``edges[g + 1]`` − 1."""
    edges[0] = 0
    for c in range(len(cut)):
        edges[c + 1] = cut[c] + 1
    edges[len(cut) + 1] = size


@njit(cache=True, nogil=True, inline="always")
def _preference(wins, tests, edges, g, h):
    """p(level g > level h), kept within the bounds; 1/2 where no test compares them."""
    seen = _block(tests, edges[g], edges[g + 1], edges[h], edges[h + 1])
    if seen < 0.25:  # tests are whole numbers, and sums of wins halves
        return 0.5
    p = _block(wins, edges[g], edges[g + 1], edges[h], edges[h + 1]) / seen
    return min(max(p, DOUBT), 1.0 - DOUBT)


@njit(cache=False, nogil=True)
def _pair_entropy(cut, wins, tests, pairs, edges):
    levels = len(cut) + 1
    _edges(cut, len(pairs) - 1, edges)
    total = 0.0
    for g in range(levels):
        alike = _block(pairs, edges[g], edges[g + 1], edges[g], edges[g + 1])
        total += alike * np.log(2.0)
        for h in range(g):
            apart = 2.0 * _block(pairs, edges[g], edges[g + 1], edges[h], edges[h + 1])
            p = _preference(wins, tests, edges, g, h)
            total -= apart * (p * np.log(p) + (1.0 - p) * np.log(1.0 - p))
    return total


@njit(cache=True, nogil=True)
def _pair_entropies(cuts, wins, tests, pairs):
    entropies = np.empty(len(cuts))
    edges = np.empty(cuts.shape[1] + 2, dtype=np.int64)
    for c in range(len(cuts)):
        entropies[c] = _pair_entropy(cuts[c], wins, tests, pairs, edges)
    return entropies


@njit(cache=True, nogil=True)
def improved(start, thresholds, wins, tests, pairs):
    """A cut from which no threshold can be moved between its neighbours with gain."""
    cut = start.copy()
    edges = np.empty(len(cut) + 2, dtype=np.int64)
    best = _pair_entropy(cut, wins, tests, pairs, edges)
    moved = True
    while moved:
        moved = False
        for c in range(len(cut)):
            low = cut[c - 1] + 1 if c else 0
            high = cut[c + 1] if c + 1 < len(cut) else thresholds
            kept = cut[c]
            for place in range(low, high):
                cut[c] = place
                value = _pair_entropy(cut, wins, tests, pairs, edges)
                if value < best - 1e-12:
                    best, kept, moved = value, place, True
            cut[c] = kept
    return cut


@njit(cache=True, nogil=True)
def _powers(cuts, wins, tests, lists, weights, powers):
    """PDP of cuts where documents of a level are each other's equals."""
    levels = cuts.shape[1] + 1
    edges = np.empty(levels + 1, dtype=np.int64)
    preferences = np.empty((levels, levels))
    for c in range(len(cuts)):
        _edges(cuts[c], lists.shape[1] - 1, edges)
        for g in range(levels):
            preferences[g, g] = 0.5
            for h in range(g):
                preferences[g, h] = _preference(wins, tests, edges, g, h)
                preferences[h, g] = 1.0 - preferences[g, h]
        powers[c] = _mean_power(preferences, edges, lists, weights)


@njit(cache=True, nogil=True, inline="always")
def _mean_power(preferences, edges, lists, weights):
    """The weighted mean over lists; lists with the same numbers of levels are worked out once."""
    levels = len(preferences)
    base = lists[:, -1].max() + 1
    counts = np.empty(levels, dtype=np.int64)
    keys, powers, n_known = np.empty(len(lists), dtype=np.int64), np.empty(len(lists)), 0
    total = 0.0
    for list_number in range(len(lists)):
        key = 0
        for g in range(levels):
            counts[g] = lists[list_number, edges[g + 1]] - lists[list_number, edges[g]]
            key = key * base + counts[g]
        known = 0
        while known < n_known and keys[known] != key:
            known += 1
        if known == n_known:
            keys[known], powers[known] = key, _power(preferences, counts)
            n_known += 1
        total += weights[list_number] * powers[known]
    return total


@njit(cache=True, nogil=True, inline="always")
def _power(preferences, counts):
    """Exact PDP of so many documents of each level."""
    n = 0
    for g in range(len(counts)):
        n += counts[g] > 0
    some, weights, own = np.empty((n, n)), np.empty(n), np.empty(n, dtype=np.int64)
    i = 0
    for g in range(len(counts)):
        if counts[g]:
            weights[i] = own[i] = counts[g]
            j = 0
            for h in range(len(counts)):
                if counts[h]:
                    some[i, j] = preferences[g, h]
                    j += 1
            i += 1
    scores = np.empty(n)
    if not newton(some, weights, scores):
        return np.nan
    if has_few_states(scores, own):
        return exact_entropy(scores, own)
    return integral_entropy(scores, own)
