"""Scores under judgments reduced to pools of several depths (yang2019 §4.6)."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from regrade.measures import Measure, parse
from regrade.pools.pooling import Pooling, make_pool, zeros_warning
from regrade.run_arrays import Judged, RankedLists
from regrade.scoring import Scores, concat, score

log = logging.getLogger(__name__)


def scores_by_depth(
    ranked: RankedLists,
    judged: Judged,
    depths: Sequence[int],
    measures: Sequence[str | Measure],
    *,
    contributors: Sequence[str] | None = None,
    max_grade: float | None = None,
) -> dict[int, Scores]:
    """Score the contributing systems under the qrels reduced to their own pools."""
    names = set(ranked.systems if contributors is None else contributors)
    rows = np.array([system in names for system in ranked.systems])
    by_depth = {}
    for depth in sorted(depths):
        pool = make_pool(ranked, Pooling("Depth", depth=depth), contributors=contributors)
        reduced = pool.reduce(judged)
        scores = score(ranked, reduced, measures, max_grade=max_grade)
        if lost := reduced.topics_without_judgments:
            values = scores.values[:, [topic in lost for topic in scores.topics]]
            log.warning(
                "pool of depth %d: no judged document is left for %d of %d topics (%s)%s",
                *(depth, len(lost), len(judged.topics), ", ".join(lost)),
                zeros_warning(values, scores.measures),
            )
        by_depth[depth] = Scores(
            tuple(system for system in ranked.systems if system in names),
            scores.topics,
            scores.measures,
            scores.values[rows],
            scores.residuals[rows],
        )
    return by_depth


def join_depths(parts: Sequence[Mapping[int, Scores]]) -> dict[int, Scores]:
    """The `scores_by_depth` of all topics, from those of some topics each."""
    return {depth: concat(part[depth] for part in parts) for depth in parts[0]}


def to_frame(by_depth: Mapping[int, Scores]) -> pd.DataFrame:
    """The scores of all depths in schema ``pools/scores``."""
    parts = [
        scores.to_table().to_pandas().assign(depth=depth) for depth, scores in by_depth.items()
    ]
    return pd.concat(parts, ignore_index=True)


def from_frame(frame: pd.DataFrame) -> dict[int, Scores]:
    """The scores by depth again; systems and topics sorted, measures in the order of rows."""
    by_depth = {}
    measures = [str(measure) for measure in frame["measure"].drop_duplicates()]
    parsed = tuple(map(parse, measures))
    for depth, rows in frame.groupby("depth", sort=True):
        systems = sorted(rows["system"].astype(str).unique())
        topics = sorted(rows["topic"].astype(str).unique())
        index = pd.MultiIndex.from_product([systems, topics, measures])
        keys = pd.MultiIndex.from_frame(rows[["system", "topic", "measure"]].astype(str))
        shape = (len(systems), len(topics), len(measures))
        values, residuals = (
            pd.Series(rows[column].to_numpy(dtype=float), index=keys)
            .reindex(index)
            .to_numpy()
            .reshape(shape)
            for column in ("value", "residual")
        )
        by_depth[int(depth)] = Scores(tuple(systems), tuple(topics), parsed, values, residuals)
    return by_depth
