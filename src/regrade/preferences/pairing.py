"""Lists of pairs for one group of documents, and who stands left (yang2019 §5.1.1).

A *list* of a group of n documents is an order of n · K / 2 pairs in which every document has K
different partners, no pair comes twice, and each pair shares a document, which *stays*, with the
pair before it.  As a graph: a connected K-regular graph on n documents whose edges can be walked
through so that each touches the one before.

The thesis finds lists by backtracking at random (Algorithm 1).  Here a list is made directly.  The
graph is a circle through all documents and K − 2 chords at each of them.  Along the circle every
chord is asked about while one of its ends stays: (v₀, v₁), then the chords given to v₁, then
(v₁, v₂), and so on.  So a list exists exactly if n · K is even and 2 ≤ K < n, or if n = 2, K = 1:
with K = 1 two pairs share no document.
"""

from __future__ import annotations

import numpy as np

from regrade.errors import MethodError

_SWITCHES = 4
"""Tries, per chord, to switch the ends of two chords: what makes the graph a random one."""


def check_list(size: int, partners: int) -> None:
    """Refuse sizes for which no list exists."""
    wanted = f"no list of pairs gives each of {size} documents {partners} partners: "
    if size < 2 or partners < 1:
        raise MethodError(wanted + "a group has two documents or more, a document one partner")
    if partners >= size:
        raise MethodError(wanted + f"there are {size - 1} other documents; give fewer partners")
    if partners == 1 and size > 2:
        raise MethodError(
            wanted + "no document can stay for the next pair; give two or more partners"
        )
    if size * partners % 2:
        raise MethodError(wanted + f"{size} × {partners} is odd; make one of them even")


def pair_list(size: int, partners: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A random list of pairs (yang2019 Algorithm 1 asks for the same properties)."""
    check_list(size, partners)
    if size == 2:
        return np.array([[0, 1]]), np.array([-1])
    # K − 2 chords at each place of a circle: to the 2nd, 3rd, … neighbour; if odd, across
    chords = [(v, (v + step) % size) for step in range(2, partners // 2 + 1) for v in range(size)]
    if partners % 2:
        chords += [(v, v + size // 2) for v in range(size // 2)]
    chords = _switched(chords, size, rng)
    chords_of: list[list[tuple[int, int]]] = [[] for _ in range(size)]
    ends = rng.integers(2, size=len(chords)).tolist()
    order = rng.permutation(len(chords)).tolist()
    for c in order:
        chords_of[chords[c][ends[c]]].append(chords[c])
    pairs, stays = [(size - 1, 0)], [-1]
    for v in range(size):
        following = [(v, v + 1)] if v + 1 < size else []
        for pair in (*chords_of[v], *following):
            pairs.append(pair)
            stays.append(v)
    return np.array(pairs), np.array(stays)


def _switched(
    chords: list[tuple[int, int]], size: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """Chords after random switches (a, b), (c, d) → (a, d), (c, b), which keep every degree."""
    if len(chords) < 2:
        return chords
    chords = list(chords)
    taken = {frozenset(chord) for chord in chords}
    taken |= {frozenset((v, (v + 1) % size)) for v in range(size)}
    tries = _SWITCHES * len(chords)
    which = rng.integers(len(chords), size=(tries, 2)).tolist()
    turned = rng.integers(2, size=tries).tolist()
    for (x, y), turn in zip(which, turned, strict=True):
        (a, b), (c, d) = chords[x], chords[y][:: -1 if turn else 1]
        new = frozenset((a, d)), frozenset((c, b))
        if x == y or a == d or b == c or new[0] in taken or new[1] in taken:
            continue
        taken -= {frozenset((a, b)), frozenset((c, d))}
        taken.update(new)
        chords[x], chords[y] = (a, d), (c, b)
    return chords


def balanced_sides(pairs: np.ndarray, unit: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Which document of each pair stands left, so that sides are as balanced as they can be.

    Within every unit, and over all of them, each document is left as often as right; once more or
    less where its number of pairs is odd.  At every document the pairs of a unit are coupled two by
    two, what is left over with one of another unit; the couples join the pairs to paths and circles
    that are walked through, each document left where it was right in the pair before.
    """
    ends = pairs.ravel()  # end e belongs to pair e // 2; e ^ 1 is the pair's other end
    coupled = np.full(len(ends), -1)
    alone = _couple(np.arange(len(ends)), (np.repeat(unit, 2), ends), coupled, rng)
    _couple(alone, (ends[alone],), coupled, rng)
    partner = coupled.tolist()
    left: list[bool | None] = [None] * len(ends)
    # paths are walked from an end that has no partner, what is not seen then are circles
    starts = [*np.flatnonzero(coupled < 0).tolist(), *range(len(ends))]
    draws = rng.integers(2, size=len(starts)).astype(bool).tolist()
    for end, side in zip(starts, draws, strict=True):
        while end >= 0 and left[end] is None:
            left[end], left[end ^ 1] = side, not side
            end = partner[end ^ 1]
    return np.array(left[1::2], dtype=bool)


def _couple(
    ends: np.ndarray, keys: tuple[np.ndarray, ...], coupled: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Couple ends of equal keys at random, written to `coupled`; gives those left over."""
    order = np.lexsort((rng.random(len(ends)), *keys))
    ends, keys = ends[order], tuple(key[order] for key in keys)
    new = np.ones(len(ends), dtype=bool)
    new[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    starts = np.flatnonzero(new)
    place = np.arange(len(ends)) - np.repeat(starts, np.diff([*starts, len(ends)]))
    second = np.flatnonzero(place % 2 == 1)
    coupled[ends[second]], coupled[ends[second - 1]] = ends[second - 1], ends[second]
    return ends[coupled[ends] < 0]


def staying_sides(pairs: np.ndarray, stays: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Which document of each pair stands left if who stays keeps its side (yang2019 §5.3.5).

    That fixes the sides of a list up to mirroring it, and with K = 3 some documents stand three
    times on one side: no choice avoids it.  Lists are mirrored one after the other, so that the sum
    over documents of (times left − times right)² grows least.
    """
    second_left = np.zeros(len(pairs), dtype=bool)
    for t in np.flatnonzero(stays >= 0):
        kept = pairs[t - 1] == stays[t]
        was_left = kept[1] == second_left[t - 1]
        second_left[t] = was_left == (pairs[t, 1] == stays[t])
    surplus = np.zeros(pairs.max() + 1, dtype=np.int64)
    starts = np.flatnonzero(stays < 0)
    for start, end in zip(starts, [*starts[1:], len(pairs)], strict=True):
        here = slice(start, end)
        sign = np.where(second_left[here], -1, 1)
        change = np.zeros_like(surplus)
        np.add.at(change, pairs[here, 0], sign)
        np.add.at(change, pairs[here, 1], -sign)
        agreement = surplus @ change
        if agreement > 0 or (agreement == 0 and rng.integers(2)):
            second_left[here] = ~second_left[here]
            change = -change
        surplus += change
    return second_left
