"""Names that spreadsheets take for formulas: guarded for people who fill in, and read again."""

import re

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.readers.rows import guarded, unguarded


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("=1+1", "'=1+1"),
        ("-2", "'-2"),
        ("+a", "'+a"),
        ("@b", "'@b"),
        ("'=1", "''=1"),
        ("a=1", "a=1"),
        ("'a", "'a"),
        ("d1", "d1"),
    ],
)
def test_what_begins_as_a_formula_gets_a_sign(name, written):
    frame = guarded(pd.DataFrame({"docno": [name], "other": ["=x"]}), ["docno", "topic"])
    assert frame.to_dict("list") == {"docno": [written], "other": ["=x"]}
    assert unguarded(pa.array([written])).to_pylist() == [name]


@given(st.lists(st.text("'=+-@a1 ", min_size=1, max_size=4), min_size=1))
def test_names_are_read_as_they_were(names):
    written = guarded(pd.DataFrame({"docno": names}), ["docno"])["docno"].tolist()
    assert not any(re.match("[=+@-]", name) for name in written)
    assert unguarded(pa.array(written)).to_pylist() == names


def test_what_is_missing_stays_so():
    frame = guarded(pd.DataFrame({"worker": ["-w", None]}), ["worker"])
    assert frame["worker"].isna().tolist() == [False, True]
    assert unguarded(pa.array(["'-w", None])).to_pylist() == ["-w", None]
