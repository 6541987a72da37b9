"""Arrays of numpy and of Arrow are the same as pyarrow's own conversions make them."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from regrade.conversions import to_arrow, to_numpy, to_strings
from tests.each import each

ARRAYS = {
    "floats": pa.array([1.5, float("nan"), -2.0]),
    "single floats": pa.array([1.5, 2.5], pa.float32()),
    "integers": pa.array([3, -1, 2], pa.int32()),
    "indices": pa.array([1, 0], pa.uint64()),
    "a part": pa.array([3, -1, 2, 7], pa.int64()).slice(1, 2),
    "none": pa.array([], pa.int32()),
    "none of all": pa.array([1.0]).slice(1),
    "truths": pa.array([True, False, True] * 5),
    "a part of truths": pa.array([True, False, True] * 5).slice(3, 9),
    "chunks": pa.chunked_array([[1, 2], [], [3]], pa.int32()),
    "no chunk": pa.chunked_array([], pa.float64()),
}


@each(ARRAYS)
def test_to_numpy(name):
    array = ARRAYS[name]
    chunked = isinstance(array, pa.ChunkedArray)
    expected = array.to_numpy() if chunked else array.to_numpy(zero_copy_only=False)
    found = to_numpy(array)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def test_nulls():
    array = pa.array([9, 3, None, 2, None] * 4, pa.int32()).slice(1)
    np.testing.assert_array_equal(to_numpy(array, -1), array.fill_null(-1).to_numpy())
    floats = pa.array([1.0, None])
    np.testing.assert_array_equal(to_numpy(floats), [1.0, np.nan])
    np.testing.assert_array_equal(to_numpy(pa.array([True, None]), False), [True, False])
    with pytest.raises(ValueError, match="10 of 20 values are null"):
        to_numpy(pa.array([1, None] * 10, pa.int32()))


@pytest.mark.parametrize(
    "values",
    [[1.5, np.nan], np.arange(3, dtype=np.int32), [], np.arange(10)[::3], np.arange(11) % 3 == 0],
    ids=["floats", "integers", "none", "every third", "truths"],
)
def test_to_arrow(values):
    values = np.asarray(values)
    found, expected = to_arrow(values), pa.array(values, from_pandas=False)
    assert found.type == expected.type
    found.validate(full=True)
    np.testing.assert_array_equal(to_numpy(found), values)


@pytest.mark.parametrize("names", [[], [""], ["a", "", "müller", "𝄞"]])
def test_to_strings(names):
    found = to_strings(names)
    found.validate(full=True)
    assert found.equals(pa.array(names, pa.string()))


def test_they_do_not_load_pandas():
    code = (
        "import sys, numpy as np, regrade.conversions as c\n"
        "c.to_numpy(c.to_arrow(np.arange(3.0))), c.to_strings(['a'])\n"
        "c.to_numpy(c.to_arrow(np.array([True])))\n"
        "assert 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
