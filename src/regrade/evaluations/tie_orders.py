"""How far the order of documents that are tied in a run moves what rankings of systems are alike.

Runs leave the order of documents of one score open, and each way to settle it is somebody's
default: as submitted, by docno from the first or from the last (trec_eval).  A correlation of
rankings of systems is not known better than what it is over these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from regrade.choices import TIE_ORDERS
from regrade.measures import Measure
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import score
from regrade.tied_scores.groups import TieGroups


@dataclass(frozen=True, eq=False)
class TieOrders:
    """Rankings with their tied documents in each usual order, as they stand aside.

    Attributes
    ----------
    orders
        Those that differ from the rankings as they stand; none where no document is tied, or
        scores were not read.
    """

    orders: tuple[RankedLists, ...] = ()

    @classmethod
    def of(cls, ranked: RankedLists, score_precision: str = "float64") -> TieOrders:
        """By submitted rank (where these were read), by docno ascending and descending."""
        if ranked.scores is None:
            return cls()
        groups = TieGroups.by_score(ranked, score_precision)
        if len(groups.starts) - 1 == len(ranked.documents):
            return cls()
        orders = [groups.in_order(ranked, order) for order in TIE_ORDERS]
        differ = [
            lists for lists in orders if not np.array_equal(lists.documents, ranked.documents)
        ]
        return cls(tuple(differ))

    def scores(
        self,
        judged: Judged,
        measures: Sequence[str | Measure],
        max_grade: float | None,
        topics: Sequence[str] | None = None,
    ) -> list[np.ndarray]:
        """(S, T, M) scores under each order; see `regrade.scoring.score`."""
        return [
            score(order.with_topics(judged.topics), judged, measures, max_grade=max_grade,
                  topics=topics).values
            for order in self.orders
        ]  # fmt: skip


def tie_range(
    value: float,
    first: Sequence[np.ndarray],
    second: Sequence[np.ndarray],
    alike: Callable[[np.ndarray, np.ndarray], float],
) -> tuple[float, float]:
    """The lowest and the highest correlation of two rankings of systems over orders of ties."""
    others = [alike(a.mean(axis=1), b.mean(axis=1)) for a, b in zip(first, second, strict=True)]
    if not others or np.isnan(value):
        return np.nan, np.nan
    return float(np.nanmin([value, *others])), float(np.nanmax([value, *others]))
