"""Labels and judgments as the kernels read them."""

from dataclasses import fields, is_dataclass

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.catalogue.arrow import SCHEMAS
from regrade.cutsearch.data import reference_levels, topics_of, topics_of_labels
from regrade.errors import MethodError, ParameterError
from regrade.scales import Scale
from tests.unit.judgments import random_judgments

SCALE = Scale.of({"range": [0, 5]})


def labels(rows):
    columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], []]
    return pa.table(columns, schema=SCHEMAS["qrels"])


def judged_once(table):
    """The same labels as the judgments of one worker, in no unit."""
    n = table.num_rows
    return pa.table(
        {
            "topic": table["topic"],
            "docno": table["docno"],
            "worker": pa.array(["expert"] * n, pa.string()),
            "unit": pa.nulls(n, pa.string()),
            "value": table["grade"],
        }
    )


def assert_same(one, other):
    for field in fields(one):
        first, second = getattr(one, field.name), getattr(other, field.name)
        if is_dataclass(first):
            assert_same(first, second)
        elif isinstance(first, np.ndarray):
            assert first.dtype.kind == second.dtype.kind, field.name
            assert first.dtype.kind == "U" or first.dtype == second.dtype, field.name
            assert first.tolist() == second.tolist(), field.name
        else:
            assert first == second, field.name


NAMES = st.text("aÄ1 0", min_size=1, max_size=3)


@given(st.dictionaries(st.tuples(NAMES, NAMES), st.sampled_from([0.0, 0.3, 2.5, 5.0])))
def test_labels_are_one_workers_judgments(grades):
    table = labels([(*names, grade) for names, grade in grades.items()])
    found = topics_of_labels(table, SCALE)
    expected = topics_of(judged_once(table), SCALE) if grades else []
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert_same(one, other)


def test_only_some_topics():
    table = labels([("1", "a", 5.0), ("2", "b", 0.0), ("3", "a", 1.0)])
    found = topics_of_labels(table, SCALE, only=("1", "3", "9"))
    assert [topic.topic for topic in found] == ["1", "3"]


def test_a_document_has_one_label():
    twice = [("1", "a", 1.0), ("2", "a", 1.0), ("1", "a", 2.0), ("3", "b", 1.0), ("3", "b", 1.0)]
    with pytest.raises(ParameterError, match="topic 1 has two labels of a: keep one"):
        topics_of_labels(labels(twice), SCALE)


def test_labels_are_on_the_scale():
    with pytest.raises(ParameterError, match="judgment 6 of document b for topic 1"):
        topics_of_labels(labels([("1", "a", 5.0), ("1", "b", 6.0)]), SCALE)


@pytest.mark.parametrize("units", [5, 30])
def test_each_judgment_stands_beside_the_votes_of_others(units):
    judgments = random_judgments(2, levels=6, topics=1, documents=6, units=units, workers=4)
    (topic,) = topics_of(judgments, Scale.of({"levels": 6}))
    given = judgments.to_pandas()
    own, votes = (
        given.groupby(keys)["value"].quantile(0.5, interpolation="lower")
        for keys in (["worker", "unit", "docno"], ["docno", "worker"])
    )
    workers = votes.groupby("docno").size()
    assert len(topic.shared_counts) == sum(workers >= 2)
    assert units == 30 or {1, 2} <= {*workers}
    rows, table = topic.with_own_value()
    for (worker, _, docno), value, row in zip(own.index, own, table[rows], strict=True):
        assert np.repeat(topic.values, row).tolist() == sorted([*votes[docno].drop(worker), value])


@pytest.mark.parametrize(("unjudged", "expected"), [("non-relevant", 0), ("drop", -1)])
def test_levels_of_documents_in_the_reference(unjudged, expected):
    (topic,) = topics_of_labels(labels([("1", name, 1.0) for name in "abc"]), SCALE)
    reference = labels([("1", "c", 0.0), ("1", "z", 1.0), ("1", "a", 2.0)]).to_pandas()
    assert reference_levels(topic, reference, 3, unjudged).tolist() == [2, expected, 0]


@pytest.mark.parametrize("grade", [-1, 0.5, 3])
def test_the_reference_is_on_the_target_scale(grade):
    (topic,) = topics_of_labels(labels([("7", "a", 1.0)]), SCALE)
    off = labels([("7", "b", 0.0), ("7", "a", grade)]).to_pandas()
    with pytest.raises(MethodError, match=rf"grade {grade} of document a .* 7 .* levels 0 … 2:"):
        reference_levels(topic, off, 3, "drop")


def judged(*rows):
    """Judgments of one topic: docno, worker, unit and value."""
    docnos, workers, units, values = zip(*rows, strict=True)
    return pa.table(
        {
            "topic": pa.array(["1"] * len(rows)), "docno": pa.array(docnos),
            "worker": pa.array(workers), "unit": pa.array(units, pa.string()),
            "value": pa.array(values, pa.float64()),
        }
    )  # fmt: skip


def test_a_unit_of_two_workers_is_two_units():
    (topic,) = topics_of(judged(*((d, w, "u", 1) for d in "ab" for w in "vwx")), SCALE)
    assert topic.n_units == 3
    assert sorted(zip(topic.unit.tolist(), topic.document.tolist(), strict=True)) == [
        (unit, document) for unit in range(3) for document in range(2)
    ]


def test_units_are_named_by_all_judgments_or_none():
    rows = [("a", "v", "u", 1), ("b", "v", None, 1), ("c", "v", "u", 1)]
    with pytest.raises(MethodError, match="1 of 3 judgments name no unit"):
        topics_of(judged(*rows), SCALE)
    (topic,) = topics_of(judged(rows[1]), SCALE)
    assert not topic.has_units
