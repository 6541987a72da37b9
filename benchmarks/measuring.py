"""Measure a function in a process of its own: seconds, peak memory, other processes' load.

This module and the one that starts the processes import nothing large: Linux counts what the
parent held at the start in a child's peak.
"""

from __future__ import annotations

import importlib
import os
import re
import resource
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

import numpy as np
import psutil

ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
"""For peers: on a busy machine the threads of a BLAS wait for each other, for ten times as long."""


@dataclass(frozen=True)
class Settings:
    """What every measurement is told.

    Attributes
    ----------
    inputs
        The folder that `benchmarks.inputs` filled.
    data
        The folder of real collections, ``None`` where there is none.
    threads, repeats
        Of our part; peers have one thread and are measured once.
    sample
        How many cuts (rankings, units left out) a peer is measured on; 0 where it is on all.
    """

    inputs: Path
    data: Path | None
    threads: int
    repeats: int
    sample: int = 0


@dataclass
class Measured:
    """What one side of one row took.

    Attributes
    ----------
    spans
        Wall and processor seconds of each repeat, see `now`.
    values
        What the other side must agree with.
    note
        What a reader must know to judge the seconds.
    missing
        Why there are no spans.
    gigabytes
        Peak resident memory of the process, or of the largest that it started.
    other_load
        Processors that other processes kept busy meanwhile, on average.
    """

    spans: list[np.ndarray]
    values: np.ndarray | None = None
    note: str = ""
    missing: str = ""
    gigabytes: float = 0.0
    other_load: float = 0.0

    @property
    def seconds(self) -> list[float]:
        """Wall seconds of each repeat."""
        return [float(wall) for wall, _ in self.spans]

    @property
    def median(self) -> float:
        """Median wall seconds."""
        return median(self.seconds)

    @property
    def processor(self) -> float:
        """Median processor seconds, all threads together."""
        return median(float(processor) for _, processor in self.spans)


def in_own_process(function: str, *arguments: Any, environment: Mapping[str, str] = {}) -> Any:
    """Call ``module:function`` of this package in a fresh process; a `Measured` is completed.

    `environment` is set in that process beside what it inherits.
    """
    with (
        patch.dict(os.environ, environment),
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
    ):
        return pool.submit(_call, function, arguments).result()


def now() -> np.ndarray:
    """Wall seconds, and processor seconds of this process and the finished ones it started."""
    times = os.times()
    children = times.children_user + times.children_system
    return np.array([time.perf_counter(), time.process_time() + children])


def timed(work: Callable[[], Any], repeats: int) -> tuple[list[np.ndarray], Any]:
    """What each call took, and what the last one returned."""
    spans = []
    for _ in range(repeats):
        start = now()
        result = work()
        spans.append(now() - start)
    return spans, result


def _call(function: str, arguments: tuple) -> Any:
    module, name = function.split(":")
    work = getattr(importlib.import_module(f"benchmarks.{module}"), name)
    start, everyone = now(), _busy()
    result = work(*arguments)
    if isinstance(result, Measured):
        wall, own = now() - start
        result.other_load = max(0.0, (_busy() - everyone - own) / wall)
        result.gigabytes = max(map(_peak, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))) / 1e9
    return result


def _busy() -> float:
    """Processor seconds that the machine has spent on anything."""
    times = psutil.cpu_times()
    return times.user + times.system + times.nice


def _peak(who: int) -> int:
    """Bytes; the system counts in kibibytes, on macOS in bytes.

    Of the process itself Linux also says the peak since it was started, without that of the
    process that it was forked from.
    """
    status = Path("/proc/self/status")
    if who == resource.RUSAGE_SELF and status.exists():
        peak = re.search(r"^VmHWM:\s+(\d+) kB", status.read_text(), re.MULTILINE)
        if peak:
            return int(peak.group(1)) * 1024
    return resource.getrusage(who).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
