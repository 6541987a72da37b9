"""Kernels before numba is loaded, and that what works as Python gives what machine code gives."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from regrade import compiled, run_arrays
from regrade.compiled import Kernel, njit

ROWS = 40
"""Judged documents; the row after them stands for all others."""

PLAIN = {name: each for name, each in vars(run_arrays).items() if isinstance(each, Kernel)}


def test_a_module_of_kernels_is_imported_without_numba():
    code = "import sys, regrade.run_arrays as r; r._cascade.__doc__, r.cascade.__wrapped__\n"
    code += "assert not hasattr(r.cascade, '__array__'); print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_kernel_is_what_numba_makes_of_its_function():
    @njit(nogil=True)
    def double(x):
        """Twice as much."""
        return 2 * x

    assert (double(4), double.py_func(4), double.__doc__) == (8, 8, "Twice as much.")
    assert double.targetoptions["nogil"] and double.signatures

    @njit()
    def four_times(x):
        return double(double(x))

    assert four_times(1) == 4


def test_small_arrays_are_of_one_layout():
    @njit(nogil=True, small=True)
    def weighted(x, weight):
        return (x * weight).sum()

    columns = np.arange(12.0).reshape(4, 3)
    fixed = columns[:, 0].copy()
    fixed.flags.writeable = False
    given = [fixed, columns[:, 0], columns[::-1, 0], np.array([0.0, 3, 6, 9])]
    assert [weighted(x, 2.0) for x in given] == [36.0] * 4
    assert len(weighted.signatures) == 1


def test_a_part_of_kernels_runs_as_python_where_python_calls_it():
    @njit(cache=False, nogil=True)
    def half(x):
        return x / 2

    @njit(nogil=True)
    def whole(x):
        return half(x) * 2

    assert whole(3) == 3.0 and len(half.signatures) == 1
    assert half("3".isdigit()) == 0.5 and len(half.signatures) == 1
    assert half.is_part and not whole.is_part


@pytest.mark.parametrize(("more", "is_loaded"), [(0, False), (1, True)])
def test_little_work_does_not_wait_for_numba(more, is_loaded):
    code = "import sys, numpy as np\nfrom regrade.run_arrays import _inferred_precision_sum as f\n"
    code += f"rows, kinds = np.zeros({compiled.PLAIN + more}, np.int32), np.zeros(1, np.int8)\n"
    code += "f(rows, *np.zeros((2, 1, 1), np.int64), kinds)\n"
    code += "print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{is_loaded}\n"


@st.composite
def rankings(draw):
    """Of three systems on two topics, each document as its row in the qrels."""
    lengths = draw(arrays(np.int64, 6, elements=st.integers(0, 9)))
    ends = np.cumsum(lengths).reshape(2, 3).T
    starts = ends - lengths.reshape(2, 3).T
    rows = draw(arrays(np.int32, int(lengths.sum()), elements=st.integers(0, ROWS)))
    return rows, np.ascontiguousarray(starts), np.ascontiguousarray(ends)


def gains(top):
    return arrays(np.float64, ROWS + 1, elements=st.integers(0, 4).map(lambda grade: grade / top))


@settings(max_examples=60)
@given(rankings(), gains(1), gains(5), arrays(np.int64, 2, elements=st.integers(0, 8)), st.data())
def test_as_python_and_compiled(ranked, graded, chances, depths, data):
    counts = np.bincount(data.draw(arrays(np.int64, 12, elements=st.integers(0, 1))), minlength=2)
    calls = {
        "_weighted_sum": (graded, 1 / np.log2(np.arange(2.0, 60)), depths),
        "_precision_sum": (graded, depths, 0.8),
        "_interpolated_precision": (graded, counts),
        "_blended_ratio_sum": (
            graded, np.sort(graded)[::-1].copy(), np.array([0, 3, 9]), 1.0, depths,
        ),
        "_preference_sum": (graded, (graded == 0) * 1.0, counts + 1.0, counts[::-1] + 1.0),
        "_inferred_precision_sum": (graded.astype(np.int64),),
        "_cascade": (chances, depths),
    }  # fmt: skip
    known = {name for name, kernel in PLAIN.items() if kernel.plain}
    assert known == {*calls}
    for name, arguments in calls.items():
        kernel = PLAIN[name]
        compiled = kernel.dispatcher(*ranked, *arguments)
        for plain in (kernel.py_func, kernel.plain):
            np.testing.assert_array_equal(plain(*ranked, *arguments), compiled, name)
