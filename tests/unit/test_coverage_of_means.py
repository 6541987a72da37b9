"""Intervals of shares and of power hold their truth, in a few of the worlds of tests/coverage."""

import numpy as np
import pytest

from tests.coverage import AIM, magnitudes, measure, power

REPETITIONS = 200
WORLDS = [
    world
    for world in [*magnitudes.worlds(), *power.worlds()]
    if (world.interval, world.size) in {
        ("share_over_topics", "25 topics"), ("share_of_topics", "25 topics"),
        ("share_over_documents", "5 topics"),
        ("power_over_topics", "50 topics"),
    }
]  # fmt: skip


def within(coverage):
    """Within three Monte Carlo errors of the aim."""
    return AIM[0] - 3 * coverage.error <= coverage.held <= AIM[1] + 3 * coverage.error


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS, ids=lambda world: f"{world.name}, {world.size}")
def test_intervals_hold_what_they_are_of(world):
    found = measure(world, REPETITIONS, seed=7)
    assert found.given == REPETITIONS
    assert within(found)


@pytest.mark.slow
def test_over_units_percentiles_would_not(monkeypatch):
    """Drawn units are fewer different ones, so that their medians are noisier."""
    monkeypatch.setattr(magnitudes, "TRUTHS", 300)
    [world] = [
        world for world in magnitudes.worlds()
        if world.interval == "share_over_units" and "10 units" in world.name
        and world.name.endswith("noise 1") and world.size == "25 topics"
    ]  # fmt: skip
    assert within(measure(world, 60, seed=3))
    monkeypatch.setattr(
        magnitudes, "around_units", lambda _, drawn, __: np.quantile(drawn, [0.025, 0.975])
    )
    assert measure(world, 60, seed=3).held < 0.7


@pytest.mark.slow
def test_over_assessors(monkeypatch):
    monkeypatch.setattr(power, "TRUTHS", 60)
    [world] = [world for world in power.worlds() if world.interval == "power_over_assessors"
               and world.name.endswith("aggregate") and world.size == "10 assessors"]  # fmt: skip
    assert within(measure(world, 30, seed=3))
