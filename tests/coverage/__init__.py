"""Worlds with a known truth, in which an interval is made again and again.

A module for each subject has ``worlds(data)``: its `World`s, the real ones only where `data`, the
folder of real data, is there.  ``benchmarks/coverage.py`` measures all of them for
docs/coverage.md; the tests measure some, with fewer repetitions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np

from regrade.randomness import generator

SUBJECTS = (
    "topics",
    "real",
    "preferences",
    "magnitudes",
    "power",
    "ranking",
    "designs",
    "taught",
    "cuts",
    "estimates",
    "two_systems",
    "favours",
    "favour_documents",
    "replacement",
    "panels",
    "collections",
)
"""The modules that have worlds."""

AIM = (0.93, 0.97)
"""Between what shares of samples an interval is to hold what it is of."""


@dataclass(frozen=True)
class World:
    """Where an interval is made.

    Attributes
    ----------
    interval
        Its name in `regrade.intervals`.
    name
        What the world is like; made ones say so ("simulated: …").
    size
        How many units a sample has, with their name ("25 topics").
    run
        Of repetitions and a seed: the truth, the lower and the upper ends, each of shape
        (repetitions,); ends are NaN where no interval is given.
    """

    interval: str
    name: str
    size: str
    run: Callable[[int, int], tuple[np.ndarray, np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Coverage:
    """How often an interval held what it is of.

    Attributes
    ----------
    given
        In how many repetitions there was an interval.
    held, below, above
        Shares of these: it held the truth; the truth was below it; above it.
    width
        Mean of the widths.
    """

    given: int
    held: float
    below: float
    above: float
    width: float

    @property
    def error(self) -> float:
        """Monte Carlo standard error of the share, were the coverage 95 %."""
        return (0.95 * 0.05 / self.given) ** 0.5


def seed_of(seed: int, *cell: str) -> int:
    """Of a world, by its names: no two worlds have the same luck."""
    return int(generator(seed, *cell).integers(2**31))


def measure(world: World, repetitions: int, seed: int = 1) -> Coverage:
    """Make the interval of a world so many times, with random numbers of its own."""
    own = seed_of(seed, world.interval, world.name, world.size)
    truth, low, high = (np.asarray(one, dtype=float) for one in world.run(repetitions, own))
    given = ~(np.isnan(low) | np.isnan(high) | np.isnan(truth))
    truth, low, high = truth[given], low[given], high[given]
    # a truth that an end is equal to is held, whatever the last bits
    below, above = truth < low - 1e-12, truth > high + 1e-12
    held = float((~below & ~above).mean()) if len(truth) else np.nan
    shares = (float(one.mean()) if len(truth) else np.nan for one in (below, above))
    width = float((high - low).mean()) if len(truth) else np.nan
    return Coverage(len(truth), held, *shares, width)


def every_world(data: Path | None = None) -> list[World]:
    """Those of all subjects; real ones only where `data` is there."""
    modules = (import_module(f"tests.coverage.{name}") for name in SUBJECTS)
    return [world for module in modules for world in module.worlds(data)]
