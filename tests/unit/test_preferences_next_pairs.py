"""Policies replayed: each against a plain replay that computes the posterior after every answer."""

import itertools
import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import special, stats

from regrade.catalogue import columns_of
from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import PAIR_POLICIES
from regrade.preferences.gains import GainRankings
from regrade.preferences.next_pairs import (
    OVERLAP,
    Replays,
    ask,
    policy_table,
    replay,
    strengths_of_all,
)
from regrade.preferences.posterior import posterior, recorded
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import score
from tests.reference.skewed_means import mean_ends
from tests.unit.test_preferences_subsets import runs

from .preferences_frames import drawn, preferences, wins

NEWTON = ("uncertainty", "information", "top")


def asked(seed=1, n=9, rows=45, topics=("1",)):
    """Answers by strengths that fall with the document's number."""

    def answer(rng, pairs):
        strengths = [-1 if rng.random() < special.expit(0.5 * (j - i)) else 1 for i, j in pairs]
        return np.where(rng.random(len(pairs)) < 0.1, 0, strengths)

    return drawn(seed, answer, n=n, rows=rows, topics=topics)


def first_of(values, order):
    """Of the highest values, equal ones within rounding, the first of an order."""
    best = max(values.values())
    return next(p for p in order if p in values and values[p] >= best - 1e-10 * (1 + abs(best)))


class Plain:
    """A replay in plain Python."""

    def __init__(self, topic, answers, order, top, spread):
        self.topic, self.order, self.top, self.spread = topic, list(order), top, spread
        self.left = {
            p: list(answers[topic.offsets[p] : topic.offsets[p + 1]]) for p in range(topic.n_pairs)
        }
        self.given = {p: [] for p in range(topic.n_pairs)}
        self.pairs = dict(enumerate(zip(topic.first.tolist(), topic.second.tolist(), strict=True)))
        self.entrants, self.met = set(range(topic.n_documents)), set()

    def known(self):
        p = [p for p, given in self.given.items() if given]
        won = np.array([sum(self.given[q]) for q in p], dtype=float)
        count = np.array([len(self.given[q]) for q in p], dtype=float)
        first, second = (np.array([self.pairs[q][side] for q in p], dtype=int) for side in (0, 1))
        return posterior(self.topic.n_documents, first, second, won, count - won, self.spread)

    def values(self, policy):
        can = [p for p, left in self.left.items() if left]
        if policy == "random":
            return {p: -len(self.given[p]) for p in can}
        shown = [
            sum(len(g) for p, g in self.given.items() if d in self.pairs[p])
            for d in range(self.topic.n_documents)
        ]
        if policy == "even":
            fewest = min(len(self.given[p]) for p in can)
            can = [p for p in can if len(self.given[p]) == fewest]
            return {p: -sum(shown[d] for d in self.pairs[p]) for p in can}
        now = self.known()
        found = {}
        for p in can:
            i, j = self.pairs[p]
            variance = now.covariance[i, i] + now.covariance[j, j] - 2 * now.covariance[i, j]
            d = now.mean[i] - now.mean[j]
            if policy == "uncertainty":
                found[p] = -abs(d) / math.sqrt(1 + math.pi * variance / 8)
                continue
            share = special.expit(d)
            found[p] = math.log(1 + share * (1 - share) * variance) / 2
            if policy == "top" and self.topic.n_documents > self.top:
                ordered = sorted(now.mean, reverse=True)
                edge = (ordered[self.top - 1] + ordered[self.top]) / 2
                scale = np.sqrt(np.diag(now.covariance))
                q = stats.norm.cdf((now.mean - edge) / scale)
                found[p] *= sum(q[d] * (1 - q[d]) for d in (i, j))
        return found

    def match(self):
        """The next pair of a tournament."""
        for step in ("this round", "next round", "next tournament"):
            if step != "this round":
                self.met = set()
                if step == "next tournament" or len(self.entrants) <= self.top:
                    self.entrants = set(range(self.topic.n_documents))
            free = self.entrants - self.met
            can = {p: -len(self.given[p]) for p, left in self.left.items()
                   if left and set(self.pairs[p]) <= free}  # fmt: skip
            if can:
                return first_of(can, self.order)
        raise AssertionError

    def ask(self, policy):
        p = self.match() if policy == "tournament" else first_of(self.values(policy), self.order)
        answer = self.left[p].pop(0)
        self.given[p].append(answer)
        if policy == "tournament":
            i, j = self.pairs[p]
            self.met |= {i, j}
            places = [next((k, self.pairs[q].index(d)) for k, q in enumerate(self.order)
                           if d in self.pairs[q]) for d in (i, j)]  # fmt: skip
            goes_on = answer > 0.5 or (answer == 0.5 and places[0] < places[1])
            self.entrants -= {j if goes_on else i}


