"""Estimates from some labels: every sample of small populations, plain Python, derivatives."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats
from scipy.special import expit, log_expit
from sklearn.linear_model import LogisticRegression

from regrade.api.sets import read_runs
from regrade.errors import MethodError, ParameterError
from regrade.estimation import chains, replays
from regrade.estimation.chains import Chain
from regrade.estimation.estimates import (
    FEWEST,
    MOST_SURE,
    LabelledSample,
    _Part,
    estimate,
    kept_part,
)
from regrade.estimation.frame import UNRANKED, Frame
from regrade.estimation.functionals import Guess, functionals, sways_of_unlabelled
from regrade.estimation.grades import features, middle_places, with_inclusion
from regrade.estimation.inclusion import (
    FLOOR,
    guessed_shares,
    importance,
    inclusion_probabilities,
)
from regrade.estimation.kernels import (
    added_by_each,
    average_precision,
    capped_counts,
    evidence,
    fit_step,
    topic_log_likelihood,
)
from regrade.estimation.posterior import GradePosterior, drawn_levels
from regrade.estimation.replays import LOWEST, Coverage, Z, drawn_grades, full_values, replay
from regrade.sample_means import mean_interval
from regrade.scoring import score
from tests.reference import estimation as plain
from tests.unit.estimation_worlds import judged, made

R = Path(__file__).parents[1] / "reference" / "r"
MEASURES = [
    "P@5", "P(rel=2)@10", "DCG@5", "SDCG@5", "RBP(p=0.8)", "INSQ", "nDCG@5", "nDCG",
    "nDCG(dcg='exp-log2')@3", "nDCG(gains={1:5,3:2})@5", "AP(rel=2)", "AP@4",
]  # fmt: skip


# --- the frame, and what measures are of it ------------------------------------------------------


def test_the_frame_knows_every_rank():
    frame, _, _, ranked, _ = made(depth=5)
    assert len(frame) == 36
    assert [len(frame.docnos[frame.rows(t)]) for t in range(3)] == [12] * 3
    for s, system in enumerate(frame.systems):
        at = ranked.systems.index(system)
        for t, topic in enumerate(frame.topics):
            code = ranked.topics.index(topic)
            names = ranked.docnos[
                ranked.documents[ranked.starts[at, code] : ranked.stops[at, code]]
            ]
            rows = frame.rows(t)
            found = dict(zip(frame.docnos[rows], frame.ranks[s, rows], strict=True))
            expected = {name: rank for rank, name in enumerate(names, start=1)}
            assert found == {name: expected.get(name, 0) for name in frame.docnos[rows]}
            # rows of the topic by rank, the last of none where the document is in no row
            order, starts, stops = frame.by_topic[t].rankings
            own = [frame.docnos[rows][row] if 0 <= row < 12 else None
                   for row in order[starts[s] : stops[s]]]  # fmt: skip
            assert own == [name if name in found else None for name in names]
    for t in range(3):
        lists = frame.by_topic[t]
        best = [min((r for r in of if r), default=UNRANKED) for of in lists.ranks.T.tolist()]
        assert lists.best.tolist() == best
        assert 1 in best
    assert 0 < (frame.ranks > 0).any(axis=0).sum() < 36


def test_a_frame_shares_topics_with_runs():
    ranked = made()[3]
    with pytest.raises(MethodError, match="share no topic"):
        Frame.of(["no"], ["d01"], ranked)


def test_a_document_that_no_system_ranks_stays_in_the_frame():
    ranked = made()[3]
    frame, places = Frame.of(["t0", "t0", "zz"], ["d01", "nobody", "d01"], ranked)
    assert sorted(frame.docnos) == ["d01", "nobody"]
    assert (frame.ranks > 0).any(axis=0).sum() == 1
    assert sorted(places) == [0, 1]


@pytest.mark.parametrize("measure", MEASURES)
def test_measures_of_all_grades_are_the_scores(measure):
    frame, grades, _, ranked, labels = made()
    expected = score(ranked, judged(ranked, labels), [measure], max_grade=3).values[:, :, 0]
    (functional,) = functionals([measure], range(4))
    found = [functional.value(grades[frame.rows(t)], frame.by_topic[t]) for t in range(3)]
    np.testing.assert_allclose(np.array(found).T, expected, atol=1e-12)


@pytest.mark.parametrize("measure", ["RR", "Bpref", "nDCG(judged_only=True)@10", "ERR@10", "R@10"])
def test_other_measures_are_refused(measure):
    with pytest.raises(ParameterError, match="cannot be estimated from sampled labels"):
        functionals([measure], range(4))


def test_a_measure_that_counts_nothing_is_refused():
    with pytest.raises(ParameterError, match="every value would be 0"):
        functionals(["P(rel=2)@10"], (0, 1))


# --- linear measures: every sample ---------------------------------------------------------------


def fixed_guess(frame, t, shares, chosen, levels):
    """A guess that the labels do not touch."""
    rows = frame.rows(t)
    own = (chosen >= rows.start) & (chosen < rows.stop)
    labelled, said = chosen[own] - rows.start, levels[own]
    n, m, L = rows.stop - rows.start, len(labelled), shares.shape[1]
    draws = np.zeros((n, 2), np.int8)
    draws[labelled] = said[:, None]
    drawn = np.repeat(shares[rows][labelled][:, :, None], 2, axis=2)
    assert drawn.shape == (m, L, 2)
    weights = np.full((m, 2), 0.5)
    return Guess(frame.by_topic[t], labelled, said, shares[rows], draws, weights, drawn)


def part_of(functional, frame, sample, shares):
    part = _Part(functional, frame, sample, 2)
    for t in range(len(frame.topics)):
        part.add(t, fixed_guess(frame, t, shares, sample.chosen, sample.levels))
    return part


PLAIN = {"P@2": ("P", 2, 0), "DCG@3": ("DCG", 3, 0), "RBP(p=0.6)": ("RBP", 0, 0.6)}


@pytest.mark.parametrize("measure", PLAIN)
def test_over_every_sample_sums_have_no_bias_and_the_stated_variance(measure):
    frame, grades, _, _, _ = made(topics=2, documents=4, systems=3, depth=3)
    rng = np.random.default_rng(4)
    shares, pi = rng.dirichlet(np.ones(4), len(frame)), rng.uniform(0.15, 1, len(frame))
    (functional,) = functionals([measure], range(4))
    truth = np.mean(
        [functional.value(grades[frame.rows(t)], frame.by_topic[t]) for t in range(2)], axis=0
    )
    mean = variance = said = np.zeros(3)
    for taken, probability in plain.samples(dict(enumerate(pi))):
        chosen = np.array(taken, np.int64)
        sample = LabelledSample(pi, chosen, grades[chosen])
        part = part_of(functional, frame, sample, shares)
        found = part.estimate()
        mean = mean + probability * found.values
        variance = variance + probability * (found.values - truth) ** 2
        said = said + probability * part.seen / 2**2
    np.testing.assert_allclose(mean, truth, atol=1e-12)
    assert said == pytest.approx(np.full(3, variance.sum()), abs=1e-12)


@pytest.mark.parametrize("measure", PLAIN)
def test_a_sample_is_put_together_as_in_plain_python(measure):
    frame, grades, _, _, _ = made(topics=2, documents=6, systems=3, depth=5)
    rng = np.random.default_rng(2)
    shares, pi = rng.dirichlet(np.ones(4), len(frame)), rng.uniform(0.15, 1, len(frame))
    chosen = np.flatnonzero(rng.random(len(frame)) < pi)
    (functional,) = functionals([measure], range(4))
    found = part_of(functional, frame, LabelledSample(pi, chosen, grades[chosen]), shares)
    seen = 0.0
    for s in range(3):
        for t in range(2):
            rows = range(frame.rows(t).start, frame.rows(t).stop)
            ranking = sorted(
                (i for i in rows if frame.ranks[s, i]), key=lambda i: frame.ranks[s, i]
            )
            of_rank = {frame.ranks[s, i]: i for i in ranking}
            full = [of_rank.get(rank, -1) for rank in range(1, max(of_rank) + 1)]
            value, variance = plain.difference_estimate(
                full,
                plain.sum_weights(PLAIN[measure], len(full)),
                functional.gains,
                dict(enumerate(shares @ functional.gains)),
                {i: grades[i] for i in chosen},
                pi,
                rows,
            )
            assert found.estimate().by_topic[s, t] == pytest.approx(value, abs=1e-12)
            seen += variance
    assert found.seen == pytest.approx(seen)


def test_the_stated_covariance_is_that_of_the_awaited_errors():
    frame, grades, _, _, _ = made()
    rng = np.random.default_rng(3)
    shares, pi = rng.dirichlet(np.ones(4), len(frame)), rng.uniform(0.2, 1, len(frame))
    chosen = np.flatnonzero(rng.random(len(frame)) < pi)
    (functional,) = functionals(["DCG@5"], range(4))
    part = part_of(functional, frame, LabelledSample(pi, chosen, grades[chosen]), shares)
    W = np.hstack([functional.weights(frame.by_topic[t].ranks) for t in range(3)])
    variance = shares @ functional.gains**2 - (shares @ functional.gains) ** 2
    awaited = ((W[:, chosen] ** 2).sum(axis=0) * variance[chosen] * (1 - pi[chosen])) @ (
        1 / pi[chosen] ** 2
    )
    assert part.awaited == pytest.approx(awaited)
    expected = (W * ((1 - pi) / pi * variance)) @ W.T * part.seen / part.awaited / 9
    found = part.estimate()
    np.testing.assert_allclose(found.covariance, expected, rtol=1e-10)
    first, second = np.triu_indices(4, 1)
    of_pairs = [
        expected[a, a] + expected[b, b] - 2 * expected[a, b]
        for a, b in zip(first, second, strict=True)
    ]
    np.testing.assert_allclose(found.pair_errors(first, second) ** 2, of_pairs, rtol=1e-9)


def precision_of(names, tops, k):
    """A frame of one topic whose systems rank some documents first, and P@k of grades 0 and 1."""
    runs = {
        system: {"t": {name: float(len(names) - rank) for rank, name in enumerate(top)}}
        for system, top in tops.items()
    }
    frame, places = Frame.of(["t"] * len(names), list(names), read_runs(runs).ranked)
    (functional,) = functionals([f"P(rel=1)@{k}"], range(2))
    return frame, places, functional


def test_totals_of_a_sample_are_those_of_the_survey_package():
    data = pd.read_csv(R / "sampling-data.csv")
    names = data["document"].to_numpy(object)
    tops = {system: names[data[system] > 0] for system in ("first", "second")}
    frame, places, functional = precision_of(names, tops, 20)
    data = data.iloc[places].reset_index(drop=True)
    shares = np.column_stack([1 - data["expected"], data["expected"]])
    chosen = np.flatnonzero(data["chosen"])
    sample = LabelledSample(
        data["inclusion"].to_numpy(), chosen, data["relevant"].to_numpy()[chosen]
    )
    part = part_of(functional, frame, sample, shares)
    expected = pd.read_csv(R / "sampling-expected.csv", skipinitialspace=True).set_index("system")
    for system, value in zip(frame.systems, part.estimate().values, strict=True):
        off = value - (data[system] * data["expected"]).sum()
        assert off == pytest.approx(expected.at[system, "total"], rel=1e-12)
    assert part.seen == pytest.approx((expected["error"] ** 2).sum(), rel=1e-12)


def test_a_mean_is_that_of_prediction_powered_inference():
    # ppi-python 0.2.3: ppi_mean_pointestimate(labels, of_labelled, of_all, lam=1)
    labels = np.array([1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1])
    of_labelled = [0.9, 0.2, 0.4, 0.7, 0.4, 0.1, 0.8, 0.3, 0.2, 0.6, 0.5, 0.6]
    of_all = np.array([*of_labelled, *np.round(np.linspace(0.05, 0.95, 36), 3)])
    names = np.array([f"d{i:02}" for i in range(48)], object)
    frame, places, functional = precision_of(names, {"s": names}, 48)
    np.testing.assert_array_equal(places, range(48))
    sample = LabelledSample(np.full(48, 12 / 48), np.arange(12), labels)
    found = part_of(functional, frame, sample, np.column_stack([1 - of_all, of_all])).estimate()
    assert found.values[0] == pytest.approx(0.51875, abs=1e-12)


# --- ratios and average precision ----------------------------------------------------------------


def test_counts_of_independent_events():
    shares = np.array([0.1, 0.9, 0.5, 0.0, 1.0, 0.3])
    every = plain.counts(shares)
    for k in range(1, 9):
        padded = [*every, *[0.0] * (k + 1)]
        expected = [*padded[:k], sum(padded[k:])]
        np.testing.assert_allclose(capped_counts(shares, k), expected, atol=1e-14)
        cumulated = np.sqrt(np.arange(k + 1.0))
        weights = np.diff(cumulated)
        others = [[*plain.counts(np.delete(shares, i)), *[0.0] * k][:k] for i in range(6)]
        np.testing.assert_allclose(added_by_each(shares, cumulated), others @ weights, atol=1e-14)


def test_the_expected_ideal_is_that_of_every_assignment():
    shares = np.random.default_rng(1).dirichlet(np.ones(3), 5)
    for k in (1, 2, 4, 9):
        (functional,) = functionals([f"nDCG@{k}"], range(3))
        expected = plain.expected_ideal(shares, functional.gains, k)
        assert functional.expected_ideal(shares) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("measure", ["P@3", "RBP(p=0.8)", "nDCG@3", "nDCG", "AP(rel=2)", "AP@4"])
def test_influence_is_the_derivative(measure):
    frame, _, _, _, _ = made()
    shares = np.random.default_rng(1).dirichlet(np.ones(4), 12)
    (functional,) = functionals([measure], range(4))
    lists = frame.by_topic[0]

    def value(shares):
        if measure.startswith("AP"):
            relevant = (shares @ functional.gains)[:, None]
            return functional._all(relevant, lists)[0][:, 0]
        total = functional.weights(lists.ranks) @ (shares @ functional.gains)
        return total if functional.is_sum else total / functional.expected_ideal(shares)

    found, small = functional.influence(shares, lists), 1e-6
    for i in (0, 5, 11):
        for step in range(3):
            moved = [shares.copy(), shares.copy()]
            for sign, one in zip((-1, 1), moved, strict=True):
                one[i, step] -= sign * small
                one[i, step + 1] += sign * small
            difference = (value(moved[1]) - value(moved[0])) / (2 * small)
            np.testing.assert_allclose(found[:, i, step], difference, atol=1e-7)


@pytest.mark.parametrize("cutoff", [3, 99])
def test_average_precision_of_shares_and_what_documents_add(cutoff):
    rng = np.random.default_rng(2)
    rankings = [[2, -1, 0, 5, 1], [9, 4, 6, 3, 0], [1], []]  # -1, 6 and 9 are none of the six
    rows = np.array([i for ranking in rankings for i in ranking])
    stops = np.cumsum([len(ranking) for ranking in rankings])
    starts = stops - [len(ranking) for ranking in rankings]
    relevant, weights = rng.random((6, 3)), rng.normal(size=(2, 3))
    labelled = np.array([-1, 1, -1, -1, 0, -1])
    inverse = 1 / relevant.sum(axis=0)
    values, added, mean_added = average_precision(
        rows, starts, stops, cutoff, relevant, inverse, weights, labelled
    )
    more = np.empty((4, 6, 3))
    for s, b in product(range(4), range(3)):
        order, shares = rankings[s][:cutoff], dict(enumerate(relevant[:, b]))
        assert values[s, b] == pytest.approx(plain.average_precision(order, shares))
        for i in range(6):
            # of the sum, whatever the number of relevant documents
            with_it, without = (
                plain.average_precision(order, changed) * sum(changed.values())
                for changed in (shares | {i: 1.0}, shares | {i: 0.0})
            )
            more[s, i, b] = (with_it - without) * inverse[b]
    np.testing.assert_allclose(mean_added, more.mean(axis=2), atol=1e-12)
    for i, place in ((4, 0), (1, 1)):
        np.testing.assert_allclose(added[:, place], more[:, i] @ weights[place], atol=1e-12)


def guessed(grades, seed=5):
    """A guess of which everything is drawn, two labels among it; of 12 documents, 6 draws."""
    rng, labelled = np.random.default_rng(seed), np.array([2, 7])
    draws, levels = rng.integers(0, 4, (12, 6)).astype(np.int8), grades[labelled]
    draws[labelled] = levels[:, None]
    shares = rng.dirichlet(np.ones(4), 12)
    drawn = rng.dirichlet(np.ones(4), (2, 6)).transpose(0, 2, 1)
    return labelled, levels, shares, draws, rng.dirichlet(np.ones(6), 2), drawn


def test_the_spread_of_gains_is_that_of_their_shares():
    frame, grades, _, _, _ = made()
    guess, gains = Guess(frame.by_topic[0], *guessed(grades)), np.array([0.0, 1, 3, 7])
    means = guess.shares @ gains
    expected = [
        np.sqrt(p @ (gains - mean) ** 2) for p, mean in zip(guess.shares, means, strict=True)
    ]
    np.testing.assert_allclose(guess.spread(gains), expected)
    # shares whose sum rounds above 1 have no variance below 0
    many = np.random.default_rng(1).dirichlet(np.ones(4), 200)
    assert (many.sum(axis=1) > 1).any()
    alike = replace(guess, shares=many).spread(np.ones(4))
    assert (alike >= 0).all() and alike == pytest.approx(0, abs=1e-7)


def test_a_ratio_is_the_mean_of_draws_and_the_correction_of_its_sum():
    frame, grades, _, _, _ = made()
    (functional,) = functionals(["nDCG@4"], range(4))
    labelled, levels, _, draws, weights, drawn = given = guessed(grades)
    lists = frame.by_topic[0]
    guess = Guess(lists, *given)
    found = functional.of(guess)
    ideals = [plain.ideal_dcg(draws[:, b].astype(float), 4) for b in range(6)]
    spread = guess.spread(np.arange(4.0)) * np.mean(1 / np.array(ideals))
    for s in range(4):
        w = [1 / np.log2(1 + r) if 0 < r <= 4 else 0.0 for r in lists.ranks[s]]
        values = [sum(w[i] * draws[i, b] for i in range(12)) / ideals[b] for b in range(6)]
        np.testing.assert_allclose(found.drawn[s], values)
        assert found.expected[s] == pytest.approx(np.mean(values))
        np.testing.assert_allclose(found.sway[s], (w * spread)[found.counted])
        for q, i in enumerate(labelled):
            moved = sum(
                weights[q, b] * w[i] * (levels[q] - drawn[q, :, b] @ range(4)) / ideals[b]
                for b in range(6)
            )
            assert found.moved[s, q] == pytest.approx(moved)


def test_average_precision_is_the_mean_of_draws_and_what_labels_add():
    frame, grades, _, _, _ = made()
    (functional,) = functionals(["AP(rel=2)"], range(4))
    labelled, levels, _, draws, weights, drawn = given = guessed(grades)
    lists = frame.by_topic[0]
    guess = Guess(lists, *given)
    found = functional.of(guess)
    np.testing.assert_array_equal(found.counted, np.flatnonzero((lists.ranks > 0).any(axis=0)))
    spread = guess.spread(np.array([0.0, 0, 1, 1]))
    for s in range(4):
        order = lists.rankings[0][lists.rankings[1][s] : lists.rankings[2][s]]
        more = np.empty((12, 6))
        for b in range(6):
            relevant = dict(enumerate((draws[:, b] >= 2).astype(float)))
            total = sum(relevant.values())
            assert found.drawn[s, b] == pytest.approx(plain.average_precision(order, relevant))
            for i in range(12):
                with_it, without = (
                    plain.average_precision(order, relevant | {i: one})
                    * (total - relevant[i] + one)
                    for one in (1.0, 0.0)
                )
                more[i, b] = (with_it - without) / total
        assert found.expected[s] == pytest.approx(found.drawn[s].mean())
        np.testing.assert_allclose(
            found.sway[s], (more.mean(axis=1) * spread)[found.counted], atol=1e-12
        )
        for q, i in enumerate(labelled):
            off = (levels[q] >= 2) - drawn[q, 2:].sum(axis=0)
            assert found.moved[s, q] == pytest.approx((weights[q] * off) @ more[i])


@pytest.mark.parametrize(("seed", "together"), [(0, False), (21, True)])
def test_draws_add_what_they_vary_by_and_more_where_all_topics_are_off_together(seed, together):
    frame, grades, _, _, _ = made()
    (functional,) = functionals(["nDCG@4"], range(4))
    given = [guessed(grades[frame.rows(t)], seed=seed + t) for t in range(3)]
    guesses = [Guess(frame.by_topic[t], *of) for t, of in enumerate(given)]
    chosen = np.array([start + i for start in (0, 12, 24) for i in (2, 7)])
    pi = np.full(36, 0.4)
    part = _Part(functional, frame, LabelledSample(pi, chosen, grades[chosen]), 6)
    for t, guess in enumerate(guesses):
        part.add(t, guess)
    part.missed = 0.1 * part.in_chance
    drawn = [functional.of(guess).drawn for guess in guesses]
    within = sum(np.cov(of) for of in drawn)
    mean = np.array(drawn) - np.mean(drawn, axis=2, keepdims=True)
    beyond = mean.sum(axis=0).mean(axis=0).var(ddof=1) - sum(
        of.mean(axis=0).var(ddof=1) for of in mean
    )
    assert (beyond > 0) == together
    found = part.estimate()
    relative = found.by_topic.mean(axis=1) / found.by_topic.mean()
    of_draws = within + max(beyond, 0) * np.outer(relative, relative)
    chance = part.covariance * part.seen / part.awaited
    kept = kept_part(part.corrections.mean(axis=1), chance / 9)
    chance = kept * chance + (1 - kept) * chance.mean()
    alike = 0.1 * part.shared
    np.testing.assert_allclose(found.covariance, (chance + of_draws + alike) / 9)
    part.missed = part.in_chance = 0.0  # where the model is sure, labels tell nothing of that
    np.testing.assert_allclose(part.estimate().covariance, (chance + of_draws) / 9)


def test_documents_of_a_topic_are_off_alike_as_far_as_labels_are():
    frame, grades, _, _, _ = made()
    (functional,) = functionals(["nDCG@4"], range(4))
    chosen = np.array([start + i for start in (0, 12, 24) for i in (2, 7)])
    pi = np.linspace(0.2, 0.9, 36)
    part = _Part(functional, frame, LabelledSample(pi, chosen, grades[chosen]), 6)
    seen = expected = 0.0
    shared = np.zeros((4, 4))
    for t in range(3):
        labelled, levels, shares, *rest = guessed(grades[frame.rows(t)], seed=t)
        guess = Guess(frame.by_topic[t], labelled, levels, shares, *rest)
        part.add(t, guess)
        more = 1 / pi[frame.rows(t)][labelled] - 1
        means = shares @ np.arange(4)
        spread = np.sqrt(shares @ np.arange(4) ** 2 - means**2)
        off, about = more * (levels - means[labelled]), more * spread[labelled]
        seen += 2 * off[0] * off[1]
        expected += 2 * about[0] * about[1]
        known = shares.copy()
        known[labelled] = np.eye(4)[levels]

        def value(shares, lists=guess.lists):
            gains = shares @ np.arange(4)
            return functional.weights(lists.ranks) @ gains / functional.expected_ideal(shares)

        sways = np.zeros((4, 12))
        for i in set(range(12)) - set(labelled):
            step = 1e-5 * shares[i] * (np.arange(4) - means[i]) / spread[i]
            up, down = known.copy(), known.copy()
            up[i] += step
            down[i] -= step
            sways[:, i] = (value(up) - value(down)) / 2e-5
        np.testing.assert_allclose(sways_of_unlabelled(functional, guess), sways, atol=1e-8)
        pairs = [(i, j) for i in range(12) for j in range(12) if i != j]
        shared += sum(np.outer(sways[:, i], sways[:, j]) for i, j in pairs)
    np.testing.assert_allclose(part.missed, seen)
    np.testing.assert_allclose(part.in_chance, expected)
    np.testing.assert_allclose(part.shared, shared, atol=1e-7)


@pytest.mark.parametrize(("seen", "alike"), [(-1.0, 0), (0.5, 0.25), (1.9, 0.5)])
def test_documents_are_alike_from_not_at_all_to_half(seen, alike):
    frame, grades, _, _, _ = made()
    (functional,) = functionals(["nDCG@4"], range(4))
    chosen = np.arange(0, 36, 3)
    part = _Part(functional, frame, LabelledSample(np.full(36, 1 / 3), chosen, grades[chosen]), 6)
    part.expected += 0.5
    part.drawn_covariance += np.eye(4)
    part.shared += np.ones((4, 4))
    part.missed, part.in_chance = seen, 2.0
    np.testing.assert_allclose(part.estimate().covariance, (np.eye(4) + alike) / 9)


def test_sure_is_what_no_label_tells_of_an_ideal_ranking_and_no_draw_denies():
    frame, grades, _, _, _ = made()
    (functional,) = functionals(["nDCG@4"], range(4))
    chosen = np.array([start + i for start in (0, 12, 24) for i in (2, 7)])
    part = _Part(functional, frame, LabelledSample(np.full(36, 0.4), chosen, grades[chosen]), 6)
    single, between = [], []
    for t in range(3):
        labelled, levels, shares, draws, *rest = guessed(grades[frame.rows(t)], seed=t)
        draws[:, 1:] = draws[:, :1]
        draws[4] = [0, 0, 0, 0, 0, 1]
        guess = Guess(frame.by_topic[t], labelled, levels, shares, draws, *rest)
        part.add(t, guess)
        told = plain.ideal_dcg(levels.astype(float), 4)
        untold = [1 - told / plain.ideal_dcg(draws[:, b].astype(float), 4) for b in range(6)]
        unseen = functional.of(guess).drawn * untold
        beyond = [abs(of.mean()) - 2 * of.std(ddof=1) for of in unseen]
        single.append(sum(max(one, 0) ** 2 for one in beyond))
        beyond = [abs(of.mean()) - 2 * of.std(ddof=1) for of in unseen - unseen.mean(axis=0)]
        between.append(sum(max(one, 0) ** 2 for one in beyond))
    found = part.estimate()
    assert 0 < min(single) < max(single)
    S, errors = 4, found.errors
    first, second = np.triu_indices(S, 1)
    assert found.sure == pytest.approx(np.sqrt(max(single) / 9 / S / np.mean(errors**2)))
    # the mean square of differences is twice that of deviations from the mean
    apart = 2 * max(between) / 9 / (S - 1)
    squares = np.mean(found.pair_errors(first, second) ** 2)
    assert found.sure_of_pairs == pytest.approx(np.sqrt(apart / squares))
    assert found.sure_of_pairs > 0


def test_an_interval_that_is_off_by_what_a_model_may_be_sure_of_holds_as_intervals_must():
    held = stats.norm.cdf(Z - MOST_SURE) - stats.norm.cdf(-Z - MOST_SURE)
    assert held == pytest.approx(LOWEST, abs=0.001)
    assert held > LOWEST


def corrected(model_off, chance, rng, draws=1500):
    """How often differences hold, and how much closer they are than fully corrected ones."""
    S, (first, second) = len(chance), np.triu_indices(len(chance), 1)
    root, held, off, fully = np.linalg.cholesky(chance), [], [], []
    for _ in range(draws):
        beta = model_off(rng)
        seen = beta + root @ rng.normal(size=S)
        kept = kept_part(seen, chance)
        covariance = kept * chance + (1 - kept) * chance.mean()
        errors = seen.mean() + kept * (seen - seen.mean()) - beta
        variances = np.diag(covariance)
        reach = np.sqrt(variances[first] + variances[second] - 2 * covariance[first, second])
        apart = errors[first] - errors[second]
        held.append((abs(apart) <= 1.96 * reach).mean())
        off.append((apart**2).mean())
        fully.append(((seen - beta)[first] - (seen - beta)[second]) ** 2)
    return np.mean(held), np.mean(off) / np.mean(fully)


def test_differences_hold_however_much_the_model_is_off():
    rng = np.random.default_rng(1)
    loadings = rng.normal(size=(30, 6))
    chance = loadings @ loadings.T + 0.5 * np.eye(30)
    root = np.linalg.cholesky(chance)
    # alike to chance: from not at all to ten times
    gains = []
    for tau in (0.0, 0.5, 1.0, 10**0.5):
        held, gain = corrected(lambda rng, tau=tau: tau * root @ rng.normal(size=30), chance, rng)
        assert 0.94 < held < 0.98
        gains.append(gain)
    assert gains[0] < 0.6
    assert gains == sorted(gains)
    assert gains[-1] == pytest.approx(1, abs=0.05)
    # and unlike it: each system by itself, all along one line
    line = rng.normal(size=30)
    for size in (1.0, 5.0):
        for off in (lambda rng, a=size: a * rng.normal(size=30), lambda _, a=size: a * line):
            assert 0.92 < corrected(off, chance, rng)[0] < 0.98


def test_what_is_kept_by_hand_and_at_the_edges():
    corrections = np.array([3.0, -1.0, 1.0])
    chance = np.diag([1.0, 1.0, 1.0])
    # (4 + 4 + 0) seen, 2 by chance with 2 degrees of freedom
    expected = 1 - stats.chi2.ppf(0.05, 2) / 2 * 2 / 8
    assert kept_part(corrections, chance) == pytest.approx(expected)
    assert kept_part(corrections + 7, 4 + chance) == pytest.approx(expected)
    assert kept_part(corrections / 100, chance) == 0
    assert kept_part(corrections, 0 * chance) == 1
    assert kept_part(np.array([2.0]), np.array([[1.0]])) == 1
    assert kept_part(np.array([2.0, 2.0]), np.eye(2)) == 1


def test_where_every_top_rank_is_labelled_only_ideals_are_open():
    frame, grades, values, _, _ = made(topics=6)
    top = (frame.ranks > 0) & (frame.ranks <= 2)
    pi = np.where(top.any(axis=0), 1.0, 0.3)
    chosen = np.flatnonzero(np.random.default_rng(1).random(len(frame)) < pi)
    sample, of = (
        LabelledSample(pi, chosen, grades[chosen]),
        functionals(["nDCG@2", "P@2"], range(4)),
    )
    ratio, precision = estimate(frame, features(frame, values), sample, of)
    assert ratio.errors.min() > 0.001
    assert precision.sure == precision.sure_of_pairs == 0
    np.testing.assert_allclose(precision.errors, 0, atol=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
def test_where_all_is_labelled_the_estimate_is_the_score_and_sure(measure):
    frame, grades, values, ranked, labels = made()
    expected = score(ranked, judged(ranked, labels), [measure], max_grade=3).values[:, :, 0]
    sample = LabelledSample(np.ones(len(frame)), np.arange(len(frame)), grades)
    (found,) = estimate(frame, features(frame, values), sample, functionals([measure], range(4)))
    np.testing.assert_allclose(found.by_topic, expected, atol=1e-12)
    np.testing.assert_allclose(found.errors, 0, atol=1e-12)


def test_few_labels_are_refused_and_seeds_decide():
    frame, grades, values, _, _ = made(topics=6)
    X, fs = features(frame, values), functionals(["nDCG@5", "P@5"], range(4))
    pi, few = np.full(len(frame), 0.5), np.arange(FEWEST - 1)
    with pytest.raises(MethodError, match="at least 20"):
        estimate(frame, X, LabelledSample(pi, few, grades[few]), fs)
    chosen = np.arange(0, len(frame), 2)
    sample = LabelledSample(pi, chosen, grades[chosen])
    one, again, other = (estimate(frame, X, sample, fs, seed=seed) for seed in (1, 1, 2))
    for measure in range(2):
        np.testing.assert_array_equal(one[measure].by_topic, again[measure].by_topic)
        assert (one[measure].by_topic != other[measure].by_topic).any()


@pytest.mark.slow
def test_over_topics_holds_what_other_topics_would_give():
    measures, population = functionals(["P@5", "nDCG@5"], range(4)), made(1500, 20, 3, seed=99)
    truths = [full_values(one, population[0], population[1]) for one in measures]
    held = np.zeros((80, 2, 3))
    for r in range(80):
        frame, grades, values, _, _ = made(25, 20, 3, seed=r)
        pi = np.full(len(frame), 0.3)
        chosen = np.flatnonzero(np.random.default_rng(r).random(len(frame)) < pi)
        sample = LabelledSample(pi, chosen, grades[chosen])
        found = estimate(frame, features(frame, values), sample, measures, seed=r, draws=40)
        for k, one in enumerate(found):
            low, high = one.over_topics().T
            held[r, k] = (low <= truths[k]) & (truths[k] <= high)
    # three Monte Carlo errors about the aim
    assert (abs(held.mean(axis=(0, 2)) - 0.95) < 0.02 + 3 * (0.95 * 0.05 / 80) ** 0.5).all()


def test_where_all_is_labelled_topics_alone_are_a_sample():
    frame, grades, values, _, _ = made(10)
    sample = LabelledSample(np.ones(len(frame)), np.arange(len(frame)), grades)
    (found,) = estimate(frame, features(frame, values), sample, functionals(["nDCG@5"], range(4)))
    for s in range(4):
        np.testing.assert_allclose(found.over_topics()[s], mean_interval(found.by_topic[s]))
    few = replace(found, by_topic=found.by_topic[:, :9])
    assert np.isnan(few.over_topics()).all()


# --- what labels teach ---------------------------------------------------------------------------


def test_a_step_is_fitted_as_by_scikit_learn():
    rng = np.random.default_rng(1)
    X, topic = rng.normal(size=(200, 3)), rng.integers(0, 6, 200)
    y = (X[:, 0] + rng.normal(0, 1, 6)[topic] + rng.logistic(size=200) > 0).astype(float)
    beta, z, tau = np.zeros(3), np.zeros(6), 1.3
    covariance = fit_step(X, topic, y, tau, beta, z)
    every = np.hstack([X, tau * np.eye(6)[topic]])
    fitted = LogisticRegression(C=1.0, fit_intercept=False, tol=1e-10, solver="newton-cholesky")
    expected = fitted.fit(every, y).coef_[0]
    np.testing.assert_allclose(np.concatenate([beta, z]), expected, atol=1e-6)
    share = 1 / (1 + np.exp(-every @ expected))
    hessian = every.T @ (every * (share * (1 - share))[:, None]) + np.eye(9)
    np.testing.assert_allclose(covariance, np.linalg.inv(hessian)[:3, :3], rtol=1e-6)


def test_the_evidence_is_the_integral_over_topics():
    logits, topic = np.array([0.3, -1.0, 0.8, 2.0]), np.array([0, 0, 1, 1])
    y, taus = np.array([1, 0, 0, 1]), np.array([0.5, 1.5])
    nodes = np.linspace(-6, 6, 241)
    found = evidence(logits, topic, y, taus, nodes, np.log(chains.prior(nodes)))
    for tau, value in zip(taus, found, strict=True):

        def likely(z, t, tau=tau):
            logit = (2 * y[topic == t] - 1) * (logits[topic == t] + tau * z)
            return stats.norm.pdf(z) * np.prod(1 / (1 + np.exp(-logit)))

        parts = [integrate.quad(likely, -8, 8, args=(t,))[0] for t in (0, 1)]
        assert value == pytest.approx(np.log(parts).sum(), abs=1e-6)


@pytest.fixture
def chain():
    rng = np.random.default_rng(3)
    nodes = np.linspace(-2, 2, 5)
    return nodes, 0.5, rng.normal(size=(4, 3, 5)), rng.random((4, 3, 5))


def joint(of, said):
    """Every path's probability, of one chain."""
    likely = np.exp(said)
    paths = np.einsum("a,ab,bc,a,b,c->abc", of.prior, of.move, of.move, *likely)
    return paths, paths / paths.sum()


