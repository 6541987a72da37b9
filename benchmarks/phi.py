"""The φ nearest to a measure: `regrade.uncertainty.residuals` beside numpy and scipy, φ by φ."""

from __future__ import annotations

import numpy as np
from scipy.stats import kendalltau

from benchmarks.inputs import deep_systems, grades_of, rankings
from benchmarks.measuring import Measured, Settings, timed
from regrade.scoring import score
from regrade.uncertainty.residuals import PHI_GRID, nearest_phi, rbp_curves

TOLERANCE = 1e-12
MEASURES = ("AP", "nDCG")


def ours(settings: Settings, *coefficients: str) -> Measured:
    """Per topic and over all topics, RBP's scores included."""
    ranked, judged = rankings(settings)
    systems = deep_systems(settings)
    scores = score(ranked, judged, MEASURES)

    def work(phis):
        curves = rbp_curves(ranked, judged, phis, MEASURES, systems=systems)
        return nearest_phi(curves, scores, coefficients=coefficients)

    work(PHI_GRID[:1])
    spans, table = timed(lambda: work(PHI_GRID), settings.repeats)
    return Measured(spans, table[["correlation", "phi_lowest"]].to_numpy())


def peer(settings: Settings, *_coefficients: str) -> Measured:
    """The same by τ_b, with all gains in one array, so that a product of matrices scores RBP."""
    ranked, judged = rankings(settings)
    scores = score(ranked, judged, MEASURES)
    rows = np.flatnonzero(np.isin(ranked.systems, deep_systems(settings)))
    values = scores.values[rows]
    grades = grades_of(ranked, judged)
    gains = np.zeros((*values.shape[:2], int(np.diff(ranked.offsets).max())))
    for s, t in np.ndindex(values.shape[:2]):
        own = np.nan_to_num(grades(rows[s], t))
        gains[s, t, : len(own)] = own
    powers = np.arange(gains.shape[2])

    def work() -> np.ndarray:
        wanted = _with_mean(values)
        tau = np.empty((*wanted.shape[:0:-1], len(PHI_GRID)))  # measures, topics, φ
        for p, phi in enumerate(PHI_GRID):
            rbp = _with_mean(gains @ ((1 - phi) * phi**powers))
            for m, t in np.ndindex(tau.shape[:2]):
                tau[m, t, p] = kendalltau(wanted[:, t, m], rbp[:, t]).statistic
        nearest = (tau >= tau.max(axis=2, keepdims=True) - TOLERANCE).argmax(axis=2)
        return np.stack([tau.max(axis=2), np.array(PHI_GRID)[nearest]], axis=2).reshape(-1, 2)

    spans, found = timed(work, 1)
    return Measured(spans, found, note="all φ and topics")


def _with_mean(by_topic: np.ndarray) -> np.ndarray:
    """(systems, topics + 1, …): the mean as one more topic, as ranks; near scores are tied.

    Rounding would part some of those that differ by less than the tolerance.
    """
    scores = np.concatenate([by_topic, by_topic.mean(axis=1, keepdims=True)], axis=1)
    order = scores.argsort(axis=0)
    rises = np.diff(np.take_along_axis(scores, order, axis=0), axis=0) > TOLERANCE
    ranks = np.zeros(scores.shape, dtype=int)
    np.put_along_axis(ranks, order[1:], rises.cumsum(axis=0), axis=0)
    return ranks
