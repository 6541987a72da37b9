"""The job of a declared stage: what it reads, as its function takes it, and what that makes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pyarrow as pa

from regrade.catalogue import folder_of
from regrade.label_sets import LabelSet
from regrade.scales import Scale
from regrade.stages.declare import Job, Read
from regrade.stages.registry import stages
from regrade.tables import read_table, write_csv, write_tables
from regrade.workflow.job import chunk_bytes

if TYPE_CHECKING:
    import pandas as pd

    from regrade.answers.shape import Answer
    from regrade.item_scores.scores import ScoreDesign


def run(snakemake) -> None:
    """Read, call the job's function, write its tables."""
    request = snakemake.params.request
    stage = stages()[request["stage"]]
    job = stage.jobs[request["job"]]
    data = JobData(job, snakemake)
    tables = job.function(data, **request["options"])
    if "answer" in tables and "measures" in request:
        tables["answer"] = _naming(tables["answer"], request["measures"])
    for name in job.files:
        write_csv(tables.pop(name), snakemake.output[name])
    folder = folder_of(stage.tables[0].name)
    write_tables(tables, snakemake.output, folder, request | data.about)


def _naming(answer: Answer | pd.DataFrame, measures: Mapping[str, str]) -> Answer:
    """An answer, or the table of one, with other names of measures."""
    from regrade.answers.shape import Answer

    return (answer if isinstance(answer, Answer) else Answer.of_frame(answer)).naming(measures)


class StoredSet(LabelSet):
    """A set whose table is read when it is first asked for.

    Attributes
    ----------
    kind
        One of `regrade.workflow.sets.KINDS`, the schema of the table.
    path, codes
        Of the table, and of the labels in the codes of the runs; empty where it is not read.
    """

    def __init__(self, name: str, kind: str, scale: Scale, path: str = "", codes: str = ""):
        vars(self).update(name=name, scale=scale, stated=scale, kind=kind, path=path, codes=codes)

    @cached_property
    def table(self) -> pa.Table:
        """Schema ``qrels``, ``judgments`` or ``preferences``."""
        return read_table(self.path, self.kind)


