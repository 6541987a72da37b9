"""Units on one scale: against plain Python, and what stays the same whatever is done."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from regrade.catalogue.arrow import SCHEMAS
from regrade.choices import MAGNITUDE_NORMALISATIONS
from regrade.errors import MethodError, ParameterError
from regrade.magnitudes.normalising import normalise, shifted
from tests.reference import magnitudes as reference
from tests.unit.magnitudes import judged
from tests.unit.magnitudes import judgments_of as table

NEARLY_EQUAL = [
    ("t0", "d0", "a", "u0", 1e9),
    ("t0", "d1", "a", "u0", 999999999.9999999),
    ("t0", "d0", "a", "u1", 1e-300),
    ("t0", "d1", "a", "u1", 1e100),
    ("t1", "d0", "a", "u0", 0.5),
    ("t1", "d0", "a", "u1", 1e9),
    ("t1", "d1", "a", "u1", 999999999.75),
]


def values(judgments):
    return judgments["value"].to_numpy()


@pytest.mark.parametrize("how", MAGNITUDE_NORMALISATIONS)
@given(rows=judged(), shift=st.sampled_from([0.0, 1.0, 0.25]))
@example(rows=NEARLY_EQUAL, shift=0.0)
@settings(max_examples=20)
def test_against_plain_python(how, rows, shift):
    judgments = table(rows)
    expected = reference.normalised(judgments.to_pylist(), how, shift)
    found = normalise(judgments, how, shift)
    np.testing.assert_allclose(values(found), expected, rtol=1e-9)
    assert found.schema.equals(SCHEMAS["judgments"])
    assert found.drop_columns("value").equals(judgments.drop_columns("value"))
    pd.testing.assert_frame_equal(
        normalise(judgments.to_pandas(), how, shift).to_pandas(), found.to_pandas()
    )


def test_by_hand():
    """Logs to base 10: 0 and 1, mean 1/2; 1 and 3, mean 2; together 5/4."""
    rows = [
        ("1", "a", "w", "u", 1.0),
        ("1", "b", "w", "u", 10.0),
        ("1", "a", "x", "u", 10.0),
        ("1", "b", "x", "u", 1000.0),
    ]
    found = np.log10(values(normalise(table(rows))))
    np.testing.assert_allclose(found, [0.75, 1.75, 0.25, 2.25])
    # σ = √(19/16), σ of the units ½ and 1
    z = np.log10(values(normalise(table(rows), "z-score")))
    np.testing.assert_allclose(z, 1.25 + math.sqrt(19) / 4 * np.array([-1, 1, -1, 1]))
    assert values(normalise(table(rows), "rank")).tolist() == [0.25, 0.75, 0.25, 0.75]


@pytest.mark.parametrize("how", MAGNITUDE_NORMALISATIONS)
@given(rows=judged(), seed=st.integers(0, 99))
@settings(max_examples=20)
def test_order_of_rows_and_names_change_no_bit(how, rows, seed):
    order = np.random.default_rng(seed).permutation(len(rows))
    judgments = table(rows)
    found = values(normalise(judgments, how))
    np.testing.assert_array_equal(values(normalise(judgments.take(order), how)), found[order])
    renamed = [(f"x{9 - int(t[1:])}", d, {"a": "z", "b": "c"}[w], u, v) for t, d, w, u, v in rows]
    np.testing.assert_array_equal(values(normalise(table(renamed), how)), found)


@given(rows=judged())
@settings(max_examples=30)
def test_ratios_in_a_unit_and_means_of_topics_stay(rows):
    before = table(rows).to_pandas()
    after = before.assign(value=values(normalise(before)))
    keys = ["topic", "worker", "unit"]
    grouped = {"observed": True, "sort": False}
    ratio = (frame.value / frame.groupby(keys, **grouped).value.transform("max")
             for frame in (before, after))  # fmt: skip
    np.testing.assert_allclose(*ratio, rtol=1e-12)
    logs = (np.log(frame.value).groupby(frame.topic, observed=True).mean()
            for frame in (before, after))  # fmt: skip
    np.testing.assert_allclose(*logs, atol=1e-9)
    # all units of a topic have the same mean
    by_unit = np.log(after.value).groupby([after[k] for k in keys], observed=True).mean()
    assert by_unit.groupby("topic", observed=True).agg(np.ptp).max() < 1e-9


@given(rows=judged(), factor=st.floats(1e-3, 1e3))
@settings(max_examples=30)
def test_a_unit_times_a_constant_moves_the_topic_only(rows, factor):
    """Every value of the topic by c^(n_u / n), where n_u of its n judgments are multiplied."""
    topic, _, worker, unit, _ = rows[0]
    mine = np.array([row[0] == topic for row in rows])
    unit = np.array([row[:1] + row[2:4] == (topic, worker, unit) for row in rows])
    scaled = [
        (*row[:4], row[4] * factor if u else row[4]) for row, u in zip(rows, unit, strict=True)
    ]
    before, after = values(normalise(table(rows))), values(normalise(table(scaled)))
    moved = factor ** (unit.sum() / mine.sum())
    np.testing.assert_allclose(after, np.where(mine, moved, 1.0) * before, rtol=1e-9)
    for how in ("z-score", "rank"):
        before, after = values(normalise(table(rows), how)), values(normalise(table(scaled), how))
        np.testing.assert_array_equal(after[~mine], before[~mine])
    # all units of all topics times the same: all values times the same
    everything = values(normalise(table([(*row[:4], row[4] * factor) for row in rows])))
    np.testing.assert_allclose(everything, factor * values(normalise(table(rows))), rtol=1e-9)


def test_equal_values_stay_equal_and_in_order():
    rng = np.random.default_rng(1)
    value = rng.choice([1.0, 1.1, 3.0, 7.0], 200)
    rows = [("1", f"{i}", "w", f"u{i % 9}", v) for i, v in enumerate(value)]
    for how in MAGNITUDE_NORMALISATIONS:
        found = values(normalise(table(rows), how))
        for unit in range(9):
            mine = np.arange(unit, 200, 9)
            np.testing.assert_array_equal(
                np.unique(value[mine], return_inverse=True)[1],
                np.unique(found[mine], return_inverse=True)[1],
            )


# edges


@pytest.mark.parametrize("how", ["geometric", "none"])
def test_one_unit_stays_as_it_is(how):
    rows = [("1", d, "w", "u", v) for d, v in zip("abc", [0.1, 7.3, 1e5], strict=True)]
    assert values(normalise(table(rows), how)).tolist() == [0.1, 7.3, 1e5]


def test_one_judgment():
    judgments = table([("1", "a", "w", "u", 3.0)])
    assert values(normalise(judgments)).tolist() == [3.0]
    assert values(normalise(judgments, "rank")).tolist() == [0.5]
    np.testing.assert_allclose(values(normalise(judgments, "z-score")), 3)


def test_a_unit_of_equal_values_gets_the_mean_of_the_topic():
    rows = [("1", d, "w", "flat", 0.1) for d in "abc"]
    rows += [("1", "a", "x", "u", 1.0), ("1", "b", "x", "u", 4.0)]
    mean = (0.1**3 * 4) ** (1 / 5)
    for how in ("geometric", "z-score"):
        np.testing.assert_allclose(values(normalise(table(rows), how))[:3], mean)
    flat = table(rows[:3])
    np.testing.assert_allclose(values(normalise(flat, "z-score")), 0.1)


def test_no_judgments():
    assert len(normalise(table([]), "none")) == len(normalise(table([]))) == 0


def test_shift():
    rows = [("1", d, "w", "u", v) for d, v in zip("abc", [0.0, 1.0, 99.0], strict=True)]
    assert values(shifted(table(rows), 1)).tolist() == [1, 2, 100]
    assert values(normalise(table(rows), "geometric", 1)).tolist() == [1, 2, 100]


@pytest.mark.parametrize("how", MAGNITUDE_NORMALISATIONS)
@pytest.mark.parametrize(
    ("value", "shift", "said"),
    [
        (0.0, 0.0, "value is 0, which is not a positive finite number: add a `shift`"),
        (-2.0, 0.5, r"value \+ shift 0.5 is -1.5, which is not a positive finite number"),
        (math.inf, 0.0, "value is inf"),
    ],
)
def test_what_is_no_magnitude_is_named(how, value, shift, said):
    rows = [("1", "a", "w", "u", 1.0), ("1", "b", "w", "u", value), ("2", "b", "x", "u", value)]
    with pytest.raises(MethodError, match=f"topic 1, document b, worker w: {said}") as error:
        normalise(table(rows), how, shift)
    assert str(error.value).endswith(" (2 such values)")


def test_judgments_without_units():
    judgments = table([("1", "a", "w", None, 2.0), ("1", "b", "w", "u", 1.0)])
    with pytest.raises(MethodError, match=r"1 of 2 judgments have no unit, .* with `unit`"):
        normalise(judgments)
    assert values(normalise(judgments, "none")).tolist() == [2, 1]


def test_unknown_normalisation():
    with pytest.raises(ParameterError, match="unknown normalisation 'geometrik'; did you mean"):
        normalise(table([]), "geometrik")


def test_what_no_double_can_hold_is_refused():
    rows = [("1", "a", "w", "u", 1e-300), ("1", "b", "w", "u", 1e300)]
    rows += [("1", "a", "x", "u", 1e300), ("1", "b", "x", "u", 1e300)] * 1
    with pytest.raises(MethodError, match="document b, worker w: its value by geometric norm"):
        normalise(table(rows))
