"""What a topic adds to each step of the scale: a chain of standard normal z, one per step.

z of a step, given that of the step before, is normal with mean ρ times it and variance 1 − ρ²; all
are on a grid, where what labels say of them adds up exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from regrade.estimation.kernels import topic_log_likelihood

NODES = np.linspace(-3.5, 3.5, 21)
"""The grid."""

RHOS = np.array([0.0, 0.2, 0.4, 0.6, 0.8])
"""Correlations that are compared."""

LIKELY_RHO = 0.4
"""The one that labels have to speak against."""

_SPREAD = 0.4
"""How far the correlation may be off that before any label."""


@dataclass(frozen=True, eq=False)
class Chain:
    """A topic's z before any label.

    Attributes
    ----------
    prior
        (K,) probabilities on the grid, of the first step.
    move
        (K, K) from z of a step (rows) to that of the next.
    """

    prior: np.ndarray
    move: np.ndarray

    @classmethod
    def of(cls, rho: float, nodes: np.ndarray = NODES) -> Chain:
        """With a correlation from step to step, on a grid."""
        move = np.exp(-((nodes - rho * nodes[:, None]) ** 2) / (2 * (1 - rho**2)))
        return cls(prior(nodes), move / move.sum(axis=1, keepdims=True))

    def after(self, log_likelihood: np.ndarray) -> np.ndarray:
        """What the labels of each step, and of all later ones, say of the step's z."""
        likelihood = np.exp(log_likelihood - log_likelihood.max(axis=2, keepdims=True))
        for step in range(log_likelihood.shape[1] - 1, 0, -1):
            earlier = likelihood[:, step] @ self.move.T
            likelihood[:, step - 1] *= earlier / earlier.max(axis=1, keepdims=True)
        return likelihood

    def log_evidence(self, log_likelihood: np.ndarray) -> float:
        """The log probability of labels, z being integrated out, summed over n chains."""
        highest = log_likelihood.max(axis=2)
        likely = np.exp(log_likelihood - highest[:, :, None])
        state = self.prior * likely[:, 0]
        for step in range(1, log_likelihood.shape[1]):
            state = (state @ self.move) * likely[:, step]
        return float(highest.sum() + np.log(state.sum(axis=1)).sum())

    def reached(self, passes: np.ndarray, after: np.ndarray) -> np.ndarray:
        """(n, L − 1) probability of reaching each level above the first."""
        probability = np.empty(passes.shape[:2])
        state = self.prior * after[:, 0]
        state = state / state.sum(axis=1, keepdims=True) * passes[:, 0]
        probability[:, 0] = state.sum(axis=1)
        for step in range(1, passes.shape[1]):
            own = after[:, step]
            state = (state / (own @ self.move.T)) @ self.move * own * passes[:, step]
            probability[:, step] = state.sum(axis=1)
        return probability

    def draw(self, after: np.ndarray, uniform: np.ndarray) -> np.ndarray:
        """(L − 1, n) places on the grid, one chain of each."""
        places, shares = np.empty(uniform.shape, np.int64), self.prior
        for step, own in enumerate(uniform):
            sums = np.cumsum(shares * after[:, step], axis=1)
            above = (own * sums[:, -1])[:, None] > sums
            places[step] = np.minimum(above.sum(axis=1), len(self.prior) - 1)
            shares = self.move[places[step]]
        return places


def prior(nodes: np.ndarray) -> np.ndarray:
    """(K,) probabilities of a standard normal variable on a grid."""
    weights = np.exp(-(nodes**2) / 2)
    return weights / weights.sum()


def likely_correlation(
    logits: np.ndarray, topic: np.ndarray, levels: np.ndarray, tau: np.ndarray
) -> float:
    """The ρ that labels speak for most."""
    if len(tau) == 1:
        return 0.0
    bounds = np.flatnonzero(np.diff(topic, prepend=-1, append=-1))
    topics = [(logits[a:b, :, None], levels[a:b]) for a, b in pairwise(bounds)]
    log_likelihood = np.concatenate([topic_log_likelihood(*own, tau, NODES) for own in topics])
    against = ((RHOS - LIKELY_RHO) / _SPREAD) ** 2 / 2
    posterior = [Chain.of(rho).log_evidence(log_likelihood) for rho in RHOS] - against
    return float(RHOS[np.argmax(posterior)])
