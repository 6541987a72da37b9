"""Bell and McCaffrey's (2002) variance and degrees of freedom of a mean, by their matrices.

Of a regression y = X b + e on a constant with hat matrix H: each cluster's residuals are multiplied
by the symmetric root A_c of (I − H_cc)⁻¹, V = Σ (X'X)⁻¹ X_c' A_c e_c e_c' A_c X_c (X'X)⁻¹, and df =
tr(G'G)² / tr((G'G)²) with columns g_c = (I − H)_c' A_c X_c (X'X)⁻¹, as `clubSandwich` has it with
the identity as working model.
"""

import numpy as np


def mean_by_cluster(values, clusters):
    """Mean, standard error and degrees of freedom."""
    n = len(values)
    x, hat = np.ones((n, 1)), np.full((n, n), 1 / n)
    left = (np.eye(n) - hat) @ values
    variance, columns = 0.0, []
    for c in np.unique(clusters):
        own = np.flatnonzero(clusters == c)
        roots, vectors = np.linalg.eigh(np.eye(len(own)) - hat[np.ix_(own, own)])
        adjusted = vectors @ np.diag(roots**-0.5) @ vectors.T @ x[own] / n
        variance += float((left[own] @ adjusted)[0]) ** 2
        columns.append((np.eye(n) - hat)[own].T @ adjusted)
    product = np.hstack(columns).T @ np.hstack(columns)
    freedom = np.trace(product) ** 2 / np.trace(product @ product)
    return values.mean(), np.sqrt(variance), freedom
