"""Systems under scores and labels, against definitions in plain Python, and scipy."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from regrade.catalogue import columns_of
from regrade.errors import MethodError
from regrade.measures import parse_all
from regrade.preferences.systems import (
    RANDOM,
    UNMAPPED,
    LabelScores,
    MappedLabels,
    all_labels,
    as_gains,
    difficulty_table,
    in_parts,
    mapped_to_levels,
    p_table,
    p_values,
    quadrant_table,
    quadrants,
    random_gains,
    score_labels,
    system_agreement,
    system_table,
    tau_of_defined,
    with_proportions_of,
)
from regrade.run_arrays import RankedLists
from regrade.scoring import Scores
from tests.unit.trec import runs_table

TOPICS = ("1", "2", "3")


def scored(method, numbers, topic="1"):
    docnos = [f"d{i}" for i in range(len(numbers))]
    return pd.DataFrame(
        {"topic": topic, "docno": docnos, "method": method, "value": np.array(numbers, float)}
    )


def graded(numbers, topic="1"):
    return scored("m", numbers, topic).rename(columns={"value": "grade"}).drop(columns="method")


# --- gains and levels --------------------------------------------------------------------------


def test_shares_are_gains_as_they_are():
    table = as_gains(scored("frequency", [0, 0.25, 1]))
    assert table["grade"].tolist() == [0, 0.25, 1]


def test_strengths_are_probabilities_to_beat_the_mean():
    x = np.array([-1.0, 0.0, 2.0])
    table = as_gains(pd.concat([scored("bradley-terry", x), scored("thurstone", x)]))
    np.testing.assert_allclose(table["grade"][:3], 1 / (1 + np.exp(-x)))
    np.testing.assert_allclose(table["grade"][3:], stats.norm.cdf(x))


def test_other_numbers_are_stretched_topic_by_topic():
    table = as_gains(pd.concat([scored("strength", [-1, 0, 3]), scored("strength", [0, 0], "2")]))
    assert table["grade"].tolist() == [0, 0.25, 1, 0.5, 0.5]


@pytest.mark.parametrize(
    ("given", "gains"),
    [
        ([0.2, 0.5], [0.2, 0.5]),
        ([0.25, 1], [0.25, 1]),
        ([0.25, 1 + 5e-13], [0.25, 1]),  # a rounding error above 1
        ([0, 2, 4], [0, 0.5, 1]),
        ([-0.5, -0.25, 0], [0, 0.5, 1]),
    ],
)
def test_what_lies_outside_of_0_to_1_is_stretched(given, gains):
    assert as_gains(scored("ratio", given))["grade"].tolist() == gains


def test_methods_keep_their_order_and_rows_are_numbered():
    table = as_gains(pd.concat([scored("ratio", [0.5]), scored("absolute", [0.25, 1])]))
    assert table["method"].tolist() == ["ratio", "absolute", "absolute"]
    assert list(table.index) == [0, 1, 2]
    labels = all_labels(table, {})
    assert [one.name for one in labels] == ["ratio", "absolute"]


def test_documents_without_a_score_have_no_gain():
    assert as_gains(scored("frequency", [np.nan, 1]))["docno"].tolist() == ["d1"]
    assert as_gains(scored("frequency", [np.nan])).empty
    assert mapped_to_levels(np.array([]), np.array([0.5, 0.5])).tolist() == []


@given(st.permutations(range(10)), st.integers(0, 10), st.integers(0, 10))
def test_levels_have_their_shares_where_nothing_ties(values, one, other):
    low, high = sorted((one, other))
    shares = np.array([low, high - low, 10 - high]) / 10
    level = mapped_to_levels(np.array(values, float), shares)
    assert np.bincount(level, minlength=3).tolist() == [low, high - low, 10 - high]
    expected = [0] * low + [1] * (high - low) + [2] * (10 - high)
    assert level[np.argsort(values)].tolist() == expected


def test_documents_that_tie_share_a_level():
    level = mapped_to_levels(np.array([1.0, 2, 2, 2, 3]), np.array([0.4, 0.6]))
    assert level.tolist() == [0, 1, 1, 1, 1]
    level = mapped_to_levels(np.array([1.0, 2, 2, 2, 3]), np.array([0.8, 0.2]))
    assert level.tolist() == [0, 0, 0, 0, 1]
    assert mapped_to_levels(np.zeros(4), np.array([0.5, 0.5])).tolist() == [1] * 4


def test_proportions_are_the_references_topic_by_topic():
    gains = pd.concat([graded([0.1, 0.9, 0.5, 0.2]), graded([0.3, 0.1], "2"), graded([1], "3")])
    labels = pd.concat([graded([0, 0, 2, 1]), graded([2, 2], "2")])
    table = with_proportions_of(gains, labels)
    assert table["topic"].unique().tolist() == ["1", "2"]
    assert table["grade"].tolist() == [0, 2, 1, 0, 2, 2]
    with pytest.raises(MethodError, match="proportions"):
        with_proportions_of(gains, graded([1], "9"))


def test_parts_are_of_equal_size():
    table = in_parts(graded([0.1, 0.9, 0.5, 0.2]), 2)
    assert table["grade"].tolist() == [0, 1, 1, 0]


def test_random_gains_of_a_topic_do_not_depend_on_others():
    both = pd.concat([graded([1, 0, 0]), graded([0, 1], "2")])
    table = random_gains(both, 3)
    alone = random_gains(graded([0, 1], "2"), 3)
    assert table[table["topic"] == "2"]["grade"].tolist() == alone["grade"].tolist()
    assert set(table["method"]) == {RANDOM}
    assert table["grade"].between(0, 1).all()


# --- systems -----------------------------------------------------------------------------------


def ranked_runs(systems=5, seed=1):
    rng = np.random.default_rng(seed)
    runs = {
        f"s{s}": {
            topic: [(f"d{d}", 8.0 - place) for place, d in enumerate(rng.permutation(8)[:6])]
            for topic in TOPICS
        }
        for s in range(systems)
    }
    return RankedLists.from_table(runs_table(runs)), runs


def three_topics(draw, name="grade"):
    rng = np.random.default_rng(4)
    return pd.concat([graded(draw(rng), topic) for topic in TOPICS], ignore_index=True)


def some_labels():
    experts = three_topics(lambda rng: rng.integers(0, 3, 8))
    gains = three_topics(lambda rng: rng.random(8)).assign(method="frequency")
    return experts, gains


def test_scores_of_systems_are_the_measures_on_gains():
    ranked, runs = ranked_runs()
    experts, gains = some_labels()
    found = score_labels(ranked, all_labels(gains, {"R": (experts, 2.0)}), ["RBP(p=0.5)"])
    table = system_table(found)
    assert list(table.columns) == columns_of("preferences/systems")
    assert set(table["mapping"]) == {UNMAPPED, "R"}
    known = gains.set_index(["topic", "docno"])["grade"]
    for system in ("s0", "s3"):
        rbp = [
            sum(0.5 * 0.5**i * known[t, d] for i, (d, _) in enumerate(runs[system][t]))
            for t in TOPICS
        ]
        here = table[(table["system"] == system) & (table["labels"] == "frequency")]
        assert here["score"].iloc[0] == pytest.approx(np.mean(rbp))
        assert here["topics"].iloc[0] == 3


def test_order_of_systems_is_compared_within_a_mapping():
    ranked, _ = ranked_runs()
    experts, gains = some_labels()
    labels = all_labels(gains, {"R": (experts, 2.0)}, parts=[2])
    found = score_labels(ranked, labels, ["RBP(p=0.5)", "nDCG@5"])
    table = system_agreement(found)
    assert list(table.columns) == columns_of("preferences/system_orders")
    assert table[["mapping", "first", "second"]].drop_duplicates().to_numpy().tolist() == [
        [UNMAPPED, "R", "frequency"],
        ["R", "R", "frequency"],
        ["2 parts", "R", "frequency"],
    ]
    x, y = (one.means()[:, 0] for one in found[:2])
    row = table.iloc[0]
    product = [(x[i] - x[j]) * (y[i] - y[j]) for i, j in combinations(range(5), 2)]
    assert row["agree"] == sum(p > 1e-12 for p in product)
    assert row["disagree"] == sum(p < -1e-12 for p in product)
    assert row["pairs"] == 10
    assert row["tau"] == pytest.approx(stats.kendalltau(x, y).statistic)


def test_labels_that_are_the_same_agree_entirely():
    ranked, _ = ranked_runs()
    experts, _ = some_labels()
    same = [MappedLabels(name, UNMAPPED, experts, 2.0) for name in ("x", "y")]
    found = score_labels(ranked, same, ["RBP(p=0.5)"])
    row = system_agreement(found).iloc[0]
    assert (row["disagree"], row["tau"], row["tau_ap"]) == (0, 1, 1)
    assert row["rbo"] == pytest.approx(1)
    pairs = p_table(found)
    assert list(pairs.columns) == columns_of("preferences/p_values")
    (told,) = quadrant_table(pairs, 3).to_dict("records")
    assert told["fp"] == told["fn"] == 0
    assert told["tp"] + told["tn"] == told["pairs"] == 10


def test_p_values_are_those_of_the_paired_t_test():
    ranked, _ = ranked_runs()
    experts, gains = some_labels()
    found = score_labels(ranked, all_labels(gains, {"R": (experts, 2.0)}), ["RBP(p=0.5)"])
    pairs = p_table(found)
    assert set(pairs["labels"]) == {"R", "frequency"}
    values = found[0].scores.values[:, :, 0]
    expected = [stats.ttest_rel(values[i], values[j]).pvalue for i, j in combinations(range(5), 2)]
    np.testing.assert_allclose(pairs[pairs["labels"] == "R"]["p"], expected)


def test_quadrants_count_pairs():
    one = np.array([0.01, 0.01, 0.5, 0.5, np.nan, 0.01])
    other = np.array([0.02, 0.3, 0.04, 0.9, 0.01, np.nan])
    found = quadrants(one, other, 0.05)
    assert [found[c] for c in ("tp", "fp", "fn", "tn")] == [1, 2, 2, 1]
    assert (found["pairs"], found["undefined"]) == (6, 2)
    assert found["ratio"] == 0.5
    tau = tau_of_defined(one, other)
    assert tau == pytest.approx(stats.kendalltau(one[:4], other[:4]).statistic)
    assert np.isnan(tau_of_defined(np.array([np.nan]), np.array([0.1])))
    table = quadrant_table(pd.DataFrame(columns=columns_of("preferences/p_values")), 3)
    assert list(table.columns) == columns_of("preferences/quadrants")


def test_only_topics_of_all_sets_count():
    ranked, _ = ranked_runs()
    experts, gains = some_labels()
    few = experts[experts["topic"] != "3"]
    found = score_labels(ranked, all_labels(gains, {"R": (few, 2.0)}), ["RBP(p=0.5)"])
    assert {one.scores.topics for one in found} == {("1", "2")}
    with pytest.raises(MethodError, match="in common"):
        score_labels(ranked, [MappedLabels("x", UNMAPPED, graded([1], "9"), 1.0)], ["RBP(p=0.5)"])


def test_one_system_has_no_order():
    ranked, _ = ranked_runs(systems=1)
    experts, gains = some_labels()
    found = score_labels(ranked, all_labels(gains, {"R": (experts, 2.0)}), ["RBP(p=0.5)"])
    row = system_agreement(found).iloc[0]
    assert row["pairs"] == 0
    assert np.isnan(row["tau"])
    assert p_table(found).empty


def test_one_topic_tells_no_systems_apart():
    ranked, _ = ranked_runs()
    experts, gains = some_labels()
    only = experts[experts["topic"] == "1"]
    found = score_labels(ranked, all_labels(gains, {"R": (only, 2.0)}), ["RBP(p=0.5)"])
    pairs = p_table(found)
    assert len(pairs) == 2 * 10
    assert pairs["p"].isna().all()
    values = found[0].scores.values[:, 0, 0]
    expected = [values[i] - values[j] for i, j in combinations(range(5), 2)]
    np.testing.assert_allclose(pairs["difference"][:10], expected)
    (told,) = quadrant_table(pairs, 1).to_dict("records")
    assert (told["tn"], told["undefined"]) == (10, 10)


def of_means(means, topics=2):
    """Labels under which systems have these mean scores, with some noise of topics about them."""
    means = np.asarray(means, float)
    values = means[:, None] + np.resize([0.125, -0.125], topics) * np.arange(len(means))[:, None]
    values = values[:, :, None]
    systems = tuple(f"s{i}" for i in range(len(means)))
    scores = Scores(
        systems, TOPICS[:topics], parse_all(["AP"]), values, np.full_like(values, np.nan)
    )
    return LabelScores(MappedLabels("x", UNMAPPED, graded([1]), 1.0), scores)


def test_pairs_that_either_side_ties_are_ties():
    (row,) = system_agreement([of_means([1, 2, 3, 3]), of_means([3, 1, 1, 2])]).to_dict("records")
    assert (row["agree"], row["disagree"], row["tie"]) == (1, 3, 2)
    assert (row["systems"], row["pairs"]) == (4, 6)


def test_two_systems_and_two_topics_are_enough_for_a_test():
    two = of_means([0.5, 0.75]).scores
    expected = stats.ttest_rel(*two.values[:, :, 0]).pvalue
    np.testing.assert_allclose(p_values(two), [[expected]])
    for systems, shape in ((1, (1, 0)), (2, (1, 1)), (4, (1, 6))):
        found = p_values(of_means(range(systems), topics=1).scores)
        assert found.shape == shape
        assert np.isnan(found).all()


def test_a_p_at_the_level_tells_nothing():
    found = quadrants(np.array([0.05, 0.01]), np.array([0.01, 0.05]), 0.05)
    assert (found["fp"], found["fn"]) == (1, 1)


def test_difficulty_is_the_mean_score_of_systems():
    ranked, _ = ranked_runs()
    experts, gains = some_labels()
    found = score_labels(ranked, all_labels(gains, {"R": (experts, 2.0)}), ["RBP(p=0.5)"])
    table = difficulty_table(ranked, {"R": (experts, 2.0)}, "RBP(p=0.5)", TOPICS)
    np.testing.assert_allclose(table["mean"], found[0].scores.values[:, :, 0].mean(axis=0))
    assert table["topic"].tolist() == list(TOPICS)
    assert set(table["systems"]) == {5}
