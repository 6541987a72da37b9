"""Cholesky's factors of small matrices, within kernels.

LAPACK's threads wait for each other longer than a few hundred rows take.
"""

from __future__ import annotations

import numpy as np

from regrade.compiled import njit


@njit(cache=True, nogil=True, error_model="numpy")
def upper_factor(matrix):
    """The upper factor U, UᵀU, of a positive definite matrix, which takes its place."""
    n = len(matrix)
    for k in range(n):
        matrix[k, :k] = 0.0
        matrix[k, k] = np.sqrt(matrix[k, k])
        for j in range(k + 1, n):
            matrix[k, j] /= matrix[k, k]
        for i in range(k + 1, n):
            share = matrix[k, i]
            for j in range(i, n):  # along a row, which a processor does several at a time
                matrix[i, j] -= share * matrix[k, j]
    return matrix


@njit(cache=True, nogil=True, error_model="numpy")
def solve(factor, right):
    """The x with UᵀU x = right."""
    n = len(right)
    x = right.copy()
    for k in range(n):
        x[k] /= factor[k, k]
        for j in range(k + 1, n):
            x[j] -= factor[k, j] * x[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            x[k] -= factor[k, j] * x[j]
        x[k] /= factor[k, k]
    return x


@njit(cache=True, nogil=True, error_model="numpy")
def inverse_diagonal(factor):
    """The diagonal of the inverse of UᵀU: sums of squares of the columns of that of Uᵀ."""
    n = len(factor)
    total, row = np.zeros(n), np.zeros((n, n))
    for i in range(n):
        row[i, i] = 1.0
        for k in range(i):
            share = factor[k, i]
            for j in range(k + 1):
                row[i, j] -= share * row[k, j]
        for j in range(i + 1):
            row[i, j] /= factor[i, i]
            total[j] += row[i, j] ** 2
    return total
