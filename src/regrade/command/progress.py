"""That a command is still at work; of the workflow how far it is, from what Snakemake prints."""

from __future__ import annotations

import csv
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import TextIO

from regrade.progress import now
from regrade.wording import counted

STEPS = re.compile(r"^(\d+) of (\d+) steps \([\d.]+%\) done")
_COUNT = re.compile(r"^(\w+) +(\d+)$")
_CORES = re.compile(r"^Provided cores: (\d+)")
_STARTED = re.compile(r"^(?:local)?(?:rule|checkpoint) (\w+):$")
_JOB = re.compile(r"^ +jobid: (\d+)$")
_THREADS = re.compile(r"^ +threads: (\d+)$")
_LOG = re.compile(r"^ +log: results/([^/]+)/logs/(.+)\.log$")
_FINISHED = re.compile(r"^Finished jobid: (\d+) ")

BASIS = 0.2
"""Share of the jobs that is done before unknown ones are taken to be like them."""
FEWEST = 5
"""So many jobs at least."""

DRAWN_AFTER = 2.0
"""Seconds of work after which a terminal shows what is at work."""

APART = 10.0
"""Seconds between the lines of what no terminal shows; later a tenth of those that have passed."""


@contextmanager
def status_while_long(status: Callable[[], str]) -> Iterator[None]:
    """Say what is at work where it takes long: a plain line each time on the standard error."""
    began = time.monotonic()

    def tell(over: Event) -> None:
        while not over.wait(max(APART, (time.monotonic() - began) / 10)):
            passed = time_text(time.monotonic() - began)
            print(f"regrade: {status()} ({passed} so far)", file=sys.stderr, flush=True)

    with _beside(tell):
        yield


@contextmanager
def drawn_while_long(status: Callable[[], str]) -> Iterator[None]:
    """Draw what is at work on the terminal, and how far, until the command prints or has ended."""

    def draw(over: Event) -> None:
        if not over.wait(DRAWN_AFTER):
            with _display(status):
                over.wait()

    with _beside(draw) as end:
        printing = sys.stdout
        sys.stdout = _Printing(printing, end)
        try:
            yield
        finally:
            sys.stdout = printing


@contextmanager
def _beside(work: Callable[[Event], None]) -> Iterator[Callable[[], None]]:
    """Run a function beside what is within; gives what ends it, which the end of that does too."""
    over = Event()
    thread = Thread(target=work, args=(over,), daemon=True)
    thread.start()

    def end() -> None:
        over.set()
        thread.join()

    try:
        yield end
    finally:
        end()


class _Printing:
    """A stream, before the first text of which the display goes."""

    def __init__(self, stream: TextIO, end: Callable[[], None]) -> None:
        self._stream, self._end = stream, end

    def write(self, text: str) -> int:
        """Write a text."""
        self._end()
        return self._stream.write(text)

    def __getattr__(self, name: str) -> object:
        """What the stream has under a name."""
        return getattr(self._stream, name)


