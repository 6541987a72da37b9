"""Shares of variance: statsmodels, the definition over all sets of axes, repeated levels."""

from itertools import chain, combinations

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from statsmodels.stats.anova import anova_lm

from regrade.errors import ParameterError
from regrade.variance_shares import variance_shares

AXES = ("a", "b", "c", "d")
VALUES = np.random.default_rng(1).gamma(1.0, size=(3, 2, 4, 3)) + np.arange(3)[:, None, None, None]


def parts_of(values, weights):
    """V_S of every set of axes, by its definition: means given levels less those of all subsets."""
    every = range(values.ndim)
    sets = list(chain.from_iterable(combinations(every, n) for n in range(values.ndim + 1)))
    share = np.array(1.0)
    for own in weights:
        share = np.multiply.outer(share, np.asarray(own) / np.sum(own))
    found, variances = {}, {}
    for some in sets:
        rest = tuple(axis for axis in every if axis not in some)
        of_rest = share / share.sum(axis=rest, keepdims=True)
        given_some = (values * of_rest).sum(axis=rest, keepdims=True)
        smaller = [one for one in sets if set(one) < set(some)]
        found[some] = given_some - sum((found[one] for one in smaller), np.zeros(1))
        variances[some] = float((share * np.broadcast_to(found[some], values.shape) ** 2).sum())
    del variances[()]
    return variances


def by_definition(values, axes, weights):
    variances = parts_of(values, weights)
    whole = sum(variances.values())
    rows = []
    for some in (one for one in variances if len(one) <= 2):
        total = sum(v for one, v in variances.items() if set(some) <= set(one))
        names = [axes[axis] for axis in some] + [None] * (2 - len(some))
        rows.append((*names, variances[some] / whole, total / whole))
    return pd.DataFrame(rows, columns=["axis", "other", "first_order", "total"])


def assert_alike(found, expected):
    assert list(found.columns) == ["axis", "other", "first_order", "total"]
    names = (of[["axis", "other"]].fillna("").to_numpy().tolist() for of in (found, expected))
    assert next(names) == next(names)
    for column in ("first_order", "total"):
        np.testing.assert_allclose(found[column], expected[column], rtol=1e-10, atol=1e-13)


def test_first_orders_are_statsmodels_sums_of_squares():
    values = VALUES[..., 0]
    cells = pd.DataFrame(
        [(*place, value) for place, value in np.ndenumerate(values)], columns=["a", "b", "c", "y"]
    )
    squares = anova_lm(smf.ols("y ~ C(a) * C(b) + C(a) * C(c) + C(b) * C(c)", cells).fit())
    squares = squares["sum_sq"] / squares["sum_sq"].sum()
    found = variance_shares(values, AXES[:3])
    for row in found.fillna({"other": ""}).itertuples():
        term = f"C({row.axis})" + (f":C({row.other})" if row.other else "")
        assert row.first_order == pytest.approx(squares[term], rel=1e-10)
    # all that the model leaves is the interaction of the three
    assert 1 - found["first_order"].sum() == pytest.approx(squares["Residual"], rel=1e-10)


@pytest.mark.parametrize("axes", [1, 2, 3, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_shares_are_those_of_the_definition(axes, weighted):
    values = VALUES[(slice(None),) * axes + (0,) * (4 - axes)]
    rng = np.random.default_rng(axes)
    weights = [rng.uniform(0.5, 3, n) if weighted else np.ones(n) for n in values.shape]
    by_name = dict(zip(AXES, weights, strict=False)) if weighted else None
    found = variance_shares(values, AXES[:axes], by_name)
    assert_alike(found, by_definition(values, AXES[:axes], weights))


def test_a_level_counts_as_often_as_it_weighs():
    times = {"b": np.array([1, 3]), "c": np.array([2, 1, 1, 5])}
    repeated = VALUES.repeat(times["b"], axis=1).repeat(times["c"], axis=2)
    assert_alike(variance_shares(VALUES, AXES, times), variance_shares(repeated, AXES))


def test_of_a_sum_nothing_is_interaction_and_of_a_product_all_is():
    x, y = np.array([-1.0, 1.0]), np.array([-2.0, 0.0, 2.0])
    of_sum = variance_shares(x[:, None] + y, "xy")
    assert of_sum["first_order"].to_numpy() == pytest.approx([3 / 11, 8 / 11, 0.0], abs=1e-15)
    assert of_sum["total"].to_numpy() == pytest.approx([3 / 11, 8 / 11, 0.0], abs=1e-15)
    of_product = variance_shares(x[:, None] * y, "xy")
    assert of_product["first_order"].to_numpy() == pytest.approx([0.0, 0.0, 1.0], abs=1e-15)
    assert of_product["total"].to_numpy() == pytest.approx([1.0, 1.0, 1.0], abs=1e-15)


@given(
    arrays(float, (2, 3, 2), elements=st.integers(-50, 50).map(float)),
    st.floats(1e-6, 1e6),
    st.floats(-1e3, 1e3),
)
def test_unit_and_origin_change_nothing(values, unit, origin):
    found = variance_shares(values, AXES[:3])
    moved = variance_shares(values * unit + origin * unit, AXES[:3])
    if np.ptp(values) == 0:
        assert found["total"].isna().all() and found["first_order"].isna().all()
        return
    for column in ("first_order", "total"):
        np.testing.assert_allclose(found[column], moved[column], atol=1e-9)
    assert (found["first_order"] <= found["total"] + 1e-12).all()
    assert found["first_order"].sum() <= 1 + 1e-12
    assert found.loc[found["other"].isna(), "total"].sum() >= 1 - 1e-12


def test_an_axis_of_one_level_explains_nothing():
    found = variance_shares(VALUES[:, :1], AXES)
    its = (found["axis"] == "b") | (found["other"] == "b")
    assert its.sum() == 4
    assert found.loc[its, ["first_order", "total"]].to_numpy() == pytest.approx(0.0, abs=1e-15)


def test_equal_values_have_no_shares():
    found = variance_shares(np.full((2, 3), 0.1), "ab")
    assert found[["first_order", "total"]].isna().to_numpy().all()


@pytest.mark.parametrize(
    ("values", "axes", "weights", "said"),
    [
        (np.ones((2, 2)), ["a"], None, "one axis of another name for each dimension"),
        (np.ones((2, 2)), ["a", "a"], None, "one axis of another name for each dimension"),
        (np.ones((2, 0)), ["a", "b"], None, "a level of each"),
        (np.array([[1.0, np.nan]]), ["a", "b"], None, "1 of 2 combinations have no finite value"),
        (np.ones((2, 2)), ["judge", "cut"], {"cuts": [1, 1]}, "did you mean 'cut'"),
        (np.ones((2, 2)), ["a", "b"], {"a": [1, 0]}, "weights of 'a': one above 0"),
        (np.ones((2, 2)), ["a", "b"], {"b": [1, 1, 1]}, "each of 2 levels"),
    ],
)
def test_what_has_no_shares_is_refused(values, axes, weights, said):
    with pytest.raises(ParameterError, match=said):
        variance_shares(values, axes, weights)
