"""How many levels: all cuts in blocks, left-out topics, and climbs, beside plain loops."""

from itertools import combinations

import numpy as np
import pytest

from regrade.aggregation import aggregate, transformed_labels
from regrade.catalogue import ALL_TOPICS
from regrade.cutsearch import levels as module
from regrade.cutsearch.joint_counts import JointCounts
from regrade.cutsearch.levels import (
    best_by_levels,
    blocks_of_cuts,
    climbed,
    enumerated,
    internal,
    levels_table,
    on_target_scale,
    tau_by_levels,
    with_reference,
)
from regrade.cutsearch.search import SourceTopics, search
from regrade.cutsearch.system_tau import scores_by_topic
from regrade.cutsearch.thresholds import Thresholds
from regrade.errors import ParameterError
from regrade.kendall import tau_b
from regrade.measures import parse
from regrade.run_arrays import RankedLists
from regrade.scales import Scale
from regrade.tables import write_table
from tests.unit.judgments import alpha_options, random_judgments, random_labels
from tests.unit.test_cutsearch_discrimination import runs_over

SCALE = Scale.of({"levels": 9})
THRESHOLDS = Thresholds.of(SCALE, 2)
MEASURE = parse("nDCG@5")


@pytest.fixture(scope="module")
def judgments():
    return random_judgments(4, levels=9, topics=5, documents=12, units=18, heaped=False)


def criteria(judgments, levels):
    """α with a reference on the target scale, with one on another, and of the workers."""
    reference = random_labels(4, judgments, 3)
    joint = JointCounts.of(SourceTopics.of(judgments, SCALE), THRESHOLDS, reference, 3)
    found = [with_reference(joint, "E")]
    found += [on_target_scale(joint, levels, "ordinal")] if levels >= 3 else []
    return found + [
        internal(SourceTopics.of(judgments, SCALE), THRESHOLDS, m) for m in ("nominal", "ordinal")
    ]


@pytest.mark.parametrize(("thresholds", "levels"), [(5, 2), (5, 3), (7, 5), (6, 7)])
@pytest.mark.parametrize("size", [1, 4, 1000])
def test_blocks_hold_all_cuts_in_order(thresholds, levels, size):
    blocks = list(blocks_of_cuts(thresholds, levels, size))
    assert all(len(block) <= size for block in blocks)
    expected = list(combinations(range(thresholds), levels - 1))
    assert np.concatenate(blocks).tolist() == [list(cut) for cut in expected]


@pytest.mark.parametrize("levels", [2, 3, 4, 5])
@pytest.mark.parametrize("block", [7, 1 << 16])
def test_the_best_of_all_cuts_and_of_all_but_one_topic(judgments, levels, block, monkeypatch):
    monkeypatch.setattr(module.blocks_of_cuts, "__defaults__", (block,))
    cuts = np.array(list(combinations(range(8), levels - 1)))
    for criterion in criteria(judgments, levels):
        found = enumerated(criterion, levels, threads=2)
        values = np.array([criterion.values(t, cuts) for t in range(len(criterion.topics))])
        for best, row in zip(found.topics, values, strict=True):
            assert best.value == np.nanmax(row)
            assert best.tied == (row >= np.nanmax(row) - 1e-12).sum()
        mean = np.where(np.isnan(values).any(axis=0), np.nan, values.sum(axis=0) / len(values))
        assert found.single.value == pytest.approx(np.nanmax(mean), abs=1e-12)
        for t in range(len(values)):
            others = np.delete(values, t, axis=0).mean(axis=0)  # NaN where one is
            tied = others >= np.nanmax(others) - 1e-12
            possible = values[t][tied]
            assert np.nanmin(np.abs(possible - found.held_out[t])) < 1e-12


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("levels", [2, 3, 4])
def test_values_are_those_of_the_search(judgments, metric, levels):
    own = internal(SourceTopics.of(judgments, SCALE), THRESHOLDS, metric)
    alpha = search(judgments, SCALE, levels, "tw1", options=alpha_options(metric=metric))
    cuts = np.array(list(combinations(range(8), levels - 1)))
    assert own.topics == alpha.topics
    for t in range(len(own.topics)):
        assert own.values(t, cuts) == pytest.approx(alpha.values[:, t], abs=1e-12, nan_ok=True)
    if levels == 3:
        reference = random_labels(4, judgments, 3)
        joint = JointCounts.of(SourceTopics.of(judgments, SCALE), THRESHOLDS, reference, 3)
        alpha = search(judgments, SCALE, 3, "d2_at", reference, alpha_options(metric=metric))
        beside = on_target_scale(joint, 3, metric)
        for t in range(len(beside.topics)):
            found = beside.values(t, cuts)
            assert found == pytest.approx(alpha.values[:, t], abs=1e-12, nan_ok=True)


