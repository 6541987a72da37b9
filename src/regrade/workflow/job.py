"""What every script does around its one library call: log, measure, and say errors plainly."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from regrade.errors import RegradeError, StorageError
from regrade.resources import Usage


@contextmanager
def job(snakemake) -> Iterator[logging.Logger]:
    """Log to the rule's log file and the terminal; write what the job took beside the logs.

    An error that the user can mend is said without a traceback; the job fails with status 1.
    """
    before = Usage.now()
    logging.raiseExceptions = False  # a full disk takes no log either
    log_file = Path(snakemake.log[0])
    log_file.parent.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(
        level=logging.INFO,
        format="%(asctime)s %(message)s",
        datefmt="%H:%M:%S",
        handlers=[logging.FileHandler(log_file, "w", encoding="utf-8"), logging.StreamHandler()],
    )
    log = logging.getLogger(f"regrade.{snakemake.rule}")
    try:
        yield log
        results, collection, _, *name = log_file.parts
        beside = Path(results, collection, "benchmarks", *name).with_suffix(".tsv")
        Usage.now().write(beside, before)
    except Exception as error:
        said = StorageError.of(error, snakemake.output[0]) or error
        if not isinstance(said, RegradeError):
            log.exception("%s: an error in regrade itself", snakemake.rule)
            raise
        log.error("%s: %s", snakemake.rule, said)
        sys.exit(1)


def parameters(snakemake) -> dict:
    """The rule's parameters, for a table's provenance, without hashes of code and content."""
    params = {k: v for k, v in snakemake.params.items() if k not in ("code", "content")}
    return params.pop("asked", {}) | params


class Asked(dict):
    """What a job is asked, as its rule's function of wildcards gives it; keys are attributes."""

    def __getattr__(self, name: str) -> object:
        """A value by its key."""
        if name in self:
            return self[name]
        raise AttributeError(f"the job is not told '{name}'")


def asked(snakemake) -> Asked:
    """What a job is asked beside its inputs."""
    return Asked(snakemake.params.asked)


def chunk_bytes(snakemake) -> int:
    """How much of the job's memory a chunk of topics may take; results do not depend on it."""
    return (snakemake.resources.mem_mb << 20) // 3
