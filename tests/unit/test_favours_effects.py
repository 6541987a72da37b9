"""How much more a judge raises a family: definitions in plain Python, every sample of topics."""

from itertools import product

import numpy as np
import pytest

from regrade.errors import MethodError
from regrade.favours import effects
from regrade.favours.changes import RankingChange, ranks
from regrade.favours.effects import (
    NEIGHBOURS,
    FavourScores,
    at_equal_quality,
    beside_others,
    contrasts,
    effects_at_once,
    favour_effects,
    quality_gap,
)
from regrade.kendall import tau_b
from tests.reference import favour as plain

SIZES = (2, 3, 7)
NAMES = {"families": [f"f{i}" for i in range(len(SIZES))]}


def members():
    return np.repeat(np.eye(len(SIZES), dtype=bool), SIZES, axis=1)


def made(topics=16, judges=2, controls=2, *, seed=3, slope=0.0, favour=0.0):
    """Scores in which families differ in quality; judges have a slope and favour the last."""
    rng = np.random.default_rng(seed)
    own = members()
    quality = own.T @ [0.6, 0.5, 0.45] + rng.normal(0, 0.08, own.shape[1])
    true = quality + rng.normal(0, 0.1, (topics, 1)) + rng.normal(0, 0.05, (topics, len(quality)))

    def labels(count):
        return true + rng.normal(0, 0.03, (count, *true.shape))

    people = labels(controls)
    of_judges = labels(judges) + slope * true + favour * own[-1]
    return FavourScores(labels(1)[0], of_judges, people)


def answered(scores, own=None, **how):
    topics = [str(t) for t in range(len(scores.reference))]
    names = NAMES | {"judges": [f"j{j}" for j in range(len(scores.judges))], "topics": topics}
    own = members() if own is None else own
    names["families"] = [f"f{f}" for f in range(len(own))]
    return favour_effects(scores, own, **names, **{"draws": 500, **how})


def test_effects_are_those_of_the_definition():
    scores, own = made(slope=-0.3), members()
    of = answered(scores)
    difference = scores.judges - scores.reference
    less = difference - (scores.controls - scores.reference).mean(axis=0)
    for j, f in np.ndindex(2, 3):
        by_topic = plain.plain(difference[j].tolist(), own[f].tolist())
        assert of.beside_reference.by_topic[j, f] == pytest.approx(by_topic, abs=1e-12)
        by_topic = plain.plain(less[j].tolist(), own[f].tolist())
        assert of.beside_control.value[j, f] == pytest.approx(np.mean(by_topic), abs=1e-12)
        data = [less[j].tolist(), scores.reference.tolist(), own.tolist()]
        assert of.slopes_beside_control[j] == pytest.approx(plain.slope(*data), abs=1e-9)
        equal = plain.at_equal_quality(*data, f, NEIGHBOURS)
        assert of.equal_beside_control.value[j, f] == pytest.approx(equal, abs=1e-9)
        regressed = plain.at_equal_quality(*data, f, own.shape[1])
        assert of.regressed_beside_control.value[j, f] == pytest.approx(regressed, abs=1e-9)
    table = of.table.set_index(["judge", "family", "topic"])
    assert table.loc[("j1", "f2", "3"), "value"] == of.beside_reference.by_topic[1, 2, 3]
    control = plain.plain((scores.controls.mean(axis=0) - scores.reference).tolist(), own[2])
    assert table.loc[("j0", "f2", "3"), "control"] == pytest.approx(control[3], abs=1e-12)


def test_pseudo_values_are_by_leaving_out_each_topic():
    """At equal quality with all other systems, of which none are chosen anew."""
    scores, own = made(topics=12, slope=0.4), members()
    difference = scores.judges - scores.reference
    whole = at_equal_quality(difference, scores.reference, own, None)
    for t in (0, 5, 11):
        left = np.arange(12) != t
        without = at_equal_quality(difference[:, left], scores.reference[left], own, None)
        pseudo = 12 * whole.value - 11 * without.value
        assert whole.by_topic[:, :, t] == pytest.approx(pseudo, abs=1e-9)


def test_a_compressed_scale_is_no_favour():
    """What is an exact line of quality is taken out to the last digits."""
    scores = made(controls=0)
    line = FavourScores(scores.reference, 0.2 + 0.6 * scores.reference[None], scores.controls)
    of = answered(line)
    assert np.abs(of.beside_reference.value).max() > 0.01
    assert of.equal_beside_reference.value == pytest.approx(np.zeros((1, 3)), abs=1e-12)
    assert of.slopes == pytest.approx([-0.4])
    assert of.beside_control is None
    assert of.control is None


def test_favour_of_a_size_is_found():
    scores = made(topics=60, favour=0.05, slope=-0.3)
    of = answered(scores).equal_beside_control
    assert of.low[0, 2] < 0.05 < of.high[0, 2]
    assert of.p[0, 2] < 0.05
    assert (of.detectable > of.critical * of.error).all()


