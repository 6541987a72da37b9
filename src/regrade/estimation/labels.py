"""What people's labels of all documents would be: shares of grades, and agreement with a model's.

Shares and means are sums over documents and count as sums of gains do (`estimates`).  α, κ and
weighted κ are functions of how many documents have each grade by people and each value by the
model.  These counts are estimated as sums; a coefficient is off as the sum of its derivatives by
them is (linearisation; Särndal, Swensson and Wretman, Model Assisted Survey Sampling, 1992, §5.5).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.estimation.estimates import LabelledSample
from regrade.estimation.functionals import with_known
from regrade.estimation.missing import MissingLabels
from regrade.estimation.replays import Z
from regrade.evaluations.label_agreement import COEFFICIENTS, agreement_of, agreement_slopes
from regrade.sample_means import share_interval

FEWEST_OTHERS = 10
"""Fewer labels beside the most frequent one say nothing of agreement."""

MOST_UNEQUAL = 2.0
"""With weights that are more unequal, intervals hold too seldom (docs/results-estimate.md)."""

ON_SCALE = 0.95
"""The part of a model's values that are grades of people's where these can be compared."""


@dataclass(frozen=True)
class Total:
    """A sum over documents of what their levels give.

    Attributes
    ----------
    value
        As labels and the model of grades say.
    modelled
        As the model alone says.
    error
        Standard error of the value, by the choice of documents.
    below, above
        How far missing labels may move it.
    """

    value: float
    modelled: float
    error: float
    below: float = 0.0
    above: float = 0.0


@dataclass(frozen=True, eq=False)
class Levels:
    """What is known of the levels of N documents.

    Attributes
    ----------
    shares
        (N, L) probability of each level, of a labelled document without its own label.
    sample
        What people labelled.
    unlabelled
        Rows that were chosen and that nobody labelled.
    odds_ratio
        Of missing labels (`regrade.estimation.missing`).
    """

    shares: np.ndarray
    sample: LabelledSample
    unlabelled: np.ndarray
    odds_ratio: float = np.inf

    def total(self, parts: np.ndarray) -> Total:
        """Of Σ parts[i, level of i].

        Its variance is what the model of grades expects, or more where labels are off by more.  It
        is not less where they are off by less: where few labels are rare ones, most often they are.
        """
        sample, counting = self.sample, self.sample.counting
        expected = (self.shares * parts).sum(axis=1)
        spread = np.maximum((self.shares * parts**2).sum(axis=1) - expected**2, 0.0)
        rows = sample.chosen
        off = parts[rows, sample.levels] - expected[rows]
        awaited = counting.seen[rows] @ spread[rows]
        more = max(1.0, counting.seen[rows] @ off**2 / awaited) if awaited > 0 else 1.0
        modelled = float(expected.sum())
        value = modelled + float((1 + counting.more[rows]) @ off)
        missing = self._missing(parts)
        part = 1 + len(self.unlabelled) / max(len(rows), 1)
        variance = counting.spread @ spread + part * float(np.sum(missing.covariance()))
        below, above = np.broadcast_to(missing.reach(lambda moves: moves), (1, 2))[0]
        return Total(value, modelled, float(np.sqrt(more * variance)), float(below), float(above))

    def _missing(self, parts: np.ndarray) -> MissingLabels:
        """By how much each level of what has no label would move Σ parts[i, level of i]."""
        rows = self.unlabelled
        shares = self.shares[rows]
        off = parts[rows] - (shares * parts[rows]).sum(axis=1, keepdims=True)
        moves = (1 + self.sample.counting.more[rows])[:, None] * off
        gains = np.arange(float(self.shares.shape[1]))
        return MissingLabels(moves[:, :, None], shares, shares, gains, self.odds_ratio)

    @cached_property
    def counts(self) -> np.ndarray:
        """(N, L) by how much each document adds to the number of documents of each level."""
        sample = self.sample
        counts, rows = self.shares.copy(), sample.chosen
        labels = np.eye(counts.shape[1])[sample.levels]
        counts[rows] += (1 + sample.counting.more[rows])[:, None] * (labels - self.shares[rows])
        return counts

    @property
    def known_shares(self) -> np.ndarray:
        """(N, L) probability of each level; of labelled documents 1 of their own."""
        return with_known(self.shares, self.sample.chosen, self.sample.levels)

    @property
    def unequal(self) -> float:
        """How many times as many labels of equal weight would be needed (Kish): 1 of equal ones."""
        weights = 1 + self.sample.counting.more[self.sample.chosen]
        return float(len(weights) * (weights @ weights) / weights.sum() ** 2)

    @property
    def are_known(self) -> bool:
        """Whether all documents are labelled."""
        return len(self.sample.chosen) == len(self.shares)

    def lacks(self, inside: np.ndarray) -> bool:
        """Whether one of some documents was chosen and has no label."""
        return bool(inside[self.unlabelled].any())


def labels_table(
    levels: Levels, values: Mapping[str, np.ndarray], grades: np.ndarray
) -> pd.DataFrame:
    """The table ``estimates/labels``."""
    (N, L), sample = levels.shares.shape, levels.sample
    every, rows = np.ones(N, bool), []
    for level, grade in enumerate(grades):
        is_it = np.broadcast_to(np.arange(L) == level, (N, L))
        rows.append(("share", grade, None, *_share(levels, is_it, every)))
    # the mean grade, as far as grades allow
    total = levels.total(np.broadcast_to(grades, levels.shares.shape))
    below, above = Z * total.error + np.array([total.below, total.above])
    known, left = grades[sample.levels].sum(), N - len(sample.chosen)
    ends = np.array([total.value, total.value - below, total.value + above])
    ends = np.clip(ends, known + left * grades[0], known + left * grades[-1]) / N
    rows.append(("mean", None, None, *ends))
    for name, own in values.items():
        rows += [(quantity, None, name, *ends) for quantity, ends in _of_model(levels, own, grades)]
    table = pd.DataFrame(rows, columns=columns_of("estimates/labels"))
    if levels.unequal > MOST_UNEQUAL and not levels.are_known:
        table[["low", "high"]] = np.nan
    return table


def _share(levels: Levels, counts: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """A share of documents and its interval, by Wilson's score.

    Labels count as so many of a uniform choice as would have their standard error, were the share
    as the model of grades says.
    """
    D, rows = inside.sum(), levels.sample.chosen
    total = levels.total(counts.astype(float))
    counted, labelled = counts[rows, levels.sample.levels].sum(), inside[rows].sum()
    least, most = counted / D, (D - labelled + counted) / D
    value, modelled = np.clip(total.value / D, least, most), total.modelled / D
    if levels.are_known:
        return np.full(3, value)
    error = total.error / D * np.sqrt(value * (1 - value) / (modelled * (1 - modelled)))
    low, high = share_interval(value, error, len(rows))
    # where no label counts none may, where every one does all may, whatever the model expects
    low, high = (0.0 if not counted else low), (1.0 if counted == labelled else high)
    return np.clip([value, low - total.below / D, high + total.above / D], least, most)


def _of_model(
    levels: Levels, values: np.ndarray, grades: np.ndarray
) -> Iterator[tuple[str, np.ndarray]]:
    """How a model's values agree with people's labels, of the documents that it has values of."""
    has = ~np.isnan(values)
    if not is_on_scale(values[has], grades):
        yield from ((quantity, np.full(3, np.nan)) for quantity in ("equal", *COEFFICIENTS))
        return
    every, code = np.unique(np.append(grades, values[has]), return_inverse=True)
    of_grade, code = np.split(code, [len(grades)])
    equal = np.zeros(levels.shares.shape, bool)
    equal[has] = of_grade == code[:, None]
    yield "equal", _share(levels, equal, has)
    joint = np.zeros((len(every), len(every)))
    for row, counts in zip(of_grade, levels.counts[has].T, strict=True):
        joint[row] = np.bincount(code, counts, len(every))
    labels = np.bincount(levels.sample.levels[has[levels.sample.chosen]], minlength=1)
    are_few = labels.sum() - labels.max() < FEWEST_OTHERS  # beside the most frequent one
    slopes = agreement_slopes(joint, every)[:, of_grade][:, :, code]
    for k, value in enumerate(agreement_of(joint, every)):
        parts = np.zeros(levels.shares.shape)
        parts[has] = slopes[k].T
        if levels.are_known:
            ends = np.full(3, value)
        elif np.isnan(value) or are_few:
            ends = np.full(3, np.nan)
        else:
            reach = np.nan if levels.lacks(has) else Z * levels.total(parts).error
            ends = np.clip([value, value - reach, value + reach], -1.0, 1.0)
        yield COEFFICIENTS[k], ends


def is_on_scale(values: np.ndarray, grades: np.ndarray) -> bool:
    """Whether a model's values are grades of people's scale, but for a few."""
    return len(values) > 0 and bool(np.isin(values, grades).mean() >= ON_SCALE)
