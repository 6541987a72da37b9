"""What a process takes, as the system counts it, and what it may take."""

from __future__ import annotations

import os
import sys
import time
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Usage:
    """Of a process and those that it has started and waited for.

    Attributes
    ----------
    seconds
        From any beginning.
    peak
        The most memory that one of them has held so far, MB.
    busy
        Processor seconds.
    """

    seconds: float
    peak: float
    busy: float

    @classmethod
    def now(cls) -> Usage:
        """Up to now."""
        import resource  # which not every system has

        both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        a_megabyte = 1 << (20 if sys.platform == "darwin" else 10)  # bytes there, kB elsewhere
        return cls(
            seconds=time.perf_counter(),
            peak=max(usage.ru_maxrss for usage in both) / a_megabyte,
            busy=sum(usage.ru_utime + usage.ru_stime for usage in both),
        )

    def write(self, path: str | os.PathLike, before: Usage) -> None:
        """Write what was taken since `before`, in columns named as in Snakemake's benchmarks.

        Those look at a process twice a second and later twice a minute.
        """
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        values = self.seconds - before.seconds, self.peak, self.busy - before.busy
        row = "\t".join(f"{value:.3f}" for value in values)
        path.write_text(f"s\tmax_rss\tcpu_time\n{row}\n", encoding="utf-8")


def cores() -> int:
    """How many cores there are for this process."""
    has_affinity = hasattr(os, "sched_getaffinity")
    return len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1


def one_blas_thread() -> AbstractContextManager:
    """Within it products of matrices have one thread; to be entered once numpy is loaded."""
    return _blas("scipy.linalg" in sys.modules).limit(limits=1, user_api="blas")


@cache
def _blas(of_scipy_too: bool) -> object:
    """The BLAS of numpy, and scipy's own where that is loaded: to look for them takes 3 ms."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
