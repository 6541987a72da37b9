"""Which thresholds are tried on which scale, and which values exceed them."""

import itertools
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.aggregation import transform
from regrade.choices import GRID, MAX_CUTS, MAX_THRESHOLDS
from regrade.cutsearch.thresholds import Thresholds, distinct
from regrade.errors import ParameterError
from regrade.scales import Scale

ANY = Scale.of({"range": [0, 1e9]})


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        ({"levels": 4}, [0, 1, 2]),
        ({"values": [0, 0.1, 0.5, 3]}, [0, 0.1, 0.5]),
        ({"values": ["N", "M", "R", "H"]}, [0, 1, 2]),
        ({"values": {"from": -1, "to": 1, "by": 0.5}}, [-1, -0.5, 0, 0.5]),
        ({"range": [0, 10]}, [1.25, 4.5]),  # but the highest that the data hold
        ({"ratio": True}, [1.25, 4.5]),
    ],
)
def test_all_thresholds_of_a_scale(scale, expected):
    found = Thresholds.of(Scale.of(scale), 2, np.array([4.5, 1.25, 7.0, 1.25]))
    assert found.values.tolist() == expected
    assert found.possible == len(expected)
    assert found.note is None


@pytest.mark.parametrize(
    ("count", "levels", "searched"),
    [
        (1001, 2, 1000),
        (1001, 3, 1000),
        (255, 4, 254),
        (264, 4, 263),  # 2,997,411 cuts
        (265, 4, GRID),
        (MAX_THRESHOLDS + 1, 2, MAX_THRESHOLDS),
        (MAX_THRESHOLDS + 2, 2, GRID),
    ],
)
def test_all_cuts_up_to_a_few_million_then_a_grid(count, levels, searched):
    found = Thresholds.of(ANY, levels, np.arange(count) / 7)
    assert len(found.values) == searched
    assert comb(searched, levels - 1) <= MAX_CUTS
    assert (found.note is None) == (searched == count - 1)


def test_a_grid_takes_quantiles_of_the_distinct_values():
    data = np.repeat(np.arange(1001.0), np.arange(1001) % 3 + 1)
    found = Thresholds.of(ANY, 3, data, grid=10)
    assert found.values.tolist() == [50 + 100 * i for i in range(10)]
    assert found.note == "only a grid of 10 of the 1000 thresholds was tried"
    assert len(Thresholds.of(ANY, 3, data, grid=2000).values) == 1000  # no more than there are


@pytest.mark.parametrize(
    ("data", "levels", "grid", "message"),
    [
        ([1, 1, 1], 2, None, "1 distinct values, which cannot be cut into 2 levels"),
        ([1, 2, 3], 4, None, "3 distinct values"),
        ([1, 2, 3], 3, 1, "grid is 1: 3 levels need at least 2"),
        ([1, 2, 3], 4, 264, "grid is 264, which makes 3,031,864 cuts"),
        ([1, 2, 3], 2, MAX_THRESHOLDS + 1, "at most 5,000 thresholds"),
    ],
)
def test_what_makes_no_cuts_or_too_many_is_refused(data, levels, grid, message):
    with pytest.raises(ParameterError, match=message):
        Thresholds.of(ANY, levels, np.array(data, dtype=float), grid)


@pytest.mark.parametrize(("n", "levels"), [(2, 2), (6, 2), (6, 3), (4, 4), (8, 4)])
def test_every_cut_once_in_order(n, levels):
    found = Thresholds.of(ANY, levels, np.arange(float(n)) / 4)
    expected = itertools.combinations(np.arange(n - 1) / 4, levels - 1)
    assert found.cuts(levels).tolist() == [list(cut) for cut in expected]


def test_more_values_than_memory_holds_are_refused():
    found = Thresholds.of(ANY, 4, np.arange(255.0))
    found.check_size(4, 36)
    with pytest.raises(ParameterError, match="2,699,004 cuts of 38 topics"):
        found.check_size(4, 38)


@given(
    steps=st.lists(st.integers(0, 50), min_size=2, max_size=12, unique=True),
    averaged=st.lists(st.integers(0, 50), min_size=1, max_size=10),
)
def test_a_mean_is_compared_as_the_number_that_it_is(steps, averaged):
    """Tenths have no exact double: 0.1 + 0.2 over 2 does not exceed a threshold of 0.15."""
    scale = Scale.of({"range": [0, 5]})
    found = Thresholds.of(scale, 2, np.array(sorted(steps)) / 10)
    mean = np.mean(np.array(averaged) / 10)
    exact = sum(step * len(averaged) < sum(averaged) for step in sorted(steps)[:-1])
    assert found.codes(np.array([mean])).tolist() == [exact]
    assert transform(mean, found.values) == exact


def test_values_that_rounding_sets_apart_are_one():
    assert distinct([0.3, 0.1 + 0.2, 0.4, 1e-300, 2e-300]).tolist() == [1e-300, 2e-300, 0.3, 0.4]


def test_a_value_that_rounding_sets_above_a_threshold_does_not_exceed_it():
    above = (0.1 + 0.2) / 2
    assert above > 0.15
    for thresholds, codes in (([0.15], [0, 1]), ([0.05, 0.15, 0.4], [1, 2])):
        found = Thresholds.of(ANY, 2, np.array([*thresholds, 0.5]))
        assert found.codes(np.array([above, 0.151])).tolist() == codes
