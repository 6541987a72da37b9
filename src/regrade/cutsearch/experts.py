"""Experts' labels cut into two levels, against other experts' binary ones (han2019 §3.4)."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.agreement import alpha
from regrade.catalogue import columns_of
from regrade.cutsearch.best import TIED
from regrade.cutsearch.means import mean_of_defined
from regrade.tables import label_frame

log = logging.getLogger(__name__)


def expert_cuts(
    source: pa.Table,
    reference: pa.Table,
    pool: pa.Table,
    source_name: str,
    reference_name: str,
    levels: int,
) -> pd.DataFrame:
    """α of experts' labels, cut into two levels, against other experts' binary labels.

    Three ways to treat the pool's unjudged documents (han2019 §3.4): leave them out; call those
    non-relevant that the source lacks; call all non-relevant.  Topics that the source or the
    reference does not have at all are left out of all three.
    """
    rows = []
    for names, known in _treatments(source, reference, pool, source_name, reference_name):
        per_topic = np.array(
            [_alphas(group, levels) for _, group in known.groupby("topic")]
        ).reshape(-1, levels - 1)
        means = mean_of_defined(per_topic.T)
        best, defined = _best(per_topic)
        rows += [
            {
                **names,
                "documents": len(known),
                "c1": cut,
                "alpha": value,
                "mean_alpha": means[cut],
                "best_topics": int(best[:, cut].sum()),
                "n_topics": int(defined.sum()),
            }
            for cut, value in enumerate(_alphas(known, levels))
        ]
    return pd.DataFrame(rows)


def expert_cut_topics(
    source: pa.Table,
    reference: pa.Table,
    pool: pa.Table,
    source_name: str,
    reference_name: str,
    levels: int,
) -> pd.DataFrame:
    """The same topic by topic: which cut is best for which (han2019 §4.1.1)."""
    rows = []
    for names, known in _treatments(source, reference, pool, source_name, reference_name):
        for topic, group in known.groupby("topic"):
            values = np.array(_alphas(group, levels))
            best, _ = _best(values[None])
            rows += [
                names
                | {"topic": topic, "documents": len(group), "c1": cut, "alpha": value}
                | {"best": bool(best[0, cut])}
                for cut, value in enumerate(values)
            ]
    return pd.DataFrame(rows, columns=columns_of("expert-cuts/topics"))


def _treatments(
    source: pa.Table, reference: pa.Table, pool: pa.Table, source_name: str, reference_name: str
) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    """The labels that both have, for each way to complete them; and the completed sets' names."""
    frame = _pool_labels(source, reference, pool)
    topics = [set(table["topic"].to_pylist()) for table in (source, reference)]
    left_out = sorted(set(frame["topic"]) - (topics[0] & topics[1]))
    if left_out:
        names = ", ".join(left_out)
        log.warning(
            "left out %d topics (%s): one of the sets has no label for them", len(left_out), names
        )
    frame = frame[~frame["topic"].isin(left_out)]
    for complete_source, complete_reference in ((False, False), (True, False), (True, True)):
        known = frame.copy()
        if complete_source:
            known["source"] = known["source"].fillna(0)
        if complete_reference:
            known["reference"] = known["reference"].fillna(0)
        names = {
            "source": source_name + ("_a" if complete_source else ""),
            "reference": reference_name + ("_a" if complete_reference else ""),
        }
        yield names, known.dropna()


def _best(per_topic: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which cuts have each topic's highest α, (T, C), and which topics have any, (T,)."""
    defined = ~np.isnan(per_topic).all(axis=1)
    highest = np.full((len(per_topic), 1), np.inf)
    highest[defined] = np.nanmax(per_topic[defined], axis=1, keepdims=True)
    return per_topic >= highest - TIED, defined


def _alphas(frame: pd.DataFrame, levels: int) -> list[float]:
    """α of two coders on a binary scale, where all metrics agree, by cut."""
    binary = [[frame["source"] > cut, frame["reference"] > 0] for cut in range(levels - 1)]
    return [alpha(np.array(coders, dtype=float), "nominal") for coders in binary]


def _pool_labels(source: pa.Table, reference: pa.Table, pool: pa.Table) -> pd.DataFrame:
    """Both labels of each document of the pool; NaN where unjudged."""
    keys = ["topic", "docno"]
    frame = pool.select(keys).to_pandas().astype(str).drop_duplicates()
    for name, table in (("source", source), ("reference", reference)):
        labels = label_frame(table).rename(columns={"grade": name})
        frame = frame.merge(labels, on=keys, how="left")
    return frame.sort_values(keys, ignore_index=True)
