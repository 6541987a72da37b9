"""How much of the variance of a full array each of its axes explains: the functional ANOVA.

With independent axes, level ℓ of axis i having weight wᵢ(ℓ), an array f splits into parts f_S, one
for each set S of axes, that are orthogonal: Var f = Σ_S V_S.  Nothing is sampled or fitted.

    first order of i    Vᵢ / V: what is explained by knowing i alone
    total of i          Σ_{S ∋ i} V_S / V: what is left unexplained by knowing all but i
    first order of i, j V_ij / V: their interaction alone, beyond both of them
    total of i, j       Σ_{S ⊇ {i, j}} V_S / V: all interactions that both are in

First orders of all axes and pairs add up to what interactions of three axes or more leave.

References
----------
I. M. Sobol', Global sensitivity indices for nonlinear mathematical models, Mathematics and
Computers in Simulation 55 (2001); R. Liu and A. B. Owen, Estimating mean dimensionality of analysis
of variance decompositions, JASA 101 (2006), for the totals of pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from regrade.errors import ParameterError, did_you_mean

COLUMNS = ("axis", "other", "first_order", "total")


def variance_shares(
    values: np.ndarray, axes: Sequence[str], weights: Mapping[str, np.ndarray] | None = None
) -> pd.DataFrame:
    """Shares of the variance of an array that its axes explain, alone and two by two."""
    values = np.asarray(values, dtype=float)
    _check(values, axes)
    own = _normalised(values.shape, axes, weights or {})
    scale = np.ptp(values)
    # in units of the range, squares neither vanish nor overflow
    f = (values - values.min()) / (scale or 1.0)
    every = range(f.ndim)
    variance = _mean((f - _mean(f, own)) ** 2, own) if scale else np.nan
    rows = []
    for some in [*combinations(every, 1), *combinations(every, 2)]:
        marginal = f
        for axis in set(every) - set(some):
            marginal = _averaged(marginal, own, axis)
        first_order, total = (_mean(_apart(of, own, some) ** 2, own) for of in (marginal, f))
        other = axes[some[1]] if len(some) > 1 else None
        rows.append((axes[some[0]], other, first_order / variance, total / variance))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _check(values: np.ndarray, axes: Sequence[str]) -> None:
    if len(axes) != values.ndim or len(set(axes)) != len(axes) or not values.size:
        raise ParameterError(
            f"an array of shape {values.shape} has one axis of another name for each dimension, "
            f"and a level of each; given: {', '.join(axes) or 'none'}"
        )
    if not np.isfinite(values).all():
        raise ParameterError(
            f"{np.count_nonzero(~np.isfinite(values)):,} of {values.size:,} combinations have no "
            "finite value: shares of variance are of a full array; leave out the levels that lack "
            "some"
        )


def _normalised(
    shape: tuple[int, ...], axes: Sequence[str], weights: Mapping[str, np.ndarray]
) -> list[np.ndarray]:
    """Each axis's weights, adding up to 1 along its own dimension."""
    if unknown := sorted(set(weights) - set(axes)):
        raise ParameterError(f"weights of {unknown[0]!r}{did_you_mean(unknown[0], axes)}")
    normalised = []
    for place, (name, levels) in enumerate(zip(axes, shape, strict=True)):
        own = np.asarray(weights.get(name, np.ones(levels)), dtype=float)
        if own.shape != (levels,) or not (np.isfinite(own) & (own > 0)).all():
            raise ParameterError(f"weights of {name!r}: one above 0 for each of {levels} levels")
        along = [1] * len(shape)
        along[place] = levels
        normalised.append((own / own.sum()).reshape(along))
    return normalised


def _averaged(f: np.ndarray, own: Sequence[np.ndarray], axis: int) -> np.ndarray:
    """Its mean along an axis, whose dimension stays, of length 1."""
    return (f * own[axis]).sum(axis=axis, keepdims=True)


def _mean(f: np.ndarray, own: Sequence[np.ndarray]) -> float:
    """Its mean over all axes that it still has."""
    for axis, length in enumerate(f.shape):
        f = _averaged(f, own, axis) if length > 1 else f
    return float(f.item())


def _apart(f: np.ndarray, own: Sequence[np.ndarray], some: Sequence[int]) -> np.ndarray:
    """What is left of it without its means along each of some axes."""
    for axis in some:
        f = f - _averaged(f, own, axis)
    return f
