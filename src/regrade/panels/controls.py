"""Covariances of judges' errors that are free of people's errors.

A judge's label less a person's has the person's error, which all judges share: it makes judges look
alike.  Let the truth of a document be the mean label of all people who might judge it, and let two
people h1 (the reference) and h2 (a further person) label independently of each other.  Then the
product of two judges' errors, one beside each person,

    Σ_jk = mean of ½ [(j − h1)(k − h2) + (k − h1)(j − h2)],

has no person's error in its mean, on the diagonal or off it: it is the covariance of the judges'
errors about that truth.  Scores of systems are alike: their truth is the mean score under people.

Several further people count alike: a topic has the mean of their products.

There is no such number of errors given the grade.  The mean label given a person's grade is not
that given the true grade; functions of the grade that are right for both people solve equations of
their confusion of grades (Miao, Geng and Tchetgen Tchetgen, Biometrika 105(4), 2018), which are so
ill-conditioned that a third of simulated samples of 25 topics with noisy people had no interval.

References
----------
Fuller, Measurement Error Models, 1987, §1.4 (repeated measures as instruments).
"""

from __future__ import annotations

import numpy as np

from regrade.panels.effective import (
    ErrorCovariance,
    covariance_of_means,
    mean_covariance,
    symmetric,
)
from regrade.panels.errors import PanelLabels


def free_covariances(labels: PanelLabels) -> list[ErrorCovariance]:
    """Of labels within topics and of topics' mean labels, on the topics of further people."""
    errors, within, means, other_means = labels.values - labels.people, [], [], []
    for t in np.unique(labels.topic[controlled(labels)]):
        some = labels.topic == t
        known = labels.controls[:, some]
        person = known[~np.isnan(known).any(axis=1)].mean(axis=0)
        one, other = errors[:, some], labels.values[:, some] - person
        means.append(one.mean(axis=1))
        other_means.append(other.mean(axis=1))
        away, other_away = (own - own.mean(axis=1, keepdims=True) for own in (one, other))
        within.append(symmetric(away @ other_away.T) / max(some.sum() - 1, 1))
    of_means = covariance_of_means(np.stack(means), np.stack(other_means))
    return [mean_covariance("document", np.stack(within)), of_means]


def controlled(labels: PanelLabels) -> np.ndarray:
    """(D,) whether a further person labelled the document."""
    return (~np.isnan(labels.controls)).any(axis=0)