@pytest.mark.parametrize("policy", PAIR_POLICIES)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("top", [2, 20])
def test_a_policy_asks_what_it_says(policy, seed, top):
    (topic,) = recorded(asked(seed))
    rng = np.random.default_rng(seed)
    order = rng.permutation(topic.n_pairs)
    stops = np.arange(0, topic.n_answers + 1, 3)
    found = np.empty((len(stops), topic.n_documents))
    arrays = topic.first, topic.second, topic.offsets, topic.answers
    ask(found, arrays, order, stops, PAIR_POLICIES.index(policy), top, 1.3, 1)
    plain = Plain(topic, topic.answers, order, top, 1.3)
    for stop in range(stops[-1] + 1):
        if stop in stops:
            expected = plain.known().mean
            np.testing.assert_allclose(found[stop // 3], expected, atol=1e-8, err_msg=str(stop))
        if stop < stops[-1]:
            plain.ask(policy)


@pytest.mark.parametrize("policy", PAIR_POLICIES)
def test_in_the_end_all_is_asked(policy):
    topics = recorded(asked(topics=["1", "2"]))
    for topic in topics:
        found = replay(topic, policy, Replays(per_document=[1, 100], repeats=3, spread=1.5))
        truth = strengths_of_all(topic, 1.5)
        np.testing.assert_allclose(found[:, 1], np.tile(truth, (3, 1)), atol=1e-8)
        assert not np.allclose(found[0, 0], found[1, 0])


@pytest.mark.parametrize("policy", NEWTON)
def test_rank_one_updates_stay_near_what_is_computed_anew(policy):
    (topic,) = recorded(asked(3, n=12, rows=80))
    often, seldom = (
        replay(topic, policy, Replays(per_document=[2], repeats=40, refit=refit, spread=0.7))
        for refit in (0, 100)
    )
    truth = strengths_of_all(topic, 0.7)
    taus = [[stats.kendalltau(truth, x).statistic for x in one[:, 0]] for one in (often, seldom)]
    assert np.mean(taus[0]) == pytest.approx(np.mean(taus[1]), abs=0.08)


def test_replays_do_not_depend_on_other_topics_budgets_or_repeats():
    topics = recorded(asked(topics=["1", "2"]))
    one = replay(topics[1], "random", Replays(per_document=[1, 2], repeats=4))
    two = replay(
        recorded(asked(topics=["1", "2"]))[1], "random", Replays(per_document=[2], repeats=2)
    )
    np.testing.assert_allclose(two[:, 0], one[:2, 1], atol=1e-9)


def test_the_first_question_is_any_pair():
    frame = wins(*("".join(pair) for pair in itertools.combinations("ABCD", 2)))
    (topic,) = recorded(frame)
    for policy in PAIR_POLICIES:
        found = replay(topic, policy, Replays(per_document=[0.25], repeats=600))
        first = [tuple(np.flatnonzero(x)) for x in found[:, 0]]
        assert set(first) == set(itertools.combinations(range(4), 2))
        counts = np.unique(first, axis=0, return_counts=True)[1]
        assert counts.min() > 60


def test_information_learns_more_than_random_where_all_can_be_asked():
    rng = np.random.default_rng(5)
    n, x = 14, np.linspace(3, -3, 14)
    rows = [
        (f"{i:02}", f"{j:02}", -1 if rng.random() < special.expit(x[i] - x[j]) else 1)
        for i, j in itertools.combinations(range(n), 2)
        for _ in range(3)
    ]
    (topic,) = recorded(preferences(*rows))
    replays = Replays(per_document=[4], repeats=40, top=4)
    taus = {
        policy: np.mean([stats.kendalltau(-np.arange(n), s[0]).statistic
                         for s in replay(topic, policy, replays)])
        for policy in ("random", "information")
    }  # fmt: skip
    assert taus["information"] > taus["random"] + 0.02


def test_tables_hold_policies_beside_random():
    topics = recorded(asked(topics=[str(t) for t in range(10)]))
    replays = Replays(policies=["random", "even"], per_document=[2, 1], repeats=5, top=3)
    table = policy_table(topics, replays)
    assert list(table) == columns_of("pair-budgets/policies")
    assert len(table) == 2 * 2 * 2
    assert set(table["coefficient"]) == {"tau_b", OVERLAP}
    assert table["n"].eq(10).all()
    np.testing.assert_allclose(table["questions"], 9 * table["per_document"])
    assert (table["low"] <= table["value"]).all()
    assert (table["value"] <= table["high"]).all()
    random = table[table["policy"] == "random"]
    assert (random[["difference", "difference_low", "difference_high"]] == 0).all().all()
    # by hand
    taus = []
    for topic in topics:
        truth = strengths_of_all(topic, replays.spread)
        drawn = replay(topic, "even", replays)[:, 1]
        taus.append(np.mean([stats.kendalltau(truth, x).statistic for x in drawn]))
    found = table[(table["policy"] == "even") & (table["per_document"] == 2)]
    found = found[found["coefficient"] == "tau_b"].iloc[0]
    assert found["value"] == pytest.approx(np.mean(taus))
    assert (found["low"], found["high"]) == pytest.approx(mean_ends(taus))
    beside = random[(random["per_document"] == 2) & (random["coefficient"] == "tau_b")]
    assert found["difference"] == pytest.approx(found["value"] - beside["value"].item())
    again = policy_table(topics, replays, threads=2)
    pd.testing.assert_frame_equal(table, again)


def test_systems_are_ranked_by_the_shares_of_others_that_documents_win_against():
    names = ("1", "2")
    topics = recorded(asked(topics=names))
    ranked = RankedLists.from_table(runs(topics=names, n=9))
    replays = Replays(["random", "even"], [2, 1], repeats=3)
    table = policy_table(topics, replays, GainRankings(ranked, topics, ["DCG@5"]))
    drawn = {one.topic: replay(one, "even", replays) for one in topics}

    def means(strengths):
        wins = {
            one.topic: np.mean(
                special.expit(x[:, None] - x), axis=1, where=~np.eye(len(x), dtype=bool)
            )
            for one, x in zip(topics, strengths, strict=True)
        }
        rows = [
            (one.topic, d, g)
            for one in topics
            for d, g in zip(one.docnos, wins[one.topic], strict=True)
        ]
        frame = pd.DataFrame(rows, columns=["topic", "docno", "grade"])
        labels = pa.Table.from_pandas(frame, preserve_index=False).cast(SCHEMAS["qrels"])
        return score(ranked, Judged.from_table(labels, ranked), ["DCG@5"]).values.mean(axis=1)[:, 0]

    truth = means([strengths_of_all(one, replays.spread) for one in topics])
    found = table[(table["ranked"] == "systems") & (table["coefficient"] == "tau_b")]
    assert found["resampled"].eq("replays").all() and found["n"].eq(2).all()
    found = found[found["policy"] == "even"].set_index("per_document")["value"]
    for b, budget in enumerate((1.0, 2.0)):
        under = [means([drawn[t][r, b] for t in names]) for r in range(3)]
        expected = np.mean([stats.kendalltau(truth, own).statistic for own in under])
        assert found[budget] == pytest.approx(expected)


@pytest.mark.parametrize(("topics", "given"), [(4, False), (5, True)])
def test_means_have_an_interval_from_five_topics_on(topics, given):
    asked_for = recorded(asked(topics=[str(t) for t in range(topics)]))
    table = policy_table(asked_for, Replays(["random", "even"], [1], repeats=2))
    for ends in (["low", "high"], ["difference_low", "difference_high"]):
        assert table[ends].notna().all(axis=None) == given


def test_without_random_there_is_no_difference():
    table = policy_table(recorded(asked()), Replays(["even"], [1], repeats=2))
    assert table["difference"].isna().all()
    # nine documents: no best ten to overlap
    assert set(table["coefficient"]) == {"tau_b"}


def test_topics_without_an_order_do_not_count():
    frame = pd.concat([preferences(("A", "B", 0), topic="0"), asked(topics=["1"])])
    table = policy_table(recorded(frame), Replays(["random"], [1], repeats=2))
    assert table["n"].tolist() == [1]
    only = policy_table(recorded(preferences(("A", "B", 0))), Replays(["random"], [1]))
    assert len(only) == 0
    assert list(only) == columns_of("pair-budgets/policies")
