"""Small judgment sets for tests, made from nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import Aggregation
from regrade.cutsearch.options import AlphaOptions


def alpha_options(*, aggregate_source="median", aggregate_levels=None, **options) -> AlphaOptions:
    """How α is computed, the rules of aggregation beside the others."""
    how = Aggregation(aggregate_source, aggregate_levels)
    return AlphaOptions(aggregation=how, **options)


def random_judgments(
    seed, *, levels=101, topics=2, documents=7, units=9, unit_size=4, workers=6, heaped=True
) -> pa.Table:
    """Judgments in units, noisy about a latent relevance; some workers judge documents twice."""
    rng = np.random.default_rng(seed)
    rows = []
    for t in range(topics):
        relevance = rng.random(documents)
        for u in range(units):
            chosen = rng.permutation(documents)[: rng.integers(1, unit_size + 1)]
            value = np.clip(relevance[chosen] + rng.normal(0, 0.2, len(chosen)), 0, 1)
            value = np.round(value * (levels - 1))
            if heaped and levels > 20:
                value = np.where(rng.random(len(chosen)) < 0.6, np.round(value / 10) * 10, value)
            rows.append(
                pd.DataFrame(
                    {
                        "topic": f"{t + 1}",
                        "docno": [f"D{d:03d}" for d in chosen],
                        "worker": f"w{rng.integers(workers)}",
                        "unit": f"u{u}",
                        "position": np.arange(1, len(chosen) + 1),
                        "value": value.astype(float),
                        "seconds": rng.random(len(chosen)) * 30,
                    }
                )
            )
    frame = pd.concat(rows).assign(back=None, failed=None)
    return pa.Table.from_pandas(frame, preserve_index=False)


def random_labels(seed, judgments: pa.Table, levels: int, share: float = 0.8) -> pa.Table:
    """Expert labels on a scale for a share of the judged documents."""
    rng = np.random.default_rng([seed, 1])
    frame = judgments.to_pandas().groupby(["topic", "docno"])["value"].mean().reset_index()
    top = max(frame["value"].max(), 1)
    noisy = frame["value"] / top * levels + rng.normal(0, 0.4, len(frame))
    frame["grade"] = np.clip(np.floor(noisy), 0, levels - 1)
    kept = frame[rng.random(len(frame)) < share]
    return pa.Table.from_pandas(kept[["topic", "docno", "grade"]], preserve_index=False)
