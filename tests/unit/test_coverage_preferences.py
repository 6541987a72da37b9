"""Intervals of documents' scores hold known ones as often as they say."""

import numpy as np
import pytest

from regrade.intervals import INTERVALS
from regrade.percentiles import CONFIDENCE
from tests.coverage import measure
from tests.coverage.preferences import (
    CURVED_WORLDS,
    LINEAR_WORLDS,
    STRENGTH_WORLDS,
    PairWorld,
    coverage,
    fitted_ratios,
    fitted_strengths,
    likely_strengths,
    worlds,
)

NEAR = 0.02
"""How far from 95 % the share of a world may lie: 93 to 97 %."""


@pytest.mark.slow
@pytest.mark.parametrize("answers", ["whole", "ties", "parts"])
@pytest.mark.parametrize("spread", [0.5, 1.5])
def test_likely_strengths_are_held(answers, spread):
    """Before, draws of answers held 71 to 93 % in these worlds, the curvature 96 to 99.8 %."""
    share, error, printed = coverage(
        likely_strengths(PairWorld(8, 14, spread, answers), 300, seed=3)
    )
    assert abs(share - CONFIDENCE) < NEAR + 3 * error
    assert error < 0.012
    assert printed > 0.4


@pytest.mark.slow
def test_thurstone_too():
    share, error, printed = coverage(
        likely_strengths(PairWorld(8, 14, 0.5), 300, seed=3, model="thurstone")
    )
    assert abs(share - CONFIDENCE) < NEAR + 3 * error
    assert printed > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("simulate", [fitted_strengths, fitted_ratios])
@pytest.mark.parametrize("world", LINEAR_WORLDS[2:12:3], ids=str)
def test_least_squares_are_held(simulate, world):
    share, error, printed = coverage(simulate(world, 300, seed=3))
    assert abs(share - CONFIDENCE) < NEAR + 3 * error
    assert printed == 1


@pytest.mark.slow
def test_least_squares_of_wins_and_losses_are_held():
    share, error, _ = coverage(fitted_strengths(CURVED_WORLDS[1], 300, seed=3))
    assert abs(share - CONFIDENCE) < NEAR + 3 * error


@pytest.mark.parametrize("simulate", [likely_strengths, fitted_strengths, fitted_ratios])
def test_a_simulation_is_that_of_its_seed(simulate):
    world = PairWorld(5, 6, 0.5, "whole" if simulate is likely_strengths else "normal")
    one, again, other = (simulate(world, 20, seed) for seed in (1, 1, 2))
    assert all(part.shape == (20, 5) for part in one)
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one[0], other[0])


def test_worlds_are_of_any_document():
    found = [world for world in worlds() if world.interval == "strength"]
    assert len(found) == len(STRENGTH_WORLDS) + 2 * len(LINEAR_WORLDS) + len(CURVED_WORLDS)
    assert len({(world.name, world.size) for world in found}) == len(found)
    assert {world.interval for world in worlds()} <= set(INTERVALS)
    kept = measure(next(world for world in found if "ratio" in world.name), 200)
    assert kept.given == 200
    assert abs(kept.held - CONFIDENCE) < NEAR + 3 * kept.error


def test_coverage_counts_what_is_printed():
    truth = np.zeros((2, 2))
    low = np.array([[-1, 1], [np.nan, -1]])
    high = np.array([[1, 2], [np.nan, 1]])
    share, error, printed = coverage((truth, low, high))
    assert share == pytest.approx(2 / 3)
    assert printed == 0.75
    # residuals of the two repetitions: 1 − 2 · 2/3 and 1 − 2/3
    assert error == pytest.approx(np.sqrt(2 / 9) / 3)
    assert len(set(STRENGTH_WORLDS)) == 30
