"""Leave one out against pools made again without a run or group, by plain loops."""

import time
import tracemalloc
from statistics import mean

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, ttest_rel

from regrade.choices import FUSION_METHODS
from regrade.errors import MethodError, ParameterError
from regrade.measures import parse_all
from regrade.pools.leave_out import (
    COUNTS,
    LeaveOut,
    LeftOutScores,
    LeftOutTogether,
    leave_out_of_origins,
    leave_out_of_pool,
    rescore,
)
from regrade.pools.pooling import Pooling, keep, make_pool, qrels_table
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import score
from tests.unit.trec import (
    Collection,
    judgments,
    random_collection,
    trec8,
    trec8_groups,
    trec8_origins,
)

seeds = st.integers(0, 2**32 - 1)
GROUPS = pd.DataFrame(
    {"system": ["s0", "s1", "s2", "s3", "s4", "gone"], "group": ["a", "b", "a", "c", "b", "d"]}
)
POOLINGS = [Pooling("Depth", depth=2), *(Pooling(m, size=3) for m in FUSION_METHODS)]


def members(by, systems):
    """``{run or group: systems}``."""
    if by == "run":
        return {s: [s] for s in systems}
    group = dict(zip(GROUPS["system"], GROUPS["group"], strict=True))
    left_out = {}
    for s in systems:
        left_out.setdefault(group[s], []).append(s)
    return dict(sorted(left_out.items()))


def grades_of_pool(collection, pooling, contributors):
    """The judgments in a pool made from nothing; none without contributors."""
    if not contributors:
        return {}
    pool = make_pool(
        collection.ranked, pooling, contributors=contributors, scores=collection.scores
    )
    return judgments(pool.reduce(collection.judged), collection.ranked)


def mean_scores(collection, grades, measure, topics):
    """``{system: mean}`` over the topics under the judgments."""
    rows = [(t, d, g) for (t, d), g in sorted(grades.items())]
    if not rows:
        return dict.fromkeys(collection.ranked.systems, 0.0)
    qrels = collection.qrels.schema.empty_table()
    qrels = type(qrels).from_pandas(pd.DataFrame(rows, columns=qrels.column_names), qrels.schema)
    highest = float(collection.judged.grades.max())
    found = score(
        collection.ranked,
        Judged.from_table(qrels, collection.ranked),
        [measure],
        max_grade=highest,
    )
    sums = found.values[:, :, 0].sum(axis=1) / len(topics)
    return dict(zip(found.systems, sums.tolist(), strict=True))


@pytest.mark.parametrize("by", ["run", "group"])
@pytest.mark.parametrize("pooling", POOLINGS, ids=str)
@settings(max_examples=15)
@given(seed=seeds)
def test_what_remains_is_the_pool_of_the_others(by, pooling, seed):
    collection = Collection.small(*random_collection(seed))
    everyone = list(collection.ranked.systems)
    leave_out = leave_out_of_pool(
        collection.ranked,
        collection.judged,
        pooling,
        by,
        groups=GROUPS,
        scores=collection.scores,
    )
    all_left_out = members(by, everyone)
    assert leave_out.left_out.names == tuple(all_left_out)
    assert leave_out.pooling == str(pooling)
    full = judgments(keep(collection.judged, leave_out.pooled), collection.ranked)
    assert full == grades_of_pool(collection, pooling, everyone)
    for index, left_out in enumerate(all_left_out.values()):
        rest = [s for s in everyone if s not in left_out]
        remaining = judgments(
            keep(collection.judged, leave_out.remaining(index)), collection.ranked
        )
        assert remaining == grades_of_pool(collection, pooling, rest)


