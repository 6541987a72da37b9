"""Whether documents can have been chosen with the probabilities that labels say they had.

A document that was certain is there, one that was next to impossible is not, and as many were
chosen, of each topic, of all and of those about as likely, as probabilities add up to, but for
chance.  Bounds are Chernoff's
for sums of independent choices; of designs that fix numbers, as `assign` does, they hold too.
"""

from __future__ import annotations

import numpy as np

from regrade.errors import ParameterError
from regrade.wording import counted, to_be

RARE = 1e-4
"""What is expected less often has not happened."""

CHANCE = 1e-3
"""How often numbers that are right are refused at most, of all topics and batches together."""

_KEEP = (
    "give the column `chosen`, True for each document that was chosen, labelled or not, as "
    "`assign` writes it"
)


def check_design(
    topics: np.ndarray,
    docnos: np.ndarray,
    inclusion: np.ndarray,
    batch: np.ndarray,
    is_stated: bool = True,
) -> None:
    """Refuse choices that the probabilities do not allow.

    Parameters
    ----------
    topics, docnos
        (N,) names.
    inclusion
        (K, N) probability of each to be chosen in each of K batches; NaN where it was not offered.
    batch
        (N,) int64 in which it was chosen, from 1; 0: in none.
    is_stated
        Whether labels say what was chosen; else what is labelled is taken to be that, and the
        number that a design fixes must be there.
    """
    for k, of_batch in enumerate(inclusion, 1):
        rows = np.flatnonzero(~np.isnan(of_batch))
        _Batch(topics[rows], docnos[rows], of_batch[rows], batch[rows] == k, is_stated).check(
            CHANCE / len(inclusion)
        )


class _Batch:
    """The documents that a batch was chosen from."""

    def __init__(self, topics, docnos, inclusion, chosen, is_stated: bool):
        self.topics, self.docnos, self.inclusion, self.chosen = topics, docnos, inclusion, chosen
        self.is_stated = is_stated
        self.what = "chosen" if is_stated else "labelled"

    def check(self, chance: float) -> None:
        """Refuse the first thing that is wrong."""
        self._check_certain()
        self._check_rare()
        names, topic = np.unique(self.topics.astype(str), return_inverse=True)
        every = np.zeros(len(topic), int)
        if not self.is_stated:
            self._check_fixed(names, topic)
        halvings, band = np.unique(-np.ceil(np.log2(self.inclusion)), return_inverse=True)
        groups = (
            (every, ["all topics"]),
            (topic, [f"topic {name}" for name in names]),
            (band, [f"inclusion {2.0 ** -(h + 1):.3g} to {2.0**-h:.3g}" for h in halvings]),
        )
        for group, of in groups:
            for g, name in enumerate(of):
                own = group == g
                pi, count = self.inclusion[own], int(self.chosen[own].sum())
                if log_chance(pi, count) < np.log(chance / len(groups) / len(of)):
                    raise ParameterError(
                        f"{counted(count, 'document')} of {name} {to_be(count)} {self.what}, and "
                        f"the inclusion of all {len(pi):,} adds up to {pi.sum():,.4g}: no choice "
                        "with these probabilities does that: correct `inclusion`, or "
                        f"{_KEEP}"
                    )

    def _check_certain(self) -> None:
        """Documents that were as good as certain are there."""
        unlikely = np.where(self.chosen, np.inf, 1 - self.inclusion)
        row, expected = _least(unlikely, 1 - self.inclusion)
        if expected < RARE:
            lost = int((unlikely <= RARE).sum())
            others = "" if lost == 1 else f", as {counted(lost - 1, 'other')}"
            remedy = "set `chosen` to True, and leave `grade` empty if it has none"
            raise ParameterError(
                f"{self._name(row)} has inclusion {self.inclusion[row]:.6g}, and is not "
                f"{self.what}{others}: a document with inclusion 1 was chosen: "
                f"{remedy if self.is_stated else _KEEP}, or correct `inclusion`"
            )

    def _check_rare(self) -> None:
        """Documents that were next to impossible are not."""
        row, expected = _least(np.where(self.chosen, self.inclusion, np.inf), self.inclusion)
        if expected < RARE:
            raise ParameterError(
                f"{self._name(row)} is {self.what} with inclusion {self.inclusion[row]:.3g}: of "
                f"all documents as unlikely as this one {expected:.2g} are expected to be, and its "
                "label would count for all of them: correct `inclusion`"
            )

    def _check_fixed(self, names: np.ndarray, topic: np.ndarray) -> None:
        """As many are labelled as a design with a fixed number chooses."""
        expected, count = self.inclusion.sum(), int(self.chosen.sum())
        if abs(count - expected) < 1 - 1e-6:
            return
        lacks = np.bincount(topic, self.inclusion) - np.bincount(topic, self.chosen)
        most = int(np.argmax(np.abs(lacks)))
        own = topic == most
        raise ParameterError(
            f"{counted(count, 'document')} {to_be(count)} labelled, and the inclusion of all adds "
            f"up to {expected:,.6g}: {abs(expected - count):,.4g} are "
            f"{'missing' if count < expected else 'too many'}, most of them of topic "
            f"{names[most]} ({self.chosen[own].sum():,} labelled, {self.inclusion[own].sum():.3g} "
            f"expected). {_KEEP[0].upper()}{_KEEP[1:]}: without it, chosen "
            "documents without a label are indistinguishable from documents not chosen"
        )

    def _name(self, row: int) -> str:
        return f"{self.docnos[row]} for topic {self.topics[row]}"


def _least(own: np.ndarray, probability: np.ndarray) -> tuple[int, float]:
    """The row that is least likely, and how many as unlikely are expected; endless without one."""
    row = int(np.argmin(own)) if len(own) else 0
    if not len(own) or np.isinf(own[row]):
        return row, np.inf
    return row, float(probability[probability <= own[row]].sum())


def log_chance(inclusion: np.ndarray, count: int) -> float:
    """The log of Chernoff's bound of how likely a number so far from what is expected is.

    The least over s of Σ log(1 − π + π eˢ) − s · count, which is convex in s.
    """
    pi = inclusion[(inclusion > 0) & (inclusion < 1)]
    count -= int((inclusion >= 1).sum())
    if not 0 <= count <= len(pi):
        return -np.inf
    if count in (0, len(pi)):
        return float(np.log1p(-pi).sum() if count == 0 else np.log(pi).sum())
    odds = np.log(pi) - np.log1p(-pi)
    low, high = -odds.max() - 50.0, -odds.min() + 50.0
    for _ in range(50):  # to 10⁻¹³, of what is flat there
        middle = (low + high) / 2
        expected = (1 / (1 + np.exp(-np.clip(odds + middle, -700, 700)))).sum()
        low, high = (middle, high) if expected < count else (low, middle)
    return float(np.logaddexp(np.log1p(-pi), np.log(pi) + low).sum() - low * count)
