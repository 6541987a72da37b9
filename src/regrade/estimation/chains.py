"""What a topic adds to each step of the scale: a chain of standard normal z, one per step.

z of a step, given that of the step before, is normal with mean ρ times it and variance 1 − ρ²; all
are on a grid, where what labels say of them adds up exactly.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from regrade.estimation.kernels import said_of_topic

NODES = np.linspace(-3.5, 3.5, 21)
"""The grid."""

RHOS = np.array([0.0, 0.2, 0.4, 0.6, 0.8])
"""Correlations that are compared."""

LIKELY_RHO = 0.4
"""The one that labels have to speak against."""

_SPREAD = 0.4
"""How far the correlation may be off that before any label."""


def prior(nodes: np.ndarray) -> np.ndarray:
    """(K,) log weights of a standard normal variable."""
    weights = np.exp(-(nodes**2) / 2)
    return np.log(weights / weights.sum())


def transitions(nodes: np.ndarray, rho: float) -> np.ndarray:
    """(K, K) from z of a step (rows) to that of the next."""
    weights = np.exp(-((nodes - rho * nodes[:, None]) ** 2) / (2 * (1 - rho**2)))
    return weights / weights.sum(axis=1, keepdims=True)


def posterior(said: np.ndarray, rho: float, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The chain after labels.

    Parameters
    ----------
    said
        (n, L − 1, K) log probability of labels at each z, by step.
    rho
        Correlation from step to step.
    nodes
        (K,) the grid.

    Returns
    -------
    first, steps
        (n, K) of the first step; (n, L − 2, K, K) from each step to the next.
    """
    likely = np.exp(said - said.max(axis=2, keepdims=True))
    move = transitions(nodes, rho)
    n, L1, K = said.shape
    steps = np.empty((n, L1 - 1, K, K))
    later = np.ones((n, K))
    for step in range(L1 - 1, 0, -1):
        reached = move * (likely[:, step] * later)[:, None, :]
        later = reached.sum(axis=2)
        steps[:, step - 1] = reached / later[:, :, None]
        later = later / later.max(axis=1, keepdims=True)
    first = np.exp(prior(nodes)) * likely[:, 0] * later
    return first / first.sum(axis=1, keepdims=True), steps


def log_evidence(said: np.ndarray, rho: float, nodes: np.ndarray) -> float:
    """The log probability of labels, z being integrated out, summed over n chains.

    Parameters
    ----------
    said, rho, nodes
        As for `posterior`.
    """
    highest = said.max(axis=2)
    likely = np.exp(said - highest[:, :, None])
    move = transitions(nodes, rho)
    state = np.exp(prior(nodes)) * likely[:, 0]
    for step in range(1, said.shape[1]):
        state = (state @ move) * likely[:, step]
    return float(highest.sum() + np.log(state.sum(axis=1)).sum())


def reached(passes: np.ndarray, first: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """(n, L − 1) probability of reaching each level above the first.

    Parameters
    ----------
    passes
        (n, L − 1, K) probability of each step at each z.
    first, steps
        As `posterior` makes them, of n documents or of one topic.
    """
    found = np.empty(passes.shape[:2])
    state = first * passes[:, 0]
    found[:, 0] = state.sum(axis=1)
    for step in range(1, passes.shape[1]):
        move = steps[:, step - 1]
        state = state @ move[0] if len(move) == 1 else (state[:, None, :] @ move)[:, 0]
        state = state * passes[:, step]
        found[:, step] = state.sum(axis=1)
    return found


def draw(first: np.ndarray, steps: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """(L − 1, n) places on the grid, one chain of each.

    Parameters
    ----------
    first, steps
        As `posterior` makes them.
    uniform
        (L − 1, n) numbers from 0 to 1 that decide.
    """
    n, K = first.shape
    places = np.empty(uniform.shape, np.int64)
    shares = first
    for step in range(len(uniform)):
        if step:
            shares = steps[np.arange(n), step - 1, places[step - 1]]
        above = uniform[step][:, None] > np.cumsum(shares, axis=1)
        places[step] = np.minimum(above.sum(axis=1), K - 1)
    return places


def likely_correlation(
    logits: np.ndarray, topic: np.ndarray, levels: np.ndarray, tau: np.ndarray
) -> float:
    """The ρ that labels speak for most.

    Parameters
    ----------
    logits
        (m, L − 1) of the labelled documents.
    topic, levels
        (m,) int64 codes, ascending; labels.
    tau
        (L − 1,) standard deviations of topics.
    """
    if len(tau) == 1:
        return 0.0
    bounds = np.flatnonzero(np.diff(topic, prepend=-1, append=-1))
    said = np.concatenate(
        [said_of_topic(logits[a:b, :, None], levels[a:b], tau, NODES) for a, b in pairwise(bounds)]
    )
    against = ((RHOS - LIKELY_RHO) / _SPREAD) ** 2 / 2
    found = [log_evidence(said, rho, NODES) for rho in RHOS] - against
    return float(RHOS[np.argmax(found)])
