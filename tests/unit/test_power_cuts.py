"""Every cut at once: pairwise entropy and PDP from prefix sums, against plain loops."""

import math

import numpy as np
import pandas as pd
import pytest

from regrade.cutsearch.thresholds import Thresholds
from regrade.errors import ParameterError
from regrade.power import cuts as module
from regrade.power.cuts import CutPower
from regrade.power.preferences import (
    Graded,
    PreferenceTests,
    average_preferences,
    grade_preferences,
)
from regrade.power.topics import Lists, PowerOptions, judged_lists, power_table
from regrade.scales import Scale
from tests.unit.test_power_topics import drawn, judgments
from tests.unit.test_power_topics import preferences as preference_frame

DOUBT = 0.01


def collection(mode="aggregate", **options):
    said, tests = drawn(grades=7, **options)
    graded = Graded.from_table(judgments(said)).in_mode(mode)
    thresholds = Thresholds.of(Scale.of({"levels": 7}), 2)
    return graded, PreferenceTests.from_table(preference_frame(tests)), thresholds


def entropy(p):
    p = min(max(p, DOUBT), 1 - DOUBT)
    return -p * math.log(p) - (1 - p) * math.log(1 - p)


def plain_pair_entropy(graded, tests, lists, cut):
    """Mean over topics and lists of the mean over pairs, and over their assessors, of h(p)."""
    some = graded.cut(cut)
    found = grade_preferences(some, tests)
    topics = []
    for topic, of in lists.documents.items():
        values = []
        for docnos in of:
            places = some.places(pd.MultiIndex.from_product([[topic], docnos]))
            codes, pairs = some.codes[places], []
            for i in range(len(codes)):
                for j in range(i):
                    both = [
                        (g, h) for g, h in zip(codes[i], codes[j], strict=True) if g >= 0 and h >= 0
                    ]
                    each = [
                        math.log(2) if g == h else entropy(found.probabilities[g, h])
                        for g, h in both
                    ]
                    pairs.append(np.mean(each) if each else math.log(2))
            values.append(np.mean(pairs))
        topics.append(np.mean(values))
    return np.mean(topics)


@pytest.mark.parametrize("mode", ["individual", "aggregate"])
@pytest.mark.parametrize("levels", [2, 3, 4])
def test_pairwise_entropy_is_that_of_plain_loops(mode, levels):
    graded, tests, thresholds = collection(mode, missing=0.2 if mode == "individual" else 0.0)
    lists = judged_lists([graded])
    power = CutPower.of(graded, tests, lists, thresholds)
    places = power.candidates(len(thresholds.values), levels)
    assert len(places) == math.comb(6, levels - 1)
    found = power.pair_entropies(places)
    for place, value in zip(places, found, strict=True):
        plain = plain_pair_entropy(graded, tests, lists, thresholds.values[place])
        assert value == pytest.approx(plain, abs=1e-12)


def test_power_of_every_cut_is_that_of_the_cut_set():
    graded, tests, thresholds = collection()
    topics = judged_lists([graded]).documents
    tops = Lists("top 3", {t: [d[:3], d[1:4], d[:3], d[:1]] for t, (d,) in topics.items()})
    twos = Lists("top 2", {t: [d[:2], d[1:3]] for t, (d,) in topics.items()})
    for lists in (judged_lists([graded]), tops, twos):
        power = CutPower.of(graded, tests, lists, thresholds)
        assert power.is_exact
        for levels in (2, 3, 4, 5):
            places = power.candidates(len(thresholds.values), levels)
            found = power.powers(places, threads=2)
            for place, value in zip(places, found, strict=True):
                cut = graded.cut(thresholds.values[place])
                table = power_table(cut, tests, [lists], PowerOptions(modes=["aggregate"]))
                assert value == pytest.approx(table["entropy"].iloc[-1], abs=1e-9)


def test_threads_change_nothing():
    graded, tests, thresholds = collection()
    power = CutPower.of(graded, tests, judged_lists([graded]), thresholds)
    places = power.candidates(6, 3)
    assert (power.powers(places, 1) == power.powers(places, 3)).all()


def test_many_documents_are_an_integral(monkeypatch):
    graded, tests, thresholds = collection(topics=1, documents=10)
    power = CutPower.of(graded, tests, judged_lists([graded]), thresholds)
    places = power.candidates(6, 3)
    states = power.powers(places)
    many = CutPower(power.wins, power.tests, power.pairs, power.lists * 40, power.weights, True)
    assert (many.powers(places) > states).all()


def test_more_than_four_levels_come_from_a_grid_and_moves(monkeypatch):
    """Every cut of a small scale as the oracle: the best one is found, and none is worse."""
    graded, tests, thresholds = collection(topics=6, documents=9)
    power = CutPower.of(graded, tests, judged_lists([graded]), thresholds)
    every = power.candidates(6, 5)
    assert len(every) == 15
    best = power.pair_entropies(every).min()
    monkeypatch.setattr(module, "_GRID_CUTS", 1)
    few = power.candidates(6, 5)
    assert len(few) < 15
    assert power.pair_entropies(few).min() == pytest.approx(best)


def test_too_many_levels_are_refused():
    graded, tests, thresholds = collection()
    power = CutPower.of(graded, tests, judged_lists([graded]), thresholds)
    with pytest.raises(ParameterError, match="7 values cannot be cut into 8"):
        power.candidates(6, 8)


def test_every_document_alike_or_none_compared():
    index = pd.MultiIndex.from_product([["a"], ["d0", "d1", "d2"]], names=["topic", "docno"])
    graded = Graded.from_values(index, np.array([[3.0], [3.0], [3.0]]))
    rows = preference_frame([("a", "d0", "d1", -1.0), ("a", "d1", "d2", 1.0)])
    tests = PreferenceTests.from_table(rows)
    thresholds = Thresholds.of(Scale.of({"levels": 7}), 2)
    power = CutPower.of(graded, tests, judged_lists([graded]), thresholds)
    places = power.candidates(6, 2)
    assert power.powers(places) == pytest.approx(math.log(6))
    assert power.pair_entropies(places) == pytest.approx(math.log(2))
    grades = grade_preferences(graded, tests)
    found, _ = average_preferences(graded.codes, grades.probabilities, grades.known)
    assert found == pytest.approx(0.5)
