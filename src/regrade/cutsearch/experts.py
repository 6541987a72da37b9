"""Experts' labels cut into two levels, against other experts' binary ones (han2019 §3.4)."""

from __future__ import annotations

import logging

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
) -> dict[str, pd.DataFrame]:
    """α of experts' labels, cut into two levels, against other experts' binary labels.

    Three ways to treat the pool's unjudged documents (han2019 §3.4): leave them out; call those
    non-relevant that the source lacks; call all non-relevant.  Topics that the source or the
    reference does not have at all are left out of all three.

    Over all documents and topics (``agreement``), and topic by topic (``topics``): which cut is
    best for which (han2019 §4.1.1).
    """
    keys = ["topic", "docno"]
    frame = pool.select(keys).to_pandas().astype(str).drop_duplicates()
    for name, table in (("source", source), ("reference", reference)):
        labels = label_frame(table).rename(columns={"grade": name})
        frame = frame.merge(labels, on=keys, how="left")  # NaN where unjudged
    frame = frame.sort_values(keys, ignore_index=True)
    both = set(source["topic"].to_pylist()) & set(reference["topic"].to_pylist())
    left_out = sorted(set(frame["topic"]) - both)
    if left_out:
        reason = "one of the sets has no label for them"
        log.warning("left out %d topics (%s): %s", len(left_out), ", ".join(left_out), reason)
    frame = frame[frame["topic"].isin(both)]
    agreement, topics = [], []
    for complete_source, complete_reference in ((False, False), (True, False), (True, True)):
        known, names = frame.copy(), {"source": source_name, "reference": reference_name}
        for side, complete in (("source", complete_source), ("reference", complete_reference)):
            if complete:
                known[side] = known[side].fillna(0)
                names[side] += "_a"
        known = known.dropna()
        groups = dict(list(known.groupby("topic")))
        alphas = [_alphas(group, levels) for group in groups.values()]
        per_topic = np.array(alphas).reshape(-1, levels - 1)
        means = mean_of_defined(per_topic.T)
        defined = ~np.isnan(per_topic).all(axis=1)
        highest = np.full((len(per_topic), 1), np.inf)
        highest[defined] = np.nanmax(per_topic[defined], axis=1, keepdims=True)
        best = per_topic >= highest - TIED
        for cut, value in enumerate(_alphas(known, levels)):
            row = names | {"documents": len(known), "c1": cut, "alpha": value}
            row |= {"mean_alpha": means[cut], "best_topics": int(best[:, cut].sum())}
            agreement.append(row | {"n_topics": int(defined.sum())})
        for t, (topic, group) in enumerate(groups.items()):
            for cut in range(levels - 1):
                row = names | {"topic": topic, "documents": len(group), "c1": cut}
                topics.append(row | {"alpha": per_topic[t, cut], "best": bool(best[t, cut])})
    topics = pd.DataFrame(topics, columns=columns_of("expert-cuts/topics"))
    return {"agreement": pd.DataFrame(agreement), "topics": topics}


def _alphas(frame: pd.DataFrame, levels: int) -> list[float]:
    """α of two coders on a binary scale, where all metrics agree, by cut."""
    binary = [[frame["source"] > cut, frame["reference"] > 0] for cut in range(levels - 1)]
    return [alpha(np.array(coders, dtype=float), "nominal") for coders in binary]
