"""Votes: the median, the mean, and the label with the highest weight.

Labels are an array (J, D) of J judges and D documents, NaN where a judge has no label. No result
depends on the order of judges.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

EQUAL = 1e-9
"""Weights or probabilities that differ by less are equal; the lower label is taken."""

FLOOR = 1e-10
"""The least distance of an accuracy from 1, and the least expected count of a cell."""


@dataclass(frozen=True)
class Ballots:
    """The labels that exist, as classes.

    Attributes
    ----------
    judge, document, label : arrays of int64, shape (N,)
        Judge, document and class of each label.
    classes : array of float64, shape (K,)
        Distinct values, ascending.
    judges, documents : int
        J and D.
    """

    judge: np.ndarray
    document: np.ndarray
    label: np.ndarray
    classes: np.ndarray
    judges: int
    documents: int

    @classmethod
    def of(cls, values: np.ndarray, classes: np.ndarray | None = None) -> Ballots:
        """Of an array (J, D); `classes` contain all its values, by default exactly these."""
        judge, document = np.nonzero(~np.isnan(values))
        labels = values[judge, document]
        if classes is None:
            classes = np.unique(labels)
        return cls(judge, document, np.searchsorted(classes, labels), classes, *values.shape)

    def sums(self, weight: np.ndarray | None = None) -> np.ndarray:
        """Sum of the labels' weights (N,), or their number, by document and class: (D, K)."""
        shape = self.documents, len(self.classes)
        cell = self.document * shape[1] + self.label
        return np.bincount(cell, weight, minlength=np.prod(shape)).reshape(shape).astype(float)


def middle(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The lower and the upper median of each document's labels, NaN without labels: (D,) each."""
    ordered = np.sort(values, axis=0)  # NaN last
    number = (~np.isnan(values)).sum(axis=0)
    column = np.arange(values.shape[1])
    last = np.maximum(number - 1, 0)
    return ordered[last // 2, column], ordered[np.minimum(number // 2, last), column]


def mean(values: np.ndarray) -> np.ndarray:
    """The mean of each document's labels, NaN without labels: (D,)."""
    number = (~np.isnan(values)).sum(axis=0)
    total = np.nansum(np.sort(values, axis=0), axis=0)  # in one order, whatever that of judges
    return np.divide(total, number, out=np.full(len(number), np.nan), where=number > 0)


def highest(sums: np.ndarray, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The class with the highest sum, of equal ones the lowest, and whether several are equal.

    Parameters
    ----------
    sums : array of float64, shape (D, K)
        By document and class; a document whose sums are all 0 has no label (NaN).
    classes : array of float64, shape (K,)
    """
    most = sums.max(axis=1, keepdims=True)
    equal = sums >= most - EQUAL * np.maximum(np.abs(most), 1)
    labelled = sums.any(axis=1)
    label = np.where(labelled, classes[equal.argmax(axis=1)], np.nan)
    return label, labelled & (equal.sum(axis=1) > 1)


def vote_weight(accuracy: np.ndarray, classes: int) -> np.ndarray:
    """The weight of a judge's label, log((K − 1) p / (1 − p)), 0 if p is no better than chance.

    With independent judges that give each wrong class alike, the label of the highest weight is the
    most probable one (Nitzan & Paroush, International Economic Review 23, 1982, for two classes).
    """
    if classes < 2:
        return np.zeros_like(accuracy)
    least, most = 1 / classes, 1 - FLOOR
    bounded = np.clip(np.nan_to_num(accuracy, nan=least), least, most)
    weight = np.log((classes - 1) * bounded / (1 - bounded))
    return np.where(bounded > least, weight, 0.0)
