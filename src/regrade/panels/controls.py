"""Covariances of judges' errors that are free of people's errors.

A judge's label less a person's has the person's error, which all judges share: it makes judges look
alike.  Let the truth of a document be the mean label of all people who might judge it, and let two
people h1 (the reference) and h2 (a further person) label independently of each other.  Then the
product of two judges' errors, one beside each person,

    Σ_jk = mean of ½ [(j − h1)(k − h2) + (k − h1)(j − h2)],

has no person's error in its mean, on the diagonal or off it: it is the covariance of the judges'
errors about that truth.  So it is for scores of systems, whose truth is the mean score under people.

Of errors given the grade, what is subtracted is a function g_j of a person's grade.  The mean label
given the person's grade would not do, as that is not the mean given the true grade.  g_j solves

    E[j − g_j(h1) | h2] = 0 at each grade of h2,

and likewise with h1 and h2 exchanged.  If people and judges are independent given a true grade, and
h2 tells these grades apart on average, g_j(h1) has the mean of j given the true grade, and products
across people have the mean Cov(j, k | true grade) for any confusion of grades by people.  With
h2 = h1, g_j is the mean label of a grade.

Several further people count alike: a topic has the mean of their moments.

References
----------
Fuller, Measurement Error Models, 1987, §1.2 and §1.4 (repeated measures as instruments); Miao, Geng
and Tchetgen Tchetgen, Identifying causal effects with proxy variables of an unmeasured confounder,
Biometrika 105(4), 2018 (functions g of a discrete proxy).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regrade.panels.effective import (
    ErrorCovariance,
    covariance_of_means,
    mean_covariance,
    symmetric,
)
from regrade.panels.errors import PanelLabels

CONDITION = 1e8
"""Condition of the joint shares of two people's grades from which on g is undefined."""


@dataclass(frozen=True, eq=False)
class SharedMoments:
    """Moments of J judges' labels and of two people's L grades each, as indicators.

    Attributes
    ----------
    judges, levels
        J and L.
    means
        (T, J + 2 L) means over the topic's documents.
    within
        (T, J + 2 L, J + 2 L) covariances over the topic's documents.
    squares
        The same, sums of products, the number of documents being the topic's.
    """

    judges: int
    levels: int
    means: np.ndarray
    within: np.ndarray
    squares: np.ndarray

    @classmethod
    def of(cls, labels: PanelLabels) -> SharedMoments:
        """Of the topics that further people labelled; each has the mean over these people."""
        grades = np.arange(labels.levels)[:, None]
        of_reference = np.vstack([labels.values, labels.people == grades])
        rows = []
        for t in np.unique(labels.topic[controlled(labels)]):
            some = labels.topic == t
            known = [own[some] for own in labels.controls if not np.isnan(own[some]).any()]
            own = [np.vstack([of_reference[:, some], person == grades]) for person in known]
            parts = [
                (x.mean(axis=1), np.cov(x) if some.sum() > 1 else 0 * x @ x.T, x @ x.T) for x in own
            ]
            rows.append([np.mean(part, axis=0) for part in zip(*parts, strict=True)])
        columns = (np.stack(column) for column in zip(*rows, strict=True))
        return cls(len(labels.values), labels.levels, *columns)

    def beside(self, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(J, J + 2 L) coefficients of errors, of (J, L) labels subtracted for a grade."""
        own, nothing = np.eye(self.judges), np.zeros((self.judges, self.levels))
        return np.hstack([own, -first, nothing]), np.hstack([own, nothing, -second])

    def _product(self, within: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        one, other = self.beside(first, second)
        return symmetric(one @ within @ other.T)

    def _given_grade(self, within: np.ndarray, squares: np.ndarray) -> np.ndarray:
        """Σ given the truth, of mean covariances and summed products."""
        j, levels = self.judges, self.levels
        first, second = slice(j, j + levels), slice(j + levels, None)
        joint = squares[first, second]
        one = expected_labels(joint, squares[:j, second])
        other = expected_labels(joint.T, squares[:j, first])
        return self._product(within, one, other)

    @property
    def covariances(self) -> list[ErrorCovariance]:
        """Of labels given the grade, of labels, and of topics' mean labels."""
        within, squares = self.within.sum(axis=0), self.squares.sum(axis=0)
        n = np.float64(len(self.within))
        with np.errstate(invalid="ignore", divide="ignore"):
            without = [
                self._given_grade((within - own) / (n - 1), squares - product)
                for own, product in zip(self.within, self.squares, strict=True)
            ]
        given = self._given_grade(within / n, squares)
        levels = np.tile(np.arange(float(self.levels)), (self.judges, 1))
        one, other = self.beside(levels, levels)
        return [
            ErrorCovariance("grade", given, np.array(without)),
            mean_covariance("document", self._product(self.within, levels, levels)),
            covariance_of_means(self.means @ one.T, self.means @ other.T),
        ]


def controlled(labels: PanelLabels) -> np.ndarray:
    """(D,) whether a further person labelled the document."""
    return (~np.isnan(labels.controls)).any(axis=0)


def expected_labels(joint: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """(J, L) labels g_j of the grades a of one person, with the judge's mean at the other's grades.

    Solves Σ_a g_j(a) N_ab = Σ of j's labels at grade b.

    Parameters
    ----------
    joint
        (L, L) N_ab, documents by the grades of both people.
    sums
        (J, L) sums of the judges' labels by the other person's grade.

    Returns
    -------
    array of float64
        0 for grades that neither uses; NaN where one person's grades do not determine the other's.
    """
    labels = np.zeros(sums.shape)
    used = np.flatnonzero((joint.sum(axis=0) > 0) | (joint.sum(axis=1) > 0))
    own = joint[np.ix_(used, used)]
    if not (len(used) and np.linalg.cond(own) < CONDITION):
        return np.full(sums.shape, np.nan)
    labels[:, used] = np.linalg.solve(own.T, sums[:, used].T).T
    return labels
