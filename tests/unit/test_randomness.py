"""What is drawn depends on the seed and on the names of what is drawn, and on nothing else."""

import zlib

import numpy as np
import pytest

from regrade.errors import ParameterError
from regrade.randomness import generator, halves_both_ways, with_replacement


def test_draws_are_those_of_seed_and_names():
    expected = np.random.default_rng([3, zlib.crc32(b"topics"), zlib.crc32(b"401")]).random(4)
    assert generator(3, "topics", "401").random(4).tolist() == expected.tolist()
    drawn = {generator(*cell).random() for cell in ((0, "a"), (0, "b"), (1, "a"), (0, "a", "b"))}
    assert len(drawn) == 4
    with pytest.raises(ParameterError, match="seed is -1: give a whole number from 0"):
        generator(-1, "a")


@pytest.mark.parametrize("size", [500, (20, 25)])
@pytest.mark.parametrize("n", [1, 4])
def test_as_many_are_drawn_as_there_are_and_each_as_often(n, size):
    drawn = with_replacement(np.random.default_rng(1), n, size)
    assert drawn.shape == (*np.ravel(size), n)
    assert (drawn.sum(axis=-1) == n).all()
    # a binomial number of n draws, each of 1 / n
    error = (1 - 1 / n) ** 0.5 / 500**0.5
    assert drawn.reshape(500, n).mean(axis=0) == pytest.approx(np.ones(n), abs=4 * error)


def test_of_nothing_nothing_is_drawn():
    assert with_replacement(np.random.default_rng(1), 0, (2, 3)).shape == (2, 3, 0)
    assert with_replacement(np.random.default_rng(1), 0, 5).dtype == np.int64


@pytest.mark.parametrize("n", [2, 5, 8])
def test_halves_share_nothing_and_come_both_ways(n):
    pairs = list(halves_both_ways(np.random.default_rng(2), n, 6))
    assert len(pairs) == 12
    for (one, other), (second, first) in zip(pairs[::2], pairs[1::2], strict=True):
        assert one.tolist() == first.tolist() and other.tolist() == second.tolist()
        assert len(one) == n // 2
        assert sorted([*one, *other]) == list(range(n))
    assert len({tuple(sorted(one)) for one, _ in pairs}) > 1
