"""What every script does around its one library call: log, measure, and say errors plainly."""

from __future__ import annotations

import logging
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

# an environment that Snakemake made (--sdm conda) has the dependencies but not the library
sys.path.append(str(Path(__file__).resolve().parents[2] / "src"))

from regrade.errors import RegradeError, StorageError


@contextmanager
def job(snakemake) -> Iterator[logging.Logger]:
    """Log to the rule's log file and the terminal; write what the job took beside the logs.

    An error that the user can mend is said without a traceback; the job fails with status 1.
    """
    began, before = time.perf_counter(), _used()
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
        seconds, used = time.perf_counter() - began, _used()
        _write_benchmark(log_file, seconds, used.peak, used.busy - before.busy)
    except Exception as error:
        said = StorageError.of(error, snakemake.output[0]) or error
        if not isinstance(said, RegradeError):
            log.exception("%s: an error in regrade itself", snakemake.rule)
            raise
        log.error("%s: %s", snakemake.rule, said)
        sys.exit(1)


class _Used(NamedTuple):
    """What the system has counted of this process and those that it has started."""

    busy: float  # processor seconds
    peak: float  # MB of memory


def _used() -> _Used:
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    a_megabyte = 1 << (20 if sys.platform == "darwin" else 10)  # bytes there, kB elsewhere
    busy = sum(one.ru_utime + one.ru_stime for one in both)
    return _Used(busy, max(one.ru_maxrss for one in both) / a_megabyte)


def _write_benchmark(log_file: Path, seconds: float, peak: float, busy: float) -> None:
    """Write what a job took, beside the logs and in the columns of Snakemake's own benchmarks.

    Those look at the process that Snakemake has started, twice a second and later twice a minute.
    """
    results, collection, _, *name = log_file.parts
    path = Path(results, collection, "benchmarks", *name).with_suffix(".tsv")
    path.parent.mkdir(parents=True, exist_ok=True)
    text = f"s\tmax_rss\tcpu_time\n{seconds:.4f}\t{peak:.2f}\t{busy:.2f}\n"
    path.write_text(text, encoding="utf-8")


def parameters(snakemake) -> dict:
    """The rule's parameters, for a table's provenance, without hashes of code and content."""
    return {k: v for k, v in snakemake.params.items() if k not in ("code", "content")}


def chunk_bytes(snakemake) -> int:
    """How much of the job's memory a chunk of topics may take; results do not depend on it."""
    return (snakemake.resources.mem_mb << 20) // 3
