"""Scores under pools of every depth against qrels cut down by hand, and their table."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.catalogue import columns_of
from regrade.measures import MEASURES as ALL_MEASURES
from regrade.measures import parse_all
from regrade.pools.leave_out import leave_out_of_pool, rescore
from regrade.pools.pooling import Pooling, keep, make_pool, pool_facts, pool_sizes, qrels_table
from regrade.pools.scores import from_frame, join_depths, scores_by_depth, to_frame
from regrade.scoring import score
from regrade.tables import read_table, write_table
from tests.unit.trec import Collection, random_collection

MEASURES = ["RR", "nDCG", "RBP(p=0.7)", "AP", "P@3"]
SYSTEMS = [f"s{number}" for number in range(5)]
MAX_GRADE = 2


def by_hand(runs, qrels, depth, contributors):
    """The qrels of the documents that a contributor has among its first ones."""
    return {
        topic: {
            docno: grade
            for docno, grade in grades.items()
            if any(
                docno in [found for found, _ in runs[system].get(topic, [])[:depth]]
                for system in contributors
            )
        }
        for topic, grades in qrels.items()
    }


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    depths=st.lists(st.integers(1, 9), min_size=1, max_size=4, unique=True),
    contributors=st.none() | st.sets(st.sampled_from(SYSTEMS), min_size=2),
)
def test_scores_are_those_under_qrels_reduced_by_hand(seed, depths, contributors):
    runs, qrels = random_collection(seed)
    collection = Collection.small(runs, qrels)
    ranked, judged = collection.ranked, collection.judged
    chosen = [system for system in ranked.systems if contributors is None or system in contributors]
    if not chosen:  # none of them returned anything
        return
    named = None if contributors is None else chosen
    by_depth = scores_by_depth(
        ranked, judged, depths, MEASURES, contributors=named, max_grade=MAX_GRADE
    )
    assert list(by_depth) == sorted(depths)
    for depth, scores in by_depth.items():
        reduced = by_hand(runs, qrels, depth, chosen)
        assert scores.systems == tuple(chosen)
        assert scores.topics == judged.topics
        assert scores.measures == parse_all(MEASURES)
        left = [topic for topic in judged.topics if reduced[topic]]
        if left:
            small = Collection.small(runs, {topic: reduced[topic] for topic in left})
            expected = score(small.ranked, small.judged, MEASURES, max_grade=MAX_GRADE)
            rows = [expected.systems.index(system) for system in chosen]
            columns = np.isin(judged.topics, left)
            np.testing.assert_array_equal(scores.values[:, columns], expected.values[rows])
            np.testing.assert_array_equal(scores.residuals[:, columns], expected.residuals[rows])
        # a topic without judgments: nobody scores, and all of the score is unknown
        lost = ~np.isin(judged.topics, left)
        assert not scores.values[:, lost].any()
        has_residual = ["RBP" in name or "P@" in name for name in MEASURES]
        np.testing.assert_allclose(scores.residuals[:, lost][:, :, has_residual], 1, rtol=1e-12)


def two_topics():
    """Two systems; the second one's first document of t1 is judged, and no other's."""
    runs = {
        "b": {"t0": [("x", 3.0), ("y", 2.0)], "t1": [("x", 2.0), ("y", 1.0)]},
        "a": {"t0": [("y", 3.0), ("z", 2.0)], "t1": [("z", 2.0), ("x", 1.0)]},
    }
    return runs, {"t0": {"x": 1, "y": 0, "z": 2}, "t1": {"z": 1, "y": 2}}


def test_the_example_in_numbers():
    collection = Collection.small(*two_topics())
    by_depth = scores_by_depth(collection.ranked, collection.judged, [2, 1], ["P@2", "RBP(p=0.5)"])
    assert list(by_depth) == [1, 2]
    shallow, deep = by_depth[1].values, by_depth[2].values
    assert by_depth[1].systems == ("a", "b")
    # t0: x and y are pooled at depth 1, so z counts only at depth 2; t1: z and x, then y
    np.testing.assert_array_equal(shallow[:, :, 0], [[0, 0.5], [0.5, 0]])
    np.testing.assert_array_equal(deep[:, :, 0], [[0.5, 0.5], [0.5, 0.5]])
    # gains are of 2, the highest grade of the qrels that is left
    np.testing.assert_array_equal(deep[:, :, 1], [[0.25, 0.25], [0.25, 0.25]])


def test_the_scale_is_the_qrels_whatever_is_left_of_it():
    """Depth 1 has grades 0 and 1 only; RBP's gain is then 1/2 of the scale, not 1."""
    collection = Collection.small(*two_topics())
    ranked, judged = collection.ranked, collection.judged
    given_scale = scores_by_depth(ranked, judged, [1], ["RBP(p=0.5)"], max_grade=2)[1]
    of_the_rest = scores_by_depth(ranked, judged, [1], ["RBP(p=0.5)"])[1]
    np.testing.assert_array_equal(given_scale.values[:, :, 0], [[0, 0.25], [0.25, 0]])
    np.testing.assert_array_equal(of_the_rest.values, 2 * given_scale.values)


