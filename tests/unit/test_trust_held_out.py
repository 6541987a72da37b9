"""Choices held out never see what they are judged on; cuts without a reference, or few labels."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats
from scipy.stats import skew

from regrade.aggregation import aggregate, enumerate_cuts
from regrade.catalogue import ALL_TOPICS
from regrade.cutsearch.best import best_index, best_of
from regrade.cutsearch.means import (
    highest_means,
    highest_means_without,
    mean_under_coverage,
)
from regrade.cutsearch.search import search
from regrade.errors import ParameterError
from regrade.kendall import tau_b
from regrade.randomness import generator
from regrade.scales import Scale
from regrade.tables import write_table
from regrade.trust.bootstrap import RepeatedSearch
from regrade.trust.budget import budget_table, some_labels
from regrade.trust.gains import search_gains
from regrade.trust.held_out import (
    WEIGHTS,
    Halves,
    chosen_on,
    chosen_without,
    error_of_difference,
    half_of,
    halves,
    held_out_by_tau,
    held_out_tables,
    pooled,
    pooled_places,
    scores_under_cuts,
    single_difference,
    single_of_drawn,
    tau_of_some,
    tau_without,
)
from regrade.trust.named_cuts import cut_index, ends_of, moved_apart, named_cuts
from regrade.trust.resampling import drawn_again
from regrade.trust.rules import (
    OWN_TOPICS,
    TrainingTopics,
    features,
    mixture_breaks,
    natural_breaks,
    quantile_breaks,
    unlabelled_table,
)
from regrade.trust.searches import RankedInput
from tests.unit.test_trust_bootstrap import made

PLACES = enumerate_cuts(6, 3).astype(np.int64)


def values(seed, topics=5, holes=0.0):
    rng = np.random.default_rng(seed)
    criterion = rng.random((len(PLACES), topics))
    return np.where(rng.random(criterion.shape) < holes, np.nan, criterion)


def leaks(choose, criterion):
    """The topics whose own α has a part in the choice that it judges."""
    found = []
    for t in range(criterion.shape[1]):
        other = criterion.copy()
        other[:, t] = np.linspace(9, -9, len(other)) if t % 2 else np.linspace(-9, 9, len(other))
        if choose(criterion)[t] != choose(other)[t]:
            found.append(t)
    return found


def test_leaving_a_topic_out_never_sees_it():
    assert leaks(lambda c: chosen_without(PLACES, c, 0.9), values(1)) == []
    assert leaks(lambda c: chosen_without(PLACES, c, 0.6), values(2, holes=0.1)) == []


def test_a_planted_leak_is_found():
    def leaking(criterion):
        return [best_of(PLACES, criterion.mean(axis=1)).index] * criterion.shape[1]

    assert leaks(leaking, values(1)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("holes", [0, 0.2])
def test_the_choice_of_the_others_by_hand(holes):
    criterion = values(4, holes=holes)
    found = chosen_without(PLACES, criterion, 0.75)
    for t in range(5):
        others = np.delete(criterion, t, axis=1)
        means = [
            np.nanmean(row) if (~np.isnan(row)).sum() >= 3 else -np.inf for row in others
        ]  # 3 = ⌈0.75 · 4⌉
        assert means[found[t]] == max(means)


@pytest.mark.parametrize("holes", [0, 0.3, 1])
def test_means_near_the_highest_are_those_of_all_cuts(holes):
    criterion = np.round(values(7, holes=holes), 1)  # with ties
    every, few = mean_under_coverage(criterion, 0.6), highest_means([*criterion.T], 0.6)
    near = every >= np.fmax.reduce(every, initial=-np.inf) - 1e-10
    np.testing.assert_array_equal(few[near], every[near])
    assert (np.isnan(few) | (few == every)).all()
    for t, mean in enumerate(highest_means_without([*criterion.T], 0.6)):
        others = mean_under_coverage(np.delete(criterion, t, axis=1), 0.6)
        assert best_index(PLACES, mean) == best_index(PLACES, others)


def under_every_cut(without=None):
    """The systems' scores under every cut, and the expert's, with the topics; some left out."""
    judgments, labels, ranked, _ = made(7, topics=4)
    labels = labels.filter(pa.array([topic != without for topic in labels["topic"].to_pylist()]))
    source = RankedInput(judgments, Scale.of({"levels": 9}), 3, ranked=ranked, measure="nDCG@5")
    return scores_under_cuts(source, aggregate(judgments, "median"), labels)


def test_tau_over_some_systems_is_that_of_their_scores():
    scores, theirs, _ = under_every_cut()
    some = [np.arange(1, theirs.shape[1]), np.arange(theirs.shape[1])[::-1]]
    every = tau_of_some(scores, theirs, some, threads=2)
    for systems, found in zip(some, every, strict=True):
        own = [scores.scores(i).mean(axis=1)[systems] for i in range(len(scores.lookups))]
        expected = [tau_b(one, theirs.mean(axis=0)[systems]) for one in own]
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("split", ["documents", "units"])
def test_a_choice_on_one_half_never_sees_the_other(split):
    _, _, _, again = made(6, topics=3)
    rng = np.random.default_rng(1)

    def chosen(prepared_labels):
        criteria = []
        for topic in again.plan.topics:
            n = topic.n_units if split == "units" else topic.n_documents
            half = half_of(n, np.random.default_rng(3))
            own = prepared_labels[topic.topic]
            criteria.append(again.criterion(*drawn_again(topic, split, half.astype(int), own)))
        return chosen_on(again, criteria)

    def spoilt(side):
        """Labels of documents of that side of the split, drawn at random."""
        found = {}
        for topic in again.plan.topics:
            half = half_of(topic.n_documents, np.random.default_rng(3))
            own = again.plan.labels[topic.topic].copy()
            own[half == side] = rng.integers(1, 4, (half == side).sum())
            found[topic.topic] = own
        return found

    given = chosen(again.plan.labels)
    if split == "documents":
        np.testing.assert_array_equal(chosen(spoilt(side=False)), given)
        assert (chosen(spoilt(side=True)) != given).any()
    again_given = chosen(again.plan.labels)
    np.testing.assert_array_equal(again_given, given)


def test_halves_are_searched_and_judged_as_files_of_theirs():
    judgments, labels, _, again = made(6, topics=3, ranks=False)
    topic, docno = (np.array(judgments[name].to_pylist()) for name in ("topic", "docno"))
    expected = np.full((2, 2, 2, 2, 3), np.nan)  # training and value, rule, split, side, topic
    for number in range(2):
        kept = np.zeros(len(topic), dtype=bool)
        for t, own in enumerate(again.plan.topics):
            half = half_of(own.n_documents, generator(4, "halves", "documents", own.topic,
                                                      str(number)))  # fmt: skip
            assert own.topic == str(t + 1)
            kept |= (topic == own.topic) & np.isin(docno, own.docnos[half])
        criteria = []
        for side in (kept, ~kept):
            found = search(judgments.filter(pa.array(side)), 9, 3, "d2_at", labels)
            assert found.topics == ("1", "2", "3")
            criteria.append(np.where(found.eligible, found.values, np.nan))
        for side in (0, 1):
            single = best_of(again.places, mean_under_coverage(criteria[side], 0.9)).index
            for t in range(3):
                own = best_of(again.places, criteria[side][:, t]).index
                for rule, cut in enumerate((own, single)):
                    for judge in (0, 1):
                        value = criteria[abs(side - judge)][cut, t]
                        expected[judge, rule, number, side, t] = value
    found = halves(again, "documents", 2, seed=4)
    for judge, told in enumerate((found.training, found.value)):
        means = np.nanmean(expected[judge], axis=(1, 2))
        np.testing.assert_allclose(told[:2], means, atol=1e-12, rtol=0)


def test_a_topic_that_chooses_nothing_leaves_the_others_theirs():
    _, _, _, again = made(6, topics=3, ranks=False)
    first, second, third = again.criteria.T
    undefined = np.full(len(first), np.nan)
    found = chosen_on(again, [undefined, first, second, third])
    assert (found[[0, *range(2, len(found))], 0] == -1).all()
    np.testing.assert_array_equal(found[:, 1:], chosen_on(again, [first, second, third]))


def test_the_weight_for_a_topic_never_sees_it():
    rng = np.random.default_rng(5)
    value = rng.random((2 + len(WEIGHTS), 6))
    given = pooled(Halves(value, value))[2]
    for t in range(6):
        other = value.copy()
        other[2:, t] = rng.random(len(WEIGHTS)) * 100
        assert pooled(Halves(other, other))[2][t] == given[t]
    by_hand = [WEIGHTS[np.delete(value[2:], t, axis=1).mean(axis=1).argmax()] for t in range(6)]
    assert given.tolist() == by_hand
    places = [2 + WEIGHTS.index(weight) for weight in by_hand]
    training, found, _ = pooled(Halves(-value, value))
    assert found.tolist() == value[places, range(6)].tolist()
    assert training.tolist() == (-found).tolist()
    assert np.isnan(pooled(Halves(value[:, :1], value[:, :1]))[1]).all()


def test_cuts_between_two_are_cuts():
    own, single = np.array([0, 1, 7]), np.array([3, 4, 5])
    between = pooled_places(own, single)
    assert between[0].tolist() == [3, 4, 5]
    assert between[-1].tolist() == [0, 1, 7]
    assert (np.diff(between, axis=1) > 0).all()
    tenths = pooled_places(np.array([0, 11]), np.array([10, 31]))  # one, and two, of either end
    assert tenths.tolist() == [[10 - w, 31 - 2 * w] for w in range(11)]


def test_labels_at_random_agree_with_nothing_that_is_held_out():
    """What is chosen on noise looks good where it was chosen and is worth nothing elsewhere."""
    _, _, _, again = made(6, topics=3, ranks=False)
    rng = np.random.default_rng(2)
    noise = {t: np.where(own >= 0, rng.integers(1, 4, len(own)), -1)
             for t, own in again.plan.labels.items()}  # fmt: skip
    again.plan.labels.update(noise)
    rows = held_out_tables(again, "E", ["topics", "documents"], 20)["held_out"]
    rows = rows.set_index(["split", "selection"])
    assert rows.loc[("documents", "per-topic"), "optimism"] > 0.2
    assert abs(rows.loc[("documents", "per-topic"), "held_out"]) < 0.25


def test_tables_of_choices_held_out(tmp_path):
    _, _, _, again = made(7, topics=4)
    tables = held_out_tables(again, "E", ["topics", "documents", "units"], 3, threads=2)
    same = held_out_tables(again, "E", ["topics", "documents", "units"], 3)
    for name, table in tables.items():
        pd.testing.assert_frame_equal(table, same[name])
        write_table(table, tmp_path / f"{name}.parquet", f"cuts/{name}")
    rows, topics = tables["held_out"], tables["held_out_topics"]
    alpha = rows[rows["criterion"] == "alpha"]
    assert alpha.groupby("split", sort=False)["selection"].apply(list).to_dict() == {
        "topics": ["single"],
        "documents": ["single", "per-topic", "pooled"],
        "units": ["single", "per-topic", "pooled"],
    }
    first = topics[(topics["split"] == "topics") & (topics["criterion"] == "alpha")]
    found = again.plan.search()
    criterion = np.where(found.eligible, found.values, np.nan)
    chosen = chosen_without(again.places, criterion, 0.9)
    np.testing.assert_allclose(first["value"], [criterion[c, t] for t, c in enumerate(chosen)])
    one = made(7, topics=1)[3]
    tables = held_out_tables(one, "E", ["topics"], 3)
    (row,) = tables["held_out"].to_dict("records")
    assert row["note"].startswith("one topic")
    for name, table in tables.items():  # what could not be held out can be written too
        write_table(table, tmp_path / f"one-{name}.parquet", f"cuts/{name}")


def test_only_topics_own_cuts_are_independent_and_have_intervals_and_tests():
    _, _, _, again = made(7, topics=10, ranks=False)
    rows = held_out_tables(again, "E", ["topics", "documents"], 3)["held_out"]
    rows = rows[rows["criterion"] == "alpha"].set_index(["split", "selection"])
    ends = ["optimism_low", "optimism_high", "optimism_p", "low", "high", "t", "p"]
    own = rows.loc[("documents", "per-topic")]
    assert own[ends].notna().all()
    assert own["optimism_low"] < own["optimism"] < own["optimism_high"]
    assert own["low"] < own["difference"] < own["high"]
    taught = rows.drop(("documents", "per-topic"))
    assert taught[ends].isna().all(axis=None) and taught["optimism"].notna().all()
    assert pd.notna(rows.loc[("documents", "pooled"), "difference"])


def test_tau_without_a_topic_is_tau_of_the_others(tmp_path):
    scores, theirs, topics = under_every_cut()
    every = tau_without(scores, theirs, threads=2)
    for t, name in enumerate(topics):
        rest, others, _ = under_every_cut(without=name)
        for i in (0, 5, 20):
            expected = tau_b(rest.scores(i).mean(axis=1), others.mean(axis=0))
            assert every[i, t] == pytest.approx(expected, abs=1e-12, nan_ok=True)
    for among in (0, 5, 20):
        few = tau_without(scores, theirs, among=among)
        kept = every >= every[among] - 1e-12
        assert (few[kept] == every[kept]).all()
        assert (few[~kept] <= every[~kept]).all()
    tables = held_out_by_tau(scores, theirs, topics, "E", ["topics", "systems"], 2)
    assert tables["held_out"]["split"].tolist() == ["topics", "systems"]
    assert len(tables["held_out_topics"]) == 4 + 4
    for name, table in tables.items():
        write_table(table, tmp_path / f"{name}.parquet", f"cuts/{name}")


def test_choices_by_tau_are_judged_on_what_is_left_out_of_them():
    scores, theirs, topics = under_every_cut()
    every = np.stack([scores.scores(i) for i in range(len(scores.cuts))])  # (C, S, T)
    places = scores.cuts.astype(np.int64)

    def tau(cut, systems=slice(None), topics=slice(None)):
        own, expert = every[cut][systems][:, topics], theirs[topics][:, systems]
        return tau_b(own.mean(axis=1), expert.mean(axis=0))

    def best(**some):
        return best_of(places, np.array([tau(cut, **some) for cut in range(len(every))])).index

    whole, of_topics, of_halves = best(), [], []
    for t in range(4):
        others = np.delete(np.arange(4), t)
        cut = best(topics=others)
        of_topics.append([tau(whole, topics=[t]), tau(cut, topics=others), tau(cut, topics=[t])])
    for number in range(3):
        half = half_of(6, generator(5, "halves", "systems", "E", str(number)))
        for side in (half, ~half):
            cut = best(systems=np.flatnonzero(side))
            training, value = (tau(cut, systems=np.flatnonzero(of)) for of in (side, ~side))
            of_halves.append([tau(whole), training, value])
    splits = ["topics", "systems"]
    tables = held_out_by_tau(scores, theirs, topics, "E", splits, repeats=3, seed=5)
    names = {"topics": list(topics), "systems": [f"half {n}" for n in range(1, 7)]}
    found = tables["held_out"].set_index("split")
    for split, of in (("topics", of_topics), ("systems", of_halves)):
        in_sample, training, value = np.array(of).T
        rows = tables["held_out_topics"].query("split == @split")
        assert rows["topic"].tolist() == names[split]
        assert rows["training"].to_numpy() == pytest.approx(training)
        assert rows["value"].to_numpy(float) == pytest.approx(value, nan_ok=True)
        before = in_sample if split == "topics" else training
        told = found.loc[split, ["in_sample", "training", "held_out", "optimism"]].tolist()
        expected = [in_sample, training, value, before - value]
        assert told == pytest.approx([np.nanmean(one) for one in expected])
    alone = held_out_by_tau(scores, theirs, topics, "E", ["systems"], repeats=3, seed=5)
    pd.testing.assert_frame_equal(alone["held_out"], tables["held_out"][1:].reset_index(drop=True))


# --- named cuts, rules, budgets --------------------------------------------------------------


def test_named_cuts():
    again = made(1, topics=1, ranks=False)[3]
    thresholds = again.plan.thresholds
    found = named_cuts(thresholds, 3, Scale.of({"levels": 9}), np.arange(9), {"own": [1.5, 3]})
    assert {name: places.tolist() for name, places in found.items()} == {
        "equal_widths": [2, 5],
        "middle": [2, 5],
        "own": [1, 3],
    }
    assert cut_index(np.array([[2, 5]]), 8, 3)[0] == again.plan.cuts.tolist().index([2, 5])
    for levels in (2, 3, 4):
        every = enumerate_cuts(8, levels)
        assert cut_index(every, 7, levels).tolist() == [*range(len(every))]
    assert moved_apart([0, 0, 9], 4).tolist() == [0, 1, 3]
    assert moved_apart([3, 3, 3], 4).tolist() == [1, 2, 3]
    assert moved_apart([-1, -1], 4).tolist() == [0, 1]  # both below the lowest threshold
    for cut, message in (([1], "has 2"), ([3, 1], "ascending")):
        with pytest.raises(ParameterError, match=message):
            named_cuts(thresholds, 3, Scale.of({"levels": 9}), np.arange(9), {"own": cut})


def test_the_ends_of_magnitudes_are_those_of_their_values():
    values = np.array([2.0, 0.5, 40.0])
    assert ends_of(Scale.of({"ratio": True}), values) == (0.5, 40.0)
    assert ends_of(Scale.of({"range": [0, 100]}), values) == (0, 100)


def test_natural_breaks_of_two_levels_are_otsus():
    rng = np.random.default_rng(3)
    sample = np.sort(np.append(rng.normal(20, 5, 60), rng.normal(70, 9, 30)).round())
    between = {
        cut: (sample <= cut).mean() * (sample > cut).mean()
        * (sample[sample <= cut].mean() - sample[sample > cut].mean()) ** 2
        for cut in np.unique(sample)[:-1]
    }  # fmt: skip
    assert natural_breaks(sample, 2)[0] == max(between, key=between.get)
    assert natural_breaks(np.array([1.0, 1, 1]), 2) is None
    assert natural_breaks(np.array([1.0, 3]), 2).tolist() == [1]


def test_a_mixture_is_cut_between_its_means():
    rng = np.random.default_rng(3)
    sample = np.sort(np.append(rng.normal(20, 5, 300), rng.normal(80, 5, 300)))
    assert mixture_breaks(sample, 2)[0] == pytest.approx(50, abs=4)
    assert mixture_breaks(np.ones(4), 2) is None


def test_quantiles_give_levels_their_shares():
    sample = np.repeat([0.0, 1, 2, 3], [5, 2, 2, 1])
    assert quantile_breaks(sample, np.array([0.5, 0.9])).tolist() == [0, 2]


def test_a_mixture_has_the_same_unit_as_its_values_and_cuts_ascend():
    rng = np.random.default_rng(4)
    sample = np.sort(rng.normal(np.repeat([10, 50, 90], 100), 4))
    breaks = mixture_breaks(sample, 3)
    assert breaks == pytest.approx([30, 70], abs=4)
    assert mixture_breaks(sample / 1000, 3) == pytest.approx(breaks / 1000, rel=1e-3)
    # as wide as the other is narrow: the cut is nearer to the narrow one
    uneven = np.sort(np.append(rng.normal(0, 1, 500), rng.normal(40, 10, 500)))
    (cut,) = mixture_breaks(uneven, 2)
    assert 2 < cut < 12


def test_features_are_quantiles_moments_and_ends():
    values = np.array([0.0, 0, 10, 20, 20, 30, 100, 100])
    found = features(values, 0, 100)
    shares = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)
    expected = [*np.quantile(values / 100, shares), 0.35, (values / 100).std(), skew(values)]
    assert found == pytest.approx([*expected, 2 / 8, 2 / 8])
    alike = features(np.full(3, 5.0), 5, 5)
    assert alike == pytest.approx([0] * 10 + [1, 1])


def test_what_topics_teach_is_that_of_each():
    _, labels, _, again = made(7, topics=5, ranks=False)
    taught = TrainingTopics(again)
    grades = labels.to_pandas().groupby("topic")["grade"]
    for t, (topic, own) in enumerate(grades):
        assert again.names[t] == topic
        assert taught.shares[t] == pytest.approx([(own <= 0).mean(), (own <= 1).mean()])
        best = np.nanmax(again.criteria[:, t])
        places = np.flatnonzero(again.criteria[:, t] >= best - 1e-12)
        assert taught.best[t].tolist() in again.plan.cuts[places].tolist()
    ends = (0.0, 8.0)
    two = np.arange(5) < 2
    assert taught.learnt(two, taught.values[4], ends) is None  # two topics teach no regression
    three = np.arange(5) < 3
    learnt = taught.learnt(three, taught.values[4], ends)
    assert len(learnt) == 2 and learnt[0] <= learnt[1]


def test_means_over_topics_are_those_of_their_rows_and_paired_with_the_single_cut():
    _, _, _, again = made(7, topics=5, ranks=False)
    found = unlabelled_table(again, "E")
    rows, means = (found[(found["topic"] == ALL_TOPICS) == which] for which in (False, True))
    assert (rows["n_topics"] == rows["alpha"].notna()).all()
    single = rows[rows["rule"] == "single"].set_index("topic")["alpha"].astype(float)
    for mean in means.itertuples():
        own = rows[rows["rule"] == mean.rule].set_index("topic")[["alpha", "regret"]].astype(float)
        assert mean.alpha == pytest.approx(own["alpha"].mean(), nan_ok=True)
        assert mean.regret == pytest.approx(own["regret"].mean(), nan_ok=True)
        assert mean.n_topics == own["alpha"].notna().sum()
        both = (own["alpha"] - single).dropna()
        if mean.rule == "single":
            assert np.isnan(mean.difference)
        else:
            assert mean.difference == pytest.approx(both.mean())


def test_rules_that_no_topic_teaches_have_an_interval_beside_the_cut_of_all_topics():
    """What others taught is alike on all topics, and no interval is known that holds."""
    _, _, _, again = made(7, topics=10, ranks=False)
    found = unlabelled_table(again, "E")
    means = found[found["topic"] == ALL_TOPICS].set_index("rule")
    gains = search_gains(again).set_index("against")
    for name in again.named:
        assert means.loc[name, "low"] == -gains.loc[name, "high"]
        assert means.loc[name, "high"] == -gains.loc[name, "low"]
    for rule in ("jenks", "mixture", "oracle"):
        assert means.loc[rule, "low"] <= means.loc[rule, "difference"] <= means.loc[rule, "high"]
    assert means.loc[["single", "quantiles", "learnt"], ["low", "high"]].isna().all(axis=None)
    assert means.loc[["quantiles", "learnt"], "difference"].notna().all()


def test_rules_are_judged_by_labels_that_they_do_not_see(tmp_path):
    _, _, _, again = made(7, topics=5, ranks=False)
    found = unlabelled_table(again, "E", {"itself": again})
    write_table(found, tmp_path / "unlabelled.parquet", "cuts/unlabelled")
    means = found[found["topic"] == ALL_TOPICS]
    known = {(r.rule, r.trained or "") if isinstance(r.trained, str) else (r.rule, "")
             for r in means.itertuples()}  # fmt: skip
    learners = {(rule, on) for rule in ("single", "quantiles", "learnt")
                for on in (OWN_TOPICS, "itself")}  # fmt: skip
    fixed = {(rule, "") for rule in ("equal_widths", "middle", "jenks", "mixture", "oracle")}
    assert known == learners | fixed
    oracle = found[found["rule"] == "oracle"]
    np.testing.assert_allclose(oracle["regret"].dropna().astype(float), 0, atol=1e-12)
    assert (found["regret"].dropna() >= -1e-12).all()
    # of itself, without the topic, a rule learns what it learns of the other topics
    for rule in ("single", "quantiles", "learnt"):
        of_rule = found[found["rule"] == rule]
        own, other = (of_rule[of_rule["trained"] == on]["c1"].tolist()
                      for on in (OWN_TOPICS, "itself"))  # fmt: skip
        np.testing.assert_array_equal(own, other)
    # the labels of a topic change no rule's cut for it but the oracle's
    topic = again.plan.topics[0].topic
    again.plan.labels[topic][:] = np.where(again.plan.labels[topic] == 1, 3, 1)
    spoilt = unlabelled_table(again, "E")
    kept = found[(found["topic"] == topic) & (found["trained"] != "itself")]
    kept = kept[kept["rule"] != "oracle"][["rule", "c1", "c2"]].reset_index(drop=True)
    other = spoilt[(spoilt["topic"] == topic) & (spoilt["rule"] != "oracle")]
    pd.testing.assert_frame_equal(kept, other[["rule", "c1", "c2"]].reset_index(drop=True))


def test_a_rule_needs_a_reference():
    with pytest.raises(ParameterError, match="name one"):
        unlabelled_table(made(7, "tw1", ranks=False)[3], None)
    served = made(7, ranks=False)[3].plan
    (row,) = unlabelled_table(RepeatedSearch(replace(served, topics=()), {}), "E").to_dict(
        "records"
    )
    assert (row["rule"], row["topic"], row["n_topics"]) == ("oracle", ALL_TOPICS, 0)
    assert row["note"]


def test_budgets(tmp_path):
    _, _, _, again = made(7, topics=4, ranks=False)
    for own in again.plan.labels.values():
        own[0] = -1  # no label
    found = budget_table(again, "E", [2, 5, 500], samples=6, threads=2)
    pd.testing.assert_frame_equal(found, budget_table(again, "E", [2, 5, 500], samples=6))
    write_table(found, tmp_path / "budget.parquet", "cuts/budget")
    labels = found[found["unit"] == "labels"]
    most = max((own >= 0).sum() for own in again.plan.labels.values())
    assert labels["budget"].tolist() == [2, 5, most] * 2
    assert (labels.loc[labels["budget"] == most, "regret"] == 0).all()
    assert (labels["regret"].dropna() >= -1e-12).all()
    topics = found[found["unit"] == "topics"]
    assert topics["budget"].tolist() == [1, 2, 3]
    (row,) = budget_table(made(7, "tw1", ranks=False)[3], None, [2]).to_dict("records")
    assert "nothing to label" in row["note"]
    assert (row["budget"], row["samples"]) == (0, 0)


def test_budgets_are_those_of_their_draws_one_by_one():
    _, _, _, again = made(7, topics=4, ranks=False)
    criterion, coverage = again.criteria, again.plan.options.coverage
    whole = mean_under_coverage(criterion, coverage)
    labels = [again.plan.labels[topic.topic] for topic in again.plan.topics]
    samples, places = 5, again.places

    def lost(by, of):
        return np.nanmax(of) - of[best_of(places, by).index]

    expected = {}
    for budget in (3, 6):
        for number in range(samples):
            found = []
            for topic, own in zip(again.plan.topics, labels, strict=True):
                rng = generator(2, "budget", topic.topic, str(budget), str(number))
                found.append(again.criterion(topic, some_labels(own, budget, rng)))
            own = np.mean([lost(one, criterion[:, t]) for t, one in enumerate(found)])
            expected.setdefault(("per-topic", "labels", budget), []).append(own)
            single = lost(mean_under_coverage(np.stack(found, axis=1), coverage), whole)
            expected.setdefault(("single", "labels", budget), []).append(single)
    best = best_of(places, whole).index
    for count in (1, 2, 3):
        for number in range(samples):
            rng = generator(2, "budget", "topics", str(count), str(number))
            order = rng.permutation(4)
            chosen = best_of(places, mean_under_coverage(criterion[:, order[:count]], coverage))
            rest = criterion[:, order[count:]]
            of_rest = np.nanmean(rest[best]) - np.nanmean(rest[chosen.index])
            expected.setdefault(("single", "topics", count), []).append(of_rest)
    table = budget_table(again, "E", [3, 6], epsilon=0.03, samples=samples, seed=2)
    drawn = table[table["regret"].ne(0) | table["unit"].eq("topics")]
    assert len(drawn) == len(expected)
    for row in drawn.itertuples():
        values = np.array(expected[row.selection, row.unit, row.budget])
        assert row.regret == pytest.approx(values.mean())
        assert [row.low, row.high] == pytest.approx([*np.quantile(values, [0.025, 0.975])])
        assert row.within == pytest.approx((values <= 0.03).mean())
        later = [np.mean(of) for key, of in expected.items()
                 if key[:2] == (row.selection, row.unit) and key[2] >= row.budget]  # fmt: skip
        assert row.enough == (max(later) <= 0.03)


def test_some_labels_are_of_the_labelled():
    own = np.array([-1, 1, 2, 3, -1, 2])
    some = some_labels(own, 2, np.random.default_rng(1))
    assert (some >= 0).sum() == 2
    assert ((some == own) | (some == -1)).all()
    np.testing.assert_array_equal(some_labels(own, 9, np.random.default_rng(1)), own)


def test_the_one_cut_of_drawn_topics_is_chosen_and_judged_topic_by_topic():
    rng = np.random.default_rng(5)
    chooses, judges = rng.random((2, 6, 7)).round(1)
    chooses[2, 3] = judges[1, 4] = np.nan
    places, weights = np.arange(6)[:, None], rng.multinomial(7, np.full(7, 1 / 7), 40)
    drawn = single_of_drawn(places, chooses, judges, weights, 0.9)
    own = rng.random(7)
    means = []
    for times, found in zip(weights, drawn, strict=True):
        topics = np.repeat(np.arange(7), times)
        cut = best_index(places, mean_under_coverage(chooses[:, topics], 0.9))
        assert np.array_equal(found, judges[cut], equal_nan=True)
        means.append(np.nanmean((own - judges[cut])[topics]))
    assert error_of_difference(own, drawn, weights) == pytest.approx(np.std(means) * np.sqrt(7 / 6))


def test_a_difference_is_tested_by_its_error():
    apart, error = np.random.default_rng(2).exponential(0.1, 12) - 0.02, 0.04
    found = single_difference(apart, error)
    assert found["t"] == pytest.approx(apart.mean() / error)
    assert found["p"] == pytest.approx(2 * stats.t.sf(abs(found["t"]), 11))
    # the scatter of topics alone would be narrower on both sides
    half = stats.t.ppf(0.975, 11) * error
    assert found["low"] <= apart.mean() - half and found["high"] >= apart.mean() + half
    assert np.isnan(single_difference(apart[:9], error)["low"])
    assert np.isnan([*single_difference(apart, np.nan).values()]).all()
