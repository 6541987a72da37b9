"""Noise is said to gain nothing, and what does gain is said to, so that silence means something."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from tests.coverage.noise import MOST, Noise, claimed_gains

SETS = 30

pytestmark = pytest.mark.slow


def test_few_data_sets_of_noise_are_said_to_gain():
    found = claimed_gains(Noise(topics=12, documents=20), SETS, resamples=2)
    # three Monte Carlo errors above what may be
    most = SETS * MOST + 3 * (SETS * MOST * (1 - MOST)) ** 0.5
    assert found.sets == SETS
    assert found.command <= most
    assert found.report <= most
    assert len(found.sentences) == found.report


@dataclass(frozen=True)
class _Told(Noise):
    """Values that tell the reference, by a threshold far from the middle of the scale."""

    def draw(self, rng: np.random.Generator) -> tuple[pd.DataFrame, pd.DataFrame]:
        values, reference = super().draw(rng)
        told = np.where(reference["grade"] == 1, rng.integers(15, 93, len(values)), 0)
        return values.assign(value=told + rng.integers(0, 15, len(values)) // 2), reference


def test_what_gains_is_told():
    found = claimed_gains(_Told(topics=12, documents=20), 2, resamples=2)
    assert (found.command, found.report) == (2, 2)
    assert all("held-out α over equal widths (Δα = 0." in one for one in found.sentences)
