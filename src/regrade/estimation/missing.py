"""What labels that are missing may do, if the odds that one is missing depend on its grade.

Of documents that are alike (topic, models' values, ranks, probability to be chosen) the odds that
the label is missing are at most Γ times as high at one grade as at another.  So a missing label has
a grade with a probability ∝ p · w: p is what labels of documents that are alike teach, and w lies
between 1 and Γ (the marginal sensitivity model: Rosenbaum, Observational Studies, 2002, ch. 4;
Aronow and Lee, Biometrika 100, 2013; Zhao, Small and Bhattacharya, JRSS B 81, 2019).  With Γ = 1
labels are missing at random; with an infinite Γ any label may be the missing one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from regrade.errors import ParameterError


def check_odds_ratio(odds_ratio: float | None) -> float:
    """Γ, infinite where none is stated; refuse one below 1."""
    if odds_ratio is None:
        return np.inf
    if not odds_ratio >= 1:
        raise ParameterError(
            f"odds ratio: {odds_ratio:g} is below 1: 1 means labels missing at random, 2 "
            "means odds of a missing label up to twice as high at one grade as at another"
        )
    return float(odds_ratio)


def tilted_ends(values: np.ndarray, weights: np.ndarray, odds_ratio: float) -> np.ndarray:
    """(2, K) the lowest and the highest mean Σ w b v / Σ w b of any w between 1 and Γ.

    Parameters
    ----------
    values
        (L, K) v of each level.
    weights
        (L,) b, at least 0.
    odds_ratio
        Γ.  An infinite one leaves the lowest and the highest of the values.

    Notes
    -----
    The mean is highest where w is Γ for all values from one of them on, and 1 below: as a function
    of each single w it rises or falls throughout.
    """
    if np.isinf(odds_ratio) or not weights.sum() > 0:
        return np.array([values.min(axis=0), values.max(axis=0)])
    order = np.argsort(values, axis=0, kind="stable")
    v, b = np.take_along_axis(values, order, axis=0), weights[order]
    ends = []
    for of, least in ((slice(None), np.min), (slice(None, None, -1), np.max)):
        more = (odds_ratio - 1) * np.cumsum(b[of], axis=0)
        sums = (b * v).sum(axis=0) + (odds_ratio - 1) * np.cumsum((b * v)[of], axis=0)
        ends.append(least(sums / (b.sum(axis=0) + more), axis=0))
    return np.array(ends)


def tilted_shares(shares: np.ndarray, gains: np.ndarray, odds_ratio: float) -> np.ndarray:
    """(2, L) the probabilities of levels that have the lowest and the highest mean gain."""
    L, ends = len(gains), []
    for sign in (-1.0, 1.0):
        w = np.empty((L, L))
        # Γ from each level on, in the order of gains
        w[:, np.argsort(sign * gains, kind="stable")] = np.where(np.tri(L).T, odds_ratio, 1.0)
        q = w * shares / (w @ shares)[:, None]
        ends.append(q[np.argmax(sign * q @ gains)])
    return np.array(ends)


@dataclass(frozen=True, eq=False)
class MissingLabels:
    """What missing labels do to K values.

    Attributes
    ----------
    moves
        Of each label (L, K): by how much each level moves the values, beside what is expected.
    weights
        Of each (L,) how much levels count in what is expected; their weighted mean of moves is 0.
    shares
        Of each (L,) probability of levels.
    gains
        (L,) of levels.
    odds_ratio
        Γ.
    """

    moves: Sequence[np.ndarray]
    weights: Sequence[np.ndarray]
    shares: Sequence[np.ndarray]
    gains: np.ndarray
    odds_ratio: float

    def reach(
        self, of: Callable[[np.ndarray], np.ndarray], odds_ratio: float | None = None
    ) -> np.ndarray | float:
        """(K', 2) how far below and above all of them may move what `of` makes of moves."""
        gamma = self.odds_ratio if odds_ratio is None else odds_ratio
        ends = (
            tilted_ends(of(moves), weights, gamma)
            for moves, weights in zip(self.moves, self.weights, strict=True)
        )
        return sum((np.maximum(one * [[-1], [1]], 0.0).T for one in ends), 0.0)

    def covariance(self) -> np.ndarray | float:
        """(K, K) of what is left open of their grades; 0 where any grade is counted as possible."""
        total = 0.0
        if np.isinf(self.odds_ratio):
            return total
        for moves, shares in zip(self.moves, self.shares, strict=True):
            ends = tilted_shares(shares, self.gains, self.odds_ratio)
            centred = [moves - q @ moves for q in ends]
            spread = [(q @ off**2).sum() for q, off in zip(ends, centred, strict=True)]
            larger = int(np.argmax(spread))
            total = total + (centred[larger].T * ends[larger]) @ centred[larger]
        return total
