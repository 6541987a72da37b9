"""Lines into columns, against what Python makes of the same bytes."""

import re
import struct

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regrade.catalogue.arrow import STRING
from regrade.errors import InputError
from regrade.readers.lines import Problems, blank_separated, tab_separated

bits = struct.Struct("<d").pack
plain = st.from_regex(r"-?([0-9]{1,20}(\.[0-9]{0,30})?|\.[0-9]{1,30})", fullmatch=True)
other = st.sampled_from(
    ["+1.5", "1e5", "-2.5E-3", "5e-324", "2.4703282292062328e-324", "9007199254740993", "0" * 40]
)
lines = st.text(st.sampled_from('ab"- \t\v\f\r\né\x1c'))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("lines") / "file"


def read(path, texts, kind):
    path.write_bytes("\n".join(texts).encode())
    problems = Problems(path)
    table = blank_separated(path, {"x": kind}, problems)
    problems.raise_if_any()
    return table["x"].to_pylist()


def rows(*columns):
    return list(zip(*(column.to_pylist() for column in columns), strict=True))


@settings(deadline=None)
@given(texts=st.lists(st.one_of(plain, other, st.floats(allow_nan=False).map(repr)), min_size=1))
def test_numbers_are_those_of_python(path, texts):
    found = read(path, texts, pa.float64())
    assert [*map(bits, found)] == [bits(float(text)) for text in texts]


@settings(deadline=None)
@given(
    values=st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1),
    before=st.sampled_from(["", "+", "0000"]),
)
def test_integers_are_those_of_python(path, values, before):
    texts = [f"{before if value >= 0 else ''}{value}" for value in values]
    assert read(path, texts, pa.int32()) == values


@pytest.mark.parametrize("text", ["-", ".", "-.", "1.2.3", "1-", "--1", "0x10", "1_000", "nan"])
@pytest.mark.parametrize("kind", [pa.float64(), pa.int32()])
def test_what_is_no_number(path, text, kind):
    with pytest.raises(InputError, match=r":2: x .* is (no|not a) "):
        read(path, ["1", text, "3"], kind)


@settings(deadline=None)
@given(text=lines)
def test_fields_are_those_between_blanks(path, text):
    path.write_bytes(b"first line\n" + text.encode())
    problems = Problems(path)
    table = blank_separated(path, {"a": STRING, "b": pa.string()}, problems)
    found = [
        (*re.findall("[^ \t\v\f]+", line), number)
        for number, line in enumerate(re.split("\r\n|\r|\n", text), start=2)
    ]
    wanted = [("first", "line", 1), *(row for row in found if len(row) == 3)]
    assert rows(*table.columns) == wanted
    if any(len(row) in (2, 4) for row in found):
        with pytest.raises(InputError, match="columns where there should be 2"):
            problems.raise_if_any()


@settings(deadline=None)
@given(text=lines)
def test_fields_are_those_between_tabs(path, text):
    path.write_bytes(b"a\tb\n" + text.encode())
    table, line = tab_separated(path, ["a", "b"], Problems(path))
    wanted = [
        (*line.split("\t"), number)
        for number, line in enumerate(re.split("\r\n|\r|\n", text), start=2)
        if line.count("\t") == 1
    ]
    assert rows(*table.columns, pa.array(line)) == wanted