class JobData:
    """What a job reads, each input an attribute by its name, read when it is first asked for.

    Attributes
    ----------
    options
        The options that the job uses, by name.
    item, further
        The name of the item, and what else the job is told.
    makes
        The names of the tables that it is to make.
    threads, log
        Of the job.
    about
        What else is to be noted of the tables, in their metadata; for the job to fill.
    chunk_bytes
        How much of its memory a chunk of topics may take.
    """

    def __init__(self, job: Job, snakemake):
        request = snakemake.params.request
        self.options = SimpleNamespace(**request["options"])
        self.item = request.get("item", "")
        self.further = SimpleNamespace(**request.get("further", {}))
        self.makes = {*snakemake.output.keys()}
        self.about = {}
        self.threads = snakemake.threads
        self.log = logging.getLogger(f"regrade.{snakemake.rule}")
        self._request = request
        self._input = snakemake.input
        self._reads = {read.name: read for read in job.reads}
        self.chunk_bytes = chunk_bytes(snakemake)

    def __getattr__(self, name: str) -> object:
        """An input by its name."""
        reads = self.__dict__.get("_reads", {})
        if name not in reads:
            raise AttributeError(f"the job reads no '{name}'")
        value = getattr(self, f"_{reads[name].kind}")(reads[name])
        self.__dict__[name] = value
        return value

    def paths(self, name: str) -> list[str]:
        """The files of an input."""
        files = self._input.get(name, [])
        return [files] if isinstance(files, str) else list(files)

    def _sets(self, read: Read) -> StoredSet | list[StoredSet]:
        """The sets of a field, with the tables and the codes that the job reads of them."""
        described = self._request["sets"][read.name]
        if isinstance(described, Mapping):
            return self._set(read.name, 0, **described)
        return [self._set(read.name, place, **one) for place, one in enumerate(described)]

    def _set(self, field: str, place: int, name: str, kind: str, scale: Mapping) -> StoredSet:
        inputs = {"path": self.paths(field), "codes": self.paths(f"{field}_codes")}
        files = {part: paths[place] for part, paths in inputs.items() if paths}
        return StoredSet(name, kind, Scale.of(scale), **files)

    _codes = _counted = _sets

    def _scores(self, read: Read) -> dict[str, object]:
        """The scores under each qrels, by its name."""
        from regrade.scoring import Scores

        return {
            one["name"]: Scores.from_table(read_table(path, "scores"))
            for one, path in zip(
                self._request["sets"][read.name], self.paths(read.name), strict=True
            )
        }

    def _design(self, read: Read) -> object:
        """Scores by item, of one set or of several; ``None`` where there are none."""
        described = self._request["design"]
        if not described["sets"]:
            return None
        designs = [
            _score_design(path, described["measures"], **one)
            for one, path in zip(described["sets"], self.paths(read.name), strict=True)
        ]
        return designs if described["several"] else designs[0]

    def _sweep(self, read: Read) -> object:
        return _function(read.load)(self._input, self._request["sweep"])

    def _effects(self, read: Read) -> dict[str, pd.DataFrame]:
        """The table of each collection that holds the effect, with what must be said of it."""
        tables = {}
        of_each = self._request["collections"].items()
        for (name, notes), path in zip(of_each, self.paths("effects"), strict=True):
            tables[name] = read_table(path).to_pandas()
            tables[name].attrs["notes"] = notes
        return tables

    def _searches(self, read: Read) -> dict[tuple[str, str], tuple]:
        """The best cuts and α of each search, as frames."""
        files = zip(self.paths("best_cuts"), self.paths("alpha"), strict=True)
        tables = (tuple(read_table(path).to_pandas() for path in pair) for pair in files)
        return dict(zip(map(tuple, self._request["searches"]), tables, strict=True))

    def _runs(self, read: Read):
        from regrade.codes import CodedRuns

        path = self._input.get("runs")
        return CodedRuns(path) if path else None

    def chunks(self, labels: StoredSet, **what: bool) -> Iterator[tuple]:
        """Rankings and labels in their codes, by chunks of topics that the memory holds."""
        from regrade.codes import read_chunks

        runs, most = self._input.runs, self.chunk_bytes
        yield from read_chunks(runs, labels.codes, max_bytes=most, **what)

    def _groups(self, read: Read) -> dict[str, str] | None:
        from regrade.readers.groups import group_of_systems

        return group_of_systems(self._input.groups) if self._input.get("groups") else None

    def _families(self, read: Read) -> str | Mapping[str, str | list[str]] | None:
        """What `regrade.favours.families.families_of` takes: a file, or patterns by family."""
        return self._request["families"] or self._input.get("families") or None

    def _made(self, read: Read) -> pa.Table:
        return read_table(self._input[read.name])

    def _table(self, read: Read) -> pa.Table | None:
        path = self._input.get(read.name)
        return read_table(path) if path else None

    def _file(self, read: Read) -> object:
        file = self._input.get(read.name) or None
        return _function(read.load)(file, self.options) if file and read.load else file

    def _cuts(self, read: Read) -> object:
        start = f"{read.name}_"
        paths = {k.removeprefix(start): v for k, v in self._input.items() if k.startswith(start)}
        cuts = self._request["cuts"][read.name]
        if not read.load:
            return SimpleNamespace(paths=SimpleNamespace(**paths), request=SimpleNamespace(**cuts))
        return _function(read.load)(paths, cuts)


def _score_design(
    path: str, measures: list[str] | None, name: str, lower: list[str], missing: str
) -> ScoreDesign:
    """The arrays of a table of scores by item, and what must be said of how it was read."""
    from regrade.item_scores.scores import ItemScores

    return ItemScores.read(path, name, lower).of_measures(measures).design(missing=missing)


def _function(path: str) -> Callable:
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)