def test_a_topic_that_loses_all_its_judgments_scores_0_and_is_named(caplog):
    collection = Collection.small(*two_topics())
    ranked, judged = collection.ranked, collection.judged
    by_depth = scores_by_depth(ranked, judged, [1, 2], ["AP"], contributors=["b"])
    assert [scores.topics for scores in by_depth.values()] == [("t0", "t1")] * 2
    # t1: b's first document is not judged; at depth 2 there is y
    assert by_depth[1].values[0, :, 0].tolist() == [0.5 * 2, 0]
    assert by_depth[2].values[0, 1, 0] > 0
    (record,) = caplog.records
    assert record.getMessage() == (
        "pool of depth 1: no judged document is left for 1 of 2 topics (t1): "
        "every system scores 0 there"
    )


@pytest.mark.parametrize(
    ("measures", "said"),
    [
        (["AP", "nDCG"], "(t1): every system scores 0 there"),
        (["AP", "NumRet", "nDCG"], "(t1): every system scores 0 there by AP, nDCG"),
        (["NumRet"], "(t1)"),
    ],
)
def test_how_many_documents_there_are_is_not_said_to_be_0(caplog, measures, said):
    collection = Collection.small(*two_topics())
    ranked, judged = collection.ranked, collection.judged
    scores_by_depth(ranked, judged, [1], measures, contributors=["b"])
    (record,) = caplog.records
    assert record.getMessage().endswith(f"for 1 of 2 topics {said}")


def test_topics_apart_are_joined_to_what_they_are_together():
    runs, qrels = two_topics()

    def of(*topics):
        kept = {system: {topic: lists[topic] for topic in topics} for system, lists in runs.items()}
        few = Collection.small(kept, {topic: qrels[topic] for topic in topics})
        return scores_by_depth(few.ranked, few.judged, [1, 2], ["P@2", "AP"], max_grade=2)

    for parts in ([of("t0", "t1")], [of("t0"), of("t1")]):
        same(join_depths(parts), of("t0", "t1"))


def test_all_stages_have_one_rule_for_a_topic_without_judgments():
    """Pools of the same documents: by depth, with a system left out, and of the reduced qrels."""
    collection = Collection.small(*two_topics())
    ranked, judged = collection.ranked, collection.judged
    pooling = Pooling("Depth", depth=1)
    left_out = leave_out_of_pool(ranked, judged, pooling, "run")
    without_a = rescore(ranked, judged, left_out, ["AP", "RBP(p=0.5)"])
    assert left_out.left_out.names[0] == "a"
    assert without_a.counts["lost_topics"].tolist() == [1, 0]
    b = ranked.systems.index("b")
    max_grade = {"max_grade": judged.grades.max()}
    reduced = make_pool(ranked, pooling, contributors=["b"]).reduce(judged)
    again = score(ranked, reduced, ["AP", "RBP(p=0.5)"], **max_grade)
    by_depth = scores_by_depth(
        ranked, judged, [1], ["AP", "RBP(p=0.5)"], contributors=["b"], **max_grade
    )[1]
    np.testing.assert_array_equal(by_depth.values[0], again.values[b])
    np.testing.assert_allclose(
        without_a.mean_without[0, b], again.values[b].mean(axis=0), rtol=1e-15
    )
    sizes = pool_sizes(ranked, judged, [pooling], contributors=["b"])
    assert sizes["topic"].tolist() == ["t0", "t1"]
    assert sizes["judged"].tolist() == [1, 0]
    assert pool_facts(sizes, 1)["without_judgments"].tolist() == [1]
    # as a file of qrels it has no row
    assert qrels_table(reduced, ranked)["topic"].to_pylist() == ["t0"]


