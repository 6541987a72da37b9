"""What cuts are weighed by: references under their rules, and rankings of systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import pyarrow as pa

from regrade.aggregation import aggregate
from regrade.codes import CodedRuns
from regrade.cutsearch.joint_counts import JointCounts
from regrade.cutsearch.search import SourceTopics
from regrade.cutsearch.sources import SearchInput
from regrade.cutsearch.system_tau import scores_by_topic
from regrade.cutsearch.thresholds import Thresholds
from regrade.measures import parse
from regrade.run_arrays import RankedLists
from regrade.tables import read_table


@dataclass(frozen=True)
class WeighedInput(SearchInput):
    """A source whose cuts are weighed; its references go by their labels.

    Attributes
    ----------
    unjudged
        The rule of each reference for documents that it lacks.
    measure
        By which systems are ranked.
    ranked
        The runs; ``None`` where there are none.
    experts
        Name → scores of the S systems by topic.
    tau
        Expert → τ_b of every cut, where it is read.
    """

    unjudged: Mapping[str, str] = field(default_factory=dict)
    measure: str = "nDCG@10"
    ranked: RankedLists | None = None
    experts: Mapping[str, Mapping[str, np.ndarray]] = field(default_factory=dict)
    tau: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    @property
    def labels(self) -> pa.Table:
        """One value per document."""
        return aggregate(self.judgments, self.options.aggregation.source)

    def joint_counts(self, topics: SourceTopics, thresholds: Thresholds) -> dict[str, JointCounts]:
        """Values of the source beside levels of each reference."""
        joints = {}
        for label, labels in self.references.items():
            how = replace(self.options, unjudged=self.unjudged[label])
            joints[label] = JointCounts.of(topics, thresholds, labels, self.levels, how)
        return joints


def read_weighed(paths: Mapping, params: Mapping) -> WeighedInput:
    """What a job weighs, read from its tables."""
    rest = {name: params[name] for name in ("measure", "unjudged")}
    source = WeighedInput.read(paths, params, **rest)
    if not paths["runs"]:
        return source
    ranked = CodedRuns(paths["runs"]).ranked(source.judgments["topic"].unique().to_pylist())
    measure, experts = parse(params["measure"]), params["experts"]
    scores = {
        name: scores_by_topic(ranked, read_table(path, "qrels"), measure, top)
        for (name, top), path in zip(experts.items(), paths["experts"], strict=True)
    }
    tau = {
        name: read_table(path, "cuts/tau").to_pandas()
        for name, path in zip(experts, paths["tau"], strict=False)  # of all, or not read
    }
    return replace(source, ranked=ranked, experts=scores, tau=tau)