@pytest.mark.parametrize("by", ["run", "group"])
@pytest.mark.parametrize("pooling", [POOLINGS[0], Pooling("CombSUM", size=3)], ids=str)
@settings(max_examples=5)
@given(seed=seeds)
def test_tables_against_plain_loops(by, pooling, seed):
    collection = Collection.small(*random_collection(seed, topics=5))
    systems = collection.ranked.systems
    topics = collection.judged.topics
    leave_out = leave_out_of_pool(
        collection.ranked, collection.judged, pooling, by, groups=GROUPS, scores=collection.scores
    )
    result = rescore(collection.ranked, collection.judged, leave_out, ["AP", "nDCG", "ERR"], rel=2)
    by_system = result.systems_frame(significance=0.3)
    by_left_out = result.left_out_frame()
    summary = result.summary_frame(significance=0.3)
    assert summary["measure"].tolist() == ["AP", "nDCG", "ERR"]
    full_grades = grades_of_pool(collection, pooling, systems)
    for m, measure in enumerate(["AP", "nDCG", "ERR"]):
        full = mean_scores(collection, full_grades, measure, topics)
        own_after, passed, significant, taus = {}, [], [], []
        rows = by_system[by_system["measure"] == measure].set_index("system")
        rows_of = by_left_out[by_left_out["measure"] == measure].set_index("left_out")
        for name, left_out in members(by, systems).items():
            grades = grades_of_pool(collection, pooling, [s for s in systems if s not in left_out])
            after = mean_scores(collection, grades, measure, topics)
            own_after |= {s: after[s] for s in left_out}
            tau = kendalltau(
                np.round([full[s] for s in systems], 10), np.round([after[s] for s in systems], 10)
            ).statistic
            np.testing.assert_allclose(rows_of.loc[name, "tau"], tau, atol=1e-12)
            taus.append(tau)
            lost, gained = full_grades.keys() - grades.keys(), grades.keys() - full_grades.keys()
            assert rows_of.loc[name, ["systems", "lost", "gained"]].tolist() == [
                len(left_out), len(lost), len(gained)
            ]  # fmt: skip
            assert rows_of.loc[name, ["lost_relevant", "gained_relevant"]].tolist() == [
                sum(full_grades[k] >= 2 for k in lost), sum(grades[k] >= 2 for k in gained)
            ]  # fmt: skip
            assert set(rows.loc[left_out, "left_out"]) == {name}
        for s in systems:
            others = [o for o in systems if o != s]
            rank = 1 + sum(full[o] > full[s] + 1e-12 for o in others)
            rank_after = 1 + sum(full[o] > own_after[s] + 1e-12 for o in others)
            row = rows.loc[s]
            assert row["score"] == pytest.approx(full[s], abs=1e-12)
            assert row["score_left_out"] == pytest.approx(own_after[s], abs=1e-12)
            assert (row["rank"], row["rank_left_out"]) == (rank, rank_after)
            assert row["passed"] == abs(rank - rank_after)
            passed.append(abs(rank - rank_after))
            between = [
                o for o in others if (full[o] > full[s] + 1e-12) != (full[o] > own_after[s] + 1e-12)
            ]
            x = result.full[:, :, m]
            i = systems.index(s)
            with np.errstate(all="ignore"):
                p = [ttest_rel(x[i], x[systems.index(o)]).pvalue for o in between]
            assert row["passed_significant"] == sum(value < 0.3 for value in p)
            significant.append(sum(value < 0.3 for value in p))
        errors = [own_after[s] - full[s] for s in systems]
        row = summary.iloc[m]
        assert row["systems"] == len(systems)
        assert row["mae"] == pytest.approx(mean(map(abs, errors)), abs=1e-12)
        assert row["largest_error"] == pytest.approx(max(map(abs, errors)), abs=1e-12)
        assert row["bias"] == pytest.approx(mean(errors), abs=1e-12)
        assert (row["sre"], row["sre_significant"]) == (sum(passed), sum(significant))
        tau = kendalltau(
            np.round([full[s] for s in systems], 10), np.round([own_after[s] for s in systems], 10)
        ).statistic
        np.testing.assert_allclose(row["tau"], tau, atol=1e-12)
        np.testing.assert_allclose(row["tau_all"], pd.Series(taus).mean(), atol=1e-12)


def left_out_of(collection, topics, measures, **more):
    """Each run left out of a shallow pool, for some of the topics."""
    ranked, judged = collection.ranked, collection.judged.select(topics)
    leave_out = leave_out_of_pool(ranked, judged, Pooling("Depth", depth=2), "run")
    return rescore(ranked, judged, leave_out, measures, max_grade=3, **more)


