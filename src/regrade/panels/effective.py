"""How many independent judges a panel is worth: moments of the judges' errors, topic by topic.

An error is a judge's value less what is expected of it (`KINDS`).  With Σ the covariance of the
errors of J judges, the effective number of judges is that of independent judges of the same mean
variance whose average has the error variance of this panel's average,

    n_eff = (tr Σ / J) / (1ᵀ Σ 1 / J²),

which is J where errors are uncorrelated, 1 where judges are copies, and J / (1 + (J − 1) ρ) where
all variances and correlations are the same (Kish's design effect of a cluster).  Topics are the
sample and count equally; the bias, the mean of the errors, is no part of Σ.

References
----------
Kish, Survey Sampling, 1965, §5.4; Clemen and Winkler, Limits for the precision and value of
information from dependent sources, Operations Research 33(2), 1985.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from regrade.kendall import TOLERANCE

KINDS = ("grade", "document", "topic", "score", "system", "family")
"""Kinds of error: of a label given the people's grade (less the judge's mean label of that grade),
of a label (less the people's), of a topic's mean label, of a system's score on a topic (less the
topic's mean over systems), of a system's mean score, of a family's favour on a topic (its mean
error of scores less that of the other systems).  The first two are within topics.

Labels less people's are correlated even of judges that are independent given the grade: all of them
rate the lowest grade too high and the highest too low, as scales end there."""


@dataclass(frozen=True, eq=False)
class ErrorCovariance:
    """Σ of one kind of error, and Σ without each topic.

    Attributes
    ----------
    kind
        One of `KINDS`.
    value
        (J, J) float64.
    without
        (T, J, J) float64: without each topic in turn.
    """

    kind: str
    value: np.ndarray
    without: np.ndarray

    def of(self, judges: np.ndarray) -> ErrorCovariance:
        """Σ of some judges, by their places."""
        some = np.ix_(judges, judges)
        return ErrorCovariance(self.kind, self.value[some], self.without[:, some[0], some[1]])


@dataclass(frozen=True, eq=False)
class LabelErrors:
    """Moments of label errors of J judges on T topics.

    Attributes
    ----------
    means
        (T, J) mean error of a topic's documents.
    within
        (T, J, J) covariance of the errors of a topic's documents.
    sampling
        (T, J, J) variance of `means` over samples of the documents with human labels; 0 where
        people labelled all documents.
    """

    means: np.ndarray
    within: np.ndarray
    sampling: np.ndarray

    @classmethod
    def of(
        cls,
        errors: np.ndarray,
        topic: np.ndarray,
        inclusion: np.ndarray | None = None,
        documents: np.ndarray | None = None,
    ) -> LabelErrors:
        """From (J, D) errors on the D documents that people labelled, each of a topic.

        Parameters
        ----------
        errors
            (J, D) float64: a judge's value less people's.
        topic
            (D,) int: the topic's place, 0 to T − 1.
        inclusion
            (D,) probability to be labelled by people, independently; ``None``: all are labelled.
        documents
            (T,) documents of each topic, labelled by people or not; ``None``: as many as labelled.
        """
        judges = len(errors)
        topics = int(topic.max()) + 1 if documents is None else len(documents)
        means, within = np.zeros((topics, judges)), np.zeros((topics, judges, judges))
        sampling = np.zeros_like(within)
        order = np.argsort(topic, kind="stable")
        ends = np.cumsum(np.bincount(topic, minlength=topics))
        for t, some in enumerate(np.split(order, ends[:-1])):
            own = errors[:, some]
            weight = np.ones(len(some)) if inclusion is None else 1 / inclusion[some]
            n = len(weight) if documents is None else documents[t]
            total = own @ weight
            means[t] = total / n
            if n > 1:
                # all ordered pairs of documents, each by the inverse of its probability: π π'
                squares = (own * weight) @ own.T
                within[t] = (weight.sum() * squares - np.outer(total, total)) / (n * (n - 1))
            if inclusion is not None:
                sampling[t] = (own * (weight * (weight - 1))) @ own.T / n**2
        return cls(means, within, sampling)

    @property
    def covariances(self) -> list[ErrorCovariance]:
        """Of documents, and of topics (from two topics on, else undefined)."""
        return [mean_covariance("document", self.within), self._of_topics()]

    def _of_topics(self) -> ErrorCovariance:
        """Of topics' means over topics, less what the sampling of documents adds."""
        whole = covariance_of_means(self.means, self.means)
        n = np.float64(len(self.means))
        sampled = self.sampling.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            value = whole.value - sampled / n
            without = whole.without - (sampled - self.sampling) / (n - 1)
        return ErrorCovariance("topic", value, without)


def symmetric(products: np.ndarray) -> np.ndarray:
    """The mean of (…, J, J) products and their transposes."""
    return (products + products.swapaxes(-1, -2)) / 2


def covariance_of_means(means: np.ndarray, others: np.ndarray) -> ErrorCovariance:
    """Over topics, of two (T, J) mean errors of the same judges, beside one or two people."""
    n = np.float64(len(means))  # of one or two topics, undefined
    away, other = means - means.mean(axis=0), others - others.mean(axis=0)
    products = symmetric(np.einsum("tj,tk->tjk", away, other))
    sums = products.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        without = (sums - n / (n - 1) * products) / (n - 2)
        return ErrorCovariance("topic", sums / (n - 1), without)