def test_chains_are_those_of_every_path(chain):
    nodes, rho, said, passes = chain
    of = Chain.of(rho, nodes)
    np.testing.assert_allclose(of.move.sum(axis=1), 1)
    np.testing.assert_allclose(of.move[0] / of.move[0, 0], [
        stats.norm.pdf(z, rho * nodes[0], np.sqrt(1 - rho**2))
        / stats.norm.pdf(nodes[0], rho * nodes[0], np.sqrt(1 - rho**2))
        for z in nodes
    ])  # fmt: skip
    after, total = of.after(said), 0.0
    reached = of.reached(passes, after)
    for i in range(4):
        raw, paths = joint(of, said[i])
        expected = [
            np.einsum("abc,a->", paths, passes[i, 0]),
            np.einsum("abc,a,b->", paths, passes[i, 0], passes[i, 1]),
            np.einsum("abc,a,b,c->", paths, *passes[i]),
        ]
        np.testing.assert_allclose(reached[i], expected)
        total += np.log(raw.sum())
    assert of.log_evidence(said) == pytest.approx(total)
    # one chain for all documents
    np.testing.assert_allclose(of.reached(passes, after[:1])[0], reached[0])


def test_draws_of_a_chain_come_as_often_as_its_paths(chain):
    nodes, rho, said, _ = chain
    n, of = 20_000, Chain.of(rho, nodes)
    after = of.after(np.repeat(said[:1], n, axis=0))
    places = of.draw(after, np.random.default_rng(1).random((3, n)))
    _, paths = joint(of, said[0])
    found = np.zeros_like(paths)
    np.add.at(found, tuple(places), 1 / n)
    assert np.abs(found - paths).max() < 0.012