@pytest.mark.parametrize("measures", [["AP"], ["AP", "nDCG"]], ids=len)
@settings(max_examples=20)
@given(seed=seeds, size=st.integers(1, 5))
def test_topics_in_parts_give_the_same_bits(measures, seed, size):
    collection = Collection.small(*random_collection(seed, topics=12))
    topics = collection.judged.topics
    whole = left_out_of(collection, topics, measures)
    parts = None
    for first in range(0, len(topics), size):
        parts = left_out_of(collection, topics[first : first + size], measures, before=parts)
    assert parts.full.tobytes() == whole.full.tobytes()
    assert parts.sum_without.tobytes() == whole.sum_without.tobytes()
    pd.testing.assert_frame_equal(parts.systems_frame(), whole.systems_frame(), check_exact=True)
    pd.testing.assert_frame_equal(parts.left_out_frame(), whole.left_out_frame(), check_exact=True)


def test_parts_that_do_not_fit_are_refused():
    collection = Collection.small(*random_collection(3))
    topics = collection.judged.topics
    before = left_out_of(collection, topics[:1], ["AP"])
    with pytest.raises(ParameterError, match="other systems, left-out runs or measures"):
        left_out_of(collection, topics[1:], ["nDCG"], before=before)
    leave_out = leave_out_of_pool(
        collection.ranked, collection.judged, Pooling("Depth", depth=2), "run"
    )
    with pytest.raises(ParameterError, match="give `max_grade`, the highest of all topics"):
        rescore(collection.ranked, collection.judged, leave_out, ["AP"], before=before)


@pytest.mark.parametrize("measures", [["AP"], ["AP", "nDCG"]], ids=len)
def test_a_run_that_brings_nothing_of_its_own_has_an_error_of_zero(measures):
    """Not one in the last bit: its twin brings the same documents."""
    runs, qrels = random_collection(7, topics=30)
    runs |= {"twin": runs["s0"]}
    collection = Collection.small(runs, qrels)
    table = left_out_of(collection, collection.judged.topics, measures).systems_frame()
    rows = table[table["system"].isin(["s0", "twin"])]
    assert len(rows) == 2 * len(measures)
    assert (rows["score"] == rows["score_left_out"]).all()
    assert (table["score"] != table["score_left_out"]).any()


def test_scores_of_each_left_out_run_are_not_held_by_topic():
    """200 runs, 20 topics: 200 × 200 × 20 scores would be 6.4 MB."""
    rng = np.random.default_rng(5)
    runs = {
        f"s{s:03d}": {
            f"{t:02d}": [(f"d{d:02d}", 9 - i) for i, d in enumerate(rng.permutation(60)[:3])]
            for t in range(20)
        }
        for s in range(200)
    }
    qrels = {f"{t:02d}": {f"d{d:02d}": int(d % 3 == 0) for d in range(60)} for t in range(20)}
    collection = Collection.small(runs, qrels)
    topics = collection.judged.topics
    held = None
    for topic in topics:
        held = left_out_of(collection, [topic], ["AP"], before=held)
    arrays = (held.full, held.sum_without, *held.counts.values())
    assert sum(a.nbytes for a in arrays) < 1e6
    tracemalloc.start()
    left_out_of(collection, topics, ["AP"])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5e6


def test_a_topic_without_judgments_counts_as_zero():
    """Only s1 brings anything relevant for topic 2."""
    runs = {
        "s1": {"1": [("a", 2)], "2": [("a", 2)]},
        "s2": {"1": [("a", 2)], "2": [("b", 2)]},
    }
    collection = Collection.small(runs, {"1": {"a": 1}, "2": {"a": 1}})
    leave_out = leave_out_of_pool(
        collection.ranked, collection.judged, Pooling("Depth", depth=1), "run"
    )
    found = rescore(collection.ranked, collection.judged, leave_out, ["AP"])
    table = found.systems_frame()
    assert table["score"].tolist() == [1.0, 0.5]
    assert table["score_left_out"].tolist() == [0.5, 0.5]
    assert found.counts["lost_topics"].tolist() == [1, 0]
    assert found.counts["lost"].tolist() == found.counts["lost_relevant"].tolist() == [1, 0]


