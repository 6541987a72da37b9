"""What a judge's favour changes of the ranking of systems.

The ranking without the favour is that by the judge's mean scores, those of the family's
systems being less by the favour.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regrade.kendall import TOLERANCE, tau_b

FIRST = 10
"""First systems among which places are counted."""


def ranks(means: np.ndarray) -> np.ndarray:
    """(S,) 1 for the best; equal systems share the first of their ranks."""
    return 1 + (means[None, :] > means[:, None] + TOLERANCE).sum(axis=1)


@dataclass(frozen=True)
class RankingChange:
    """What becomes of a family's systems from one ranking to another.

    Attributes
    ----------
    first, first_reference, first_without
        Systems of the family among the first `FIRST`: under the judge, under the reference, and
        under the judge without the favour.
    pairs
        Pairs of a system of the family with another system.
    turned_for, turned_against
        Pairs that the judge orders otherwise than the reference, for the family and against it.
    turned_for_without, turned_against_without
        The same without the favour.
    tau, tau_without
        τ_b of the judge's ranking with the reference's, and without the favour.
    """

    first: int
    first_reference: int
    first_without: int
    pairs: int
    turned_for: int
    turned_against: int
    turned_for_without: int
    turned_against_without: int
    tau: float
    tau_without: float

    @classmethod
    def of(
        cls, reference: np.ndarray, judge: np.ndarray, members: np.ndarray, favour: float
    ) -> RankingChange:
        """Of (S,) mean scores, a family, and the favour for it."""
        without = judge - favour * members
        first = [
            int((ranks(means)[members] <= FIRST).sum()) for means in (judge, reference, without)
        ]
        pairs = int(members.sum()) * int((~members).sum())
        turned = [*_turned(reference, judge, members), *_turned(reference, without, members)]
        taus = (float(tau_b(np.ascontiguousarray(reference), means)) for means in (judge, without))
        return cls(*first, pairs, *turned, *taus)


def _turned(reference: np.ndarray, other: np.ndarray, members: np.ndarray) -> tuple[int, int]:
    """How many pairs of a member with another system turn for the members, and against them."""
    before, after = (_signs(means[members], means[~members]) for means in (reference, other))
    return int(((before < 0) & (after > 0)).sum()), int(((before > 0) & (after < 0)).sum())


def _signs(inside: np.ndarray, outside: np.ndarray) -> np.ndarray:
    apart = inside[:, None] - outside
    return np.where(np.abs(apart) <= TOLERANCE, 0, np.sign(apart))
