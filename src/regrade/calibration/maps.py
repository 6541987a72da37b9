"""Maps from a judge's values to probabilities of levels, learned from documents with both.

=================  ===============================================================================
`PRIOR`            the shares of levels, whatever the value: what is known without the judge
`ISOTONIC`         P(level ≥ l | value) never falls with the value: isotonic regression, l by l.
                   The order of the l's is kept, since y ≥ l implies y ≥ l − 1 everywhere
`ODDS`             proportional odds (McCullagh, JRSS B 42, 1980): logit P(≥ l) = β·value − c_l
`BY_TOPIC`         each step of the scale a logistic curve of the value's place, and an effect of
                   the topic on each, shrunk towards none (`regrade.estimation.grades`)
=================  ===============================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from scipy.special import expit

from regrade.estimation.chains import NODES, Chain
from regrade.estimation.grades import learn, of_values, scaled
from regrade.estimation.kernels import topic_log_likelihood
from regrade.estimation.posterior import level_shares

PRIOR, ISOTONIC, ODDS, BY_TOPIC = "prior", "isotonic", "proportional odds", "by topic"

MAPS = (PRIOR, ISOTONIC, ODDS, BY_TOPIC)

Map = Callable[[np.ndarray], np.ndarray]
"""From values (n,) to probabilities of the L levels (n, L)."""


def fit(name: str, values: np.ndarray, levels: np.ndarray, count: int) -> Map:
    """Learn a map that knows no topics."""
    if name == ISOTONIC:
        return _isotonic(values, levels, count)
    if name == ODDS and len(np.unique(levels)) > 1 and np.ptp(values) > 0:
        return _proportional_odds(values, levels, count)
    shares = np.bincount(levels, minlength=count) / len(levels)
    return lambda some: np.broadcast_to(shares, (len(some), count))


def _isotonic(values: np.ndarray, levels: np.ndarray, count: int) -> Map:
    from scipy.optimize import isotonic_regression  # slow to import

    known, place, documents = np.unique(values, return_inverse=True, return_counts=True)
    steps = [
        isotonic_regression(
            np.bincount(place, levels >= level) / documents, weights=documents.astype(float)
        ).x
        for level in range(1, count)
    ]
    return lambda some: level_shares(
        np.column_stack([np.interp(some, known, step) for step in steps])
    )


def _proportional_odds(values: np.ndarray, levels: np.ndarray, count: int) -> Map:
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    class Counted(OrderedModel):
        """Rows that stand for as many documents as have this value and level."""

        def loglike(self, params: np.ndarray) -> float:
            return float(counts @ self.loglikeobs(params))

    middle, spread = values.mean(), values.std()
    rows, counts = np.unique(np.column_stack([values, levels]), axis=0, return_counts=True)
    there, place = np.unique(rows[:, 1].astype(int), return_inverse=True)
    model = Counted(place, (rows[:, :1] - middle) / spread, distr="logit")
    fitted = model.fit(method="lbfgs", disp=0, skip_hessian=True).params

    def map_values(some: np.ndarray) -> np.ndarray:
        shares = np.zeros((len(some), count))
        shares[:, there] = model.predict(fitted, exog=((some - middle) / spread)[:, None])
        return shares

    return map_values


def shares_by_topic(
    values: np.ndarray,
    topic: np.ndarray,
    known: np.ndarray,
    levels: np.ndarray,
    count: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """(N, L) probabilities of levels, topics having effects."""
    X, chosen = scaled(of_values(values), len(values)), np.flatnonzero(known)
    model = learn(X, topic, chosen, levels[chosen], count - 1, rng)
    chain, shares = Chain.of(model.rho), np.empty((len(values), count))
    bounds = np.flatnonzero(np.diff(topic, prepend=-1, append=-1))
    for start, stop in pairwise(bounds):
        own = np.flatnonzero(known[start:stop])
        logits = model.logits[start:stop]
        graded = logits[own][:, :, None], levels[start:stop][own]
        evidence = topic_log_likelihood(*graded, model.tau, NODES)
        passes = expit(logits[:, :, None] + model.tau[:, None] * NODES)
        shares[start:stop] = level_shares(chain.reached(passes, chain.after(evidence)))
    return shares
