"""A judged topic that no run ranks is scored 0, in every stage as in plain scores."""

import numpy as np
import pytest

import regrade
from regrade.api.sets import Runs
from regrade.errors import MethodError
from regrade.label_sets import LabelSet
from regrade.magnitudes.resampling import topic_judgments
from regrade.magnitudes.systems import GainComparison, ReferenceLabels, system_tables
from regrade.power.label_sets import Systems, discrimination_of, discrimination_table
from regrade.preferences.gains import ALL_ANSWERS, GainRankings, gain_rankings
from regrade.preferences.partitions import partition_systems
from regrade.preferences.posterior import recorded
from regrade.preferences.systems import UNMAPPED, MappedLabels, difficulty_table, score_labels
from regrade.run_arrays import RankedLists
from regrade.significance.discrimination import PairTestOptions
from tests.unit import test_magnitudes_systems as magnitudes
from tests.unit import test_power_label_sets as power
from tests.unit import test_preferences_partitions as partitions
from tests.unit import test_preferences_subsets as subsets
from tests.unit import test_preferences_systems as preferences
from tests.unit.trec import qrels_table, runs_table


def without(ranked, topic):
    """The rankings, none of which is for a topic."""
    table = Runs(ranked).to_frame()
    kept = table[table["topic"] != topic].assign(submitted_rank=1, line=1)
    return RankedLists.from_table(subsets.pa.Table.from_pandas(kept, preserve_index=False))


def of_topic(ranked, topic):
    """The rankings for one topic alone, as a table."""
    table = Runs(ranked).to_frame()
    kept = table[table["topic"] == topic].assign(submitted_rank=1, line=1)
    return subsets.pa.Table.from_pandas(kept, preserve_index=False)


def test_plain_scores_are_the_rule():
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
    found = regrade.score(qrels, {"x": {"1": {"a": 1}}}, "AP").means()
    assert found["AP"].tolist() == [0.5]


def test_systems_under_scores_of_pairs():
    ranked, _ = preferences.ranked_runs()
    experts, gains = preferences.some_labels()
    labels = [
        MappedLabels("R", UNMAPPED, experts, 2.0),
        MappedLabels("pairs", UNMAPPED, gains.drop(columns="method"), 1.0),
    ]
    few = without(ranked, "2")
    assert few.topics == ("1", "3")
    for whole, part in zip(
        score_labels(ranked, labels, ["nDCG@5"]), score_labels(few, labels, ["nDCG@5"]), strict=True
    ):
        assert part.scores.topics == ("1", "2", "3")
        expected = whole.scores.values.copy()
        expected[:, 1] = 0
        np.testing.assert_array_equal(part.scores.values, expected)
    hard = difficulty_table(few, {"R": (experts, 2.0)}, "AP", ["1", "2", "3"])
    assert hard.set_index("topic")["mean"]["2"] == 0
    with pytest.raises(MethodError, match="in common"):
        score_labels(few, [MappedLabels("x", UNMAPPED, preferences.graded([1], "9"), 1.0)], ["AP"])


def test_systems_under_draws_of_partitions():
    draws, references = partitions.drawn(), {"R": (partitions.labels(documents=6), 1.0)}
    ranked = partitions.systems()
    first = ranked.topics[0]
    few = without(ranked, first)
    assert few.topics == ranked.topics[1:]
    tests = PairTestOptions()
    whole, part = (
        partition_systems(draws, one, references, ["RBP(p=0.5)"], tests)["partition_systems"]
        for one in (ranked, few)
    )
    # of the same topics the mean is less by what that one gave
    only = partition_systems(
        draws, RankedLists.from_table(of_topic(ranked, first)), references, ["RBP(p=0.5)"], tests
    )["partition_systems"]
    expected = whole["score"] - only["score"]
    assert (expected < whole["score"]).any()
    np.testing.assert_allclose(part["score"], expected, atol=1e-12)


def test_systems_under_fewer_pairs():
    topics = recorded(subsets.asked())
    names = tuple(one.topic for one in topics)
    ranked = RankedLists.from_table(subsets.runs(topics=("1", "9")))
    experts = {t: {f"d{i}": i % 3 for i in range(8)} for t in names}
    table = qrels_table(experts)
    found = gain_rankings(ranked, topics, ["nDCG@5"], [LabelSet.on_levels("experts", table, 3)])
    assert isinstance(found, GainRankings)
    assert found.topics == names
    some = {one.topic: np.ones((1, len(one.docnos))) for one in topics}
    whole = {one.topic: np.arange(len(one.docnos)) + 1.0 for one in topics}
    rows = found.correlations(some, whole).set_index("reference")["n"]
    assert (rows == len(names)).all()
    assert set(rows.index) == {ALL_ANSWERS, "experts"}
    with pytest.raises(MethodError, match="no topic has both"):
        gain_rankings(RankedLists.from_table(subsets.runs(topics=("9",))), topics, ["nDCG@5"], [])


def test_systems_under_magnitudes():
    runs, labels, normalised, units = magnitudes.collection()
    lacking = {s: {t: r for t, r in of.items() if t != "t1"} for s, of in runs.items()}
    judgments = topic_judgments(normalised, units, 10.0)
    measures = ["nDCG@10", "ERR(max_rel='topic')@10", "RBP(max_rel=1000)"]
    comparisons = [
        GainComparison(
            RankedLists.from_table(runs_table(of)),
            [ReferenceLabels("ours", qrels_table(labels), 3)],
            judgments,
            measures,
            depth=4,
            merged=7,
            seed=1,
        )
        for of in (runs, lacking)
    ]
    whole, part = comparisons
    assert part.scores.topics == whole.scores.topics
    place = part.scores.topics.index("t1")
    (a,), (b,) = (one.compared for one in comparisons)
    expected = a.scores.copy()
    expected[:, :, place] = 0
    np.testing.assert_array_equal(b.scores, expected)
    systems = system_tables(part)["systems"]
    own = systems[(systems["over"] == "runs") & (systems["gains"] != "ours")]
    assert np.isfinite(own["score"]).all()


def test_systems_beside_power():
    ranked = power.runs()
    few = without(ranked, "b")
    whole, _ = discrimination_of(power.SETS[0], Systems(ranked, ["nDCG@10"]))
    part, told = discrimination_of(power.SETS[0], Systems(few, ["nDCG@10"]))
    assert part.topics == whole.topics == power.TOPICS
    expected = whole.values.copy()
    expected[:, 1] = 0
    np.testing.assert_array_equal(part.values, expected)
    assert (told["topics"] == 3).all()
    assert (discrimination_table(power.SETS, Systems(few, ["nDCG@10"]))["topics"] == 3).all()
