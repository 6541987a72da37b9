"""The searches of a transformation, ready to be run again, as a job is told of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from regrade.aggregation import source_values
from regrade.codes import CodedRuns
from regrade.cutsearch.options import AlphaOptions
from regrade.cutsearch.pooled import as_one_topic
from regrade.cutsearch.search import SearchPlan, SourceTopics
from regrade.cutsearch.sources import SearchInput
from regrade.measures import Measure, parse
from regrade.run_arrays import RankedLists
from regrade.scales import Scale
from regrade.tables import read_table
from regrade.trust.bootstrap import RepeatedSearch
from regrade.trust.named_cuts import named_cuts
from regrade.trust.systems import JudgedSystems


@dataclass(frozen=True)
class RankedInput(SearchInput):
    """What is searched, and the systems that are ranked under its cuts.

    Attributes
    ----------
    ranked, experts, measure
        What is ranked, under whose labels (schema ``qrels``, by name), and by what; systems are
        left out where there are none, or where the measure is no nDCG.
    named
        A user's cuts by name.
    items
        The searches, as `searches` takes them.
    others
        Other transformations by name, of whose searches rules learn or which lend their cuts.
    """

    ranked: RankedLists | None = None
    experts: Mapping[str, pa.Table] = field(default_factory=dict)
    measure: str | Measure = "nDCG@10"
    named: Mapping[str, Sequence[float]] = field(default_factory=dict)
    items: Sequence[Mapping] = ()
    others: Mapping[str, RankedInput] = field(default_factory=dict)

    def search(
        self,
        method: str,
        reference: pa.Table | None,
        source_topics: SourceTopics | None = None,
    ) -> RepeatedSearch:
        """The search by a method, without named cuts; see `prepare` for what it raises."""
        plan = (source_topics or self.topics()).plan(self.levels, method, reference, self.options)
        systems = None
        if self.ranked is not None and parse(self.measure).name == "nDCG" and plan.topics:
            systems = JudgedSystems.of(
                self.ranked, plan.topics, self.levels, self.measure, self.experts
            )
        return RepeatedSearch(plan, {}, systems)

    def searches(self, items: Iterable[Mapping]) -> Iterator[tuple[str | None, RepeatedSearch]]:
        """Each item's label, and its search with the named cuts and the systems ranked under it.

        An item names ``method``, ``reference``, its ``label`` and the rule for its ``unjudged``.
        """
        topics = self.topics()
        for item in items:
            reference = self.references.get(item["reference"])
            search = self.with_unjudged(item["unjudged"]).search(item["method"], reference, topics)
            yield item["label"], replace(search, named=self.named_cuts(search.plan, self.named))

    def searches_of_others(self) -> dict[str, dict[tuple[str, str | None], RepeatedSearch]]:
        """The searches of each other transformation, by method and the reference's label."""
        return {
            name: {
                (search.plan.method.name, label): search
                for label, search in other.searches(other.items)
                if search.plan.topics
            }
            for name, other in self.others.items()
        }

    def with_unjudged(self, rule: str) -> RankedInput:
        """The same under a rule for documents that a reference lacks."""
        return replace(self, options=replace(self.options, unjudged=rule))

    def named_cuts(
        self, plan: SearchPlan, cuts: Mapping[str, Sequence[float]]
    ) -> dict[str, np.ndarray]:
        """The places of a user's cuts, of equal widths and of the middle, by name."""
        values = source_values(self.judgments)
        if not len(values):
            return {}
        return named_cuts(plan.thresholds, plan.levels, self.scale, values, cuts)

    def named_indices(self, search: RepeatedSearch) -> dict[str, int]:
        """Where cuts of equal widths and of the middle are among those of a search."""
        named = self.named_cuts(search.plan, {})
        return dict(zip(named, search.index_of([*named.values()]).tolist(), strict=True))

    def pooled(self, search: RepeatedSearch, item: Mapping) -> RepeatedSearch:
        """A search over the judgments of all topics as one topic's, without systems."""
        topics = [topic.topic for topic in search.plan.topics]
        kept = np.isin(self.judgments["topic"].to_numpy(zero_copy_only=False).astype(str), topics)
        name = item["reference"]
        known = {name: as_one_topic(self.references[name])} if name in self.references else {}
        judgments = as_one_topic(self.judgments.filter(pa.array(kept)))
        alone = replace(self, judgments=judgments, references=known, pool=None, ranked=None)
        ((_, pooled),) = alone.searches([item])
        return replace(pooled, plan=replace(pooled.plan, thresholds=search.plan.thresholds))


def read_ranked(paths: Mapping, params: Mapping) -> RankedInput:
    """What a job searches and ranks, read from its tables."""
    experts = zip(params["experts"], paths["experts"], strict=True)
    source = RankedInput.read(
        paths,
        params,
        experts={name: read_table(path, "qrels") for name, path in experts},
        measure=params["measure"],
        named=params["named"],
        items=params["searches"],
    )
    if paths["runs"]:
        topics = source.judgments["topic"].unique().to_pylist()
        source = replace(source, ranked=CodedRuns(paths["runs"]).ranked(topics))
    # other transformations, under which the same systems are ranked
    others, references = {}, iter(paths["other_references"])
    for path, (name, own) in zip(paths["other_judgments"], params["others"].items(), strict=True):
        others[name] = replace(
            source,
            judgments=read_table(path),
            scale=Scale.of(own["scale"]),
            levels=own["levels"],
            options=AlphaOptions.of(own),
            references={one: read_table(next(references), "qrels") for one in own["references"]},
            named={},
            items=own["searches"],
        )
    return replace(source, others=others)
