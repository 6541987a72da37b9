"""Scores by item as arrays: complete, of clusters, data sets, repeats and judges."""

import numpy as np
import pyarrow as pa
import pytest

from regrade.catalogue.arrow import SCHEMAS
from regrade.errors import MethodError
from regrade.item_scores.scores import ItemScores


def scores_of(rows, **columns):
    """A set of rows (system, topic, measure, value) and further columns."""
    names = ["system", "topic", "measure", "value"]
    held = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)) | columns
    schema = SCHEMAS["item-scores"]
    kinds = {name: pa.string() for name in schema.names} | {"value": pa.float64()}
    none = [None] * len(rows)
    arrays = {name: pa.array(held.get(name, none), kind) for name, kind in kinds.items()}
    return ItemScores("made", pa.table(arrays).cast(schema))


ROWS = [(s, t, "EM", v) for s, t, v in zip("aabb", "1212", [1, 0, 1, 1], strict=True)]


def test_a_plain_set_is_an_array_of_systems_items_and_measures():
    design = scores_of(ROWS).design()
    assert design.scores.systems == ("a", "b")
    assert design.scores.topics == ("1", "2")
    assert design.scores.values[..., 0].tolist() == [[1, 0], [1, 1]]
    assert design.clusters is None
    assert design.datasets is None
    assert design.repeats is None


def test_a_missing_score_is_refused_or_its_item_left_out():
    with pytest.raises(MethodError, match="1 score of 4 are missing, as of b on 2 by EM"):
        scores_of(ROWS[:3]).design()
    design = scores_of(ROWS[:3]).design(missing="drop")
    assert design.scores.topics == ("1",)
    assert design.dropped == 1


def test_nothing_is_left_where_no_item_has_all():
    with pytest.raises(MethodError, match="no item is scored for every system"):
        scores_of([ROWS[0], ROWS[3]]).design(missing="drop")


def test_the_same_score_twice_is_refused():
    with pytest.raises(MethodError, match=r"1 score repeat another \(system a, topic 1"):
        scores_of([*ROWS, ROWS[0]]).design()


def test_repeats_are_averaged_and_kept():
    rows = [*ROWS, ("a", "1", "EM", 0)]
    design = scores_of(rows, repeat=[*["1"] * 4, "2"]).design()
    assert design.scores.values[0, 0, 0] == 0.5
    assert design.repeats.shape == (2, 2, 1, 2)
    assert np.isnan(design.repeats[1, 0, 0, 1])


def test_a_topic_of_two_data_sets_is_two_items():
    design = scores_of(ROWS, dataset=["x", "y", "x", "y"]).design()
    assert design.scores.topics == ("x/1", "y/2")
    assert design.datasets.tolist() == [0, 1]
    again = scores_of([*ROWS, *ROWS], dataset=[*"xxxx", *"yyyy"]).design()
    assert again.scores.topics == ("x/1", "x/2", "y/1", "y/2")


def test_items_without_a_cluster_are_alone():
    rows = [(s, t, "EM", 1.0) for s in "ab" for t in "1234"]
    design = scores_of(rows, cluster=["c", "c", None, None] * 2).design()
    assert design.clusters.tolist() == [0, 0, 1, 2]


def test_clusters_are_of_their_data_set():
    rows = [(s, t, "EM", 1.0) for s in "ab" for t in "1234"]
    design = scores_of(rows, cluster=["c"] * 8, dataset=[*"xxyy"] * 2).design()
    assert design.clusters.tolist() == [0, 0, 1, 1]


def test_an_item_of_two_clusters_is_refused():
    with pytest.raises(MethodError, match="item 1 is of two clusters"):
        scores_of(ROWS, cluster=["c", "c", "d", "c"]).design()


def test_scores_by_several_judges_are_of_one_that_is_named():
    scores = scores_of([*ROWS, *ROWS], judge=[*"xxxx", *"yyyy"])
    assert scores.judges == ["x", "y"]
    with pytest.raises(MethodError, match="by 2 judges"):
        scores.design()
    assert scores.design("x").scores.topics == ("1", "2")