def test_intervals_hold_for_the_largest_of_all_samples_of_four_topics(monkeypatch):
    """Every sample of four topics, each by its own mean and standard deviation."""
    monkeypatch.setattr(effects, "FEWEST", 4)
    by_topic = np.random.default_rng(1).normal(0.1, 1, (2, 3, 4))
    largest = []
    for sample in product(range(4), repeat=4):
        own = by_topic[:, :, list(sample)]
        error = own.std(axis=2, ddof=1) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.abs(own.mean(axis=2) - by_topic.mean(axis=2)) / error
        # a sample of one topic has no standard deviation
        largest.append(np.where(own.std(axis=2) > 1e-6, t, 0).max())
    of = effects_at_once(by_topic, draws=200_000)
    share = np.mean(np.array(largest) <= of.critical)
    assert share == pytest.approx(0.95, abs=0.01)
    t = np.abs(of.value / of.error)
    exact = [[np.mean(np.array(largest) >= one) for one in row] for row in t]
    assert of.p == pytest.approx(np.array(exact), abs=0.01)
    assert ((of.p < 0.05) == ((of.low > 0) | (of.high < 0))).all()


def test_results_do_not_depend_on_the_order_of_judges_and_families():
    scores, own = made(), members()
    of = answered(scores, own)
    turned = FavourScores(scores.reference, scores.judges[::-1], scores.controls[::-1])
    other = answered(turned, own[::-1]).equal_beside_control
    one = of.equal_beside_control
    for name in ("value", "low", "high", "p"):
        assert getattr(other, name)[::-1, ::-1] == pytest.approx(getattr(one, name), abs=1e-12)


def test_topics_without_a_control_are_beside_the_reference_only():
    scores = made(topics=20)
    scores.controls[0, :6] = np.nan
    scores.controls[1, :3] = np.nan
    of = answered(scores)
    assert (of.topics, of.controlled) == (20, 17)
    some = answered(scores.of_topics(np.arange(3, 20)))
    assert of.beside_control.value == pytest.approx(some.beside_control.value)
    assert np.isnan(of.beside_reference.value[2:]).all()
    assert np.isfinite(of.beside_reference.value[:2]).all()
    table = of.table.set_index(["judge", "family", "topic"])["control"]
    assert np.isnan(table["j0", "f0", "2"])
    only_second = plain.plain((scores.controls[1] - scores.reference).tolist(), members()[0])
    assert table["j0", "f0", "4"] == pytest.approx(only_second[4])


def test_identical_judges_and_a_judge_that_is_the_reference():
    scores = made()
    judges = np.stack([scores.judges[0], scores.judges[0], scores.reference])
    of = answered(FavourScores(scores.reference, judges, scores.controls[:0])).beside_reference
    assert (of.value[0] == of.value[1]).all()
    assert (of.p[0] == of.p[1]).all()
    assert (of.value[2] == 0).all()
    assert (of.p[2] == 1).all()


@pytest.mark.parametrize("topics", [1, 2, 14])
def test_few_topics_have_effects_and_no_intervals(topics):
    of = answered(made(topics=topics))
    assert np.isfinite(of.beside_control.value).all()
    assert np.isnan(of.beside_control.low).all()
    assert np.isnan(of.beside_control.p).all()
    assert np.isnan(of.beside_control.detectable).all()


def test_systems_of_one_quality_have_no_slope():
    rng = np.random.default_rng(4)
    reference = rng.normal(0.5, 0.1, (20, 12))
    judges = reference + rng.normal(0, 0.1, (1, 20, 12))
    of = answered(FavourScores(reference, judges, np.empty((0, 20, 12))))
    assert np.isnan(of.slopes).all()
    assert np.isnan(of.equal_beside_reference.value).all()
    assert np.isfinite(of.beside_reference.low).all()


def test_families_have_some_systems_and_not_all():
    for own, words in ((np.ones(3, bool), "all systems"), (np.zeros(3, bool), "no system")):
        with pytest.raises(MethodError, match=words):
            contrasts(np.stack([[True, False, False], own]))
    one = beside_others(np.array([[[3.0, 1, 2]]]), np.ones((1, 3)), np.eye(3, dtype=bool)[:1])
    assert one[0, 0, 0] == 1.5


def test_a_family_of_all_the_best_systems_is_far_from_the_others():
    rng = np.random.default_rng(2)
    own = np.arange(20) < 5
    quality = np.where(own, 0.9, rng.uniform(0.3, 0.5, 20))
    reference = quality + rng.normal(0, 0.02, (15, 20))
    gap = quality_gap(reference, np.stack([own, np.arange(20) % 2 == 0]))
    assert gap[0] > 1
    assert abs(gap[1]) < 0.25 + 0.5


def test_what_favour_changes_is_counted_pair_by_pair():
    rng = np.random.default_rng(6)
    reference, own = rng.random(25), np.arange(25) < 6
    judge = reference + 0.2 * own + rng.normal(0, 0.02, 25)
    judge[7] = judge[3]
    of = RankingChange.of(reference, judge, own, 0.2)

    def turned(after):
        pairs = [(i, o) for i in np.flatnonzero(own) for o in np.flatnonzero(~own)]
        signs = [
            (np.sign(reference[i] - reference[o]), np.sign(after[i] - after[o])) for i, o in pairs
        ]
        return signs.count((-1, 1)), signs.count((1, -1))

    without = judge - 0.2 * own
    assert (of.turned_for, of.turned_against) == turned(judge)
    assert (of.turned_for_without, of.turned_against_without) == turned(without)
    assert of.pairs == 6 * 19
    place = [1 + sum(other > one for other in judge) for one in judge]
    assert ranks(judge).tolist() == place
    assert of.first == sum(np.array(place)[own] <= 10)
    assert of.tau == pytest.approx(tau_b(reference, judge))
    assert of.tau_without > of.tau
