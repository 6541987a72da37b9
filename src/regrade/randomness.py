"""Randomness seeded by what is drawn, never by which chunk, thread or job draws it."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import numpy as np

from regrade.errors import ParameterError


def generator(seed: int, *cell: str) -> np.random.Generator:
    """The random generator of one cell, named by what is drawn in it.

    Streams depend on the names alone (through CRC-32, which is the same in every process),
    so a topic's draws do not change when others are added, dropped or reordered.
    """
    if seed < 0:
        raise ParameterError(f"seed is {seed}: give a whole number from 0")
    return np.random.default_rng([seed, *(zlib.crc32(part.encode()) for part in cell)])


def with_replacement(rng: np.random.Generator, n: int, size: int | tuple[int, ...]) -> np.ndarray:
    """How often each of n things comes in n draws with replacement; int64, of shape size and n."""
    if n == 0:
        return np.zeros((*np.ravel(size), 0), dtype=np.int64)
    return rng.multinomial(n, np.full(n, 1 / n), size=size)


def halves_both_ways(
    rng: np.random.Generator, n: int, splits: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Places of one half of n things and of the other, then the other way round, so many times."""
    for _ in range(splits):
        order = rng.permutation(n)
        half, other = order[: n // 2], order[n // 2 :]
        yield half, other
        yield other, half
