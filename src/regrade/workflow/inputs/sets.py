"""What jobs need that read files, make sets or score systems under them: by a set's name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from regrade.workflow.consensus import judges_of
from regrade.workflow.inputs import subset
from regrade.workflow.inputs.paths import Paths
from regrade.workflow.sets import (
    KINDS,
    collected_scales,
    deriving,
    files_of,
    reading,
    relevant_from,
    source_of,
    workers,
    written_scale,
)
from regrade.workflow.sources import content_hash

POOLED = ("seed", "depth", "unit_size")
"""The options of a simulation that say which documents there are, and how relevant."""


READ_BY = ("tie_break", "score_precision", "not_self", "topics")
"""The options of a collection by which its runs are read."""


def read_alike(collections: Iterable) -> list[list[str]]:
    """The names of collections that read the same runs in the same way, where they are several."""
    alike: dict[str, list[str]] = {}
    for one in collections:
        if not one.simulates_runs:
            how = json.dumps([[*map(str, one.run_files)], *map(one.options.get, READ_BY)])
            alike.setdefault(how, []).append(one.name)
    return [names for names in alike.values() if len(names) > 1]


class SetInputs:
    """Input and parameter functions of the rules for sets, runs and scores.

    Those that take wildcards are for Snakemake to call.  What the user wrote, names of files and
    topics, goes through one too: Snakemake would take its braces for wildcards.
    """

    def __init__(self, paths: Paths):
        self.paths = paths
        self.collection = paths.collection

    def made_from(self, kind: str, *sources: str | None) -> list[str]:
        """The sets of a kind that come from one of these sources, cuts and pairs aside."""
        aside = {**self.collection.labelled, **self.collection.scored}
        options = self.collection.options[kind]
        return [n for n in options if source_of(options[n]) in sources and n not in aside]

    def consensus_of(self, kind: str) -> list[str]:
        """The qrels that are the consensus of sets of a kind."""
        qrels, known = self.collection.qrels, self.collection.options[kind]
        return [name for name in qrels if {*judges_of(qrels[name])} & {*known}]

    def _options(self, wildcards) -> Mapping:
        return self.collection.sets[wildcards.name]

    # files
    def files_of_runs(self, wildcards) -> str | list[str]:
        """The files of runs, or the folder of those that are simulated."""
        if not self.collection.simulates_runs:
            return self.collection.run_files if self.collection.has_runs else []
        return self.paths.runs_over if self.collection.ranked_sets else self.paths.simulated_runs

    def files(self, wildcards) -> list[str]:
        """The files of a set."""
        if self.collection.is_made_with_runs(wildcards.name):
            return [self.paths.simulated_qrels]
        return [self.collection.path(file) for file in files_of(self._options(wildcards))]

    def content_of_runs(self, wildcards) -> str | None:
        """The hash of the files of runs; none where a job makes them.

        Snakemake compares what functions of wildcards give, and not what functions of inputs do.
        """
        return self._content(self.files_of_runs(wildcards))

    def content(self, wildcards) -> str | None:
        """The hash of the files of a set; none where a job makes them."""
        return self._content(self.files(wildcards))

    def _content(self, files: str | list[str]) -> str | None:
        files = [files] if isinstance(files, str) else files
        made = any(path.startswith(self.paths.below("")) for path in files)
        return None if made else content_hash(files)

    def topics(self, wildcards) -> list[str] | None:
        """The topics that are kept of all files."""
        return self.collection.options["topics"]

    def reading(self, wildcards) -> dict:
        """How the files of a set are read."""
        return reading(self.collection.kind(wildcards.name), self._options(wildcards))

    # scores by item
    def files_of_scores(self, wildcards) -> list[str]:
        """The files of a set of scores by item."""
        return self.collection.score_files(wildcards.name)

    def content_of_scores(self, wildcards) -> str | None:
        """The hash of these."""
        return self._content(self.files_of_scores(wildcards))

    def reading_of_scores(self, wildcards) -> dict:
        """How they are read."""
        return subset(self.collection.score_sets[wildcards.name], "columns", "where", "lower")

    def written_scale(self, wildcards) -> dict:
        """The scale that its files are on."""
        return written_scale(self._options(wildcards))

    def workers(self, wildcards) -> list[str] | None:
        """The judge of each of its files, where files name none."""
        name = wildcards.name
        return workers(self.collection.kind(name), name, self._options(wildcards))

    def relevant_from(self, wildcards) -> float | None:
        """From which grade on documents are relevant, where it is made binary."""
        return relevant_from(self._options(wildcards))

    # the audit
    def audited(self, wildcards) -> dict[str, str | list[str]]:
        """All that is read: the runs, and labels in their codes where there are some; each set."""
        collection, paths = self.collection, self.paths
        return {
            "runs": paths.runs,
            "judged": list(map(paths.coded, collection.qrels)) if collection.has_runs else [],
            **{kind: paths.sets(collection.options[kind]) for kind in KINDS},
        }

    def scales_of_kinds(self, wildcards) -> dict[str, dict]:
        """The scales of all sets, by kind."""
        return {kind: collected_scales(self.collection, kind) for kind in KINDS}

    def relevance(self, wildcards) -> str:
        """From which grade on measures of runs count documents."""
        return self.collection.relevance_text

    def notes(self, wildcards) -> str:
        """What must be said wherever results show."""
        return self.collection.notes

    # sets of other sets
    def source(self, wildcards) -> str:
        """The judgments that a set is derived of."""
        return self.paths.set(self._options(wildcards)["from"])

    def deriving(self, wildcards) -> dict:
        """How it is derived."""
        return deriving(self._options(wildcards))

    def judges(self, wildcards) -> list[str]:
        """The sets whose consensus a qrels is."""
        return self.paths.sets(judges_of(self._options(wildcards)))

    def scales_of_judges(self, wildcards) -> dict[str, dict]:
        """Their scales, by name."""
        names = judges_of(self._options(wildcards))
        return {name: self.collection.collected_scale(name) for name in names}

    def weighting(self, wildcards) -> list[str]:
        """The reference of a weighted consensus, if it has one."""
        reference = self._options(wildcards)["reference"]
        return [self.paths.set(reference)] if reference else []

    def combining(self, wildcards) -> dict:
        """How labels are combined."""
        return subset(self._options(wildcards), "by", "reference", "rescale")

    def scores_of_pairs(self, wildcards) -> str:
        """The scores of documents that a qrels is made of."""
        return self.paths.tables("pairs", of=self._options(wildcards)["from"])["scores"]

    def labelling_by_scores(self, wildcards) -> dict:
        """Which scores, and what becomes of them."""
        return subset(self._options(wildcards), "method", "rescale")

    # sets and runs that are simulated
    def ranked_sets(self, wildcards) -> list[str]:
        """The qrels whose documents simulated systems rank."""
        return self.paths.sets(self.collection.ranked_sets)

    def simulated_runs(self, wildcards) -> dict:
        """The parameters of simulated runs."""
        return self.collection.simulated_runs

    @property
    def _simulation(self) -> Mapping:
        return self.collection.options["simulation"]

    def base(self, wildcards) -> str:
        """The labels that simulated judges follow."""
        return self.paths.table_of("qrels", self._simulation["base"])

    def base_scale(self, wildcards) -> dict:
        """The scale of these."""
        return self.collection.collected_scale(self._simulation["base"])

    def simulated_pool(self, wildcards) -> dict:
        """Which documents are judged, and how relevant they are."""
        return subset(self._simulation, *POOLED)

    def simulation_of_experts(self, wildcards) -> dict:
        """The same, and the topics; how many judge each document is the crowds' alone."""
        return subset(self._simulation, "base", "topics", *POOLED)

    def simulated_judges(self, wildcards) -> dict:
        """The parameters of simulated judges."""
        return self._options(wildcards)["simulate"]

    # answers about pairs, simulated: the task that they are about
    def _task(self, wildcards) -> Mapping:
        return self.collection.items["pair_tasks"][self._options(wildcards)["simulate"]["task"]]

    def pairs_of_task(self, wildcards) -> str:
        """The pairs that are asked about."""
        return self.paths.tables("pair_tasks", of=self._task(wildcards)["name"])["pairs"]

    def tests_of_task(self, wildcards) -> str:
        """The questions whose answers are known."""
        return self.paths.tables("pair_tasks", of=self._task(wildcards)["name"])["tests"]

    def judges_of_task(self, wildcards) -> int:
        """How many workers each of its units needs."""
        return self._task(wildcards)["judges"]

    def crowd(self, wildcards) -> dict:
        """The parameters of a simulated crowd."""
        simulated = self._options(wildcards)["simulate"]
        return {key: value for key, value in simulated.items() if key != "task"}

    # scores
    def measures(self, wildcards) -> list[str]:
        """The measures that a qrels can serve."""
        return self.collection.measures(wildcards.name)[0]

    def unserved(self, wildcards) -> dict[str, str]:
        """Why it cannot serve the others."""
        return self.collection.measures(wildcards.name)[1]

    def max_grade(self, wildcards) -> float:
        """The highest grade of its scale."""
        return self.collection.scale(wildcards.name).high

    def pooled_codes(self, wildcards) -> str:
        """The codes of the labels of which shallower pools are made."""
        return self.paths.coded(self.collection.options["pools"]["qrels"])

    def further_codes(self, wildcards) -> list[str]:
        """The codes of the other sets that its measures need."""
        return [self.paths.coded(name) for name in self.collection.further_sets(wildcards.name)]

    def further_max_grades(self, wildcards) -> dict[str, float]:
        """The highest grades of these sets."""
        names = self.collection.further_sets(wildcards.name)
        return {name: self.collection.scale(name).high for name in names}