def test_what_labels_say_adds_up_also_of_endless_odds():
    rng = np.random.default_rng(2)
    logits, levels = rng.normal(0, 4, (150, 2, 3)), rng.integers(0, 3, 150)
    logits[:4, 0, 0] = [200, -200, 40, -40]
    tau, nodes = np.array([0.5, 2.5]), chains.NODES
    found = topic_log_likelihood(logits, levels, tau, nodes)
    expected = np.zeros((3, 2, len(nodes)))
    for i, step in product(range(150), range(2)):
        if levels[i] >= step:
            sign = 1 if levels[i] > step else -1
            for b in range(3):
                expected[b, step] += log_expit(sign * (logits[i, step, b] + tau[step] * nodes))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_grid_is_a_standard_normal_variable():
    expected = stats.norm.pdf(chains.NODES)
    np.testing.assert_allclose(chains.prior(chains.NODES), expected / expected.sum())


def test_the_likely_correlation_is_the_one_that_labels_and_a_guess_speak_for():
    rng, tau, found = np.random.default_rng(3), np.array([1.5, 1.5, 1.5]), set()
    grid = (0.0, 0.2, 0.4, 0.6, 0.8)
    for rho in (0.0, 0.5, 0.95) * 6:
        z = rng.normal(size=(12, 3))
        for step in (1, 2):
            z[:, step] = rho * z[:, step - 1] + np.sqrt(1 - rho**2) * z[:, step]
        topic = np.repeat(np.arange(12), 8)
        passes = rng.random((96, 3)) < 1 / (1 + np.exp(-1 - 1.5 * z[topic]))
        levels = np.cumprod(passes, axis=1).sum(axis=1)
        logits = np.ones((96, 3))
        said = [
            topic_log_likelihood(logits[:8, :, None], levels[8 * t : 8 * t + 8], tau, chains.NODES)
            for t in range(12)
        ]
        evidence_of = [
            Chain.of(one).log_evidence(np.concatenate(said)) + stats.norm.logpdf(one, 0.4, 0.4)
            for one in grid
        ]
        expected = grid[int(np.argmax(evidence_of))]
        assert chains.likely_correlation(logits, topic, levels, tau) == expected
        found.add(expected)
    assert len(found) >= 4
    # three labels say little
    few = chains.likely_correlation(logits[:3], topic[:3], levels[:3], tau)
    assert 0.2 <= few <= 0.6
    assert chains.likely_correlation(logits[:, :1], topic, levels, tau[:1]) == 0


