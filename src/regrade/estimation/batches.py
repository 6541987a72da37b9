"""What one label stands for, where documents were chosen in one batch or in several.

With one batch a label counts 1/π times.  A later batch is chosen from the documents that were not
chosen before, with probabilities that may depend on all earlier labels.  Batch k alone then gives
an estimate without bias, given those before it: labelled documents count once, those that it chose
1/π_k times.  Their mean with weights that no label decides has none either, and as each has an
error of mean 0 given those before, the errors do not correlate (a martingale): variances add up.

Each document has its own such weights: those that have the least variance if later batches were
chosen as the first was.  If they were, every label counts 1/π times, π = 1 − Π (1 − π_k) being the
probability to be chosen at all (Thompson, Sampling, 3rd edition, 2012, ch. 24, for the mean of
estimates of the stages of an adaptive design).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Counting:
    """How much labels count, of N documents.

    Attributes
    ----------
    inclusion
        (N,) the probability to be chosen at all; in later batches, if those are chosen as the
        first.
    more
        (N,) by how much more than once the label of a document that is chosen counts; −1 of others.
    spread
        (N,) the variance of that.
    seen
        (N,) what estimates the variance where the document is chosen.
    """

    inclusion: np.ndarray
    more: np.ndarray
    spread: np.ndarray
    seen: np.ndarray

    @classmethod
    def once(cls, inclusion: np.ndarray, chosen: np.ndarray) -> Counting:
        """Of one batch."""
        return cls.of(inclusion[None], np.where(chosen, 1, 0), np.ones(1))

    @classmethod
    def of(cls, inclusion: np.ndarray, batch: np.ndarray, sizes: np.ndarray) -> Counting:
        """Of several batches."""
        planned = _as_the_first(inclusion[0], sizes)
        missed = np.cumprod(1 - planned, axis=0)
        # shares that add up to 1, inverse to what each batch alone varies: π_k over the
        # probability to be in no batch up to it; all falls to the first that is sure
        with np.errstate(divide="ignore", invalid="ignore"):
            inverse = planned / missed
            weights = inverse / inverse.sum(axis=0)
        sure = (planned >= 1).any(axis=0)
        first_sure = np.argmax(planned[:, sure] >= 1, axis=0)
        weights[:, sure] = np.arange(len(planned))[:, None] == first_sure
        offered = ~np.isnan(inclusion)
        pi = np.where(offered, inclusion, 1.0)
        k, column = np.maximum(batch, 1) - 1, np.arange(len(batch))
        own, own_pi = weights[k, column], pi[k, column]
        so_far = np.cumsum(weights, axis=0)[k, column]
        return cls(
            1 - missed[-1],
            np.where(batch > 0, own / own_pi - so_far, -1.0),
            (weights**2 * (1 - pi) / pi).sum(axis=0),
            np.where(batch > 0, own**2 * (1 - own_pi) / own_pi**2, 0.0),
        )


def _as_the_first(first: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """(K, N) probabilities of batches of such sizes, if later ones are proportional to the first.

    Those of a later batch, at most 1, add up to its size over the documents that are expected not
    to be chosen before it.
    """
    planned = [first]
    left = 1 - first
    for size in sizes[1:]:
        low, high = 0.0, 1 / first.min()
        for _ in range(60):
            middle = (low + high) / 2
            expected = left @ np.minimum(middle * first, 1.0)
            low, high = (middle, high) if expected < size else (low, middle)
        planned.append(np.minimum(high * first, 1.0))
        left = left * (1 - planned[-1])
    return np.array(planned)
