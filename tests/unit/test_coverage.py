"""Intervals hold what they are of: every registered one, in worlds with a known truth.

Fewer samples than ``benchmarks/coverage.py`` has; the bounds are three Monte Carlo errors about the
aim.
"""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.coverage import CLAIMS_KEPT, INTERVALS_KEPT, page
from regrade.evaluations import system_rankings
from regrade.intervals import INTERVALS
from regrade.significance.corrections import adjust
from regrade.significance.paired import paired_t
from tests.coverage import AIM, World, claims, every_world, measure
from tests.coverage.claims import MOST, claim_worlds, measure_claim

WORLDS = every_world()
SAMPLES = 200


def middle(interval):
    """The made world of an interval that stands in the middle of its list."""
    of = [world for world in WORLDS if world.interval == interval]
    return of[len(of) // 2]


@pytest.mark.slow
@pytest.mark.parametrize("interval", INTERVALS)
def test_every_interval_holds_what_it_is_of(interval):
    world = middle(interval)
    found = measure(world, SAMPLES, seed=3)
    assert found.given > SAMPLES / 2
    error = 3 * np.sqrt(0.05 * 0.95 / found.given)
    most = 1.0 if INTERVALS[interval].at_least else AIM[1] + error
    assert AIM[0] - error <= found.held <= most, world
    assert found.held + found.below + found.above == pytest.approx(1)


def test_intervals_are_measured_of_the_fewest_units_that_they_are_given_of():
    sizes = {}
    for world in WORLDS:
        sizes.setdefault(world.interval, set()).add(world.size)
    # a document with finite strength has more answers; worlds of units are named by their topics
    others = {"strength": "4 questions of each document", "share_over_units": "5 topics"}
    for name, interval in INTERVALS.items():
        unit = interval.over.removesuffix(" or replays")
        assert others.get(name, f"{interval.fewest} {unit}") in sizes[name], name


def test_coverage_is_counted_on_either_side():
    truth, low, high = (
        np.array([0.0, 0, 0, 0]),
        np.array([-1, 1, -2, np.nan]),
        np.array([1.0, 2, -1, 1]),
    )
    found = measure(World("x", "w", "4", lambda n, seed: (truth, low, high)), 4)
    assert (found.given, found.held, found.below, found.above) == (3, 1 / 3, 1 / 3, 1 / 3)
    assert found.width == pytest.approx(4 / 3)


SLOW = ("tells less", "not first", "differ in full judging", "one for all", "agrees",
        "excluded", "significant", "favour", "replaces", "replaces not")  # fmt: skip
"""Claims of which 200 samples at least are measured: a thousand take long."""


def test_the_page_is_of_what_was_measured_and_of_every_interval():
    kept, said = INTERVALS_KEPT.read(), CLAIMS_KEPT.read()
    docs = Path(__file__).parents[2] / "docs" / "coverage.md"
    assert docs.read_text(encoding="utf-8") == page(kept, said)
    assert set(kept["interval"]) == set(INTERVALS)
    for of, rows, worlds in (
        (INTERVALS_KEPT, kept, WORLDS),
        (CLAIMS_KEPT, said, claim_worlds()),
    ):
        assert set(of.keys(worlds)) <= set(map(tuple, rows[of.key].to_numpy()))
    # assessors drawn anew take minutes; so do preferences, maps that are learned, families, panels
    few = {"power_over_assessors": 200, "power_difference": 300, "taught_difference": 400,
           "favour": 400, "effective_judges": 250, "chosen_panel": 300}  # fmt: skip
    least = kept["interval"].map(few).fillna(1000)
    least[kept["world"].str.contains("preferences of a topic")] = 300
    assert (kept["repetitions"] >= least).all()
    # jackknives of entropies, and models that learn from few labels, take minutes
    slow = said["claim"].isin(SLOW)
    assert (said["repetitions"] >= np.where(slow, 200, 1000)).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    "world",
    [
        world
        for world in claim_worlds()
        if world.size == "25 topics" and world.claim != "one for all"  # slow: fewer below
    ],
    ids=lambda world: f"{world.claim}: {world.name}",
)
def test_what_is_not_so_is_seldom_said(world):
    found = measure_claim(world, 100, seed=5)
    assert found.wrong <= MOST + 3 * found.error


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rightly"), [("topics alike", 0.1), ("gain and lose", 0.0)])
def test_of_cuts_of_topics_own_it_is_seldom_said(name, rightly):
    [world] = [
        world
        for world in claim_worlds()
        if world.claim == "one for all" and name in world.name and world.size == "10 topics"
    ]
    found = measure_claim(world, 12, seed=2)
    assert found.wrong <= MOST + 3 * found.error and found.right >= rightly


@pytest.mark.slow
def test_a_claim_that_takes_no_care_is_found_out(monkeypatch):
    """Without what corrects for the numbers of pairs and judges, for skewness, for noise."""
    worlds = {(world.claim, world.name): world for world in claim_worlds()}
    told = worlds["significant change", "simulated: no system changes, normal noise"]
    skewed = worlds["significant change", "simulated: no system changes, skewed noise"]
    worse = worlds[claims.WORSE, "simulated: five judges, equal"]
    monkeypatch.setattr(
        claims, "verdict", lambda low, high: "significantly worse" if low + high < 0 else ""
    )
    monkeypatch.setattr(claims, "change_p", _uncorrected)
    assert measure_claim(told, 30).wrong > 0.5
    monkeypatch.setattr(claims, "change_p", _students)
    assert measure_claim(skewed, 120).wrong > 0.1
    assert measure_claim(worse, 30).wrong > 0.5
    noisy = worlds["more than chance", "simulated: no system changes, 6 times the noise"]
    monkeypatch.setattr(system_rankings, "attenuated", lambda first, second: (first + second) / 2)
    assert measure_claim(noisy, 30).wrong > 0.3


def _uncorrected(first, second):
    one, other = np.triu_indices(len(first), 1)
    return paired_t((second[one] - second[other]) - (first[one] - first[other]))[1]


def _students(first, second):
    return adjust(_uncorrected(first, second), "bh")
