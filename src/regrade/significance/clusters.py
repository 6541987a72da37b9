"""The error of a mean over clusters of unequal size: Bell and McCaffrey's variance and freedom.

The usual cluster-robust variance of a mean over T items, C / (C − 1) Σ u_c² / T² with the sum u_c
of what the n_c items of a cluster are off the mean, is too small where some clusters are much
larger than others, and C − 1 degrees of freedom are too many: of 20 clusters with geometric sizes
its interval covers 92 %.  Bell and McCaffrey's is unbiased for independent items,

    V = Σ u_c² / (1 − p_c) / T²,   p_c = n_c / T

and its degrees of freedom are Satterthwaite's under the same model,

    1 / df = Σ p_c² + (Σ p_c² / (1 − p_c))² − Σ p_c⁴ / (1 − p_c)².

Clusters of equal size have C / (C − 1) and C − 1.

References
----------
Bell and McCaffrey, Bias reduction in standard errors for linear regression with multi-stage
samples, Survey Methodology 28(2), 2002: CR2, of the regression on a constant.  Pustejovsky and
Tipton, Small-sample methods for cluster-robust variance estimation, Journal of Business and
Economic Statistics 36(4), 2018.
"""

from __future__ import annotations

import numpy as np


def residual_factors(sizes: np.ndarray) -> np.ndarray:
    """(C,) the factors 1 / (1 − n_c / Σ n) of squared sums of residuals; NaN of one cluster."""
    if len(sizes) < 2 or (sizes == sizes[0]).all():
        return np.full(len(sizes), len(sizes) / (len(sizes) - 1) if len(sizes) > 1 else np.nan)
    return 1 / (1 - sizes / sizes.sum())


def cluster_freedom(sizes: np.ndarray) -> float:
    """The degrees of freedom of the variance of a mean over clusters of these sizes."""
    if len(sizes) < 2 or (sizes == sizes[0]).all():
        return len(sizes) - 1.0
    p = sizes / sizes.sum()
    off = p**2 * residual_factors(sizes)
    return float(1 / ((p**2).sum() + off.sum() ** 2 - (off**2).sum()))
