"""Intervals hold what they are of: every registered one, in worlds with a known truth.

Fewer samples than ``benchmarks/coverage.py`` has; the bounds are three Monte Carlo errors about the
aim.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.coverage import KEPT, page
from regrade.intervals import INTERVALS
from tests.coverage import AIM, World, every_world, measure

WORLDS = every_world()
HARD = {
    "made: skewed differences, many of them 0": 0.85,
}
"""Worlds where an interval is known to hold less often; docs/coverage.md says how often."""

SAMPLES = 200


def middle(interval):
    """The made world of an interval that stands in the middle of its list."""
    of = [world for world in WORLDS if world.interval == interval]
    return of[len(of) // 2]


@pytest.mark.parametrize("interval", INTERVALS)
def test_every_interval_holds_what_it_is_of(interval):
    world = middle(interval)
    found = measure(world, SAMPLES, seed=3)
    assert found.given > SAMPLES / 2
    error = 3 * np.sqrt(0.05 * 0.95 / found.given)
    least = HARD.get(world.name, AIM[0])
    assert least - error <= found.held <= AIM[1] + error, world
    assert found.held + found.below + found.above == pytest.approx(1)


def test_coverage_is_counted_on_either_side():
    truth, low, high = (
        np.array([0.0, 0, 0, 0]),
        np.array([-1, 1, -2, np.nan]),
        np.array([1.0, 2, -1, 1]),
    )
    found = measure(World("x", "w", "4", lambda n, seed: (truth, low, high)), 4)
    assert (found.given, found.held, found.below, found.above) == (3, 1 / 3, 1 / 3, 1 / 3)
    assert found.width == pytest.approx(4 / 3)


def test_the_page_is_of_what_was_measured_and_of_every_interval():
    kept = pd.read_csv(KEPT)
    docs = Path(__file__).parents[2] / "docs" / "coverage.md"
    assert docs.read_text(encoding="utf-8") == page(kept)
    assert set(kept["interval"]) == set(INTERVALS)
    known = {(world.interval, world.name, world.size) for world in WORLDS}
    measured = set(map(tuple, kept[["interval", "world", "size"]].to_numpy()))
    assert known <= measured
    # assessors drawn anew take minutes
    least = np.where(kept["interval"] == "power_over_assessors", 200, 1000)
    assert (kept["repetitions"] >= least).all()
