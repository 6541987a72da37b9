"""Krippendorff's α against the worked examples of yang2019 and the `krippendorff` package."""

import warnings

import krippendorff
import numpy as np
import pytest

from regrade.agreement import alpha
from regrade.errors import ParameterError

N, R, H = 0, 1, 2
TABLE_2_10 = np.array([[R, N, H, R], [R, N, R, H], [H, N, H, R]], float)

LEFT, RIGHT, TIE = 0, 1, 2
TABLE_2_12 = np.array(
    [
        [LEFT, RIGHT, TIE, RIGHT, RIGHT, LEFT],
        [LEFT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT],
        [LEFT, TIE, LEFT, RIGHT, RIGHT, LEFT],
    ],
    float,
)


@pytest.mark.parametrize(
    ("ratings", "published"),
    [
        (TABLE_2_10, 0.298),
        (TABLE_2_12, 0.353),
        (np.where(TABLE_2_12 == TIE, np.nan, TABLE_2_12), 0.500),
    ],
    ids=["Table 2.10", "Table 2.12 with ties", "Table 2.12 with ties unknown"],
)
def test_worked_examples_of_yang2019(ratings, published):
    assert round(alpha(ratings, "nominal"), 3) == published


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("seed", range(40))
def test_matches_the_krippendorff_package(metric, seed):
    rng = np.random.default_rng(seed)
    ratings = rng.integers(0, rng.integers(2, 6), size=(rng.integers(2, 7), 12)).astype(float)
    ratings[rng.random(ratings.shape) < 0.3] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = krippendorff.alpha(ratings, level_of_measurement=metric)
    assert alpha(ratings, metric) == pytest.approx(expected, abs=1e-12)


def test_undefined_where_all_values_are_equal():
    assert np.isnan(alpha(np.array([[1, 1, np.nan], [1, 1, 2]])))


def test_unknown_metric_is_refused():
    with pytest.raises(ParameterError, match="unknown metric 'ratio'"):
        alpha(TABLE_2_10, "ratio")
