"""Rules of consensus over an array of judges × documents.

=================  ===============================================================================
`majority`         the label that most judges gave; of equally frequent ones the lowest
`median`           the middle label; of an even number the mean of the two middle ones
`median_low`       the middle label; of an even number the lower one of the two middle ones
`median_high`      the middle label; of an even number the higher one of the two middle ones
`mean`             the mean of the labels
`dawid-skene`      the most probable class under a confusion matrix per judge, no reference used
`weighted`         the label of the highest weight, log((K − 1) p / (1 − p)) per judge, where p is a
                   judge's accuracy: on the other topics of a reference, or, without a reference,
                   of the one-coin model
=================  ===============================================================================
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regrade.choices import CONSENSUS_RULES
from regrade.errors import ParameterError, check_choice
from regrade.label_consensus.models import JudgeModel, dawid_skene, one_coin
from regrade.label_consensus.votes import Ballots, highest, mean, middle, vote_weight
from regrade.wording import counted

FINEST = 11
"""Distinct values up to which judges are modelled or weighted, since finer scales have no
accuracy."""


@dataclass(frozen=True)
class Consensus:
    """One label per document, and what it rests on.

    Attributes
    ----------
    label : array of float64, shape (D,)
        NaN where no judge has a label.
    tied : array of bool, shape (D,)
        Whether the rule alone left several labels: equal votes, weights or probabilities, or two
        different middle labels.
    judges : array of int64, shape (D,)
        Number of judges of each document.
    classes : array of float64, shape (K,)
        Distinct values of judges (and of a reference), ascending.
    weight : array of float64, shape (J,), or None
        Weight of each judge in `weighted`; with a reference that of all its topics.
    accuracy : array of float64, shape (J,), or None
        What weights are made of; in `dawid-skene` the probability of a correct label.
    unweighted : int
        Documents none of whose judges has a weight above 0: their majority decides.
    model : JudgeModel or None
        The model, where one was fitted.
    """

    label: np.ndarray
    tied: np.ndarray
    judges: np.ndarray
    classes: np.ndarray
    weight: np.ndarray | None = None
    accuracy: np.ndarray | None = None
    unweighted: int = 0
    model: JudgeModel | None = None


def consensus(
    values: np.ndarray,
    rule: str,
    *,
    topic: np.ndarray | None = None,
    reference: np.ndarray | None = None,
) -> Consensus:
    """One label per document from those of several judges.

    Parameters
    ----------
    values : array of float64, shape (J, D)
        Labels; NaN where a judge has none.
    rule : str
        One of `regrade.choices.CONSENSUS_RULES`.
    topic : array of int64, shape (D,), optional
        Topic of each document, which `reference` needs.
    reference : array of float64, shape (D,), optional
        Labels of a reference for `weighted`, NaN where it has none. Judges are weighted in a topic
        by their accuracy on all others, so that no label rests on the reference's in its topic.

    Raises
    ------
    ParameterError
        For an unknown rule, a scale too fine to be modelled, judges to be modelled that share no
        document, a reference with another rule than `weighted`, or a reference of one topic.

    Examples
    --------
    >>> labels = np.array([[0, 1, 2], [0, 2, np.nan], [1, 1, 2]], dtype=float)
    >>> consensus(labels, "majority").label.tolist()
    [0.0, 1.0, 2.0]
    """
    check_choice("consensus", rule, CONSENSUS_RULES)
    values = np.asarray(values, dtype=float)
    if reference is not None and rule != "weighted":
        raise ParameterError(f"{rule} uses no reference: leave it out, or use weighted")
    judges = (~np.isnan(values)).sum(axis=0)
    if rule == "mean" or rule.startswith("median"):
        low, high = middle(values)
        label = {
            "mean": mean, "median": lambda _: (low + high) / 2,
            "median_low": lambda _: low, "median_high": lambda _: high,
        }[rule](values)  # fmt: skip
        tied = (low < high) if rule != "mean" else np.zeros(len(label), dtype=bool)
        return Consensus(label, tied, judges, np.unique(values[~np.isnan(values)]))
    ballots = Ballots.of(values, _classes(values, reference))
    if rule == "majority":
        return Consensus(*highest(ballots.sums(), ballots.classes), judges, ballots.classes)
    if len(ballots.classes) > FINEST:
        raise ParameterError(
            f"{rule} treats each value as a class, and there are {len(ballots.classes)}: cut the "
            f"values into levels first (at most {FINEST}), or use median or mean"
        )
    if reference is None and not (judges > 1).any():
        raise ParameterError(
            f"{rule} compares judges on shared documents, and no document has labels of two: use "
            "majority, median or mean"
        )
    if rule == "dawid-skene":
        model = dawid_skene(ballots)
        label, tied = highest(model.probability, ballots.classes)
        return Consensus(label, tied, judges, ballots.classes, None, model.accuracy, 0, model)
    if reference is None:
        model = one_coin(ballots)
        weight = vote_weight(model.accuracy, len(ballots.classes))
        return _weighted(ballots, judges, weight[ballots.judge], weight, model.accuracy, model)
    return _by_reference(ballots, judges, values, topic, reference)


def _classes(values: np.ndarray, reference: np.ndarray | None) -> np.ndarray:
    every = values.ravel() if reference is None else np.append(values.ravel(), reference)
    return np.unique(every[~np.isnan(every)])


def _by_reference(
    ballots: Ballots,
    judges: np.ndarray,
    values: np.ndarray,
    topic: np.ndarray | None,
    reference: np.ndarray,
) -> Consensus:
    """Weights of each topic by accuracy on the others."""
    if topic is None:
        raise ParameterError("a reference needs the topic of each document: give topic")
    known = ~np.isnan(values) & ~np.isnan(reference)
    topics = int(topic.max(initial=-1)) + 1
    shared = len(np.unique(topic[known.any(axis=0)]))
    if shared < 2:
        number = counted(shared, "topic")
        raise ParameterError(
            f"judges and reference share documents of {number}: weights come from "
            "other topics than they are used in, so at least 2 are needed; or use weighted without "
            "a reference"
        )
    judge, document = np.nonzero(known)
    shape = len(values), topics
    cell = judge * topics + topic[document]
    right = values[judge, document] == reference[document]
    labels = np.bincount(cell, minlength=np.prod(shape)).reshape(shape)
    correct = np.bincount(cell, right, minlength=np.prod(shape)).reshape(shape)
    classes = len(ballots.classes)

    def accuracy(correct: np.ndarray, labels: np.ndarray) -> np.ndarray:
        # one label per class more, one of them correct: chance for a judge without labels
        return (correct + 1) / (labels + classes)

    n_correct, n_labels = correct.sum(axis=1), labels.sum(axis=1)
    of_all = accuracy(n_correct, n_labels)
    others = accuracy(n_correct[:, None] - correct, n_labels[:, None] - labels)
    held_out = vote_weight(others, classes)[ballots.judge, topic[ballots.document]]
    return _weighted(ballots, judges, held_out, vote_weight(of_all, classes), of_all, None)


def _weighted(
    ballots: Ballots,
    judges: np.ndarray,
    of_label: np.ndarray,
    weight: np.ndarray,
    accuracy: np.ndarray,
    model: JudgeModel | None,
) -> Consensus:
    """The label of the highest sum of weights; without any weight the majority."""
    sums, votes = ballots.sums(of_label), ballots.sums()
    without = (sums.sum(axis=1) == 0) & (judges > 0)
    label, tied = highest(np.where(without[:, None], votes, sums), ballots.classes)
    return Consensus(
        label, tied, judges, ballots.classes, weight, accuracy, int(without.sum()), model
    )
