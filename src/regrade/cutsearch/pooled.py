"""One search over the judgments of all topics together (han2019, footnote 1).

The study's single cut has the highest mean of the topics' α; as an alternative it names a search
over all judgments regardless of their topic, which it leaves out.  Here both stand side by side.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.catalogue import ALL_TOPICS, CUT_COLUMNS
from regrade.catalogue.arrow import SCHEMAS
from regrade.cutsearch.best import best_cuts
from regrade.cutsearch.data import over_pool
from regrade.cutsearch.options import DEFAULTS, AlphaOptions
from regrade.cutsearch.search import CutSearch, prepare
from regrade.cutsearch.thresholds import as_scale
from regrade.scales import Scale

ALL_JUDGMENTS = "all"
"""The topic that all judgments are put into."""


def pooled_search(
    judgments: pa.Table,
    source: Scale | int,
    levels: int,
    method: str,
    reference: pa.Table | None = None,
    options: AlphaOptions = DEFAULTS,
    *,
    pool: pa.Table | None = None,
    threads: int = 1,
) -> CutSearch:
    """α of every cut over the judgments of all topics together."""
    left_out = {}
    if pool is not None:
        judgments, left_out = over_pool(judgments, pool, as_scale(source).low)
    if reference is not None:
        known = set(reference["topic"].unique().to_pylist())
        topics = judgments["topic"].unique().to_pylist()
        lacking = [topic for topic in topics if topic not in known]
        left_out |= dict.fromkeys(sorted(lacking), "the reference has no label for the topic")
        keep = np.isin(judgments["topic"].to_numpy(zero_copy_only=False).astype(str), [*known])
        judgments = judgments.filter(pa.array(keep))
        reference = as_one_topic(reference)
    plan = prepare(as_one_topic(judgments), source, levels, method, reference, options)
    return replace(plan.search(threads), left_out=left_out)


def as_one_topic(table: pa.Table) -> pa.Table:
    """The rows of a table as of one topic: documents and units are named by topic too."""
    frame = table.to_pandas()
    topic = frame["topic"].astype(str)
    frame = frame.assign(topic=ALL_JUDGMENTS, docno=topic + " " + frame["docno"].astype(str))
    if "unit" in frame and frame["unit"].notna().any():
        frame = frame.assign(unit=topic + " " + frame["unit"].astype(str))
    schema = SCHEMAS["qrels" if "grade" in frame else "judgments"]
    return pa.Table.from_pandas(frame[schema.names], schema=schema, preserve_index=False)


def pooled_cut(
    search: CutSearch, alpha: pd.DataFrame, best: pd.DataFrame, reference: str | None
) -> dict:
    """A row of ``cuts/pooled``: the best cut of all judgments together beside the single cut."""
    row = {"method": search.method, "reference": reference, "note": search.note}
    if not search.topics:
        return row | dict.fromkeys(("tied", "runs", "n_defined", "n"), 0)
    pooled = best_cuts(search).set_index("topic").loc[ALL_JUDGMENTS]
    row |= pooled[["value", "tied", "runs", "n_defined", "n", "note"]].to_dict()
    single = best.set_index(best["topic"].astype(str)).loc[ALL_TOPICS]
    for cut, prefix in ((pooled, ""), (single, "single_")):
        row |= {f"{prefix}{name}": cut[name] for name in CUT_COLUMNS}
    row["mean_alpha"] = _at(alpha, alpha["mean"], pooled)
    row["single_mean_alpha"] = _at(alpha, alpha["mean"], single)
    row["single_value"] = _at(alpha, pd.Series(search.values[:, 0]), single)
    return row


def _at(alpha: pd.DataFrame, values: pd.Series, cut: pd.Series) -> float:
    """The value at a cut; NaN where there is none."""
    columns = [name for name in CUT_COLUMNS if name in alpha.columns]
    chosen = (alpha[columns] == cut[columns].astype(float)).all(axis=1).to_numpy()
    return float(values.to_numpy()[chosen][0]) if chosen.any() else np.nan
