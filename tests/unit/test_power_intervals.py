"""Bootstrap intervals of discriminative power."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import ttest_1samp

from regrade.power.intervals import assessor_intervals, interval_table, topic_intervals
from regrade.power.label_sets import GradedSet, PowerInputs, all_lists, topic_table
from regrade.power.topics import PowerOptions
from regrade.tables import write_table
from tests.coverage import measure
from tests.coverage.power import worlds
from tests.unit.test_power_label_sets import SETS, preferences
from tests.unit.test_power_levels import CROWD

HOW = PowerOptions(modes=["aggregate"], seed=2)


def topics_of(sets):
    return topic_table(PowerInputs(sets, preferences(), all_lists(sets, None, []), HOW))


def without_groups(topics):
    """The same without every tenth topic, as if preferences by grade were known."""
    names = topics["topic"].unique()
    return [topics[~topics["topic"].isin(names[n::10])].to_dict("records") for n in range(10)]


def test_intervals_over_topics_are_those_of_studentised_draws():
    values = np.random.default_rng(1).normal(5, 1, 40)
    rows = {"preferences": "p", "set": "s", "mode": "aggregate", "list": "judged"}
    rows["highest"] = 20.0
    topics = pd.DataFrame({**rows, "topic": [f"t{i}" for i in range(40)], "entropy": values})
    same = [topics.to_dict("records")] * 10
    [found] = topic_intervals(topics, same, 20_000).itertuples()
    # of normal values, Student's
    expected = ttest_1samp(values, 0).confidence_interval()
    assert found.entropy == pytest.approx(values.mean())
    assert [found.low, found.high] == pytest.approx([expected.low, expected.high], abs=0.04)
    assert (found.over, found.n, found.resamples) == ("topics", 40, 20_000)


def test_preferences_that_are_left_out_widen_an_interval():
    """Student's t of nine degrees of freedom, 2.262, times the jackknife's error, 1.5."""
    rows = {"preferences": "p", "set": "s", "mode": "aggregate", "list": "judged"}
    topics = pd.DataFrame(
        {**rows, "topic": [f"t{i}" for i in range(40)], "entropy": 5.0, "highest": 20.0}
    )
    left_out = [
        topics.assign(entropy=5 + (0.5 if i % 2 else -0.5)).to_dict("records") for i in range(10)
    ]
    [found] = topic_intervals(topics, left_out, 100).itertuples()
    assert [found.low, found.high] == pytest.approx([5 - 2.262 * 1.5, 5 + 2.262 * 1.5], abs=1e-3)
    # nothing is known of what preferences do
    assert topic_intervals(topics, [], 100)[["low", "high"]].isna().all(axis=None)
    left_out[3] = topics.assign(entropy=np.nan).to_dict("records")
    assert topic_intervals(topics, left_out, 100)[["low", "high"]].isna().all(axis=None)


@pytest.mark.slow
def test_intervals_hold_also_where_people_disagree():
    """With preferences by grade taken for known they held in 26 % to 51 % of samples."""
    [world] = [
        world
        for world in worlds()
        if (world.interval, world.size) == ("power_over_topics", "20 topics")
        and " 2 preferences" in world.name
    ]
    assert measure(world, 40).held > 0.8


def test_no_interval_leaves_what_an_entropy_may_be():
    """Three of 30 topics differ from all others, which are nearly alike: some draws miss them."""
    rows = {"preferences": "p", "set": "s", "mode": "aggregate", "list": "judged", "highest": 5.0}
    low = np.where(np.arange(30) < 27, np.linspace(0, 0.01, 30), 5.0)
    for values, end in ((low, "high"), (5 - low, "low")):
        topics = pd.DataFrame({**rows, "topic": [f"t{i}" for i in range(30)], "entropy": values})
        [found] = topic_intervals(topics, without_groups(topics), 1000).itertuples()
        assert getattr(found, end) == (5 if end == "high" else 0)
        assert found.low <= values.mean() <= found.high


def test_topics_without_power_and_the_row_of_all_do_not_count(tmp_path):
    found = topics_of(SETS)
    table = topic_intervals(found, [], 100)
    write_table(table, tmp_path / "intervals", "power/intervals")
    assert table["n"].tolist() == [3] * 3
    assert table[["low", "high"]].isna().all(axis=None)  # too few topics
    one = found[found["topic"].isin(["a", "*"])]
    alone = topic_intervals(one, [], 100)
    assert alone["n"].tolist() == [1] * 3
    assert alone[["low", "high"]].isna().all(axis=None)


def test_the_order_of_topics_changes_nothing():
    parts = [topics_of(SETS[:1]).replace({"topic": {name: name + str(part) for name in "abc"}})
             for part in range(7)]  # fmt: skip
    found = pd.concat(parts)
    left_out = without_groups(found)
    other = topic_intervals(found.iloc[::-1], left_out, 50)
    assert other["low"].notna().all()
    assert topic_intervals(found, left_out, 50)[["low", "high"]].equals(other[["low", "high"]])


def test_intervals_over_assessors_hold_what_other_assessors_give(tmp_path):
    sets = [CROWD, SETS[0]]
    lists = all_lists(sets, None, [])
    found = assessor_intervals(PowerInputs(sets, preferences(), lists, HOW), 20)
    # one judge cannot be drawn anew
    assert found["set"].tolist() == ["crowd"]
    [row] = found.itertuples()
    assert (row.over, row.n, row.resamples) == ("assessors", 3, 0)
    assert np.isnan([row.low, row.high]).all()  # too few assessors
    crowd = CROWD.table.to_pandas()
    many = [crowd.assign(worker=crowd["worker"].astype(str) + str(part)) for part in range(4)]
    table = pa.Table.from_pandas(pd.concat(many), CROWD.table.schema, preserve_index=False)
    wide = GradedSet(CROWD.name, table, CROWD.low, CROWD.high)
    [row] = assessor_intervals(PowerInputs([wide], preferences(), lists, HOW), 20).itertuples()
    assert (row.n, row.resamples) == (12, 20)
    # around the estimate
    assert row.low < row.entropy
    assert row.high - row.entropy == pytest.approx(row.entropy - row.low)
    inputs = PowerInputs(sets, preferences(), lists, HOW)
    both = interval_table(topics_of(sets), [], inputs, 50, 5)
    assert both["over"].tolist() == ["topics", "topics", "assessors"]
    write_table(both, tmp_path / "both", "power/intervals")
    none = interval_table(topics_of(sets), [], inputs, 0, 0)
    assert none.empty
    write_table(none, tmp_path / "none", "power/intervals")


@pytest.mark.parametrize("topics", [19, 20])
def test_as_many_topics_as_are_enough_have_an_interval_and_sets_keep_their_order(topics):
    rows = {"preferences": "p", "mode": "aggregate", "list": "judged", "highest": 9.0}
    names = [f"t{i}" for i in range(topics)]
    parts = [
        pd.DataFrame({**rows, "set": name, "topic": names, "entropy": np.linspace(1, end, topics)})
        for name, end in (("z", 3.0), ("a", 5.0))
    ]
    found = pd.concat(parts)
    found = topic_intervals(found, without_groups(found), 50)
    assert found["set"].tolist() == ["z", "a"]
    assert found["entropy"].tolist() == pytest.approx([2, 3])
    assert found["low"].notna().tolist() == [topics == 20] * 2


@pytest.mark.parametrize("assessors", [9, 10])
def test_as_many_assessors_as_are_enough_are_drawn_after_a_set_of_one(assessors):
    crowd = CROWD.table.to_pandas()
    parts = [crowd.assign(worker=crowd["worker"].astype(str) + str(part)) for part in range(4)]
    many = pd.concat(parts)
    many = many[many["worker"].isin(sorted(many["worker"].unique())[:assessors])]
    table = pa.Table.from_pandas(many, CROWD.table.schema, preserve_index=False)
    sets = [SETS[0], GradedSet(CROWD.name, table, CROWD.low, CROWD.high)]
    lists = all_lists(sets, None, [])
    [row] = assessor_intervals(PowerInputs(sets, preferences(), lists, HOW), 7).itertuples()
    assert (row.n, row.resamples) == (assessors, 7 if assessors == 10 else 0)
    topics = topics_of(sets[1:])
    assert topics["topic"].nunique() > 2
    of_all = topics.loc[topics["topic"] == "*", "entropy"]
    assert [row.entropy] == of_all.tolist()


def test_assessors_are_drawn_where_it_is_asked_for():
    sets = [CROWD, SETS[0]]
    inputs = PowerInputs(sets, preferences(), all_lists(sets, None, []), HOW)
    found = interval_table(topics_of(sets), [], inputs)
    assert found["over"].tolist() == ["topics", "topics"]
    assert found["resamples"].tolist() == [1000, 1000]