def test_levels_are_drawn_by_their_shares():
    logits = np.log(np.array([0.8, 0.5, 0.25]) / (1 - np.array([0.8, 0.5, 0.25])))
    drawn = drawn_levels(logits[:, None, None], np.random.default_rng(1).random((1, 20_000)))
    found = np.bincount(drawn[0], minlength=4) / 20_000
    np.testing.assert_allclose(found, [0.2, 0.4, 0.3, 0.1], atol=0.012)


def test_features_tell_missing_values_and_fine_scales():
    frame, _, values, _, _ = made()
    assert features(frame, values).shape[1] == 1 + 3 + 4
    holes = np.where(np.arange(36) % 5 == 0, np.nan, values)
    X = features(frame, holes)
    assert X.shape[1] == 1 + 3 + 1 + 4
    assert ((X[:, 4] > 0) == np.isnan(holes)).all()
    fine = features(frame, np.random.default_rng(1).random(36))
    assert fine.shape[1] == 1 + 5 + 4
    np.testing.assert_allclose(
        middle_places(np.array([1.0, 1.0, 3.0, np.nan])), [1 / 3, 1 / 3, 5 / 6, np.nan]
    )


def test_features_are_those_of_plain_python():
    frame, _, _, _, _ = made(documents=30, depth=14)
    ranks = frame.ranks.T.tolist()
    deepest = max(map(max, ranks))
    best = [min((rank for rank in of if rank), default=2 * deepest + 1) for of in ranks]
    of_ranks = np.array(
        [
            np.log(best),
            [float(rank > 10) for rank in best],
            [np.mean([0 < rank <= 10 for rank in of]) ** 0.5 for of in ranks],
            [np.mean([1 / np.log2(1 + rank) if rank else 0 for rank in of]) ** 0.5 for of in ranks],
        ]
    )
    of_ranks -= of_ranks.mean(axis=1, keepdims=True)
    of_ranks *= 1.5 / of_ranks.std(axis=1, keepdims=True)
    eight, nine = np.arange(90) % 8, np.arange(90) % 9  # nine: the line bends by the shares below
    places = np.array([(np.sum(nine < v) + np.sum(nine <= v)) / 180 for v in nine])
    of_eight = [1.5 * (eight >= value) for value in range(1, 8)]
    of_nine = [3 * np.maximum(places - bend, 0) for bend in (0.0, 0.25, 0.5, 0.75, 0.9)]
    constant = [np.full(90, 3.0)]
    for values, theirs in (
        (eight, of_eight),
        (nine, of_nine),
        (np.column_stack([nine, eight]), of_nine + of_eight),
    ):
        expected = np.column_stack([*constant, *theirs, *of_ranks])
        np.testing.assert_allclose(features(frame, values.astype(float)), expected, atol=1e-12)


