"""How much rankings of systems vary when fewer judgments are heard (turpin2015 §5.3).

One magnitude of each document is drawn at random and the systems are ranked anew, again and
again: τ_b with the reference's ranking is a distribution (Figure 6), and a pair of systems has an
order as often as users have it.  Documents are drawn independently of each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numba import njit

from regrade.catalogue import columns_of
from regrade.correlations import tau_b_many
from regrade.kendall import TOLERANCE, tau_b
from regrade.magnitudes.label_comparison import box_of
from regrade.magnitudes.resampling import (
    ALL,
    drawn_gains,
    judgments_per_document,
    one_judgment,
)
from regrade.magnitudes.scores import GainScores
from regrade.magnitudes.systems import GainComparison, Over, SystemsUnderReference, concat_frames
from regrade.measures import Measure
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
class _Kept:
    """What is gathered of one comparison, systems and measure."""

    comparison: SystemsUnderReference
    over: Over
    measure: int
    reference: np.ndarray
    taus: list[np.ndarray]
    higher: np.ndarray
    lower: np.ndarray

    @property
    def key(self) -> dict[str, str]:
        return {"reference": self.comparison.labels.name, "over": self.over.name}


def sample_tables(
    comparison: GainComparison, samples: int = SAMPLES, most: int = MOST, threads: int = 1
) -> dict[str, pd.DataFrame]:
    """Rankings of systems under drawn judgments, beside each reference's.

    References
    ----------
    turpin2015 §5.3, Figure 6.
    """
    scores, compared, seed = comparison.scores, comparison.compared, comparison.seed
    measures, by_all = scores.measures, comparison.values(threads)[ALL]
    with ThreadPoolExecutor(threads) as pool:
        drawn = drawn_gains(
            scores.judgments, one_judgment, samples, pool, seed=seed, what="one judgment"
        )
        # (M, B, S, T) of each batch of one gain per document
        batches = (
            scores.values([of_topic[:, :, 0] for of_topic in gains], pool) for gains in drawn
        )
        kept = _gathered(compared, measures, batches, pool)
        if not most:
            return _of_samples(kept, measures, by_all, samples)
        fewer = drawn_gains(
            scores.judgments, judgments_per_document(comparison.aggregate, most), samples, pool,
            seed=seed, what="judgments per document",
        )  # fmt: skip
        per_document = _per_document(scores, compared, by_all, fewer, most, samples, pool)
    return {
        **_of_samples(kept, measures, by_all, samples),
        "per_document": per_document,
    }


def _gathered(
    compared: Sequence[SystemsUnderReference],
    measures: Sequence[Measure],
    batches: Iterable[np.ndarray],
    pool: ThreadPoolExecutor,
) -> list[_Kept]:
    kept = []
    for comparison in compared:
        for over in comparison.over:
            n = len(over.systems)
            for m in range(len(measures)):
                reference = over.means(comparison.scores[m])
                counts = np.zeros((2, n * (n - 1) // 2), np.int64)
                kept.append(_Kept(comparison, over, m, reference, [], *counts))
    for values in batches:
        list(pool.map(lambda cell, values=values: _add(cell, values), kept))
    return kept


def _add(kept: _Kept, values: np.ndarray) -> None:
    """Count a batch of samples in."""
    if kept.over.runs.size:
        scored = kept.over.means(values[kept.measure])
        kept.taus.append(tau_b_many(kept.reference, scored))
        _count_orders(scored, kept.higher, kept.lower)


def _of_samples(
    kept: Sequence[_Kept], measures: Sequence[Measure], by_all: np.ndarray, samples: int
) -> dict[str, pd.DataFrame]:
    parts: dict[str, list] = {name: [] for name in ("samples", "orders")}
    quantiles, unanimity = [], []
    for cell in kept:
        key = cell.key | {"measure": str(measures[cell.measure])}
        taus = np.concatenate([np.empty(0), *cell.taus])
        parts["samples"].append(
            pd.DataFrame(key | {"sample": np.arange(1, len(taus) + 1), "tau": taus})
        )
        parts["orders"].append(_orders(cell, key, samples))
        quantiles.append(key | _box(cell, taus, by_all))
        unanimity.append(key | {"samples": len(taus)} | _unanimity(cell, samples))
    tables = {name: concat_frames(parts_of, name) for name, parts_of in parts.items()}
    for name, rows in (("sample_quantiles", quantiles), ("unanimity", unanimity)):
        tables[name] = pd.DataFrame(rows, columns=columns_of(f"magnitudes/{name}"))
    return tables


def _orders(cell: _Kept, key: dict[str, str], samples: int) -> pd.DataFrame:
    first, second = np.triu_indices(len(cell.over.systems), 1)
    names = np.array(cell.over.systems, dtype=object)
    return pd.DataFrame(
        key
        | {
            "first": pd.Categorical.from_codes(first, names) if len(names) else [],
            "second": pd.Categorical.from_codes(second, names) if len(names) else [],
            "higher": cell.higher / samples,
            "equal": (samples - cell.higher - cell.lower) / samples,
        }
    )


def _box(cell: _Kept, taus: np.ndarray, by_all: np.ndarray) -> dict[str, float]:
    tau = np.nan
    if cell.over.runs.size:
        tau = tau_b(cell.reference, cell.over.means(by_all[cell.measure]))
    defined = taus[~np.isnan(taus)]
    return {"samples": len(defined), "tau": tau} | box_of(defined, "magnitudes/sample_quantiles")


def _unanimity(cell: _Kept, samples: int) -> dict[str, int]:
    agreeing = np.maximum(cell.higher, cell.lower)
    return {
        "pairs": len(agreeing),
        "unanimous": int((agreeing == samples).sum()),
        "above_95": int((agreeing >= SHARE * samples).sum()),
    }


def _per_document(
    scores: GainScores,
    compared: Sequence[SystemsUnderReference],
    by_all: np.ndarray,
    drawn: Iterable[list[np.ndarray]],
    most: int,
    samples: int,
    pool: ThreadPoolExecutor,
) -> pd.DataFrame:
    """Schema ``magnitudes/per_document``."""
    cells = [
        (comparison, over, m)
        for comparison in compared
        for over in comparison.over
        for m in range(len(scores.measures))
    ]
    rankings = [
        [over.means(values) for values in (comparison.scores[m], by_all[m])]
        for comparison, over, m in cells
    ]
    taus: list[list] = [[[] for _ in range(most)] for _ in cells]

    def add(c: int, k: int, values: np.ndarray) -> None:
        _, over, m = cells[c]
        if over.runs.size:
            scored = over.means(values[m])
            taus[c][k].append([tau_b_many(ranking, scored) for ranking in rankings[c]])

    for gains in drawn:
        for k in range(most):
            values = scores.values([of_topic[:, :, k] for of_topic in gains], pool)
            list(pool.map(lambda c, k=k, values=values: add(c, k, values), range(len(cells))))
    rows = []
    for (comparison, over, m), of_cell in zip(cells, taus, strict=True):
        key = (comparison.labels.name, over.name, str(scores.measures[m]))
        for o, other in enumerate(OTHERS):
            for k, parts in enumerate(of_cell, start=1):
                of_others = np.concatenate([np.empty(0), *(part[o] for part in parts)])
                low, high = ends()
                three = quantiles(of_others, (low, 0.5, high))
                rows.append((*key, other, k, len(of_others), *three))
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
