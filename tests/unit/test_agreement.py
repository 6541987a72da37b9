"""Krippendorff's α against the worked examples of yang2019 and the `krippendorff` package."""

import warnings
from itertools import combinations, product

import krippendorff
import numpy as np
import pytest

from regrade.agreement import alpha, coincidences, expected_disagreement, level_scores, metric_code
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


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
def test_what_levels_are_expected_to_differ_by(metric):
    """Σ n_v n_v' δ² pair by pair; four times the ordinal one, whose scores are doubled."""
    code = metric_code(metric)
    for counts in product(range(4), repeat=4):
        expected = 0
        for v, w in combinations(range(4), 2):
            delta = {"nominal": 1, "interval": w - v}.get(metric)
            if delta is None:  # twice Σ n_g from v to w, less (n_v + n_w) / 2
                delta = 2 * sum(counts[v : w + 1]) - counts[v] - counts[w]
            expected += counts[v] * counts[w] * delta**2
        assert expected_disagreement(counts, level_scores(counts, code), code) == expected


def test_coincidences_of_documents_with_two_values_or_more():
    counts = np.array([[1, 0, 0], [2, 1, 0], [0, 0, 0], [0, 1, 1], [0, 3, 0]])
    expected = np.array([[1, 1, 0], [1, 3, 1], [0, 1, 0]])
    np.testing.assert_array_equal(coincidences(counts), expected)
    np.testing.assert_array_equal(coincidences(counts[::-1]), expected)
    np.testing.assert_array_equal(coincidences(counts[:1]), np.zeros((3, 3)))


def test_undefined_where_all_values_are_equal():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(alpha(np.array([[1, 1, np.nan], [1, 1, 2]])))


def test_unknown_metric_is_refused():
    with pytest.raises(ParameterError, match="unknown metric 'ratio'"):
        alpha(TABLE_2_10, "ratio")