def _display(status: Callable[[], str]) -> AbstractContextManager:
    """A line of a terminal: that it works, at what, how far, and for how long."""
    from rich.console import Console
    from rich.progress import (
        Progress,
        ProgressBar,
        ProgressColumn,
        SpinnerColumn,
        Task,
        TimeElapsedColumn,
    )
    from rich.text import Text

    class Said(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(status())

    class Done(ProgressColumn):
        def render(self, task: Task) -> ProgressBar | Text:
            loop = next(iter(now.loops), None)
            return ProgressBar(loop.total, loop.done, width=20) if loop else Text("")

    columns = SpinnerColumn(), Said(), Done(), TimeElapsedColumn()
    # what is printed to the standard output has ended the display before
    display = Progress(
        *columns, console=Console(stderr=True), transient=True, redirect_stdout=False
    )
    display.add_task("", total=None)
    display.tasks[0].start_time = display.get_time() - DRAWN_AFTER
    return display


def at_work(name: str) -> str:
    """What a command is at: parts that it has done, kernels that it compiles."""
    loop = next(iter(now.loops), None)
    parts = [f"{name} is running"]
    parts += [f"{loop.done:,} of {loop.total:,} {loop.parts} done"] if loop else []
    parts += [f"{counted(now.kernels, 'kernel')} compiled"] if now.kernels else []
    return "; ".join(parts)


@dataclass(frozen=True)
class Cost:
    """What a job takes: seconds, and how many cores it keeps busy."""

    seconds: float
    cores: float = 1.0


def earlier_costs(results: str | Path) -> dict[str, dict[str, Cost]]:
    """What the jobs of earlier runs took, from their benchmarks."""
    averages = {}
    for folder in sorted(Path(results).glob("*/benchmarks")):
        costs: dict[str, list[Cost]] = {}
        for path in sorted(folder.rglob("*.tsv")):
            cost = _measured(path)
            parts = path.relative_to(folder).with_suffix("").parts
            # of a rule that is made in a loop the name has all parts, of one with wildcards one
            for name in {parts[0], re.sub(r"\W", "_", "_".join(parts))} if cost else ():
                costs.setdefault(name, []).append(cost)
        averages[folder.parent.name] = {name: _mean(some) for name, some in costs.items()}
    return averages


def _measured(path: Path) -> Cost | None:
    """The first row of a benchmark."""
    try:
        with path.open(encoding="utf-8") as file:
            row = next(csv.DictReader(file, delimiter="\t"))
        seconds = float(row["s"])
    except (OSError, ValueError, KeyError, StopIteration):
        return None
    try:
        return Cost(seconds, max(1.0, float(row["cpu_time"]) / seconds))
    except (ValueError, KeyError, ZeroDivisionError):  # too short to have been looked at
        return Cost(seconds)


def _mean(costs: list[Cost]) -> Cost:
    seconds = sum(cost.seconds for cost in costs) / len(costs)
    return Cost(seconds, sum(cost.cores for cost in costs) / len(costs))


class Following:
    """A run as its lines tell it.

    Parameters
    ----------
    earlier
        Of `earlier_costs`.
    """

    def __init__(self, earlier: Mapping[str, Mapping[str, Cost]] | None = None) -> None:
        self.earlier = earlier or {}
        self.collection = ""
        self.job = ""
        self.done, self.total, self.cores = 0, 0, 1
        self._left: dict[str, int] = {}
        self._threads: dict[str, int] = {}
        self._took: dict[str, list[Cost]] = {}
        self._running: dict[str, tuple[str, float]] = {}
        self._rule, self._counting = "", False

    def see(self, line: str, now: float) -> None:
        """Take in a line."""
        if self._counting or line.startswith("job  "):
            self._count(line)
        elif started := _STARTED.match(line):
            self._rule = started[1]
        elif job := _JOB.match(line):
            self._running[job[1]] = (self._rule, now)
        elif threads := _THREADS.match(line):
            self._threads[self._rule] = int(threads[1])
        elif written := _LOG.match(line):
            self.collection, self.job = written[1], written[2].replace("/", " ")
        elif finished := _FINISHED.match(line):
            self._finish(finished[1], now)
        elif steps := STEPS.match(line):
            self.done, self.total = int(steps[1]), int(steps[2])
        elif cores := _CORES.match(line):
            self.cores = int(cores[1])

    def _count(self, line: str) -> None:
        """A row of the table of jobs, whose end is a line without text."""
        self._left = self._left if self._counting else {}
        self._counting = bool(line.strip())
        row = _COUNT.match(line)
        if row and row[1] == "total":
            self.total = int(row[2])
        elif row:
            self._left[row[1]] = int(row[2])

    def _finish(self, job: str, now: float) -> None:
        rule, began = self._running.pop(job, ("", now))
        if not rule:
            return
        self._left[rule] = max(0, self._left.get(rule, 0) - 1)
        self._took.setdefault(rule, []).append(Cost(now - began, self._threads.get(rule, 1)))

    def seconds_left(self, now: float) -> float | None:
        """How long the rest takes.

        A rule's jobs are taken to cost what those did that have ended, else what they did in the
        collection's earlier runs, else what all jobs did so far.  Their seconds, times the cores
        that they keep busy, are spread over all cores; what runs already is not divided.
        """
        # lists, because a bar is drawn by another thread than that which sees lines
        left = [(rule, count) for rule, count in list(self._left.items()) if count]
        unknown = sum(count for rule, count in left if self._known(rule) is None)
        enough = max(FEWEST, BASIS * self.total)
        if not left or (unknown > max(1, sum(c for _, c in left) / 10) and self.done < enough):
            return None
        costs = {rule: self._known(rule) or self._typical(left) for rule, _ in left}
        if None in costs.values():
            return None
        work = sum(count * costs[rule].seconds * self._busy(costs[rule]) for rule, count in left)
        longest = 0.0
        for rule, began in list(self._running.values()):
            cost = costs.get(rule)
            if cost is not None:
                work -= min(now - began, cost.seconds) * self._busy(cost)
                longest = max(longest, cost.seconds - (now - began))
        return max(work / self.cores, longest)

    def _busy(self, cost: Cost) -> float:
        return min(cost.cores, self.cores)

    def _known(self, rule: str) -> Cost | None:
        """What a job of a rule costs, from this run or earlier ones."""
        if took := list(self._took.get(rule, [])):
            return _mean(took)
        return self.earlier.get(self.collection, {}).get(rule)

    def _typical(self, left: list[tuple[str, int]]) -> Cost | None:
        """What a job costs of which nothing is known."""
        took = [cost for costs in list(self._took.values()) for cost in costs]
        known = took or [cost for rule, _ in left if (cost := self._known(rule))]
        return _mean(known) if known else None

    def status(self) -> str:
        """What runs: collection, and the job that began last, with what it is about."""
        return " · ".join(filter(None, [self.collection, self.job])) or "regrade"

    def full_text(self, now: float) -> str:
        """How many steps are done, what runs, and how long it still takes."""
        steps = f"{self.done:,} of {self.total:,} steps done" if self.total else "it begins"
        runs = self.status() if self.job else ""
        return "; ".join(filter(None, [steps, runs, left_text(self.seconds_left(now))]))


def left_text(seconds: float | None) -> str:
    """A time left in words, no finer than it can be known; nothing where it is not known."""
    if seconds is None:
        return ""
    return "some seconds left" if seconds < 10 else f"about {time_text(seconds)} left"


def time_text(seconds: float) -> str:
    """Some time in words: to ten seconds, a minute, half an hour."""
    if seconds < 90:
        return f"{round(seconds, -1):.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{round(seconds / 1800) / 2:g} h"
