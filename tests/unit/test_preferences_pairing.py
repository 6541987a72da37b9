"""Lists of pairs: exact for every size that has one, random, and balanced."""

from collections import Counter
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.errors import MethodError
from regrade.preferences.pairing import balanced_sides, check_list, pair_list, staying_sides

SIZES = [(n, k) for n in range(3, 25) for k in range(2, n) if n * k % 2 == 0] + [
    (2, 1),
    (40, 7),
    (40, 39),
]


def list_exists(size, partners):
    """By trying everything: an order of pairs, each sharing a document with the one before."""
    edges = list(combinations(range(size), 2))

    def walk(last, used, degree):
        if all(d == partners for d in degree):
            return True
        for edge in edges:
            fits = edge not in used and all(degree[v] < partners for v in edge)
            if fits and (last is None or set(edge) & set(last)):
                more = [d + (v in edge) for v, d in enumerate(degree)]
                if walk(edge, used | {edge}, more):
                    return True
        return False

    return partners > 0 and size > 1 and walk(None, frozenset(), [0] * size)


@pytest.mark.parametrize("size", range(7))
@pytest.mark.parametrize("partners", range(5))
def test_a_list_is_refused_exactly_where_there_is_none(size, partners):
    if list_exists(size, partners):
        check_list(size, partners)
        pair_list(size, partners, np.random.default_rng(0))
    else:
        with pytest.raises(MethodError, match="no list of pairs"):
            pair_list(size, partners, np.random.default_rng(0))


@pytest.mark.parametrize(("size", "partners"), SIZES)
def test_lists(size, partners):
    pairs, stays = pair_list(size, partners, np.random.default_rng(size))
    assert len(pairs) == size * partners // 2
    assert len({frozenset(pair) for pair in pairs.tolist()}) == len(pairs)  # none twice
    assert all(a != b for a, b in pairs.tolist())
    assert Counter(pairs.ravel().tolist()) == dict.fromkeys(range(size), partners)
    assert stays[0] == -1
    for before, pair, kept in zip(pairs[:-1], pairs[1:], stays[1:], strict=True):
        assert kept in before and kept in pair


def canonical(pairs):
    """The least set of pairs under all names of 6 documents."""
    edges = [tuple(pair) for pair in pairs.tolist()]
    return min(
        tuple(sorted(tuple(sorted((p[a], p[b]))) for a, b in edges)) for p in permutations(range(6))
    )


def test_every_kind_of_list_comes():
    """Of 6 documents with 3 partners each there are two graphs: the prism and K(3, 3)."""
    rng = np.random.default_rng(1)
    kinds = Counter(canonical(pair_list(6, 3, rng)[0]) for _ in range(40))
    assert len(kinds) == 2


def triangles(pairs):
    met = {frozenset(pair) for pair in pairs.tolist()}
    return sum(
        all(frozenset(p) in met for p in combinations(t, 2)) for t in combinations(range(8), 3)
    )


def test_every_kind_of_the_papers_list_comes():
    """Five connected graphs have 8 documents with 3 partners: 0, 0, 1, 2 and 4 triangles."""
    rng = np.random.default_rng(2)
    counts = Counter(triangles(pair_list(8, 3, rng)[0]) for _ in range(300))
    assert set(counts) == {0, 1, 2, 4}


def surplus(pairs, turned, key):
    """Times left minus times right by key and document."""
    count = Counter()
    for (a, b), turn, k in zip(pairs.tolist(), turned, key, strict=True):
        left, right = (b, a) if turn else (a, b)
        count[k, left] += 1
        count[k, right] -= 1
    return count


@settings(max_examples=60)
@given(st.data())
def test_sides_are_balanced_in_units_and_over_all(data):
    """Of any pairs: multigraphs, units of any size."""
    n, m = data.draw(st.integers(2, 9)), data.draw(st.integers(1, 60))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    pairs = np.array([rng.choice(n, 2, replace=False) for _ in range(m)])
    unit = np.sort(rng.integers(4, size=m))
    turned = balanced_sides(pairs, unit, rng)
    assert max(map(abs, surplus(pairs, turned, unit).values())) <= 1
    assert max(map(abs, surplus(pairs, turned, [0] * m).values())) <= 1


def lists(count, rng, size=8, partners=3):
    made = [pair_list(size, partners, rng) for _ in range(count)]
    place = [rng.permutation(size) for _ in made]
    pairs = np.concatenate([p[pairs] for p, (pairs, _) in zip(place, made, strict=True)])
    stays = np.concatenate(
        [np.where(s < 0, -1, p[s]) for p, (_, s) in zip(place, made, strict=True)]
    )
    return pairs, stays


def test_who_stays_keeps_its_side():
    rng = np.random.default_rng(3)
    pairs, stays = lists(40, rng)
    turned = staying_sides(pairs, stays, rng)
    shown = np.where(turned[:, None], pairs[:, ::-1], pairs)
    for t in np.flatnonzero(stays >= 0):
        assert list(shown[t] == stays[t]) == list(shown[t - 1] == stays[t])
    # mirrored lists keep the sides of 40 × 3 showings of each document near each other
    assert max(map(abs, surplus(pairs, turned, [0] * len(pairs)).values())) <= 9


def test_the_papers_example_keeps_sides():
    """Topic 408's list (yang2019 §5.1.1), named by letters."""
    shown = ["AB", "AC", "DC", "DE", "DF", "EF", "EG", "AG", "BG", "BH", "CH", "FH"]
    pairs = np.array([[ord(c) for c in pair] for pair in shown]) - ord("A")
    shared = [set(a) & set(b) for a, b in pairwise(shown)]
    stays = np.array([-1, *(ord(next(iter(s))) - ord("A") for s in shared)])
    turned = staying_sides(pairs, stays, np.random.default_rng(0))
    assert len(set(turned)) == 1  # all as shown, or the mirror


@pytest.mark.parametrize("make", ["balanced", "stay"])
def test_sides_do_not_favour_the_first(make):
    rng = np.random.default_rng(4)
    pairs, stays = lists(300, rng)
    unit = np.repeat(np.arange(300), 12)
    if make == "balanced":
        turned = balanced_sides(pairs, unit, rng)
    else:
        turned = staying_sides(pairs, stays, rng)
    assert abs(turned.mean() - 0.5) < 0.05
