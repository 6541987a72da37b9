"""The user models behind measures: weights of ranks, and who goes on to the next one.

A measure that is a weighted mean of gains, M = Σ W(i)·g(i), is also a model of a user who reads
down a ranking and at each rank goes on with probability C(i) (yang2019 §2.3.2, after Moffat, Thomas
and Scholer).
"""

from __future__ import annotations

import numpy as np

from regrade.errors import ParameterError
from regrade.measures import MEASURES, Measure, parse


def weights(
    measure: str | Measure,
    n: int,
    gains: np.ndarray | None = None,
    n_relevant: float | None = None,
) -> np.ndarray:
    """The weight W(i) of each rank i, where a measure is Σ W(i)·gain(i).

    References
    ----------
    yang2019 §2.3.2.
    """
    measure = parse(measure)
    ranking = _ranking(measure, n, gains, n_relevant)
    return measure.weights(*ranking)[:n]


def continuation(
    measure: str | Measure,
    n: int,
    gains: np.ndarray | None = None,
    n_relevant: float | None = None,
) -> np.ndarray:
    """The probability C(i) that a user who is at rank i goes on to rank i + 1.

    C(i) = W(i+1) / W(i), with 0 / 0 = 0 (yang2019 Equation 2.15).  Parameters, errors and the
    shape of what is returned are those of `weights`.
    """
    measure = parse(measure)
    ranking = _ranking(measure, n + 1, gains, n_relevant)
    if measure.definition.continuation is not None:
        return measure.continuations(*ranking)[:n]
    w = measure.weights(*ranking)
    return np.divide(w[1:], w[:-1], out=np.zeros(len(w) - 1), where=w[:-1] > 0)[:n]


def _ranking(
    measure: Measure, n: int, gains: np.ndarray | None, n_relevant: float | None
) -> tuple[np.ndarray, np.ndarray, float]:
    """Ranks, gains and R, as far as rank n at least."""
    definition = measure.definition
    if definition.weights is None:
        known = ", ".join(d.name for d in MEASURES.values() if d.weights is not None)
        raise ParameterError(f"{measure} gives no weights to ranks; those that do are {known}")
    if definition.adaptive and gains is None:
        raise ParameterError(f"{measure}: its weights depend on the ranking: give its gains")
    known_gains = np.asarray(() if gains is None else gains, dtype=np.float64)
    if not ((known_gains >= 0) & (known_gains <= 1)).all():
        raise ParameterError(f"{measure}: gains are to be from 0 to 1: divide by the highest")
    padded = np.append(known_gains, np.zeros(max(n - len(known_gains), 0)))
    R = np.count_nonzero(known_gains) if n_relevant is None else n_relevant
    return np.arange(1.0, len(padded) + 1), padded, R