def every_measure():
    """Each measure of one set once, with what it cannot do without."""
    needed = {"cutoff": 3, "gamma": 0.5, "goal": 1, "p": 0.8, "recall": 0.5, "T": 1}
    for name, definition in ALL_MEASURES.items():
        if any(p.name == "second" for p in definition.parameters):
            continue
        given = [f"{p.name}={needed[p.name]}" for p in definition.parameters if p.required]
        yield f"{name}({','.join(given)})" if given else name


@pytest.mark.parametrize("measure", list(every_measure()))
def test_no_judgment_is_left_by_any_measure(measure):
    """Of t1 alone, then of everything."""
    runs, qrels = two_topics()
    collection = Collection.small(runs, qrels)
    ranked, judged = collection.ranked, collection.judged
    scores = scores_by_depth(ranked, judged, [1], [measure], contributors=["b"], max_grade=2)[1]
    alone = Collection.small(runs, {"t0": {"x": 1}})
    expected = score(alone.ranked, alone.judged, [measure], max_grade=2)
    # how many documents are retrieved, two of each topic, is no matter of judgments
    left = {"NumRet": 2, "Unj(cutoff=3)": 2 / 3}.get(measure, 0)
    np.testing.assert_array_equal(scores.values[0, :, 0], [expected.values[1, 0, 0], left])
    empty = keep(judged, np.zeros(len(judged.grades), bool))
    assert (score(ranked, empty, [measure], max_grade=2).values == left).all()


def test_a_measure_may_be_given_as_itself():
    collection = Collection.small(*two_topics())
    names = scores_by_depth(collection.ranked, collection.judged, [2], MEASURES)[2]
    parsed = scores_by_depth(collection.ranked, collection.judged, [2], parse_all(MEASURES))[2]
    np.testing.assert_array_equal(names.values, parsed.values)


# --- the table ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def by_depth():
    """Scores of a collection in which all systems returned something."""
    for seed in range(1000):
        collection = Collection.small(*random_collection(seed))
        if collection.ranked.systems == tuple(SYSTEMS):
            return scores_by_depth(
                collection.ranked, collection.judged, [7, 2, 4], MEASURES, max_grade=MAX_GRADE
            )
    raise AssertionError("no such collection")


def same(found, expected) -> None:
    assert list(found) == list(expected)
    for depth, scores in expected.items():
        for part in ("systems", "topics", "measures"):
            assert getattr(found[depth], part) == getattr(scores, part)
        np.testing.assert_array_equal(found[depth].values, scores.values)
        np.testing.assert_array_equal(found[depth].residuals, scores.residuals)


def test_the_table_has_its_schema_and_every_score_once(by_depth):
    frame = to_frame(by_depth)
    assert list(frame.index) == list(range(len(frame)))
    assert set(frame.columns) == set(columns_of("pools/scores"))
    keys = ["depth", "system", "topic", "measure"]
    assert not frame.duplicated(keys).any()
    assert len(frame) == sum(scores.values.size for scores in by_depth.values())
    row = frame.set_index(keys).loc[(4, "s3", "t1", "RBP(p=0.7)")]
    at = (3, by_depth[4].topics.index("t1"), MEASURES.index("RBP(p=0.7)"))
    assert row["value"] == by_depth[4].values[at]
    assert row["residual"] == by_depth[4].residuals[at]
    assert frame[frame["measure"] == "AP"]["residual"].isna().all()
    assert frame[frame["measure"] == "P@3"]["residual"].notna().all()


def test_there_and_back_through_a_file(by_depth, tmp_path):
    path = tmp_path / "scores.parquet"
    write_table(to_frame(by_depth), path, "pools/scores")
    same(from_frame(read_table(path, "pools/scores").to_pandas()), by_depth)


def test_there_and_back_with_rows_in_another_order(by_depth):
    """Systems and topics are sorted; measures come in the order of rows."""
    frame = to_frame(by_depth)
    turned = pd.concat([rows.iloc[::-1] for _, rows in frame.groupby("measure", sort=False)])
    same(from_frame(turned), by_depth)
    backwards = from_frame(frame.iloc[::-1])
    assert [str(measure) for measure in backwards[2].measures] == MEASURES[::-1]
    np.testing.assert_array_equal(backwards[2].values, by_depth[2].values[:, :, ::-1])