def test_with_inclusion_labels_weighted_by_it_leave_nothing_over():
    rng = np.random.default_rng(1)
    n = 4000
    x, pi = rng.normal(size=n), rng.uniform(0.05, 0.9, n)
    y = rng.random(n) < 1 / (1 + np.exp(-x - 2 * (pi < 0.3)))
    chosen = np.flatnonzero(rng.random(n) < pi)
    X, left = 3 * np.column_stack([np.ones(n), x]), []
    for every in (X, with_inclusion(X, pi)):
        beta, none = np.zeros(every.shape[1]), np.zeros(1)
        own = every[chosen]
        fit_step(own, np.zeros(len(chosen), np.int64), y[chosen].astype(float), 0.3, beta, none)
        share = 1 / (1 + np.exp(-own @ beta - 0.3 * none[0]))
        left.append(abs(((y[chosen] - share) / pi[chosen]).sum()) / n)
    assert left[0] > 0.03
    assert left[1] < 0.001
    assert with_inclusion(X, np.full(n, 0.2)) is X


# --- who is asked about what ---------------------------------------------------------------------


def test_guessed_shares_rise_with_values():
    values = np.array([0.0, 1.0, 1.0, 2.0, 3.0, np.nan] * 10)
    shares = guessed_shares(values, 4)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_allclose((shares @ range(4)).mean(), 0.875, atol=1e-6)
    expected = shares @ range(4)
    assert expected[0] < expected[1] < expected[3] < expected[4]
    alike = guessed_shares(np.ones(5), 2)
    np.testing.assert_allclose(alike, 0.5)


