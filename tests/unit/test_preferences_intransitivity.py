"""Cycles and stochastic transitivity, against every triple and ordering in plain Python."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from regrade.catalogue import columns_of
from regrade.errors import MethodError
from regrade.preferences.consistency import consistency
from regrade.preferences.intransitivity import (
    _shares,
    judge_table,
    simulated_answers,
    transitivity_table,
    triples_of,
    violations,
)
from regrade.preferences.posterior import estimate_spread, recorded
from regrade.randomness import generator

from .preferences_frames import drawn, preferences, wins


def asked(seed, n=8, rows=60, topics=("1", "2")):
    def answer(rng, pairs):
        return rng.choice([-1, 0, 1], len(pairs), p=[0.5, 0.1, 0.4])

    return drawn(seed, answer, n=n, rows=rows, topics=topics)


def shares(topic):
    """(i, j) → share of answers for i, and how many there are."""
    found = {}
    for p, (i, j) in enumerate(zip(topic.first.tolist(), topic.second.tolist(), strict=True)):
        m = topic.offsets[p + 1] - topic.offsets[p]
        found[i, j], found[j, i] = (topic.wins[p] / m, m), (topic.losses[p] / m, m)
    return found


def plain(topic, keep=lambda *_: True):
    """Tried and violated, quantity by quantity."""
    p = shares(topic)
    tried, violated = [0] * 4, [0] * 4
    for triple in itertools.combinations(range(topic.n_documents), 3):
        if not all(pair in p for pair in itertools.combinations(triple, 2)) or not keep(*triple):
            continue
        values = {pair: p[pair] for pair in itertools.permutations(triple, 2)}
        if all(share != 0.5 for share, _ in values.values()):
            tried[0] += 1
            violated[0] += any(
                values[a, b][0] > 0.5 and values[b, c][0] > 0.5 and values[c, a][0] > 0.5
                for a, b, c in itertools.permutations(triple)
            )
        if min(m for _, m in values.values()) < 2:
            continue
        chains = [
            (values[a, b][0], values[b, c][0], values[a, c][0])
            for a, b, c in itertools.permutations(triple)
            if values[a, b][0] >= 0.5 and values[b, c][0] >= 0.5
        ]
        for q, bound in enumerate((lambda *_: 0.5, min, max), 1):
            tried[q] += 1
            violated[q] += any(ac < bound(ab, bc) - 1e-12 for ab, bc, ac in chains)
    return tried, violated


@pytest.mark.parametrize("seed", range(5))
def test_every_triple_is_looked_at(seed):
    (topic,) = recorded(asked(seed, topics=["1"]))
    triples = triples_of(topic.n_documents, topic.first, topic.second)
    found = violations(topic.wins, np.diff(topic.offsets), triples)
    expected = plain(topic)
    assert [part.tolist() for part in found] == [list(map(float, part)) for part in expected]
    assert expected[1][3] >= expected[1][2] >= expected[1][1]


def test_cycles_are_those_of_consistency():
    frame = asked(3)
    table = transitivity_table({"one": recorded(frame)}, draws=5, resamples=20)
    ours = table[table["quantity"] == "cycles"].iloc[0]
    theirs = consistency(frame, by=["topic"])
    assert (ours["n"], ours["count"]) == (theirs["triples"].sum(), theirs["cycles"].sum())


def test_judges_are_held_beside_each_other_on_the_same_triples():
    one, two = recorded(asked(1, rows=45)), recorded(asked(2, rows=45, topics=("1", "2", "3")))
    table = transitivity_table({"a": one, "b": two}, draws=20, resamples=200)
    assert list(table) == columns_of("pair-budgets/transitivity")
    common = table[table["scope"] == "common"].set_index(["judge", "quantity"])
    tried = {}
    for name, own, other in (("a", one, two), ("b", two, one)):
        counts = np.zeros(2)
        for topic in own:
            if topic.topic == "3":
                continue
            beside = next(t for t in other if t.topic == topic.topic)
            names = {docno: i for i, docno in enumerate(beside.docnos)}
            p = shares(beside)

            def decided(*triple, topic=topic, names=names, p=p):
                them = [names[topic.docnos[i]] for i in triple]
                pairs = itertools.combinations(them, 2)
                return all(pair in p and p[pair][0] != 0.5 for pair in pairs)

            found = plain(topic, decided)
            counts += (found[0][0], found[1][0])
        tried[name] = counts
        row = common.loc[(name, "cycles")]
        assert (row["n"], row["count"]) == tuple(counts)
        assert row["share"] == pytest.approx(counts[1] / counts[0])
        assert row[["low", "high"]].isna().all()  # two topics are too few
        assert row["random"] == pytest.approx(0.25, abs=0.06)
    assert tried["a"][0] == tried["b"][0]
    row = common.loc[("b", "cycles")]
    difference = tried["b"][1] / tried["b"][0] - tried["a"][1] / tried["a"][0]
    assert row["difference"] == pytest.approx(difference)
    assert common.loc[("a", "cycles"), "difference"] == 0
    assert common.loc[("a", "feedback"), "n"] == common.loc[("b", "feedback"), "n"]
    assert set(common.index.get_level_values(1)) == {"cycles", "feedback"}


def test_shares_have_intervals_by_how_draws_of_topics_scatter():
    rng = np.random.default_rng(2)
    tried = rng.integers(5, 30, 14).astype(float)
    one, two = (rng.binomial(tried.astype(int), p).astype(float) for p in (0.2, 0.3))
    row = _shares(tried, two, (tried, one), 300, generator(4, "topics", "cell"))
    drawn = generator(4, "topics", "cell").integers(0, 14, (300, 14))
    found = [[of[d].sum() / tried[d].sum() for d in drawn] for of in (two, one)]
    half = stats.t.ppf(0.975, 13) * np.sqrt(14 / 13)
    share, other = two.sum() / tried.sum(), one.sum() / tried.sum()
    assert (row["share"], row["difference"]) == pytest.approx((share, share - other))
    spread = half * np.std(found[0])
    assert (row["low"], row["high"]) == pytest.approx((share - spread, share + spread))
    spread = half * np.std(np.subtract(*found))
    ends = share - other - spread, share - other + spread
    assert (row["difference_low"], row["difference_high"]) == pytest.approx(ends)


def test_feedback_is_of_the_pairs_that_all_decided():
    circle = wins("AB", "BC", "CA", "AD")
    line = wins("AB", "BC", "AC", "DE")
    table = transitivity_table({"a": recorded(circle), "b": recorded(line)}, draws=3, resamples=9)
    rows = table[table["scope"] == "common"].set_index(["judge", "quantity"])
    assert rows.loc[("a", "feedback"), ["n", "count"]].tolist() == [3, 1]
    assert rows.loc[("b", "feedback"), ["n", "count"]].tolist() == [3, 0]
    assert rows.loc[("a", "cycles"), "share"] == 1
    assert rows.loc[("b", "cycles"), "difference"] == -1


def test_someone_with_an_order_makes_the_cycles_of_the_fit():
    rng = np.random.default_rng(5)
    n, parts = 14, []
    for topic in range(12):
        x = rng.normal(0, 1, n)
        rows = [
            (f"{i:02}", f"{j:02}", -1 if rng.random() < 1 / (1 + np.exp(x[j] - x[i])) else 1)
            for i, j in itertools.combinations(range(n), 2)
        ]
        parts.append(preferences(*rows, topic=str(topic)))
    table = transitivity_table({"a": recorded(pd.concat(parts, ignore_index=True))}, draws=100)
    row = table.iloc[0]
    assert row["quantity"] == "cycles"
    assert row["share"] == pytest.approx(row["fitted"], abs=0.03)
    assert row["random_low"] < 0.25 < row["random_high"]
    assert row["high"] < row["random_low"]


def test_made_answers_are_to_the_same_questions():
    (topic,) = recorded(asked(4, topics=["1"]))
    x = np.arange(topic.n_documents) / 4
    made = simulated_answers(topic, x, np.random.default_rng(3))
    assert made.n_answers == topic.n_answers
    assert set(made.answers) == {0, 1}
    for start, stop in itertools.pairwise(made.offsets):
        assert (np.diff(made.answers[start:stop]) >= 0).all()
    far = simulated_answers(topic, 1e3 * x, np.random.default_rng(3))
    assert (far.wins == 0).all()  # the second document is the stronger one
    equal = [simulated_answers(topic, 0 * x, np.random.default_rng(k)).answers.mean()
             for k in range(200)]  # fmt: skip
    assert np.mean(equal) == pytest.approx(0.5, abs=0.02)


def few_answers(seed, spread=0.7, topics=30, n=20, pairs=80):
    """Someone with an order, asked about few pairs."""
    rng = np.random.default_rng(seed)
    possible = np.array(list(itertools.combinations(range(n), 2)))
    parts = []
    for topic in range(topics):
        x = rng.normal(0, spread, n)
        some = possible[rng.choice(len(possible), pairs, replace=False)]
        signs = np.where(rng.random(pairs) < special.expit(x[some[:, 0]] - x[some[:, 1]]), -1, 1)
        rows = [(f"{i:02}", f"{j:02}", s) for (i, j), s in zip(some, signs, strict=True)]
        parts.append(preferences(*rows, topic=str(topic)))
    return recorded(pd.concat(parts, ignore_index=True))


@pytest.mark.slow
def test_the_corrected_baseline_is_that_of_someone_with_an_order():
    """Over many made judges the fitted baseline exceeds their cycles; corrected it does not."""
    excess = {0: [], 8: []}
    for seed in range(12):
        judge = {"a": few_answers(seed)}
        for worlds, found in excess.items():
            table = transitivity_table(judge, draws=20, worlds=worlds, resamples=5, seed=seed)
            row = table.iloc[0]
            found.append(row["fitted"] - row["share"])
            assert (row["fitted_bias"] == 0) == (worlds == 0)
    error = np.std(excess[8]) / 12**0.5
    assert abs(np.mean(excess[8])) < 2.5 * error
    assert abs(np.mean(excess[8])) < np.mean(excess[0])


def test_threads_change_nothing():
    judges = {"a": recorded(asked(1, rows=45)), "b": recorded(asked(2, rows=45))}
    one, two = (
        transitivity_table(judges, draws=5, worlds=4, resamples=20, threads=threads)
        for threads in (1, 3)
    )
    pd.testing.assert_frame_equal(one, two)
    assert one.loc[one["quantity"] == "cycles", "fitted_bias"].notna().all()
    assert one.loc[one["quantity"] == "feedback", "fitted_bias"].isna().all()


def test_names_and_order_change_nothing():
    frame = asked(6)
    again = frame.sample(frac=1, random_state=2).reset_index(drop=True)
    one, two = (
        transitivity_table({"a": recorded(f)}, {"a": 1.0}, draws=5, resamples=20)
        for f in (frame, again)
    )
    pd.testing.assert_frame_equal(one, two)


def test_without_triples_there_is_no_share():
    table = transitivity_table({"a": recorded(wins("AB", "BC"))}, draws=3, resamples=9)
    assert table["n"].tolist() == [0]
    assert table["share"].isna().all()
    nothing = transitivity_table(
        {"a": recorded(wins("AB")), "b": recorded(wins("AB", topic="9"))}, draws=3, resamples=9
    )
    assert nothing.loc[nothing["scope"] == "common", "n"].eq(0).all()
    with pytest.raises(MethodError, match="no judge"):
        transitivity_table({})


def test_judges_are_described():
    topics = recorded(asked(1))
    table = judge_table({"a": topics, "b": topics})
    assert list(table) == columns_of("pair-budgets/judges")
    estimated = estimate_spread([(t.n_documents, t.first, t.second, t.wins, t.losses)
                                 for t in topics])  # fmt: skip
    assert table["spread"].tolist() == pytest.approx([estimated] * 2)
    assert table["answers"].tolist() == [120, 120]
    assert table["topics"].tolist() == [2, 2]