def test_a_left_out_topic_is_not_seen(judgments):
    """Whatever a topic's own values are, the cut it is judged by stays the same."""
    reference = random_labels(4, judgments, 3)
    joint = JointCounts.of(SourceTopics.of(judgments, SCALE), THRESHOLDS, reference, 3)
    criterion = with_reference(joint, "E")
    seen = []

    def planted(t, places):
        values = criterion.values(t, places)
        return values + 100 * (places[:, 0] == 7) if t == 2 else values  # a leak would pick these

    leaky = type(criterion)(criterion.name, criterion.topics, THRESHOLDS, planted, criterion.ever)
    seen = [enumerated(one, 2).held_out[2] for one in (criterion, leaky)]
    assert seen[0] == seen[1]
    assert enumerated(leaky, 2).single.places.tolist() == [7]


def test_a_climb_does_not_see_a_left_out_topic_either(judgments):
    criterion = internal(SourceTopics.of(judgments, SCALE), THRESHOLDS, "ordinal")

    def planted(t, places):
        values = criterion.values(t, places)
        return values + 100 * (places[:, 0] == 4) if t == 2 else values

    leaky = type(criterion)(criterion.name, criterion.topics, THRESHOLDS, planted, criterion.ever)
    found = [best_by_levels(one, range(2, 5), enumerate_to=2) for one in (criterion, leaky)]
    for honest, planted_too in zip(*found, strict=True):
        same = honest.others[2].places == planted_too.others[2].places
        assert same.tolist() == [True] * (honest.levels - 1)
        assert all(len(best.places) == honest.levels - 1 for best in honest.others)


@pytest.mark.parametrize("levels", [3, 4, 5])
def test_climbs_reach_no_more_than_there_is_and_optima_all_of_it(judgments, levels):
    for criterion in criteria(judgments, 7)[::2]:
        fewer = enumerated(criterion, levels - 1)
        every, reached = enumerated(criterion, levels), climbed(criterion, levels, fewer)
        assert reached.single.value <= every.single.value + 1e-12
        assert reached.single.value >= 0.9 * every.single.value
        for one, best in zip(reached.topics, every.topics, strict=True):
            assert one.value <= best.value + 1e-12
            if criterion.optimum:
                assert one.value == pytest.approx(best.value, abs=1e-12)


def test_tables(judgments, tmp_path):
    ranked = RankedLists.from_table(runs_over(judgments, 6))
    reference = random_labels(4, judgments, 3)
    labels = aggregate(judgments, "median")
    theirs = scores_by_topic(ranked, reference, MEASURE, 2.0)
    joint = JointCounts.of(SourceTopics.of(judgments, SCALE), THRESHOLDS, reference, 3)
    criterion = with_reference(joint, "E")
    table = levels_table(criterion, best_by_levels(criterion, range(2, 8), enumerate_to=4))
    write_table(table, tmp_path / "levels.parquet", "cuts/levels")
    assert set(table["levels"]) == set(range(2, 8))
    topics = table[table["topic"] != ALL_TOPICS]
    assert topics["exact"].all()
    single = table[table["selection"] == "single"].set_index("levels")
    assert single["exact"].tolist() == [True, True, True, False, False, False]
    assert (single["n_cuts"] == [8, 28, 56, 70, 56, 28]).all()
    mean = table[(table["selection"] == "per-topic") & (table["topic"] == ALL_TOPICS)]
    expected = topics.groupby("levels")["value"].mean().to_numpy()
    assert mean["value"].to_numpy() == pytest.approx(expected)
    tau = tau_by_levels(table, ranked, labels, {"E": theirs}, MEASURE)
    write_table(tau, tmp_path / "tau.parquet", "cuts/levels_tau")
    row = tau[(tau["levels"] == 5) & (tau["selection"] == "single")].iloc[0]
    cut = single.loc[5, ["c1", "c2", "c3", "c4"]].tolist()
    own = transformed_labels(labels, dict.fromkeys(criterion.topics, cut), "at", "median", 5)
    scores = scores_by_topic(ranked, own, MEASURE, 4.0)
    means = [np.mean([s[t] for t in criterion.topics], axis=0) for s in (scores, theirs)]
    assert row["tau"] == pytest.approx(tau_b(*means))


def test_a_scale_with_fewer_values_than_levels(judgments):
    small = Scale.of({"levels": 4})
    few = random_judgments(4, levels=4, topics=2)
    criterion = internal(SourceTopics.of(few, small), Thresholds.of(small, 2), "ordinal")
    assert [found.levels for found in best_by_levels(criterion, range(2, 8))] == [2, 3, 4]


def test_one_topic_has_nothing_to_be_chosen_on():
    one = random_judgments(4, levels=9, topics=1)
    found = enumerated(internal(SourceTopics.of(one, SCALE), THRESHOLDS, "ordinal"), 3)
    assert np.isnan(found.held_out).all()
    assert found.single.value == found.topics[0].value


def test_labels_have_no_workers_to_agree(judgments):
    labels = aggregate(judgments, "median_low")
    assert internal(SourceTopics.of(labels, SCALE), THRESHOLDS, "ordinal") is None


def test_too_many_cuts_are_refused(judgments, monkeypatch):
    monkeypatch.setattr(module, "MOST_ENUMERATED", 20)
    criterion = internal(SourceTopics.of(judgments, SCALE), THRESHOLDS, "ordinal")
    with pytest.raises(ParameterError, match="28 cuts into 3 levels"):
        enumerated(criterion, 3)
    found = best_by_levels(criterion, [2, 3])
    assert not found[1].exact