@pytest.mark.parametrize(
    ("measure", "gains"), [("DCG@5", (0, 1, 2, 3)), ("DCG(gains={1:5,2:6,3:7})@5", (0, 5, 6, 7))]
)
def test_importance_is_the_standard_deviation_that_a_grade_gives(measure, gains):
    frame, _, values, _, _ = made()
    shares = guessed_shares(values, 4)
    (functional,) = functionals([measure], range(4))
    found = importance(frame, shares, [functional])
    W = np.hstack([functional.weights(frame.by_topic[t].ranks) for t in range(3)])
    gains = np.array(gains, float)
    variance = shares @ gains**2 - (shares @ gains) ** 2
    expected = (W**2).mean(axis=0) * variance
    np.testing.assert_allclose(found**2, expected / expected.sum())
    both = importance(frame, shares, functionals(["DCG@5", "nDCG@5"], range(4)))
    assert (both**2).sum() == pytest.approx(2)
    sure = np.tile([0.0, 1, 0, 0], (36, 1))
    assert (importance(frame, sure, [functional]) == 0).all()


def test_inclusion_adds_up_to_the_budget():
    weight = np.array([0.0, 1.0, 2.0, 4.0, 40.0])
    found = inclusion_probabilities(weight, 2.5)
    assert found.sum() == pytest.approx(2.5)
    assert found[4] == 1
    floor = FLOOR * weight.mean()
    np.testing.assert_allclose(found[:4] / found[1], np.maximum(weight[:4], floor))
    np.testing.assert_allclose(inclusion_probabilities(weight, 5), 1)
    np.testing.assert_allclose(inclusion_probabilities(np.zeros(4), 1), 0.25)
    for budget in (0, 5.1, -1, np.nan):
        with pytest.raises(ParameterError, match="the frame has 5 documents"):
            inclusion_probabilities(weight, budget)


