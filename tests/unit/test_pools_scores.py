"""Scores under pools of every depth against qrels cut down by hand, and their table."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.errors import MethodError
from regrade.measures import parse_all
from regrade.pools.scores import from_frame, scores_by_depth, to_frame
from regrade.schemas import SCHEMAS
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


def reduced_everywhere(runs, qrels, depths, contributors):
    """The qrels by depth, and whether every topic keeps a judgment at each."""
    reduced = {depth: by_hand(runs, qrels, depth, contributors) for depth in depths}
    return reduced, all(all(grades.values()) for grades in reduced.values())


@settings(deadline=None, max_examples=60)
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
    reduced, all_left = reduced_everywhere(runs, qrels, depths, chosen)
    if not chosen:  # none of them returned anything
        return

    def found():
        named = None if contributors is None else chosen
        return scores_by_depth(
            ranked, judged, depths, MEASURES, contributors=named, max_grade=MAX_GRADE
        )

    if not all_left:
        with pytest.raises(MethodError, match="no judged document is left for topic t"):
            found()
        return
    by_depth = found()
    assert list(by_depth) == sorted(depths)
    for depth, scores in by_depth.items():
        small = Collection.small(runs, reduced[depth])
        expected = score(small.ranked, small.judged, MEASURES, max_grade=MAX_GRADE)
        rows = [expected.systems.index(system) for system in chosen]
        assert scores.systems == tuple(chosen)
        assert scores.topics == expected.topics == tuple(sorted(qrels))
        assert scores.measures == expected.measures
        np.testing.assert_array_equal(scores.values, expected.values[rows])
        np.testing.assert_array_equal(scores.residuals, expected.residuals[rows])


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


def test_a_topic_without_judgments_is_refused_with_its_name():
    runs, qrels = two_topics()
    collection = Collection.small(runs, qrels)
    ranked, judged = collection.ranked, collection.judged
    with pytest.raises(MethodError, match=r"pool of depth 1: .* topic t1: use deeper pools or"):
        scores_by_depth(ranked, judged, [1, 2], ["AP"], contributors=["b"])
    # at depth 2, y of t1 is pooled
    assert list(scores_by_depth(ranked, judged, [2], ["AP"], contributors=["b"])) == [2]


def test_a_measure_may_be_given_as_itself():
    collection = Collection.small(*two_topics())
    names = scores_by_depth(collection.ranked, collection.judged, [2], MEASURES)[2]
    parsed = scores_by_depth(collection.ranked, collection.judged, [2], parse_all(MEASURES))[2]
    np.testing.assert_array_equal(names.values, parsed.values)


# --- the table ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def by_depth():
    """Scores of a collection whose topics all keep a judgment."""
    for seed in range(1000):
        runs, qrels = random_collection(seed)
        collection = Collection.small(runs, qrels)
        if (
            collection.ranked.systems == tuple(SYSTEMS)
            and reduced_everywhere(runs, qrels, [2], SYSTEMS)[1]
        ):
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
    assert set(frame.columns) == set(SCHEMAS["pools/scores"].names)
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
