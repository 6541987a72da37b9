"""When to stop: how sure one is by drawing in plain numpy, and what is kept in made worlds."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from regrade.catalogue import columns_of
from regrade.choices import PAIR_WORLDS
from regrade.preferences.next_pairs import strengths_of_all
from regrade.preferences.posterior import posterior, recorded
from regrade.preferences.stopping import (
    NEARLY,
    Rule,
    Worlds,
    _tau_of_draw,
    _tied_groups,
    coverage_table,
    first_sure,
    how_sure,
    stop_summary,
    stop_table,
    true_strengths,
)

from .preferences_frames import drawn

SMALL = Worlds(documents=8, worlds=20, most=10, shapes=["normal"], policies=["random"])


def asked(seed=1, n=9, rows=60, topics=("1", "2")):
    def answer(rng, pairs):
        return [-1 if rng.random() < special.expit(j - i) else 1 for i, j in pairs]

    return drawn(seed, answer, n=n, rows=rows, topics=topics)


def test_how_sure_is_a_share_of_drawn_orders():
    rng = np.random.default_rng(3)
    pairs = np.array(list(itertools.combinations(range(6), 2)))
    won = rng.uniform(0, 3, len(pairs))  # nothing ties
    known = posterior(6, *pairs.T, won, 3 - won, 1.0)
    codes = (
        np.array([0, 1, 2, 1]),
        np.array([0.6, 2 / 3, 2 / 3, 1.0]),
        np.array([0, 3, 3, 1]),
        20_000,
    )
    sure = np.empty(4)
    how_sure(sure, known.mean, known.covariance, codes, rng)
    drawn = rng.multivariate_normal(known.mean, known.covariance, 20_000)
    likely, other = (np.sign(np.diff(x[..., pairs])[..., 0]) for x in (known.mean, drawn))
    taus = (likely * other).mean(axis=1)
    several = [stats.kendalltau(known.mean, x).statistic for x in drawn[:200]]
    np.testing.assert_allclose(taus[:200], several, atol=1e-12)
    best = np.argsort(-known.mean)[:3]
    overlaps = np.isin(np.argsort(-drawn)[:, :3], best).mean(axis=1)
    near = (drawn[:, best] >= np.sort(drawn)[:, [-3]] - NEARLY).mean(axis=1)
    firsts = drawn.argmax(axis=1) == known.mean.argmax()
    found = (taus, 0.6), (overlaps, 2 / 3), (near, 2 / 3), (firsts, 1)
    shares = [np.mean(np.array(v) >= t - 1e-9) for v, t in found]
    assert shares[2] > shares[1]
    np.testing.assert_allclose(sure, shares, atol=0.02)


def test_who_knows_nothing_is_not_sure():
    sure = np.empty(2)
    nothing = np.zeros(12), np.eye(12)
    codes = np.array([0, 1]), np.array([0.5, 0.9]), np.array([0, 4]), 500
    how_sure(sure, *nothing, codes, np.random.default_rng(1))
    assert sure[0] == 0  # all tied: no order to be sure of
    assert sure[1] < 0.1


def test_one_stops_at_the_first_look_that_is_sure():
    sure = np.array([[0.2, 0.9, 0.5], [0.1, 0.2, 0.3], [0.8, 0.8, 0.8]])
    place, stopped = first_sure(sure, 0.8)
    assert place.tolist() == [1, 2, 0]
    assert stopped.tolist() == [True, False, True]


@pytest.mark.parametrize("shape", PAIR_WORLDS)
def test_made_strengths_have_the_spread_they_say(shape):
    for strong in (2, 4, 10):
        rng = np.random.default_rng(4)
        drawn = np.stack([true_strengths(shape, 20, 1.7, rng, strong) for _ in range(4000)])
        assert drawn.mean() == pytest.approx(0, abs=0.05)
        assert drawn.std() == pytest.approx(1.7, rel=0.06)


@pytest.mark.parametrize("strong", [1, 2, 7, 19])
def test_so_many_documents_of_two_groups_are_strong(strong):
    drawn = np.sort(true_strengths("groups", 20, 1.5, np.random.default_rng(5), strong))
    assert np.diff(drawn).argmax() == 20 - strong - 1
    kinds = Worlds(shapes=["normal", "groups"], strong=[2, strong]).kinds
    assert kinds[1:] == [("groups of 2", "groups", 2), (f"groups of {strong}", "groups", strong)]
    assert kinds[0] == ("normal", "normal", 0)


def test_nearly_as_good_keeps_its_promise_where_the_best_do_not():
    """Half of the documents hardly differ, and ten, more than the strong, are reported as best."""
    rule = Rule((("top", 0.8), ("near", 0.8)), [0.9], tops=[5, 10], every=1)
    worlds = Worlds(
        worlds=60, shapes=["groups"], strong=[4], assumed=[3.0], policies=["information"]
    )
    table = coverage_table(worlds, rule).set_index(["rule", "top"])
    assert table.loc[("top", 10), "high"] < 0.7
    near = table.loc["near"]
    assert (near["stopped"] == 60).all()
    assert (near["share"] >= 0.9).all()


def test_the_promise_is_kept_where_the_model_is_right():
    """Of a posterior that is right the statement holds as often as promised, or more often."""
    targets = ("tau", 0.5), ("near", 0.6)
    rule = Rule(targets, [0.5, 0.7, 0.9], tops=[3], every=1, draws=200)
    worlds = Worlds(
        documents=8, worlds=200, most=14, spreads=[1.5], assumed=[1.5], shapes=["normal"],
        policies=["random"],
    )  # fmt: skip
    table = coverage_table(worlds, rule)
    assert (table["stopped"] > 20).all()
    assert (table["high"] >= table["confidence"]).all()


def test_who_thinks_documents_far_apart_promises_too_much():
    rule = Rule((("tau", 0.6),), [0.8], every=1)
    worlds = Worlds(
        documents=10, worlds=60, spreads=[0.5], assumed=[5.0], shapes=["normal"],
        policies=["information"],
    )  # fmt: skip
    table = coverage_table(worlds, rule)
    assert table["high"].item() < 0.8


def test_a_tenth_of_careless_answers_is_given_without_a_look():
    """After one answer about two documents τ is 1 if the better one was preferred, else −1."""
    spread, rule = 20.0, Rule((("tau", 1.0),), [0.01], every=1, draws=10)
    worlds = Worlds(
        documents=2, most=0.5, worlds=400, spreads=[spread], assumed=[spread],
        shapes=["normal", "careless"], policies=["random"],
    )  # fmt: skip
    table = coverage_table(worlds, rule)
    normal, careless = table["achieved"]
    of_difference = stats.norm(scale=spread * np.sqrt(2))
    looked = of_difference.expect(lambda d: np.tanh(abs(d) / 2))
    assert normal == pytest.approx(looked, abs=0.045)
    assert careless == pytest.approx(0.9 * looked, abs=0.075)
    assert table["stopped"].tolist() == [400, 400]
    assert table["questions"].tolist() == [0.5, 0.5]
    assert table["share"].tolist() == (table["kept"] / 400).tolist()


def test_tables_of_worlds_do_not_depend_on_threads_or_other_kinds():
    rule = Rule(confidences=[0.5, 0.9], tops=[3], every=2, draws=50)
    table = coverage_table(SMALL, rule, threads=2)
    assert list(table) == columns_of("pair-worlds/coverage")
    assert len(table) == 3 * 3 * 2
    assert table["top"].isna().tolist() == (table["rule"] == "tau").tolist()
    assert set(table["top"].dropna()) == {3}
    alone = coverage_table(
        Worlds(documents=8, worlds=20, most=10, shapes=["normal"], policies=["random"],
               assumed=[3.0]), rule,
    )  # fmt: skip
    both = table[table["assumed"] == 3.0].reset_index(drop=True)
    pd.testing.assert_frame_equal(both, alone)
    assert table.loc[table["kept"] > table["stopped"]].empty
    assert table["questions"].dropna().between(2, 10).all()


def test_recorded_answers_stop_where_one_is_sure():
    topics = recorded(asked())
    rule = Rule(confidences=[0.3, 0.999], tops=[3], every=1, draws=300)
    table = stop_table(topics, 1.5, rule)
    assert list(table) == columns_of("pair-budgets/stops")
    assert len(table) == 2 * 3 * 2
    pd.testing.assert_frame_equal(table, stop_table(topics, 1.5, rule, threads=2))
    early = table[table["confidence"] == 0.3].reset_index(drop=True)
    late = table[table["confidence"] == 0.999].reset_index(drop=True)
    assert (early["questions"] <= late["questions"]).all()
    assert (early.loc[early["stopped"], "sure"] >= 0.3).all()
    never = table[~table["stopped"]]
    assert (never["questions"] == never["answers"]).all()
    # everything asked: nothing differs from the order under all answers
    assert (never["agreement"] == 1).all()
    for topic, expected in table.groupby("topic")["expected_tau"].first().items():
        one = next(t for t in topics if t.topic == topic)
        arrays = one.first, one.second, one.wins, one.losses
        known = posterior(one.n_documents, *arrays, 1.5)
        assert expected == pytest.approx(known.tau_expected(), abs=1e-9)
        np.testing.assert_allclose(known.mean, strengths_of_all(one, 1.5), atol=1e-9)


def test_topics_are_summarised():
    table = stop_table(recorded(asked()), 1.5, Rule(confidences=[0.3], tops=[3], every=1))
    found = stop_summary(table).iloc[0]
    some = table[table["rule"] == "tau"]
    early = some[some["stopped"] & (some["questions"] < some["answers"])]
    assert found["topics"] == 2
    assert found["stopped"] == len(early)
    assert found["saved"] == pytest.approx(1 - some["questions"].sum() / some["answers"].sum())


def test_of_few_documents_all_are_the_best():
    table = stop_table(recorded(asked(n=4)), 1.5, Rule(confidences=[0.5], tops=[4]))
    assert set(table["rule"]) == {"tau"}


@pytest.mark.parametrize("n", [1, 2, 3, 7, 20, 33])
@pytest.mark.parametrize("ties", [False, True])
def test_tau_of_a_draw_is_tau_b(n, ties):
    rng = np.random.default_rng(n)
    x = rng.integers(0, max(n // 2, 1), n).astype(float) if ties else rng.normal(size=n)
    order, groups, apart = _tied_groups(x)
    for _ in range(5):
        drawn = rng.normal(size=n)
        found = _tau_of_draw(drawn[order], groups, apart, np.empty(n))
        expected = stats.kendalltau(x, drawn).statistic if n > 1 else np.nan
        assert found == pytest.approx(0.0 if np.isnan(expected) else expected, abs=1e-12)
