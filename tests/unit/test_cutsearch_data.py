"""Labels and judgments as the kernels read them."""

from dataclasses import fields, is_dataclass

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.catalogue.arrow import SCHEMAS
from regrade.cutsearch.data import topics_of, topics_of_labels
from regrade.errors import ParameterError
from regrade.scales import Scale

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
    twice = [("1", "a", 1.0), ("2", "a", 1.0), ("1", "a", 2.0)]
    with pytest.raises(ParameterError, match="topic 1 has two labels of a: keep one"):
        topics_of_labels(labels(twice), SCALE)


def test_labels_are_on_the_scale():
    with pytest.raises(ParameterError, match="judgment 6 of document b for topic 1"):
        topics_of_labels(labels([("1", "a", 5.0), ("1", "b", 6.0)]), SCALE)