# --- replays -------------------------------------------------------------------------------------


def drawn_of_made(share=0.4):
    frame, grades, values, _, _ = made(topics=8, documents=30, depth=20)
    pi = np.full(len(frame), share)
    chosen = np.flatnonzero(np.random.default_rng(2).random(len(frame)) < pi)
    return frame, features(frame, values), LabelledSample(pi, chosen, grades[chosen]), grades


def test_grades_that_are_drawn_keep_the_labels():
    frame, X, sample, grades = drawn_of_made()
    found = drawn_grades(frame, X, sample, 3, 25, 1)
    assert found.shape == (240, 25)
    assert (found[sample.chosen] == sample.levels[:, None]).all()
    left = np.setdiff1d(np.arange(240), sample.chosen)
    assert abs(found[left].mean() - grades[left].mean()) < 0.2


def test_full_values_are_the_scores():
    frame, grades, _, ranked, labels = made()
    (functional,) = functionals(["nDCG@5"], range(4))
    expected = score(ranked, judged(ranked, labels), ["nDCG@5"], max_grade=3).values[:, :, 0]
    np.testing.assert_allclose(full_values(functional, frame, grades), expected.mean(axis=1))


def test_replays_of_a_true_model_hold_and_seeds_decide():
    frame, X, sample, _ = drawn_of_made()
    of = functionals(["P@5", "nDCG@5"], range(4))
    for one in replay(frame, X, sample, of, 40):
        assert one.of_systems
        assert one.of_pairs
    found, again, other = (replay(frame, X, sample, of, 3, seed)[1] for seed in (1, 1, 2))
    np.testing.assert_array_equal(found.pairs, again.pairs)
    assert (found.pairs != other.pairs).any()