def test_topics_that_no_pool_judges_are_told_of(caplog):
    """Of three topics the pool judges two; what it does not judge cannot be lost."""
    run = {t: [("a", 2)] for t in "123"}
    qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"b": 1}}
    collection = Collection.small({"s1": run, "s2": {}}, qrels)
    leave_out = leave_out_of_pool(
        collection.ranked, collection.judged, Pooling("Depth", depth=1), "run"
    )
    found = rescore(collection.ranked, collection.judged, leave_out, ["AP", "NumRet"])
    said = "no judged document is in the pool of 1 of 3 topics: every system scores 0 there by AP"
    assert caplog.records[0].getMessage().endswith(said)
    assert found.counts["lost_topics"].tolist()[0] == 2


def test_judged_grades_below_one_are_scored_on_their_scale():
    collection = Collection.small({"s": {"1": [("a", 2), ("b", 1)]}}, {"1": {"a": 0.25, "b": 0.5}})
    leave_out = leave_out_of_pool(
        collection.ranked, collection.judged, Pooling("Depth", depth=2), "run"
    )
    measure = ["RBP(p=0.5)"]
    found = rescore(collection.ranked, collection.judged, leave_out, measure)
    expected = score(collection.ranked, collection.judged, measure)
    np.testing.assert_array_equal(found.full, expected.values)


def test_the_only_contributor():
    collection = Collection.small({"s": {"1": [("a", 2)]}}, {"1": {"a": 1}})
    leave_out = leave_out_of_pool(
        collection.ranked, collection.judged, Pooling("RRF", size=1), "run"
    )
    result = rescore(collection.ranked, collection.judged, leave_out, ["AP"])
    row = result.summary_frame().iloc[0]
    assert (row["mae"], row["sre"], row["bias"]) == (1.0, 0, -1.0)
    assert np.isnan(row["tau"])
    assert np.isnan(row["tau_all"])


def test_recorded_origins():
    """Document b is group a's alone, c both groups', d nobody's, x is judged and not retrieved."""
    run = [("b", 3), ("c", 2), ("d", 1)]
    runs = {"s0": {"1": run, "2": run}, "s1": {"1": run[1:], "2": run}}
    qrels = {t: {"b": 1, "c": 1, "d": 1, "x": 1} for t in "12"}
    collection = Collection.small(runs, qrels)
    origins = pd.DataFrame(
        [("1", "b", "a"), ("1", "c", "a"), ("1", "c", "b"), ("1", "x", "b"), ("2", "c", "b"),
         ("2", "d", "gone"), ("9", "b", "a")],
        columns=["topic", "docno", "group"],
    )  # fmt: skip
    leave_out = leave_out_of_origins(collection.ranked, collection.judged, origins, GROUPS)
    assert leave_out.pooled.all()
    everything = judgments(collection.judged, collection.ranked)
    for name, lost in (("a", {("1", "b")}), ("b", {("2", "c")})):
        remaining = leave_out.remaining(leave_out.left_out.names.index(name))
        left = judgments(keep(collection.judged, remaining), collection.ranked)
        assert everything.keys() - left.keys() == lost


def test_what_is_refused():
    collection = Collection.small(*random_collection(3))
    systems = collection.ranked.systems
    with pytest.raises(ParameterError, match="unknown by 'runs'; did you mean 'run'"):
        LeftOutTogether.make(systems, "runs")
    with pytest.raises(ParameterError, match="to leave out groups, give the group of each run"):
        LeftOutTogether.make(systems, "group")
    with pytest.raises(MethodError, match="no group is known for 1 contributing systems: s4"):
        LeftOutTogether.make(systems, "group", groups=GROUPS[GROUPS["system"] != "s4"])


# the real TREC-8


