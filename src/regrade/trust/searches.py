"""The searches of a transformation, ready to be run again, as a job is told of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from regrade.aggregation import source_values
from regrade.codes import CodedRuns
from regrade.cutsearch.options import DEFAULTS, AlphaOptions
from regrade.cutsearch.pooled import together
from regrade.cutsearch.search import SearchPlan, SourceTopics
from regrade.measures import Measure, parse
from regrade.run_arrays import RankedLists
from regrade.scales import Scale
from regrade.tables import read_table
from regrade.trust.bootstrap import RepeatedSearch
from regrade.trust.named_cuts import cut_index, named_cuts
from regrade.trust.systems import JudgedSystems


@dataclass(frozen=True)
class LoadedTransformation:
    """A source set that is cut into levels, and the systems that are ranked under its cuts.

    Attributes
    ----------
    judgments
        The source set, schema ``judgments`` or ``qrels``.
    scale, levels
        The source scale; levels of the target scale.
    options
        How α is computed.
    pool
        For expert labels, whose documents count.
    ranked, experts, measure
        What is ranked, under whose labels (schema ``qrels``, by name), and by what; systems are
        left out where there are none, or where the measure is no nDCG.
    """

    judgments: pa.Table
    scale: Scale
    levels: int
    options: AlphaOptions = DEFAULTS
    pool: pa.Table | None = None
    ranked: RankedLists | None = None
    experts: Mapping[str, pa.Table] = field(default_factory=dict)
    measure: str | Measure = "nDCG@10"

    @property
    def source_topics(self) -> SourceTopics:
        """The topics of the source set, read."""
        return SourceTopics.of(self.judgments, self.scale, self.pool)

    def search(
        self,
        method: str,
        reference: pa.Table | None,
        source_topics: SourceTopics | None = None,
    ) -> RepeatedSearch:
        """The search by a method, without named cuts; see `prepare` for what it raises."""
        topics = source_topics or self.source_topics
        prepared = topics.prepared(self.levels, method, reference, self.options)
        systems = None
        if self.ranked is not None and parse(self.measure).name == "nDCG" and prepared.topics:
            systems = JudgedSystems.of(
                self.ranked, prepared.topics, self.levels, self.measure, self.experts
            )
        return RepeatedSearch(prepared, {}, systems)

    def named_cuts(
        self, prepared: SearchPlan, cuts: Mapping[str, Sequence[float]]
    ) -> dict[str, np.ndarray]:
        """The places of a user's cuts, of equal widths and of the middle, by name."""
        task, values = prepared.task, source_values(self.judgments)
        if not len(values):
            return {}
        return named_cuts(task.thresholds, task.levels, self.scale, values, cuts)

    def named_indices(self, search: RepeatedSearch) -> dict[str, int]:
        """Where cuts of equal widths and of the middle are among those of a search."""
        places, task = self.named_cuts(search.prepared, {}), search.prepared.task
        count = len(task.thresholds.values)
        return {
            name: int(cut_index(cut[None], count, task.levels)[0]) for name, cut in places.items()
        }


@dataclass(frozen=True)
class Searches:
    """Searches of a transformation, each by a method with a reference or without.

    Attributes
    ----------
    transformation
        What is searched.
    searches
        ``method``, ``reference``, its ``label`` and the rule for its ``unjudged`` of each.
    references
        On the target scale, schema ``qrels``, by name.
    named
        A user's cuts by name.
    """

    transformation: LoadedTransformation
    searches: Sequence[Mapping]
    references: Mapping[str, pa.Table]
    named: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def repeated(self) -> Iterator[tuple[str | None, RepeatedSearch]]:
        """Each search, prepared, with the cuts held beside it and the systems ranked under it."""
        source_topics = self.transformation.source_topics
        for asked in self.searches:
            transformation = self.with_unjudged(asked["unjudged"])
            reference = self.references.get(asked["reference"])
            search = transformation.search(asked["method"], reference, source_topics)
            named = transformation.named_cuts(search.prepared, self.named)
            yield asked["label"], replace(search, named=named)

    def with_unjudged(self, rule: str) -> LoadedTransformation:
        """The transformation under a rule for documents that a reference lacks."""
        options = replace(self.transformation.options, unjudged=rule)
        return replace(self.transformation, options=options)

    def together(self, search: RepeatedSearch, asked: Mapping) -> RepeatedSearch:
        """A search over the judgments of all topics as one topic's, without systems."""
        judgments = self.transformation.judgments
        topics = [topic.topic for topic in search.prepared.topics]
        kept = np.isin(judgments["topic"].to_numpy(zero_copy_only=False).astype(str), topics)
        whole = replace(
            self.transformation,
            judgments=together(judgments.filter(pa.array(kept))),
            pool=None,
            ranked=None,
        )
        name = asked["reference"]
        known = {name: together(self.references[name])} if name in self.references else {}
        ((_, found),) = Searches(whole, [asked], known, self.named).repeated()
        return replace(found, prepared=replace(found.prepared, task=search.prepared.task))


def read_searches(given: Mapping, told: Mapping) -> Searches:
    """The searches that a job is told of, read from its tables."""
    judgments = read_table(given["judgments"])
    topics = judgments["topic"].unique().to_pylist()
    transformation = LoadedTransformation(
        judgments,
        Scale.of(told["scale"]),
        told["levels"],
        AlphaOptions.of(told),
        pool=read_table(given["pool"]) if given["pool"] else None,
        ranked=CodedRuns(given["runs"]).ranked(topics) if given["runs"] else None,
        experts=_labels(told["experts"], given["experts"]),
        measure=told["measure"],
    )
    references = _labels(told["references"], given["references"])
    return Searches(transformation, told["searches"], references, told["named"])


def read_teachers(
    judgments: Sequence[str],
    references: Sequence[str],
    others: Mapping[str, Mapping],
    learner: LoadedTransformation,
) -> dict[str, dict[tuple[str, str | None], RepeatedSearch]]:
    """The searches of other transformations, by their name, then method and reference's label."""
    found, start = {}, 0
    for path, (name, told) in zip(judgments, others.items(), strict=True):
        stop = start + len(told["references"])
        transformation = replace(
            learner,
            judgments=read_table(path),
            scale=Scale.of(told["scale"]),
            levels=told["levels"],
            options=AlphaOptions.of(told),
        )
        labels = _labels(told["references"], references[start:stop])
        start = stop
        found[name] = {
            (search.prepared.method.name, label): search
            for label, search in Searches(transformation, told["searches"], labels).repeated()
            if search.prepared.topics
        }
    return found


def _labels(names: Sequence[str], paths: Sequence[str]) -> dict[str, pa.Table]:
    return {name: read_table(path, "qrels") for name, path in zip(names, paths, strict=True)}