def mean_covariance(kind: str, by_topic: np.ndarray) -> ErrorCovariance:
    """The mean over topics of (T, J, J) covariances."""
    n = np.float64(len(by_topic))
    with np.errstate(invalid="ignore", divide="ignore"):
        without = (by_topic.sum(axis=0) - by_topic) / (n - 1)
    return ErrorCovariance(kind, by_topic.mean(axis=0), without)


def score_covariances(
    errors: np.ndarray, others: np.ndarray | None = None, families: np.ndarray | None = None
) -> list[ErrorCovariance]:
    """Of scores on a topic, of systems' mean scores and of families' favours on a topic.

    An error that all systems of a topic share does not change their order, and is left out.  The
    errors of a mean score are those that all topics share: products of two different topics are
    free of what a topic adds by itself.

    Parameters
    ----------
    errors
        (J, T, S) errors of scores.
    others
        The same beside another person, for products of both; ``None``: `errors`.
    families
        (F, S) contrasts of families (`regrade.favours.effects.contrasts`), which count equally.
    """
    judges, n_topics, systems = errors.shape
    topics = np.float64(n_topics)
    if systems < 2:
        nothing = np.full((judges, judges), np.nan)
        empty = np.full((n_topics, judges, judges), np.nan)
        return [ErrorCovariance(kind, nothing, empty) for kind in ("score", "system")]
    away = _beside_mean(errors)
    other = away if others is None else _beside_mean(others)
    products = symmetric(away @ other.transpose(0, 2, 1)) / (systems - 1)
    total, other_total, squares = away.sum(axis=0), other.sum(axis=0), products.sum(axis=0)
    rest, other_rest = total - away, other_total - other
    with np.errstate(invalid="ignore", divide="ignore"):
        value = (symmetric(total @ other_total.T) / (systems - 1) - squares) / (
            topics * (topics - 1)
        )
        without = symmetric(rest @ other_rest.transpose(0, 2, 1)) / (systems - 1)
        without = (without - (squares - products)) / ((topics - 1) * (topics - 2))
    covariances = [mean_covariance("score", products), ErrorCovariance("system", value, without)]
    if families is not None:
        favours = (away @ families.T) @ (other @ families.T).transpose(0, 2, 1) / len(families)
        covariances.append(mean_covariance("family", symmetric(favours)))
    return covariances


def _beside_mean(errors: np.ndarray) -> np.ndarray:
    """(T, J, S) errors less their mean over systems."""
    return np.moveaxis(errors - errors.mean(axis=2, keepdims=True), 1, 0)


def mean_variance(covariance: np.ndarray) -> np.ndarray:
    """tr Σ / J of (…, J, J)."""
    return np.trace(covariance, axis1=-2, axis2=-1) / covariance.shape[-1]


def panel_variance(covariance: np.ndarray) -> np.ndarray:
    """1ᵀ Σ 1 / J² of (…, J, J): the variance of the average's error."""
    return covariance.mean(axis=(-2, -1))


def effective_number(covariance: np.ndarray) -> np.ndarray:
    """n_eff of (…, J, J); NaN where judges or their average have no error variance above 0.

    An estimated Σ may be indefinite: variances may be below 0, and n_eff below 1.
    """
    mean, panel = mean_variance(covariance), panel_variance(covariance)
    known = (mean > 0) & (panel > TOLERANCE * np.maximum(mean, TOLERANCE))
    return np.divide(mean, panel, where=known, out=np.full(np.shape(mean), np.nan))


def effective_by_size(covariance: np.ndarray) -> np.ndarray:
    """(J,) n_eff of random panels of 1 to J judges: mean variance over mean panel variance.

    Exact, without drawing panels: the mean of 1ᵀ Σ 1 / k² over all panels of k judges is
    v / k + (1 − 1 / k) c of the mean variance v and the mean covariance c of two judges.
    """
    judges = len(covariance)
    v = float(mean_variance(covariance))
    c = (judges * float(panel_variance(covariance)) - v) / max(judges - 1, 1)
    k = np.arange(1, judges + 1)
    panel = v / k + (1 - 1 / k) * c
    return np.divide(v, panel, where=panel > TOLERANCE * v, out=np.full(judges, np.nan))


def correlations(covariance: np.ndarray) -> np.ndarray:
    """(J, J) correlations of errors; NaN where a judge's errors do not vary."""
    variance = np.diag(covariance)
    scale = np.sqrt(np.where(variance > TOLERANCE, variance, np.nan))
    return np.clip(covariance / np.outer(scale, scale), -1.0, 1.0)


def mean_correlation(covariance: np.ndarray) -> float:
    """The mean correlation of two judges' errors; NaN of one judge."""
    values = correlations(covariance)[np.triu_indices(len(covariance), 1)]
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else np.nan


def clustered_order(correlation: np.ndarray) -> np.ndarray:
    """Places of judges so that those of like errors are neighbours.

    Leaves of the tree of average linkage on 1 − ρ, in the order with the closest neighbours;
    judges without correlations come last.
    """
    known = np.flatnonzero(~np.isnan(np.diag(correlation)))
    rest = np.setdiff1d(np.arange(len(correlation)), known)
    if len(known) > 2:
        away = 1 - correlation[np.ix_(known, known)]
        away = np.maximum((away + away.T) / 2, 0.0)
        np.fill_diagonal(away, 0.0)
        tree = linkage(squareform(away, checks=False), "average", optimal_ordering=True)
        known = known[leaves_list(tree)]
    return np.concatenate([known, rest]).astype(np.int64)