def test_replays_find_intervals_that_are_too_narrow(monkeypatch):
    def narrow(*arguments):
        return [replace(one, covariance=one.covariance / 4) for one in estimate(*arguments)]

    frame, X, sample, _ = drawn_of_made()
    monkeypatch.setattr(replays, "estimate", narrow)
    (found,) = replay(frame, X, sample, functionals(["P@5"], range(4)), 40, 1)
    assert not found.of_systems
    assert not found.of_pairs


def test_replays_that_choose_too_few_documents_hold_nothing():
    frame, X, sample, grades = drawn_of_made(FEWEST / 240 / 2)
    chosen = np.arange(0, 240, 10)
    few = LabelledSample(sample.inclusion, chosen, grades[chosen])
    (found,) = replay(frame, X, few, functionals(["P@5"], range(4)), 10, 1)
    assert np.isnan(found.systems).all()
    assert not found.of_systems


def test_a_replay_of_just_enough_documents_counts():
    frame, X, _, grades = drawn_of_made()
    pi = np.full(len(frame), 1e-9)
    pi[:: len(frame) // FEWEST] = 1
    chosen = np.flatnonzero(pi == 1)
    assert len(chosen) == FEWEST
    few = LabelledSample(pi, chosen, grades[chosen])
    (found,) = replay(frame, X, few, functionals(["P@5"], range(4)), 2)
    assert not np.isnan(found.systems).any()


@pytest.mark.parametrize(("known", "are_shown"), [(2, False), (3, True)])
def test_intervals_are_shown_where_most_replays_say_that_they_hold(known, are_shown):
    shares = np.array([1.0] * known + [np.nan] * (4 - known))
    assert Coverage(shares, shares).of_systems == are_shown
    assert Coverage(shares, shares).of_pairs == are_shown


def test_where_all_is_labelled_every_replay_holds():
    frame, grades, values, _, _ = made()
    sample = LabelledSample(np.ones(36), np.arange(36), grades)
    of = functionals(["AP@4"], range(4))
    (found,) = replay(frame, features(frame, values), sample, of, 10)
    assert (found.systems == 1).all()
    assert (found.pairs == 1).all()


def test_of_one_system_there_is_no_pair():
    frame, grades, values, _, _ = made(systems=1)
    sample = LabelledSample(np.ones(36), np.arange(36), grades)
    of = functionals(["P@4"], range(4))
    (found,) = replay(frame, features(frame, values), sample, of, 10)
    assert found.of_systems
    assert not found.of_pairs


def test_shares_of_levels_are_those_of_bayes_rule_without_a_document_s_own_label():
    rng = np.random.default_rng(3)
    model = SimpleNamespace(
        logits=rng.normal(size=(5, 2)), tau=np.array([1.5, 0.8]), rho=0.4, scatter=[]
    )
    labelled, levels = np.array([0, 2, 3]), np.array([0, 2, 1])
    posterior = GradePosterior(None, np.zeros((5, 1)), model, labelled, levels, 1, rng)
    found = posterior._shares(slice(0, 5), labelled, levels)

    def chances(document):
        """Of each level, by z of the first step and of the second."""
        first, second = expit(model.logits[document] + model.tau * chains.NODES[:, None]).T
        return [1 - first[:, None], np.outer(first, 1 - second), np.outer(first, second)]

    chain = Chain.of(model.rho)
    for document in range(5):
        likely = chain.prior[:, None] * chain.move
        for other, level in zip(labelled, levels, strict=True):
            likely = likely * chances(other)[level] if other != document else likely
        joint = [(likely * chance).sum() for chance in chances(document)]
        assert found[document] == pytest.approx(np.array(joint) / sum(joint), abs=1e-12)
