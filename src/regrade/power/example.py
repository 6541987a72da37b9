"""The example of chu2021 §3.5: five images that three assessors judge in 4 and in 7 grades."""

from __future__ import annotations

import numpy as np
import pandas as pd

from regrade.agreement import alpha
from regrade.choices import POWER_MODES
from regrade.power.plackett_luce import fit_scores, ranking_entropy

_BELOW = {4: (0.50, 0.15, 0.10, 0.05), 7: (0.50, 0.20, 0.15, 0.10, 0.06, 0.03, 0.01)}
"""Grades of the scale → how probably an image is preferred to one 0, 1, … grades above it."""

LABELS = {
    4: np.array([[3, 3, 3], [2, 3, 3], [2, 2, 2], [3, 3, 3], [3, 3, 3]]),
    7: np.array([[5, 6, 5], [4, 5, 5], [3, 5, 3], [6, 6, 6], [5, 5, 4]]),
}
"""Grades of the scale → images × assessors (Figure 1)."""


def preferences(grades: int) -> np.ndarray:
    """p(row > column), the row's grade being preferred, as the paper sets it (Eqs 13 and 14)."""
    g = np.arange(grades)
    far = np.abs(np.subtract.outer(g, g))
    below = np.array(_BELOW[grades])[far]
    return np.where(np.less_equal.outer(g, g), below, 1 - below)


def example_table() -> pd.DataFrame:
    """Exact PDP of both modes, and ordinal α."""
    rows = []
    for grades, labels in LABELS.items():
        of_grades = preferences(grades)
        median = np.median(labels, axis=1).astype(int)[:, None]
        for mode, grades_of in zip(POWER_MODES, (labels, median), strict=True):
            each = [of_grades[np.ix_(order, order)] for order in grades_of.T]
            entropy = ranking_entropy(fit_scores(np.mean(each, axis=0)).scores)
            rows.append((grades, f"PDP {mode}", entropy.value))
        rows.append((grades, "alpha", alpha(labels.T)))
    return pd.DataFrame(rows, columns=["grades", "quantity", "value"])
