"""The job of a declared stage: what it reads, as its function takes it, and what that makes."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace

import pyarrow as pa

from regrade.catalogue import tables_of
from regrade.scales import Scale
from regrade.stages.declare import Job, Read
from regrade.stages.registry import stages
from regrade.tables import read_table, write_tables
from regrade.workflow.job import chunk_bytes


def run(snakemake) -> None:
    """Read, call the job's function, write its tables."""
    asked = snakemake.params.asked
    stage = stages()[asked["stage"]]
    job = stage.jobs[asked["job"]]
    data = JobData(job, snakemake)
    tables = job.function(data, data.options)
    folder = tables_of(stage.tables[0].name)[0].partition("/")[0]
    write_tables(tables, snakemake.output, folder, asked)


@dataclass(frozen=True)
class StoredSet:
    """A set of labels or judgments that lies in a table.

    Attributes
    ----------
    name, kind, scale
        What it is called, one of `regrade.workflow.sets.KINDS`, and what its values are.
    path
        Of the table.
    """

    name: str
    kind: str
    scale: Scale
    path: str

    @cached_property
    def table(self) -> pa.Table:
        """Schema ``qrels``, ``judgments`` or ``preferences``."""
        return read_table(self.path, self.kind)

    @property
    def levels(self) -> int:
        """How many values the scale has; 0 where they cannot be listed."""
        return len(self.scale.values) if self.scale.finite else 0

    @property
    def high(self) -> float:
        """The highest value of the scale."""
        return self.scale.high


class JobData:
    """What a job reads, each input an attribute by its name, read when it is first asked for.

    Attributes
    ----------
    options
        The options that the job uses, by name.
    item, further
        The name of the item, and what else the job is told.
    threads, log
        Of the job.
    """

    def __init__(self, job: Job, snakemake):
        asked = snakemake.params.asked
        self.options = SimpleNamespace(**asked["options"])
        self.item = asked.get("item", "")
        self.further = SimpleNamespace(**asked.get("further", {}))
        self.threads = snakemake.threads
        self.log = logging.getLogger(f"regrade.{snakemake.rule}")
        self._asked = asked
        self._input = snakemake.input
        self._reads = {read.name: read for read in job.reads}
        self._chunk = chunk_bytes(snakemake)

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

    def _sets(self, read: Read) -> StoredSet | list[StoredSet] | None:
        files = self._input.get(read.name, [])
        sets = [
            StoredSet(name, kind, Scale.of(scale), path)
            for (name, kind, scale), path in zip(
                self._asked["sets"][read.name], self.paths(read.name), strict=True
            )
        ]
        return sets[0] if isinstance(files, str) else sets

    _codes = _sets

    def _runs(self, read: Read):
        from regrade.codes import CodedRuns

        path = self._input.get("runs")
        return CodedRuns(path) if path else None

    def chunks(self, labels: StoredSet, **what: bool) -> Iterator[tuple]:
        """Rankings and labels in their codes, by chunks of topics that the memory holds."""
        from regrade.codes import read_chunks

        yield from read_chunks(self._input.runs, labels.path, max_bytes=self._chunk, **what)

    def _groups(self, read: Read) -> dict[str, str] | None:
        from regrade.readers.groups import read_groups

        if not self._input.get("groups"):
            return None
        groups = read_groups(self._input.groups)
        return dict(zip(groups["system"].astype(str), groups["group"].astype(str), strict=True))

    def _made(self, read: Read) -> pa.Table:
        return read_table(self._input[read.name])

    def _table(self, read: Read) -> pa.Table | None:
        path = self._input.get(read.name)
        return read_table(path) if path else None

    def _file(self, read: Read) -> str:
        return self._input[read.name]


def as_mapping(options: SimpleNamespace, *names: str) -> Mapping[str, object]:
    """Some options by name, or all."""
    held = vars(options)
    return {name: held[name] for name in names} if names else held
