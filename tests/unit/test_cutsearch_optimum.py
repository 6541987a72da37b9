"""Best cuts by dynamic programming beside every cut."""

from itertools import combinations

import numpy as np
import pytest

from regrade.agreement import alpha, coincidences
from regrade.cutsearch.objectives import criterion_codes, of_cuts
from regrade.cutsearch.optimum import (
    SUMS,
    best_cut,
    best_internal_cut,
    even_alphas,
    padded,
)
from regrade.errors import ParameterError


def below_of(counts):
    return np.concatenate([np.zeros((1, counts.shape[1]), dtype=np.int64), counts.cumsum(axis=0)])


def every_cut(thresholds, levels):
    return np.array(list(combinations(range(thresholds), levels - 1)), dtype=np.int64)


def random_counts(rng, thresholds, others, documents):
    """Documents whose values rise with the reference's levels."""
    reference = rng.integers(others, size=documents)
    code = reference * thresholds / max(others - 1, 1) + rng.normal(0, thresholds / 4, documents)
    code = np.clip(code.round(), 0, thresholds).astype(int)
    counts = np.zeros((thresholds + 1, others), dtype=np.int64)
    np.add.at(counts, (code, reference), 1)
    return counts


def enumerated(counts, levels, name):
    """The criterion of every cut."""
    cuts = every_cut(len(counts) - 1, levels)
    if name == "alpha_interval":
        return cuts, even_alphas(cuts, below_of(counts))
    [values] = of_cuts(cuts, below_of(padded(counts, levels)), criterion_codes([name]))
    return cuts, values


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("levels", [2, 3, 4, 5])
@pytest.mark.parametrize("documents", [1, 2, 5, 40])
def test_the_optimum_is_the_best_of_all_cuts(name, levels, documents):
    rng = np.random.default_rng([levels, documents, len(name)])
    for trial in range(12):
        others = levels if trial % 2 else 2
        counts = random_counts(rng, 9, others, documents)
        cuts, values = enumerated(counts, levels, name)
        found = best_cut(counts, levels, name)
        if np.isnan(values).all():
            assert found is None
        else:
            assert found.value == pytest.approx(np.nanmax(values), abs=1e-12)
            [at] = np.flatnonzero((cuts == found.places).all(axis=1))
            assert values[at] == pytest.approx(found.value, abs=1e-12)


def even_alpha(counts, cut):
    return even_alphas(np.array([cut]), np.vstack([0 * counts[:1], counts.cumsum(axis=0)]))[0]


@pytest.mark.parametrize("others", [2, 3, 6])
def test_interval_optimum_with_a_finer_or_coarser_reference(others):
    rng = np.random.default_rng(others)
    for levels in (2, 3, 4, 5, 7):
        counts = random_counts(rng, 10, others, 25)
        _, values = enumerated(counts, levels, "alpha_interval")
        found = best_cut(counts, levels, "alpha_interval")
        assert found.value == pytest.approx(np.nanmax(values), abs=1e-12)
        assert even_alpha(counts, found.places) == pytest.approx(found.value, abs=1e-12)


def test_even_alpha_is_alpha_of_numbers():
    rng = np.random.default_rng(1)
    counts = random_counts(rng, 8, 3, 20)
    code, reference = np.repeat(np.indices(counts.shape).reshape(2, -1), counts.ravel(), axis=1)
    for cut in every_cut(8, 5)[::7]:
        own = (code[:, None] > cut).sum(axis=1) / 4
        expected = alpha(np.array([own, reference / 2]), "interval")
        assert even_alpha(counts, cut) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("levels", [2, 3, 4, 5])
def test_internal_optimum_is_the_best_of_all_cuts(levels):
    rng = np.random.default_rng(levels)
    for _ in range(8):
        quality = rng.random(6)
        ratings = np.clip(np.round(9 * quality + rng.normal(0, 1.5, (4, 6))), 0, 9)
        ratings[rng.random((4, 6)) < 0.2] = np.nan
        counts = np.zeros((6, 10), dtype=np.int64)
        for worker, d in np.argwhere(~np.isnan(ratings)):
            counts[d, int(ratings[worker, d])] += 1
        counts = counts[counts.sum(axis=1) >= 2]
        values = []
        for cut in every_cut(9, levels):
            cut_ratings = (ratings[..., None] > cut).sum(axis=-1).astype(float)
            values.append(alpha(np.where(np.isnan(ratings), np.nan, cut_ratings), "nominal"))
        found = best_internal_cut(coincidences(counts), counts.sum(axis=0), levels)
        assert found.value == pytest.approx(np.nanmax(values), abs=1e-12)


def test_all_documents_alike():
    counts = np.zeros((6, 3), dtype=np.int64)
    counts[2, 0] = 4  # one value, one level: a cut may put them on another level
    for name in SUMS:
        _, values = enumerated(counts, 3, name)
        found = best_cut(counts, 3, name)
        assert (found is None) == np.isnan(values).all()
        if found:
            assert found.value == pytest.approx(np.nanmax(values), abs=1e-12)


def test_no_document():
    assert all(best_cut(np.zeros((6, 3), dtype=int), 3, name) is None for name in SUMS)


def test_what_cannot_be_found_is_refused():
    counts = np.ones((6, 3), dtype=int)
    with pytest.raises(ParameterError, match="alpha_ordinal is not a ratio of sums"):
        best_cut(counts, 3, "alpha_ordinal")
    with pytest.raises(ParameterError, match="reference has 3 levels and the target scale 2"):
        best_cut(counts, 2, "kappa")
    with pytest.raises(ParameterError, match="cannot be cut into 7 levels"):
        best_cut(counts, 7, "kappa")