def test_a_sample_of_trec8_against_pools_made_again(real_data):
    collection, groups = trec8(real_data), trec8_groups(real_data)
    systems = collection.ranked.systems
    for pooling in (Pooling("Depth", depth=100), Pooling("RRF", depth=100, size=500)):
        for by, names in (("run", ["READWARE2", "isa25"]), ("group", ["miti", "Newby"])):
            leave_out = leave_out_of_pool(
                collection.ranked, collection.judged, pooling, by, groups=groups
            )
            for name in names:
                column = "system" if by == "run" else "group"
                left_out = set(groups["system"][groups[column] == name])
                others = [s for s in systems if s not in left_out]
                pool = make_pool(collection.ranked, pooling, contributors=others)
                expected = pool.votes_for(collection.judged) > 0
                found = leave_out.remaining(leave_out.left_out.names.index(name))
                np.testing.assert_array_equal(found, expected)
                assert not (leave_out.pooled == found).all()


def test_all_runs_and_groups_of_trec8_in_half_a_minute(real_data):
    collection, groups = trec8(real_data), trec8_groups(real_data)
    start = time.process_time()
    results = {}
    for by in ("run", "group"):
        leave_out = leave_out_of_pool(
            collection.ranked, collection.judged, Pooling("Depth", depth=100), by, groups=groups
        )
        results[by] = rescore(
            collection.ranked, collection.judged, leave_out, ["AP", "nDCG"], threads=2
        )
    assert time.process_time() - start < 30
    run, group = results["run"].summary_frame(), results["group"].summary_frame()
    assert [len(results[by].left_out_frame()) for by in results] == [2 * 129, 2 * 41]
    assert run["systems"].tolist() == group["systems"].tolist() == [129, 129]
    # a group's runs resemble one another: leaving out one of them hides the bias
    assert (run["mae"] < group["mae"]).all()
    assert (run["bias"] < 0).all()

    # Zobel's experiment for one group, from a qrels written and read again
    miti = results["group"].systems_frame().query("left_out == 'miti' and measure == 'AP'")
    others = groups["system"][groups["group"] != "miti"].tolist()
    pool = make_pool(collection.ranked, Pooling("Depth", depth=100), contributors=others)
    reduced = qrels_table(pool.reduce(collection.judged), collection.ranked)
    ranked = RankedLists.from_table(
        collection.runs.filter(
            np.isin(collection.runs["system"].to_numpy(), miti["system"].tolist())
        )
    )
    expected = score(ranked, Judged.from_table(reduced, ranked), ["AP"]).values.mean(axis=1)[:, 0]
    np.testing.assert_allclose(miti["score_left_out"], expected, rtol=0, atol=1e-12)


def test_the_recorded_origins_of_trec8(real_data):
    collection, origins = trec8(real_data), trec8_origins(real_data)
    leave_out = leave_out_of_origins(
        collection.ranked, collection.judged, origins, trec8_groups(real_data)
    )
    table = rescore(collection.ranked, collection.judged, leave_out, ["AP"]).left_out_frame()
    alone = origins[~origins.duplicated(["topic", "docno"], keep=False)]
    assert table.set_index("left_out")["lost"].to_dict() == (
        alone.groupby("group").size().reindex(leave_out.left_out.names, fill_value=0).to_dict()
    )


def test_equal_systems_do_not_differ_significantly():
    """Scores that differ in the last bit alone: p would be 0 without a tolerance."""
    x, y = np.full(50, 0.1) + np.full(50, 0.2), np.full(50, 0.3)
    x[::2], y[::2] = x[::2] / 2, y[::2] / 2
    assert ttest_rel(x, y).pvalue < 1e-14
    left_out = LeftOutTogether.make(["x", "y"], "run")
    scores = LeftOutScores(
        LeaveOut(left_out, "Depth@1", np.ones(0, bool), lambda index: np.ones(0, bool)),
        ("x", "y"),
        parse_all(["AP"]),
        np.stack([x, y])[:, :, None],
        50 * np.array([[0.1, 0.3], [0.3, 0.3]])[:, :, None],
        dict.fromkeys(COUNTS, np.zeros(2, dtype=np.int64)),
    )
    row = scores.systems_frame().set_index("system").loc["x"]
    assert (row["rank"], row["rank_left_out"], row["passed"]) == (1, 2, 1)
    assert row["passed_significant"] == 0
