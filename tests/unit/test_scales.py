"""Scales: what a set's values may be, and how they are numbered and written."""

import subprocess
import sys
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.aggregation import exceeds
from regrade.errors import ParameterError
from regrade.scales import MAX_VALUES, Scale, briefly, cutting, exactly

LEVELS = Scale.of({"levels": 4})
NAMED = Scale.of({"values": ["N", "M", "R", "H"]})
STEPS = Scale.of({"values": {"from": 0, "to": 5, "by": 0.1}})
LIKERT = Scale.of({"values": [1, 2, 3, 4, 5]})
RANGE = Scale.of({"range": [-1, 2.5]})
RATIO = Scale.of({"ratio": True})
FINITE = [LEVELS, NAMED, STEPS, LIKERT]


@pytest.mark.parametrize(
    ("scale", "low", "high", "levels", "text"),
    [
        (LEVELS, 0, 3, 4, "0, 1, 2, 3"),
        (NAMED, 0, 3, 4, "N, M, R, H"),
        (STEPS, 0, 5, 51, "0, 0.1, 0.2, …, 5 (51 values)"),
        (LIKERT, 1, 5, 5, "1, 2, 3, 4, 5"),
        (RANGE, -1, 2.5, None, "numbers from -1 to 2.5"),
    ],
)
def test_what_a_scale_is(scale, low, high, levels, text):
    assert (scale.low, scale.high, scale.levels) == (low, high, levels)
    assert str(scale) == text
    assert scale.finite == (levels is not None)
    assert not scale.ratio


def test_magnitudes_have_no_end():
    assert RATIO.ratio
    assert not RATIO.finite
    assert RATIO.levels is None
    assert [value in RATIO for value in (0, -1, 1e-300, 7, float("inf"), float("nan"))] == [
        False,
        False,
        True,
        True,
        False,
        False,
    ]
    assert (RATIO.low, RATIO.high) == (0, float("inf"))


def test_steps_are_exact_decimals():
    assert STEPS.values == tuple(float(f"{tenth // 10}.{tenth % 10}") for tenth in range(51))
    assert STEPS.code(0.3) == 3
    assert 0.1 + 0.2 not in STEPS
    assert 2.5555555555555554 not in STEPS
    with pytest.raises(ParameterError, match=r"2\.55556 is not on the scale 0, 0\.1"):
        STEPS.code(2.5555555555555554)


@pytest.mark.parametrize("scale", FINITE)
def test_codes_number_the_values_in_order(scale):
    assert [scale.code(value) for value in scale.values] == list(range(scale.levels))
    assert scale.codes(np.array(scale.values)).tolist() == list(range(scale.levels))
    between = (np.array(scale.values[:-1]) + np.array(scale.values[1:])) / 2
    off = np.concatenate([between, [scale.low - 1, scale.high + 1, np.nan, np.inf, -np.inf]])
    assert (scale.codes(off) == -1).all()
    assert not scale.contains(off).any()


@pytest.mark.parametrize("scale", [*FINITE, RANGE, RATIO])
def test_many_values_are_told_as_one_is(scale):
    values = np.array([-2.0, -1, 0, 0.05, 0.1, 1, 2.5, 3, 5, 5.1, 101, np.nan, np.inf, -np.inf])
    assert scale.contains(values).tolist() == [value in scale for value in values.tolist()]


def test_a_continuous_scale_has_no_codes():
    with pytest.raises(ParameterError, match="cannot be numbered"):
        RANGE.code(1.0)


@pytest.mark.parametrize(
    ("scale", "written", "value"),
    [(NAMED, "R", 2), (LIKERT, "3", 3), (STEPS, "0.3", 0.3), (RANGE, 2, 2), (RATIO, "1e3", 1000)],
)
def test_what_is_written_has_a_number(scale, written, value):
    assert scale.value(written) == value
    assert scale.value(scale.text(value)) == value


