"""κ beside statsmodels; Φ by its properties and by scipy's fit of the same likelihood."""

import numpy as np
import pytest
from scipy import special, stats
from scipy.optimize import minimize
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as fleiss_of_statsmodels

from regrade.errors import ParameterError
from regrade.power.agreement import digamma, fleiss_kappa, phi, trigamma, weighted_kappa


def drawn(seed=0, documents=40, assessors=5, grades=4, noise=1.0):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, grades, (documents, 1))
    values = np.rint(true + noise * rng.standard_normal((documents, assessors)))
    return np.clip(values, 0, grades - 1)


@pytest.mark.parametrize("noise", [0.0, 0.5, 3.0])
def test_fleiss_kappa_is_that_of_statsmodels(noise):
    values = drawn(noise=noise)
    counts, _ = aggregate_raters(values.astype(int))
    assert fleiss_kappa(values) == pytest.approx(fleiss_of_statsmodels(counts))


def test_fleiss_kappa_leaves_out_documents_with_one_value():
    values = drawn()
    single = np.full((1, 5), np.nan)
    single[0, 0] = 3
    assert fleiss_kappa(np.vstack([values, single])) == fleiss_kappa(values)
    assert np.isnan(fleiss_kappa(single))
    assert np.isnan(fleiss_kappa(np.ones((4, 3))))


def test_weighted_kappa_is_the_mean_of_statsmodels_over_pairs():
    values = drawn(assessors=4)
    values[:5, 0] = np.nan
    found = []
    for a in range(4):
        for b in range(a):
            both = ~np.isnan(values[:, [a, b]]).any(axis=1)
            table = np.zeros((4, 4))
            np.add.at(table, tuple(values[both][:, [a, b]].astype(int).T), 1)
            found.append(cohens_kappa(table, wt="linear").kappa)
    assert weighted_kappa(values) == pytest.approx(np.mean(found))


def test_weighted_kappa_of_assessors_who_share_nothing_is_undefined():
    assert np.isnan(weighted_kappa(np.array([[1.0, np.nan], [np.nan, 2.0]])))
    assert np.isnan(weighted_kappa(np.ones((3, 2))))
    assert np.isnan(weighted_kappa(np.arange(3.0)[:, None]))


@pytest.mark.parametrize("x", [1e-4, 0.3, 1.0, 7.9, 8.0, 500.0])
def test_derivatives_of_the_gamma_function_are_those_of_scipy(x):
    assert digamma(x) == pytest.approx(special.digamma(x), rel=1e-11)
    assert trigamma(x) == pytest.approx(special.polygamma(1, x), rel=1e-11)


def plain_phi(values):
    """The same likelihood given to a general optimiser."""
    m = values.shape[1]
    x = (values * (m - 1) + 0.5) / m

    def loss(theta):
        p, mu = np.exp(theta[0]), 1 / (1 + np.exp(-theta[1:, None]))
        return -stats.beta.logpdf(x, mu * p, (1 - mu) * p).sum()

    best = minimize(loss, np.zeros(len(x) + 1), method="BFGS", options={"gtol": 1e-7}).x
    return 1 - 2 * 2 ** (-np.exp(best[0]) / 2)


@pytest.mark.parametrize("precision", [0.7, 2.0, 6.0])
def test_phi_is_the_highest_likelihood(precision):
    values = np.random.default_rng(1).beta(precision / 2, precision / 2, (6, 8))
    assert phi(values, 0, 1) == pytest.approx(plain_phi(values), abs=1e-4)


def test_phi_of_agreement_chance_and_opposition():
    rng = np.random.default_rng(2)
    assert phi(np.repeat(rng.integers(0, 5, (20, 1)), 9, axis=1).astype(float), 0, 4) > 0.99
    # a mean for each document, and values put into (0, 1), take less and less as values grow
    chance = [phi(rng.uniform(0, 100, (20, m)), 0, 100) for m in (10, 100, 10_000)]
    assert chance[0] > chance[1] > chance[2] == pytest.approx(0, abs=0.01)
    ends = np.tile([0.0, 1.0], (20, 10))
    assert phi(ends, 0, 1) < -0.4
    # more assessors at the ends: nearer to -1
    assert phi(np.tile([0.0, 1.0], (20, 200)), 0, 1) < phi(ends, 0, 1)


def test_phi_recovers_a_precision_and_knows_no_order():
    rng = np.random.default_rng(3)
    mu = rng.uniform(0.2, 0.8, (300, 1))
    values = rng.beta(mu * 5, (1 - mu) * 5, (300, 1000))
    found = phi(values, 0, 1)
    assert found == pytest.approx(1 - 2 * 2 ** (-5 / 2), abs=0.01)
    assert phi(rng.permuted(values, axis=1), 0, 1) == pytest.approx(found, abs=1e-6)
    assert phi(1 - values, 0, 1) == pytest.approx(found, abs=1e-6)
    assert phi(values * 50 + 3, 3, 53) == pytest.approx(found, abs=1e-6)


def test_phi_rises_with_agreement():
    found = [phi(drawn(noise=noise, documents=200), 0, 3) for noise in (3.0, 1.0, 0.5, 0.2)]
    assert found == sorted(found)


def test_phi_leaves_out_single_values_and_checks_the_scale():
    values = drawn(documents=5)
    single = np.full((1, 5), np.nan)
    single[0, 0] = 3
    assert phi(np.vstack([values, single]), 0, 3) == pytest.approx(phi(values, 0, 3), abs=1e-9)
    assert np.isnan(phi(single, 0, 3))
    with pytest.raises(ParameterError, match="scale"):
        phi(values, 0, 2)
