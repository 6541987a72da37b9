"""How much rankings of systems vary when fewer judgments are heard (turpin2015 §5.3).

One magnitude of each document is drawn at random and the systems are ranked anew, again and
again: τ_b with the reference's ranking is a distribution (Figure 6), and a pair of systems has an
order as often as users have it.  Documents are drawn independently of each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pandas as pd

from regrade.catalogue import columns_of
from regrade.compiled import njit
from regrade.correlations import tau_b_many
from regrade.kendall import TOLERANCE, tau_b
from regrade.magnitudes.label_comparison import box_of, framed
from regrade.magnitudes.resampling import (
    ALL,
    Draw,
    drawn_gains,
    judgments_per_document,
    one_judgment,
)
from regrade.magnitudes.systems import Cell, GainComparison, concat_frames
from regrade.percentiles import ends, quantiles

SAMPLES = 1000
"""How often judgments are drawn, unless told; as in the paper."""

MOST = 10
"""Judgments per document, at most, unless told: so many each document of the paper has."""

SHARE = 0.95
"""Part of the samples in which one of two systems is the better, for most to agree."""

OTHERS = ("the reference", "all judgments")
"""Rankings that one of fewer judgments is compared with."""


@dataclass(frozen=True, eq=False)
class _Counted:
    """What samples make of one cell.

    Attributes
    ----------
    reference
        (N,) means of the systems by the reference's labels.
    taus
        τ of some samples each.
    higher, lower
        (P,) int64: samples in which the first of each pair of systems scores higher, or lower.
    """

    cell: Cell
    reference: np.ndarray
    taus: list[np.ndarray]
    higher: np.ndarray
    lower: np.ndarray

    @classmethod
    def of(cls, cell: Cell) -> _Counted:
        n = len(cell.over.systems)
        counts = np.zeros((2, n * (n - 1) // 2), np.int64)
        return cls(cell, cell.over.means(cell.scores), [], *counts)

    def add(self, values: np.ndarray) -> None:
        """Count (M, B, S, T) scores of a batch of samples in."""
        if self.cell.over.runs.size:
            scored = self.cell.over.means(values[self.cell.m])
            self.taus.append(tau_b_many(self.reference, scored))
            _count_orders(scored, self.higher, self.lower)


def sample_tables(
    comparison: GainComparison, samples: int = SAMPLES, most: int = MOST, threads: int = 1
) -> dict[str, pd.DataFrame]:
    """Rankings of systems under drawn judgments, beside each reference's.

    References
    ----------
    turpin2015 §5.3, Figure 6.
    """
    scores, seed = comparison.scores, comparison.seed
    by_all = comparison.values(threads)[ALL]
    counted = [_Counted.of(cell) for cell in comparison.cells]
    with ThreadPoolExecutor(threads) as pool:

        def drawn(draw: Draw, what: str) -> Iterator[list[np.ndarray]]:
            return drawn_gains(scores.judgments, draw, samples, pool, seed=seed, what=what)

        for gains in drawn(one_judgment, "one judgment"):
            values = scores.values([of_topic[:, :, 0] for of_topic in gains], pool)
            list(pool.map(lambda of, values=values: of.add(values), counted))
        tables = _of_samples(counted, by_all, samples)
        if most:
            draw = judgments_per_document(comparison.aggregate, most)
            fewer = (
                (k, scores.values([of_topic[:, :, k] for of_topic in gains], pool))
                for gains in drawn(draw, "judgments per document")
                for k in range(most)
            )
            tables["per_document"] = _per_document(comparison.cells, by_all, fewer, most, pool)
    return tables


def _of_samples(
    counted: Sequence[_Counted], by_all: np.ndarray, samples: int
) -> dict[str, pd.DataFrame]:
    frames, rows = {"samples": [], "orders": []}, {"sample_quantiles": [], "unanimity": []}
    for of in counted:
        key, over = of.cell.key, of.cell.over
        taus = np.concatenate([np.empty(0), *of.taus])
        columns = {"sample": np.arange(1, len(taus) + 1), "tau": taus}
        frames["samples"].append(pd.DataFrame(key | columns))
        names = np.array(over.systems, dtype=object)
        pairs = [
            pd.Categorical.from_codes(places, names) if len(names) else []
            for places in np.triu_indices(len(names), 1)
        ]
        columns = {"first": pairs[0], "second": pairs[1], "higher": of.higher / samples}
        columns["equal"] = (samples - of.higher - of.lower) / samples
        frames["orders"].append(pd.DataFrame(key | columns))
        tau = np.nan
        if over.runs.size:
            tau = tau_b(of.reference, over.means(by_all[of.cell.m]))
        defined = taus[~np.isnan(taus)]
        row = key | {"samples": len(defined), "tau": tau}
        rows["sample_quantiles"].append(row | box_of(defined, "magnitudes/sample_quantiles"))
        agreeing = np.maximum(of.higher, of.lower)
        row = key | {"samples": len(taus), "pairs": len(agreeing)}
        row["unanimous"] = int((agreeing == samples).sum())
        rows["unanimity"].append(row | {"above_95": int((agreeing >= SHARE * samples).sum())})
    tables = {name: concat_frames(parts, name) for name, parts in frames.items()}
    return tables | {name: framed(of_name, f"magnitudes/{name}") for name, of_name in rows.items()}


def _per_document(
    cells: Sequence[Cell],
    by_all: np.ndarray,
    drawn: Iterable[tuple[int, np.ndarray]],
    most: int,
    pool: ThreadPoolExecutor,
) -> pd.DataFrame:
    """Schema ``magnitudes/per_document``; `drawn` are scores by k + 1 judgments per document."""
    rankings = [[cell.over.means(of) for of in (cell.scores, by_all[cell.m])] for cell in cells]
    taus: list[list] = [[[] for _ in range(most)] for _ in cells]

    def add(c: int, k: int, values: np.ndarray) -> None:
        if cells[c].over.runs.size:
            scored = cells[c].over.means(values[cells[c].m])
            taus[c][k].append([tau_b_many(ranking, scored) for ranking in rankings[c]])

    for k, values in drawn:
        list(pool.map(lambda c, k=k, values=values: add(c, k, values), range(len(cells))))
    low, high = ends()
    rows = []
    for cell, of_cell in zip(cells, taus, strict=True):
        for o, other in enumerate(OTHERS):
            for k, parts in enumerate(of_cell, start=1):
                of_others = np.concatenate([np.empty(0), *(part[o] for part in parts)])
                three = quantiles(of_others, (low, 0.5, high))
                rows.append((*cell.key.values(), other, k, len(of_others), *three))
    return pd.DataFrame(rows, columns=columns_of("magnitudes/per_document"))


@njit(cache=True, nogil=True)
def _count_orders(scored, higher, lower):
    """Count the samples (B, N) in which the first of each pair scores higher, or lower."""
    for b in range(scored.shape[0]):
        pair = 0
        for i in range(scored.shape[1]):
            own = scored[b, i]
            for j in range(i + 1, scored.shape[1]):
                difference = own - scored[b, j]
                higher[pair] += difference > TOLERANCE
                lower[pair] += difference < -TOLERANCE
                pair += 1
