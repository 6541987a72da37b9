"""Models of judges, fitted by expectation maximisation without a reference.

Both take labels as classes without an order, and start from the shares of each document's labels.
A local maximum of the likelihood is all that either promises.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from regrade.label_consensus.votes import FLOOR, Ballots

ITERATIONS = 1000
TOLERANCE = 1e-6
"""The largest change of a probability in an iteration at which a fit has converged."""


@dataclass(frozen=True)
class JudgeModel:
    """A fitted model of judges.

    Attributes
    ----------
    probability : array of float64, shape (D, K)
        Probability of each class for each document; 0 for a document without labels.
    prior : array of float64, shape (K,)
        Share of each class.
    accuracy : array of float64, shape (J,)
        Probability that a judge's label is the document's class; NaN for a judge without labels.
    confusion : array of float64, shape (J, K, K)
        Probability that judge j labels a document of class k as class l, at [j, k, l].
    iterations : int
    converged : bool
    """

    probability: np.ndarray
    prior: np.ndarray
    accuracy: np.ndarray
    confusion: np.ndarray
    iterations: int
    converged: bool


def dawid_skene(
    ballots: Ballots, iterations: int = ITERATIONS, tolerance: float = TOLERANCE
) -> JudgeModel:
    """A confusion matrix per judge (Dawid & Skene, Applied Statistics 28, 1979)."""

    shape = ballots.judges, 1, len(ballots.classes)
    cell = ballots.judge * shape[2] + ballots.label
    # labels that a judge never gives stay impossible
    least = FLOOR * (np.bincount(cell, minlength=shape[0] * shape[2]) > 0).reshape(shape)

    def confusion(probability: np.ndarray) -> np.ndarray:
        counts = np.maximum(_expected_counts(ballots, probability), least)
        return counts / np.maximum(counts.sum(axis=2, keepdims=True), FLOOR)

    return _fitted(ballots, confusion, iterations, tolerance)


def one_coin(
    ballots: Ballots, iterations: int = ITERATIONS, tolerance: float = TOLERANCE
) -> JudgeModel:
    """One accuracy per judge, at least that of chance, and wrong classes equally probable.

    Without that bound a judge may be taken to invert labels, and two judges that disagree decide
    by it.
    """
    classes = len(ballots.classes)

    def confusion(probability: np.ndarray) -> np.ndarray:
        counts = _expected_counts(ballots, probability)
        correct = np.einsum("jkk->j", counts) / np.maximum(counts.sum(axis=(1, 2)), FLOOR)
        accuracy = np.clip(correct, 1 / classes, 1 - FLOOR)[:, None, None]
        wrong = (1 - accuracy) / max(classes - 1, 1)
        return np.where(np.eye(classes, dtype=bool), accuracy, wrong)

    return _fitted(ballots, confusion, iterations, tolerance)


def _fitted(
    ballots: Ballots,
    confusion_of: Callable[[np.ndarray], np.ndarray],
    iterations: int,
    tolerance: float,
) -> JudgeModel:
    shares = ballots.sums()
    number = shares.sum(axis=1, keepdims=True)
    labelled = number[:, 0] > 0
    probability = np.divide(shares, number, out=np.zeros_like(shares), where=number > 0)
    count, converged = 0, False
    while count < iterations and not converged:
        prior = probability[labelled].mean(axis=0)
        after = _probability(ballots, prior, confusion_of(probability)) * labelled[:, None]
        converged = bool(np.abs(after - probability).max(initial=0) < tolerance)
        probability, count = after, count + 1
    prior, confusion = probability[labelled].mean(axis=0), confusion_of(probability)
    right = np.bincount(
        ballots.judge, probability[ballots.document, ballots.label], minlength=ballots.judges
    )
    labels = np.bincount(ballots.judge, minlength=ballots.judges)
    accuracy = np.divide(right, labels, out=np.full(len(right), np.nan), where=labels > 0)
    return JudgeModel(probability, prior, accuracy, confusion, count, converged)


def _expected_counts(ballots: Ballots, probability: np.ndarray) -> np.ndarray:
    """Expected number of each judge's labels by class of the document and label: (J, K, K)."""
    classes = len(ballots.classes)
    cell = ballots.judge * classes + ballots.label
    of = probability[ballots.document]
    counts = [
        np.bincount(cell, of[:, k], minlength=ballots.judges * classes) for k in range(classes)
    ]
    return np.stack(counts, axis=-1).reshape(ballots.judges, classes, classes).swapaxes(1, 2)


def _probability(ballots: Ballots, prior: np.ndarray, confusion: np.ndarray) -> np.ndarray:
    """Probability of each document's class given its labels: (D, K)."""
    log_of = np.log(confusion[ballots.judge, :, ballots.label])
    log = np.log(np.maximum(prior, FLOOR)) + np.column_stack([
        np.bincount(ballots.document, log_of[:, k], minlength=ballots.documents)
        for k in range(len(prior))
    ])  # fmt: skip
    share = np.exp(log - log.max(axis=1, keepdims=True))
    return share / share.sum(axis=1, keepdims=True)
