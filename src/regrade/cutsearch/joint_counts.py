"""How often each source value meets each level of a reference: what criteria of cuts rest on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from regrade.aggregation import aggregates, aggregation_code
from regrade.cutsearch.data import levels_by_topic
from regrade.cutsearch.options import DEFAULTS, AlphaOptions
from regrade.cutsearch.search import SourceTopics
from regrade.cutsearch.thresholds import Thresholds


@dataclass(frozen=True)
class JointCounts:
    """The documents of T topics by aggregated source value and reference level.

    Attributes
    ----------
    topics
        T names, sorted.
    thresholds
        G of them.
    counts : array of int64, shape (T, G + 1, r)
        Documents whose aggregate exceeds i thresholds and that have level b of the reference.
    """

    topics: tuple[str, ...]
    thresholds: Thresholds
    counts: np.ndarray

    @classmethod
    def of(
        cls,
        source: SourceTopics,
        thresholds: Thresholds,
        reference: pa.Table,
        levels: int,
        options: AlphaOptions = DEFAULTS,
    ) -> JointCounts:
        """Count the documents that have judgments and a level of the reference."""
        known = levels_by_topic(source.topics, reference, levels, options.unjudged)
        topics = [topic for topic in source.topics if topic.topic in known]
        counts = np.zeros((len(topics), len(thresholds.values) + 1, levels), dtype=np.int64)
        how = aggregation_code(options.aggregation.source)
        for t, topic in enumerate(topics):
            level = known[topic.topic]
            both = (level >= 0) & topic.histograms.any(axis=1)
            values = aggregates(topic.histograms, topic.values, how)[both]
            np.add.at(counts[t], (thresholds.codes(values), level[both]), 1)
        return cls(tuple(topic.topic for topic in topics), thresholds, counts)

    @property
    def below(self) -> np.ndarray:
        """Documents that exceed fewer than i thresholds, by level; int64, (T, G + 2, r)."""
        start = np.zeros((len(self.counts), 1, self.counts.shape[2]), dtype=np.int64)
        return np.concatenate([start, self.counts.cumsum(axis=1)], axis=1)
