"""Variances of systems, items, repeats and data sets against those that R's lme4 publishes."""

import numpy as np
import pytest

from regrade.ranking.reliability import components
from regrade.ranking.repeats import Components, repeat_variance
from tests.reference.lme4 import (
    DYESTUFF,
    DYESTUFF_DEVIATIONS,
    PASTES,
    PASTES_DEVIATIONS,
    PENICILLIN,
    PENICILLIN_DEVIATIONS,
)

PRINTED = 1e-4
"""Relative rounding of standard deviations of four or five digits."""


def test_systems_and_items_are_the_samples_and_plates_of_penicillin():
    variances = components(PENICILLIN)
    facets = {"sample": "s", "plate": "t", "residual": "st"}
    for name, facet in facets.items():
        deviation = np.sqrt(variances[frozenset(facet)])
        assert deviation == pytest.approx(PENICILLIN_DEVIATIONS[name], rel=PRINTED)


def test_repeats_are_the_preparations_of_dyestuff():
    repeats = repeat_variance(DYESTUFF[:, None, :], None)
    assert repeats.count.tolist() == [5] * 6
    residual = (repeats.between - repeats.within).mean()
    assert np.sqrt(residual) == pytest.approx(DYESTUFF_DEVIATIONS["residual"], rel=PRINTED)
    of_systems = DYESTUFF.mean(axis=1).var(ddof=1) - repeats.of_means.mean()
    assert np.sqrt(of_systems) == pytest.approx(DYESTUFF_DEVIATIONS["batch"], rel=PRINTED)


def test_all_components_of_penicillin_stay_where_each_plate_is_read_twice():
    # a repeat that changes nothing has no variance, and takes none from the others
    twice = np.stack([PENICILLIN, PENICILLIN], axis=2)
    own = Components.of(components(twice.mean(axis=2)), repeat_variance(twice, None))
    assert (own.repeats, own.repeats_items) == (0, 0)
    assert np.sqrt(own.systems) == pytest.approx(PENICILLIN_DEVIATIONS["sample"], rel=PRINTED)
    assert np.sqrt(own.items) == pytest.approx(PENICILLIN_DEVIATIONS["plate"], rel=PRINTED)


def test_tests_are_repeats_and_casks_systems_in_pastes():
    casks = PASTES.reshape(30, 1, 2)
    repeats = repeat_variance(casks, None)
    residual = np.sqrt((repeats.between - repeats.within).mean())
    assert residual == pytest.approx(PASTES_DEVIATIONS["residual"], rel=PRINTED)
    means = PASTES.mean(axis=2)
    within = means.var(axis=1, ddof=1).mean()
    cask = np.sqrt(within - repeats.of_means.mean())
    assert cask == pytest.approx(PASTES_DEVIATIONS["cask"], rel=PRINTED)


def test_data_sets_as_a_sample_have_the_error_of_batches_in_pastes():
    # the standard error of the intercept, from lme4's variances
    of = {name: deviation**2 for name, deviation in PASTES_DEVIATIONS.items()}
    error = np.sqrt(of["batch"] / 10 + of["cask"] / 30 + of["residual"] / 60)
    means = PASTES.mean(axis=(1, 2))
    assert means.std(ddof=1) / np.sqrt(10) == pytest.approx(error, rel=PRINTED)
