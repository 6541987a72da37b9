"""What every script does around its one library call: log, measure, and say errors plainly."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from regrade import __version__
from regrade.errors import RegradeError, StorageError
from regrade.provenance import JobOrigin, made_by_job
from regrade.resources import Usage
from regrade.workflow.project import PROJECT, commit_of

_LINE, _TIME = "%(asctime)s %(message)s", "%H:%M:%S"


@contextmanager
def job(snakemake) -> Iterator[logging.Logger]:
    """Log to the rule's log file and the terminal; write what the job took beside the logs.

    Lines on the terminal begin with the job's name, and the file with what runs it.

    An error that the user can mend is said without a traceback; the job fails with status 1.
    """
    before = Usage.now()
    logging.raiseExceptions = False  # a full disk takes no log either
    log_file = Path(snakemake.log[0])
    log_file.parent.mkdir(parents=True, exist_ok=True)
    folder, name = _place(log_file)
    name_of_job = str(Path(folder.name, *name).with_suffix("")).replace("%", "%%")
    file, terminal = logging.FileHandler(log_file, "w", encoding="utf-8"), logging.StreamHandler()
    file.setFormatter(logging.Formatter(_LINE, _TIME))
    # there the lines of several jobs stand among each other
    terminal.setFormatter(logging.Formatter(f"{name_of_job} {_LINE}", _TIME))
    logging.basicConfig(level=logging.INFO, handlers=[file, terminal])
    log = logging.getLogger(f"regrade.{snakemake.rule}")
    code = f"regrade {__version__}{commit_of(PROJECT)}, code {snakemake.params.get('code', '')}"
    file.emit(log.makeRecord(log.name, logging.INFO, "", 0, code, (), None))
    try:
        with made_by_job(_origin(snakemake, "/".join(folder.parts[-2:]))):
            yield log
        beside = folder.joinpath("benchmarks", *name).with_suffix(".tsv")
        Usage.now().write(beside, before)
    except Exception as error:
        fault = StorageError.of(error, snakemake.output[0]) or error
        if not isinstance(fault, RegradeError):
            log.exception("%s: an error in regrade itself", snakemake.rule)
            raise
        log.error("%s: %s", snakemake.rule, fault)
        sys.exit(1)


def _place(log_file: Path) -> tuple[Path, list[str]]:
    """The folder of the collection's results, wherever a storage has it, and the job's name."""
    parts = log_file.parts
    logs = parts.index("logs", parts.index("results") + 2)
    return Path(*parts[:logs]), [*parts[logs + 1 :]]


def _origin(snakemake, folder: str) -> JobOrigin:
    """What the job's files have in common."""
    named = {name: value for name, value in snakemake.input.items() if name}
    files = {name: listed(value) for name, value in named.items()}
    known = {path for paths in files.values() for path in paths}
    files["files"] = [path for path in snakemake.input if path not in known]
    params = snakemake.params
    return JobOrigin(folder, params.get("code", ""), files, params.get("content"))


def listed(files: str | os.PathLike | Iterable[str]) -> list[str]:
    """Files of an input or an output, which are one path or several."""
    return [files] if isinstance(files, str | os.PathLike) else list(files)


def parameters(snakemake) -> dict:
    """The rule's parameters, for a table's provenance, without hashes of code and content."""
    params = {k: v for k, v in snakemake.params.items() if k not in ("code", "content")}
    return params.pop("request", {}) | params


class Request(dict):
    """What a job is asked, as its rule's function of wildcards gives it; keys are attributes."""

    def __getattr__(self, name: str) -> object:
        """A value by its key."""
        if name in self:
            return self[name]
        raise AttributeError(f"the job has no '{name}'")


def request_of(snakemake) -> Request:
    """What a job is asked beside its inputs."""
    return Request(snakemake.params.request)


def chunk_bytes(snakemake) -> int:
    """How much of the job's memory a chunk of topics may take; results do not depend on it."""
    return (snakemake.resources.mem_mb << 20) // 3
