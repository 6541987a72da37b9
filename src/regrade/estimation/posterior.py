"""What labels leave open: shares of levels, and draws of every document's level."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, log_expit

from regrade.estimation import chains
from regrade.estimation.chains import NODES
from regrade.estimation.frame import Frame
from regrade.estimation.functionals import Guess, TopicLists
from regrade.estimation.grades import GradeModel
from regrade.estimation.kernels import draw_levels, said_of_topic


class Posterior:
    """What is known of a frame's grades after some labels.

    Parameters
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

    def __init__(
        self,
        frame: Frame,
        X: np.ndarray,
        model: GradeModel,
        chosen: np.ndarray,
        levels: np.ndarray,
        draws: int,
        rng: np.random.Generator,
    ):
        self.frame, self.X, self.model = frame, X, model
        self.chosen, self.levels = chosen, levels
        self.draws, self.rng = draws, rng
        # how coefficients are off in each draw, for all topics alike
        self.off = [one @ rng.standard_normal((X.shape[1], draws)) for one in model.scatter]

    def topic(self, t: int) -> Guess:
        """What is known of one topic."""
        rows = self.frame.rows(t)
        of_topic = slice(*np.searchsorted(self.chosen, (rows.start, rows.stop)))
        labelled, levels = self.chosen[of_topic] - rows.start, self.levels[of_topic]
        shares = self._shares(rows, labelled, levels)
        draws, weights, drawn = self._drawn(rows, labelled, levels)
        lists = TopicLists(self.frame.ranks[:, rows], self.frame.rankings(t))
        return Guess(lists, labelled, levels, shares, draws, weights, drawn)

    def _shares(self, rows: slice, labelled: np.ndarray, levels: np.ndarray) -> np.ndarray:
        """(n, L) by Bayes' rule over the topic's z; of a labelled document without its label."""
        model = self.model
        logits = model.logits[rows][:, :, None] + model.tau[:, None] * NODES
        passes, said = expit(logits), self._said(logits[labelled], levels)
        total = said.sum(axis=0)
        reached = chains.reached(passes, *chains.posterior(total[None], model.rho, NODES))
        if len(labelled):
            without = chains.posterior(total - said, model.rho, NODES)
            reached[labelled] = chains.reached(passes[labelled], *without)
        return level_shares(reached)

    def _said(self, logits: np.ndarray, levels: np.ndarray) -> np.ndarray:
        """(m, L − 1, …) log probability of each label, by step."""
        steps = np.arange(len(self.model.tau))
        sign = np.where(levels[:, None] > steps, 1.0, -1.0)[:, :, None]
        reached = (levels[:, None] >= steps)[:, :, None]
        return np.where(reached, log_expit(sign * logits), 0.0)

    def _drawn(
        self, rows: slice, labelled: np.ndarray, levels: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Levels in each draw, and of labelled documents the draws' weights and shares."""
        n, B, L1 = rows.stop - rows.start, self.draws, len(self.model.tau)
        off = np.stack([self.X[rows] @ one for one in self.off], axis=1)
        logits = self.model.logits[rows][:, :, None] + off
        strata = (np.arange(B) + self.rng.random((L1, 1))) / B
        strata = self.rng.permuted(strata, axis=1)
        said = said_of_topic(logits[labelled], levels, self.model.tau, NODES)
        places = chains.draw(*chains.posterior(said, self.model.rho, NODES), strata)
        logits += self.model.tau[:, None] * NODES[places]
        drawn = draw_levels(logits, self.rng.random((n, B)))
        drawn[labelled] = levels[:, None]
        # a draw counts for a labelled document as if its label had not been known
        likelihood = self._said(logits[labelled], levels).sum(axis=1)
        lowest = likelihood.min(axis=1, keepdims=True)
        weights = np.exp(lowest - likelihood)
        weights /= weights.sum(axis=1, keepdims=True)
        shares = level_shares(np.cumprod(expit(logits[labelled]), axis=1))
        return drawn, weights, shares


def level_shares(reached: np.ndarray) -> np.ndarray:
    """(n, L, …) probability of each level, from (n, L − 1, …) of reaching each above the first."""
    ends = np.ones_like(reached[:, :1])
    return -np.diff(np.concatenate([ends, reached, 0 * ends], axis=1), axis=1)


def _normalised(logs: np.ndarray) -> np.ndarray:
    shares = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return shares / shares.sum(axis=-1, keepdims=True)
