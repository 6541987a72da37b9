"""Votes along a line of cuts against votes counted one cut at a time."""

import itertools
import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regrade.aggregation import AGGREGATIONS, aggregation_code
from regrade.cutsearch.votes import cumulative, ordered_values, vote_changes


def plain_vote(levels, how):
    """The level that levels agree on, straight from its definition."""
    if how == "majority":
        return min(range(4), key=lambda level: (-levels.count(level), level))
    if how == "mean":
        value = Fraction(sum(levels), len(levels))
    else:
        value = Fraction(getattr(statistics, how)(levels))
    return math.ceil(value - Fraction(1, 2))


@pytest.mark.parametrize("how", AGGREGATIONS)
@given(
    lower=st.lists(st.sampled_from([0, 1]), max_size=9),
    upper=st.integers(0, 9),
)
def test_a_vote_changes_where_enough_values_have_fallen(how, lower, upper):
    total = len(lower) + upper
    if total == 0:
        return
    n0, n1 = lower.count(0), lower.count(1)
    *votes, k1, k2 = vote_changes(n0, n1, total, aggregation_code(how))
    assert k1 <= k2
    for fallen in range(upper + 1):
        reached = n0 + n1 + fallen
        expected = plain_vote([*lower, *[2] * fallen, *[3] * (upper - fallen)], how)
        assert votes[(reached >= k1) + (reached >= k2)] == expected, fallen


def test_values_are_ordered_row_by_row():
    ordered, offsets = ordered_values(np.array([[0, 2, 1], [0, 0, 0], [1, 0, 0]]))
    rows = [ordered[a:b].tolist() for a, b in itertools.pairwise(offsets)]
    assert rows == [[1, 1, 2, 3], [3], [0, 3]]


def test_values_up_to_each_are_counted_and_none_before_the_first():
    counts = np.array([[0, 2, 1, 4], [3, 0, 0, 5]])
    assert cumulative(counts).tolist() == [[0, 2, 3, 7], [3, 3, 3, 8]]
    assert counts.sum() == 15  # what is counted stays as it is
