"""How many tests of preference a probability needs (chu2021 §3.4.4)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd
from scipy.special import ndtri

from regrade.errors import ParameterError
from regrade.randomness import generator

FORMULAS = ("squared", "printed")
"""Eq. 12 with the normal quantile squared, as the central limit theorem has it; as printed."""


def tests_needed(p: float, within: float, confidence: float, formula: str = "squared") -> int:
    """Tests after which the estimate of p lies within p ± `within` with that `confidence`.

        |S| = p (1 − p) / δ² · Φ⁻¹((1 + confidence) / 2)²

    The paper prints Eq. 12 without the square, which asks for too few tests (see `coverage_table`).
    """
    for name, value in (("p", p), ("within", within), ("confidence", confidence)):
        if not 0 < value < 1:
            raise ParameterError(f"{name} {value} is not between 0 and 1")
    quantile = ndtri((1 + confidence) / 2)
    if formula == "squared":
        quantile = quantile**2
    return max(1, int(np.ceil(p * (1 - p) / within**2 * quantile)))


def coverage_table(
    probabilities: Sequence[float] = (0.5, 0.7, 0.9),
    withins: Sequence[float] = (0.05, 0.1),
    confidences: Sequence[float] = (0.8, 0.95, 0.99),
    *,
    repeats: int = 100_000,
    seed: int = 1,
) -> pd.DataFrame:
    """What Eq. 12 promises, squared and as printed, and what comes of it."""
    from scipy.stats import binom  # slow to import

    rows = []
    for p, within, confidence, formula in product(probabilities, withins, confidences, FORMULAS):
        n = tests_needed(p, within, confidence, formula)
        rng = generator(seed, "tests needed", f"{p} {within} {confidence} {formula}")
        # the bounds are open, and equality up to rounding is outside
        is_inside = np.abs(np.arange(n + 1) / n - p) < within - 1e-12
        rows.append(
            {
                "p": p,
                "within": within,
                "confidence": confidence,
                "formula": formula,
                "tests": n,
                "simulated": float(is_inside[rng.binomial(n, p, repeats)].mean()),
                "exact": float(binom.pmf(np.flatnonzero(is_inside), n, p).sum()),
            }
        )
    return pd.DataFrame(rows)