@pytest.mark.parametrize(
    ("scale", "written", "reason"),
    [
        (NAMED, "r", "r is not on the scale N, M, R, H; did you mean 'R'?"),
        (NAMED, "2", "2 is not on the scale N, M, R, H"),
        (LEVELS, "4", "4 is not on the scale of 4 levels: none of the integers 0 to 3"),
        (LIKERT, 0, "0 is not on the scale 1, 2, 3, 4, 5"),
        (LIKERT, "two", "'two' is not a number"),
        (RANGE, 3, "3 is not on the scale of numbers from -1 to 2.5"),
        (RATIO, 0, "0 is not a positive number"),
    ],
)
def test_what_is_not_on_a_scale_is_refused(scale, written, reason):
    with pytest.raises(ParameterError) as caught:
        scale.value(written)
    assert str(caught.value) == reason


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({}, "exactly one of levels, values, range, ratio: it has none"),
        ({"levels": 2, "ratio": True}, "exactly one of .*: not levels and ratio"),
        ({"levels": 1}, "at least 2"),
        ({"levels": 2.0}, "at least 2"),
        ({"levels": MAX_VALUES + 1}, "at most"),
        ({"values": [1]}, "at least two"),
        ({"values": [1, 1]}, "none twice"),
        ({"values": [2, 1]}, "the lowest first"),
        ({"values": ["N", "M", "N"]}, "'N' comes twice"),
        ({"values": ["N", ""]}, "none empty"),
        ({"values": ["N", True]}, "into quotes"),
        ({"values": [0, "R"]}, "into quotes"),
        ({"values": [0, float("inf")]}, "finite"),
        ({"values": "N M R H"}, "list them in order"),
        ({"values": {"from": 0, "to": 5}}, "from, to and by"),
        ({"values": {"from": 0, "to": 1, "by": 0.3}}, "whole number of positive steps"),
        ({"values": {"from": 0, "to": 1, "by": -0.5}}, "whole number of positive steps"),
        ({"values": {"from": 1, "to": 0, "by": 0.5}}, "whole number of positive steps"),
        ({"values": {"from": 0, "to": 1, "by": 1e-9}}, "give a `range`"),
        ({"range": [1]}, "two numbers"),
        ({"range": [1, 1]}, "the lower number first"),
        ({"range": [0, "1"]}, "numbers only"),
        ({"ratio": "yes"}, "use true"),
    ],
)
def test_what_makes_no_scale_is_refused(options, reason):
    with pytest.raises(ParameterError, match=reason):
        Scale.of(options)


def test_other_options_of_a_set_are_passed_over():
    assert Scale.of({"file": "a.tsv", "levels": 4, "ratio": False, "values": None}) == LEVELS


def test_which_scales_have_ratios():
    assert RATIO.above_zero and LIKERT.above_zero and Scale.of({"range": [0.5, 2]}).above_zero
    assert not (LEVELS.above_zero or NAMED.above_zero or RANGE.above_zero)


@given(st.floats(allow_nan=False, allow_subnormal=False))
def test_a_threshold_reads_as_the_number_it_is(value):
    assert float(exactly(value)) == value
    assert len(exactly(value)) <= len(repr(value))


plain = st.floats(-1e6, 1e6, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 1e-6)


@given(plain, plain)
def test_a_threshold_that_is_said_shorter_cuts_the_same(one, other):
    value, above = min(one, other), max(one, other)
    text = cutting(value, above)
    assert not exceeds(value, float(text))
    assert exceeds(above, float(text)) == exceeds(above, value)
    assert "e" not in text or value.is_integer()


@pytest.mark.parametrize(
    ("value", "above", "text"),
    [
        (0.1 + 0.2, 0.4, "0.3"), (1 / 3, 0.5, "0.334"), (2 / 3, 0.66667, "0.666667"), (7, 8, "7"),
        (0.12345, 0.1235, "0.12345"), (0.123456, 0.1235, "0.12346"), (24.5, 25, "24.5"),
        (-1 / 3, 0, "-0.333"), (12345.67, 12346, "12345.7"), (-1e-5 / 3, 0, "-0.00000333"),
    ],
)  # fmt: skip
def test_a_threshold_has_as_many_digits_as_it_takes(value, above, text):
    assert cutting(value, above) == text


@given(plain)
def test_a_number_to_be_read_is_near(value):
    assert float(briefly(value)) == pytest.approx(value, rel=5.1e-4)
    assert "e" not in briefly(value)


def test_which_scales_are_those_of_a_target():
    assert [scale.is_levels(4) for scale in (*FINITE, RANGE)] == [True, True, False, False, False]
    assert not LEVELS.is_levels(3)


@given(st.integers(-1000, 1000), st.integers(1, 50), st.integers(1, 200), st.integers(0, 6))
def test_steps_are_the_numbers_as_written(first, by, count, places):
    unit = Decimal(1).scaleb(-places)
    numbers = [(first + by * step) * unit for step in range(count + 1)]
    ends = {"from": float(numbers[0]), "to": float(numbers[-1]), "by": float(by * unit)}
    assert Scale.of({"values": ends}).values == tuple(float(str(number)) for number in numbers)


def test_scales_are_known_at_no_cost():
    code = "import sys, regrade.scales; print({'numpy', 'pandas', 'pyarrow'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "set()\n"
