"""What labels leave open: shares of levels, and draws of every document's level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit

from regrade.estimation.chains import NODES, Chain
from regrade.estimation.frame import Frame
from regrade.estimation.functionals import Guess
from regrade.estimation.grades import GradeModel
from regrade.estimation.kernels import topic_log_likelihood


@dataclass(eq=False)
class GradePosterior:
    """What is known of a frame's grades after some labels.

    Attributes
    ----------
    frame
        The documents.
    X
        (N, P) their features.
    model
        What was learned from the labels.
    chosen, levels
        (m,) int64 labelled rows, ascending, and their levels.
    draws
        B.
    rng
        Of the draws.
    """

    frame: Frame
    X: np.ndarray
    model: GradeModel
    chosen: np.ndarray
    levels: np.ndarray
    draws: int
    rng: np.random.Generator

    def __post_init__(self):
        """Draw how coefficients are off, for all topics alike."""
        self.chain = Chain.of(self.model.rho)
        shape = self.X.shape[1], self.draws
        self.off = [of_step @ self.rng.standard_normal(shape) for of_step in self.model.scatter]

    def topic(self, t: int) -> Guess:
        """What is known of one topic."""
        rows = self.frame.rows(t)
        of_topic = slice(*np.searchsorted(self.chosen, (rows.start, rows.stop)))
        labelled, levels = self.chosen[of_topic] - rows.start, self.levels[of_topic]
        shares = self._shares(rows, labelled, levels)
        draws, weights, drawn = self._drawn(rows, labelled, levels)
        lists = self.frame.by_topic[t]
        return Guess(lists, labelled, levels, shares, draws, weights, drawn)

    def _shares(self, rows: slice, labelled: np.ndarray, levels: np.ndarray) -> np.ndarray:
        """(n, L) by Bayes' rule over the topic's z; of a labelled document without its label."""
        model = self.model
        logits = model.logits[rows][:, :, None] + model.tau[:, None] * NODES
        passes, log_likelihoods = expit(logits), self._log_likelihoods(logits[labelled], levels)
        total = log_likelihoods.sum(axis=0)
        reached = self.chain.reached(passes, self.chain.after(total[None]))
        if len(labelled):
            without = self.chain.after(total - log_likelihoods)
            reached[labelled] = self.chain.reached(passes[labelled], without)
        return level_shares(reached)

    def _log_likelihoods(self, logits: np.ndarray, levels: np.ndarray) -> np.ndarray:
        """(m, L − 1, …) log probability of each label, by step."""
        steps = np.arange(len(self.model.tau))
        sign = np.where(levels[:, None] > steps, 1.0, -1.0)[:, :, None]
        reached = (levels[:, None] >= steps)[:, :, None]
        return np.where(reached, log_expit(sign * logits), 0.0)

    def _drawn(
        self, rows: slice, labelled: np.ndarray, levels: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Levels in each draw, and of labelled documents the draws' weights and shares."""
        X, B, L1, model = self.X[rows], self.draws, len(self.model.tau), self.model
        logits = [
            own[:, None] + X @ off for own, off in zip(model.logits[rows].T, self.off, strict=True)
        ]
        strata = (np.arange(B) + self.rng.random((L1, 1))) / B
        strata = self.rng.permuted(strata, axis=1)
        of_labelled = np.stack([own[labelled] for own in logits], axis=1)
        log_likelihood = topic_log_likelihood(of_labelled, levels, model.tau, NODES)
        nodes = self.chain.draw(self.chain.after(log_likelihood), strata)
        of_topic = model.tau[:, None] * NODES[nodes]
        for of_step, added in zip(logits, of_topic, strict=True):
            of_step += added
        drawn = drawn_levels(logits, self.rng.random((len(X), B)))
        drawn[labelled] = levels[:, None]
        of_labelled += of_topic
        # a draw counts for a labelled document as if its label had not been known
        likelihood = self._log_likelihoods(of_labelled, levels).sum(axis=1)
        lowest = likelihood.min(axis=1, keepdims=True)
        weights = np.exp(lowest - likelihood)
        weights /= weights.sum(axis=1, keepdims=True)
        shares = level_shares(np.cumprod(expit(of_labelled), axis=1))
        return drawn, weights, shares


def level_shares(reached: np.ndarray) -> np.ndarray:
    """(n, L, …) probability of each level, from (n, L − 1, …) of reaching each above the first."""
    ends = np.ones_like(reached[:, :1])
    # no -0.0 where none is between
    return 0.0 - np.diff(np.concatenate([ends, reached, 0 * ends], axis=1), axis=1)


def drawn_levels(logits: Sequence[np.ndarray], uniform: np.ndarray) -> np.ndarray:
    """(n, B) int8 levels: the highest that each draw reaches."""
    levels, reached = np.zeros(uniform.shape, np.int8), np.ones(uniform.shape)
    for of_step in logits:
        reached /= 1 + np.exp(-of_step)
        levels += uniform < reached
    return levels
