"""Three data sets of R's package lme4 with what it prints of them: variances as a reference.

The data are those of Davies and Goldsmith, Statistical Methods in Research and Production (4th
edition, 1972), as the package has them; standard deviations are those of the examples of
`Dyestuff`, `Penicillin` and `Pastes` on its site (lme4.github.io/lme4/reference), fitted by
restricted maximum likelihood. With balanced data and no variance at 0 they are those of the
analysis of variance.
"""

import numpy as np

PENICILLIN = np.array([
    [27, 27, 25, 26, 25, 24, 24, 26, 24, 24, 26, 25,
     26, 26, 26, 25, 25, 25, 24, 26, 25, 25, 24, 24],
    [23, 23, 21, 23, 22, 22, 20, 22, 21, 21, 23, 22,
     24, 23, 23, 22, 21, 22, 21, 23, 21, 22, 21, 21],
    [26, 26, 25, 25, 26, 25, 23, 26, 24, 24, 26, 26,
     26, 26, 25, 25, 24, 24, 23, 26, 24, 25, 24, 24],
    [23, 23, 24, 23, 22, 23, 21, 24, 22, 23, 24, 24,
     24, 23, 24, 23, 23, 23, 21, 24, 22, 22, 22, 22],
    [23, 23, 24, 23, 23, 22, 22, 24, 22, 22, 24, 24,
     25, 23, 24, 23, 23, 23, 21, 24, 22, 22, 24, 21],
    [21, 21, 20, 20, 20, 19, 19, 21, 20, 19, 21, 20,
     22, 20, 22, 20, 20, 19, 19, 21, 18, 20, 19, 18],
], dtype=float)  # fmt: skip
"""Diameter by sample (6) and plate (24): lmer(diameter ~ (1|plate) + (1|sample))."""

PENICILLIN_DEVIATIONS = {"plate": 0.8467, "sample": 1.9316, "residual": 0.5499}

DYESTUFF = np.array([
    [1545, 1440, 1440, 1520, 1580],
    [1540, 1555, 1490, 1560, 1495],
    [1595, 1550, 1605, 1510, 1560],
    [1445, 1440, 1595, 1465, 1545],
    [1595, 1630, 1515, 1635, 1625],
    [1520, 1455, 1450, 1480, 1445],
], dtype=float)  # fmt: skip
"""Yield of five preparations of each of six batches: lmer(Yield ~ 1|Batch)."""

DYESTUFF_DEVIATIONS = {"batch": 42.00, "residual": 49.51}

PASTES = np.array([
    [[62.8, 62.6], [60.1, 62.3], [62.7, 63.1]],
    [[60.0, 61.4], [57.5, 56.9], [61.1, 58.9]],
    [[58.7, 57.5], [63.9, 63.1], [65.4, 63.7]],
    [[57.1, 56.4], [56.9, 58.6], [64.7, 64.5]],
    [[55.1, 55.1], [54.7, 54.2], [58.8, 57.5]],
    [[63.4, 64.9], [59.3, 58.1], [60.5, 60.0]],
    [[62.5, 62.6], [61.0, 58.7], [56.9, 57.7]],
    [[59.2, 59.4], [65.2, 66.0], [64.8, 64.1]],
    [[54.8, 54.8], [64.0, 64.0], [57.7, 56.8]],
    [[58.3, 59.3], [59.2, 59.2], [58.9, 56.6]],
])  # fmt: skip
"""Strength in two tests of each of three casks of each of ten batches: lmer(strength ~
(1|batch/cask))."""

PASTES_DEVIATIONS = {"cask": 2.9041, "batch": 1.2874, "residual": 0.8234}
